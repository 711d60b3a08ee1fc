//! All tables and sessions at work: vectors, samples, depth. Cuts and flipped bits: `tests/damage.rs`.

use super::link::WireFormat;
use super::{GNE, layout, values};
use crate::codec::json::fields_json;
use crate::codec::layout::Order;
use crate::codec::schema::Schemas;
use crate::codec::{Reader, Sampler, Tree, Writer, check};
use crate::dissect::{Dissection, Evidence, Observation, Options};
use crate::flow::{Side, Transport};
use crate::protocols::tests::{Conversation, Row, dump, json, options_of};
use serde_json::Value as Json;

const VECTORS: &str = include_str!("../../../fixtures/gne/vectors.json");
const SCHEMA: &str = include_str!("../../../fixtures/schemas/gne.toml");

fn schemas() -> Schemas {
    let mut schemas = Schemas::default();
    schemas.add("gne.toml", SCHEMA, &|name| (name == "gne").then_some(&values::ENCODINGS[..])).unwrap();
    schemas
}

fn options(args: &Json, schema: bool) -> Options {
    let mut options = Options { proto: Some("gne".into()), ..options_of(args) };
    if schema {
        options.schemas = schemas().into();
    }
    options
}

/// The lines of these bytes. Each line is encoded back to its bytes.
fn lines(bytes: &[u8], options: &Options) -> Vec<Row> {
    let rows = dump(&GNE, bytes, options);
    rows.iter().for_each(|row| Row { derived: None, ..row.clone() }.check_alone(options));
    rows
}

fn notes(hex: &str, args: &[&str]) -> Vec<&'static str> {
    let options = options(&args.iter().copied().collect(), false);
    lines(&hex::decode(hex).unwrap(), &options).iter().flat_map(Row::codes).collect()
}

#[test]
fn tables_are_closed() {
    for layout in layout::TABLES.iter().flat_map(|table| table.layouts) {
        check::check(layout.fields).unwrap();
    }
    check::check(&layout::PACKET).unwrap();
}

#[test]
fn vectors_with_and_without_a_schema() {
    for vector in json(VECTORS.as_bytes()).as_array().unwrap() {
        let bytes = hex::decode(vector["hex"].as_str().unwrap()).unwrap();
        for (schema, key) in [(false, "expect"), (true, "expect_with_schema")] {
            let Some(expected) = vector[key].as_array() else { continue };
            let again = lines(&bytes, &options(&vector["args"], schema));
            assert_eq!(again.len(), expected.len(), "{}", vector["id"]);
            for (want, row) in expected.iter().zip(&again) {
                assert_eq!(want["proto"].as_str().unwrap_or("gne"), row.proto, "{}", vector["id"]);
                assert_eq!(want["message"].as_str(), Some(row.message), "{}", vector["id"]);
                assert_eq!(want["fields"], row.fields, "{}", vector["id"]);
                assert_eq!(want["fault"] == true, row.fault.is_some(), "{}", vector["id"]);
            }
        }
    }
}

/// An address is not the packet's own bytes.
#[test]
fn addresses_in_application_packets() {
    let mut schemas = Schemas::default();
    let text = "proto = \"gne\"\n[[message]]\nid = 16\nname = \"ends\"\n[message.fields]\na = \"ipv4\"\nb = \"ipv4\"\n";
    schemas.add("ends.toml", text, &|name| (name == "gne").then_some(&values::ENCODINGS[..])).unwrap();
    let options = Options { schemas: schemas.into(), ..options(&Json::Null, false) };
    let rows = lines(&hex::decode("100a0000010a000002ff").unwrap(), &options);
    let packet = serde_json::json!({"id": 16, "a": "10.0.0.1", "b": "10.0.0.2"});
    assert_eq!(rows[0].fields["packets"][0], packet);
}

#[test]
fn samples_come_back() {
    let schemas = schemas();
    let layouts = || layout::TABLES.iter().flat_map(|table| table.layouts);
    for layout in layouts() {
        let (mut seed, mut whole, mut tree) = (0, 0, Tree::default());
        while whole < 2000 {
            seed += 1;
            let order = if seed % 2 == 0 { Order::Little } else { Order::Big };
            let mut reading = WireFormat {
                order,
                short_ping: seed % 4 > 1,
                schemas: &schemas,
                from: "client",
                made: Default::default(),
            };
            // An unknown id has no sample.
            let Ok(bytes) = Sampler::new(seed).context(&mut reading).sample(layout.fields) else { continue };
            tree.clear();
            let outcome = Reader::new(&bytes, &mut tree).context(&mut reading).read(layout.fields);
            assert_eq!(outcome.stop, None, "{} {}", layout.name, hex::encode(&bytes));
            let mut text = Vec::new();
            fields_json(&tree, Dissection::default().sources(&bytes), &mut text);
            let fields = json(&text);
            let written = Writer::new(&fields).whole().context(&mut reading).write(layout.fields);
            assert_eq!(written.as_ref(), Ok(&bytes), "{} {fields}", layout.name);
            whole += 1;
        }
    }
}

/// Packets within packets: 512 levels fit on a small stack, and the next level is a fault.
#[test]
fn nesting_has_an_end() {
    let nested = |levels: usize| {
        let tail = [1, 2].repeat(levels);
        [vec![5; levels], vec![255], tail, vec![255]].concat()
    };
    let wrapper = "proto = \"gne\"\n[[message]]\nid = 20\nname = \"wrapper\"\n[message.fields]\ninner = \"packet\"\n";
    let mut schemas = Schemas::default();
    schemas.add("wrapper", wrapper, &|_| Some(&values::ENCODINGS)).unwrap();
    // Only reading has the small stack.
    let read = move || {
        let mut tree = Tree::default();
        for (levels, whole) in [(512, true), (513, false), (20_000, false)] {
            let mut reading = WireFormat {
                order: Order::Big,
                short_ping: false,
                schemas: &schemas,
                from: "",
                made: Default::default(),
            };
            tree.clear();
            let bytes = nested(levels);
            let outcome = Reader::new(&bytes, &mut tree).context(&mut reading).read(layout::BOTH[0].fields);
            assert_eq!(outcome.stop.is_none(), whole);
            assert_eq!(outcome.bits as usize, if whole { bytes.len() * 8 } else { 512 * 8 });
            // The application's own packets may hold packets too.
            let bytes = [vec![20; levels], vec![255, 255]].concat();
            tree.clear();
            let outcome = Reader::new(&bytes, &mut tree).context(&mut reading).read(layout::BOTH[0].fields);
            assert_eq!(outcome.stop.is_none(), whole);
            assert_eq!(outcome.bits as usize, if whole { bytes.len() * 8 } else { 512 * 8 });
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(read).unwrap().join().unwrap();
    // A ping fits on the last level.
    let mut bytes = vec![5; 511];
    bytes.extend([&[4][..], &[0; 20], &[1, 2].repeat(511), &[255]].concat());
    let again = lines(&bytes, &options(&Json::Null, false));
    assert!(again[0].fault.is_none());
}

/// The stack that is enough for 512 levels.
const STACK: usize = 1 << 16;

#[test]
fn notes_of_contents() {
    let request = |tail: &str| format!("4e4c0030474e450000{tail}");
    let name = format!("{}{}", hex::encode("probe game"), "00".repeat(22));
    assert_eq!(notes(&request(&format!("0700{name}2a0000000000000000")), &[]), [""; 0]);
    assert_eq!(notes(&request(&format!("ffff{name}2a0000000000000000")), &[]), ["gne.order_unknown"]);
    assert_eq!(notes(&request(&format!("ffff{name}2a0000000000000000")), &["-s", "gne.endian=be"]), [""; 0]);
    assert_eq!(notes(&request(&format!("0700{}2a0000000000000000", "41".repeat(32))), &[]), ["gne.game_name"]);
    assert_eq!(notes("4e4c000c474e4501e803000070110100", &[]), ["gne.port"]);
    assert_eq!(notes("4e4c0008474e4501e8030000", &[]), ["gne.size"]);
    assert_eq!(notes("4e4c000400000100", &["-s", "gne.message=client_port"]), ["gne.port"]);
    assert_eq!(notes("02ff4142", &[]), ["gne.trailing"]);
    assert_eq!(notes("", &[]), ["gne.empty"]);
    assert_eq!(notes("4e4c000202ff4e4c000100", &[]), ["gne.after_exit"]);
    assert_eq!(notes("020002ff", &[]), ["gne.after_exit"]);
    assert_eq!(notes("c8", &[]), ["gne.unknown_id"]);
    assert_eq!(notes("4e4c0002", &[]), ["hawknl.unfinished"]);
    assert_eq!(notes("4e4c000202", &[]), ["hawknl.unfinished"]);
    assert_eq!(notes("4e4cffff00", &[]), ["hawknl.out_of_sync"]);
    assert_eq!(notes(&format!("01f601{}ff", "00".repeat(502)), &[]), [""; 0]);
    assert_eq!(notes(&format!("01fe01{}ff", "00".repeat(510)), &[]), ["gne.frame_size"]);
    assert_eq!(notes("044e0000000000000080841e000000000000000000ff", &[]), ["gne.usec"]);
}

#[test]
fn what_dump_takes_contents_for() {
    let names = |hex: &str, args: &[&str]| {
        let options = options(&args.iter().copied().collect(), false);
        lines(&hex::decode(hex).unwrap(), &options).iter().map(|row| row.message).collect::<Vec<_>>()
    };
    let answer = "474e450188130000ffffffff";
    assert_eq!(names(answer, &[]), ["connection_accepted"]);
    assert_eq!(names(answer, &["--from", "client"]), ["connection_request"]);
    assert_eq!(names(answer, &["-s", "gne.message=connection_request"]), ["connection_request"]);
    assert_eq!(names(&"474e4500".repeat(12), &[]), ["connection_request"]);
    assert_eq!(names(&"474e4500".repeat(12), &["--from", "server"]), ["connection_refused"]);
    assert_eq!(names("474e45", &["--from", "server"]), ["frame"]);
    // Only the first content can be a handshake's.
    assert_eq!(names(&format!("4e4c0001ff4e4c000c{answer}"), &[]), ["packets", "packets"]);
    assert_eq!(names("4e4c000453c100004e4c0001ff", &["-s", "gne.message=client_port"]), ["client_port", "packets"]);
}

/// A TCP conversation, whose directions are captured from their beginning or not.
fn conversation(begun: [bool; 2]) -> Conversation {
    let options = crate::protocols::options();
    let ends = [50_000, 7000].map(|port| ([10, 0, 0, 1], port).into());
    Conversation::begun(&GNE, Transport::Tcp, ends, options, begun[0].then_some(Side::A), begun)
}

/// The snap length cuts the end of the client's request off. If nothing else is missing, the next content is the
/// second.
#[test]
fn the_second_content_after_a_cut_request() {
    let request = format!("4e4c0030474e4500000700{}{}2a0000000000000001", hex::encode("game"), "00".repeat(28));
    let request = hex::decode(request).unwrap();
    for (missing, message) in [(6, "client_port"), (10, "packets")] {
        let mut talk = conversation([true; 2]);
        assert!(talk.data(Side::A, &request[..46]).is_empty());
        let cut = talk.gap(Side::A, missing);
        assert_eq!(cut.iter().map(|row| row.message).collect::<Vec<_>>(), ["frame"]);
        talk.data(Side::B, &hex::decode("4e4c000c474e4501e8030000a00f0000").unwrap());
        let [second] = &talk.data(Side::A, &hex::decode("4e4c0004a10f0000").unwrap())[..] else { panic!() };
        assert_eq!(second.message, message, "{missing}");
    }
}

/// A reply is unsolicited if the capture has all that the other side sent, and no request.
#[test]
fn replies_to_requests_before_the_capture() {
    let reply = "4e4c00160402000000e803000002000000e803000002000000ff";
    for (begun, begins) in [
        ([true; 2], "a reply to no open request"),
        ([false, true], "a reply to no request that can be read"),
        ([false; 2], "a reply to no request that can be read"),
    ] {
        let mut talk = conversation(begun);
        talk.data(Side::B, &hex::decode("4e4c000c474e4501e8030000ffffffff").unwrap());
        let [row] = &talk.data(Side::B, &hex::decode(reply).unwrap())[..] else { panic!() };
        let note = row.notes.iter().find(|(code, _)| *code == "gne.ping_unsolicited");
        assert!(note.is_some_and(|(_, text)| text.starts_with(begins)), "{begun:?}: {row:?}");
    }
}

#[test]
fn open_pings_count_as_memory() {
    let mut talk = conversation([true; 2]);
    talk.data(Side::B, &hex::decode("4e4c000c474e4501e8030000ffffffff").unwrap());
    // Requests: the number, and no times yet.
    let pings = [&[4, 7, 0, 0, 0][..], &[0; 16]].concat().repeat(20);
    let list = [&pings[..], &[0xff]].concat();
    let rows = talk.data(Side::B, &[&b"NL"[..], &(list.len() as u16).to_be_bytes(), &list].concat());
    assert_eq!(rows[0].derived()["pings"].as_array().map(Vec::len), Some(20));
    assert!(talk.memory() > list.len(), "{}", talk.memory());
}

/// Bytes after a gap that begin no frame may be the rest of one: a note, and no fault.
#[test]
fn the_rest_of_a_frame_after_missing_bytes_is_noted() {
    let mut talk = conversation([true; 2]);
    talk.data(Side::B, &hex::decode("4e4c000c474e4501e8030000ffffffff").unwrap());
    talk.gap(Side::B, 10);
    // Reading the line compares the note's level with its documentation.
    let rows = talk.data(Side::B, &hex::decode("0102 4e4c0001ff".replace(' ', "")).unwrap());
    assert_eq!(rows.iter().map(|row| row.message).collect::<Vec<_>>(), ["frame", "packets"]);
    assert!(rows[0].has_note("hawknl.out_of_sync") && rows[0].fault.is_none(), "{rows:?}");
}

/// A frame in the middle of a stream has to hold a list: another protocol's message may end with the same two letters.
#[test]
fn found_in_the_middle_of_a_stream() {
    let options = crate::protocols::options();
    let bits = |hex: &str| {
        let bytes = hex::decode(hex.replace(' ', "")).expect("hex");
        let observation = Observation {
            transport: Transport::Tcp,
            ends: [5000, 5001].map(|port| ([10, 0, 0, 1], port).into()),
            payloads: &[(Side::A, &bytes, bytes.len())],
            begun: [false; 2],
            last: true,
            few: false,
            time: None,
            options: &options,
        };
        match (GNE.identify)(&observation) {
            Evidence::Bits(bits, _) => bits,
            Evidence::No => 0,
        }
    };
    let (list, other) = ("4e4c 0003 0102ff", "4e4c 0003 010203");
    assert_eq!([list, other].map(bits), [26, 26], "at the first byte");
    // One bit less: two places were tried.
    assert_eq!([list, other].map(|frame| bits(&format!("00 {frame}"))), [25, 17]);
    assert_eq!(["4e4c 0003", "00 4e4c 0003"].map(bits), [22, 17], "a header alone");
}
