//! The two kinds of sockets.

use std::io::Read;
use std::net::{TcpStream, UdpSocket};
use std::time::Duration;

/// A socket that speaks to one peer.
pub enum Socket {
    /// Datagrams.
    Udp(UdpSocket),
    /// A stream.
    Tcp(TcpStream),
}

impl Socket {
    /// Reads once: what is there, or what comes in time.
    pub fn read(&mut self, buffer: &mut [u8], wait: Duration) -> std::io::Result<usize> {
        let now = wait.is_zero();
        match self {
            Socket::Udp(socket) => {
                socket.set_nonblocking(now)?;
                if !now {
                    socket.set_read_timeout(Some(wait))?;
                }
                socket.recv(buffer)
            }
            Socket::Tcp(stream) => {
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
}
