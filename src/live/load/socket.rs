//! A client's socket, which never blocks.

use crate::flow::Transport;
use crate::live::NetError;
use crate::live::error::waited;
use crate::live::net::own_port::{check_stream, datagram_socket};
use mio::event::Event;
use mio::net::{TcpStream, UdpSocket};
use mio::{Interest, Registry, Token};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};

/// The result of a read.
#[derive(Debug)]
pub enum ReadOutcome {
    /// Nothing. An event announces more.
    Nothing,
    /// This many bytes.
    Bytes(usize),
    /// The peer has closed the stream. True: with a RST.
    End(bool),
}

enum Kind {
    Udp(UdpSocket),
    Tcp(TcpStream),
}

/// A socket for one peer.
pub struct Socket {
    kind: Kind,
    /// Whether there may be something to read.
    pub readable: bool,
    /// TCP: bytes that the system has not taken yet.
    unsent: Vec<u8>,
    /// TCP: whether bytes that waited can never be sent.
    lost: bool,
    /// Whether the stream is to be closed after these bytes.
    finish: bool,
    /// The error because of which nothing more can be sent. It is reported after all received data.
    broken: Option<NetError>,
    /// Whether there is a connection. Always true for UDP.
    pub connected: bool,
}

impl Socket {
    /// Starts to connect to a peer.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn to(transport: Transport, peer: SocketAddr, registry: &Registry, token: Token) -> Result<Socket, NetError> {
        let kind = match transport {
            Transport::Tcp => Kind::Tcp(TcpStream::connect(peer).map_err(NetError::of)?),
            Transport::Udp => {
                let socket = datagram_socket(peer).map_err(NetError::of_datagram)?;
                socket.set_nonblocking(true).map_err(NetError::of_datagram)?;
                Kind::Udp(UdpSocket::from_std(socket))
            }
        };
        let connected = transport == Transport::Udp;
        Socket::of(kind, connected, registry, token).map_err(NetError::of)
    }

    /// Binds a UDP socket that is not connected yet.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn bound(own: SocketAddr, registry: &Registry, token: Token) -> io::Result<Socket> {
        Socket::of(Kind::Udp(UdpSocket::bind(own)?), true, registry, token)
    }

    fn of(mut kind: Kind, connected: bool, registry: &Registry, token: Token) -> io::Result<Socket> {
        match &mut kind {
            Kind::Udp(socket) => registry.register(socket, token, Interest::READABLE)?,
            Kind::Tcp(stream) => registry.register(stream, token, Interest::READABLE | Interest::WRITABLE)?,
        }
        let (unsent, lost, finish, broken) = (Vec::new(), false, false, None);
        Ok(Socket { kind, readable: connected, unsent, lost, finish, broken, connected })
    }

    /// Connects a UDP socket: it sends to this address, and receives only from it.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn connect(&self, peer: SocketAddr) -> io::Result<()> {
        match &self.kind {
            Kind::Udp(socket) => socket.connect(peer),
            Kind::Tcp(_) => Ok(()),
        }
    }

    /// Returns our address.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn local(&self) -> io::Result<SocketAddr> {
        match &self.kind {
            Kind::Udp(socket) => socket.local_addr(),
            Kind::Tcp(stream) => stream.local_addr(),
        }
    }

    /// Handles an event.
    pub fn ready(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_error() || event.is_read_closed();
    }

    /// Whether there is a connection by now.
    ///
    /// # Errors
    /// Returns the reason why there will be none.
    pub fn is_connected(&mut self) -> Result<bool, NetError> {
        if let Kind::Tcp(stream) = &self.kind
            && !self.connected
        {
            if let Some(error) = stream.take_error().map_err(NetError::of)? {
                return Err(NetError::of(error));
            }
            match stream.peer_addr() {
                Ok(_) => {
                    check_stream(&stream.into()).map_err(NetError::of)?;
                    let _ = stream.set_nodelay(true);
                    (self.connected, self.readable) = (true, true);
                }
                Err(error) if error.kind() == ErrorKind::NotConnected => {}
                Err(error) => return Err(NetError::of(error)),
            }
        }
        Ok(self.connected)
    }

    /// Reads once.
    ///
    /// # Errors
    /// UDP: the port is closed. This is reported after all data that arrived before.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<ReadOutcome, NetError> {
        let read = match &mut self.kind {
            Kind::Udp(socket) => socket.recv(buffer),
            Kind::Tcp(stream) => stream.read(buffer),
        };
        let datagrams = matches!(self.kind, Kind::Udp(_));
        match read {
            // The system reports a reset once, and to a write if one meets it first.
            Ok(0) if !datagrams => Ok(ReadOutcome::End(matches!(self.broken, Some(NetError::Closed { reset: true })))),
            Ok(length) => Ok(ReadOutcome::Bytes(length)),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(ReadOutcome::Bytes(0)),
            Err(error) if waited(&error) => {
                self.readable = false;
                match self.broken.take() {
                    None => Ok(ReadOutcome::Nothing),
                    Some(NetError::Closed { reset }) => Ok(ReadOutcome::End(reset)),
                    Some(error) => Err(error),
                }
            }
            Err(error) if datagrams => {
                // The system reports it before datagrams that arrived earlier. One of them may be a goodbye.
                self.broken.get_or_insert(NetError::of_datagram(error));
                Ok(ReadOutcome::Bytes(0))
            }
            Err(error) => match NetError::of(error) {
                NetError::Closed { reset } => Ok(ReadOutcome::End(reset)),
                other => Err(other),
            },
        }
    }

    /// Sends a datagram, or bytes of the stream. Keeps at most `most` bytes that the system does not take yet.
    ///
    /// # Errors
    /// The peer does not read.
    pub fn send(&mut self, bytes: &[u8], most: usize) -> Result<(), NetError> {
        match &mut self.kind {
            Kind::Udp(socket) => {
                // The system reports an earlier datagram's error instead of sending this one.
                let sent = socket.send(bytes).or_else(|error| match waited(&error) {
                    // Without room the datagram is lost, as datagrams may be.
                    true => Ok(bytes.len()),
                    false => socket.send(bytes),
                });
                if let Err(error) = sent
                    && !waited(&error)
                {
                    (self.readable, self.broken) = (true, Some(NetError::of_datagram(error)));
                }
                Ok(())
            }
            Kind::Tcp(_) if self.broken.is_some() => Ok(()),
            Kind::Tcp(_) => {
                let waited = !self.unsent.is_empty();
                self.unsent.extend_from_slice(bytes);
                self.flush();
                // Bytes that had not waited are the caller's to count.
                self.lost &= waited;
                match self.unsent.len() > most {
                    true => Err(NetError::Io(io::Error::other(format!(
                        "the peer does not read its data: more than {most} bytes are queued (--limit live_unread)"
                    )))),
                    false => Ok(()),
                }
            }
        }
    }

    /// Sends the bytes that wait.
    pub fn flush(&mut self) {
        let Kind::Tcp(stream) = &mut self.kind else { return };
        if !self.connected {
            return;
        }
        let mut sent = 0;
        while let Some(rest) = self.unsent.get(sent..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest) {
                Ok(0) => break,
                Ok(n) => sent += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if waited(&error) => break,
                Err(error) => {
                    // Received data is read first: it may be the peer's goodbye.
                    (self.readable, self.broken, self.lost) = (true, Some(NetError::of(error)), true);
                    sent = self.unsent.len();
                }
            }
        }
        self.unsent.drain(..sent);
        if self.finish && self.unsent.is_empty() {
            // The peer may be gone already.
            let _ = stream.shutdown(Shutdown::Write);
            self.finish = false;
        }
    }

    /// TCP: whether the stream takes nothing more. What was to be sent last is not.
    pub fn is_broken(&self) -> bool {
        matches!(self.kind, Kind::Tcp(_)) && self.broken.is_some()
    }

    /// Whether the system has taken everything that had to wait.
    pub fn is_drained(&self) -> bool {
        self.unsent.is_empty() && !self.lost
    }

    /// TCP: closes our direction after all bytes are sent.
    pub fn finish(&mut self) {
        self.finish = true;
        self.flush();
    }

    /// Removes the socket from the event loop.
    pub fn deregister(&mut self, registry: &Registry) {
        let _ = match &mut self.kind {
            Kind::Udp(socket) => registry.deregister(socket),
            Kind::Tcp(stream) => registry.deregister(stream),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::Poll;
    use std::net::TcpListener;

    /// A peer that reads late is not an error: what the system does not take waits, and all of it arrives.
    #[test]
    fn bytes_wait_for_a_peer_that_reads_late() {
        const SIZE: usize = 32 << 20;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let poll = Poll::new().unwrap();
        let peer = listener.local_addr().unwrap();
        let mut socket = Socket::to(Transport::Tcp, peer, poll.registry(), Token(0)).unwrap();
        let (mut accepted, _) = listener.accept().unwrap();
        while !socket.is_connected().unwrap() {
            std::thread::yield_now();
        }
        assert!(socket.send(&vec![1; SIZE], SIZE).is_ok());
        assert!(!socket.unsent.is_empty() && socket.broken.is_none());
        assert!(socket.send(&[2], 1).is_err(), "more waits than may");
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            accepted.read_to_end(&mut bytes).map(|_| bytes)
        });
        socket.finish();
        while socket.finish {
            std::thread::yield_now();
            socket.flush();
        }
        let bytes = reader.join().unwrap().unwrap();
        assert!(bytes.len() == SIZE + 1 && bytes.ends_with(&[1, 2]) && socket.is_drained(), "{}", bytes.len());
    }

    /// A peer that resets the connection: what had to wait is lost, and the reset is reported as one, although a write
    /// met it first.
    #[test]
    fn what_waits_is_lost_with_the_connection() {
        for size in [1, 32 << 20] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let poll = Poll::new().unwrap();
            let peer = listener.local_addr().unwrap();
            let mut socket = Socket::to(Transport::Tcp, peer, poll.registry(), Token(0)).unwrap();
            let (accepted, _) = listener.accept().unwrap();
            while !socket.is_connected().unwrap() {
                std::thread::yield_now();
            }
            socket.send(&vec![1; size], size).unwrap();
            assert_eq!(socket.is_drained(), size == 1);
            while accepted.peek(&mut [0]).unwrap() == 0 {}
            // A close with unread bytes resets the connection.
            drop(accepted);
            while !socket.is_broken() {
                socket.send(&[2], usize::MAX).unwrap();
            }
            assert_eq!(socket.is_drained(), size == 1, "a message that did not wait is its sender's to count");
            let end = socket.read(&mut [0]);
            assert!(matches!(end, Ok(ReadOutcome::End(true))), "{end:?}");
        }
    }
}
