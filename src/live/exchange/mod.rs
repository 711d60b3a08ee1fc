//! A conversation without sockets: bytes in, messages out, bytes to send.
//!
//! An [`Exchange`] owns everything that one flow with a live peer needs: the protocol's encoder, the session that reads
//! both directions, framing, the [`gate`], and the caps on the memory that the peer can claim. It has no socket, no
//! thread and no clock: time is an argument. Its caller passes on received bytes ([`Exchange::recv`],
//! [`Exchange::closed`]), takes the messages that were read ([`Exchange::poll_message`]) and sends the bytes that
//! result ([`Exchange::poll_transmit`]). It has no timers: resends and heartbeats are the task of the
//! [actor](crate::live::replay::actor::Actor), and so of the [player](crate::live::replay::Player).

pub(super) mod collect;
pub mod gate;
mod raw;
#[cfg(test)]
mod tests;

pub(crate) use collect::{Observer, read_alone};

use super::NetError;
use crate::capture::Time;
use crate::dissect::{Dissector, Encoder, FlowInfo, Line, Options, Role, Server, Session, SessionReader};
use crate::filter::Filter;
use crate::flow::{Origin, Side, Transport};
use crate::message::OwnedMessage;
use collect::Collect;
use gate::Outgoing;
use raw::Raw;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// Converts instants to the time of day.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// An instant.
    pub at: Instant,
    /// The time of day at that instant, as a capture would write it.
    pub time: Time,
}

impl Clock {
    /// Returns the time of day of another instant.
    pub fn time(&self, now: Instant) -> Time {
        let nanos = self.time.nanos() + now.saturating_duration_since(self.at).as_nanos() as i128;
        Time { secs: (nanos / 1_000_000_000) as i64, frac: (nanos % 1_000_000_000) as u64, digits: 9 }
    }
}

/// The parameters of a conversation, known before its first byte.
#[derive(Clone)]
pub struct Setup<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The version in which messages are written, unless they have their own.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// Our address and the peer's.
    pub ends: [SocketAddr; 2],
    /// The conversation's number.
    pub flow: u64,
    /// Our role.
    pub role: Role,
    /// Whether messages are in WebSocket frames. The HTTP heads before them are not messages, and are sent as they are.
    pub websocket: bool,
    /// Sees the messages of both sides.
    pub observer: Option<Observer<'a>>,
    /// Selects the messages that are compared with a recording; `None`: all.
    pub compared: Option<Arc<Filter>>,
    /// The clock for the times of messages.
    pub clock: Clock,
}

/// One conversation with a live peer, without its socket.
pub struct Exchange<'a> {
    setup: Setup<'a>,
    names: [String; 2],
    options: Options,
    encoder: Box<dyn Encoder>,
    reader: SessionReader,
    frame: u64,
    inbox: VecDeque<OwnedMessage>,
    /// The memory that the messages in the inbox take.
    held: usize,
    outbox: VecDeque<Vec<u8>>,
    /// The datagram that is being put together.
    bundle: Vec<u8>,
    /// The arrival time of the first byte that has not become part of a message yet.
    begun: Option<Instant>,
    ended: Option<NetError>,
    raw: Raw,
    /// The beginning of the bytes that were sent, as `raw` is of those received.
    ours: Raw,
}

impl<'a> Exchange<'a> {
    /// Creates a conversation. `options` are the user's, for the session and the encoder.
    pub fn new(setup: Setup<'a>, options: &Options) -> Exchange<'a> {
        Exchange::with(setup, options, None)
    }

    /// Creates an exchange for datagrams beside a stream. The stream's session has made the session that reads them.
    pub fn of_datagrams(setup: Setup<'a>, options: &Options, session: Box<dyn Session>) -> Exchange<'a> {
        Exchange::with(setup, options, Some(session))
    }

    fn with(setup: Setup<'a>, options: &Options, session: Option<Box<dyn Session>>) -> Exchange<'a> {
        let mut options = options.clone();
        let server = if setup.role == Role::Server { setup.ends[0] } else { setup.ends[1] };
        options.server = Some(Server { addr: server.ip(), port: Some(server.port()) });
        options.proto = Some(setup.dissector.name().into());
        let reader = match session {
            Some(session) => SessionReader::of(session),
            None => SessionReader::new(setup.dissector, &flow_info(&setup, &options)),
        };
        Exchange {
            names: setup.ends.map(|end| end.to_string()),
            encoder: setup.dissector.encoder(&options),
            reader,
            frame: 0,
            inbox: VecDeque::new(),
            held: 0,
            outbox: VecDeque::new(),
            bundle: Vec::new(),
            begun: None,
            ended: None,
            raw: Raw::default(),
            ours: Raw::default(),
            setup,
            options,
        }
    }

    /// Returns the parameters of the conversation.
    pub fn setup(&self) -> &Setup<'a> {
        &self.setup
    }

    /// Takes a received datagram, or the stream's next bytes.
    pub fn recv(&mut self, bytes: &[u8], now: Instant) {
        if self.ended.is_some() {
            return;
        }
        let datagrams = self.setup.transport == Transport::Udp;
        self.raw.keep(bytes, datagrams);
        let first = *self.begun.get_or_insert(now);
        let taken = self.take(Some(bytes), first, now);
        if taken.0 || datagrams {
            // The beginning of the next message may be among these bytes.
            self.begun = (!datagrams && self.reader.unread(Side::B) > 0).then_some(now);
        }
        let (peer, caps) = (self.setup.ends[1], self.options.limits.peer);
        if self.reader.unread(Side::B) > caps.live_unread_bytes {
            self.ended = Some(NetError::Endless { peer, most: caps.live_unread_bytes });
        } else if taken.1 || self.reader.memory() > caps.live_kept_bytes {
            self.ended = Some(NetError::Flood { peer, most: caps.live_kept_bytes });
        }
    }

    /// Reads the peer's bytes, or its end. Returns whether a message arrived, and whether there were more than may be
    /// kept.
    fn take(&mut self, bytes: Option<&[u8]>, first: Instant, now: Instant) -> (bool, bool) {
        let before = self.inbox.len();
        let most = self.options.limits.peer.live_kept_bytes;
        let mut inbox = std::mem::take(&mut self.inbox);
        let left = self.read(Side::B, bytes, [first, now], &mut inbox, most.saturating_sub(self.held));
        self.inbox = inbox;
        self.held = most.saturating_sub(left.unwrap_or(0));
        (self.inbox.len() > before, left.is_none())
    }

    /// Notes that the peer has closed its direction. The messages that this completes can still be taken.
    pub fn closed(&mut self, reset: bool, now: Instant) {
        if self.ended.is_none() {
            let first = self.begun.take().unwrap_or(now);
            self.take(None, first, now);
            self.ended = Some(NetError::Closed { reset });
        }
    }

    /// Returns the peer's next message.
    pub fn poll_message(&mut self) -> Option<OwnedMessage> {
        let message = self.inbox.pop_front()?;
        self.held = self.held.saturating_sub(message.weight());
        Some(message)
    }

    /// Returns the reason why no more messages follow, once all messages are taken.
    pub fn ended(&self) -> Option<NetError> {
        match self.ended.as_ref().filter(|_| self.inbox.is_empty())? {
            NetError::Endless { peer, most } => Some(NetError::Endless { peer: *peer, most: *most }),
            NetError::Flood { peer, most } => Some(NetError::Flood { peer: *peer, most: *most }),
            NetError::Closed { reset } => Some(NetError::Closed { reset: *reset }),
            _ => Some(NetError::Closed { reset: false }),
        }
    }

    /// Whether the peer has closed its direction, or was abandoned because of the data it sent.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Writes a message, and sends it if the [`gate`] admits it. A message with `more` waits for the next one, which
    /// goes into the same datagram.
    ///
    /// # Errors
    /// Returns the reason why it is not sent.
    pub fn send(&mut self, message: &OwnedMessage, now: Instant) -> Result<(), NetError> {
        self.bundled(message)?.map_or(Ok(()), |bytes| self.send_bytes(bytes, now))
    }

    /// As [`Exchange::send`], for a message that the gate would refuse, but that the user wants to send.
    ///
    /// # Errors
    /// Returns the mistake in its fields.
    pub fn send_dangerous(&mut self, message: &OwnedMessage, now: Instant) -> Result<(), NetError> {
        if let Some(bytes) = self.bundled(message)? {
            if !bytes.is_empty() {
                self.sent(&bytes, now);
            }
            self.outbox.push_back(bytes);
        }
        Ok(())
    }

    fn bundled(&mut self, message: &OwnedMessage) -> Result<Option<Vec<u8>>, NetError> {
        let mut bytes = self.write(message)?;
        if message.more || !self.bundle.is_empty() {
            self.bundle.append(&mut bytes);
            return Ok((!message.more).then(|| std::mem::take(&mut self.bundle)));
        }
        Ok(Some(bytes))
    }

    /// Sends whole messages, in one datagram or one write, if the [`gate`] admits them.
    ///
    /// # Errors
    /// Returns the reason why they are not sent.
    pub fn send_bytes(&mut self, bytes: Vec<u8>, now: Instant) -> Result<(), NetError> {
        let messages = if bytes.is_empty() { Vec::new() } else { self.sent(&bytes, now) };
        let unread = self.reader.unread(Side::A);
        let (role, senders) = (self.setup.role, self.setup.dissector.senders());
        gate::admit(&Outgoing { role, length: bytes.len(), messages: &messages, senders, unread })?;
        self.outbox.push_back(bytes);
        Ok(())
    }

    /// Returns the next datagram, or the next bytes of the stream, to be sent.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        let bytes = self.outbox.pop_front()?;
        self.ours.keep(&bytes, self.setup.transport == Transport::Udp);
        Some(bytes)
    }

    /// Returns the bytes of a message, in their form on the wire.
    fn write(&mut self, message: &OwnedMessage) -> Result<Vec<u8>, NetError> {
        let version = message.version.or(self.setup.version);
        if self.setup.transport == Transport::Udp
            && !self.encoder.remembers(message.proto, message.message)
            && let Some(bytes) = message.bytes_in(version)
        {
            return Ok(bytes.to_vec());
        }
        let line = Line { version, ..message.line(self.setup.flow) };
        let bytes = self.encoder.encode(&line).map_err(|error| NetError::Encode(error.to_string()))?;
        let framed = match self.setup.transport {
            Transport::Tcp if self.setup.websocket => self.encoder.websocket(&bytes, &line),
            Transport::Tcp => self.encoder.frame(&bytes, &line),
            Transport::Udp => None,
        };
        Ok(framed.unwrap_or(bytes))
    }

    /// Reads the bytes that we send, as the peer will.
    pub fn sent(&mut self, bytes: &[u8], now: Instant) -> Vec<OwnedMessage> {
        let mut ours = VecDeque::new();
        self.read(Side::A, Some(bytes), [now, now], &mut ours, usize::MAX);
        ours.into()
    }

    /// Reads a side's bytes, or its end, into messages that may take `room` bytes. Returns the bytes left, or `None` if
    /// there were more messages.
    fn read(
        &mut self,
        side: Side,
        bytes: Option<&[u8]>,
        [first, now]: [Instant; 2],
        list: &mut VecDeque<OwnedMessage>,
        room: usize,
    ) -> Option<usize> {
        let flow_info = flow_info(&self.setup, &self.options);
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let observer = self.setup.observer.as_ref();
        let compared = self.setup.compared.as_deref();
        let mut collect = Collect { list, first, now, unit: None, observer, compared, room, full: false };
        match bytes {
            Some(bytes) => {
                self.frame += 1;
                let origin = Origin { frame: self.frame, time: self.setup.clock.time(now) };
                self.reader.bytes(side, bytes, origin, names, &flow_info, &mut collect);
            }
            None => self.reader.end(side, names, &flow_info, &mut collect),
        }
        (!collect.full).then_some(collect.room)
    }

    /// Returns the server whose datagrams belong to this stream, and the session for them, once the stream has named
    /// the server.
    pub fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        self.reader.expects()
    }

    /// Whether everything received is a copy of data that was sent. With `all`: also of the last data sent.
    pub fn echoes(&self, all: bool) -> bool {
        self.raw.returns(&self.ours, self.setup.transport == Transport::Udp, all)
    }

    /// Whether all received bytes belong to whole messages.
    pub fn is_read(&self) -> bool {
        self.reader.unread(Side::B) == 0
    }

    /// Returns the received data, for a verdict: datagrams, or one entry with the beginning of the stream.
    pub fn raw(&self) -> &[Vec<u8>] {
        self.raw.list()
    }
}

fn flow_info<'t>(setup: &Setup<'_>, options: &'t Options) -> FlowInfo<'t> {
    // The side that opens a connection is the client; ours is A.
    let opener = Some(if setup.role == Role::Server { Side::B } else { Side::A });
    let Setup { flow, transport, ends, .. } = *setup;
    FlowInfo { flow, ends: Some(ends), opener, ..FlowInfo::alone(transport, options) }
}
