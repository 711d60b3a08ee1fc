//! Sockets of tests, also of the library's unit tests: ports without a server, receiving within a guard's time.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::time::Duration;

/// Whatever runs longer than this hangs. It is not a measurement: no test takes a tenth of it.
pub const HANG: Duration = Duration::from_secs(120);

/// An address where no other test gets a port before this one uses it. Some systems have only one loopback address.
const NOBODY: [Ipv4Addr; 2] = [Ipv4Addr::new(127, 83, 0, 1), Ipv4Addr::LOCALHOST];

/// A UDP port without a server.
pub fn closed_udp() -> SocketAddr {
    let bound = NOBODY.iter().find_map(|ip| UdpSocket::bind((*ip, 0)).ok());
    bound.and_then(|socket| socket.local_addr().ok()).expect("a port")
}

/// A TCP port without a server.
pub fn closed_tcp() -> SocketAddr {
    let bound = NOBODY.iter().find_map(|ip| TcpListener::bind((*ip, 0)).ok());
    bound.and_then(|socket| socket.local_addr().ok()).expect("a port")
}

/// Receives a datagram, within the socket's timeout. A machine that is paused and continued, such as a virtual one,
/// interrupts what waits with a timeout.
pub trait Receive {
    fn receive(&self, buffer: &mut [u8]) -> io::Result<usize>;
    fn receive_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)>;
}

impl Receive for UdpSocket {
    fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        uninterrupted(|| self.recv(buffer))
    }

    fn receive_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        uninterrupted(|| self.recv_from(buffer))
    }
}

fn uninterrupted<T>(mut receive: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match receive() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
