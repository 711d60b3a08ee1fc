//! DNP: messages, parts, links.

use crate::common::Receive;
use crate::replay::delivery::delivered;
use crate::replay::stage::{Stage, conversation, to};
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CAPTURES: [(&str, u64); 5] = [
    ("dnp/dnp-basic.pcap", 1),
    ("dnp/dnp-basic.pcap", 2),
    ("dnp/dnp-types.pcap", 1),
    ("dnp/dnp-ipv6.pcap", 1),
    ("dnp/dnp-python.pcap", 2),
];

/// The libraries resend after half a second; the tests sooner.
const SOON: &[&str] = &["dnp.resend=50ms"];

/// A server that has no timeout keeps a place for each client until the close: also if its acknowledge is lost, or it
/// acknowledges no message. One that refuses has no place.
#[test]
fn a_server_that_seems_silent_gets_a_close() {
    let soon = Duration::from_millis(400);
    // The refusal has to arrive in time, and ends the session.
    for (answer, closes, timeout) in
        [(None, true, soon), (Some([1, 0, 0, 0]), true, soon), (Some([1, 1, 0, 0]), false, Duration::from_secs(20))]
    {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        let at = socket.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        let server = std::thread::spawn(move || {
            let (mut buffer, mut kinds) = ([0; 2048], Vec::new());
            loop {
                // What was sent before the end is there already: it is read first.
                let last = ended.load(Ordering::SeqCst);
                let (length, client) = match socket.receive_from(&mut buffer) {
                    Ok(received) => received,
                    Err(_) if last => break,
                    Err(_) => continue,
                };
                kinds.push(buffer[0]);
                if let Some(answer) = answer.filter(|_| length > 0 && buffer[0] == 0) {
                    // A refusal has two bytes.
                    let length = if closes { 4 } else { 2 };
                    socket.send_to(&answer[..length], client).unwrap();
                }
            }
            kinds
        });
        let stage = Stage { set: SOON, ..Stage::default() };
        let report = to(at, &conversation("dnp/dnp-basic.pcap", 1, &stage), &stage, timeout);
        // The last datagrams are there already.
        std::thread::sleep(Duration::from_millis(50));
        over.store(true, Ordering::SeqCst);
        let kinds = server.join().unwrap();
        assert!(!report.complete(), "{report}");
        assert_eq!(kinds.contains(&2), closes, "{answer:?}: {kinds:?}");
    }
}

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
