//! nano and its relatives: TCP and WebSocket.

use crate::delivery::delivered;
use crate::stage::{Stage, conversation, to};
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
fn in_odd_pieces() {
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
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
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
    let report = to(at, &conversation("nano/pomelo-ws.pcap", 1, &stage), &stage, Duration::from_millis(300));
    assert!(!report.complete(), "{report}");
    assert!(report.ended.is_some_and(|why| why.contains("not to our key")));
    assert_eq!(server.join().unwrap(), b"");
}
