//! An echo server and its client.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const ECHOES: u32 = 20_000;

/// A server that returns every datagram.
pub struct Echo {
    pub at: SocketAddr,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    pub fn new() -> Echo {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("bound");
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20);
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("set");
        let (at, end) = (socket.local_addr().expect("an address"), Arc::new(AtomicBool::new(false)));
        let over = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !over.load(Ordering::Relaxed) {
                if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                    let _ = socket.send_to(&buffer[..length], from);
                }
            }
        });
        Echo { at, end, thread: Some(thread) }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

pub fn client(at: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("bound");
    let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20);
    socket.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    socket.connect(at).expect("connected");
    socket
}

/// Numbered datagrams at a fixed pace: the round-trip time of each, or `None` if it was lost.
pub fn echoes(at: SocketAddr, count: u32, pace: Duration) -> Vec<Option<f64>> {
    let socket = client(at);
    let receiver = socket.try_clone().expect("cloned");
    let begin = Instant::now();
    let thread = std::thread::spawn(move || {
        let (mut all, mut buffer) = (vec![None; count as usize], [0; 100]);
        while let Ok(length) = receiver.recv(&mut buffer) {
            let now = begin.elapsed().as_secs_f64() * 1e3;
            if let (12, Some(bytes)) = (length, buffer.first_chunk::<12>()) {
                let number = u32::from_be_bytes(*bytes.first_chunk().expect("four"));
                let sent = f64::from_be_bytes(*bytes.last_chunk().expect("eight"));
                all[number as usize] = Some(now - sent);
            }
        }
        all
    });
    for number in 0..count {
        let due = pace * number;
        while begin.elapsed() < due {
            std::thread::sleep((due - begin.elapsed().min(due)).min(Duration::from_micros(200)));
        }
        let sent = begin.elapsed().as_secs_f64() * 1e3;
        socket.send(&[&number.to_be_bytes()[..], &sent.to_be_bytes()].concat()).expect("sent");
    }
    thread.join().expect("received")
}
