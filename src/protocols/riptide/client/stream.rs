//! Asking a Riptide server over TCP, so that no socket stays with it.
//!
//! Over TCP a version that the user sets, or an earlier round has found, is asked alone. Else 2.0 comes
//! first, for a 2.0 server takes the length of 2.1 for a message to the application, calls its handler, and
//! waits for 512 bytes. A 2.1 server waits for the fourth byte of its length, and never looks at the socket
//! again where that does not come: its end stays in CLOSE_WAIT, whoever closes. So the first connection is
//! kept until the second one has told who is there, also where the probe is interrupted. A 2.1 server skips
//! a length below zero: that, and its own goodbye, ends the first one as well. pytide never comes out of
//! such a length: it is known by its welcome, and by answering a heartbeat of whom it has not welcomed. So
//! with it (and with who has said nothing) that connection is merely closed, and this is said. 2.0's
//! goodbye goes to nobody but a 2.0 server: for 2.1 it is a length of 17 MB.

use super::super::layout::CLIENT;
use super::super::layout::Message::Heartbeat;
use super::probe::Riptide;
use crate::live::net::CancelToken;
use crate::live::probe::{Carrier, Engine, Failure, Opening, Outcome, Session};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// How long an answer to 2.0 is waited for before 2.2 is tried: servers answer in their next tick.
const FIRST: Duration = Duration::from_millis(1500);
/// How long it is waited for by whoever is to stop, and then that of 2.2.
const HURRIED: Duration = Duration::from_millis(300);
/// How long a server may take to end a connection whose goodbye it has.
const ENDING: Duration = Duration::from_millis(500);
/// 2.0's connect, as it goes over TCP.
const CONNECT_20: [u8; 3] = [1, 0, 3];
/// The byte that makes a length below zero of it, and 2.2's disconnect.
const GOODBYE_22: [u8; 6] = [0xff, 1, 0, 0, 0, 5];
/// What is left behind where nobody says who is there.
const LEFT: &str = "a server of 2.1 or later keeps the socket that was asked in 2.0's form (CLOSE_WAIT) until it ends; \
                    -s riptide.version=2.2 asks in its own form alone";

impl Riptide {
    /// Opens a conversation in this version, and asks to connect.
    pub(super) fn open_until(
        &self,
        version: &'static str,
        data: Option<&Json>,
        stop: &CancelToken,
        engine: &mut Engine<'_, '_>,
    ) -> Result<(), Failure> {
        let mut options = engine.ask.request.options.clone();
        // 2.1 and 2.2 are told apart by an ack: the session does that where nothing is set.
        let _ = options.set(if version == "2.0" { "riptide.version=2.0" } else { "riptide.version=auto" });
        let opening = Opening { carrier: self.carrier, version: Some(version), options: &options, data, stop };
        engine.open_as(&opening)?.begin().map(drop)
    }

    /// Asks in the one form, and then perhaps in the other, until somebody is welcome. Data goes to a
    /// server whose version is known: in the other form it would do harm.
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
            // It is known now: without data it has decided, or not.
            _ = self.settled(engine, Ok(()));
            engine.part();
            version = Some(self.pending.take().unwrap_or(self.version));
            *self = Riptide { carrier: self.carrier, sure: true, ..Riptide::default() };
        }
        self.given = ask.request.data.is_some();
        // Who does not answer any more may be another one.
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
            let mut heard = engine.wait(self, None, begun + first);
            if let (Ok(None), Some(_)) = (&heard, self.pending) {
                // Somebody is there: the time is the user's.
                heard = engine.wait(self, None, begun + ask.timeout);
            }
            let strange = engine.sessions.iter().any(|session| !session.link.raw().is_empty());
            match heard {
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

    /// Ends the connection that was asked in 2.0's form and has not answered.
    pub(super) fn settled(&mut self, engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        let first = engine.sessions.first().filter(|first| first.version() == Some("2.0") && !first.gone);
        if self.carrier == Carrier::Udp
            || self.sure
            || first.is_none_or(|first| first.heard || !first.link.raw().is_empty())
        {
            return result;
        }
        let set = engine.ask.request.options.settings.get("riptide.version").is_some_and(|set| set == "2.0");
        let stopped = result.as_ref().is_err_and(|f| matches!(f.outcome, Outcome::Interrupted | Outcome::TimedOut));
        if stopped && !set {
            self.hurry(engine);
        }
        let [first, others @ ..] = engine.sessions.as_mut_slice() else { return result };
        if first.heard {
            return result;
        }
        let packed = others.iter_mut().find(|session| session.heard);
        let found = engine.findings.found.as_ref();
        let custom = result.as_ref().is_err_and(|f| f.outcome == Outcome::Full || f.details.contains_key("data"));
        let skips = match (&packed, found) {
            (None, _) => false,
            (_, Some(found)) if found.family.is_some() => false,
            // pytide is known by its welcome, never says that it is full, and gives no data.
            (_, Some(found)) if custom || found.facts.contains_key(CLIENT.name) => true,
            _ => packed.is_some_and(|session| answers_heartbeats(session) == Some(false)),
        };
        let known = others.iter().any(|session| session.heard);
        let mut options = engine.ask.request.options.clone();
        if skips && options.set("riptide.version=2.2").is_ok() {
            // Where it does not go out, nobody is there any more.
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

    /// Who is to stop, and does not know yet who is there, finds out.
    fn hurry(&mut self, engine: &mut Engine<'_, '_>) {
        engine.sessions.iter_mut().for_each(Session::leaving);
        let _ = engine.wait(self, None, Instant::now() + HURRIED);
        if engine.sessions.iter().any(|session| session.heard) {
            return;
        }
        let opened = engine.sessions.len() > 1
            || self.open_until("2.2", None, &CancelToken::default().within(ENDING), engine).is_ok();
        engine.sessions.iter_mut().for_each(Session::leaving);
        if opened {
            let _ = engine.wait(self, None, Instant::now() + HURRIED);
        }
    }
}

/// Leaves a server of 2.1 or later that has not welcomed us: does it answer a heartbeat before the
/// goodbye? `None`: it does not end the connection, so nobody knows.
fn answers_heartbeats(session: &mut Session<'_>) -> Option<bool> {
    session.leaving();
    session.send("riptide", Heartbeat.name(), &json!({"ping_id": 0, "rtt": -1})).ok()?;
    session.goodbye();
    let until = Instant::now() + ENDING;
    loop {
        match session.recv(until) {
            Ok(Some(heard)) if heard.message == Heartbeat => return Some(true),
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(_) => return Some(false),
        }
    }
}
