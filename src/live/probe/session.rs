//! A conversation of a probe: an exchange with a socket, one message after the other. The protocol's actor plays an empty
//! recording, so that handshake, acknowledgements and leaving are written once for each protocol. A protocol without an
//! actor has none of them.

use super::{Ask, Carrier, Failure, Unexpected};
use crate::dissect::{Options, Role};
use crate::live::NetError;
use crate::live::exchange::{Exchange, Setup};
use crate::live::net::cancel::{LEAVING, SLICE};
use crate::live::net::wire::Arrived;
use crate::live::net::{CancelToken, Open, Wire};
use crate::live::pace::Pacer;
use crate::live::replay::actor::{Actor, Outbox, Recorded, ReplayContext};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time from one transmission of a goodbye to the next.
const BETWEEN: Duration = Duration::from_millis(10);
/// The same, if the server has not answered yet: in the next turn of its loop.
const UNANSWERED: Duration = Duration::from_millis(50);
/// The transmissions of a goodbye to a server that has not answered yet.
const TIMES: usize = 3;
/// The longest wait for a server's close that must precede ours.
const CLOSING: Duration = Duration::from_secs(2);
/// The longest wait for a server's close that follows ours.
const ENDING: Duration = Duration::from_millis(500);
/// The number of messages that are still taken after a deadline. It suffices for messages that had arrived before, but
/// a peer that sends without end is cut off.
const LATE: usize = 64;

/// The parameters of a conversation to be opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening<'o> {
    /// The carrier.
    pub carrier: Carrier,
    /// The version in which messages are written.
    pub version: Option<&'static str>,
    /// The user's options, for the session and the encoder.
    pub options: &'o Options,
    /// The connect data that the server's application expects in the first message.
    pub data: Option<&'o Json>,
    /// The request to stop.
    pub stop: &'o CancelToken,
}

/// One conversation with a server.
pub struct Session<'a> {
    wire: Wire<'a>,
    exchange: Exchange<'a>,
    stop: CancelToken,
    /// Whether the request to stop is ignored, because the conversation is being left.
    leaving: bool,
    /// The last deadline that has passed, and the number of attempts to receive after it.
    late: (Option<Instant>, usize),
    /// The carrier.
    pub carrier: Carrier,
    /// The version in which messages are written.
    pub version: Option<&'static str>,
    actor: Option<Box<dyn Actor>>,
    out: Outbox,
    /// Messages that were received unexpectedly.
    pub unexpected: Unexpected,
    /// Whether there is nobody any more to be left.
    pub gone: bool,
    /// Whether the server has sent a message that belongs to the conversation.
    pub received: bool,
    /// Whether a goodbye was sent.
    parted: bool,
    /// The time when the conversation began.
    pub begun: Instant,
    /// The time when the actor last sent something.
    pub last_sent: Instant,
    /// The last message that the actor sent.
    pub last_message: OwnedMessage,
    pacer: Pacer,
}

impl<'a> Session<'a> {
    /// Opens a conversation, by the rules of the protocol's actor.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub(crate) fn open(ask: &Ask<'a>, opening: &Opening<'_>) -> Result<Session<'a>, Failure> {
        let Opening { carrier, version, options, data, stop } = *opening;
        let (transport, websocket) = (carrier.transport(), carrier == Carrier::Ws);
        let bare =
            if ask.target.host.contains(':') { format!("[{}]", ask.target.host) } else { ask.target.host.to_string() };
        let context = ReplayContext {
            messages: &[],
            role: Role::Client,
            transport,
            timeout: ask.timeout,
            asap: false,
            host: &format!("{bare}:{}", ask.peer.port()),
            path: websocket.then_some(ask.path()),
            options,
            probe: true,
            version,
            data,
        };
        let open = Open {
            dissector: ask.dissector,
            version,
            transport,
            websocket,
            peer: ask.peer,
            timeout: ask.timeout,
            recorder: ask.shared.recorder,
            observer: ask.observer.clone(),
            stop: stop.clone(),
            flow: ask.shared.flows.fetch_add(1, Ordering::Relaxed) + 1,
            role: Role::Client,
        };
        let wire = open.connect().map_err(|trouble| Failure::from_net_error(trouble, carrier))?;
        Ok(Session {
            exchange: Exchange::new(open.setup(wire.ends()), options),
            wire,
            stop: stop.clone(),
            leaving: false,
            late: (None, 0),
            carrier,
            version,
            actor: ask.request.clients.replay(ask.dissector.name()).map(|client| client.actor(&context)),
            out: Outbox::default(),
            unexpected: Unexpected::default(),
            gone: false,
            received: false,
            parted: false,
            begun: Instant::now(),
            last_sent: Instant::now(),
            last_message: OwnedMessage::default(),
            pacer: Pacer::default(),
        })
    }

    /// Lets the actor begin: sends its first message.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn begin(&mut self) -> Result<Instant, Failure> {
        let now = Instant::now();
        self.begun = now;
        self.actor.iter_mut().for_each(|actor| actor.begin(now, &mut self.out));
        self.flush().map(|()| now)
    }

    /// Lets the actor send a message as one of a recording.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn play(
        &mut self,
        message: &'static str,
        version: Option<&'static str>,
        fields: Json,
    ) -> Result<Instant, Failure> {
        let decoded = OwnedMessage {
            version,
            ..OwnedMessage::new(self.exchange.setup().dissector.name(), message, Role::Client, fields)
        };
        let (recorded, now) = (Recorded { decoded, ..Recorded::default() }, Instant::now());
        let refused = |why: String| Failure::from_net_error(NetError::Encode(why), self.carrier);
        let played = self.actor.iter_mut().try_for_each(|actor| actor.send(&recorded, now, &mut self.out));
        played.map_err(refused)?;
        self.flush().map(|()| self.last_sent)
    }

    /// Sends a message past the actor: one of the protocol, or of its carrier.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn send(&mut self, proto: &'static str, message: &'static str, fields: &Json) -> Result<Instant, Failure> {
        let message = OwnedMessage::new(proto, message, Role::Client, fields.clone());
        self.write(&message).map_err(|error| self.failure(error))
    }

    /// Writes a message and sends it, if the [`gate`](crate::live::exchange::gate) admits it. Returns the time of sending.
    fn write(&mut self, message: &OwnedMessage) -> Result<Instant, NetError> {
        self.exchange.send(message, Instant::now())?;
        self.transmit()
    }

    fn transmit(&mut self) -> Result<Instant, NetError> {
        let at = Instant::now();
        while let Some(bytes) = self.exchange.poll_transmit() {
            self.wire.send(&bytes)?;
        }
        Ok(at)
    }

    /// Returns the next message, or `None` if none arrives before `until`. The actor does not see it before
    /// [`Session::accept`].
    ///
    /// # Errors
    /// Returns the reason why no more messages can arrive.
    pub fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        loop {
            let now = Instant::now();
            let tick = self.tick(now)?;
            let (hold, left) = (self.pacer.hold(now), until.saturating_duration_since(now));
            if !hold.is_zero() {
                self.heed().map_err(|error| self.failure(error))?;
                if left.is_zero() {
                    return Ok(None);
                }
                std::thread::sleep(hold.min(left).min(SLICE));
                continue;
            }
            let wake = tick.map_or(until, |at| at.min(until));
            match self.next(wake) {
                // An actor that wants to be called at once, again and again, does not stop the clock.
                Ok(None) if wake < until && Instant::now() < until => {}
                Ok(message) => return Ok(message),
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    /// Returns the next message, or `None` if none arrives before `until`. A peer that sends without end cannot block
    /// this: the clock and the request to stop are checked before each message, even if some are waiting.
    fn next(&mut self, until: Instant) -> Result<Option<OwnedMessage>, NetError> {
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
    pub fn poll(&mut self) -> Result<Option<OwnedMessage>, Failure> {
        self.tick(Instant::now())?;
        let mut message = self.heed().map(|()| self.exchange.poll_message());
        if let Ok(None) = message {
            message = self.listen(Duration::ZERO).map(|_| self.exchange.poll_message());
        }
        message.map_err(|error| self.failure(error))
    }

    fn heed(&self) -> Result<(), NetError> {
        if self.leaving { Ok(()) } else { self.stop.check() }
    }

    /// Whether messages that had arrived before this deadline may still be taken.
    pub fn is_open(&mut self, until: Instant) -> bool {
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
            Arrived::Bytes(bytes, at) => self.exchange.recv(bytes, at),
            Arrived::End(reset) => self.exchange.closed(reset, Instant::now()),
        }
        Ok(true)
    }

    /// Passes a message of the session to the actor, which answers and remembers it.
    ///
    /// # Errors
    /// Returns the reason why its answer was not sent.
    pub fn accept(&mut self, message: &OwnedMessage) -> Result<(), Failure> {
        let (now, before) = (Instant::now(), self.out.counts.live);
        self.received = true;
        self.actor.iter_mut().for_each(|actor| _ = actor.recv(message, now, &mut self.out));
        self.pacer.answered(self.out.counts.live - before, now);
        self.flush()
    }

    /// Lets the actor act. Returns the time at which it wants to be called again.
    fn tick(&mut self, now: Instant) -> Result<Option<Instant>, Failure> {
        let tick = self.actor.as_mut().and_then(|actor| actor.tick(now, &mut self.out));
        self.flush().map(|()| tick)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        while let Some(message) = self.out.messages.pop_front() {
            self.last_sent = self.write(&message).map_err(|error| self.failure(error))?;
            self.last_message = message;
        }
        Ok(())
    }

    fn failure(&mut self, error: NetError) -> Failure {
        self.gone |= matches!(error, NetError::Closed { .. } | NetError::Refused);
        Failure::from_net_error(error, self.carrier)
    }

    /// Returns the verdict if the right answer did not arrive.
    pub fn verdict(&self, ask: &Ask<'_>, sent: &str, advice: &str) -> Failure {
        if self.echoes() {
            return super::verdict::echo(ask);
        }
        // A server that has sent whole messages of the protocol, and nothing else, speaks it. Its bytes may be whole
        // messages of another protocol as well.
        let own = self.received && self.unexpected.is_empty() && self.exchange.is_read();
        self.unexpected.verdict(ask, self.carrier, if own { &[] } else { self.raw() }, sent, advice)
    }

    /// Returns the received data, for a verdict: datagrams, or one entry with the beginning of the stream.
    pub fn raw(&self) -> &[Vec<u8>] {
        self.exchange.raw()
    }

    /// Whether any byte was received.
    pub fn has_data(&self) -> bool {
        self.raw().iter().any(|bytes| !bytes.is_empty())
    }

    /// Whether the server has sent nothing of its own, but returned the data that was sent to it.
    pub fn echoes(&self) -> bool {
        !self.received && self.returned(false)
    }

    /// Whether everything received is a copy of data that was sent. With `all`: also of the last data sent.
    pub fn returned(&self, all: bool) -> bool {
        self.exchange.echoes(all)
    }

    /// Whether the server returns everything that was sent to it, also the goodbye. Waits for that at most `wait`.
    pub fn returns(&mut self, wait: Duration) -> bool {
        self.leaving();
        self.drain(wait, |_, _| {});
        self.returned(true)
    }

    /// Says goodbye in another version, because the server does not have the expected one. `goodbye` follows the bytes
    /// that were `sent` before, which are read again as a server of that version reads them. The
    /// [gate](crate::live::exchange::gate) reads both.
    ///
    /// # Errors
    /// Returns the reason why it was not sent.
    pub fn settle(
        &mut self,
        version: &'static str,
        options: &Options,
        sent: &[u8],
        goodbye: &[u8],
    ) -> Result<(), Failure> {
        self.abandon();
        let setup = Setup { version: Some(version), ..self.exchange.setup().clone() };
        self.exchange = Exchange::new(setup, options);
        self.exchange.sent(sent, Instant::now());
        let written = self.exchange.send_bytes(goodbye.to_vec(), Instant::now());
        written.and_then(|()| self.transmit()).map(drop).map_err(|error| self.failure(error))
    }

    /// Leaves without a goodbye, because one in the wrong version does harm.
    pub fn abandon(&mut self) {
        self.leaving();
        self.gone = true;
    }

    /// Ignores the user's request to stop from now on, because the conversation is being left.
    pub fn leaving(&mut self) {
        self.leaving = true;
    }

    /// Passes messages to `each` until the peer has closed its direction, too, at most for this time. After the user's
    /// request to stop, the time is shorter.
    fn drain(&mut self, most: Duration, each: fn(&mut Self, OwnedMessage)) {
        let until = Instant::now() + if self.stop.is_set() { most.min(LEAVING) } else { most };
        while let Ok(Some(message)) = self.next(until) {
            each(self, message);
        }
    }

    /// Leaves as the protocol does, whatever has happened. Waits for the server's close if that must come first, and
    /// for the close of a stream.
    pub fn leave(&mut self) {
        let sent = self.goodbye();
        if let Some(most) = self.actor.as_ref().and_then(|actor| actor.awaits_end()).filter(|_| sent) {
            self.drain(most.min(CLOSING), |session, message| _ = session.accept(&message));
        }
        self.wire.finish();
        // A server that has refused a connection and gets no goodbye may never close it.
        let refused = self.actor.as_ref().is_some_and(|actor| actor.over().is_some());
        if sent && self.received && (self.parted || !refused) && self.carrier != Carrier::Udp {
            self.drain(ENDING, |_, _| {});
        }
    }

    /// Says goodbye. Returns false if nobody is there to receive it.
    pub fn goodbye(&mut self) -> bool {
        self.leaving();
        if std::mem::replace(&mut self.gone, true) {
            return false;
        }
        self.actor.iter_mut().for_each(|actor| actor.leave(&mut self.out));
        // A server that reads the first datagram and the goodbye at once may ignore the goodbye (pytide), and then keeps
        // the client.
        let early = self.stop.is_set() && !self.received && self.carrier == Carrier::Udp;
        let (times, pause) = if early { (TIMES, UNANSWERED) } else { (1, BETWEEN) };
        // There is a pause between transmissions.
        let goodbyes = std::mem::take(&mut self.out.messages);
        for (number, message) in (0..times).flat_map(|_| &goodbyes).enumerate() {
            if number > 0 {
                std::thread::sleep(pause);
            }
            if self.write(message).is_err() {
                return false;
            }
            self.parted = true;
        }
        true
    }
}
