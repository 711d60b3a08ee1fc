//! Relays between two peers: one that loses, doubles and disorders datagrams, one that cuts a
//! stream into odd pieces, and for GNE both at once. What they do follows from a seed, and what
//! became of each datagram is kept.

use crate::gne_peer::Order;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What became of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Passed,
    Doubled,
    Lost,
    /// Passed, so often, when somebody had taken leave over the stream beside it.
    Late(usize),
}

/// Datagrams in the order in which the relay was done with them: who sent it (0: the client), what
/// became of it, and its bytes.
pub type Log = Arc<Mutex<Vec<(usize, Way, Vec<u8>)>>>;

/// A relay; it ends with this.
pub struct Relay {
    pub at: SocketAddr,
    pub log: Log,
    end: Arc<AtomicBool>,
}

impl Relay {
    /// Ends it: the whole log.
    pub fn finish(self) -> Log {
        let log = Arc::clone(&self.log);
        drop(self);
        // What a lane still holds is told when its thread ends.
        while Arc::strong_count(&log) > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
        log
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
    }
}

/// Numbers that follow from a seed (xorshift64*).
struct Dice(u64);

impl Dice {
    fn percent(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % 100
    }
}

/// One direction: 10 of 100 are lost, 10 doubled, 10 held back until the next one has passed.
struct Lane {
    side: usize,
    dice: Dice,
    held: Option<Vec<u8>>,
    log: Log,
    parted: Arc<AtomicBool>,
}

impl Lane {
    /// `send`: did it go out?
    fn pass(&mut self, bytes: &[u8], mut send: impl FnMut(&[u8]) -> bool) {
        let held = self.held.take();
        match self.dice.percent() {
            0..10 => self.done(Way::Lost, bytes),
            10..20 => {
                let both = send(bytes) & send(bytes);
                self.done(if both { Way::Doubled } else { Way::Lost }, bytes);
            }
            20..30 if held.is_none() => self.held = Some(bytes.to_vec()),
            _ => self.sent(bytes, &mut send),
        }
        if let Some(held) = held {
            self.sent(&held, &mut send);
        }
    }

    fn sent(&self, bytes: &[u8], send: &mut impl FnMut(&[u8]) -> bool) {
        self.done(if send(bytes) { Way::Passed } else { Way::Lost }, bytes);
    }

    fn done(&self, way: Way, bytes: &[u8]) {
        let way = match (self.parted.load(Ordering::Relaxed), way) {
            (true, Way::Passed) => Way::Late(1),
            // Two copies may still come, or one, or none.
            (true, Way::Doubled) => Way::Late(2),
            (_, way) => way,
        };
        self.log.lock().unwrap().push((self.side, way, bytes.to_vec()));
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.done(Way::Lost, &held);
        }
    }
}

/// A relay for one client's datagrams.
pub fn datagrams(server: SocketAddr, seed: u64) -> Relay {
    let front = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    let back = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    back.connect(server).unwrap();
    let relay = Relay { at: front.local_addr().unwrap(), log: Log::default(), end: Arc::default() };
    let (log, end) = (Arc::clone(&relay.log), Arc::clone(&relay.end));
    std::thread::spawn(move || shovel(&front, &back, seed, &log, &end, &Arc::default()));
    relay
}

fn shovel(front: &UdpSocket, back: &UdpSocket, seed: u64, log: &Log, end: &AtomicBool, parted: &Arc<AtomicBool>) {
    for socket in [front, back] {
        socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    }
    let lane =
        |side, seed| Lane { side, dice: Dice(seed | 1), held: None, log: Arc::clone(log), parted: Arc::clone(parted) };
    let mut up = lane(0, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut down = lane(1, seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
    let (mut buffer, mut client) = (vec![0; 1 << 16], None);
    while !end.load(Ordering::Relaxed) {
        if let Ok((length, from)) = front.recv_from(&mut buffer) {
            client = Some(from);
            up.pass(&buffer[..length], |bytes| back.send(bytes).is_ok());
        }
        if let Ok(length) = back.recv(&mut buffer) {
            down.pass(&buffer[..length], |bytes| client.is_some_and(|to| front.send_to(bytes, to).is_ok()));
        }
    }
    // Nobody is left who could read these.
    for (socket, lane) in [(front, up), (back, down)] {
        while let Ok(length) = socket.recv(&mut buffer) {
            lane.done(Way::Lost, &buffer[..length]);
        }
    }
}

/// A relay for streams: what comes is passed on in pieces of 4 to 103 bytes. (A header in one piece:
/// GNE's handshake fails without.)
pub fn pieces(server: SocketAddr, seed: u64) -> Relay {
    stream(server, move |client, back, _, _| {
        let ends = [(client.try_clone().unwrap(), back.try_clone().unwrap()), (back, client)];
        for (k, (from, to)) in ends.into_iter().enumerate() {
            let dice = dice(seed, k as u64);
            std::thread::spawn(move || cut(from, to, dice, &AtomicBool::new(false)));
        }
    })
}

fn stream(server: SocketAddr, run: impl FnOnce(TcpStream, TcpStream, Log, Arc<AtomicBool>) + Send + 'static) -> Relay {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let relay = Relay { at: listener.local_addr().unwrap(), log: Log::default(), end: Arc::default() };
    let (log, end) = (Arc::clone(&relay.log), Arc::clone(&relay.end));
    std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let back = TcpStream::connect(server).unwrap();
        [&client, &back].into_iter().for_each(|stream| stream.set_nodelay(true).unwrap());
        run(client, back, log, end);
    });
    relay
}

fn dice(seed: u64, k: u64) -> Dice {
    Dice((seed + k).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
}

/// Passes everything on, in pieces. `parted`: an ExitPacket is passed on.
fn cut(mut from: TcpStream, mut to: TcpStream, mut dice: Dice, parted: &AtomicBool) {
    let mut buffer = [0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if buffer[..length].ends_with(b"NL\x00\x02\x02\xff") {
            parted.store(true, Ordering::Relaxed);
        }
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let size = (4 + dice.percent() as usize).min(rest.len());
            if to.write_all(&rest[..size]).is_err() {
                return;
            }
            rest = &rest[size..];
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// A relay for a GNE connection: the stream in pieces, the datagrams beside it as [`datagrams`].
/// The ports that both sides name in the handshake become its own, as at a gateway that knows GNE.
pub fn gne(server: SocketAddr, seed: u64) -> Relay {
    stream(server, move |mut client, mut back, log, end| {
        let parted = Arc::new(AtomicBool::new(false));
        let Some(request) = frame(&mut client) else { return };
        // The build's zero byte (gne/README.md, "Byte order").
        let order = if request[4 + 6] == 0 { Order::Little } else { Order::Big };
        back.write_all(&request).unwrap();
        let Some(mut answer) = frame(&mut back) else { return };
        let theirs = (answer.len() == 16).then(|| order.read(&answer[12..]) as i32).filter(|port| *port > 0);
        let sockets = theirs.map(|port| {
            let [front, socket] = [0, 1].map(|_| UdpSocket::bind(("127.0.0.1", 0)).unwrap());
            socket.connect((server.ip(), port as u16)).unwrap();
            answer[12..].copy_from_slice(&order.u32(front.local_addr().unwrap().port() as u32));
            (front, socket)
        });
        let ours = sockets.as_ref().map(|(_, socket)| socket.local_addr().unwrap().port());
        client.write_all(&answer).unwrap();
        if let Some((front, socket)) = sockets {
            let parted = Arc::clone(&parted);
            std::thread::spawn(move || shovel(&front, &socket, seed, &log, &end, &parted));
        }
        let (from, to) = (back.try_clone().unwrap(), client.try_clone().unwrap());
        let leaving = Arc::clone(&parted);
        std::thread::spawn(move || cut(from, to, dice(seed, 1), &leaving));
        if let Some(port) = ours {
            let Some(mut named) = frame(&mut client) else { return };
            assert_eq!(named.len(), 8, "the client's port comes next");
            named[4..].copy_from_slice(&order.u32(port as u32));
            back.write_all(&named).unwrap();
        }
        cut(client, back, dice(seed, 0), &parted);
    })
}

/// A whole frame, with its header.
fn frame(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut frame = vec![0; 4];
    stream.read_exact(&mut frame).ok()?;
    frame.resize(4 + u16::from_be_bytes([frame[2], frame[3]]) as usize, 0);
    stream.read_exact(&mut frame[4..]).ok()?;
    Some(frame)
}

/// A datagram that is doubled behind somebody's leave may come twice, and is told as that.
#[test]
fn what_is_late_may_be_doubled() {
    let log = Log::default();
    let mut lane = Lane {
        side: 0,
        dice: Dice(32u64.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
        held: None,
        log: Arc::clone(&log),
        parted: Arc::default(),
    };
    let mut sent: Vec<u8> = Vec::new();
    for k in 0..5 {
        lane.parted.store(k > 2, Ordering::Relaxed);
        lane.pass(&[k], |bytes| {
            sent.extend(bytes);
            true
        });
    }
    assert_eq!(sent, [0, 2, 1, 4, 4, 3], "what the seed makes of them");
    let log: Vec<(Way, u8)> = log.lock().unwrap().iter().map(|(_, way, bytes)| (*way, bytes[0])).collect();
    assert_eq!(log[..3], [(Way::Passed, 0), (Way::Passed, 2), (Way::Passed, 1)]);
    assert_eq!(log[3..], [(Way::Late(2), 4), (Way::Late(1), 3)]);
}
