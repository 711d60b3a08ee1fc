//! A conversation that a probe leads: the protocol's actor plays an empty recording, so that
//! handshake, acknowledgements and leaving are written once for each protocol. A protocol without an
//! actor has none of them.

use super::{Ask, Carrier, Failure, Unexpected};
use crate::dissect::{Options, Role};
use crate::live::NetError;
use crate::live::net::cancel::SLICE;
use crate::live::net::{CancelToken, Link, Open};
use crate::live::pace::Pacer;
use crate::live::replay::actor::{Actor, Outbox, Recorded, ReplayContext};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// From one copy of a goodbye to the next.
const BETWEEN: Duration = Duration::from_millis(10);
/// How long a server's end may take that must come before ours.
const CLOSING: Duration = Duration::from_secs(2);
/// And one that comes after ours.
const ENDING: Duration = Duration::from_millis(500);

/// How a conversation is opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'o> {
    /// What carries it.
    pub carrier: Carrier,
    /// The version that messages are written in.
    pub version: Option<&'static str>,
    /// What the user said, for the session and the encoder.
    pub options: &'o Options,
    /// What the server's application expects of the first message.
    pub data: Option<&'o Json>,
    /// The wish to stop.
    pub stop: &'o CancelToken,
}

/// One conversation with a server.
pub struct Session<'a> {
    /// What is sent and received.
    pub link: Link<'a>,
    proto: &'static str,
    carrier: Carrier,
    version: Option<&'static str>,
    actor: Option<Box<dyn Actor>>,
    out: Outbox,
    /// What came and was not waited for.
    pub unexpected: Unexpected,
    /// Nobody is there any more to be left.
    pub gone: bool,
    /// The server has said something that belongs to the conversation.
    pub heard: bool,
    /// A goodbye was said.
    parted: bool,
    sent: Instant,
    last: OwnedMessage,
    pacer: Pacer,
}

impl<'a> Session<'a> {
    /// Opens it, by the rules of the protocol's actor.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(ask: &Ask<'a>, opening: &Opening<'_>) -> Result<Session<'a>, Failure> {
        let Opening { carrier, version, options, data, stop } = *opening;
        let bare =
            if ask.target.host.contains(':') { format!("[{}]", ask.target.host) } else { ask.target.host.to_string() };
        let context = ReplayContext {
            messages: &[],
            role: Role::Client,
            transport: carrier.transport(),
            timeout: ask.timeout,
            asap: false,
            host: &format!("{bare}:{}", ask.peer.port()),
            path: (carrier == Carrier::Ws).then_some(ask.path()),
            options,
            probe: true,
            version,
            data,
        };
        let open = Open {
            dissector: ask.dissector,
            version,
            transport: carrier.transport(),
            websocket: carrier == Carrier::Ws,
            peer: ask.peer,
            timeout: ask.timeout,
            recorder: ask.shared.recorder,
            observer: ask.observer.clone(),
            stop: stop.clone(),
            flow: ask.shared.flows.fetch_add(1, Ordering::Relaxed) + 1,
            role: Role::Client,
        };
        let proto = ask.dissector.name();
        Ok(Session {
            link: Link::open(&open, options).map_err(|trouble| Failure::from_net_error(trouble, carrier))?,
            proto,
            carrier,
            version,
            actor: ask.request.clients.replay(proto).map(|client| client.actor(&context)),
            out: Outbox::default(),
            unexpected: Unexpected::default(),
            gone: false,
            heard: false,
            parted: false,
            sent: Instant::now(),
            last: OwnedMessage::default(),
            pacer: Pacer::default(),
        })
    }

    /// What carries it.
    pub fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// The actor begins: its first message.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn begin(&mut self) -> Result<Instant, Failure> {
        let now = Instant::now();
        self.actor.iter_mut().for_each(|actor| actor.begin(now, &mut self.out));
        self.flush().map(|()| now)
    }

    /// The version that messages are written in.
    pub fn version(&self) -> Option<&'static str> {
        self.version
    }

    /// When the actor last sent something.
    pub fn last_sent(&self) -> Instant {
        self.sent
    }

    /// What it was.
    pub fn last_message(&self) -> &OwnedMessage {
        &self.last
    }

    /// The actor says a message, as one of a recording.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn play(
        &mut self,
        message: &'static str,
        version: Option<&'static str>,
        fields: Json,
    ) -> Result<Instant, Failure> {
        let said = OwnedMessage { version, ..OwnedMessage::new(self.proto, message, Role::Client, fields) };
        let (recorded, now) = (Recorded { said, ..Recorded::default() }, Instant::now());
        let refused = |why: String| Failure::from_net_error(NetError::Encode(why), self.carrier);
        let played = self.actor.iter_mut().try_for_each(|actor| actor.send(&recorded, now, &mut self.out));
        played.map_err(refused)?;
        self.flush().map(|()| self.sent)
    }

    /// Asks something that the actor does not: a message of the protocol, or of its carrier.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn send(&mut self, proto: &'static str, message: &'static str, fields: &Json) -> Result<Instant, Failure> {
        let sent = self.link.send_as(proto, message, fields);
        sent.map_err(|error| self.failure(error))
    }

    /// The next message, waiting for it until then. It is shown to nobody else:
    /// [`Session::accept`] hands it to the actor.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        loop {
            let now = Instant::now();
            let tick = self.tick(now)?;
            let (hold, left) = (self.pacer.hold(now), until.saturating_duration_since(now));
            if !hold.is_zero() {
                self.link.heed().map_err(|error| self.failure(error))?;
                if left.is_zero() {
                    return Ok(None);
                }
                std::thread::sleep(hold.min(left).min(SLICE));
                continue;
            }
            let wake = tick.map_or(until, |at| at.min(until));
            match self.link.recv(wake) {
                // An actor that wants to be called at once, again and again, does not hold the clock.
                Ok(None) if wake < until && Instant::now() < until => {}
                Ok(message) => return Ok(message),
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    /// The next message, if it is there already.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn poll(&mut self) -> Result<Option<OwnedMessage>, Failure> {
        self.tick(Instant::now())?;
        self.link.poll().map_err(|error| self.failure(error))
    }

    /// The message is the session's: the actor answers and remembers it.
    ///
    /// # Errors
    /// Why its answer was not sent.
    pub fn accept(&mut self, message: &OwnedMessage) -> Result<(), Failure> {
        let (now, before) = (Instant::now(), self.out.counts.live);
        self.heard = true;
        self.actor.iter_mut().for_each(|actor| _ = actor.recv(message, now, &mut self.out));
        self.pacer.answered(self.out.counts.live - before, now);
        self.flush()
    }

    /// When the actor wants to be called again.
    fn tick(&mut self, now: Instant) -> Result<Option<Instant>, Failure> {
        let tick = self.actor.as_mut().and_then(|actor| actor.tick(now, &mut self.out));
        self.flush().map(|()| tick)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        while let Some(message) = self.out.say.pop_front() {
            self.sent = self.link.send_message(&message).map_err(|error| self.failure(error))?;
            self.last = message;
        }
        Ok(())
    }

    fn failure(&mut self, error: NetError) -> Failure {
        self.gone |= matches!(error, NetError::Closed { .. } | NetError::Refused);
        Failure::from_net_error(error, self.carrier)
    }

    /// What it means that the right answer did not come.
    pub fn verdict(&self, ask: &Ask<'_>, sent: &str, advice: &str) -> Failure {
        if self.echoes() {
            return super::verdict::echo(ask);
        }
        self.unexpected.verdict(ask, self.carrier, self.link.raw(), sent, advice)
    }

    /// Has the server said nothing of its own, but returned what it was sent?
    pub fn echoes(&self) -> bool {
        !self.heard && self.link.echoes(false)
    }

    /// Does the server return all that it was sent, the goodbye too? That is waited for so long.
    pub fn returns(&mut self, wait: Duration) -> bool {
        self.leaving();
        self.link.drain(wait);
        self.link.echoes(true)
    }

    /// The server speaks another version than was taken for granted: says goodbye in that one, with
    /// `goodbye` behind what was `sent` before. The [gate](crate::live::exchange::gate) reads both.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn settle(
        &mut self,
        version: &'static str,
        options: &Options,
        sent: &[u8],
        goodbye: &[u8],
    ) -> Result<(), Failure> {
        self.leaving();
        self.gone = true;
        self.link.reread(version, options, sent);
        self.link.send_bytes(goodbye).map(drop).map_err(|error| self.failure(error))
    }

    /// Leaves without a goodbye: one in the wrong version does harm.
    pub fn abandon(&mut self) {
        self.leaving();
        self.gone = true;
    }

    /// From now on the user's wish to stop is not heeded: this conversation is being left.
    pub fn leaving(&mut self) {
        self.link.leave();
    }

    /// Leaves as the protocol does, whatever has happened; waits for a server's own end where it must
    /// come first, and for that of a stream.
    pub fn leave(&mut self) {
        let said = self.goodbye();
        if said && self.actor.as_ref().is_some_and(|actor| actor.awaits_end()) {
            self.link.drain(CLOSING);
        }
        self.link.finish();
        // Who is told nothing may never end a connection that it has refused.
        let refused = self.actor.as_ref().is_some_and(|actor| actor.over().is_some());
        if said && self.heard && (self.parted || !refused) && self.carrier != Carrier::Udp {
            self.link.drain(ENDING);
        }
    }

    /// Says goodbye. `false`: nobody is there to whom it could be said.
    pub fn goodbye(&mut self) -> bool {
        self.leaving();
        if std::mem::replace(&mut self.gone, true) {
            return false;
        }
        self.actor.iter_mut().for_each(|actor| actor.leave(&mut self.out));
        // Copies go one after the other.
        while let Some(message) = self.out.say.pop_front() {
            if self.link.send_message(&message).is_err() {
                return false;
            }
            self.parted = true;
            if !self.out.say.is_empty() {
                std::thread::sleep(BETWEEN);
            }
        }
        true
    }
}
