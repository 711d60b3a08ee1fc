//! A claim is given up if the following traffic does not fit; a single error does not spread.

use super::{Wire, dissect, ends, fixture};

/// A connection of 2.2 is made; then another protocol uses its ports.
fn made_and_left(wire: &mut Wire, k: usize) {
    wire.datagram(ends(k), true, &[0x02]);
    wire.datagram(ends(k), false, &[0x18, 0, 0x10, 0, 0]);
    for n in 0..200u32 {
        // It has the form of a reliable message, but its ids jump.
        let mut other = vec![0x47];
        other.extend((0..40).map(|b| (n.wrapping_mul(0x9e37_79b9) >> (b % 24)) as u8 & 0x7f));
        wire.datagram(ends(k), n % 2 == 0, &other);
    }
}

#[test]
fn what_does_not_behave_is_given_up_and_reported() {
    let mut wire = Wire::default();
    made_and_left(&mut wire, 0);
    let (found, mut counters) = dissect(wire.file());
    assert_eq!(counters.unclaimed.given_up_count, 1);
    let gone = counters.unclaimed.withdrawn();
    assert_eq!(gone.len(), 1);
    let gone = &gone[0];
    assert_eq!((gone.flow, gone.name, gone.frames[0]), (1, "riptide", 1));
    assert_eq!((gone.messages, gone.frames[1]), (found.0.len() as u64, found.0.len() as u64));
    assert!((60..150).contains(&found.0.len()), "{}", found.0.len());
}

#[test]
fn the_command_reports_it_without_v() {
    let mut wire = Wire::default();
    made_and_left(&mut wire, 0);
    let reported = crate::common::run(&["decode", "-", "-f", "ndjson"], &wire.file()).err;
    let line = reported.lines().find(|line| line.contains("then no longer")).expect("a line");
    assert!(
        line.starts_with("netkit: conversation 1 (10.1.0.0:40000 - 10.2.0.0:41000) was read as riptide for "),
        "{line}"
    );
    assert!(line.contains(" messages (frames 1 to "), "{line}");
}

/// Broken messages alone do not end a claim: real servers are tested with them, too.
#[test]
fn what_is_only_broken_is_kept() {
    for name in ["riptide/edge20-udp.pcap", "riptide/edge22-udp.pcap", "acknex/acknex-malformed.pcap"] {
        let (_, mut counters) = dissect(std::fs::read(fixture(name)).unwrap());
        assert_eq!(counters.unclaimed.withdrawn(), [], "{name}");
    }
}

/// 40 other conversations with the same server, in a protocol whose datagrams all have the form of one of Riptide's.
#[test]
fn one_claim_does_not_spread() {
    let mut wire = Wire::default();
    let server = ends(0)[1];
    wire.datagram(ends(0), true, &[0x02]);
    wire.datagram(ends(0), false, &[0x18, 0, 0x10, 0, 0]);
    for k in 1..41 {
        for n in 0..20u8 {
            let payload = [0x76, n, 0x55, k as u8, n.wrapping_mul(77), 0x10, 0x20, 0x30];
            wire.datagram([ends(k)[0], server], n % 2 == 0, &payload);
        }
    }
    // A client that asks the server to connect is recognised.
    wire.datagram([ends(50)[0], server], true, &[0x02]);
    let (found, _) = dissect(wire.file());
    let flows: Vec<u64> = found.0.iter().map(|(flow, ..)| *flow).collect();
    assert_eq!(flows, [1, 1, 42]);
}
