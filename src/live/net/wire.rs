//! The bytes of one conversation: a socket, and what goes over it recorded.

use super::cancel::SLICE;
use super::record::{Recorder, Tape, now};
use super::socket::Socket;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::error::waited;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// Larger than any datagram.
const BUFFER: usize = 1 << 16;

/// What a read brought.
#[derive(Debug)]
pub enum Arrived<'b> {
    /// Nothing in time.
    Nothing,
    /// A datagram, or the stream's next bytes.
    Bytes(&'b [u8]),
    /// The peer has ended its direction; with a RST?
    End(bool),
}

/// A socket that speaks to one peer.
pub struct Wire<'a> {
    socket: Socket,
    ends: [SocketAddr; 2],
    tape: Tape<'a>,
    buffer: Vec<u8>,
}

impl<'a> Wire<'a> {
    /// Goes to a peer: a UDP socket that hears nobody else, or a TCP connection.
    ///
    /// # Errors
    /// Why it is not reached.
    pub fn connect(
        transport: Transport,
        peer: SocketAddr,
        timeout: Duration,
        recorder: Option<&'a Recorder>,
    ) -> Result<Wire<'a>, NetError> {
        match transport {
            Transport::Udp => {
                let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
                Wire::datagrams(UdpSocket::bind(any).map_err(NetError::of_datagram)?, peer, recorder)
            }
            Transport::Tcp => {
                let stream = TcpStream::connect_timeout(&peer, timeout.max(Duration::from_millis(1)))
                    .map_err(|error| if waited(&error) { NetError::NoAnswer } else { NetError::of(error) })?;
                Wire::stream(stream, peer, timeout, recorder, true)
            }
        }
    }

    /// A bound socket, from now on for this peer alone.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn datagrams(
        socket: UdpSocket,
        peer: SocketAddr,
        recorder: Option<&'a Recorder>,
    ) -> Result<Wire<'a>, NetError> {
        // Connected: datagrams of other addresses are dropped, and ICMP's answers are told.
        socket.connect(peer).map_err(NetError::of_datagram)?;
        let ends = [socket.local_addr().map_err(NetError::of_datagram)?, peer];
        let tape = Tape::new(recorder, ends);
        Ok(Wire { socket: Socket::Udp(socket), ends, tape, buffer: vec![0; BUFFER] })
    }

    /// A TCP connection, which we have asked for (`ours`) or the peer.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn stream(
        stream: TcpStream,
        peer: SocketAddr,
        timeout: Duration,
        recorder: Option<&'a Recorder>,
        ours: bool,
    ) -> Result<Wire<'a>, NetError> {
        stream.set_nodelay(true).map_err(NetError::of)?;
        stream.set_write_timeout(Some(timeout.max(SLICE))).map_err(NetError::of)?;
        let ends = [stream.local_addr().map_err(NetError::of)?, peer];
        let mut tape = Tape::new(recorder, ends);
        tape.connected(!ours as usize, now()).map_err(NetError::Record)?;
        Ok(Wire { socket: Socket::Tcp(stream), ends, tape, buffer: vec![0; BUFFER] })
    }

    /// Our end's address, and the peer's.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.ends
    }

    /// Reads once: what is there, or what comes in time.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn recv(&mut self, wait: Duration) -> Result<Arrived<'_>, NetError> {
        let datagrams = matches!(self.socket, Socket::Udp(_));
        let reset = match self.socket.read(&mut self.buffer, wait) {
            Err(error) if waited(&error) => return Ok(Arrived::Nothing),
            Err(error) if datagrams => return Err(NetError::of_datagram(error)),
            Err(error) => match NetError::of(error) {
                NetError::Closed { reset } => reset,
                other => return Err(other),
            },
            Ok(0) if !datagrams => false,
            Ok(length) => {
                let bytes = self.buffer.get(..length).unwrap_or_default();
                self.tape.bytes(1, bytes, datagrams, now()).map_err(NetError::Record)?;
                return Ok(Arrived::Bytes(bytes));
            }
        };
        self.tape.ended(1, reset, now()).map_err(NetError::Record)?;
        Ok(Arrived::End(reset))
    }

    /// A datagram that came before this wire was there.
    ///
    /// # Errors
    /// Those of the recorder.
    pub fn came(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        self.tape.bytes(1, bytes, true, now()).map_err(NetError::Record)
    }

    /// Sends a datagram, or bytes of the stream.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let time = now();
        let datagrams = match &mut self.socket {
            Socket::Udp(socket) => socket.send(bytes).map_err(NetError::of_datagram).map(|_| true)?,
            Socket::Tcp(stream) => stream.write_all(bytes).map_err(NetError::of).map(|()| false)?,
        };
        self.tape.bytes(0, bytes, datagrams, time).map_err(NetError::Record)
    }

    /// TCP: we have nothing more to say.
    pub fn finish(&mut self) {
        if let Socket::Tcp(stream) = &self.socket {
            // The peer may be gone already.
            let _ = stream.shutdown(Shutdown::Write);
            let _ = self.tape.ended(0, false, now());
        }
    }
}
