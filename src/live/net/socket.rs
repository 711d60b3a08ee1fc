//! The kinds of sockets.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Read};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

/// The number of datagrams of others that are kept.
const OTHERS: usize = 8;

/// A socket for one peer.
pub enum Socket {
    /// Datagrams.
    Udp(UdpSocket),
    /// Datagrams of a socket to which others send, too. Only this peer's datagrams are read; the last ones of others
    /// are kept.
    Shared(UdpSocket, SocketAddr, VecDeque<Other>),
    /// A stream.
    Tcp(TcpStream),
}

/// A datagram of somebody else.
#[derive(Debug)]
pub struct Other {
    /// Its sender.
    pub from: SocketAddr,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The time at which it was read.
    pub time: Instant,
}

impl Socket {
    /// Reads once: data that is there, or that arrives in time.
    pub fn read(&mut self, buffer: &mut [u8], wait: Duration) -> std::io::Result<usize> {
        match self {
            Socket::Udp(socket) => {
                waiting(socket, wait)?;
                socket.recv(buffer)
            }
            Socket::Shared(socket, peer, others) => {
                let (begin, mut left) = (Instant::now(), wait);
                loop {
                    waiting(socket, left)?;
                    let (length, from) = socket.recv_from(buffer)?;
                    if from == *peer {
                        return Ok(length);
                    }
                    let oldest = if others.len() >= OTHERS { others.pop_front() } else { None };
                    let mut bytes = oldest.map_or_else(Vec::new, |oldest| oldest.bytes);
                    bytes.clear();
                    bytes.extend_from_slice(buffer.get(..length).unwrap_or_default());
                    others.push_back(Other { from, bytes, time: Instant::now() });
                    // Another peer that sends without end does not extend the wait.
                    left = wait.saturating_sub(begin.elapsed());
                    if left.is_zero() {
                        return Err(Error::from(ErrorKind::WouldBlock));
                    }
                }
            }
            Socket::Tcp(stream) => {
                let now = wait.is_zero();
                stream.set_nonblocking(now)?;
                if !now {
                    stream.set_read_timeout(Some(wait))?;
                }
                let read = stream.read(buffer);
                if now {
                    stream.set_nonblocking(false)?;
                }
                read
            }
        }
    }

    /// Sends a datagram.
    pub fn datagram(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Socket::Udp(socket) => socket.send(bytes).map(drop),
            Socket::Shared(socket, peer, _) => socket.send_to(bytes, *peer).map(drop),
            Socket::Tcp(_) => Err(Error::from(ErrorKind::Unsupported)),
        }
    }
}

/// Lets the next read wait for this time, or not at all.
fn waiting(socket: &UdpSocket, wait: Duration) -> std::io::Result<()> {
    socket.set_nonblocking(wait.is_zero())?;
    if wait.is_zero() { Ok(()) } else { socket.set_read_timeout(Some(wait)) }
}
