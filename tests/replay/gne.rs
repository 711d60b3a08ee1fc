//! GNE: the handshake, both byte orders, datagrams beside the stream.

use crate::replay::delivery::delivered;
use crate::replay::stage::{Stage, conversation};

const CAPTURES: [&str; 7] = [
    "gne/gne-le-udp-full.pcap",
    "gne/gne-be-udp-full.pcap",
    "gne/gne-be-udp-denied.pcap",
    "gne/gne-le-tcponly.pcap",
    "gne/gne-le-stock-exping.pcap",
    "gne/gne-le-v055-exping.pcap",
    "gne/gne-x64-trunk-be.pcap",
];

#[test]
fn against_itself() {
    for path in CAPTURES {
        let stage = Stage::default();
        delivered(path, &conversation(path, 1, &stage), &stage);
    }
}

/// The stream in odd chunks, and through the same gateway its datagrams, some of which are lost, duplicated and
/// reordered: all messages of the stream arrive.
#[test]
fn through_a_bad_network() {
    let mut lost = 0;
    for (seed, path) in CAPTURES.into_iter().enumerate() {
        let stage = Stage { lossy: Some(seed as u64 + 31), ..Stage::default() };
        let reports = delivered(path, &conversation(path, 1, &stage), &stage);
        lost += reports.iter().map(|r| r.divergences.len()).sum::<usize>();
    }
    assert!(lost > 0, "no datagram was lost or doubled");
}

#[test]
fn a_refusal_shows_what_the_server_has() {
    let stage = Stage::default();
    let played = conversation("gne/gne-le-tcponly.pcap", 1, &stage);
    let refusing = conversation("gne/gne-be-refused-user.pcap", 1, &stage);
    let [client, _] = crate::replay::stage::both_of([&played, &refusing], &stage);
    assert!(!client.complete());
    let why = client.ended.unwrap();
    assert!(why.contains("An exactly 31 bytes long title!") && why.contains("byte order be"), "{why}");
}
