//! Peers that send a first message, and then another one again and again until they are dropped.

use crate::common::Receive;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Whatever runs longer than this hangs.
pub const HANG: Duration = Duration::from_secs(120);

/// Bytes from hex with spaces.
pub fn hex(text: &str) -> Vec<u8> {
    hex::decode(text.replace([' ', '\n'], "")).expect("hex")
}

/// A peer, with counts of the datagrams or blocks that it received and sent.
pub struct Peer {
    pub at: SocketAddr,
    pub arrived: Arc<AtomicU64>,
    pub sent: Arc<AtomicU64>,
    end: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl Peer {
    fn new(at: SocketAddr) -> Peer {
        Peer { at, arrived: Arc::default(), sent: Arc::default(), end: Arc::default(), threads: Vec::new() }
    }

    /// Whether it has begun to flood. The reader may be done before the writer has counted its first message.
    pub fn floods(&self) -> bool {
        let until = Instant::now() + Duration::from_secs(1);
        while self.sent.load(Ordering::Relaxed) == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.sent.load(Ordering::Relaxed) > 0
    }

    /// A server over UDP: it answers the first datagram, and then floods.
    pub fn datagrams(first: Vec<Vec<u8>>, again: Vec<u8>) -> Peer {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(10))).expect("set");
        let mut peer = Peer::new(socket.local_addr().expect("an address"));
        let (arrived, sent, end) = (Arc::clone(&peer.arrived), Arc::clone(&peer.sent), Arc::clone(&peer.end));
        peer.threads.push(std::thread::spawn(move || {
            let mut clients = Vec::new();
            let mut buffer = [0; 2048];
            while !end.load(Ordering::Relaxed) {
                if let Ok((_, from)) = socket.receive_from(&mut buffer) {
                    arrived.fetch_add(1, Ordering::Relaxed);
                    if !clients.contains(&from) {
                        clients.push(from);
                        first.iter().for_each(|bytes| drop(socket.send_to(bytes, from)));
                        socket.set_nonblocking(true).expect("set");
                    }
                }
                for client in &clients {
                    for _ in 0..16 {
                        let _ = socket.send_to(&again, client);
                        sent.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        }));
        peer
    }

    /// A server over TCP: it reads `awaits` bytes of each client, answers, then floods.
    pub fn stream(awaits: usize, first: Vec<u8>, again: Vec<u8>) -> Peer {
        Peer::late_stream(0, awaits, first, again)
    }

    /// The same, but a client is answered only when this many later ones have connected.
    pub fn late_stream(later: usize, awaits: usize, first: Vec<u8>, again: Vec<u8>) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let mut peer = Peer::new(listener.local_addr().expect("an address"));
        let (sent, end) = (Arc::clone(&peer.sent), Arc::clone(&peer.end));
        peer.threads.push(std::thread::spawn(move || {
            std::thread::scope(|scope| {
                let mut waiting = VecDeque::new();
                while !end.load(Ordering::Relaxed) {
                    let Ok((stream, _)) = listener.accept() else {
                        std::thread::sleep(Duration::from_millis(2));
                        continue;
                    };
                    waiting.push_back(stream);
                    if waiting.len() > later
                        && let Some(stream) = waiting.pop_front()
                    {
                        let (first, again, sent, end) = (&first, &again, &sent, &end);
                        scope.spawn(move || flood(stream, awaits, first, again, sent, end));
                    }
                }
            });
        }));
        peer
    }

    /// A client over TCP.
    pub fn client(at: SocketAddr, first: Vec<u8>, again: Vec<u8>) -> Peer {
        let stream = TcpStream::connect(at).expect("a connection");
        let mut peer = Peer::new(at);
        let (sent, end) = (Arc::clone(&peer.sent), Arc::clone(&peer.end));
        peer.threads.push(std::thread::spawn(move || flood(stream, 0, &first, &again, &sent, &end)));
        peer
    }

    /// A client over UDP.
    pub fn guest(at: SocketAddr, first: Vec<u8>, again: Vec<u8>) -> Peer {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.connect(at).expect("connected");
        let mut peer = Peer::new(at);
        let (sent, end) = (Arc::clone(&peer.sent), Arc::clone(&peer.end));
        peer.threads.push(std::thread::spawn(move || {
            let _ = socket.send(&first);
            while !end.load(Ordering::Relaxed) {
                let _ = socket.send(&again);
                sent.fetch_add(1, Ordering::Relaxed);
            }
        }));
        peer
    }
}

fn flood(mut stream: TcpStream, awaits: usize, first: &[u8], again: &[u8], sent: &AtomicU64, end: &AtomicBool) {
    stream.set_nonblocking(false).expect("set");
    let _ = stream.set_read_timeout(Some(HANG));
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    if stream.read_exact(&mut vec![0; awaits]).is_err() || stream.write_all(first).is_err() {
        return;
    }
    let mut at = 0;
    while !end.load(Ordering::Relaxed) {
        match stream.write(&again[at..]) {
            Ok(0) => return,
            Ok(taken) => {
                sent.fetch_add(1, Ordering::Relaxed);
                at = (at + taken) % again.len();
            }
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}
