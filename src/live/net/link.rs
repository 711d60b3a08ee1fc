//! One conversation with a live peer: an exchange with a socket, one message after the other.

use super::cancel::{CancelToken, LEAVING, SLICE};
use super::record::{Recorder, now};
use super::wire::{Arrived, Wire};
use crate::dissect::{Dissector, Options, Role};
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::exchange::{Clock, Exchange, Observer, Setup};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The parameters of a conversation to be opened.
#[derive(Clone)]
pub struct Open<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The version in which messages are written.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// Whether messages are in WebSocket frames.
    pub websocket: bool,
    /// The peer.
    pub peer: SocketAddr,
    /// The longest time for TCP's handshake.
    pub timeout: Duration,
    /// Records the exchange.
    pub recorder: Option<&'a Recorder>,
    /// Sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The request to stop.
    pub stop: CancelToken,
    /// The conversation's number.
    pub flow: u64,
    /// Our role.
    pub role: Role,
}

impl<'a> Open<'a> {
    /// Returns the parameters of an exchange between these addresses.
    pub fn setup(&self, ends: [SocketAddr; 2]) -> Setup<'a> {
        let Open { dissector, version, transport, websocket, flow, role, .. } = *self;
        let clock = Clock { at: Instant::now(), time: now() };
        let observer = self.observer.clone();
        Setup { dissector, version, transport, ends, flow, role, websocket, observer, compared: None, clock }
    }
}

/// One conversation with a live peer.
pub struct Link<'a> {
    wire: Wire<'a>,
    exchange: Exchange<'a>,
    stop: CancelToken,
    leaving: bool,
    /// The last deadline that has passed, and the number of attempts to receive after it.
    late: (Option<Instant>, usize),
}

/// The number of messages that are still taken after a deadline. It suffices for messages that had arrived before, but
/// a peer that sends without end is cut off.
const LATE: usize = 64;

impl<'a> Link<'a> {
    /// Opens a conversation: a UDP socket that receives only from the peer, or a TCP connection. `options` are the
    /// user's, for the session and the encoder.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn open(open: &Open<'a>, options: &Options) -> Result<Link<'a>, NetError> {
        open.stop.check()?;
        let wire = Wire::connect(open.transport, open.peer, open.timeout, open.recorder, &open.stop)?;
        let exchange = Exchange::new(open.setup(wire.ends()), options);
        Ok(Link { wire, exchange, stop: open.stop.clone(), leaving: false, late: (None, 0) })
    }

    /// Ignores the request to stop from now on, because the conversation is being left.
    pub fn leave(&mut self) {
        self.leaving = true;
    }

    /// TCP: closes our direction.
    pub fn finish(&mut self) {
        self.wire.finish();
    }

    /// Returns the received data, for a verdict: datagrams, or one entry with the beginning of the stream.
    pub fn raw(&self) -> &[Vec<u8>] {
        self.exchange.raw()
    }

    /// Whether everything received is a copy of data that was sent. With `all`: also of the last data sent.
    pub fn echoes(&self, all: bool) -> bool {
        self.exchange.echoes(all)
    }

    /// Writes a message of the protocol, and sends it. Returns the time of sending.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn send(&mut self, message: &'static str, fields: &Json) -> Result<Instant, NetError> {
        self.send_as(self.exchange.setup().dissector.name(), message, fields)
    }

    /// As [`Link::send`], for a message of the protocol's carrier.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn send_as(&mut self, proto: &'static str, message: &'static str, fields: &Json) -> Result<Instant, NetError> {
        self.send_message(&OwnedMessage::new(proto, message, self.exchange.setup().role, fields.clone()))
    }

    /// Sends a message of the protocol or its carrier, if the [`gate`](crate::live::exchange::gate) admits it. Returns
    /// the time of sending.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn send_message(&mut self, message: &OwnedMessage) -> Result<Instant, NetError> {
        let from = self.exchange.setup().role;
        self.exchange.send(&OwnedMessage { from, ..message.clone() }, Instant::now())?;
        self.flush()
    }

    /// Sends whole messages, in one datagram or one write, if the gate admits them.
    ///
    /// # Errors
    /// Returns the reason why they were not sent.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<Instant, NetError> {
        self.exchange.send_bytes(bytes.to_vec(), Instant::now())?;
        self.flush()
    }

    fn flush(&mut self) -> Result<Instant, NetError> {
        let at = Instant::now();
        while let Some(bytes) = self.exchange.poll_transmit() {
            self.wire.send(&bytes)?;
        }
        Ok(at)
    }

    /// Returns the next message, or `None` if none arrives before `until`. A peer that sends without end cannot block
    /// this: the clock and the request to stop are checked before each message, even if some are waiting.
    ///
    /// # Errors
    /// Returns the reason why no more messages can arrive.
    pub fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, NetError> {
        loop {
            self.heed()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() && !self.is_open(until) {
                return Ok(None);
            }
            if let Some(message) = self.exchange.poll_message() {
                return Ok(Some(message));
            }
            if !self.listen(left.min(SLICE))? && left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// Returns the next message, if it is there already.
    ///
    /// # Errors
    /// Returns the reason why no more messages can arrive.
    pub fn poll(&mut self) -> Result<Option<OwnedMessage>, NetError> {
        self.heed()?;
        if let Some(message) = self.exchange.poll_message() {
            return Ok(Some(message));
        }
        self.listen(Duration::ZERO)?;
        Ok(self.exchange.poll_message())
    }

    /// Reads and writes messages in another version from now on. The bytes sent so far are read again, as a peer of
    /// that version reads them.
    pub fn reread(&mut self, version: &'static str, options: &Options, sent: &[u8]) {
        let setup = Setup { version: Some(version), ..self.exchange.setup().clone() };
        self.exchange = Exchange::new(setup, options);
        self.exchange.sent(sent, Instant::now());
    }

    /// Checks the request to stop.
    ///
    /// # Errors
    /// Returns the reason to stop.
    pub fn heed(&self) -> Result<(), NetError> {
        if self.leaving { Ok(()) } else { self.stop.check() }
    }

    /// Whether messages that had arrived before this deadline may still be taken.
    fn is_open(&mut self, until: Instant) -> bool {
        if self.late.0 != Some(until) {
            self.late = (Some(until), 0);
        }
        self.late.1 += 1;
        self.late.1 <= LATE
    }

    /// Reads once. Returns false if nothing arrived.
    fn listen(&mut self, wait: Duration) -> Result<bool, NetError> {
        if let Some(error) = self.exchange.ended() {
            return Err(error);
        }
        match self.wire.recv(wait)? {
            Arrived::Nothing => return Ok(false),
            Arrived::Bytes(bytes) => self.exchange.recv(bytes, Instant::now()),
            Arrived::End(reset) => self.exchange.closed(reset, Instant::now()),
        }
        Ok(true)
    }

    /// Reads until the peer has closed its direction, too, at most for this time. After the user's request to stop, the
    /// time is shorter.
    pub fn drain(&mut self, most: Duration) {
        let until = Instant::now() + if self.stop.is_set() { most.min(LEAVING) } else { most };
        while let Ok(Some(_)) = self.recv(until) {}
    }
}
