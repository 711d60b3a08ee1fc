//! DNP: messages, parts, links.

use crate::replay::delivery::delivered;
use crate::replay::stage::{Stage, conversation};

const CAPTURES: [(&str, u64); 5] = [
    ("dnp/dnp-basic.pcap", 1),
    ("dnp/dnp-basic.pcap", 2),
    ("dnp/dnp-types.pcap", 1),
    ("dnp/dnp-ipv6.pcap", 1),
    ("dnp/dnp-python.pcap", 2),
];

/// The libraries resend after half a second; the tests sooner.
const SOON: &[&str] = &["dnp.resend=50ms"];

#[test]
fn against_itself() {
    for (path, flow) in CAPTURES {
        let stage = Stage { set: SOON, ..Stage::default() };
        delivered(path, &conversation(path, flow, &stage), &stage);
    }
}

#[test]
fn through_a_bad_network() {
    let mut resent = 0;
    for (seed, (path, flow)) in CAPTURES.into_iter().enumerate() {
        let stage = Stage { set: SOON, lossy: Some(seed as u64 + 11), ..Stage::default() };
        let reports = delivered(path, &conversation(path, flow, &stage), &stage);
        resent += reports.iter().map(|r| r.counts.resent).sum::<u64>();
    }
    assert!(resent > 0, "nothing was lost");
}
