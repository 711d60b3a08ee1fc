//! Relays between two peers: one that loses, doubles and disorders datagrams, one that cuts a
//! stream into odd pieces. What they do follows from a seed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A relay; it ends with this.
pub struct Relay {
    pub at: SocketAddr,
    end: Arc<AtomicBool>,
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
    dice: Dice,
    held: Option<Vec<u8>>,
}

impl Lane {
    fn pass(&mut self, bytes: &[u8], mut send: impl FnMut(&[u8])) {
        match self.dice.percent() {
            0..10 => {}
            10..20 => (0..2).for_each(|_| send(bytes)),
            20..30 if self.held.is_none() => self.held = Some(bytes.to_vec()),
            _ => send(bytes),
        }
        if let Some(held) = self.held.take_if(|held| held != bytes) {
            send(&held);
        }
    }
}

/// A relay for one client's datagrams.
pub fn datagrams(server: SocketAddr, seed: u64) -> Relay {
    let front = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    let at = front.local_addr().unwrap();
    let end = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&end);
    std::thread::spawn(move || {
        let back = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        back.connect(server).unwrap();
        for socket in [&front, &back] {
            socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        }
        let lane = |seed| Lane { dice: Dice(seed | 1), held: None };
        let mut lanes =
            [lane(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)), lane(seed.wrapping_mul(0xD1B5_4A32_D192_ED03))];
        let (mut buffer, mut client) = (vec![0; 1 << 16], None);
        while !ended.load(Ordering::Relaxed) {
            if let Ok((length, from)) = front.recv_from(&mut buffer) {
                client = Some(from);
                lanes[0].pass(&buffer[..length], |bytes| _ = back.send(bytes));
            }
            if let (Ok(length), Some(client)) = (back.recv(&mut buffer), client) {
                lanes[1].pass(&buffer[..length], |bytes| _ = front.send_to(bytes, client));
            }
        }
    });
    Relay { at, end }
}

/// A relay for streams: what comes is passed on in pieces of 1 to 97 bytes.
pub fn pieces(server: SocketAddr, seed: u64) -> Relay {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let end = Arc::new(AtomicBool::new(false));
    std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let back = TcpStream::connect(server).unwrap();
        let both = [(client.try_clone().unwrap(), back.try_clone().unwrap()), (back, client)];
        for (k, (mut from, mut to)) in both.into_iter().enumerate() {
            to.set_nodelay(true).unwrap();
            let mut dice = Dice((seed + k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
            std::thread::spawn(move || {
                let mut buffer = [0; 1 << 16];
                while let Ok(length @ 1..) = from.read(&mut buffer) {
                    let mut rest = &buffer[..length];
                    while !rest.is_empty() {
                        // A header in one piece: GNE's handshake fails without (facts, section 2).
                        let size = (4 + dice.percent() as usize).min(rest.len());
                        if to.write_all(&rest[..size]).is_err() {
                            return;
                        }
                        rest = &rest[size..];
                    }
                }
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
        }
    });
    Relay { at, end }
}
