//! A GNE server by src/protocols/gne/README.md, made of bytes and sockets: it shares no code with netkit.
//!
//! It refuses clients that differ from it, and never closes a refused connection. It accepts with a new UDP port,
//! answers an ExitPacket with its own, and closes. Release 0.70 accepts no clients any more when an accepted client
//! leaves in another way; this server records that for the tests.

use crate::common::Receive;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn u16(self, n: u16) -> [u8; 2] {
        if self == Order::Little { n.to_le_bytes() } else { n.to_be_bytes() }
    }

    pub fn u32(self, n: u32) -> [u8; 4] {
        if self == Order::Little { n.to_le_bytes() } else { n.to_be_bytes() }
    }

    pub fn read(self, bytes: &[u8]) -> u32 {
        let bytes = bytes.try_into().unwrap();
        if self == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }
}

/// The properties of the server, and its treatment of clients.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub order: Order,
    pub build: u16,
    pub game: &'static str,
    pub user_version: u32,
    /// Whether clients that ask for datagrams get them.
    pub datagrams: bool,
    /// The number of clients that it refuses although everything is equal.
    pub stubborn: usize,
}

impl Kind {
    /// Bytes 4..43 of a refusal, and 3..42 of a request that it accepts.
    fn identity(&self) -> Vec<u8> {
        let mut game = self.game.as_bytes().to_vec();
        game.resize(32, 0);
        [&[0, 0], &self.order.u16(self.build)[..], &game, &self.order.u32(self.user_version)].concat()
    }
}

/// One connection, as the server saw it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub request: Vec<u8>,
    pub refused: bool,
    /// The contents of frames after the handshake.
    pub frames: Vec<Vec<u8>>,
    pub datagrams: Vec<Vec<u8>>,
    /// The rule that the client broke.
    pub broken: Option<&'static str>,
}

pub struct Server {
    pub at: SocketAddr,
    /// The number of accepted clients.
    pub accepted: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Seen>>>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(kind: Kind) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let at = listener.local_addr().unwrap();
        let (seen, end): (Arc<Mutex<Vec<Seen>>>, _) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (kept, ended) = (Arc::clone(&seen), Arc::clone(&end));
        let accepted = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&accepted);
        let thread = std::thread::spawn(move || {
            // A refused connection stays open until the process ends.
            let mut leaked = Vec::new();
            while !ended.load(Ordering::Relaxed) {
                let Ok((stream, _)) = listener.accept() else {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                };
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                let mut one = Seen::default();
                let number = kept.lock().unwrap().len();
                let stay = serve(&kind, &stream, number, &mut one, &counted);
                kept.lock().unwrap().push(one);
                if stay {
                    leaked.push(stream);
                }
            }
        });
        Server { at, accepted, seen, end, thread: Some(thread) }
    }

    /// Returns all connections when the last one has ended.
    pub fn seen(mut self) -> Vec<Seen> {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.seen.lock().unwrap().clone()
    }
}

/// Reads a frame's content; `None`: the client has closed the stream.
pub fn frame(mut stream: &TcpStream) -> Option<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header).ok()?;
    assert_eq!(&header[..2], b"NL");
    let mut content = vec![0; u16::from_be_bytes([header[2], header[3]]) as usize];
    stream.read_exact(&mut content).ok()?;
    Some(content)
}

pub fn say(mut stream: &TcpStream, content: &[u8]) {
    let length = (content.len() as u16).to_be_bytes();
    stream.write_all(&[b"NL", &length[..], content].concat()).unwrap();
}

/// Serves a client; returns whether the server keeps the socket.
fn serve(kind: &Kind, stream: &TcpStream, number: usize, seen: &mut Seen, accepted: &AtomicUsize) -> bool {
    let Some(request) = frame(stream) else { return false };
    seen.request.clone_from(&request);
    let own = kind.identity();
    if request.len() != 48 || request[3..43] != own[..] || number < kind.stubborn {
        seen.refused = true;
        say(stream, &[b"GNE\0", &own[..]].concat());
        return true;
    }
    let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    socket.set_nonblocking(true).unwrap();
    let granted = kind.datagrams && request[47] != 0;
    let port = if granted { socket.local_addr().unwrap().port() as u32 } else { u32::MAX };
    say(stream, &[b"GNE\x01", &kind.order.u32(5000)[..], &kind.order.u32(port)].concat());
    accepted.fetch_add(1, Ordering::Relaxed);
    if granted {
        match frame(stream) {
            Some(third) if third.len() == 4 && kind.order.read(&third) <= 65535 => {}
            _ => {
                seen.broken = Some("the client's port is not a port");
                return true;
            }
        }
    }
    loop {
        let Some(content) = frame(stream) else {
            seen.broken = Some("it went without an ExitPacket: deaf from now on");
            return false;
        };
        let exit = content == [2, 255];
        if content.is_empty() || content.len() > 512 {
            seen.broken = Some("a frame that the library does not take: deaf from now on");
        }
        seen.frames.push(content);
        if exit {
            break;
        }
    }
    let mut buffer = [0; 2048];
    while let Ok((length, _)) = socket.receive_from(&mut buffer) {
        seen.datagrams.push(buffer[..length].to_vec());
    }
    // The client must wait for the server to close: it must not have closed yet.
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    if matches!((&*stream).read(&mut buffer), Ok(0)) {
        seen.broken = Some("it closed right after its ExitPacket: deaf from now on");
        return false;
    }
    say(stream, &[2, 255]);
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    if !matches!((&*stream).read(&mut buffer), Ok(0)) {
        seen.broken = Some("it never closed");
    }
    false
}
