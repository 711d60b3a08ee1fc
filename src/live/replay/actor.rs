//! What a protocol says about repeating its recorded messages to a live peer.
//!
//! A capture cannot simply be sent again: ids and numbers that the peer decides are new each time,
//! acknowledgements and heartbeats must answer what happens now. An [`Actor`] plays one side of a
//! recorded conversation: it says what becomes of each recorded message ([`Disposition`]), rewrites those
//! that are repeated, and answers the peer. It does no input or output, and knows time only as it
//! is told: the engine ([`crate::live::replay`]) does the rest.

use super::changed::Changed;
use super::life::{Life, Rules};
use super::numbers::Numbers;
pub use super::outbox::{Counts, Outbox};
use crate::capture::Time;
use crate::dissect::flow_info::Role;
use crate::dissect::options::Options;
use crate::flow::Transport;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// A message of the capture.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The message.
    pub said: OwnedMessage,
    /// The frame that completed it.
    pub frame: u64,
    /// When that was.
    pub time: Time,
    /// How many bytes it had on the wire.
    pub length: usize,
    /// The codes of its notes.
    pub notes: Vec<&'static str>,
    /// Told to be left out.
    pub dropped: bool,
    /// The user has changed it.
    pub edited: bool,
    /// What the user's rules made of it.
    pub changed: Changed,
    /// As captured, where it was changed: what the peer says is not ours to change.
    pub captured: Option<OwnedMessage>,
}

/// What becomes of a recorded message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// It is repeated (or, of the peer, expected).
    Send,
    /// The live session makes its own: what kind of messages these are, in the plural.
    Live(&'static str),
    /// It may harm a peer; why.
    Danger(String),
}

/// A whole conversation and who is to be played.
#[derive(Clone, Copy, Debug)]
pub struct ReplayContext<'a> {
    /// The messages of both sides, in order.
    pub messages: &'a [Recorded],
    /// Whom the actor plays.
    pub role: Role,
    /// What carries the conversation now.
    pub transport: Transport,
    /// How long the peer may take to answer.
    pub timeout: Duration,
    /// As fast as the peer allows: nothing need be waited for only because the library would.
    pub asap: bool,
    /// The live peer's address as text, where the protocol names it (`Host:`).
    pub host: &'a str,
    /// `ws://..`: the path to ask for.
    pub path: Option<&'a str>,
    /// What the user said.
    pub options: &'a Options,
    /// A probe's: nothing was recorded, and what is asked behind the handshake is not the actor's.
    pub probe: bool,
    /// The version to be written, where no recording tells.
    pub version: Option<&'static str>,
    /// What the server's application expects of the first message: bytes as hex, or values.
    pub data: Option<&'a Json>,
}

impl ReplayContext<'_> {
    /// Does this side say such a message, which is not left out?
    pub fn has(&self, role: Role, message: &str) -> bool {
        self.messages.iter().any(|m| m.said.from == role && m.said.message == message && !m.dropped)
    }
}

/// Why the peer says what it said in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It answers something that we say: what we said next waits for it.
    Answer,
    /// Its application says it: it is compared, and nothing waits for it but the end.
    Application,
    /// Others than we are the cause: other players, broadcasts, clocks. Neither waited for nor held
    /// against the peer; what these messages are, in the plural.
    Others(&'static str),
}

/// What a heard message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// The session's own business: an acknowledgement, a heartbeat, a copy.
    Session,
    /// Something new that is held against the recording.
    New,
}

/// Plays one side of a conversation.
pub trait Actor {
    /// How far it has come.
    fn life(&self) -> &Life;

    /// What the protocol says of its live side as data.
    fn rules(&self) -> &'static Rules {
        self.life().rules
    }

    /// What becomes of a recorded message of either side. Asked once for each, in order.
    fn disposition(&mut self, message: &Recorded) -> Disposition {
        self.rules().disposition(message)
    }

    /// Does the live session decide this field of a message of ours, whatever is recorded? `path`:
    /// from the message's fields, without indexes.
    fn decides(&self, said: &OwnedMessage, path: &str) -> bool {
        self.rules().decides(said.message, path)
    }

    /// The plan is made: the session begins.
    fn begin(&mut self, _now: Instant, _out: &mut Outbox) {}

    /// What this message of ours still waits for in the live session; `None`: it can be said.
    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str>;

    /// Why the peer says this.
    fn cause(&self, said: &OwnedMessage) -> Cause {
        self.rules().cause(said.message)
    }

    /// The parts of a message by which it is held against the capture, where how many of them go
    /// into one is the sender's choice; itself otherwise.
    fn parts(&self, said: OwnedMessage, each: &mut dyn FnMut(OwnedMessage)) {
        each(said);
    }

    /// All that both said is known: may parts be told apart now that could not be before?
    fn learn(&mut self, _said: &mut dyn Iterator<Item = &OwnedMessage>) {}

    /// The numbers of its messages, where the protocol has some.
    fn numbers(&mut self) -> Option<&mut Numbers> {
        None
    }

    /// Something of ours could not be written, or was not let out.
    fn unsendable(&mut self, said: &OwnedMessage) {
        self.numbers().into_iter().for_each(|numbers| numbers.unsendable(said));
    }

    /// Says a recorded message, rewritten for the live session.
    ///
    /// # Errors
    /// Why it makes no sense there: it is not said.
    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String>;

    /// The peer said something.
    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling;

    /// Time has passed: resends, heartbeats. Returns when it wants to be called again.
    fn tick(&mut self, _now: Instant, _out: &mut Outbox) -> Option<Instant> {
        None
    }

    /// Is everything said that was to be acknowledged, and is the peer at rest?
    fn settled(&mut self, now: Instant) -> bool {
        self.numbers().is_none_or(|numbers| numbers.settled(now))
    }

    /// Why the session is over, once the peer has ended it.
    fn over(&self) -> Option<String> {
        self.life().over()
    }

    /// Does this recorded message of ours begin a session anew after the one before was over?
    fn opens(&self, message: &Recorded) -> bool {
        let [client, server] = self.rules().opens;
        let names = if self.life().role == Role::Client { client } else { server };
        names.contains(&message.said.message)
    }

    /// Does this recorded message of ours end the session?
    fn closes(&self, message: &Recorded) -> bool {
        self.rules().closes.contains(&message.said.message)
    }

    /// Leaves politely, whatever has happened.
    fn leave(&mut self, _out: &mut Outbox) {}

    /// Does the peer close the connection after our leave, and must it be waited for?
    fn awaits_end(&self) -> bool {
        false
    }

    /// What a message is about, by which the live one is paired with the recorded one:
    /// `reliable 1000`.
    fn identity(&self, said: &OwnedMessage) -> String {
        said.message.into()
    }

    /// The message's content without what differs from session to session.
    fn content(&self, said: &OwnedMessage) -> Json {
        without(said.to_json(), self.rules().volatile(said.message))
    }

    /// Does the peer's transport bring such a message for sure?
    fn sure(&self, said: &OwnedMessage) -> bool;
}

/// A protocol whose recorded conversations can be played.
pub trait Replay: Sync {
    /// The actor for one side; of a probe, for the client of an empty recording.
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor>;

    /// What the recording tells that the live conversation's session would have to find out again:
    /// settings, as `-s` takes them.
    fn settings(&self, _messages: &[Recorded]) -> Vec<String> {
        Vec::new()
    }

    /// What an earlier connection to the same server told that this one needs to be read, since its
    /// client had it already: settings, as `-s` takes them.
    fn told(&self, _messages: &[Recorded], _earlier: &[Recorded]) -> Vec<String> {
        Vec::new()
    }

    /// The server's address of the datagrams that belong to a recorded stream.
    fn beside(&self, _messages: &[Recorded], _server: SocketAddr) -> Option<SocketAddr> {
        None
    }

    /// Whether its sessions are streams: datagrams are played beside one, never alone.
    fn is_of_streams(&self) -> bool {
        false
    }

    /// May the live peer want datagrams beside the stream?
    fn wants_beside(&self, _messages: &[Recorded]) -> bool {
        false
    }
}

impl std::fmt::Debug for dyn Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

/// An object without those keys.
pub(crate) fn without(fields: &Json, keys: &[&str]) -> Json {
    match fields.as_object() {
        Some(map) => Json::Object(
            map.iter().filter(|(k, _)| !keys.contains(&k.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect(),
        ),
        None => fields.clone(),
    }
}
