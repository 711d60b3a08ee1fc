//! Each key of the language in small protocols: the fields, and the bytes that encode writes.

use netkit::dissect::inspector;
use netkit::dissect::{Message, Options, Role, Sink};
use netkit::encode::{Encoders, Entry, Source};
use netkit::protocols::described::load;
use netkit::render::Ndjson;
use serde_json::{Value as Json, json};

#[derive(Default)]
struct Lines(Vec<(Json, Vec<u8>)>);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        let mut line = Vec::new();
        Ndjson::new(false).message(message, &mut line);
        self.0.push((serde_json::from_slice(&line).expect("JSON"), message.place.bytes.to_vec()));
    }
}

/// The lines of one packet; checks that the packet encodes to its bytes.
pub fn read(file: &str, packet: &[u8]) -> Vec<Json> {
    let described = load("test.toml", file).unwrap_or_else(|why| panic!("{why}\n{file}"));
    let mut options = Options::new(netkit::protocols::registry().with(described));
    options.from = Some(Role::Client);
    let mut lines = Lines::default();
    inspector::dump(described, packet, &options, &mut Default::default(), &mut lines);
    let source = Source::new(options.registry.clone());
    let mut encoders = Encoders::new(&options);
    let mut back = None;
    for (line, _) in &lines.0 {
        let entry = Entry::new(line.clone(), &source).unwrap_or_else(|why| panic!("{why}: {line}"));
        back = encoders.part(&entry).unwrap_or_else(|why| panic!("{why}: {line}"));
    }
    let wrote = back.unwrap_or_default();
    assert_eq!(hex::encode(&wrote), hex::encode(packet), "{:?}", lines.0);
    lines.0.into_iter().map(|(line, _)| line).collect()
}

/// The bytes that encode writes for a packet with these fields.
pub fn encoded(file: &str, fields: &Json) -> Result<Vec<u8>, String> {
    let described = load("test.toml", file).unwrap_or_else(|why| panic!("{why}\n{file}"));
    let options = Options::new(netkit::protocols::registry().with(described));
    let line = json!({"proto": "toy", "message": "packet", "fields": fields});
    let entry = Entry::new(line, &Source::new(options.registry.clone())).map_err(|why| why.to_string())?;
    let done = Encoders::new(&options).part(&entry).map_err(|why| why.to_string())?;
    Ok(done.unwrap_or_default())
}

/// The fields of the only line.
pub fn fields(file: &str, packet: &[u8]) -> Json {
    let lines = read(file, packet);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines[0]["fields"].clone()
}

/// The fields of a packet without messages.
pub fn plain(fields_text: &str, packet: &[u8]) -> Json {
    fields(&format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields_text}"), packet)
}

/// A message with a length of its own in a struct, or a struct with a length in one: the lengths that a broken packet
/// shows are encoded where they were.
#[test]
fn lengths_of_broken_messages_are_where_they_were() {
    let messages = "[[message]]\nid = 1\nname = \"one\"\n[message.fields]\na = \"u8\"\nb = \"u16\"\n";
    let own = "pdu = { type = \"u8\", hidden = true }\nmessage = { type = \"message\", by = \"pdu\", size = \"u8\" }\n";
    let deep =
        format!("outer = \"outer\"\n[struct.outer]\nall = {{ type = \"all\", size = \"u8\" }}\n[struct.all]\n{own}");
    for (fields, packets) in [
        (
            format!("all = \"all\"\n[struct.all]\n{own}"),
            [&b"\x01\x02\x07\0"[..], b"\x01\x05\x07\0\x09\0\0", b"\x01\x09\x07"],
        ),
        (
            format!("all = {{ type = \"all\", size = \"u8\" }}\n[struct.all]\n{own}"),
            [b"\x04\x01\x02\x07\0", b"\x05\x01\x02\x07\0\x09", b"\x05\x01\x09\x07\0\x09"],
        ),
        (
            // Longer forms than they need.
            own.replace("\"u8\" }\n", "{ type = \"u8\", most = 127, 129 = \"u8\" } }\n"),
            [b"\x01\x81\x02\x07\0", b"\x01\x81\x03\x07\0\x09", b"\x01\x80\x07\0\x09"],
        ),
        (
            own.replace("size = \"u8\"", "size = \"varint\""),
            [b"\x01\x82\0\x07\0", b"\x01\x83\0\x07\0\x09", b"\x01\x89\0\x07"],
        ),
        (
            own.replace("size = \"u8\"", "size = { type = \"u8\", scale = \"1/8\" }"),
            [b"\x01\x0f\x07\0", b"\x01\x17\x07\0\x09", b"\x01\x10\x07\0"],
        ),
        (deep, [b"\x04\x01\x02\x07\0", b"\x06\x01\x03\x07\0\x09\0", b"\x03\x01\x02\x07\0\x09"]),
    ] {
        for packet in packets {
            read(&format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}{messages}"), packet);
        }
    }
}

/// Parts of a number and numbers of n bits in two's complement.
#[test]
fn signed_bits() {
    let file = "head = { type = \"u16\", bits = { x = { at = \"15..11\", signed = true, scale = 0.5 }, \
        way = { at = \"10..9\", signed = true, enum = { left = -1, right = 1 } }, on = 8, n = { at = \"7..0\", signed = true } } }\n\
        more = { type = \"u8\", if = \"x < 0\" }\nrest = \"bytes\"";
    assert_eq!(
        plain(file, b"\x87\xff\x05"),
        json!({"x": -8.0, "way": "left", "on": true, "n": -1, "more": 5, "rest": ""})
    );
    assert_eq!(plain(file, b"\x7c\x80"), json!({"x": 7.5, "way": -2, "on": false, "n": -128, "rest": ""}));
    assert_eq!(plain(file, b"\x02\x7f\x05"), json!({"x": 0.0, "way": "right", "on": false, "n": 127, "rest": "05"}));
    // A view, as MessagePack's small numbers.
    let view = "kind = \"u8\"\nplus = { of = \"kind\", bits = { number = \"6..0\" }, if = \"kind < 128\" }\n\
        minus = { of = \"kind\", bits = { number = { at = \"5..0\", signed = true } }, if = \"kind >= 0xe0\" }";
    for (packet, number) in [(0, 0), (127, 127), (0xe0, -32), (0xff, -1)] {
        assert_eq!(plain(view, &[packet]), json!({"kind": packet, "number": number}));
    }
    assert_eq!(plain("a = { type = \"bits(4)\", signed = true }\nb = \"bits(4)\"", b"\x8f"), json!({"a": -1, "b": 8}));
    let high = "a = { type = \"bits(12)be\", signed = true, enum = { none = -2048 } }\nb = { type = \"bits(4)be\", signed = true }";
    assert_eq!(plain(high, b"\x80\x0d"), json!({"a": "none", "b": -3}));
    assert_eq!(plain(high, b"\xff\xe7"), json!({"a": -2, "b": 7}));
    let wrong = |fields: &str| {
        let file = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n");
        load("test.toml", &file).unwrap_err().to_string()
    };
    for (fields, why) in [
        ("a = { type = \"u8\", signed = true }", "signed is for bits(n) and parts of a number"),
        (
            "a = { type = \"u8\", bits = { x = { at = 1, signed = true, flags = { y = 1 } } } }",
            "signed is not for flags",
        ),
        (
            "a = { type = \"u8\", bits = { x = { at = \"2..0\", signed = true, enum = { y = 4 } } } }",
            "y = 4: the number is -4 to 3",
        ),
        ("a = { type = \"bits(3)\", signed = true, default = 4 }", "-4 to 3"),
    ] {
        assert!(wrong(fields).contains(why), "{}", wrong(fields));
    }
    let file = "protocol = \"toy\"\n[packet.fields]\na = { type = \"u8\", bits = { x = { at = \"6..4\", signed = true }, y = \"3..0\" } }\n";
    for (x, bytes) in [(-4, Some("41")), (3, Some("31")), (4, None), (-5, None)] {
        let folder = crate::common::Scratch::new("signed");
        let line = json!({"proto": "toy", "message": "packet", "fields": {"x": x, "y": 1}});
        let (toml, line) = (folder.write("toy.toml", file), folder.write("line", line.to_string()));
        let done = crate::described::run(&["encode", "--protocol-file", &toml, "--json", &line]);
        let (out, why) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        match bytes {
            Some(bytes) => assert_eq!(out.trim(), bytes, "{why}"),
            None => assert!(why.contains(&format!("{x} is out of range: -4 to 3")), "{why}"),
        }
    }
}

#[test]
fn numbers_text_and_lists() {
    assert_eq!(
        plain("a = \"u16\"\nb = \"u16le\"\nc = \"i24\"", b"\x01\x02\x01\x02\xff\xff\xfe"),
        json!({"a": 258, "b": 513, "c": -2})
    );
    assert_eq!(plain("a = \"svarint32\"", b"\xff\xff\xff\xff\x0f"), json!({"a": -1}));
    assert_eq!(plain("a = \"zigzag\"\nb = \"varint32\"", b"\x03\xac\x02"), json!({"a": -2, "b": 300}));
    // A longer form than needed is shown with its bytes.
    assert_eq!(plain("a = \"varint\"", b"\x81\x00"), json!({"a": {"raw": "8100", "bits": 16}}));
    // Before a text that is shorter, it is shown once: among the bytes that could not be read.
    let text = "a = { type = \"text\", size = \"varint\" }";
    assert_eq!(plain(text, b"\x85\x00hi"), json!({"unparsed": "85006869"}));
    assert_eq!(
        plain("a = \"string8\"\nb = \"cstring\"\nc = \"text\"", b"\x02hiyo\0rest"),
        json!({"a": "hi", "b": "yo", "c": "rest"})
    );
    assert_eq!(
        plain("a = { type = \"text\", size = { type = \"u8\", scale = 2 }, charset = \"utf-16be\" }", b"\x02\0h\0i"),
        json!({"a": "hi"})
    );
    assert_eq!(
        plain("a = \"u8[u8]\"\nb = \"i16[2][u8]\"", b"\x02\x07\x08\x01\0\x01\xff\xff"),
        json!({"a": [7, 8], "b": [[1, -1]]})
    );
    assert_eq!(
        plain("n = \"u8\"\na = \"u8[n]\"\nb = \"bytes[n]\"", b"\x02\x07\x08\x09\x0a"),
        json!({"n": 2, "a": [7, 8], "b": "090a"})
    );
    assert_eq!(plain("a = \"u16[*]\"\nb = \"u8\"", b"\0\x01\0\x02\x03"), json!({"a": [1, 2], "b": 3}));
    assert_eq!(
        plain("a = \"ipv4\"\nb = { type = \"ipv4\", xor = 0xff }", b"\x7f\0\0\x01\x80\xff\xff\xfe"),
        json!({"a": "127.0.0.1", "b": "127.0.0.1"})
    );
    assert_eq!(
        plain(
            "a = { type = \"text\", until = \" \\n\", or_end = true }\nb = { type = \"text\", until = \" \\n\", or_end = true }",
            b"get x"
        ),
        json!({"a": "get ", "b": "x"})
    );
}

#[test]
fn bits_both_ways() {
    let word = "w = { type = \"u16\", bits = { a = \"15..13\", b = 12, c = \"11..0\" } }";
    assert_eq!(plain(word, b"\xb1\x23"), json!({"a": 5, "b": true, "c": 0x123}));
    // If a bit without a name is set, the whole number is shown, too.
    assert_eq!(
        plain("w = { type = \"u8\", bits = { a = 0 } }", b"\x81"),
        json!({"a": true, "w": {"raw": "81", "bits": 8}})
    );
    // The command line gives texts.
    let text = "protocol = \"toy\"\n[packet.fields]\nw = { type = \"u8\", bits = { a = 0, b = 7 } }";
    assert_eq!(encoded(text, &json!({"a": "true", "b": "false"})).unwrap(), b"\x01");
    assert_eq!(encoded(text, &json!({"a": 0, "b": true})).unwrap(), b"\x80");
    assert_eq!(plain("a = \"bits(3)\"\nb = \"bits(5)\"", b"\x2a"), json!({"a": 2, "b": 5}));
    assert_eq!(plain("a = \"bits(3)be\"\nb = \"bits(13)be\"", b"\xb1\x23"), json!({"a": 5, "b": 0x1123}));
    // A constant as well: the version of RTP.
    let version = "version = { type = \"bits(2)be\", value = 2 }\npadding = \"bits(1)be\"\ncount = \"bits(5)be\"";
    assert_eq!(plain(version, b"\x81"), json!({"padding": 0, "count": 1}));
    // One of two halves of a byte; and a region that begins within one.
    let halves = "k = \"u8\"\na = { type = \"bits(4)be\", if = \"k == 1\" }\nb = { type = \"bits(4)be\", if = \"k != 1\" }\n\
        c = \"bits(4)be\"\nd = \"u8\"";
    assert_eq!(plain(halves, b"\x01\x23\x45"), json!({"k": 1, "a": 2, "c": 3, "d": 69}));
    let parts = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\nhead = \"bits(4)be\"\n\
        body = { type = \"move\", size = 4 }\ntail = \"bits(4)be\"\n[struct.move]\nx = \"bits(12)be\"\ny = \"bits(20)be\"\n";
    assert!(load("toy.toml", parts).is_ok());
    let view = "w = { type = \"u8\", bits = { low = \"3..0\", high = \"7..4\" } }\nv = { of = \"low\", bits = { x = 0, y = \"3..1\" } }";
    assert_eq!(plain(view, b"\x35"), json!({"low": 5, "high": 3, "x": true, "y": 2}));
}

/// Text and masked bytes begin at any bit: here after the lower half of a byte, so that each byte is divided.
#[test]
fn text_at_an_odd_bit() {
    // The halves of the bytes, the lower ones first: 3; 8 6, 9 6 and 0 0 ("hi", and its end); 5.
    let word = "a = \"bits(4)\"\ns = \"cstring\"\nb = \"bits(4)\"";
    assert_eq!(plain(word, b"\x83\x96\x06\x50"), json!({"a": 3, "s": "hi", "b": 5}));
    let until = "a = \"bits(4)\"\ns = { type = \"text\", until = \";\" }\nb = \"bits(12)\"";
    assert_eq!(plain(until, b"\x83\xb6\x53\x00"), json!({"a": 3, "s": "h", "b": 5}));
    // The byte 0x48, combined with 0x20.
    let mask = "a = \"bits(4)\"\ns = { type = \"text\", xor = 0x20, size = 1 }\nb = \"bits(4)\"";
    assert_eq!(plain(mask, b"\x83\x54"), json!({"a": 3, "s": "h", "b": 5}));
    // Half a byte is left for a number of two.
    let file = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\na = \"bits(4)\"\ns = \"cstring\"\nn = \"u16\"";
    let short = &read(file, b"\x83\x96\x06\x00")[0];
    assert_eq!((&short["fields"]["s"], &short["fault"]["need"]), (&json!("hi"), &json!(16)), "{short}");
}

#[test]
fn constants_presence_and_conditions() {
    let magic = "m = { type = \"u32\", value = 0x01020304, hidden = true }\na = \"u8\"";
    assert_eq!(plain(magic, b"\x01\x02\x03\x04\x05"), json!({"a": 5}));
    let broken =
        read(&format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{magic}"), b"\x01\x02\x03\x05\x05");
    assert!(broken[0]["fault"]["text"].as_str().unwrap().contains("not the constant"), "{broken:?}");
    assert_eq!(broken[0]["fields"], json!({"unparsed": "0102030505"}));
    let mark = "m = { type = \"u8\", value = 3, optional = true, hidden = true }\nn = { type = \"u8\", if = \"m\" }\na = \"u8\"";
    assert_eq!(plain(mark, b"\x03\x07\x05"), json!({"n": 7, "a": 5}));
    assert_eq!(plain(mark, b"\x05"), json!({"a": 5}));
    let has = "h = { type = \"u8\", hidden = true }\na = { type = \"u8\", if = \"h & 1\" }\nb = { type = \"u8\", if = \"h & 6\" }";
    assert_eq!(plain(has, b"\x07\x01\x02"), json!({"a": 1, "b": 2}));
    assert_eq!(plain(has, b"\0"), json!({}));
    // The number is shown if a bit without a field is set, or only one of two.
    assert_eq!(plain(has, b"\x81\x01"), json!({"h": 0x81, "a": 1}));
    assert_eq!(plain(has, b"\x02\x02"), json!({"h": 2, "b": 2}));
    let kinds = "k = { type = \"u8\", enum = { one = 1, two = 2 } }\na = { type = \"u8\", if = \"k == one\" }\nb = { type = \"u16\", if = \"k != one and left 2\" }";
    assert_eq!(plain(kinds, b"\x01\x05"), json!({"k": "one", "a": 5}));
    assert_eq!(plain(kinds, b"\x02\0\x05"), json!({"k": "two", "b": 5}));
    assert_eq!(plain(kinds, b"\x09"), json!({"k": 9}));
}

/// Only quotes, backslashes and control characters are not for names.
#[test]
fn names_of_values_have_any_other_characters() {
    let file = "a = { type = \"u8\", enum = { \"µs\" = 1, \"10°\" = 2 } }\n\
        b = { type = \"u8\", flags = { \"§\" = 1, \"½\" = 2 } }";
    assert_eq!(plain(file, b"\x01\x03"), json!({"a": "µs", "b": ["§", "½"]}));
    assert_eq!(plain(file, b"\x02\x02"), json!({"a": "10°", "b": ["½"]}));
}

/// Numbers from 2^63 on are larger than those below.
#[test]
fn conditions_on_numbers_of_64_bits() {
    let token = "t = \"u64\"\na = { type = \"u8\", if = \"t > 0\" }\nb = { type = \"u8\", if = \"t < 5\" }\n\
        c = { type = \"u8\", if = \"t >= 0x8000000000000001\" }\n\
        d = { type = \"u8\", if = \"t <= 0x8000000000000000\" }";
    for (t, names) in [(0, "bd"), (1, "abd"), (5, "ad"), (1 << 63, "ad"), ((1 << 63) + 1, "ac"), (u64::MAX, "ac")] {
        let packet = [&t.to_be_bytes()[..], &[7, 7, 7][..names.len()]].concat();
        let fields = plain(token, &packet);
        let shown: String = ["a", "b", "c", "d"].into_iter().filter(|name| fields[*name] == 7).collect();
        assert_eq!((&fields["t"], shown.as_str()), (&json!(t), names), "{fields}");
    }
    let varint = "t = \"varint\"\na = { type = \"u8\", if = \"t > 0\" }";
    let most = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x07";
    assert_eq!(plain(varint, most), json!({"t": u64::MAX, "a": 7}));
    // A number with a minus sign is below the usual ones.
    let negative = "t = \"u64\"\na = { type = \"u8\", if = \"t > -1\" }\nb = { type = \"u8\", if = \"t >= -5\" }";
    assert_eq!(plain(negative, b"\0\0\0\0\0\0\0\x03\x07\x07"), json!({"t": 3, "a": 7, "b": 7}));
}

#[test]
fn regions_checksums_and_packed_bytes() {
    let sized = "[packet.fields]\na = { type = \"s\", size = \"u8\" }\nb = \"u8\"\n[struct.s]\nx = \"u8\"";
    let file = |text: &str| format!("protocol = \"toy\"\nencoding = \"be\"\n{text}");
    assert_eq!(fields(&file(sized), b"\x01\x07\x08"), json!({"a": {"x": 7}, "b": 8}));
    // A length in bits is shown in bits.
    let bits = "[packet.fields]\nlength_bits = { type = \"u16\", scale = \"1/8\" }\na = { type = \"text\", size = \"length_bits\" }\nb = \"u8\"";
    assert_eq!(fields(&file(bits), b"\0\x10hi\x08"), json!({"length_bits": 16, "a": "hi", "b": 8}));
    // Unread bytes of a region are shown, and noted.
    let left = read(&file(sized), b"\x03\x07\xaa\xbb\x08");
    assert_eq!(left[0]["fields"], json!({"a": {"x": 7}, "a_trailing": "aabb", "b": 8}));
    assert_eq!(left[0]["notes"][0]["code"], "toy.trailing");
    let short = read(&file(sized), b"\x03\x07");
    assert_eq!(short[0]["fault"]["need"], 32, "{short:?}");
    let sum = "a = \"u16\"\nb = { type = \"crc16\", over = \"before\" }";
    assert_eq!(plain(sum, b"\x12\x34\x0e\xc9"), json!({"a": 0x1234, "b": 0x0ec9}));
    let wrong = read(&file(&format!("[packet.fields]\n{sum}")), b"\x12\x34\x0e\xc8");
    assert_eq!(wrong[0]["notes"][0]["code"], "toy.checksum");
    assert_eq!(wrong[0]["notes"][0]["level"], "warning");
    let xor = "k = \"u8\"\na = { type = \"text\", xor = \"k\" }";
    assert_eq!(plain(xor, b"\x20HELLO"), json!({"k": 32, "a": "hello"}));
    let zlib = "a = { type = \"text\", compressed = \"zlib\", size = \"u8\" }\nb = \"u8\"";
    let packed = b"\x0d\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15\x09";
    assert_eq!(plain(zlib, packed), json!({"a": "hello", "b": 9}));
    let bomb = read(&file(&format!("[packet.fields]\n{zlib}")), b"\x02\x78\x9c\x09");
    assert!(bomb[0]["fault"]["text"].as_str().unwrap().contains("does not unpack"), "{bomb:?}");
}

const NESTED: &str = r#"
protocol = "toy"
encoding = "be"
[packet.fields]
kind = { type = "u8", hidden = true }
body = { type = "message", by = "kind" }
end  = "u8"
[[message]]
id = 1
name = "outer"
[message.fields]
flag = "u8"
items = "item[*]"
[struct.item]
size = { type = "u8", hidden = true }
what = { type = "message", by = "u8", size = "size" }
[[message]]
id = 2
name = "plain"
[message.fields]
x = "u16"
[[message]]
message = "outer"
id = 5
name = "five"
[message.fields]
y = "u8"
[[message]]
message = "outer"
id = "6..9"
name = "many"
[message.fields]
z = "bytes"
"#;

#[test]
fn messages_in_messages() {
    let one = read(NESTED, b"\x02\0\x07\xee");
    assert_eq!(
        (&one[0]["message"], &one[0]["fields"], &one[0]["packet"]),
        (&json!("plain"), &json!({"x": 7}), &json!({"end": 0xee}))
    );
    let two = read(NESTED, b"\x01\x33\x02\x05\x44\x04\x07abc\xee");
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!(two[0]["part"], json!([1, 2]));
    assert_eq!((&two[0]["message"], &two[0]["fields"]), (&json!("five"), &json!({"y": 0x44})));
    assert_eq!(two[0]["packet"], json!({"flag": 0x33, "end": 0xee}));
    // The number of a message with a range of ids is shown.
    assert_eq!((&two[1]["message"], &two[1]["fields"]), (&json!("many"), &json!({"z": "616263"})));
    assert_eq!(two[1]["packet"], json!({"flag": 0x33, "id": 7, "end": 0xee}));
    // Unknown numbers, at both levels.
    let unknown = read(NESTED, b"\x63\x01\x02\x03");
    assert_eq!(
        (&unknown[0]["message"], &unknown[0]["fields"]),
        (&json!("unknown"), &json!({"id": 99, "data": "0102"}))
    );
    let inner = read(NESTED, b"\x01\x33\x03\x63\x01\x02\xee");
    assert_eq!((&inner[0]["message"], &inner[0]["fields"]), (&json!("unknown"), &json!({"id": 99, "data": "0102"})));
    // No message, a broken one, trailing bytes.
    let none = read(NESTED, b"\x01\x33\xee");
    assert_eq!(none[0]["message"], "outer");
    let broken = read(NESTED, b"\x01\x33\x02\x05\x44\x09\x05\xee");
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken[1].get("fault").is_some() && broken[1]["fields"]["unparsed"].is_string(), "{broken:?}");
    let trailing = read(NESTED, b"\x02\0\x07\x01\x02\xee");
    assert_eq!(trailing[0]["fields"], json!({"x": 7, "trailing": "0102"}), "{trailing:?}");
}

/// An id in more bytes than it needs is that of the same message, and is shown with its bytes.
#[test]
fn ids_in_a_longer_form() {
    let file = "protocol = \"toy\"\n[packet.fields]\nmessage = { type = \"message\", by = \"varint\" }\n\
        [[message]]\nid = 0\nname = \"zero\"\nfields = { x = \"u8\" }\n\
        [[message]]\nid = 5\nname = \"five\"\nfields = { y = \"u8\" }\n";
    for (packet, message, name) in
        [(&b"\x05\x07"[..], "five", "y"), (b"\x85\x00\x07", "five", "y"), (b"\x80\x00\x07", "zero", "x")]
    {
        let line = &read(file, packet)[0];
        assert_eq!((&line["message"], &line["fields"][name]), (&json!(message), &json!(7)), "{line}");
        let id = json!({"raw": hex::encode(&packet[..packet.len() - 1]), "bits": 16});
        assert_eq!(line.to_string().contains(&id.to_string()), packet.len() > 2, "{line}");
    }
}

#[test]
fn words_of_the_built_in_tables() {
    assert_eq!(plain("a = \"bits(4)\"\nb = \"bit\"\nc = \"bits(3)\"", b"\xb3"), json!({"a": 3, "b": true, "c": 5}));
    // Zero bits that fill up the last byte are not part of the bytes; other bits are.
    let padded = "a = \"bits(4)\"\nb = { type = \"bytes\", padded = true, optional = true }";
    assert_eq!(plain(padded, b"\x05"), json!({"a": 5}));
    assert_eq!(plain(padded, b"\xf5\x0e"), json!({"a": 5, "b": "ef"}));
    assert_eq!(plain(padded, b"\x15"), json!({"a": 5, "b": {"raw": "01", "bits": 4}}));
    let optional = "a = \"u8\"\nb = { type = \"text\", optional = true }";
    assert_eq!(plain(optional, b"\x01"), json!({"a": 1}));
    assert_eq!(plain(optional, b"\x01x"), json!({"a": 1, "b": "x"}));
    let rounded = "a = { type = \"u8\", scale = \"100/255\", rounded = true }";
    (0..=255u8).for_each(|raw| _ = plain(rounded, &[raw]));
    assert_eq!(plain(rounded, b"\x80"), json!({"a": 50.0}));
    let angle = "a = { type = \"i16\", angle = true }\nb = { type = \"i16le[2]\", angle = true }";
    assert_eq!(plain(angle, b"\x40\x00\x00\x80\x00\xc0"), json!({"a": 90.0, "b": [180.0, -90.0]}));
    // Several fields with one name, of which one is present.
    let named = "kind = \"u8\"\nsmall = { name = \"v\", type = \"u8\", if = \"kind == 1\" }\n\
                 large = { name = \"v\", type = \"u16\", if = \"kind == 2\" }\nlast = \"u8\"";
    assert_eq!(plain(named, b"\x01\x07\x09"), json!({"kind": 1, "v": 7, "last": 9}));
    assert_eq!(plain(named, b"\x02\x01\x00\x09"), json!({"kind": 2, "v": 256, "last": 9}));
    assert_eq!(plain(named, b"\x03\x09"), json!({"kind": 3, "last": 9}));
    let clear = "flags = \"u8\"\nv = { type = \"u8\", if = \"not flags & 1\" }\n\
                 w = { type = \"u8\", if = \"not flags & 6\" }";
    assert_eq!(plain(clear, b"\x00\x05\x06"), json!({"flags": 0, "v": 5, "w": 6}));
    assert_eq!(plain(clear, b"\x03"), json!({"flags": 3}));
    assert_eq!(plain(clear, b"\x09\x06"), json!({"flags": 9, "w": 6}));
    let except = "n = \"u8\"\nview = { of = \"n\", bits = { kind = \"3..1\", \
                  f = { at = \"7..0\", except = \"3..1\", flags = { a = 1, b = 16 } } } }";
    assert_eq!(plain(except, b"\x97"), json!({"n": 0x97, "kind": 3, "f": ["a", "b", 128]}));
    let own = "n = { type = \"u8\", bits = { kind = \"3..1\", \
               f = { at = \"7..0\", except = \"3..1\", flags = { a = 1, b = 16 } } } }";
    assert_eq!(plain(own, b"\x97"), json!({"kind": 3, "f": ["a", "b", 128]}));
}

#[test]
fn what_is_not_known_is_a_fault() {
    let one = |text: &str, packet: &[u8]| {
        let lines = read(&format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{text}"), packet);
        assert_eq!(lines.len(), 1);
        lines[0].clone()
    };
    let fault = "kind = \"u8\"\nno = { type = \"fault\", if = \"kind > 3\", doc = \"no such kind\" }\nv = \"u8\"";
    assert_eq!(one(fault, b"\x03\x01")["fields"], json!({"kind": 3, "v": 1}));
    let broken = one(fault, b"\x09\x01\x02");
    assert_eq!(broken["fields"], json!({"kind": 9, "unparsed": "0102"}));
    assert!(broken["fault"]["text"].as_str().unwrap().contains("no such kind"), "{broken}");
    // The count of a truncated list is shown under its name.
    let counted = one("v = { type = \"u8[u8]\", prefix = \"number\" }", b"\x03\x01");
    assert_eq!(counted["fields"], json!({"number": 3, "v": [1]}));
    // The count of a complete list is not shown, whatever is broken after it.
    let following = one("v = \"u8[u8]\"\nx = \"u8\"\nw = \"u16\"", b"\x02\x07\x08\x05\x01");
    assert_eq!(following["fields"], json!({"v": [7, 8], "x": 5, "unparsed": "01"}));
    let checked = one("v = { type = \"u8[u8]\", checked = true }", b"\x03\x01");
    assert_eq!(checked["fields"], json!({"unparsed": "0301"}));
}

#[test]
fn the_files_of_the_page_are_what_it_says() {
    let page = include_str!("../../src/docs/protocol_files.md");
    let files: Vec<&str> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    // That over ENet: `over::a_game_over_enet_in_one_file`.
    assert_eq!(files.len(), 9);
    let of = |name: &str| files.iter().find(|file| file.contains(&format!("protocol = \"{name}\""))).unwrap();
    assert_eq!(
        fields(of("halves"), b"\x02hi\x02\x32ab\xd1\x05c\x45"),
        json!({
            "name": "hi", "options": [{"delta": 3, "value": "ab"}, {"delta": 18, "value": "c"}],
            "version": "four", "words": 5,
        })
    );
    assert_eq!(
        fields(of("checks"), b"\0\x01\0\x02\x21\x12\xa4\x42ABCDEFGHIJKL\x07\x08"),
        json!({"kind": 1, "number": "4142434445464748494a4b4c", "rest": "0708"})
    );
    assert_eq!(
        fields(of("values"), b"025:hellol2:hii7ee"),
        json!({"values": [{"text": "hello"}, {"list": [{"text": "hi"}, {"number": 7}]}]})
    );
    assert_eq!(read(of("who"), b"\x01")[0]["message"], "who");
    let options = [&b"\x04game\0\x01a\xc0\x00\x05"[..], &[0; 15], b"\x01\x32hi\xffx"].concat();
    assert_eq!(
        read(of("options"), &options)[0]["fields"],
        json!({
            "name": "game", "other": "a.game", "links": [{"more": false, "kind": 5, "address": "::1"}],
            "options": [{"delta": 3, "value": "hi"}], "payload": "78",
        })
    );
    let line = &read(of("mygame"), b"\x07\0\x2a\x02hi")[0];
    assert_eq!(
        (&line["message"], &line["packet"], &line["fields"]),
        (&json!("chat"), &json!({"seq": 42}), &json!({"text": "hi"}))
    );
    // In the lobby there is no move: its number is unknown, and the packet encodes to its bytes.
    assert_eq!(read(of("words"), b"\x49\x4f\x02\x01\xfb\x00\x12\x34")[0]["message"], "unknown");
    let entered = &read(of("words"), b"\x49\x4f\x01\x48\x43")[0];
    assert_eq!((&entered["message"], &entered["derived"]["memory"]), (&json!("enter"), &json!({"state": "lobby"})));
}

#[test]
fn the_steps_of_the_newcomers_page_are_the_files_next_to_it() {
    let page = include_str!("../../src/docs/your_protocol.md");
    let shown: Vec<&str> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let file =
        |step: u8| std::fs::read_to_string(crate::common::fixture(&format!("described/tutorial/{step}.toml"))).unwrap();
    assert_eq!(shown.len(), 3);
    assert_eq!((shown[0], shown[1]), (&*file(1), &*file(2)));
    // The third file is the second with the third block appended.
    assert_eq!(format!("{}\n{}", shown[1], shown[2]), file(3));
}
