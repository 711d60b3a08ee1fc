//! Conversations of described protocols from their middle. In streams, every message that is whole in the capture is
//! read, wherever its segments begin and end.

use crate::common::{self, Wire};
use std::net::SocketAddr;

/// MQTT's `publish` with a packet id and this number of further bytes.
fn publish(k: usize, size: usize) -> Vec<u8> {
    let topic = format!("sensor/{}", k % 5);
    let id = (k as u16 + 1).to_be_bytes();
    let body = [&[0, topic.len() as u8], topic.as_bytes(), &id, &vec![b'x'; size]].concat();
    let mut bytes = vec![0x32];
    let mut left = body.len();
    loop {
        bytes.push((left & 0x7f) as u8 | if left > 0x7f { 0x80 } else { 0 });
        left >>= 7;
        if left == 0 {
            return [bytes, body].concat();
        }
    }
}

/// The number of the client's messages in a capture, and stderr: of a file and of a pipe, recognised and named.
fn messages(wire: &Wire) -> [(usize, String); 4] {
    let file = wire.file();
    let path = std::env::temp_dir().join(format!("netkit-middle-{}.pcap", std::process::id()));
    std::fs::write(&path, &file).expect("written");
    let count = |input: &str, option: &str| {
        let args = ["decode", input, option, "fixtures/protocols/mqtt.toml", "-f", "ndjson"];
        let done = common::run(&args, &file).ok();
        let (own, other): (Vec<_>, Vec<_>) = done.lines().into_iter().partition(|line| line["from"] == "client");
        assert!(own.iter().all(|line| line["message"] == "publish"), "{}", done.text());
        assert!(other.iter().all(|line| line["message"] == "puback"), "{}", done.text());
        (own.len(), done.err.clone())
    };
    let name = path.to_str().expect("UTF-8");
    let counts = ["--protocol-file", "-p"].map(|option| [count(name, option), count("-", option)]).concat();
    std::fs::remove_file(&path).expect("removed");
    counts.try_into().expect("four")
}

/// From a first byte or from the middle of a message, in segments of several sizes, with the server's answers.
#[test]
fn whole_messages_are_read() {
    const COUNT: usize = 20;
    let ends: [SocketAddr; 2] = ["10.0.0.1:50123", "10.0.0.2:1883"].map(|end| end.parse().expect("an address"));
    for size in [20, 1000] {
        let all: Vec<u8> = (0..COUNT).flat_map(|k| publish(k, size)).collect();
        let each = all.len() / COUNT;
        for (from, whole) in [(0, COUNT), (5, COUNT - 1), (each - 1, COUNT - 1), (each + 3, COUNT - 2)] {
            for segment in [7, 100, each, 1460] {
                let mut wire = Wire::default();
                let (mut parts, mut sent, mut answered) = (Vec::new(), from, 0);
                for part in all[from..].chunks(segment) {
                    parts.push((true, part.to_vec()));
                    sent += part.len();
                    while (answered + 1) * each <= sent {
                        answered += 1;
                        parts.push((false, vec![0x40, 2, 0, answered as u8]));
                    }
                }
                wire.stream_on(ends, &parts);
                for (count, err) in messages(&wire) {
                    assert_eq!(count, whole, "{size} bytes each from byte {from}, segments of {segment}: {err}");
                }
            }
        }
    }
}

/// CoAP: an empty acknowledgement, which both sides send, does not make its receiver the server, whose port is known.
#[test]
fn a_packet_of_both_sides_does_not_swap_them() {
    let ends: [SocketAddr; 2] = ["10.0.0.1:50123", "10.0.0.2:5683"].map(|end| end.parse().expect("an address"));
    let mut wire = Wire::default();
    wire.datagram(ends, false, b"\x60\x00\x12\x34");
    // A request: get.
    wire.datagram(ends, true, b"\x40\x01\x12\x35");
    let args = ["decode", "-", "-p", "fixtures/protocols/coap.toml", "-f", "ndjson"];
    let lines = common::run(&args, &wire.file()).ok().lines();
    let from: Vec<&str> = lines.iter().filter_map(|line| line["from"].as_str()).collect();
    assert_eq!(from, ["server", "client"], "{lines:?}");
}
