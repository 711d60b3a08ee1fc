//! Hostile clients and servers, with rules: the proxy keeps running, stays within its limits, and serves other clients.
#![cfg(target_os = "linux")]

use crate::common::{Receive, peak_of};
use crate::proxy::command::{GUARD, Proxy};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

/// The most memory of a program that stores all that clients may make it store, and some more.
const MEMORY: usize = 400 << 20;
const HEARTBEAT: [u8; 4] = [3, 0, 0, 0];
const RULES: [&str; 8] = ["-p", "nano", "-f", "none", "--transport", "tcp", "--on", "message == heartbeat: drop"];

/// The peak memory of the proxy.
fn most(proxy: &Proxy) -> usize {
    let most = peak_of(proxy.id());
    assert!(most > 0, "the system reports no memory");
    most
}

fn proxy(args: &[&str]) -> (Proxy, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (Proxy::to(&listener.local_addr().unwrap().to_string(), args), listener)
}

fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(&proxy.at).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

fn accept(listener: &TcpListener) -> TcpStream {
    let stream = listener.accept().unwrap().0;
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream
}

/// Checks that another client is served as usual.
fn others_are_served(proxy: &Proxy, listener: &TcpListener) {
    let (mut client, mut server) = (connect(proxy), accept(listener));
    let notify = [4, 0, 0, 5, 2, 1, b'r', b'x', b'y'];
    client.write_all(&[&HEARTBEAT[..], &notify].concat()).unwrap();
    let mut arrived = [0; 9];
    server.read_exact(&mut arrived).unwrap();
    assert_eq!(arrived, notify);
}

#[test]
fn giant_lengths_and_half_messages_are_bounded() {
    let (proxy, listener) = proxy(&RULES);
    // 100 clients announce 16 MB each and send up to 3 MB of it, which no server reads.
    let pairs: Vec<(TcpStream, TcpStream)> = (0..100).map(|_| (connect(&proxy), accept(&listener))).collect();
    for (client, _) in &pairs {
        let mut client = client;
        client.set_nonblocking(true).unwrap();
        let _ = client.write(&[4, 0xff, 0xff, 0xff]);
        let (chunk, mut sent) = (vec![7; 1 << 16], 0);
        while sent < 3 << 20 {
            match client.write(&chunk) {
                Ok(taken) => sent += taken,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
    others_are_served(&proxy, &listener);
    // The sent bytes arrive, although no message was complete.
    let (client, mut server) = (connect(&proxy), accept(&listener));
    let spoken: Vec<u8> = [&[4, 0xff, 0xff, 0xff][..], &vec![9; 3 << 20]].concat();
    let bytes = spoken.clone();
    let writer = std::thread::spawn(move || {
        let mut client = client;
        client.write_all(&bytes).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
    });
    let mut arrived = Vec::new();
    server.read_to_end(&mut arrived).unwrap();
    writer.join().unwrap();
    assert!(arrived == spoken, "{} of {}", arrived.len(), spoken.len());
    assert!(most(&proxy) < MEMORY, "{}", most(&proxy));
    drop(pairs);
    proxy.end();
}

#[test]
fn many_half_open_streams_and_floods_of_small_messages() {
    let (proxy, listener) = proxy(&RULES);
    // A pair takes two open files of this process, which may have few. The test above takes 200 at the same time, others
    // some.
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    let halves: Vec<(TcpStream, TcpStream)> = (0..300.min(files.saturating_sub(224) / 2))
        .map(|n| {
            let mut pair = (connect(&proxy), accept(&listener));
            pair.0.write_all(&[4, 0, 9, 9][..1 + n as usize % 4]).unwrap();
            pair
        })
        .collect();
    // 100,000 messages that a rule drops, and a message byte by byte.
    let (mut client, mut server) = (connect(&proxy), accept(&listener));
    let flood = HEARTBEAT.repeat(100_000);
    let writer = std::thread::spawn(move || {
        client.write_all(&flood).unwrap();
        for byte in [4, 0, 0, 3, 2, 1, b'r'] {
            client.write_all(&[byte]).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        client.shutdown(Shutdown::Write).unwrap();
    });
    let mut arrived = Vec::new();
    server.read_to_end(&mut arrived).unwrap();
    writer.join().unwrap();
    assert_eq!(arrived, [4, 0, 0, 3, 2, 1, b'r'], "all but what was dropped");
    others_are_served(&proxy, &listener);
    assert!(most(&proxy) < MEMORY, "{}", most(&proxy));
    // The others reset or close their connections.
    for (n, (client, server)) in halves.into_iter().enumerate() {
        let which = if n % 2 == 0 { &client } else { &server };
        socket2::SockRef::from(which).set_linger((n % 3 == 0).then_some(Duration::ZERO)).unwrap();
    }
    others_are_served(&proxy, &listener);
    let (_, reported) = proxy.end();
    assert!(reported.contains("100003 dropped") || reported.contains("100002 dropped"), "{reported}");
}

/// A server that compresses a bomb, and one that sends nonsense after the upgrade.
#[test]
fn bombs_and_nonsense_in_frames() {
    let (proxy, listener) = proxy(&RULES);
    let (mut client, mut server) = (connect(&proxy), accept(&listener));
    let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let answer = b"HTTP/1.1 101 Up\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
    client.write_all(request).unwrap();
    server.read_exact(&mut vec![0; request.len()]).unwrap();
    server.write_all(answer).unwrap();
    client.read_exact(&mut vec![0; answer.len()]).unwrap();
    let mut press = flate2::Compress::new(flate2::Compression::best(), false);
    let mut packed = Vec::with_capacity(1 << 20);
    press.compress_vec(&vec![0; 60 << 20], &mut packed, flate2::FlushCompress::Sync).unwrap();
    packed.truncate(packed.len() - 4);
    let head = [&[0xc2, 127][..], &(packed.len() as u64).to_be_bytes()].concat();
    let spoken = [&head[..], &packed, &[0xc2, 3, 1, 2, 3], &[0x8f; 200], &[0xff; 4000]].concat();
    let bytes = spoken.clone();
    let writer = std::thread::spawn(move || {
        server.write_all(&bytes).unwrap();
        server.shutdown(Shutdown::Write).unwrap();
    });
    let mut arrived = Vec::new();
    client.read_to_end(&mut arrived).unwrap();
    writer.join().unwrap();
    assert!(arrived == spoken, "{} of {}", arrived.len(), spoken.len());
    others_are_served(&proxy, &listener);
    assert!(most(&proxy) < MEMORY, "{}", most(&proxy));
    proxy.end();
}

/// Datagrams from more addresses than the limit of clients, of every size.
#[test]
fn a_flood_of_datagrams_from_everywhere() {
    let [server, client] = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    server.set_read_timeout(Some(GUARD)).unwrap();
    let args = ["-f", "none", "--most-clients", "50", "--on", "message == ack: drop", "--delay", "1ms"];
    let proxy = Proxy::start(&server, &args);
    client.connect(&proxy.at).unwrap();
    client.send(b"first").unwrap();
    let (_, from) = server.receive_from(&mut [0; 64]).unwrap();
    let noise: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for n in 0..200usize {
        let other = UdpSocket::bind("127.0.0.1:0").unwrap();
        other.connect(&proxy.at).unwrap();
        for k in 0..6 {
            let length = if k == 0 { noise.len() * (n % 2) } else { (n * 151 + k * 977) % 1500 };
            let _ = other.send(&noise[n..(n + length).min(noise.len())]);
        }
    }
    // The first client is still served, in both directions.
    let mut buffer = vec![0; 1 << 16];
    loop {
        client.send(b"second").unwrap();
        let (length, address) = server.receive_from(&mut buffer).unwrap();
        if address == from && &buffer[..length] == b"second" {
            break;
        }
    }
    server.send_to(b"third", from).unwrap();
    client.set_read_timeout(Some(GUARD)).unwrap();
    assert_eq!(client.receive(&mut buffer).unwrap(), 5);
    assert!(most(&proxy) < MEMORY, "{}", most(&proxy));
    let (_, reported) = proxy.end();
    assert!(reported.contains("turned away") && reported.contains("50 clients"), "{reported}");
}
