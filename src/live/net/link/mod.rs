//! One conversation with a live peer: a socket, and the protocol's session that reads both ways.

mod hear;
mod heard;
mod say;
mod socket;

pub use heard::{Watch, read_alone};

use super::record::{Recorder, Tape, now};
use super::stop::{SLICE, Stop};
use super::trouble::{Trouble, waited};
use crate::dissect::{Dissector, Draft, Encoder, Options, Role, Server, Session, Talk};
use crate::flow::{Side, Stream, Transport};
use crate::live::OwnedMessage;
use socket::Socket;
use std::collections::VecDeque;
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

/// Larger than any datagram.
const BUFFER: usize = 1 << 16;

/// How a conversation is opened.
#[derive(Clone)]
pub struct Open<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The version that messages are written in.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// The peer.
    pub peer: SocketAddr,
    /// How long TCP's handshake may take.
    pub timeout: Duration,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub watch: Option<Watch<'a>>,
    /// The user's wish to stop.
    pub stop: &'a Stop,
    /// The conversation's number.
    pub flow: u64,
    /// Who we are.
    pub role: Role,
}

/// One conversation with a live peer.
pub struct Link<'a> {
    socket: Socket,
    transport: Transport,
    ends: [SocketAddr; 2],
    names: [String; 2],
    options: Options,
    version: Option<&'static str>,
    proto: &'static str,
    flow: u64,
    role: Role,
    encoder: Box<dyn Encoder>,
    session: Box<dyn Session>,
    draft: Draft,
    streams: [Stream; 2],
    frame: u64,
    inbox: VecDeque<OwnedMessage>,
    /// When the first byte came of what is not read as a message yet.
    begun: Option<Instant>,
    ended: Option<Trouble>,
    tape: Tape<'a>,
    watch: Option<Watch<'a>>,
    stop: &'a Stop,
    leaving: bool,
    websocket: bool,
    /// What came, for a verdict: datagrams, or one entry with the beginning of the stream.
    pub raw: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

impl<'a> Link<'a> {
    /// Opens it: a UDP socket that hears nobody but the peer, or a TCP connection. `options` are
    /// what the user said, for the session and the encoder.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(open: &Open<'a>, options: &Options) -> Result<Link<'a>, Trouble> {
        let peer = open.peer;
        if open.stop.is_set() {
            return Err(Trouble::Interrupted);
        }
        let (socket, local) = match open.transport {
            Transport::Udp => {
                let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
                let socket = UdpSocket::bind(any).map_err(Trouble::of_datagram)?;
                // Connected: datagrams of other addresses are dropped, and ICMP's answers are told.
                socket.connect(peer).map_err(Trouble::of_datagram)?;
                let local = socket.local_addr().map_err(Trouble::of_datagram)?;
                (Socket::Udp(socket), local)
            }
            Transport::Tcp => {
                let stream = TcpStream::connect_timeout(&peer, open.timeout.max(Duration::from_millis(1)))
                    .map_err(|error| if waited(&error) { Trouble::NoAnswer } else { Trouble::of(error) })?;
                stream.set_nodelay(true).map_err(Trouble::of)?;
                stream.set_write_timeout(Some(open.timeout.max(SLICE))).map_err(Trouble::of)?;
                let local = stream.local_addr().map_err(Trouble::of)?;
                (Socket::Tcp(stream), local)
            }
        };
        Link::of(open, options, socket, [local, peer], None)
    }

    /// A conversation that a client begins: with its first datagram, which was received already.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn answer(
        open: &Open<'a>,
        options: &Options,
        socket: UdpSocket,
        first: Option<&[u8]>,
    ) -> Result<Link<'a>, Trouble> {
        socket.connect(open.peer).map_err(Trouble::of_datagram)?;
        let local = socket.local_addr().map_err(Trouble::of_datagram)?;
        let mut link = Link::of(open, options, Socket::Udp(socket), [local, open.peer], None)?;
        if let Some(bytes) = first {
            link.take(bytes, now(), Instant::now())?;
        }
        Ok(link)
    }

    /// A connection that a client made.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn accepted(open: &Open<'a>, options: &Options, stream: TcpStream) -> Result<Link<'a>, Trouble> {
        stream.set_nodelay(true).map_err(Trouble::of)?;
        stream.set_write_timeout(Some(open.timeout.max(SLICE))).map_err(Trouble::of)?;
        let local = stream.local_addr().map_err(Trouble::of)?;
        Link::of(open, options, Socket::Tcp(stream), [local, open.peer], None)
    }

    /// Datagrams beside a stream, read by the session that the stream's has made for them.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn beside(
        open: &Open<'a>,
        options: &Options,
        socket: UdpSocket,
        session: Box<dyn Session>,
    ) -> Result<Link<'a>, Trouble> {
        let local = socket.local_addr().map_err(Trouble::of_datagram)?;
        Link::of(open, options, Socket::Udp(socket), [local, open.peer], Some(session))
    }

    /// The server whose datagrams belong to this stream, and the session for them, once the
    /// stream has told.
    pub fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        self.session.expects()
    }

    /// Our end's address.
    pub fn local(&self) -> SocketAddr {
        self.ends[0]
    }

    /// The peer's address.
    pub fn peer(&self) -> SocketAddr {
        self.ends[1]
    }

    fn of(
        open: &Open<'a>,
        options: &Options,
        socket: Socket,
        ends: [SocketAddr; 2],
        session: Option<Box<dyn Session>>,
    ) -> Result<Link<'a>, Trouble> {
        let transport = if matches!(socket, Socket::Udp(_)) { Transport::Udp } else { Transport::Tcp };
        let mut options = options.clone();
        let server = if open.role == Role::Server { ends[0] } else { ends[1] };
        options.server = Some(Server { addr: server.ip(), port: Some(server.port()) });
        options.proto = Some(open.dissector.name().into());
        let session = match session {
            Some(session) => session,
            None => open.dissector.session(&talk(open.flow, open.role, transport, ends, &options)),
        };
        let mut link = Link {
            socket,
            transport,
            ends,
            names: ends.map(|end| end.to_string()),
            version: open.version,
            proto: open.dissector.name(),
            flow: open.flow,
            role: open.role,
            encoder: open.dissector.encoder(&options),
            session,
            options,
            draft: Draft::default(),
            streams: Default::default(),
            frame: 0,
            inbox: VecDeque::new(),
            begun: None,
            ended: None,
            tape: Tape::new(open.recorder, ends),
            watch: open.watch.clone(),
            stop: open.stop,
            leaving: false,
            websocket: false,
            raw: Vec::new(),
            buffer: vec![0; BUFFER],
        };
        if transport == Transport::Tcp {
            link.tape.connected((open.role == Role::Server) as usize, now()).map_err(Trouble::Record)?;
        }
        Ok(link)
    }

    /// From now on the user's wish to stop is not heeded: this conversation is being left.
    pub fn leave(&mut self) {
        self.leaving = true;
    }

    /// From now on messages go in WebSocket frames.
    pub fn upgraded(&mut self) {
        self.websocket = true;
    }

    /// Has the peer ended its direction?
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
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

fn talk(flow: u64, role: Role, transport: Transport, ends: [SocketAddr; 2], options: &Options) -> Talk<'_> {
    // The side that opens a connection is the client; ours is A.
    let opener = Some(if role == Role::Server { Side::B } else { Side::A });
    Talk { flow, transport, ends: Some(ends), opener, begun: [true; 2], options }
}
