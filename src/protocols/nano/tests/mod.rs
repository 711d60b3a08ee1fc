//! All tables and sessions at work: vectors, samples, segments, gaps. Cuts and flipped bits:
//! `tests/damage.rs`.

use super::{NANO, layout};
use crate::codec::json::fields_json;
use crate::codec::{Reader, Sampler, Tree, Writer, check};
use crate::dissect::{Dissection, Message, Observation, Options, Role, Sink, inspector};
use crate::flow::{Side, Transport};
use crate::protocols::tests::{Conversation, Row, dump, options_of};
use serde_json::{Value as Json, json};

mod carried;
mod schemas;

const VECTORS: &str = include_str!("../../../../fixtures/nano/vectors.json");

/// The lines of these bytes. Each line encodes to its bytes.
fn lines(bytes: &[u8], options: &Options) -> Vec<Row> {
    checked(dump(&NANO, bytes, options))
}

/// Checks that lines contain all that encoding needs, without version and user settings.
fn checked(rows: Vec<Row>) -> Vec<Row> {
    let none = crate::protocols::options();
    rows.iter().for_each(|row| row.check_alone(&none));
    rows
}

fn hex_lines(hex: &str) -> Vec<Row> {
    lines(&hex::decode(hex).unwrap(), &crate::protocols::options())
}

fn vectors() -> Vec<(String, Vec<u8>, Options, Json)> {
    let rows: Vec<Json> = serde_json::from_str(VECTORS).unwrap();
    let bytes = |row: &Json| hex::decode(row["hex"].as_str().unwrap()).unwrap();
    rows.into_iter().map(|r| (r["id"].to_string(), bytes(&r), options_of(&r["args"]), r["expect"].clone())).collect()
}

/// An event of a conversation: bytes of a side in a frame, lost bytes, the end of a side.
#[derive(Clone, Copy)]
enum Event<'a> {
    Data(Side, &'a [u8]),
    Gap(Side, u64),
    End(Side),
}

/// Feeds a conversation whose frames are counted from 1.
fn talk(begun: [bool; 2], opener: Option<Side>, events: &[Event<'_>]) -> Vec<Row> {
    talk_with(&crate::protocols::options(), begun, opener, events)
}

fn talk_with(options: &Options, begun: [bool; 2], opener: Option<Side>, events: &[Event<'_>]) -> Vec<Row> {
    let ends = ["10.0.0.1:5000".parse().unwrap(), "10.0.0.2:3250".parse().unwrap()];
    let mut conversation = Conversation::begun(&NANO, Transport::Tcp, ends, options.clone(), opener, begun);
    let happen = |event: &Event<'_>| match *event {
        Event::Data(side, bytes) => conversation.data(side, bytes),
        Event::Gap(side, missing) => conversation.gap(side, missing),
        Event::End(side) => conversation.end(side),
    };
    checked(events.iter().flat_map(happen).collect())
}

#[test]
fn tables_are_closed() {
    for layout in layout::TABLES.iter().flat_map(|table| table.layouts) {
        check::check(layout.fields).unwrap();
    }
}

#[test]
fn vectors_give_their_lines() {
    for (id, bytes, options, expect) in vectors() {
        let seen = lines(&bytes, &options);
        let messages: Vec<&str> = seen.iter().map(|s| s.message).collect();
        let wanted: Vec<&str> = expect.as_array().unwrap().iter().map(|e| e["message"].as_str().unwrap()).collect();
        assert_eq!(messages, wanted, "{id}");
        for (seen, want) in seen.iter().zip(expect.as_array().unwrap()) {
            assert_eq!(seen.fields, want["fields"], "{id}");
            assert_eq!(seen.from.name(), want["from"], "{id}");
            assert_eq!(seen.fault.is_some(), want["fault"] == true, "{id}");
        }
    }
}

#[test]
fn samples_come_back() {
    for layout in &layout::LAYOUTS {
        let mut tree = Tree::default();
        for seed in 0..2000 {
            let bytes = Sampler::new(seed).sample(layout.fields).unwrap();
            tree.clear();
            let outcome = Reader::new(&bytes, &mut tree).read(layout.fields);
            let broken = layout.name == "data";
            assert_eq!(outcome.stop.is_some(), broken, "{} {}", layout.name, hex::encode(&bytes));
            let mut text = Vec::new();
            fields_json(&tree, Dissection::default().sources(&bytes), &mut text);
            let fields: Json = serde_json::from_slice(&text).unwrap();
            let written = Writer::new(&fields).broken(broken).write(layout.fields);
            assert_eq!(written.as_ref(), Ok(&bytes), "{} {fields}", layout.name);
        }
    }
}

/// Any segmentation gives the same lines, in the frame of the last byte.
#[test]
fn segments_change_nothing() {
    let mut compared = 0;
    for (id, bytes, options, _) in vectors() {
        let run = |size: usize| {
            let mut events: Vec<Event<'_>> = bytes.chunks(size).map(|b| Event::Data(Side::A, b)).collect();
            events.push(Event::End(Side::A));
            talk_with(&options, [true; 2], None, &events)
        };
        let (whole, cut) = (run(bytes.len()), run(1));
        // An unknown message is shown with all other bytes of its frame.
        if bytes.len() > 2000 || whole.iter().any(|s| s.message == "unknown") {
            continue;
        }
        compared += 1;
        assert_eq!(whole.len(), cut.len(), "{id}");
        for (a, b) in whole.iter().zip(&cut) {
            assert_eq!((&a.fields, &a.derived, a.from), (&b.fields, &b.derived, b.from), "{id}");
            assert!(b.frames.last().is_none_or(|last| *last == b.frame), "{id}: {b:?}");
        }
        assert!(cut.iter().any(|s| s.frame == bytes.len() as u64), "{id}");
    }
    assert!(compared > 100);
}

const HEARTBEAT: &[u8] = &[3, 0, 0, 0];
const PUSH: &[u8] = &[4, 0, 0, 4, 6, 1, b'a', 0x31];

#[test]
fn out_of_step_and_in_step_again() {
    use Event::{Data, End, Gap};
    let seen = talk(
        [true; 2],
        Some(Side::A),
        &[
            Data(Side::B, &PUSH[..6]),
            Gap(Side::B, 2),
            Data(Side::B, b"????"),
            Data(Side::B, HEARTBEAT),
            Data(Side::B, &[9, 9]),
            Data(Side::B, PUSH),
            End(Side::B),
        ],
    );
    let messages: Vec<&str> = seen.iter().map(|s| s.message).collect();
    assert_eq!(messages, ["push", "unknown", "heartbeat", "unknown", "push"]);
    assert_eq!(seen[0].fields, json!({"flags": [], "unparsed": "01"}));
    assert!(seen[0].fault.is_some() && seen[0].frame == 1 && seen[0].derived() == json!({"length": 4}));
    assert!(seen[1].has_note("tcp.gap") && !seen[2].has_note("tcp.gap"));
    assert_eq!(seen[3].fields, json!({"type": 9, "unparsed": "09"}));
    // In segments of three bytes a package is found by the two that have its header.
    let chunks: Vec<Event> =
        [b"zzz", &[3, 0, 0][..]].into_iter().chain(PUSH.chunks(3)).map(|p| Data(Side::A, p)).collect();
    let seen: Vec<&str> = talk([false; 2], None, &chunks).iter().map(|s| s.message).collect();
    assert_eq!(seen, ["unknown", "unknown", "push"]);
    // Without its SYN a direction begins out of step.
    let seen = talk([false; 2], None, &[Data(Side::A, b"zz"), Data(Side::A, PUSH)]);
    assert_eq!(seen[0].message, "unknown");
    assert_eq!((seen[1].message, seen[1].from), ("push", Role::Server));
}

#[test]
fn requests_and_their_responses() {
    use Event::Data;
    let request: &[u8] = &[4, 0, 0, 4, 0, 7, 1, b'r'];
    let response: &[u8] = &[4, 0, 0, 4, 4, 7, b'{', b'}'];
    let events = [
        Data(Side::A, request),
        Data(Side::A, request),
        Data(Side::B, response),
        Data(Side::B, response),
        Data(Side::B, request),
    ];
    let seen = talk([true; 2], Some(Side::A), &events);
    assert!(seen[0].has_note("nano.before_ack") && !seen[0].has_note("nano.id_reused"));
    assert!(seen[1].has_note("nano.id_reused"));
    assert_eq!(seen[2].derived(), json!({"route": "r", "json": {}}));
    assert!(seen[2].has_note("nano.answers"));
    assert!(seen[3].has_note("nano.unmatched_response"));
    assert!(seen[4].has_note("nano.wrong_direction"));
}

/// A capture may have a response just before its request: it is not unmatched, and the request is answered once.
#[test]
fn responses_captured_before_their_requests() {
    use Event::Data;
    let request = |id: u8| [4, 0, 0, 4, 0, id, 1, b'r'];
    let response = |id: u8| [4, 0, 0, 4, 4, id, b'{', b'}'];
    let [first, second, third] = [1, 2, 3].map(request);
    let [one, two, far] = [1, 2, 9].map(response);
    let events = [
        Data(Side::A, &first),
        Data(Side::B, &one),
        // The second id is the next one that a client uses.
        Data(Side::B, &two),
        Data(Side::A, &second),
        // The request is answered already: another response is unmatched.
        Data(Side::B, &two),
        // No request is that far ahead.
        Data(Side::B, &far),
        Data(Side::A, &third),
    ];
    let seen = talk([true; 2], Some(Side::A), &events);
    assert_eq!(seen.len(), 7);
    let note = |row: &Row, code: &str| row.notes.iter().find(|(c, _)| *c == code).map(|(_, text)| text.clone());
    assert_eq!(
        note(&seen[3], "nano.answered_before").as_deref(),
        Some("the response is in frame 3, captured 1000.000 ms before it")
    );
    assert!(note(&seen[2], "nano.unmatched_response").is_some_and(|text| text.contains("captured later")));
    for late in [4, 5] {
        assert!(note(&seen[late], "nano.unmatched_response").is_some_and(|text| text.contains("no open request")));
    }
    assert!(!seen[0].has_note("nano.answered_before") && !seen[6].has_note("nano.answered_before"));
}

/// A capture that begins in the middle lacks requests, whose ids are below the first one that it has.
#[test]
fn responses_to_requests_before_the_capture() {
    use Event::Data;
    let response = |id: u8| [4, 0, 0, 4, 4, id, b'{', b'}'];
    let [before, own] = [41, 42].map(response);
    let events = [
        Data(Side::A, &[4, 0, 0, 4, 0, 42, 1, b'r']),
        Data(Side::B, &before),
        Data(Side::B, &own),
        // The request is answered already.
        Data(Side::B, &own),
    ];
    let seen = talk([false; 2], None, &events);
    let lines: Vec<_> = seen.iter().map(|row| (row.message, row.has_note("nano.unmatched_response"))).collect();
    assert_eq!(lines, [("request", false), ("response", false), ("response", false), ("response", true)]);
}

#[test]
fn the_handshake_teaches() {
    let answer = br#"{"code":500,"sys":{"dict":{"a":1,"\u00e9":2},"serializer":"json"}}"#;
    let mut bytes = vec![1, 0, 0, answer.len() as u8];
    bytes.extend_from_slice(answer);
    bytes.extend([4, 0, 0, 4, 7, 0, 2, b'5', 4, 0, 0, 3, 7, 0, 9]);
    let seen = lines(&bytes, &crate::protocols::options());
    assert_eq!(seen[0].derived()["json"]["sys"]["dict"], json!({"a": 1, "é": 2}));
    assert_eq!(seen[0].codes(), ["nano.handshake_failed", "nano.server_kind"]);
    assert_eq!(seen[1].derived(), json!({"route": "é", "json": 5}));
    assert_eq!(seen[2].codes(), ["nano.unknown_code"]);
}

/// Frames are a second apart. Servers close after twice the interval in the handshake.
#[test]
fn late_heartbeats() {
    use Event::{Data, Gap};
    let beat = |every: &str| {
        let body = format!("{{\"code\":200,\"sys\":{{\"heartbeat\":{every}}}}}");
        let answer = [&[1, 0, 0, body.len() as u8][..], body.as_bytes()].concat();
        let events = [
            Data(Side::A, &[1, 0, 0, 0]),
            Data(Side::B, &answer),
            Data(Side::A, &[2, 0, 0, 0]),
            Data(Side::A, &[3, 0, 0, 0]),
            Data(Side::B, &[3, 0, 0, 0]),
            Gap(Side::B, 1),
            Data(Side::B, &[3, 0, 0, 0]),
        ];
        let seen = talk([true; 2], Some(Side::A), &events);
        let late = |s: &&Row| s.has_note("nano.heartbeat_late");
        seen.iter().filter(late).map(|s| s.frame).collect::<Vec<_>>()
    };
    assert_eq!(beat("0.4"), [4, 5]);
    assert_eq!(beat("1"), [5]);
    assert!(beat("1.5").is_empty() && beat("0").is_empty() && beat("-1").is_empty() && beat("1e300").is_empty());
}

#[test]
fn json_is_exact() {
    let derived = |text: &str| {
        let mut bytes = vec![1, 0, (text.len() >> 8) as u8, text.len() as u8];
        bytes.extend_from_slice(text.as_bytes());
        lines(&bytes, &crate::protocols::options()).remove(0).derived()
    };
    let text = r#" {"big":18446744073709551615,"e":-1.5e-3,"s":"a\n\"\u00e9\ud83d\ude80","a\tb":[true,false,null,{},[]],"":""} "#;
    assert_eq!(derived(text)["json"], serde_json::from_str::<Json>(text).unwrap());
    let half = derived(r#"["\ud83d",1e999]"#);
    assert_eq!(
        half["json"],
        json!([{"raw": hex::encode(r"\ud83d"), "bits": 48}, {"raw": hex::encode("1e999"), "bits": 40}])
    );
    let deep = |levels| derived(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    assert_eq!(deep(512)["json"].as_array().map(Vec::len), Some(1));
    assert_eq!(deep(513), Json::Null);
    for bad in [
        "{",
        "[1,]",
        "{\"a\":1,}",
        "01",
        "1.",
        "nul",
        "\"\u{1}\"",
        "\"\\x\"",
        "[1] 2",
        "{1:2}",
        "-",
        "+1",
        "NaN",
        "[\u{c}]",
    ] {
        assert_eq!(derived(bad), Json::Null, "{bad}");
    }
}

/// Time grows linearly with the length.
#[test]
fn large_json_is_linear() {
    let mut text = b"[".to_vec();
    text.extend(b"[1 , {}],".repeat(1_000_000));
    text.extend(b"0]");
    let mut bytes = vec![1];
    bytes.extend(&(text.len() as u32).to_be_bytes()[1..]);
    bytes.extend(&text);
    let options = crate::protocols::options();
    let mut count = Count(0);
    inspector::dump(&NANO, &bytes, &options, &mut Dissection::default(), &mut count);
    assert_eq!(count.0, 1);
    struct Count(usize);
    impl Sink for Count {
        fn message(&mut self, message: &Message<'_>) {
            self.0 += 1;
            assert_eq!(message.dissection.derived.nodes().len(), 1);
        }
    }
}

#[test]
fn notes_of_contents() {
    for (hex, note) in [
        ("03000003616263", "nano.unexpected_body"),
        ("01000003616263", "nano.not_json"),
        ("0400000ac00105612e622e637b7d", "nano.reserved_flags"),
        ("0400000a100105612e622e637b7d", "nano.not_zlib"),
        ("0400000700810001617b7d", "nano.id_overlong"),
        ("04000007000102c3287b7d", "nano.route_not_utf8"),
        ("0400000503012c7b7d", "nano.unknown_code"),
        ("0400000e00808080800805612e622e637b7d", "nano.id_danger"),
        ("0400000a000005612e622e637b7d", "nano.id_zero"),
        ("485454502f312e", "nano.http_answer"),
    ] {
        let seen = match hex {
            "485454502f312e" => {
                talk([true; 2], None, &[Event::Data(Side::A, &[3, 0, 0, 0]), Event::Data(Side::B, b"HTTP/1.1 400")])
            }
            hex => hex_lines(hex),
        };
        assert!(seen.last().unwrap().has_note(note), "{note}: {seen:?}");
    }
}

/// The limit that the user can raise is named where it is the limit.
#[test]
fn payloads_that_inflate_too_far() {
    use super::zlib::{LARGEST, deflate};
    let packed = deflate(&vec![0; LARGEST + 1]);
    // A push of the route "r", compressed.
    let header = [4, 0, ((packed.len() + 3) >> 8) as u8, (packed.len() + 3) as u8, 0x16, 1, b'r'];
    let bytes = [&header[..], &packed].concat();
    for (ratio, raisable) in [(256, true), (2000, false)] {
        let mut options = crate::protocols::options();
        options.limits.peer.inflate_ratio = ratio;
        let row = lines(&bytes, &options).remove(0);
        let (_, text) = row.notes.iter().find(|(code, _)| *code == "nano.inflates_too_far").expect("the note");
        assert_eq!(text.ends_with(" bytes (--limit inflate_ratio)"), raisable, "{text}");
        assert_eq!(text == "would be more than 16777216 bytes", !raisable, "{text}");
    }
}

#[test]
fn settings_say_what_is_wrong() {
    let wrong = |text: &str| crate::protocols::options().set(text).unwrap_err();
    assert!(wrong("nano.dict={\"a\":70000}").contains("0 to 65535"));
    assert!(wrong("nano.dict=/no/such/file").contains("/no/such/file"));
    assert!(wrong("nano.protos={}").contains("client"));
    assert!(wrong("nano.payload=xml").contains("json"));
}

/// Maps, objects and scattered repeated fields.
#[test]
fn pomelo_protobuf_beyond_the_vectors() {
    let protos = json!({"client": {}, "server": {"r": {
        "m": {"option": "map", "type": "Pair", "tag": 1},
        "n": {"option": "repeated", "type": "uInt32", "tag": 2},
        "deep": {"option": "optional", "type": "Self", "tag": 3},
        "bad": {"option": "optional", "type": "Nobody", "tag": 4},
        "__messages": {"Pair": {"key": {"option": "required", "type": "sInt32", "tag": 1},
                                "value": {"option": "required", "type": "string", "tag": 2}}}},
        "message Self": {"deep": {"option": "optional", "type": "Self", "tag": 3}}}});
    let mut options = crate::protocols::options();
    options.set(&format!("nano.protos={protos}")).unwrap();
    let message = |payload: &[u8]| {
        let mut bytes = vec![4, 0, 0, payload.len() as u8 + 3, 6, 1, b'r'];
        bytes.extend_from_slice(payload);
        let seen = lines(&bytes, &options).remove(0);
        (seen.derived()["message"].clone(), seen.has_note("nano.protobuf"))
    };
    let pairs = [0x0a, 2, 1, 1, b'x', 4, 0];
    assert_eq!(message(&pairs), (json!({"m": {"-1": "x", "2": ""}}), false));
    assert_eq!(message(&[0x10, 1, 5, 0x0a, 0, 0x10, 2, 6, 7]), (json!({"n": [5, 6, 7], "m": {}}), false));
    assert_eq!(message(&[0x10, 1, 5, 0x10, 2, 6]), (json!({"n": [5]}), true));
    assert_eq!(message(&[0x1a, 2, 0x1a, 0]), (json!({"deep": {"deep": {}}}), false));
    assert_eq!(message(&[0x10, 1, 5, 0x1a, 2, 0x1a, 9]), (json!({"n": [5]}), true));
    assert_eq!(message(&[0x20, 1]), (json!({}), true));
    // A large count alone costs nothing.
    assert_eq!(message(&[0x10, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]), (json!({}), true));
}

/// A message may have a field with the name of the raw form.
#[test]
fn a_pomelo_protobuf_field_may_be_called_raw() {
    let protos = json!({"client": {}, "server": {"r": {
        "m": {"option": "optional", "type": "M", "tag": 1},
        "__messages": {"M": {"raw": {"option": "optional", "type": "string", "tag": 1}}}}}});
    let mut options = crate::protocols::options();
    options.set(&format!("nano.protos={protos}")).unwrap();
    let fields = json!({"route": "r", "payload": {"m": {"raw": "cafe"}}});
    let row = Row { proto: "nano", message: "push", from: Role::Server, fields, ..Row::default() };
    // The payload: field 1 with 6 bytes, in which field 1 has the 4 letters.
    let payload = format!("0a060a04{}", hex::encode("cafe"));
    assert_eq!(row.encoded(&options).map(hex::encode), Ok(format!("0400000b060172{payload}")));
}

#[test]
fn found_by_what_a_side_says_first() {
    use super::evidence::first;
    use crate::dissect::Evidence;
    for sure in [
        &b"\x01\0\x01\x09{\"sys\":"[..],
        b"\x01\0\0\x09x\x9c",
        b"\x03\0\0\0\x01\0\0\x09{\"a\":12}\n\x02\0\0\0",
        b"\x01\0\0\x02{}\x02\0\0\0",
        b"\x01\0\0\x0c{\"code\":501}",
    ] {
        assert!(first(sure).suffices(false), "{sure:?}");
    }
    for open in [
        &[1, 0, 0, 0][..],
        &[3, 0, 0, 0],
        &[1],
        b"GE",
        &[1, 0, 0, 3, b'a'],
        b"\x01\0\0\x09{\"a",
        b"\x01\0\0\x09{\"a\":12}\n",
        b"\x01\0\0\x09{\"a\":123]",
        // Whole, but it cannot be inflated.
        b"\x01\0\0\x09x\x9c\x45\x91\xa6\x2b\xa6\xf5\x1e",
    ] {
        assert!(matches!(first(open), Evidence::Bits(0..Evidence::CLAIM, _)), "{open:?}");
    }
    for no in [&[4, 0, 0, 1][..], b"SSH-2.0", &[0x10, 0x20]] {
        assert_eq!(first(no), Evidence::No, "{no:?}");
    }
}

/// Other applications have empty messages, a type and a length in a WebSocket, too.
#[test]
fn found_in_the_middle_of_a_websocket() {
    let frames = |masked: bool, all: &[&[u8]]| {
        let mut bytes = Vec::new();
        for (content, key) in all.iter().zip(1..) {
            let mask = [7, 1, key, 9];
            bytes.extend([0x82, if masked { 0x80 } else { 0 } | content.len() as u8]);
            bytes.extend(if masked { &mask[..] } else { &[] });
            bytes.extend(content.iter().zip(mask.iter().cycle()).map(|(b, k)| if masked { b ^ k } else { *b }));
        }
        super::chain::framed(&bytes)
    };
    const BEAT: &[u8] = &[3, 0, 0, 0];
    const DATA: &[u8] = b"\x04\0\0\x03\x03\0\0";
    assert!(frames(true, &[BEAT, BEAT]).suffices(false));
    assert!(frames(false, &[b"\x01\0\0\x0a{\"sys\":{}}"]).suffices(false));
    for few in [&[BEAT][..], &[&[2, 0, 0, 0], BEAT], &[BEAT, DATA], &[b"\x01\0\0\x0a{\"sys\":12}"]] {
        let evidence = frames(true, few);
        assert!(evidence.suffices(true) && !evidence.suffices(false), "{few:?}: {evidence:?}");
    }
}

/// A package may be in several messages, the first one too; and the user may say that the upgrade is not there.
#[test]
fn found_by_a_handshake_in_two_messages() {
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let answer = b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n";
    let first = [&request[..], b"\x82\x06\x01\0\0\x0a{\"\x82\x08sys\":{}}"].concat();
    let evidence = |payloads: &[(Side, &[u8])], options: &Options| {
        let payloads: Vec<_> = payloads.iter().map(|(side, bytes)| (*side, *bytes, bytes.len())).collect();
        let observation = Observation {
            transport: Transport::Tcp,
            ends: ["10.0.0.1:5000", "10.0.0.2:3250"].map(|end| end.parse().unwrap()),
            payloads: &payloads,
            begun: [true; 2],
            last: false,
            few: false,
            time: None,
            options,
        };
        super::evidence::streams(&observation)
    };
    let plain = crate::protocols::options();
    assert!(evidence(&[(Side::A, &first), (Side::B, answer)], &plain).suffices(false));
    let frame = b"\x82\x0e\x01\0\0\x0a{\"sys\":{}}";
    let anew = [&request[..], b"\x82\x06\x01\0\0\x0a{\"", frame].concat();
    assert!(evidence(&[(Side::A, &anew), (Side::B, answer)], &plain).suffices(false));
    assert!(!evidence(&[(Side::A, frame)], &plain).suffices(false));
    assert!(evidence(&[(Side::A, frame)], &options_of(&json!(["-s", "nano.carrier=websocket"]))).suffices(false));
}

/// Hex text has no frames that a note could name.
#[test]
fn a_reused_id_names_no_frame_of_hex_text() {
    let bytes = [&[4, 0, 0, 6, 0, 5, 1, b'r', b'{', b'}'][..]; 2].concat();
    let seen = lines(&bytes, &crate::protocols::options());
    let (_, text) = seen[1].notes.iter().find(|(code, _)| *code == "nano.id_reused").expect("the note");
    assert_eq!(text, "the request 5 above is still open");
}
