//! A conversation that a probe leads: the protocol's actor plays an empty recording, so that
//! handshake, acknowledgements and leaving stand once a protocol; what is asked for a round trip and
//! what the answers tell is the [`Sampler`]'s.

use super::{Ask, Carrier, Failure, Findings, Unexpected};
use crate::dissect::{Options, Role};
use crate::live::NetError;
use crate::live::net::Link;
use crate::live::net::cancel::SLICE;
use crate::live::pace::Pacer;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// From one copy of a goodbye to the next.
const BETWEEN: Duration = Duration::from_millis(10);

/// One conversation with a server.
pub struct Session<'a> {
    link: Link<'a>,
    proto: &'static str,
    carrier: Carrier,
    actor: Box<dyn Actor>,
    out: Outbox,
    /// What came and was not waited for.
    pub unexpected: Unexpected,
    /// Nobody is there any more to be left.
    gone: bool,
    sent: Instant,
    last: OwnedMessage,
    pacer: Pacer,
}

impl<'a> Session<'a> {
    /// Opens it, by the rules of `client`; messages are written in `version`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(
        ask: &Ask<'a>,
        client: &dyn Replay,
        carrier: Carrier,
        version: Option<&'static str>,
        options: &Options,
    ) -> Result<Session<'a>, Failure> {
        let bare = if ask.host.contains(':') { format!("[{}]", ask.host) } else { ask.host.to_string() };
        let context = ReplayContext {
            messages: &[],
            role: Role::Client,
            transport: carrier.transport(),
            timeout: ask.timeout,
            asap: false,
            host: &format!("{bare}:{}", ask.peer.port()),
            path: (carrier == Carrier::Ws).then_some(ask.path),
            options,
            probe: true,
            version,
            data: ask.data,
        };
        let link = ask.open_with(carrier, version, options)?;
        let actor = client.actor(&context);
        let (out, unexpected) = (Outbox::default(), Unexpected::default());
        let proto = ask.dissector.name();
        Ok(Session {
            link,
            proto,
            carrier,
            actor,
            out,
            unexpected,
            gone: false,
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
        self.actor.begin(now, &mut self.out);
        self.flush().map(|()| now)
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
        self.actor.send(&recorded, now, &mut self.out).map_err(refused)?;
        self.flush().map(|()| self.sent)
    }

    /// Asks something that the actor does not.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn send(&mut self, message: &'static str, fields: &Json) -> Result<Instant, Failure> {
        let sent = self.link.send(message, fields);
        sent.map_err(|error| self.failure(error))
    }

    /// The same with a message of the protocol's carrier.
    ///
    /// # Errors
    /// Why it was not sent.
    pub fn send_as(&mut self, proto: &'static str, message: &'static str, fields: &Json) -> Result<Instant, Failure> {
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
            let tick = self.actor.tick(now, &mut self.out);
            self.flush()?;
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
        self.actor.tick(Instant::now(), &mut self.out);
        self.flush()?;
        self.link.poll().map_err(|error| self.failure(error))
    }

    /// The message is the session's: the actor answers and remembers it.
    ///
    /// # Errors
    /// Why its answer was not sent.
    pub fn accept(&mut self, message: &OwnedMessage) -> Result<(), Failure> {
        let (now, before) = (Instant::now(), self.out.counts.live);
        self.actor.recv(message, now, &mut self.out);
        self.pacer.answered(self.out.counts.live - before, now);
        self.flush()
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
        self.unexpected.verdict(ask, self.carrier, self.link.raw(), sent, advice)
    }

    /// What came, as it came.
    pub fn raw(&self) -> &[Vec<u8>] {
        self.link.raw()
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
        self.finish();
    }

    /// From now on the user's wish to stop is not heeded: this conversation is being left.
    pub fn leaving(&mut self) {
        self.link.leave();
    }

    /// Leaves as the protocol does, whatever has happened.
    pub fn leave(&mut self) {
        self.goodbye();
        self.finish();
    }

    /// Says goodbye. `false`: nobody is there to whom it could be said.
    pub fn goodbye(&mut self) -> bool {
        self.leaving();
        if std::mem::replace(&mut self.gone, true) {
            return false;
        }
        self.actor.leave(&mut self.out);
        // Copies go one after the other.
        while let Some(message) = self.out.say.pop_front() {
            if self.link.send_message(&message).is_err() {
                return false;
            }
            if !self.out.say.is_empty() {
                std::thread::sleep(BETWEEN);
            }
        }
        true
    }

    /// TCP: we have nothing more to say.
    pub fn finish(&mut self) {
        self.link.finish();
    }

    /// Must the server's end be waited for, after our goodbye?
    pub fn awaits_end(&self) -> bool {
        self.actor.awaits_end()
    }

    /// Waits, at most so long, until the server has ended its direction too.
    pub fn drain(&mut self, most: Duration) {
        self.link.drain(most);
    }
}

/// What is asked for a round trip, and what answers.
pub trait Sampler<'a> {
    /// The conversation.
    fn session(&mut self) -> &mut Session<'a>;

    /// Asks for the round trip of that number, from 0: when that was.
    ///
    /// # Errors
    /// Why it was not asked.
    fn ask(&mut self, number: u32) -> Result<Instant, Failure>;

    /// A message came: is it the answer to that question? `None`: nothing is awaited.
    ///
    /// # Errors
    /// It ends the probe.
    fn message(
        &mut self,
        message: OwnedMessage,
        number: Option<u32>,
        findings: &mut Findings<'_>,
    ) -> Result<bool, Failure>;

    /// The round trip was measured, or its answer is lost. `false`: no more of them.
    fn sampled(&mut self, number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool;
}

/// Waits for the answer to a question: the message, and how long it took.
///
/// # Errors
/// Those of the conversation and the sampler.
pub fn answer<'a>(
    sampler: &mut dyn Sampler<'a>,
    number: u32,
    sent: Instant,
    until: Instant,
    findings: &mut Findings<'_>,
) -> Result<Option<Duration>, Failure> {
    while let Some(message) = sampler.session().recv(until)? {
        let took = message.since(sent);
        if sampler.message(message, Some(number), findings)? {
            return Ok(Some(took));
        }
    }
    Ok(None)
}

/// Measures so many round trips: an answer is waited for so long, `pause` is from one question to the
/// next.
///
/// # Errors
/// Those of the conversation and the sampler; interrupted.
pub fn series<'a>(
    sampler: &mut dyn Sampler<'a>,
    count: u32,
    wait: Duration,
    pause: &dyn Fn() -> Duration,
    ask: &Ask<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), Failure> {
    for number in 0..count {
        let sent = sampler.ask(number)?;
        let took = answer(sampler, number, sent, sent + wait, findings)?;
        if !sampler.sampled(number, took, findings) {
            break;
        }
        if number + 1 < count {
            listen(sampler, sent + pause(), findings)?;
            ask.stop.check().map_err(|error| Failure::from_net_error(error, sampler.session().carrier()))?;
        }
    }
    Ok(())
}

/// Takes what comes until then.
///
/// # Errors
/// Those of the conversation and the sampler.
pub fn listen<'a>(sampler: &mut dyn Sampler<'a>, until: Instant, findings: &mut Findings<'_>) -> Result<(), Failure> {
    while let Some(message) = sampler.session().recv(until)? {
        sampler.message(message, None, findings)?;
    }
    Ok(())
}
