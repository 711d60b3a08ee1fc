//! An upgrade to WebSocket is no claim: what its messages carry is.

use super::{Wire, dissect, ends};

const ANSWER: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
const DEFLATED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
const HANDSHAKE: &[u8] = b"\x01\0\0\x0b{\"user\":{}}";

/// Who says what: by the client, and its bytes.
type Said = Vec<(bool, Vec<u8>)>;

/// A frame: FIN, RSV1 and opcode as in `first`.
fn frame(first: u8, masked: bool, bytes: &[u8]) -> Vec<u8> {
    let mask = if masked { 0x80 } else { 0 };
    let mut frame = vec![first];
    match bytes.len() {
        n @ ..126 => frame.push(mask | n as u8),
        n => frame.extend([mask | 126, (n >> 8) as u8, n as u8]),
    }
    let key = [0x12, 0x34, 0x56, 0x78];
    match masked {
        true => {
            frame.extend(key);
            frame.extend(bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
        }
        false => frame.extend(bytes),
    }
    frame
}

/// How many lines of which protocols a connection makes that begins with an upgrade.
fn lines(answer: &[u8], said: &[(bool, Vec<u8>)]) -> (usize, usize) {
    let request = b"GET /api/kernels HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut all = vec![(true, request.to_vec()), (false, answer.to_vec())];
    all.extend(said.iter().cloned());
    let mut wire = Wire::default();
    wire.stream(ends(0), &all);
    let (found, counters) = dissect(wire.file());
    let of = |proto: &str| found.0.iter().filter(|(_, name, _)| *name == proto).count();
    assert_eq!(counters.foreign.contains_key("tcp"), found.0.is_empty(), "what is let go is counted");
    (of("websocket"), of("nano"))
}

/// The raw DEFLATE of stored blocks, as permessage-deflate has it: without the last four bytes.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let n = bytes.len() as u16;
    [&[0][..], &n.to_le_bytes(), &(!n).to_le_bytes(), bytes, &[0]].concat()
}

#[test]
fn others_are_let_go() {
    let jupyter = br#"{"header": {"msg_id": "1", "msg_type": "kernel_info_request"}, "code": "", "sys": 1}"#;
    let mqtt: &[u8] = b"\x10\x10\0\x04MQTT\x04\x02\0\x3c\0\x04abcd";
    let connack: &[u8] = &[0x20, 2, 0, 0];
    let protobuf: &[u8] = &[0x08, 0x01, 0x12, 0x05, b'h', b'e', b'l', b'l', b'o', 0x18, 0x07];
    let engine_io: &[u8] = b"\x042[\"message\",{\"a\":1}]";
    let small: &[u8] = &[1, 0, 0, 0, 2, 0, 0, 0];
    let cases: [(&[u8], Said); 9] = [
        (ANSWER, vec![]),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", vec![]),
        (ANSWER, vec![(true, frame(0x81, true, jupyter)), (false, frame(0x81, false, jupyter))]),
        (ANSWER, vec![(true, frame(0x82, true, mqtt)), (false, frame(0x82, false, connack))]),
        (ANSWER, vec![(true, frame(0x82, true, protobuf)), (false, frame(0x82, false, protobuf))]),
        (ANSWER, vec![(true, frame(0x82, true, engine_io))]),
        (ANSWER, vec![(true, frame(0x82, true, small)), (false, frame(0x82, false, small))]),
        (DEFLATED, vec![(true, frame(0xc1, true, &stored(jupyter)))]),
        // In two fragments, with a ping between them.
        (
            ANSWER,
            vec![
                (true, frame(0x01, true, &jupyter[..20])),
                (true, frame(0x89, true, b"")),
                (true, frame(0x80, true, &jupyter[20..])),
            ],
        ),
    ];
    for (answer, said) in cases {
        assert_eq!(lines(answer, &said), (0, 0), "{said:?}");
    }
}

#[test]
fn the_family_is_read() {
    let ack: (bool, Vec<u8>) = (true, frame(0x82, true, &[2, 0, 0, 0]));
    let response = b"\x01\0\0\x0c{\"code\":200}";
    for (answer, said, packages) in [
        (ANSWER, vec![(true, frame(0x82, true, HANDSHAKE)), (false, frame(0x82, false, response)), ack.clone()], 3),
        (ANSWER, vec![(true, frame(0x81, true, HANDSHAKE))], 1),
        (DEFLATED, vec![(true, frame(0xc2, true, &stored(HANDSHAKE))), ack.clone()], 2),
        (ANSWER, vec![(true, frame(0x02, true, &HANDSHAKE[..6])), (true, frame(0x80, true, &HANDSHAKE[6..]))], 1),
        // nano's own benchmark says an empty handshake: the answer tells.
        (ANSWER, vec![(true, frame(0x82, true, &[1, 0, 0, 0])), (false, frame(0x82, false, response))], 2),
    ] {
        let (websocket, nano) = lines(answer, &said);
        assert_eq!(nano, packages, "{said:?}");
        assert!(websocket >= 2, "the upgrade is shown with it");
    }
}

/// One byte a segment, and the answer before the request.
#[test]
fn however_it_is_cut() {
    let whole = frame(0x82, true, HANDSHAKE);
    let said: Vec<_> = whole.iter().map(|byte| (true, vec![*byte])).collect();
    assert_eq!(lines(ANSWER, &said).1, 1);
}

/// A refused upgrade to a server that is known is its own.
#[test]
fn a_known_server_needs_less() {
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".to_vec();
    let refused = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    let mut wire = Wire::default();
    let server = ends(0)[1];
    wire.stream(ends(0), &[(true, request.clone()), (false, ANSWER.to_vec()), (true, frame(0x82, true, HANDSHAKE))]);
    wire.stream([ends(1)[0], server], &[(true, request.clone()), (false, refused)]);
    // What is carried has to be of the family all the same.
    let text = frame(0x81, true, b"{\"header\": 1}");
    wire.stream([ends(2)[0], server], &[(true, request), (false, ANSWER.to_vec()), (true, text)]);
    let (found, _) = dissect(wire.file());
    let of = |flow: u64| found.0.iter().filter(|(f, ..)| *f == flow).count();
    assert_eq!([of(1), of(2), of(3)], [3, 2, 0]);
}
