//! nano and its relatives: TCP and WebSocket.

use crate::delivery::delivered;
use crate::stage::{Stage, conversation};

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
