//! The common part of all protocols' actors: the phase of a conversation and the reason why it is over; and, as data,
//! the use of each message.

use super::actor::{Cause, Disposition, Recorded, ReplayContext};
use super::asking::{Asking, Repeats};
use super::outbox::Outbox;
use crate::dissect::Role;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The phase of a conversation. A protocol passes through those that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing was sent yet.
    #[default]
    New,
    /// The carrier is connected.
    Open,
    /// The client has sent its request.
    Asked,
    /// The server has answered.
    Answered,
    /// The handshake is done.
    Working,
    /// Left, refused or disconnected.
    Over,
}

/// An actor's knowledge of its conversation, whatever the protocol.
#[derive(Clone, Debug)]
pub struct Life {
    proto: &'static str,
    /// The protocol's rules that are data.
    pub rules: &'static Rules,
    /// The side that it plays.
    pub role: Role,
    /// The phase.
    pub phase: Phase,
    /// The version to write.
    pub version: Option<&'static str>,
    /// The longest time for an answer of the peer.
    pub timeout: Duration,
    /// Whether a probe uses the actor: nothing was recorded.
    pub probe: bool,
    /// The connect data that the server's application expects in the first message.
    pub data: Option<Json>,
    /// Whether it is over because the peer never answered.
    pub silent: bool,
    asking: Option<Asking>,
    why: Option<String>,
}

impl Life {
    /// Creates a conversation that has not begun.
    pub fn new(proto: &'static str, rules: &'static Rules, context: &ReplayContext<'_>) -> Life {
        let ReplayContext { role, timeout, probe, version, data, .. } = *context;
        let (data, asking, why) = (data.cloned(), None, None);
        Life { proto, rules, role, phase: Phase::New, version, timeout, probe, data, silent: false, asking, why }
    }

    /// Returns the conversation in this phase.
    #[must_use]
    pub fn at(self, phase: Phase) -> Life {
        Life { phase, ..self }
    }

    /// Returns the conversation with this version, if there is one.
    #[must_use]
    pub fn with_version(self, version: Option<&'static str>) -> Life {
        Life { version: version.or(self.version), ..self }
    }

    /// Advances to this phase, if it is a later one.
    pub fn reach(&mut self, phase: Phase) {
        self.phase = self.phase.max(phase);
    }

    /// Ends the conversation. The first reason counts.
    pub fn end(&mut self, why: impl Into<String>) {
        self.why.get_or_insert(why.into());
        (self.phase, self.asking) = (Phase::Over, None);
    }

    /// Begins another conversation.
    pub fn restart(&mut self) {
        (self.phase, self.silent, self.asking, self.why) = (Phase::New, false, None, None);
    }

    /// Returns the reason why it is over, if the peer has ended it.
    pub fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.phase == Phase::Over)
    }

    /// Requests the session, again and again until the peer answers.
    pub fn ask(&mut self, message: OwnedMessage, repeats: Repeats, now: Instant, out: &mut Outbox) {
        self.asking = Some(Asking::new(message, repeats, now, out));
        self.phase = Phase::Asked;
    }

    /// Notes that the peer has answered. Returns false if nothing was requested.
    pub fn answered(&mut self) -> bool {
        self.asking.take().is_some()
    }

    /// Repeats the request if it is time. If nobody answers, gives up with the reason from `silence`. Returns the time
    /// of the next call.
    pub fn tick(&mut self, silence: impl FnOnce() -> String, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let asking = self.asking.as_mut().filter(|_| self.phase != Phase::Over)?;
        let next = asking.tick(now, out);
        if next.is_none() {
            let why = silence();
            self.end(why.clone());
            self.silent = true;
            out.trouble = Some(why);
        }
        next
    }

    /// Creates a message of ours.
    pub fn message(&self, message: &'static str, fields: Json) -> OwnedMessage {
        OwnedMessage { version: self.version, ..OwnedMessage::new(self.proto, message, self.role, fields) }
    }
}

/// A protocol's rules for its live side, as data.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The reason why a message without bytes may not be sent. Empty: it may.
    pub empty: &'static str,
    /// The effect of a broken message on a peer, as text after the fault.
    pub broken: &'static str,
    /// Messages that the session makes itself, each with its kind in the plural.
    pub live: &'static [(&'static str, &'static str)],
    /// Messages that begin a new session: the client's, the server's.
    pub opens: [&'static [&'static str]; 2],
    /// Messages that end a session.
    pub closes: &'static [&'static str],
    /// Messages of the peer that answer one of ours.
    pub answers: &'static [&'static str],
    /// Messages of the peer that others cause, each with its kind in the plural.
    pub others: &'static [(&'static str, &'static str)],
    /// Fields that differ from session to session: of these messages, or (empty) of all others.
    pub volatile: &'static [(&'static [&'static str], &'static [&'static str])],
    /// Fields of ours that the live session decides, as dotted paths: of these messages, or (empty)
    /// of all others.
    pub decided: &'static [(&'static [&'static str], &'static [&'static str])],
}

impl Rules {
    /// Returns the danger of a message without bytes, or of a broken one.
    pub fn danger(&self, message: &Recorded) -> Option<Disposition> {
        if message.length == 0 && !self.empty.is_empty() {
            return Some(Disposition::Danger(self.empty.into()));
        }
        let fault = message.decoded.fault.as_ref()?;
        Some(Disposition::Danger(format!("broken: {fault}{}", self.broken)))
    }

    /// Returns the use of a message, by these rules alone.
    pub fn disposition(&self, message: &Recorded) -> Disposition {
        let kind = self.live.iter().find(|(name, _)| *name == message.decoded.message);
        let live = |(_, kind): &(_, &'static str)| Disposition::Live(kind);
        self.danger(message).or(kind.map(live)).unwrap_or(Disposition::Send)
    }

    /// Returns the reason for a message of the peer, by its name.
    pub fn cause(&self, message: &str) -> Cause {
        match self.others.iter().find(|(name, _)| *name == message) {
            Some((_, kind)) => Cause::Others(kind),
            None if self.answers.contains(&message) => Cause::Answer,
            None => Cause::Application,
        }
    }

    /// Returns the fields of a message that differ from session to session.
    pub fn volatile(&self, message: &str) -> &'static [&'static str] {
        of(self.volatile, message)
    }

    /// Whether the live session decides this field of a message of ours.
    pub fn decides(&self, message: &str, path: &str) -> bool {
        of(self.decided, message).contains(&path)
    }
}

/// Returns the fields of a message from such a list.
fn of(list: &'static [(&[&str], &'static [&'static str])], message: &str) -> &'static [&'static str] {
    let of = |names: &[&str]| names.is_empty() || names.contains(&message);
    list.iter().find(|(names, _)| of(names)).map_or(&[], |(_, keys)| keys)
}
