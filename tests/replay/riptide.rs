//! Riptide: all wire families, UDP and TCP.

use crate::delivery::delivered;
use crate::stage::{Stage, conversation};

const CAPTURES: [(&str, u64); 8] = [
    ("riptide/riptide10-udp.pcap", 1),
    ("riptide/riptide12-udp.pcap", 1),
    ("riptide/riptide20-udp.pcap", 1),
    ("riptide/riptide20-udp.pcap", 2),
    ("riptide/riptide21-udp.pcap", 1),
    ("riptide/riptide22-udp.pcap", 1),
    ("riptide/riptide22-udp.pcap", 8),
    ("riptide/riptide22-lossy.pcap", 1),
];

#[test]
fn against_itself() {
    for (path, flow) in CAPTURES {
        let stage = Stage::default();
        delivered(path, &conversation(path, flow, &stage), &stage);
    }
}

#[test]
fn over_tcp() {
    for (path, flow) in
        [("riptide/riptide20-tcp.pcap", 1), ("riptide/riptide22-tcp.pcap", 1), ("riptide/pytide-tcp.pcap", 1)]
    {
        for lossy in [None, Some(3)] {
            let stage = Stage { lossy, ..Stage::default() };
            delivered(path, &conversation(path, flow, &stage), &stage);
        }
    }
}

#[test]
fn through_a_bad_network() {
    let mut resent = 0;
    for (seed, (path, flow)) in CAPTURES.into_iter().enumerate() {
        let stage = Stage { lossy: Some(seed as u64 + 1), ..Stage::default() };
        let reports = delivered(path, &conversation(path, flow, &stage), &stage);
        resent += reports.iter().map(|r| r.counts.resent).sum::<u64>();
    }
    assert!(resent > 0, "nothing was lost");
}
