//! An upgrade to WebSocket is no claim: the payload of its messages decides.

use super::{Wire, dissect, ends};

const ANSWER: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
const DEFLATED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
const HANDSHAKE: &[u8] = b"\x01\0\0\x0b{\"user\":{}}";

/// The bytes of each side in order, and whether the client sends them.
type Sent = Vec<(bool, Vec<u8>)>;

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

/// The numbers of `websocket` and `nano` messages in a connection that begins with an upgrade.
fn lines(answer: &[u8], sent: &[(bool, Vec<u8>)]) -> (usize, usize) {
    let request = b"GET /api/kernels HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut all = vec![(true, request.to_vec()), (false, answer.to_vec())];
    all.extend(sent.iter().cloned());
    let mut wire = Wire::default();
    wire.stream(ends(0), &all);
    let (found, counters) = dissect(wire.file());
    let of = |proto: &str| found.0.iter().filter(|(_, name, _)| *name == proto).count();
    assert_eq!(counters.foreign.contains_key("tcp"), found.0.is_empty(), "what is let go is counted");
    (of("websocket"), of("nano"))
}

/// Raw DEFLATE of stored blocks, as in permessage-deflate: without the last four bytes.
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
    let cases: [(&[u8], Sent); 9] = [
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
    for (answer, sent) in cases {
        assert_eq!(lines(answer, &sent), (0, 0), "{sent:?}");
    }
}

#[test]
fn the_family_is_read() {
    let ack: (bool, Vec<u8>) = (true, frame(0x82, true, &[2, 0, 0, 0]));
    let response = b"\x01\0\0\x0c{\"code\":200}";
    for (answer, sent, packages) in [
        (ANSWER, vec![(true, frame(0x82, true, HANDSHAKE)), (false, frame(0x82, false, response)), ack.clone()], 3),
        (ANSWER, vec![(true, frame(0x81, true, HANDSHAKE))], 1),
        (DEFLATED, vec![(true, frame(0xc2, true, &stored(HANDSHAKE))), ack.clone()], 2),
        (ANSWER, vec![(true, frame(0x02, true, &HANDSHAKE[..6])), (true, frame(0x80, true, &HANDSHAKE[6..]))], 1),
        // nano's own benchmark sends an empty handshake: the answer shows the protocol.
        (ANSWER, vec![(true, frame(0x82, true, &[1, 0, 0, 0])), (false, frame(0x82, false, response))], 2),
    ] {
        let (websocket, nano) = lines(answer, &sent);
        assert_eq!(nano, packages, "{sent:?}");
        assert!(websocket >= 2, "the upgrade is shown with it");
    }
}

/// One byte a segment, and the answer before the request.
#[test]
fn however_it_is_cut() {
    let whole = frame(0x82, true, HANDSHAKE);
    let sent: Vec<_> = whole.iter().map(|byte| (true, vec![*byte])).collect();
    assert_eq!(lines(ANSWER, &sent).1, 1);
}

/// A refused upgrade to a known server belongs to the server's protocol.
#[test]
fn a_known_server_needs_less() {
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".to_vec();
    let refused = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    let mut wire = Wire::default();
    let server = ends(0)[1];
    wire.stream(ends(0), &[(true, request.clone()), (false, ANSWER.to_vec()), (true, frame(0x82, true, HANDSHAKE))]);
    wire.stream([ends(1)[0], server], &[(true, request.clone()), (false, refused)]);
    // The payload still has to be of that family.
    let text = frame(0x81, true, b"{\"header\": 1}");
    wire.stream([ends(2)[0], server], &[(true, request), (false, ANSWER.to_vec()), (true, text)]);
    let (found, _) = dissect(wire.file());
    let of = |flow: u64| found.0.iter().filter(|(f, ..)| *f == flow).count();
    assert_eq!([of(1), of(2), of(3)], [3, 2, 0]);
}

/// The same frame under another mask.
fn masked(bytes: &[u8], key: [u8; 4]) -> Vec<u8> {
    let mut frame = vec![0x82, 0x80 | bytes.len() as u8];
    frame.extend(key);
    frame.extend(bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

/// The names of nano's messages in a connection without its beginning, and the count of foreign TCP.
fn middle(options: &netkit::dissect::Options, sent: &[(bool, Vec<u8>)]) -> (Vec<&'static str>, u64) {
    let mut wire = Wire::default();
    wire.stream_on(ends(0), sent);
    let mut found = super::Names::default();
    let counters = crate::common::dissect(wire.file(), options, &mut found);
    let names = found.0.iter().filter(|(_, proto, _)| *proto == "nano").map(|(.., name)| *name).collect();
    (names, counters.foreign.get("tcp").copied().unwrap_or(0))
}

const REQUEST: &[u8] = b"\x04\0\0\x10\0\x05\x0broom.handle{}";
const RESPONSE: &[u8] = b"\x04\0\0\x0c\x04\x05{\"code\":1}";
const HEARTBEAT: &[u8] = &[3, 0, 0, 0];

/// The capture begins after the upgrade: packages in whole frames are enough, from either side alone.
#[test]
fn from_its_middle() {
    let options = netkit::protocols::options();
    let other = [7, 0, 0xfe, 1];
    let cases: [(Sent, &[&str]); 7] = [
        (vec![(true, frame(0x82, true, REQUEST)), (false, frame(0x82, false, RESPONSE))], &["request", "response"]),
        (vec![(true, frame(0x82, true, REQUEST))], &["request"]),
        (vec![(false, frame(0x82, false, RESPONSE))], &["response"]),
        // Two heartbeats of the client, and the bytes between them.
        (
            vec![
                (true, frame(0x82, true, HEARTBEAT)),
                (false, frame(0x82, false, HEARTBEAT)),
                (true, frame(0x89, true, b"")),
                (true, masked(HEARTBEAT, other)),
            ],
            &["heartbeat"; 3],
        ),
        // The server's first bytes are the rest of a frame.
        (
            vec![
                (false, b"\"rest\":[1,2,3]}".to_vec()),
                (true, frame(0x82, true, REQUEST)),
                (false, frame(0x82, false, RESPONSE)),
            ],
            &["request", "response"],
        ),
        // Several packages in a frame, several frames in a segment, a frame in two segments.
        (
            vec![(true, [frame(0x82, true, &[HEARTBEAT, REQUEST].concat()), masked(REQUEST, other)].concat())],
            &["heartbeat", "request", "request"],
        ),
        (
            vec![(true, frame(0x82, true, REQUEST)[..9].to_vec()), (true, frame(0x82, true, REQUEST)[9..].to_vec())],
            &["request"],
        ),
    ];
    for (sent, want) in cases {
        let (names, foreign) = middle(&options, &sent);
        let names: Vec<&str> = names.into_iter().filter(|name| *name != "unknown").collect();
        assert_eq!((&names[..], foreign), (want, 0), "{sent:?}");
    }
}

/// `-p nano` finds the carrier as well, also after unreadable bytes.
#[test]
fn from_its_middle_by_name() {
    let mut options = netkit::protocols::options();
    options.proto = Some("nano".into());
    let garbage = (false, b"\"rest\":[1,2,3]}".to_vec());
    let one = (true, frame(0x82, true, HEARTBEAT));
    let (names, _) = middle(&options, &[garbage.clone(), one.clone()]);
    assert_eq!(names, ["unknown", "heartbeat"]);
    // The user's setting takes precedence.
    options.set("nano.carrier=tcp").unwrap();
    assert_eq!(middle(&options, &[garbage, one]).0, ["unknown"; 2]);
}

/// Frames of other protocols, and bytes that look like frames, are claimed by no protocol.
#[test]
fn others_are_let_go_from_their_middle() {
    let options = netkit::protocols::options();
    let jupyter = br#"{"header": {"msg_id": "1"}, "code": "", "sys": 1}"#;
    let mqtt: &[u8] = b"\x30\x10\0\x04MQTT\x04\x02\0\x3c\0\x04abcd";
    let small: &[u8] = &[1, 0, 0, 0, 2, 0, 0, 0];
    let cases: [Sent; 10] = [
        vec![(true, frame(0x81, true, jupyter)), (false, frame(0x81, false, jupyter))],
        vec![(true, frame(0x82, true, mqtt)), (false, frame(0x82, false, &[0x40, 2, 0, 0]))],
        vec![(true, frame(0x82, true, small)), (false, frame(0x82, false, small))],
        vec![(true, frame(0xc2, true, &stored(REQUEST)))],
        // One heartbeat, repeated in the same bytes.
        vec![(true, frame(0x82, true, HEARTBEAT)), (false, frame(0x82, false, HEARTBEAT))],
        vec![(true, frame(0x82, true, HEARTBEAT)); 6],
        vec![(true, masked(HEARTBEAT, [0; 4])); 6],
        vec![(false, frame(0x82, false, HEARTBEAT)); 6],
        // The same bytes as the beginning of a stream: a WebSocket begins with an upgrade.
        vec![(true, b"\x82\x04\x04\0\0\0".to_vec())],
        vec![(true, frame(0x82, true, &[REQUEST, b"x"].concat()))],
    ];
    for sent in cases {
        let packets = sent.len() as u64;
        assert_eq!(middle(&options, &sent), (vec![], packets), "{sent:?}");
    }
    let mut wire = Wire::default();
    wire.stream(ends(0), &[(true, frame(0x82, true, REQUEST))]);
    assert_eq!(dissect(wire.file()).0.0, [], "captured from its beginning");
    // Random bytes in the form of frames.
    let mut random = crate::common::Random(7);
    for _ in 0..20_000 {
        let sent: Sent = (0..4)
            .map(|n| {
                let bytes: Vec<u8> = (0..random.below(24)).map(|_| [0, 1, 2, 3, 4, 5, 0xff][random.below(7)]).collect();
                let key = [random.below(256), random.below(256), random.below(4), 0].map(|b| b as u8);
                (n % 2 == 0, if n % 2 == 0 { masked(&bytes, key) } else { frame(0x82, false, &bytes) })
            })
            .collect();
        let (names, _) = middle(&options, &sent);
        let fits = |bytes: &[u8]| matches!(bytes, [1..=5, 0, 0, n, rest @ ..] if rest.len() >= *n as usize);
        let unmasked = |(by_client, whole): &(bool, Vec<u8>)| match by_client {
            true => whole[6..].iter().zip(whole[2..6].iter().cycle()).map(|(byte, key)| byte ^ key).collect::<Vec<_>>(),
            false => whole[2..].to_vec(),
        };
        // Only a message that is a package from its first byte.
        assert!(names.is_empty() || sent.iter().any(|one| fits(&unmasked(one))), "{sent:?}: {names:?}");
    }
}
