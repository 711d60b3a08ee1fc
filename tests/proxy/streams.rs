//! Streams through a relay: bytes, half-closes, resets, refusals.

use crate::relay::{config, start};
use netkit::live::proxy::{Impairments, Rate};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// A guard against hanging, not a measure.
const GUARD: Duration = Duration::from_secs(30);

fn connect(at: std::net::SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

fn accept(listener: &TcpListener) -> TcpStream {
    let stream = listener.accept().unwrap().0;
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Bytes that do not repeat.
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
                // The client has said all, and still hears.
                writer.shutdown(Shutdown::Write).unwrap();
            });
            scope.spawn(move || {
                let mut came = Vec::new();
                server.read_to_end(&mut came).unwrap();
                assert!(came == *ups, "{} of {}", came.len(), ups.len());
                // Only now, behind the client's end.
                server.write_all(downs).unwrap();
            });
            let mut came = Vec::new();
            client.read_to_end(&mut came).unwrap();
            assert!(came == down, "{} of {}", came.len(), down.len());
        });
        let (counts, _) = relay.end();
        assert_eq!((counts.ways[0].bytes, counts.ways[1].bytes, counts.reset), (3_000_000, 2_000_000, 0));
    }
}

#[test]
fn a_reset_is_passed_on_behind_what_was_said() {
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

#[test]
fn a_server_that_is_not_there_resets_the_client() {
    let closed = listener().local_addr().unwrap();
    let relay = start(config(closed));
    let mut client = connect(relay.at);
    let error = client.read(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let (counts, told) = relay.end();
    assert_eq!((counts.refused, counts.reset), (1, 1));
    assert!(told.notes[0].contains("the server is not reached"), "{:?}", told.notes);
}

/// Who does not read holds up the sender, and nothing piles up in between.
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
    let came = relay.end().0.ways[0].bytes;
    assert!(came <= sent as u64);
}

#[test]
fn a_rate_holds_for_streams() {
    let listener = listener();
    let mut config = config(listener.local_addr().unwrap());
    let rate = Some(Rate { bits: 8_000_000, queue: 1000 });
    config.impairments[0] = Impairments { rate, ..Impairments::default() };
    let relay = start(config);
    let mut client = connect(relay.at);
    let mut server = accept(&listener);
    let begin = std::time::Instant::now();
    client.write_all(&bytes(200_000)).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut came = Vec::new();
    server.read_to_end(&mut came).unwrap();
    assert!(came == bytes(200_000));
    // Never sooner than a megabyte a second allows; later is the machine's business.
    assert!(begin.elapsed() >= Duration::from_millis(199));
    drop(server);
    relay.end();
}
