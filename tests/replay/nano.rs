//! nano and its relatives: TCP and WebSocket.

use crate::replay::delivery::delivered;
use crate::replay::simulated::{ASAP, simulated};
use crate::replay::stage::{Stage, conversation, to};
use netkit::live::replay::Conversation;
use std::time::Duration;

const CAPTURES: [(&str, u64); 4] = [
    ("nano/nano-protobuf-tcp.pcap", 1),
    ("nano/pitaya-codec-tcp.pcap", 1),
    ("nano/pomelo-ws.pcap", 1),
    ("nano/pomelo-ws.pcap", 2),
];

#[test]
fn against_itself() {
    for (path, flow) in CAPTURES {
        let stage = Stage::default();
        delivered(path, &conversation(path, flow, &stage), &stage);
    }
}

#[test]
fn in_odd_chunks() {
    for (seed, (path, flow)) in CAPTURES.into_iter().enumerate() {
        let stage = Stage { lossy: Some(seed as u64 + 21), ..Stage::default() };
        delivered(path, &conversation(path, flow, &stage), &stage);
    }
}

/// A server that grants the upgrade with the answer to another key is no WebSocket server: nothing is sent to it.
#[test]
fn a_server_that_has_not_read_the_key() {
    let stage = Stage::default();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        crate::common::read_head(&mut stream);
        // The answer to the sample key of RFC 6455.
        stream
            .write_all(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                  Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            )
            .unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        rest
    });
    let report = to(at, &conversation("nano/pomelo-ws.pcap", 1, &stage), &stage, Duration::from_secs(5));
    assert!(!report.complete(), "{report}");
    assert!(report.ended.is_some_and(|why| why.contains("not to our key")));
    assert_eq!(server.join().unwrap(), b"");
}

/// A server that closes the connection after our last message is the reason why its answer is missing.
#[test]
fn a_server_that_closes_instead_of_its_last_answer() {
    let stage = Stage { until: Some(18), ..Stage::default() };
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
        let mut requests = 0;
        loop {
            let mut head = [0; 4];
            stream.read_exact(&mut head).unwrap();
            let mut body = vec![0; usize::from(head[3])];
            stream.read_exact(&mut body).unwrap();
            let answer = match head[0] {
                1 => package(1, br#"{"code":200,"sys":{}}"#),
                4 => {
                    requests += 1;
                    if requests == 4 {
                        return;
                    }
                    // The number of the request, of one or two bytes.
                    let end = 1 + body[1..].iter().position(|byte| byte & 0x80 == 0).unwrap();
                    package(4, &[&[4], &body[1..=end], b"{}"].concat())
                }
                _ => continue,
            };
            stream.write_all(&answer).unwrap();
        }
    });
    let report = to(at, &conversation("nano/nano-tcp.pcap", 1, &stage), &stage, Duration::from_secs(60));
    server.join().unwrap();
    assert_eq!(
        (report.complete(), report.sent, report.received + 1),
        (true, report.steps, report.expected),
        "{report}"
    );
    assert_eq!(report.ended.as_deref(), Some("it closed the connection"), "{report}");
    assert_eq!(report.to_string().matches("did not arrive").count(), 1, "{report}");
}

/// Messages are in the order of their times, and the frames of several interfaces are not: one after the last frame may
/// be before others.
#[test]
fn the_last_frame_does_not_hide_earlier_ones() {
    let stage = Stage { until: Some(18), ..Stage::default() };
    let steps = |played: &Conversation| simulated(played, &stage, ASAP, 0).reports.map(|report| report.steps);
    let mut played = conversation("nano/nano-tcp.pcap", 1, &stage);
    let in_order = steps(&played);
    let mut late = played.messages.pop().unwrap();
    assert!(late.frame > 18);
    late.time = played.messages[0].time;
    played.messages.insert(1, late);
    assert_eq!(steps(&played), in_order);
}
