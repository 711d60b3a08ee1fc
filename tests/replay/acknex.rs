//! Acknex: datagrams without a session.

use crate::stage::{Stage, both, conversation, delivered};

#[test]
fn against_itself() {
    for path in ["acknex/acknex-sim-fixed.pcap", "acknex/acknex-silence.pcap", "acknex/acknex-a5.pcap"] {
        let stage = Stage::default();
        delivered(path, &conversation(path, 1, &stage), &stage);
    }
}

/// Nothing is sent again: what the network loses is lost. Both sides still say all they have.
#[test]
fn through_a_bad_network() {
    let stage = Stage { lossy: Some(41), ..Stage::default() };
    let played = conversation("acknex/acknex-silence.pcap", 1, &stage);
    for report in both(&played, &stage) {
        assert!(report.complete(), "{report}");
        assert!(report.heard > 0);
    }
}
