//! One conversation with a live peer: a socket, and the protocol's session that reads both ways.

use super::gate::{self, Reading};
use super::record::{Recorder, Tape, now};
use super::stop::{SLICE, Stop};
use super::trouble::{Trouble, waited};
use crate::flow::{Origin, Side, Stream, Transport};
use crate::protocols::{
    Dissector, Draft, Encoder, Line, Message, Options, Out, Place, Role, Server, Session, Sink, StreamEvent, Talk,
};
use crate::render::{derived_json, fields_json};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Larger than any datagram.
const BUFFER: usize = 1 << 16;
/// No message of these protocols needs more bytes at once.
const UNREAD: usize = 1 << 20;
/// How much of what came is kept for a verdict on a stranger.
const KEPT: usize = 4096;
/// And of how many datagrams.
const KEPT_DATAGRAMS: usize = 8;

/// Somebody who wants to see every message that is sent or received.
pub type Watch<'a> = Rc<RefCell<dyn Sink + 'a>>;

/// A message that was read, detached from its bytes.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The protocol of its line: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// Its name.
    pub message: &'static str,
    /// The version that the session gave it.
    pub version: Option<&'static str>,
    /// Who sent it.
    pub from: Role,
    /// The fields, as ndjson has them.
    pub fields: Json,
    /// The derived values.
    pub derived: Json,
    /// What broke.
    pub fault: Option<String>,
    /// The message's bytes.
    pub bytes: Vec<u8>,
    /// When its first byte came.
    pub first: Instant,
}

impl Heard {
    /// A field that is a number.
    pub fn number(&self, field: &str) -> Option<u64> {
        self.fields.get(field)?.as_u64()
    }

    /// A field that is text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }
}

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

enum Socket {
    Udp(UdpSocket),
    Tcp(TcpStream),
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
    inbox: VecDeque<Heard>,
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

/// Detaches messages, and shows them to whoever watches.
struct Collect<'w, 'a> {
    list: Vec<Heard>,
    first: Instant,
    watch: Option<&'w Watch<'a>>,
}

impl Sink for Collect<'_, '_> {
    fn message(&mut self, message: &Message<'_>) {
        let (mut fields, mut derived) = (Vec::new(), Vec::new());
        fields_json(&message.draft.tree, message.sources(), &mut fields);
        derived_json(message.draft, message.sources(), &mut derived);
        let json = |text: &[u8]| crate::encode::json(text).unwrap_or(Json::Null);
        self.list.push(Heard {
            proto: message.draft.proto,
            message: message.draft.message,
            version: message.draft.version,
            from: message.draft.from,
            fields: json(&fields),
            derived: json(&derived),
            fault: message.draft.fault.as_ref().map(ToString::to_string),
            bytes: message.place.bytes.to_vec(),
            first: self.first,
        });
        if let Some(watch) = self.watch {
            watch.borrow_mut().message(message);
        }
    }
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

    /// Writes a message of the protocol, and sends it: when it was sent.
    ///
    /// # Errors
    /// Why it was not.
    pub fn say(&mut self, message: &str, fields: &Json) -> Result<Instant, Trouble> {
        self.say_as(self.proto, message, fields)
    }

    /// The same with a message of the protocol's carrier.
    ///
    /// # Errors
    /// Why it was not.
    pub fn say_as(&mut self, proto: &str, message: &str, fields: &Json) -> Result<Instant, Trouble> {
        let line = self.line(proto, message, fields);
        let bytes = self.write(&line)?;
        self.send(&bytes)
    }

    /// From now on messages go in WebSocket frames.
    pub fn upgraded(&mut self) {
        self.websocket = true;
    }

    /// Waits, at most so long, until the peer has ended its direction too; what it says is read.
    pub fn drain(&mut self, most: Duration) {
        let until = Instant::now() + most;
        while let Ok(Some(_)) = self.hear(until) {}
    }

    fn line<'l>(&self, proto: &'l str, message: &'l str, fields: &'l Json) -> Line<'l> {
        let (from, flow) = (self.role, self.flow);
        Line { message, proto, version: self.version, from, flow, fields, derived: None, broken: false }
    }

    fn write(&mut self, line: &Line<'_>) -> Result<Vec<u8>, Trouble> {
        self.write_line(line)
    }

    /// The bytes of a line as it goes on the wire.
    ///
    /// # Errors
    /// What is wrong with its fields.
    pub fn write_line(&mut self, line: &Line<'_>) -> Result<Vec<u8>, Trouble> {
        let bytes = self.encoder.encode(line).map_err(|error| Trouble::Encode(error.to_string()))?;
        let framed = match self.transport {
            Transport::Tcp if self.websocket => self.encoder.websocket(&bytes, line),
            Transport::Tcp => self.encoder.frame(&bytes, line),
            Transport::Udp => None,
        };
        Ok(framed.unwrap_or(bytes))
    }

    /// Sends bytes that the gate would not let out, because the user wants it so.
    ///
    /// # Errors
    /// Those of the socket and the recorder.
    pub fn send_dangerous(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        if !bytes.is_empty() {
            self.dissect(Side::A, bytes, Instant::now());
        }
        self.send_now(bytes)
    }

    /// Sends whole messages, in one datagram or one write, if the [`gate`] lets them out.
    ///
    /// # Errors
    /// Why they were not sent.
    pub fn send(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        let messages = if bytes.is_empty() { Vec::new() } else { self.dissect(Side::A, bytes, Instant::now()) };
        let unread = self.streams[Side::A.index()].bytes().len();
        gate::admit(&Reading { role: self.role, length: bytes.len(), messages: &messages, unread })?;
        self.send_now(bytes)
    }

    fn send_now(&mut self, bytes: &[u8]) -> Result<Instant, Trouble> {
        let (time, at) = (now(), Instant::now());
        match &mut self.socket {
            Socket::Udp(socket) => {
                socket.send(bytes).map_err(Trouble::of_datagram)?;
                self.tape.datagram(0, bytes, time).map_err(Trouble::Record)?;
            }
            Socket::Tcp(stream) => {
                stream.write_all(bytes).map_err(Trouble::of)?;
                self.tape.data(0, bytes, time).map_err(Trouble::Record)?;
            }
        }
        Ok(at)
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

    /// The next message, waiting for it until then; `None`: none came.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn hear(&mut self, until: Instant) -> Result<Option<Heard>, Trouble> {
        loop {
            if let Some(heard) = self.inbox.pop_front() {
                return Ok(Some(heard));
            }
            let left = until.saturating_duration_since(Instant::now());
            if !self.listen(left.min(SLICE))? && left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// The next message, if it is there already.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn poll(&mut self) -> Result<Option<Heard>, Trouble> {
        if self.inbox.is_empty() {
            self.listen(Duration::ZERO)?;
        }
        Ok(self.inbox.pop_front())
    }

    /// Reads once. `false`: nothing came.
    fn listen(&mut self, wait: Duration) -> Result<bool, Trouble> {
        if self.stop.is_set() && !self.leaving {
            return Err(Trouble::Interrupted);
        }
        if let Some(trouble) = &self.ended {
            return Err(match trouble {
                Trouble::Endless(most) => Trouble::Endless(*most),
                Trouble::Closed { reset } => Trouble::Closed { reset: *reset },
                _ => Trouble::Closed { reset: false },
            });
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let came = self.socket.read(&mut buffer, wait);
        let (time, at) = (now(), Instant::now());
        let datagrams = self.transport == Transport::Udp;
        let result = match came {
            Err(error) if waited(&error) => Ok(false),
            Err(error) if datagrams => Err(Trouble::of_datagram(error)),
            Err(error) => match Trouble::of(error) {
                closed @ Trouble::Closed { .. } => self.end(closed).map(|()| true),
                other => Err(other),
            },
            Ok(0) if !datagrams => self.end(Trouble::Closed { reset: false }).map(|()| true),
            Ok(length) => {
                let bytes = buffer.get(..length).unwrap_or_default();
                self.take(bytes, time, at).map(|()| true)
            }
        };
        self.buffer = buffer;
        result
    }

    fn take(&mut self, bytes: &[u8], time: crate::capture::Time, at: Instant) -> Result<(), Trouble> {
        let datagrams = self.transport == Transport::Udp;
        match datagrams {
            true => self.tape.datagram(1, bytes, time),
            false => self.tape.data(1, bytes, time),
        }
        .map_err(Trouble::Record)?;
        let kept = bytes.get(..bytes.len().min(KEPT)).unwrap_or_default();
        if datagrams && self.raw.len() < KEPT_DATAGRAMS || self.raw.is_empty() {
            self.raw.push(kept.to_vec());
        } else if let Some(stream) = self.raw.first_mut().filter(|_| !datagrams) {
            let room = KEPT.saturating_sub(stream.len()).min(kept.len());
            stream.extend_from_slice(kept.get(..room).unwrap_or_default());
        }
        let first = *self.begun.get_or_insert(at);
        let messages = self.dissect(Side::B, bytes, first);
        if !messages.is_empty() || datagrams {
            self.begun = None;
        }
        self.inbox.extend(messages);
        if self.streams[Side::B.index()].bytes().len() > UNREAD {
            self.ended = Some(Trouble::Endless(UNREAD));
        }
        Ok(())
    }

    fn end(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        let reset = matches!(trouble, Trouble::Closed { reset: true });
        self.tape.ended(1, reset, now()).map_err(Trouble::Record)?;
        let first = self.begun.take().unwrap_or_else(Instant::now);
        let last = self.event(Side::B, StreamEvent::End, first);
        self.inbox.extend(last);
        self.ended = Some(trouble);
        Ok(())
    }

    /// The messages in some bytes of one direction, read by the session.
    fn dissect(&mut self, side: Side, bytes: &[u8], first: Instant) -> Vec<Heard> {
        self.frame += 1;
        let (frame, time) = (self.frame, now());
        match self.transport {
            Transport::Udp => {
                let place = Place { side, bytes, length: bytes.len(), frame, frames: &[], time };
                let talk = talk(self.flow, self.role, self.transport, self.ends, &self.options);
                let mut collect = Collect { list: Vec::new(), first, watch: self.watch.as_ref() };
                let names = [self.names[0].as_str(), self.names[1].as_str()];
                let mut out = Out { draft: &mut self.draft, sink: &mut collect, talk: &talk, names };
                self.session.datagram(&place, &mut out);
                collect.list
            }
            Transport::Tcp => {
                self.streams[side.index()].append(bytes, Origin { frame, time });
                self.event(side, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, first)
            }
        }
    }

    fn event(&mut self, side: Side, event: StreamEvent<'_>, first: Instant) -> Vec<Heard> {
        let talk = talk(self.flow, self.role, self.transport, self.ends, &self.options);
        let mut collect = Collect { list: Vec::new(), first, watch: self.watch.as_ref() };
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let mut out = Out { draft: &mut self.draft, sink: &mut collect, talk: &talk, names };
        self.session.stream(side, &mut self.streams[side.index()], event, &mut out);
        collect.list
    }
}

fn talk(flow: u64, role: Role, transport: Transport, ends: [SocketAddr; 2], options: &Options) -> Talk<'_> {
    // The side that opens a connection is the client; ours is A.
    let opener = Some(if role == Role::Server { Side::B } else { Side::A });
    Talk { flow, transport, ends: Some(ends), opener, begun: [true; 2], options }
}

impl Socket {
    fn read(&mut self, buffer: &mut [u8], wait: Duration) -> std::io::Result<usize> {
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

/// The first message in what a server said, read without its conversation.
pub fn read_alone(dissector: &dyn Dissector, transport: Transport, bytes: &[u8]) -> Option<Heard> {
    let options = Options { from: Some(Role::Server), proto: Some(dissector.name().into()), ..Options::default() };
    let talk = Talk { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options: &options };
    let mut session = dissector.session(&talk);
    let mut collect = Collect { list: Vec::new(), first: Instant::now(), watch: None };
    let mut out = Out { draft: &mut Draft::default(), sink: &mut collect, talk: &talk, names: ["", ""] };
    let side = Side::A;
    match transport {
        Transport::Udp => {
            let place = Place { side, bytes, length: bytes.len(), frame: 0, frames: &[], time: now() };
            session.datagram(&place, &mut out);
        }
        Transport::Tcp => {
            let event = StreamEvent::Data { new: bytes.len(), segments: &[0], frame: 0 };
            session.stream(side, &mut Stream::of(bytes), event, &mut out);
        }
    }
    collect.list.into_iter().next()
}
