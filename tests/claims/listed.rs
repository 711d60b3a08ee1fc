//! The list that `-v` prints of unclaimed conversations.

use super::{Wire, ends};

fn report(wire: &Wire) -> String {
    crate::common::run(&["decode", "-", "-v"], &wire.file()).err
}

#[test]
fn ends_packets_bytes_and_what_it_looks_like() {
    let mut wire = Wire::default();
    wire.datagram(ends(1), true, &[0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3]);
    wire.datagram(ends(1), false, &[1, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3]);
    wire.stream(ends(2), &[(true, b"\x16\x03\x01\x00\x20\x01hello, hello, hello, hello".to_vec())]);
    wire.datagram(ends(3), true, &[0xee, 0xdd, 0xcc]);
    let report = report(&wire);
    let lines: Vec<&str> = report.lines().collect();
    let at = lines.iter().position(|line| line.contains("by bytes")).expect("a list");
    assert!(lines[at].contains("--port PORT=PROTO"), "{report}");
    assert_eq!(
        lines[at + 1..at + 4],
        [
            "netkit:   tcp 10.1.0.2:40000 - 10.2.0.2:41000: 3 packets, 32 bytes, 16030100200168656c6c6f2c2068656c: looks like TLS",
            "netkit:   udp 10.1.0.1:40000 - 10.2.0.1:41000: 2 packets, 22 bytes, 000100002112a442010203, answer \
             010100002112a442010203: looks like STUN",
            "netkit:   udp 10.1.0.3:40000 - 10.2.0.3:41000: 1 packet, 3 bytes, eeddcc",
        ]
    );
    assert!(report.contains("netkit: 3 tcp packets are of no known protocol"), "{report}");
    assert!(report.contains("netkit: 3 udp packets are of no known protocol"), "{report}");
}

/// However many conversations there are, the list and the memory are bounded, and the list reports that it is
/// incomplete.
#[test]
fn many_are_counted() {
    let mut wire = Wire::default();
    for k in 0..3000 {
        wire.datagram(ends(k), true, &vec![0xee; 1 + k % 700]);
    }
    let report = report(&wire);
    let listed: Vec<&str> = report.lines().filter(|line| line.starts_with("netkit:   udp")).collect();
    assert_eq!(listed.len(), 20);
    assert!(
        listed[0].starts_with("netkit:   udp 10.1.2.187:40000 - 10.2.2.187:41000: 1 packet, 700 bytes, "),
        "{}",
        listed[0]
    );
    assert!(report.contains("netkit:   and 2980 more conversations"), "{report}");
}

/// With `--redact`, the first bytes are others.
#[test]
fn redacted_bytes_are_others() {
    let mut wire = Wire::default();
    wire.stream(ends(1), &[(true, b"USER alice\r\nPASS hunter2\r\n".to_vec())]);
    let listed = |more: &[&str]| {
        let report = crate::common::run(&[&["decode", "-", "-v"], more].concat(), &wire.file()).err;
        let line = report.lines().find(|line| line.starts_with("netkit:   tcp ")).expect("a conversation");
        line.split(", ").nth(2).expect("bytes").split(':').next().expect("hex").to_owned()
    };
    // "USER alice", an end of a line, "PASS".
    let [own, other] = [listed(&[]), listed(&["--redact"])];
    assert_eq!(own, "5553455220616c6963650d0a50415353");
    assert!(other.len() == own.len() && other != own, "{other}");
}
