//! Acknex: datagrams without a session.

use crate::replay::delivery::delivered;
use crate::replay::simulated::vanishing;
use crate::replay::stage::{Stage, conversation};
use std::time::Duration;

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

/// In the live game, the capture's number may be that of another player's entity.
#[test]
fn nothing_is_sent_about_an_entity_that_the_live_server_has_not_made() {
    let stage = Stage::default();
    let played = conversation("acknex/acknex-silence.pcap", 1, &stage);
    let [client, _] = vanishing([&played; 2], &stage, Duration::ZERO).reports;
    // Two skills and a skill3 in frame 16, and the remove.
    let frames: Vec<u64> = client.unsent.iter().map(|unsent| unsent.frame).collect();
    assert_eq!(frames, [16, 16, 16, 17], "{client}");
    let why = "the live server has not made entity 7 of the capture";
    assert!(client.unsent.iter().all(|unsent| unsent.why == why), "{client}");
}
