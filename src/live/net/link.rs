//! One conversation with a live peer: an exchange behind a socket, one message after the other.

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

/// How a conversation is opened.
#[derive(Clone)]
pub struct Open<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The version that messages are written in.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// Messages go in WebSocket frames.
    pub websocket: bool,
    /// The peer.
    pub peer: SocketAddr,
    /// How long TCP's handshake may take.
    pub timeout: Duration,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The wish to stop.
    pub stop: CancelToken,
    /// The conversation's number.
    pub flow: u64,
    /// Who we are.
    pub role: Role,
}

impl<'a> Open<'a> {
    /// What an exchange between these ends needs to know.
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
    /// The last deadline that has passed, and how often something was taken behind it.
    late: (Option<Instant>, usize),
}

/// How often something is still taken when the time is over: what had come by then, but not what a
/// peer sends without end.
const LATE: usize = 64;

impl<'a> Link<'a> {
    /// Opens it: a UDP socket that hears nobody but the peer, or a TCP connection. `options` are
    /// what the user said, for the session and the encoder.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(open: &Open<'a>, options: &Options) -> Result<Link<'a>, NetError> {
        open.stop.check()?;
        let wire = Wire::connect(open.transport, open.peer, open.timeout, open.recorder, &open.stop)?;
        let exchange = Exchange::new(open.setup(wire.ends()), options);
        Ok(Link { wire, exchange, stop: open.stop.clone(), leaving: false, late: (None, 0) })
    }

    /// From now on the wish to stop is not heeded: this conversation is being left.
    pub fn leave(&mut self) {
        self.leaving = true;
    }

    /// TCP: we have nothing more to say.
    pub fn finish(&mut self) {
        self.wire.finish();
    }

    /// What came, for a verdict: datagrams, or one entry with the beginning of the stream.
    pub fn raw(&self) -> &[Vec<u8>] {
        self.exchange.raw()
    }

    /// Is all that came what was sent? With `all`: also the last that was.
    pub fn echoes(&self, all: bool) -> bool {
        self.exchange.echoes(all)
    }

    /// Writes a message of the protocol, and sends it: when it was sent.
    ///
    /// # Errors
    /// Why it was not.
    pub fn send(&mut self, message: &'static str, fields: &Json) -> Result<Instant, NetError> {
        self.send_as(self.exchange.setup().dissector.name(), message, fields)
    }

    /// The same with a message of the protocol's carrier.
    ///
    /// # Errors
    /// Why it was not.
    pub fn send_as(&mut self, proto: &'static str, message: &'static str, fields: &Json) -> Result<Instant, NetError> {
        self.send_message(&OwnedMessage::new(proto, message, self.exchange.setup().role, fields.clone()))
    }

    /// Sends a message, the protocol's or its carrier's, if the [`gate`](crate::live::exchange::gate)
    /// lets it out: when it was sent.
    ///
    /// # Errors
    /// Why it was not.
    pub fn send_message(&mut self, message: &OwnedMessage) -> Result<Instant, NetError> {
        let from = self.exchange.setup().role;
        self.exchange.send(&OwnedMessage { from, ..message.clone() }, Instant::now())?;
        self.flush()
    }

    /// Sends whole messages, in one datagram or one write, if the gate lets them out.
    ///
    /// # Errors
    /// Why they were not sent.
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

    /// The next message, waiting for it until then; `None`: none came. A peer that sends without end
    /// does not hold it: clock and wish to stop are looked at before each message, also when there
    /// are some.
    ///
    /// # Errors
    /// Why none can come any more.
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

    /// The next message, if it is there already.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn poll(&mut self) -> Result<Option<OwnedMessage>, NetError> {
        self.heed()?;
        if let Some(message) = self.exchange.poll_message() {
            return Ok(Some(message));
        }
        self.listen(Duration::ZERO)?;
        Ok(self.exchange.poll_message())
    }

    /// From now on messages are read and written in another version; what was sent so far is read
    /// again, as a peer of that version reads it.
    pub fn reread(&mut self, version: &'static str, options: &Options, sent: &[u8]) {
        let setup = Setup { version: Some(version), ..self.exchange.setup().clone() };
        self.exchange = Exchange::new(setup, options);
        self.exchange.was_sent(sent, Instant::now());
    }

    /// Is it to stop?
    ///
    /// # Errors
    /// Why.
    pub fn heed(&self) -> Result<(), NetError> {
        if self.leaving { Ok(()) } else { self.stop.check() }
    }

    /// That time is over: may something still be taken that had come by then?
    fn is_open(&mut self, until: Instant) -> bool {
        if self.late.0 != Some(until) {
            self.late = (Some(until), 0);
        }
        self.late.1 += 1;
        self.late.1 <= LATE
    }

    /// Reads once. `false`: nothing came.
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

    /// Waits, at most so long, until the peer has ended its direction too; what it says is read. A
    /// user who wants to stop does not wait long.
    pub fn drain(&mut self, most: Duration) {
        let until = Instant::now() + if self.stop.is_set() { most.min(LEAVING) } else { most };
        while let Ok(Some(_)) = self.recv(until) {}
    }
}
