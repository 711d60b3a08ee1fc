//! Packages in WebSocket messages, and the notes on their frames.

use super::super::NANO;
use super::{Event, lines, talk, talk_with};
use crate::dissect::{Dissector, Line, Role};
use crate::flow::Side;
use crate::protocols::tests::options;
use serde_json::{Value as Json, json};

/// Bytes of a WebSocket stream are missing: the open package is cut, then frames are found again.
#[test]
fn a_gap_in_a_websocket_stream() {
    use Event::{Data, End, Gap};
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let answer = b"HTTP/1.1 101 X\r\n\r\n";
    let seen = talk(
        [true; 2],
        Some(Side::A),
        &[
            Data(Side::A, request),
            Data(Side::B, answer),
            Data(Side::B, &[0x82, 4, 3, 0, 0, 0, 0x82, 2, 4, 0, 0x02, 1, 9, 0x82, 9, 1]),
            Gap(Side::B, 7),
            Data(Side::B, &[0xff, 0xff, 0xff]),
            Data(Side::B, &[0x82, 4, 3, 0, 0, 0, 0x89, 0]),
            Data(Side::A, &[0x82, 4, 3, 0, 0, 0]),
            End(Side::B),
        ],
    );
    let messages: Vec<&str> = seen.iter().map(|s| s.message).collect();
    let expected = [
        "upgrade_request",
        "upgrade_response",
        "heartbeat",
        "data",
        "binary",
        "frame",
        "frame",
        "heartbeat",
        "ping",
        "heartbeat",
    ];
    assert_eq!(messages, expected);
    assert_eq!(seen[3].fields, json!({"unparsed": "00"}));
    assert_eq!(seen[5].fields, json!({"unparsed": "820901"}));
    assert_eq!(seen[6].codes(), ["tcp.gap"]);
    assert_eq!(seen[9].codes(), ["websocket.unmasked"]);
}

/// After missing bytes, and at the beginning of a capture that begins late, the rest of a frame is not read as a head,
/// and a continuation has a message. In step, it has none.
#[test]
fn the_rest_of_frames_and_messages() {
    use Event::{Data, End, Gap};
    // A rest that would be a head of 125 bytes with reserved bits; two continuations, the second with FIN; a third.
    let rest = [0xf9, 0x7d, 0, 0];
    let (more, last) = ([0x00, 1, 9], [0x80, 1, 9]);
    let after = [Data(Side::B, &rest), Data(Side::B, &more), Data(Side::B, &last), Data(Side::B, &last)];
    let texts = |before: &[Event<'_>], begun| {
        let options = options(&["-s", "nano.carrier=websocket"]);
        let seen = talk_with(&options, [begun; 2], None, &[before, &after, &[End(Side::B)]].concat());
        seen.iter().filter_map(|row| Some(row.fault.as_ref()?.to_string())).collect::<Vec<_>>()
    };
    let heartbeat = Data(Side::B, &[0x82, 4, 3, 0, 0, 0]);
    let expected = |began: &str| {
        let (of, continued) = ("websocket.frame", "websocket.frame.opcode: a continuation of");
        [
            format!("{of}: bytes of a frame that began {began} at bit 0, 32 bits left"),
            format!("{continued} a message that began {began} at bit 0, 24 bits left"),
            format!("{continued} a message that began {began} at bit 0, 24 bits left"),
            "websocket.frame.opcode: a continuation frame without a message to continue at bit 0, 24 bits left".into(),
        ]
    };
    assert_eq!(texts(&[], false), expected("before the capture"));
    assert_eq!(texts(&[heartbeat, Gap(Side::B, 7)], true), expected("in or before the missing bytes"));
    // The first fragment is there; the gap has the rest.
    let cut = texts(&[heartbeat, Data(Side::B, &[0x02, 1, 4]), Gap(Side::B, 7)], true);
    assert_eq!(
        cut[0],
        "websocket.binary.payload: the rest of the message is in the missing bytes at bit 0, 24 bits left"
    );
    assert_eq!(cut[1..], expected("in or before the missing bytes"));
}

/// A refusal without a length: what follows it begins no head, and is the server's, in one line for all its segments.
#[test]
fn the_body_of_a_refusal_without_a_length() {
    use Event::{Data, End};
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let chunked = "HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: chunked\r\n\r\n";
    let closed = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    // An empty line ends the chunks, as it ends a head.
    for (head, body) in [(chunked, "f\r\n502 Bad Gateway\r\n0\r\n\r\n"), (closed, "400 Bad Request")] {
        let answer = [head, body].concat();
        let (first, more) = answer.as_bytes().split_at(head.len() + 5);
        let events = [Data(Side::A, request), Data(Side::B, first), Data(Side::B, more), End(Side::B)];
        let seen = talk([true; 2], Some(Side::A), &events);
        let lines: Vec<_> = seen.iter().map(|row| (row.message, row.from, row.fault.is_some())).collect();
        let expected = [
            ("upgrade_request", Role::Client, false),
            ("upgrade_response", Role::Server, false),
            ("upgrade_response", Role::Server, true),
        ];
        assert_eq!(lines, expected, "{body}");
    }
}

/// A client asks again after a refusal whose body has no length: the next answer begins after a line of the body.
#[test]
fn an_answer_after_the_body_of_a_refusal_without_a_length() {
    use Event::{Data, End};
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let refusal = b"HTTP/1.1 401 X\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n";
    let events = [
        Data(Side::A, request),
        Data(Side::B, refusal),
        Data(Side::A, request),
        Data(Side::B, b"HTTP/1.1 101 X\r\n\r\n"),
        Data(Side::B, &[0x82, 4, 3, 0, 0, 0]),
        End(Side::B),
    ];
    let seen = talk([true; 2], Some(Side::A), &events);
    let lines: Vec<_> = seen.iter().map(|row| (row.message, row.fault.is_some())).collect();
    let expected = [
        ("upgrade_request", false),
        ("upgrade_response", false),
        ("upgrade_request", false),
        ("upgrade_response", true),
        ("upgrade_response", false),
        ("heartbeat", false),
    ];
    assert_eq!(lines, expected);
}

/// Packages that `encode --transport ws` makes are read again.
#[test]
fn wrapped_packages_are_read_again() {
    let options = options(&["-s", "nano.carrier=websocket"]);
    let fields = json!({"route": "Room.Say", "payload": "7b7d"});
    let encoder = &mut *NANO.encoder(&crate::protocols::options());
    for (from, message) in [(Role::Client, "notify"), (Role::Server, "push")] {
        let (proto, version, derived) = ("nano", None, None);
        let line = Line {
            message,
            proto,
            version,
            from,
            flow: 0,
            fields: &fields,
            derived,
            packet: None,
            part: None,
            broken: false,
        };
        let package = encoder.encode(&line).unwrap();
        assert_eq!(encoder.frame(&package, &line).as_ref(), Some(&package));
        let seen = lines(&encoder.websocket(&package, &line).unwrap(), &options);
        assert_eq!((seen[0].message, seen[0].from), (message, from));
        assert_eq!(seen[0].fields["route"], "Room.Say");
    }
}

/// Messages without a package are lines of the carrier, and encode to their frames.
#[test]
fn messages_without_packages() {
    let options = options(&["-s", "nano.carrier=websocket"]);
    let read = |hex: &str| lines(&hex::decode(hex).unwrap(), &options).remove(0);
    let chunks = read("018201020304c9d0008101020304ff0001aa");
    assert_eq!((chunks.message, &chunks.fields), ("text", &json!({"payload": "c8d2feaa"})));
    assert_eq!(chunks.derived(), json!({"header": "01820102030400810102030400 01".replace(' ', "")}));
    assert!(chunks.fault.is_some());
    let hollow = read("c20100");
    assert_eq!((hollow.message, &hollow.fields), ("binary", &json!({"payload": ""})));
    assert_eq!(hollow.derived(), json!({"compressed": "00", "header": "c201"}));
    assert_eq!(read("8200").derived(), Json::Null);
    assert_eq!(read("828001020304").derived(), json!({"header": "828001020304"}));
    assert_eq!(read("827e000103").derived(), json!({"length": null}));
    // A length that no peer sends: encoding needs the frame's own head.
    let endless = read("82ff800000000000000001020304616263");
    assert_eq!(endless.fields, json!({"mask": "01020304", "opcode": 2, "unparsed": "606060"}));
    assert_eq!(endless.derived(), json!({"header": "82ff800000000000000001020304"}));
}
