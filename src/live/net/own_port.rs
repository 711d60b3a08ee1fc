//! Sockets that are not connected to themselves. Where nothing listens on a port of this machine, the system may give
//! that very port to the socket that is to reach it: what it sends comes back, and its TCP connection succeeds.

use socket2::SockRef;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

/// Returns a UDP socket that is connected to a peer: it receives from nobody else, and its port is not the peer's.
///
/// # Errors
/// Returns the system's error.
pub fn datagram_socket(peer: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    let connected = || {
        let socket = UdpSocket::bind(any)?;
        socket.connect(peer)?;
        Ok(socket)
    };
    let first: UdpSocket = connected()?;
    // While the first socket has the peer's port, the second one gets another.
    if is_itself([first.local_addr()?, peer]) { connected() } else { Ok(first) }
}

/// Checks that a TCP connection is not one to itself.
///
/// # Errors
/// It is: nothing listens on the port. The system has the port back as soon as the stream is dropped.
pub fn check_stream(stream: &SockRef<'_>) -> io::Result<()> {
    // A connection that has ended has no peer any more.
    let ends = [stream.local_addr().ok(), stream.peer_addr().ok()].map(|end| end?.as_socket());
    match ends {
        [Some(own), Some(peer)] if is_itself([own, peer]) => {
            let _ = stream.set_linger(Some(Duration::ZERO));
            Err(ErrorKind::ConnectionRefused.into())
        }
        _ => Ok(()),
    }
}

/// Whether these are the two addresses of a socket that is connected to itself.
fn is_itself([own, peer]: [SocketAddr; 2]) -> bool {
    (own.ip(), own.port()) == (peer.ip(), peer.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use socket2::{Domain, Socket, Type};

    #[test]
    fn a_connection_to_itself_is_refused() {
        let any: SocketAddr = ([127, 0, 0, 1], 0).into();
        let stream = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        stream.bind(&any.into()).unwrap();
        // Where the system itself refuses, there is nothing to check.
        let Ok(()) = stream.connect(&stream.local_addr().unwrap()) else { return };
        let refused = check_stream(&SockRef::from(&stream)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        // The port is free again.
        let own = stream.local_addr().unwrap();
        drop(stream);
        Socket::new(Domain::IPV4, Type::STREAM, None).unwrap().bind(&own).unwrap();
    }

    #[test]
    fn others_are_reached() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        check_stream(&SockRef::from(&stream)).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        let socket = datagram_socket(peer.local_addr().unwrap()).unwrap();
        socket.send(b"x").unwrap();
        assert_eq!(peer.recv_from(&mut [0; 2]).unwrap(), (1, socket.local_addr().unwrap()));
    }
}
