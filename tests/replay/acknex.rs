//! Acknex: datagrams without a session.

use crate::replay::delivery::delivered;
use crate::replay::stage::{Stage, conversation};

const CAPTURES: [&str; 3] = ["acknex/acknex-sim-fixed.pcap", "acknex/acknex-silence.pcap", "acknex/acknex-a5.pcap"];

#[test]
fn against_itself() {
    for path in CAPTURES {
        let stage = Stage::default();
        delivered(path, &conversation(path, 1, &stage), &stage);
    }
}

/// Nothing is resent: only the packets that the network drops are missing. Both sides send all their messages.
#[test]
fn through_a_bad_network() {
    let mut lost = 0;
    for (seed, path) in CAPTURES.into_iter().enumerate() {
        let stage = Stage { lossy: Some(seed as u64 + 41), ..Stage::default() };
        let reports = delivered(path, &conversation(path, 1, &stage), &stage);
        lost += reports.iter().map(|r| r.divergences.len()).sum::<usize>();
        assert!(reports.iter().all(|r| r.received * 2 > r.expected), "most of it comes: {reports:?}");
    }
    assert!(lost > 0, "nothing was lost");
}
