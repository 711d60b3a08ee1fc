//! A session whose beginning is not in the capture is recognised by the course of its numbers.

use super::{Wire, dissect, fixture};
use netkit::capture::{Body, Decoded, Packets};
use std::io::Cursor;

/// The datagrams of a fixture, without the first ones.
fn cut(name: &str, first: usize) -> (usize, Vec<u8>) {
    let file = std::fs::read(fixture(name)).unwrap();
    let mut packets = Packets::open(Box::new(Cursor::new(file))).unwrap();
    let (mut wire, mut count) = (Wire::default(), 0);
    while let Some(item) = packets.next().unwrap() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            count += 1;
            if count > first {
                wire.datagram([packet.src, packet.dst], true, payload);
            }
        }
    }
    (count - first, wire.file())
}

#[test]
fn from_its_middle() {
    for name in [
        "riptide10-udp",
        "riptide12-udp",
        "riptide20-udp",
        "riptide20-lossy",
        "riptide20-gap",
        "riptide21-udp",
        "riptide22-udp",
        "riptide22-lossy",
        "riptide22-gap40",
        "riptide22-gap40-serverleg",
    ] {
        for first in [3, 10, 20] {
            let (count, file) = cut(&format!("riptide/{name}.pcap"), first);
            let (found, counters) = dissect(file);
            assert_eq!(found.0.len(), count, "{name} without its first {first}: {:?}", counters.foreign);
            assert!(found.0.iter().all(|(_, proto, _)| *proto == "riptide"), "{name}");
        }
    }
}

/// A DNP session on its port.
#[test]
fn on_its_port() {
    let (count, file) = cut("dnp/dnp-sim-wrap.pcap", 5);
    let (found, _) = dissect(file);
    assert!(found.0.len() >= count && found.0.iter().all(|(_, proto, _)| *proto == "dnp"), "{}", found.0.len());
}

/// Packets discarded before a conversation was recognised are counted.
#[test]
fn messages_before_the_evidence_are_counted() {
    let mut wire = Wire::default();
    let ends = super::ends(0);
    for n in 0..200u8 {
        wire.datagram(ends, n % 2 == 0, &[0x00, 0x01, n, 7]);
    }
    for id in 9..13 {
        wire.datagram(ends, true, &[id << 4 | 4, 0x10, 0, 0]);
        wire.datagram(ends, false, &[id << 4 | 4, 0]);
    }
    let (found, counters) = dissect(wire.file());
    assert!(!found.0.is_empty());
    let unread = counters.account.limits["undecided"];
    assert_eq!(found.0.len() as u64 + unread, 208);
    assert!(unread > 0);
}
