//! What the actors of all protocols have in common: how far a conversation has come and why it is
//! over, and, as data, what becomes of which message.

use super::actor::{Cause, Disposition, Recorded, ReplayContext};
use super::asking::{Asking, Repeats};
use super::outbox::Outbox;
use crate::dissect::Role;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// How far a conversation has come. A protocol passes through those that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing was said yet.
    #[default]
    New,
    /// The carrier is there.
    Open,
    /// The client has asked.
    Asked,
    /// The server has answered.
    Answered,
    /// The handshake is done.
    Working,
    /// Left, refused, thrown out.
    Over,
}

/// What an actor knows of its conversation, whatever the protocol.
#[derive(Clone, Debug)]
pub struct Life {
    proto: &'static str,
    /// What the protocol says of its live side as data.
    pub rules: &'static Rules,
    /// Whom it plays.
    pub role: Role,
    /// How far it has come.
    pub phase: Phase,
    /// The version to be written.
    pub version: Option<&'static str>,
    /// How long the peer may take to answer.
    pub timeout: Duration,
    /// A probe's: nothing was recorded.
    pub probe: bool,
    /// What the server's application expects of the first message.
    pub data: Option<Json>,
    asking: Option<Asking>,
    why: Option<String>,
}

impl Life {
    /// A conversation that has not begun.
    pub fn new(proto: &'static str, rules: &'static Rules, context: &ReplayContext<'_>) -> Life {
        let ReplayContext { role, timeout, probe, version, data, .. } = *context;
        let (data, asking, why) = (data.cloned(), None, None);
        Life { proto, rules, role, phase: Phase::New, version, timeout, probe, data, asking, why }
    }

    /// The same that has come so far already.
    #[must_use]
    pub fn at(self, phase: Phase) -> Life {
        Life { phase, ..self }
    }

    /// The same in a version, where there is one.
    #[must_use]
    pub fn spoken(self, version: Option<&'static str>) -> Life {
        Life { version: version.or(self.version), ..self }
    }

    /// It has come this far at least.
    pub fn reach(&mut self, phase: Phase) {
        self.phase = self.phase.max(phase);
    }

    /// It is over.
    pub fn end(&mut self, why: impl Into<String>) {
        self.why.get_or_insert(why.into());
        (self.phase, self.asking) = (Phase::Over, None);
    }

    /// Another one begins.
    pub fn afresh(&mut self) {
        (self.phase, self.asking, self.why) = (Phase::New, None, None);
    }

    /// Why it is over, where the peer has ended it.
    pub fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.phase == Phase::Over)
    }

    /// Asks for the session, again and again until the peer answers.
    pub fn ask(&mut self, message: OwnedMessage, repeats: Repeats, now: Instant, out: &mut Outbox) {
        self.asking = Some(Asking::new(message, repeats, now, out));
        self.phase = Phase::Asked;
    }

    /// The peer has answered. `false`: nothing was asked.
    pub fn answered(&mut self) -> bool {
        self.asking.take().is_some()
    }

    /// Asks again where it is time; gives up, for this reason, where nobody answers. Returns when to
    /// ask again.
    pub fn tick(&mut self, silence: impl FnOnce() -> String, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let asking = self.asking.as_mut().filter(|_| self.phase != Phase::Over)?;
        let next = asking.tick(now, out);
        if next.is_none() {
            let why = silence();
            self.end(why.clone());
            out.trouble = Some(why);
        }
        next
    }

    /// A message of ours.
    pub fn message(&self, message: &'static str, fields: Json) -> OwnedMessage {
        OwnedMessage { version: self.version, ..OwnedMessage::new(self.proto, message, self.role, fields) }
    }
}

/// What a protocol says of its live side as data.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Why nothing at all may not be sent.
    pub empty: &'static str,
    /// What a broken message does to a peer, behind the fault.
    pub broken: &'static str,
    /// Messages that the session makes itself, and what kind these are, in the plural.
    pub live: &'static [(&'static str, &'static str)],
    /// Messages that begin a session anew: the client's, the server's.
    pub opens: [&'static [&'static str]; 2],
    /// Messages that end a session.
    pub closes: &'static [&'static str],
    /// Messages of the peer that answer one of ours.
    pub answers: &'static [&'static str],
    /// Messages of the peer that others cause, and what these are, in the plural.
    pub others: &'static [(&'static str, &'static str)],
    /// Fields that differ from session to session: of these messages, or (empty) of all others.
    pub volatile: &'static [(&'static [&'static str], &'static [&'static str])],
    /// Fields of ours that the live session decides, as dotted paths: of these messages, or (empty)
    /// of all others.
    pub decided: &'static [(&'static [&'static str], &'static [&'static str])],
}

impl Rules {
    /// Why a message may harm a peer, where that follows from the data.
    pub fn danger(&self, message: &Recorded) -> Option<Disposition> {
        if message.length == 0 && !self.empty.is_empty() {
            return Some(Disposition::Danger(self.empty.into()));
        }
        let fault = message.said.fault.as_ref()?;
        Some(Disposition::Danger(format!("broken: {fault}{}", self.broken)))
    }

    /// What becomes of a message of which nothing else is known.
    pub fn disposition(&self, message: &Recorded) -> Disposition {
        let kind = self.live.iter().find(|(name, _)| *name == message.said.message);
        let live = |(_, kind): &(_, &'static str)| Disposition::Live(kind);
        self.danger(message).or(kind.map(live)).unwrap_or(Disposition::Send)
    }

    /// Why the peer says a message, where its name tells it.
    pub fn cause(&self, message: &str) -> Cause {
        match self.others.iter().find(|(name, _)| *name == message) {
            Some((_, kind)) => Cause::Others(kind),
            None if self.answers.contains(&message) => Cause::Answer,
            None => Cause::Application,
        }
    }

    /// The fields of a message that differ from session to session.
    pub fn volatile(&self, message: &str) -> &'static [&'static str] {
        of(self.volatile, message)
    }

    /// Does the live session decide this field of a message of ours?
    pub fn decides(&self, message: &str, path: &str) -> bool {
        of(self.decided, message).contains(&path)
    }
}

/// The fields of a message in a list of them.
fn of(list: &'static [(&[&str], &'static [&'static str])], message: &str) -> &'static [&'static str] {
    let of = |names: &[&str]| names.is_empty() || names.contains(&message);
    list.iter().find(|(names, _)| of(names)).map_or(&[], |(_, keys)| keys)
}
