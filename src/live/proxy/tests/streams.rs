//! Streams through a relay: bytes, half-closes, resets, refusals.

use super::relay::{config, start};
use super::sockets::closed_tcp;
use crate::live::proxy::Impairments;
use crate::live::proxy::impairments::Rate;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// A guard against hanging, not a measurement.
const GUARD: Duration = super::sockets::HANG;

fn connect(at: std::net::SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

/// Reads from a new connection. If it is reset at once, connecting itself may fail.
fn connected_and_read(at: std::net::SocketAddr) -> std::io::Result<usize> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(GUARD))?;
    stream.read(&mut [0; 8])
}

fn accept(listener: &TcpListener) -> TcpStream {
    let stream = listener.accept().unwrap().0;
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Bytes without a repeating pattern.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|n| (n as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[0]).collect()
}

#[test]
fn every_byte_both_ways_at_once_and_half_closes() {
    for delay in [0, 20] {
        let listener = listener();
        let mut config = config(listener.local_addr().unwrap());
        let delay = Duration::from_millis(delay);
        config.impairments = [0, 1].map(|_| Impairments { delay, jitter: delay / 2, ..Impairments::default() });
        let relay = start(config);
        let (up, down) = (bytes(3_000_000), bytes(2_000_000));
        let mut client = connect(relay.at);
        let mut server = accept(&listener);
        std::thread::scope(|scope| {
            let mut writer = client.try_clone().unwrap();
            let (ups, downs) = (&up, &down);
            scope.spawn(move || {
                writer.write_all(ups).unwrap();
                // The client has sent everything, and still receives.
                writer.shutdown(Shutdown::Write).unwrap();
            });
            scope.spawn(move || {
                let mut arrived = Vec::new();
                server.read_to_end(&mut arrived).unwrap();
                assert!(arrived == *ups, "{} of {}", arrived.len(), ups.len());
                // Only now, after the client's end.
                server.write_all(downs).unwrap();
            });
            let mut arrived = Vec::new();
            client.read_to_end(&mut arrived).unwrap();
            assert!(arrived == down, "{} of {}", arrived.len(), down.len());
        });
        let (counts, _) = relay.end();
        assert_eq!((counts.directions[0].bytes, counts.directions[1].bytes, counts.reset), (3_000_000, 2_000_000, 0));
    }
}

#[test]
fn a_reset_is_passed_on_after_earlier_bytes() {
    let listener = listener();
    let relay = start(config(listener.local_addr().unwrap()));
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    client.write_all(b"last words").unwrap();
    let mut words = [0; 10];
    server.read_exact(&mut words).unwrap();
    assert_eq!(&words, b"last words");
    socket2::SockRef::from(&server).set_linger(Some(Duration::ZERO)).unwrap();
    drop(server);
    let error = client.read(&mut words).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(relay.end().0.reset, 1);
}

/// A server leaves while its last bytes are delayed, and the client still sends to it. The client gets them, and then
/// the end that the server made: a half-close, or a reset if the server had not read everything.
#[test]
fn last_bytes_outlive_a_failed_write() {
    std::thread::scope(|scope| {
        for unread in [false, true] {
            scope.spawn(move || last_bytes(unread));
        }
    });
}

fn last_bytes(unread: bool) {
    let listener = listener();
    let mut config = config(listener.local_addr().unwrap());
    config.impairments[1].delay = Duration::from_secs(5);
    let relay = start(config);
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    client.write_all(b"hello").unwrap();
    while server.peek(&mut [0; 5]).unwrap() < 5 {}
    if !unread {
        server.read_exact(&mut [0; 5]).unwrap();
    }
    server.write_all(b"goodbye").unwrap();
    drop(server);
    for _ in 0..5 {
        client.write_all(b"x").unwrap();
        // The system's response to data that nobody reads takes some time.
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut last = [0; 7];
    client.read_exact(&mut last).unwrap();
    assert_eq!(&last, b"goodbye", "{unread}");
    match client.read(&mut last) {
        Ok(length) => assert_eq!((unread, length), (false, 0)),
        Err(error) => assert_eq!((unread, error.kind()), (true, ErrorKind::ConnectionReset)),
    }
    let begin = std::time::Instant::now();
    while client.write_all(b"x").is_ok() {
        assert!(begin.elapsed() < GUARD, "nobody resets it");
        std::thread::sleep(Duration::from_millis(5));
    }
    let counts = relay.end().0;
    assert_eq!((counts.directions[1].passed, counts.reset), (1, 1));
}

/// A reset by chance follows the bytes that arrived before it.
#[test]
fn a_reset_by_chance_follows_the_bytes_before_it() {
    let listener = listener();
    let mut config = config(listener.local_addr().unwrap());
    let delay = Duration::from_millis(300);
    // This seed resets the tenth chunk.
    config.seed = 3;
    config.impairments[0] = Impairments { delay, reset: 0.12, ..Impairments::default() };
    let relay = start(config);
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    while client.write_all(b"x").is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut arrived = Vec::new();
    let error = server.read_to_end(&mut arrived).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let (counts, reported) = relay.end();
    assert!(reported.passed > 1 && arrived.len() == reported.passed, "{} of {}", arrived.len(), reported.passed);
    assert_eq!((counts.directions[0].passed + 1, counts.reset), (counts.directions[0].arrived, 1));
    assert_eq!(reported.outcomes.last(), Some(&("up", Some("reset"), 0, false)));
}

#[test]
fn a_server_that_is_not_there_resets_the_client() {
    let relay = start(config(closed_tcp()));
    let error = connected_and_read(relay.at).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let (counts, reported) = relay.end();
    assert_eq!((counts.refused, counts.reset), (1, 1));
    assert!(reported.notes[0].contains("the server cannot be reached"), "{:?}", reported.notes);
}

/// A slow reader slows its sender, and no bytes pile up in between.
#[test]
fn a_slow_reader_holds_up_the_sender() {
    let listener = listener();
    let relay = start(config(listener.local_addr().unwrap()));
    let mut client = connect(relay.at);
    let server = accept(&listener);
    client.set_nonblocking(true).unwrap();
    let (chunk, mut sent, mut waits) = (vec![7; 1 << 16], 0usize, 0);
    while waits < 20 {
        match client.write(&chunk) {
            Ok(n) => (sent, waits) = (sent + n, 0),
            Err(_) => {
                waits += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        assert!(sent < 64 << 20, "nobody stops it");
    }
    drop(server);
    drop(client);
    let arrived = relay.end().0.directions[0].bytes;
    assert!(arrived <= sent as u64);
}

#[test]
fn a_rate_holds_for_streams() {
    let listener = listener();
    let mut config = config(listener.local_addr().unwrap());
    let rate = Some(Rate { bits: 8_000_000, queue: 1000, payload: true });
    config.impairments[0] = Impairments { rate, ..Impairments::default() };
    let relay = start(config);
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    let begin = std::time::Instant::now();
    client.write_all(&bytes(200_000)).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut arrived = Vec::new();
    server.read_to_end(&mut arrived).unwrap();
    assert!(arrived == bytes(200_000));
    // Never sooner than a megabyte a second allows; later depends on the machine.
    assert!(begin.elapsed() >= Duration::from_millis(199));
    drop(server);
    relay.end();
}

/// All TCP payloads of a capture, concatenated.
fn payload(path: &std::path::Path) -> Vec<u8> {
    use crate::capture::{Body, Capture, Decoded, Input, Packets};
    let file = std::fs::File::open(path).unwrap();
    let Ok(capture) = Capture::new(Input::new(Box::new(file)).unwrap()) else { return Vec::new() };
    let (mut packets, mut bytes) = (Packets::new(capture), Vec::new());
    while let Ok(Some(item)) = packets.next() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Tcp(segment) = packet.body
        {
            bytes.extend_from_slice(segment.payload);
        }
    }
    bytes
}

#[test]
fn all_captures_pass_byte_for_byte() {
    let listener = listener();
    let relay = start(config(listener.local_addr().unwrap()));
    let mut all = 0;
    for path in super::files::all_fixtures().into_iter().filter(|path| super::files::ends_in(path, "pcap")) {
        let bytes = payload(&path);
        if bytes.is_empty() {
            continue;
        }
        let mut client = connect(relay.at);
        let mut server = accept(&listener);
        std::thread::scope(|scope| {
            let bytes = &bytes;
            let mut writer = client.try_clone().unwrap();
            scope.spawn(move || {
                // In chunks of odd sizes.
                bytes.chunks(1 + bytes.len() % 1371).for_each(|chunk| writer.write_all(chunk).unwrap());
                writer.shutdown(Shutdown::Write).unwrap();
            });
            scope.spawn(move || {
                let mut arrived = Vec::new();
                server.read_to_end(&mut arrived).unwrap();
                assert!(arrived == *bytes, "{}", path.display());
                server.write_all(&arrived).unwrap();
            });
            let mut arrived = Vec::new();
            client.read_to_end(&mut arrived).unwrap();
            assert!(arrived == *bytes);
        });
        all += bytes.len() as u64;
    }
    assert!(all > 100_000, "{all}");
    let counts = relay.end().0;
    assert_eq!([counts.directions[0].bytes, counts.directions[1].bytes], [all, all]);
}

#[test]
fn more_streams_than_allowed_are_reset_and_places_become_free() {
    let listener = listener();
    let relay = start(crate::live::proxy::relay::Config { clients: 2, ..config(listener.local_addr().unwrap()) });
    let held: Vec<(TcpStream, TcpStream)> = (0..2).map(|_| (connect(relay.at), accept(&listener))).collect();
    for _ in 0..5 {
        // Connected by the system, then reset.
        let ended = connected_and_read(relay.at);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
    drop(held);
    // A client is served as soon as the relay has seen both ends of a connection, and reset before.
    let server = std::thread::spawn(move || accept(&listener).write_all(b"y").unwrap());
    let begin = std::time::Instant::now();
    loop {
        match connected_and_read(relay.at) {
            Err(error) if error.kind() == ErrorKind::ConnectionReset => assert!(begin.elapsed() < GUARD),
            served => break assert_eq!(served.unwrap(), 1),
        }
    }
    server.join().unwrap();
    let (counts, _) = relay.end();
    assert!(counts.turned_away >= 5 && counts.clients == 3, "{counts:?}");
}

/// A client that sends a byte now and then, or nothing, delays no other client.
#[test]
fn silent_and_slow_clients_hold_up_nobody() {
    let listener = listener();
    let relay = start(config(listener.local_addr().unwrap()));
    let silent: Vec<TcpStream> = (0..20).map(|_| connect(relay.at)).collect();
    let _accepted: Vec<TcpStream> = (0..20).map(|_| accept(&listener)).collect();
    let mut slow = connect(relay.at);
    let mut following = accept(&listener);
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    for n in 0..50u8 {
        slow.write_all(&[n]).unwrap();
        client.write_all(&[n; 1000]).unwrap();
        let mut arrived = [0; 1000];
        server.read_exact(&mut arrived).unwrap();
        assert_eq!(arrived, [n; 1000]);
    }
    let mut arrived = [0; 50];
    following.read_exact(&mut arrived).unwrap();
    assert_eq!(arrived.to_vec(), (0..50).collect::<Vec<u8>>());
    drop(silent);
    relay.end();
}
