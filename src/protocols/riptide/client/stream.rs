//! Probes a Riptide server over TCP so that the server keeps no socket.
//!
//! If the user sets a version, or an earlier round has found it, only that form is sent. Otherwise 2.0 is tried first:
//! a 2.0 server reads the length of a 2.1 message as a message to the application, calls its handler, and waits for 512
//! bytes.
//!
//! A 2.1 server that receives a 2.0 connect waits for the fourth byte of its length. If that byte never arrives, it no
//! longer looks at the socket, which stays in CLOSE_WAIT whichever side closes. So the first connection is kept open
//! until the second one has identified the server, even if the probe is interrupted. A 2.1 server skips a negative
//! length: such a length, followed by a 2.1 goodbye, ends the first connection too.
//!
//! pytide never recovers from a negative length. It is recognised by its welcome, and by answering heartbeats of
//! clients that it has not welcomed. With pytide, or without any answer, the first connection is only closed, and the
//! probe reports that. A 2.0 goodbye is sent only to a 2.0 server: for 2.1 it is a length of 17 MB.

use super::super::layout::CLIENT;
use super::super::layout::Message::Heartbeat;
use super::probe::Riptide;
use crate::live::net::CancelToken;
use crate::live::probe::{Carrier, Engine, Failure, Opening, Outcome, Session};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// The longest wait for an answer to 2.0 before 2.2 is tried: servers answer in their next tick.
const FIRST: Duration = Duration::from_millis(1500);
/// The same after the user's request to stop, if the user has named Riptide.
const STOPPED: Duration = Duration::from_millis(750);
/// The same for any other server, which hardly is one: a tick, besides the network's two round trips.
const STRANGER: Duration = Duration::from_millis(150);
/// The wait for the answer to a heartbeat: several ticks of a server.
const TICKS: Duration = Duration::from_millis(500);
/// The longest wait for another connection after an interruption.
const OPENING: Duration = Duration::from_millis(500);
/// 2.0's connect in TCP framing.
const CONNECT_20: [u8; 3] = [1, 0, 3];
/// The byte that makes the length negative, followed by 2.2's disconnect.
const GOODBYE_22: [u8; 6] = [0xff, 1, 0, 0, 0, 5];
/// The report when the server stays unknown.
const LEFT: &str = "a server of 2.1 or later keeps the socket that was asked in 2.0's form (CLOSE_WAIT) until it ends; \
                    -s riptide.version=2.2 asks in its own form alone";

/// The report when a 2.0 server answers only after it was asked in the other form, too.
const LATE: &str = "a server of 2.0 keeps the socket that was asked in 2.2's form until it ends, if its answer \
                    is late; -s riptide.version=2.0 asks in its own form alone";

impl Riptide {
    /// Opens a conversation in this version and sends a connect.
    pub(super) fn open_until(
        &mut self,
        version: &'static str,
        data: Option<&Json>,
        stop: &CancelToken,
        engine: &mut Engine<'_, '_>,
    ) -> Result<(), Failure> {
        let mut options = engine.ask.request.options.clone();
        // An ack distinguishes 2.1 from 2.2: the session does that if no version is set.
        let _ = options.set(if version == "2.0" { "riptide.version=2.0" } else { "riptide.version=auto" });
        let opening = Opening { carrier: self.carrier, version: Some(version), options: &options, data, stop };
        let begun = Instant::now();
        let session = engine.open_as(&opening)?;
        self.distance = begun.elapsed();
        session.begin().map(drop)
    }

    /// Sends one form, and then perhaps the other, until a welcome arrives. Data is sent only to a server whose version
    /// is known: in the other form it would do harm.
    pub(super) fn stream(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        let set = ask.request.options.settings.get("riptide.version").filter(|set| *set != "auto");
        let known = ask.known().and_then(|known| known.version);
        let mut version = set.or(known);
        self.sure = known.is_some() && set.is_none();
        if ask.request.data.is_some() && version.is_none() {
            match self.connect(None, None, engine) {
                Err(failure) if engine.findings.found.is_none() && self.pending.is_none() => return Err(failure),
                _ => {}
            }
            // The version is known now, with or without a welcome.
            _ = self.settled(engine, Ok(()));
            engine.part();
            version = Some(self.pending.take().unwrap_or(self.version));
            *self = Riptide { carrier: self.carrier, sure: true, ..Riptide::default() };
        }
        self.given = ask.request.data.is_some();
        // If this server no longer answers, another one may have replaced it.
        ask.remember(None);
        let welcome = self.connect(version, ask.request.data.as_ref(), engine)?;
        ask.remember(Some(OwnedMessage { version: Some(self.version), ..welcome }));
        Ok(())
    }

    fn connect(
        &mut self,
        version: Option<&str>,
        data: Option<&Json>,
        engine: &mut Engine<'_, '_>,
    ) -> Result<OwnedMessage, Failure> {
        let ask = engine.ask;
        let alone = version == Some("2.0");
        if alone || version.is_none() {
            self.open("2.0", data, engine)?;
            let begun = Instant::now();
            let first = if alone { ask.timeout } else { ask.timeout.min(FIRST) };
            let mut received = engine.wait(self, None, begun + first);
            if let (Ok(None), Some(_)) = (&received, self.pending) {
                // A server has answered: the user's timeout applies.
                received = engine.wait(self, None, begun + ask.timeout);
            }
            let strange = engine.sessions.iter().any(|session| !session.raw().is_empty());
            match received {
                Ok(Some(welcome)) => return Ok(welcome),
                Ok(None) if alone || strange => return Err(self.unanswered(engine, "connect of 2.0")),
                Err(failure) if alone || strange || failure.outcome != Outcome::Closed => return Err(failure),
                _ => {}
            }
        }
        self.open("2.2", data, engine)?;
        let sent = if version.is_none() { "connect of 2.0, and of 2.2" } else { "connect of 2.2" };
        engine.wait(self, None, ask.until())?.ok_or_else(|| self.unanswered(engine, sent))
    }

    /// Ends the connection that sent 2.0's connect and got no answer.
    pub(super) fn settled(&mut self, engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        self.note_late(engine);
        let first = engine.sessions.first().filter(|first| first.version == Some("2.0") && !first.gone);
        if self.carrier == Carrier::Udp
            || self.sure
            || first.is_none_or(|first| first.received || !first.raw().is_empty())
        {
            return result;
        }
        let set = engine.ask.request.options.settings.get("riptide.version").is_some_and(|set| set == "2.0");
        let is = |outcomes: &[Outcome]| result.as_ref().is_err_and(|failure| outcomes.contains(&failure.outcome));
        let stopped = is(&[Outcome::Interrupted, Outcome::TimedOut]);
        if !set && (stopped || is(&[Outcome::Silent])) {
            self.identify(engine);
        }
        let [first, others @ ..] = engine.sessions.as_mut_slice() else { return result };
        if first.received {
            self.note_late(engine);
            return result;
        }
        let packed = others.iter_mut().find(|session| session.received);
        let found = engine.findings.found.as_ref();
        let custom = result.as_ref().is_err_and(|f| f.outcome == Outcome::Full || f.details.contains_key("data"));
        let skips = match (&packed, found) {
            (None, _) => false,
            (_, Some(found)) if found.family.is_some() => false,
            // pytide is recognised by its welcome, never reports that it is full, and sends no data.
            (_, Some(found)) if custom || found.facts.contains_key(CLIENT.name) => true,
            _ => packed.is_some_and(|session| answers_heartbeats(session) == Some(false)),
        };
        let known = others.iter().any(|session| session.received);
        let mut options = engine.ask.request.options.clone();
        if skips && options.set("riptide.version=2.2").is_ok() {
            // If sending fails, the server has already closed it.
            let _ = first.settle("2.2", &options, &CONNECT_20, &GOODBYE_22);
            return result;
        }
        first.abandon();
        match result {
            Err(failure) if failure.outcome == Outcome::Silent => {
                Err(Failure { advice: format!("{}; {LEFT}", failure.advice), ..failure })
            }
            result => {
                if known || stopped {
                    engine.findings.leaves(LEFT);
                }
                result
            }
        }
    }

    /// Notes that a 2.0 server was asked in 2.2's form, too, before it answered.
    fn note_late(&self, engine: &mut Engine<'_, '_>) {
        let both = engine.sessions.len() > 1 && self.carrier != Carrier::Udp;
        if both && engine.sessions.first().is_some_and(|first| first.version == Some("2.0") && first.received) {
            engine.findings.leaves(LATE);
        }
    }

    /// After an interruption, or the user's own time, gives the server the time to identify itself.
    fn identify(&mut self, engine: &mut Engine<'_, '_>) {
        let ask = engine.ask;
        let most = match ask.stop.is_set() {
            false => FIRST,
            true if ask.request.proto.is_some() => STOPPED,
            true => STOPPED.min(STRANGER + self.distance * 2),
        };
        for forms in 1..=2 {
            if engine.sessions.iter().any(|session| session.received) {
                return;
            }
            if engine.sessions.len() < forms
                && self.open_until("2.2", None, &CancelToken::default().within(OPENING), engine).is_err()
            {
                return;
            }
            engine.sessions.iter_mut().for_each(Session::leaving);
            if let [.., asked] = &engine.sessions[..]
                && engine.sessions.len() == forms
            {
                let until = asked.last_sent + most;
                let _ = engine.wait(self, None, until);
            }
        }
    }
}

/// Leaves a server of 2.1 or later that has not welcomed us. Returns whether it answers a heartbeat before the goodbye;
/// `None`: it does not end the connection, so this stays unknown.
fn answers_heartbeats(session: &mut Session<'_>) -> Option<bool> {
    session.leaving();
    session.send("riptide", Heartbeat.name(), &json!({"ping_id": 0, "rtt": -1})).ok()?;
    let answer = |session: &mut Session<'_>, until| loop {
        match session.recv(until) {
            Ok(Some(received)) if received.message == Heartbeat => return Some(true),
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(_) => return Some(false),
        }
    };
    // pytide answers in its next tick, but not if the goodbye arrives before that.
    let answered = answer(session, Instant::now() + TICKS);
    session.goodbye();
    answered.or_else(|| answer(session, Instant::now() + FIRST))
}
