//! Riptide: all wire families, UDP and TCP.

use crate::common::Receive;
use crate::replay::delivery::delivered;
use crate::replay::simulated::{CLOCK, simulated};
use crate::replay::stage::{Stage, conversation, to};
use netkit::dissect::Role;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::time::Duration;

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

/// Both sides learn the round trip from heartbeats, as the library does: then nothing is resent too soon.
#[test]
fn the_round_trip_is_learned() {
    let stage = Stage { latency: Some(Duration::from_millis(100)), ..Stage::default() };
    let played = simulated(&conversation("riptide/riptide22-lossy.pcap", 1, &stage), &stage, CLOCK, 0);
    let start = played.log[0].at;
    for side in [0, 1] {
        let mut sent = BTreeSet::new();
        let mut again = 0;
        // Reliable messages: 2.2's type 7.
        for one in played.log.iter().filter(|one| one.side == side && one.bytes[0] & 15 == 7) {
            let learned = one.at.duration_since(start) > Duration::from_secs(4);
            again += usize::from(!sent.insert(&one.bytes) && learned);
        }
        assert!(again == 0 && sent.len() > 50, "side {side}: {again} of {}", sent.len());
    }
}

/// A server without heartbeats gets the time of a tick, and the report explains that.
#[test]
fn as_soon_as_possible_without_heartbeats() {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let at = socket.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut buffer, mut kinds) = ([0; 2048], Vec::new());
        // 2.2: the type is in the first four bits; a disconnect is the last.
        while kinds.last() != Some(&5) {
            let (length, client) = socket.receive_from(&mut buffer).unwrap();
            kinds.push(buffer[0] & 15);
            let answer: &[u8] = match kinds.last() {
                Some(2) => &[0x18, 0, 0x10, 0, 0],
                Some(8) => &[0x11, 0, 0x10, 0, 0],
                _ => continue,
            };
            assert!(length > 0);
            socket.send_to(answer, client).unwrap();
        }
        kinds
    });
    let stage = Stage { drop: Some("message == reliable and from == client"), ..Stage::default() };
    let report = to(at, &conversation("real/asap-first-notify.pcap", 1, &stage), &stage, Duration::from_secs(5));
    let kinds = server.join().unwrap();
    let place = |kind: u8| kinds.iter().position(|known| *known == kind).unwrap();
    assert!(place(8) < place(4) && place(4) < place(6), "a welcome, a heartbeat, and then the notify: {kinds:?}");
    assert!(report.remarks.iter().any(|remark| remark.contains("answers no heartbeat")), "{report}");
}

/// A server that closes the stream instead of its acknowledgement: all was sent, and the session is not complete.
#[test]
fn a_server_that_closes_without_an_acknowledgement() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        loop {
            let mut length = [0; 4];
            stream.read_exact(&mut length).unwrap();
            let mut message = vec![0; u32::from_le_bytes(length) as usize];
            stream.read_exact(&mut message).unwrap();
            // 2.2: the answers to a connect and to a welcome, after their length.
            let answer: [u8; 9] = match message[0] & 15 {
                2 => [5, 0, 0, 0, 0x18, 0, 0x10, 0, 0],
                8 => [5, 0, 0, 0, 0x11, 0, 0x10, 0, 0],
                7 => return,
                _ => continue,
            };
            stream.write_all(&answer).unwrap();
        }
    });
    let stage = Stage::default();
    let mut played = conversation("riptide/riptide22-tcp.pcap", 1, &stage);
    // Nothing of the server is awaited, and the first reliable message is the last one.
    played.messages.retain(|m| m.decoded.from == Role::Client || m.decoded.message == "welcome");
    let reliable = played.messages.iter().position(|m| m.decoded.message == "reliable").unwrap();
    played.messages.truncate(reliable + 1);
    let report = to(at, &played, &stage, Duration::from_secs(60));
    server.join().unwrap();
    assert_eq!((report.sent, report.counts.unacknowledged), (report.steps, 1), "{report}");
    assert!(!report.complete(), "{report}");
}

/// A refusal is reported once, with its data, and not again for each message that is not sent because of it.
#[test]
fn refused_with_data() {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let at = socket.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (length, client) = socket.receive_from(&mut [0; 2048]).unwrap();
        // 2.0: rejected, with the application's data.
        socket.send_to(&[4, 5, 0xca, 0xfe], client).unwrap();
        length
    });
    let stage = Stage::default();
    let report = to(at, &conversation("riptide/riptide20-udp.pcap", 1, &stage), &stage, Duration::from_secs(5));
    assert!(server.join().unwrap() > 0);
    assert!(report.unsent.len() > 3 && !report.complete(), "{report}");
    let text = report.to_string();
    assert_eq!((text.matches("cafe").count(), text.matches("not sent").count()), (1, 1), "{text}");
}
