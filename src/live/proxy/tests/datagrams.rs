//! Datagrams through a relay.

use super::late::{ensure, unless_late};
use super::relay::{config, start};
use super::sockets::{Receive, closed_udp};
use crate::capture::{Body, Capture, Decoded, Input, Packets};
use crate::live::proxy::{Impairments, Loss};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A guard against hanging, not a measurement.
const GUARD: Duration = super::sockets::HANG;

/// A socket with a guard against hanging.
pub fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(GUARD)).unwrap();
    socket
}

/// The payloads of all datagrams of a capture, with their senders.
fn payloads(path: &std::path::Path) -> Vec<(SocketAddr, Vec<u8>)> {
    let file = std::fs::File::open(path).unwrap();
    let Ok(capture) = Capture::new(Input::new(Box::new(file)).unwrap()) else { return Vec::new() };
    let (mut packets, mut list) = (Packets::new(capture), Vec::new());
    while let Ok(Some(item)) = packets.next() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            list.push((packet.src, payload.to_vec()));
        }
    }
    list
}

#[test]
fn all_captures_pass_byte_for_byte_and_in_order() {
    let server = socket();
    let relay = start(config(server.local_addr().unwrap()));
    let client = socket();
    client.connect(relay.at).unwrap();
    let (mut sent, mut buffer) = (0u64, vec![0; 1 << 16]);
    for path in super::files::all_fixtures().into_iter().filter(|path| super::files::ends_in(path, "pcap")) {
        for (_, payload) in payloads(&path) {
            // To the server and back, one at a time, so that no buffer overflows.
            client.send(&payload).unwrap();
            let (length, from) = server.receive_from(&mut buffer).unwrap();
            assert_eq!(buffer[..length], payload[..], "{}", path.display());
            server.send_to(&payload, from).unwrap();
            let length = client.receive(&mut buffer).unwrap();
            assert_eq!(buffer[..length], payload[..], "{}", path.display());
            sent += 1;
        }
    }
    assert!(sent > 5000, "{sent}");
    // Many at once keep their order.
    for n in 0..200u32 {
        client.send(&n.to_be_bytes()).unwrap();
    }
    for n in 0..200u32 {
        let (length, _) = server.receive_from(&mut buffer).unwrap();
        assert_eq!(buffer[..length], n.to_be_bytes());
    }
    let (counts, reported) = relay.end();
    assert_eq!(
        [counts.directions[0].arrived, counts.directions[0].passed, counts.directions[1].passed],
        [sent + 200, sent + 200, sent]
    );
    assert!(reported.notes.is_empty() && counts.clients == 1, "{:?}", reported.notes);
}

#[test]
fn every_client_has_a_socket_of_its_own() {
    let server = socket();
    let relay = start(config(server.local_addr().unwrap()));
    let clients: Vec<UdpSocket> = (0..20).map(|_| socket()).collect();
    let mut buffer = [0; 64];
    let mut seen = std::collections::BTreeSet::new();
    for (n, client) in clients.iter().enumerate() {
        client.connect(relay.at).unwrap();
        client.send(&[n as u8]).unwrap();
        let (_, from) = server.receive_from(&mut buffer).unwrap();
        assert!(seen.insert(from), "{from} twice");
        server.send_to(&[buffer[0], 9], from).unwrap();
    }
    for (n, client) in clients.iter().enumerate() {
        assert_eq!((client.receive(&mut buffer).unwrap(), &buffer[..2]), (2, &[n as u8, 9][..]));
    }
    assert_eq!(relay.end().0.clients, 20);
}

#[test]
fn more_clients_than_allowed_are_turned_away() {
    let server = socket();
    let relay = start(crate::live::proxy::relay::Config { clients: 3, ..config(server.local_addr().unwrap()) });
    // All stay open: a port that is free again may be the next client's, which then counts as the same.
    let clients: Vec<UdpSocket> = (0..10).map(|_| socket()).collect();
    for (client, n) in clients.iter().zip(0u8..) {
        client.send_to(&[n], relay.at).unwrap();
    }
    let mut buffer = [0; 8];
    let arrived: Vec<u8> = (0..3).map(|_| server.receive_from(&mut buffer).map(|_| buffer[0]).unwrap()).collect();
    assert_eq!(arrived, [0, 1, 2]);
    // When the last of them arrives, the relay has read all that were sent before.
    let known = socket();
    known.send_to(&[99], relay.at).unwrap();
    clients[0].send_to(&[100], relay.at).unwrap();
    assert_eq!((server.receive(&mut buffer).unwrap(), buffer[0]), (1, 100));
    let (counts, _) = relay.end();
    assert_eq!((counts.clients, counts.turned_away), (3, 8));
}

#[test]
fn the_seed_decides_what_is_lost() {
    let run = |seed| {
        let server = socket();
        let loss = Some(Loss { share: 0.3, burst: Some(2.0) });
        let mut config = config(server.local_addr().unwrap());
        config.seed = seed;
        config.impairments = [Impairments { loss, duplicate: 0.1, ..Impairments::default() }, Impairments::default()];
        let relay = start(config);
        let client = socket();
        client.connect(relay.at).unwrap();
        for n in 0..300u32 {
            client.send(&n.to_be_bytes()).unwrap();
        }
        // Sends one after them until it arrives.
        let mut arrived: Vec<u32> = Vec::new();
        let mut buffer = [0; 64];
        server.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let begin = std::time::Instant::now();
        loop {
            match server.receive_from(&mut buffer) {
                Ok((4, _)) => arrived.push(u32::from_be_bytes(buffer[..4].try_into().unwrap())),
                Ok(_) => break,
                Err(_) => _ = client.send(&[1]).unwrap(),
            }
            assert!(begin.elapsed() < GUARD);
        }
        let (counts, reported) = relay.end();
        let ups = reported.outcomes.len() as u64;
        assert_eq!(
            (
                counts.directions[0].arrived,
                counts.directions[0].arrived - counts.directions[0].lost + counts.directions[0].copies
            ),
            (ups, counts.directions[0].passed)
        );
        let outcomes: Vec<_> = reported.outcomes.into_iter().take(300).collect();
        let wanted: Vec<u32> = outcomes
            .iter()
            .zip(0..)
            .filter(|((_, lost, ..), _)| lost.is_none())
            .flat_map(|((_, _, copies, _), n)| std::iter::repeat_n(n, 1 + *copies as usize))
            .collect();
        assert_eq!(arrived, wanted, "what arrived is what was reported");
        outcomes
    };
    let first = run(7);
    assert_eq!(first, run(7));
    assert!(
        first != run(8)
            && first.iter().any(|outcome| outcome.1 == Some("lost"))
            && first.iter().any(|outcome| outcome.2 > 0)
    );
}

#[test]
fn a_closed_port_is_reported_once() {
    let relay = start(config(closed_udp()));
    let client = socket();
    client.connect(relay.at).unwrap();
    let begin = std::time::Instant::now();
    // Until it was reported, and some more, so that it could be reported again.
    let mut more = 0..20;
    while !relay.has_noted() || more.next().is_some() {
        client.send(b"x").unwrap();
        std::thread::sleep(Duration::from_millis(10));
        assert!(begin.elapsed() < GUARD);
    }
    let (counts, reported) = relay.end();
    assert!(counts.refused > 0);
    assert_eq!(reported.notes.len(), 1, "{:?}", reported.notes);
    assert!(reported.notes[0].contains("the server's port is closed"));
}

/// A delayed datagram that the system refuses is reported, so that no recording goes on to wait for it.
#[test]
fn a_delayed_datagram_that_is_refused_waits_no_longer() {
    let mut config = config(closed_udp());
    config.impairments[0].delay = Duration::from_millis(1);
    let relay = start(config);
    let client = socket();
    client.connect(relay.at).unwrap();
    let (dropped, begin) = (relay.dropped(), std::time::Instant::now());
    // Of several that are due at once, the system refuses those after the first.
    while dropped.load(Ordering::Relaxed) == 0 {
        client.send(b"x").unwrap();
        assert!(begin.elapsed() < GUARD);
    }
    let (counts, _) = relay.end();
    assert_eq!(dropped.load(Ordering::Relaxed), counts.directions[0].unsent);
}

/// A number that is sent three times, with at most one flipped bit.
fn number(bytes: &[u8]) -> u32 {
    let all = [0, 4, 8].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()));
    if all[0] == all[2] { all[0] } else { all[1] }
}

/// The counts of a direction are the sums of its packets' reports; the count of reordered ones is that of the server,
/// without copies.
#[test]
fn counts_are_those_of_the_packets() {
    let server = socket();
    let mut config = config(server.local_addr().unwrap());
    let loss = Some(Loss { share: 0.2, burst: None });
    let up = Impairments { loss, duplicate: 0.3, reorder: 0.3, corrupt: 0.1, ..Impairments::default() };
    config.impairments = [up, Impairments::default()];
    let relay = start(config);
    let client = socket();
    client.connect(relay.at).unwrap();
    server.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (mut buffer, begin) = ([0; 64], std::time::Instant::now());
    let (mut sent, mut arrived) = (0u32, Vec::new());
    // Until enough have arrived, whatever the system itself has dropped.
    while arrived.len() < 200 {
        // Three times, so that a flipped bit does no harm.
        client.send(&[sent.to_be_bytes(); 3].concat()).unwrap();
        sent += 1;
        while arrived.len() < sent as usize / 2 && server.receive_from(&mut buffer).is_ok() {
            arrived.push(number(&buffer));
        }
        assert!(begin.elapsed() < GUARD);
    }
    while server.receive_from(&mut buffer).is_ok() {
        arrived.push(number(&buffer));
    }
    let (counts, reported) = relay.end();
    // What the relay sent before its end.
    server.set_nonblocking(true).unwrap();
    while server.recv_from(&mut buffer).is_ok() {
        arrived.push(number(&buffer));
    }
    let direction = &counts.directions[0];
    assert_eq!(direction.arrived, reported.outcomes.len() as u64);
    assert_eq!(direction.lost, reported.outcomes.iter().filter(|outcome| outcome.1 == Some("lost")).count() as u64);
    assert_eq!(direction.copies, reported.outcomes.iter().map(|outcome| u64::from(outcome.2)).sum::<u64>());
    // Counts the first arrival of each number, if a higher one arrived before.
    let (mut highest, mut seen, mut late) = (0, std::collections::BTreeSet::new(), 0);
    for number in arrived {
        late += u64::from(seen.insert(number) && number < highest);
        highest = highest.max(number);
    }
    assert_eq!(direction.reordered, late);
    let meant = reported.outcomes.iter().filter(|outcome| outcome.3).count() as u64;
    assert!((1..=meant).contains(&late), "{late} of {meant}");
    assert!(direction.lost > 0 && direction.copies > 0 && direction.corrupted > 0, "{direction:?}");
    // A burst of losses ends at a packet that was not lost.
    let rows = reported.outcomes.chunk_by(|a, b| a.1 == b.1).filter(|row| row[0].1 == Some("lost")).count() as u64;
    assert_eq!(direction.runs, rows);
}

/// Half of all packets are sent after the next one: each swapped pair counts as one reordered packet. A packet does not
/// wait long for the next one, so a pair that is sent too slowly keeps its order: then the run is repeated.
#[test]
fn pairs_that_are_turned_round_count_once() {
    for duplicate in [0.0, 1.0] {
        unless_late(Duration::from_millis(100), 0..20, |_| all_turn_round(duplicate));
    }
}

/// Returns an error unless all of 50 pairs arrive in the reversed order. Copies follow the packet that they are of.
fn all_turn_round(duplicate: f64) -> Result<(), String> {
    let server = socket();
    let mut config = config(server.local_addr().unwrap());
    config.impairments = [Impairments { reorder: 1.0, duplicate, ..Impairments::default() }, Impairments::default()];
    let relay = start(config);
    let client = socket();
    client.connect(relay.at).unwrap();
    let (mut buffer, mut turned) = ([0; 8], 0);
    for n in 0..50u8 {
        let (first, second) = (2 * n, 2 * n + 1);
        client.send(&[first]).unwrap();
        client.send(&[second]).unwrap();
        let wanted = if duplicate > 0.0 { vec![second, first, first, second] } else { vec![second, first] };
        let mut order = Vec::new();
        for _ in &wanted {
            assert_eq!(server.receive(&mut buffer).unwrap(), 1);
            order.push(buffer[0]);
        }
        turned += u64::from(order == wanted);
        let mut sorted = [order, wanted];
        sorted.iter_mut().for_each(|list| list.sort_unstable());
        assert_eq!(sorted[0], sorted[1], "each arrives");
    }
    let (counts, _) = relay.end();
    let direction = &counts.directions[0];
    assert_eq!(direction.copies, if duplicate > 0.0 { 100 } else { 0 });
    assert_eq!((direction.arrived, direction.passed), (100, 100 + direction.copies));
    if turned == 50 {
        assert_eq!(direction.reordered, 50);
    }
    ensure(turned == 50, format!("duplicate {duplicate}: {turned} of 50 pairs"))
}
