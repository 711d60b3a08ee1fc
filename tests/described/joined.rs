//! Messages joined from parts: copies, keys that return, parts that were cut differently.

use crate::common::{Scratch, Wire};
use crate::described::cases::lines;
use crate::described::run;
use serde_json::{Value as Json, json};

/// The lines of a client's datagrams, in a protocol whose packets have these fields.
fn decoded(fields: &str, datagrams: &[impl AsRef<[u8]>]) -> Vec<Json> {
    let folder = Scratch::new("described-joined");
    let head = "protocol = \"parts\"\nencoding = \"be\"\n[udp]\nports = [7001]\n[packet.fields]\n";
    let file = folder.write("parts.toml", format!("{head}{fields}\n"));
    let ends = ["127.0.0.1:40000".parse().unwrap(), "127.0.0.1:7001".parse().unwrap()];
    let mut wire = Wire::default();
    datagrams.iter().for_each(|datagram| wire.datagram(ends, true, datagram.as_ref()));
    let capture = folder.write("parts.pcap", wire.file());
    let done = run(&["decode", &capture, "-p", &file, "-f", "ndjson", "--bytes"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    lines(&String::from_utf8(done.stdout).unwrap())
}

/// The joined messages: their bytes, and the frames of their parts.
fn wholes(fields: &str, datagrams: &[impl AsRef<[u8]>]) -> Vec<(String, Json)> {
    let whole = |line: &Json| {
        let whole = line["derived"].get("joined")?;
        let bytes = hex::decode(whole["bytes"].as_str().expect("hex")).expect("hex");
        Some((String::from_utf8(bytes).expect("text"), whole["frames"].clone()))
    };
    decoded(fields, datagrams).iter().filter_map(whole).collect()
}

/// A message lacks its second part; later its key is that of another one.
#[test]
fn a_key_that_returns_begins_another_message() {
    let fields = "id = \"u8\"\nk = \"u8\"\nn = \"u8\"\n\
        data = { type = \"bytes\", join = { key = [\"id\"], index = \"k\", count = \"n\" } }";
    let sent = [b"\x05\x00\x02AA", b"\x05\x00\x02CC", b"\x05\x01\x02DD"];
    assert_eq!(wholes(fields, &sent), [("CCDD".to_owned(), json!([2, 3]))]);
}

/// Messages without a key, one at a time: a part is a copy only if its bytes are those of the message before it.
#[test]
fn messages_without_a_key_follow_one_another() {
    let fields = "k = \"u8\"\nn = \"u8\"\ndata = { type = \"bytes\", join = { index = \"k\", count = \"n\" } }";
    let sent = [b"\x00\x02AA", b"\x01\x02BB", b"\x01\x02BB", b"\x00\x02CC", b"\x01\x02DD"];
    let expected = [("AABB".to_owned(), json!([1, 2])), ("CCDD".to_owned(), json!([4, 5]))];
    assert_eq!(wholes(fields, &sent), expected);
}

/// The first parts of a message may be those of the one before it, as copies are. They belong to the next message.
#[test]
fn messages_with_the_same_key_may_begin_alike() {
    let fields = "k = \"u8\"\nn = \"u8\"\ndata = { type = \"bytes\", join = { index = \"k\", count = \"n\" } }";
    let sent = [b"\x00\x02HH", b"\x01\x02B1", b"\x00\x02HH", b"\x01\x02B2", b"\x00\x02H3", b"\x01\x02B3"];
    let expected = [("HHB1", [1, 2]), ("HHB2", [3, 4]), ("H3B3", [5, 6])];
    assert_eq!(wholes(fields, &sent), expected.map(|(text, frames)| (text.to_owned(), json!(frames))));
}

/// The same message in other parts: those that overlap are not joined.
#[test]
fn parts_that_overlap_make_no_message() {
    let fields = "id = \"u8\"\nat = \"u8\"\nall = \"u8\"\n\
        data = { type = \"bytes\", join = { key = [\"id\"], offset = \"at\", total = \"all\" } }";
    let sent = [b"\x01\x00\x08abcd", b"\x01\x02\x08cdef", b"\x01\x04\x08efgh"];
    assert_eq!(wholes(fields, &sent), [("abcdefgh".to_owned(), json!([1, 3]))]);
}

/// An offset in units of four bytes.
#[test]
fn offsets_have_the_scale_of_their_field() {
    let fields = "id = \"u8\"\nat = { type = \"u8\", scale = 4 }\nall = \"u8\"\n\
        data = { type = \"bytes\", join = { key = [\"id\"], offset = \"at\", total = \"all\" } }";
    let sent = [b"\x01\x00\x08abcd", b"\x01\x01\x08efgh"];
    assert_eq!(wholes(fields, &sent), [("abcdefgh".to_owned(), json!([1, 2]))]);
}

/// Messages of one part, of which two come again, and then one of two parts.
#[test]
fn copies_do_not_hide_the_message_after_them() {
    let fields = "id = \"u8\"\nnumber = \"u8\"\nmore = \"u8\"\n\
        data = { type = \"bytes\", join = { key = [\"id\"], index = \"number\", remaining = \"more\" } }";
    let alone = (0..10).chain([7, 8]).map(|number| [1, number, 0, b's']);
    let sent: Vec<[u8; 4]> = alone.chain([[1, 10, 1, b'A'], [1, 11, 0, b'B']]).collect();
    assert_eq!(wholes(fields, &sent), [("AB".to_owned(), json!([13, 14]))]);
}

/// The number after a message does not begin a later one, after several messages that were not whole.
#[test]
fn ends_of_long_ago_begin_no_message() {
    let fields = "id = \"u8\"\nnumber = \"u8\"\nmore = \"u8\"\n\
        data = { type = \"bytes\", join = { key = [\"id\"], index = \"number\", remaining = \"more\" } }";
    let mut sent = vec![[1, 0, 3, b'a'], [1, 1, 2, b'b'], [1, 2, 1, b'c'], [1, 3, 0, b'd']];
    // Of each of these messages the first part is lost; one of two parts follows it.
    for lost in [4, 8, 12, 16] {
        sent.extend([[1, lost + 1, 0, b'-'], [1, lost + 2, 1, b'x'], [1, lost + 3, 0, b'y']]);
    }
    // The numbers begin again: parts 4 and 5 of a message that began with 3, which is lost.
    sent.extend([[1, 4, 1, b'-'], [1, 5, 0, b'-']]);
    let texts: Vec<String> = wholes(fields, &sent).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["abcd", "xy", "xy", "xy", "xy"]);
}

#[test]
fn a_packet_is_a_fragment_where_the_condition_holds() {
    let fields = "split = \"u8\"\nk = \"u8\"\nn = \"u8\"\n\
        data = { type = \"bytes\", join = { if = \"split == 1\", index = \"k\", count = \"n\" } }";
    let lines = decoded(fields, &[b"\x00\x00\x02AA", b"\x01\x00\x02AA"]);
    let names: Vec<&Json> = lines.iter().map(|line| &line["message"]).collect();
    assert_eq!(names, ["packet", "fragment"]);
}
