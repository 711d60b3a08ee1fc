//! A protocol's rules for repeating its recorded messages to a live peer.
//!
//! A capture cannot simply be sent again: ids and numbers that the peer decides are new each time, and acknowledgements
//! and heartbeats must answer the live peer. An [`Actor`] plays one side of a recorded conversation: it decides the use
//! of each recorded message ([`Disposition`]), rewrites those that are repeated, and answers the peer. It does no input
//! or output, and time is an argument. The engine ([`crate::live::replay`]) does the rest.

use super::changed::Changed;
use super::life::{Life, Rules};
use super::numbers::Numbers;
pub use super::outbox::{Counts, Outbox, RoundTrip};
use crate::capture::Time;
use crate::dissect::options::Options;
use crate::dissect::role::Role;
use crate::flow::Transport;
use crate::live::rules::Put;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// A message of the capture.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The message.
    pub decoded: OwnedMessage,
    /// The frame that completed it.
    pub frame: u64,
    /// The time of that frame.
    pub time: Time,
    /// Its length on the wire, in bytes.
    pub length: usize,
    /// The codes of its notes.
    pub notes: Vec<&'static str>,
    /// Whether the user leaves it out.
    pub dropped: bool,
    /// Whether the user has changed it.
    pub edited: bool,
    /// The changes by the user's rules.
    pub changed: Changed,
    /// The captured message, if it was changed: only messages of ours can be changed, not the peer's.
    pub captured: Option<OwnedMessage>,
}

impl Recorded {
    /// Returns the message with the values that edits give this client.
    pub(super) fn of_client(&self, client: u32) -> Cow<'_, Recorded> {
        if !self.changed.puts.iter().any(Put::by_client) {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        own.changed.puts = own.changed.puts.into_iter().map(|put| put.of_client(client)).collect();
        own.decoded = own.changed.puts.iter().fold(own.decoded, |message, put| put.put_into(message));
        Cow::Owned(own)
    }
}

/// The use of a recorded message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// It is repeated, or expected if it is the peer's.
    Send,
    /// It is not repeated: the live session makes its own, or needs none. The kind is named in the plural.
    Live(&'static str),
    /// It may harm a peer, for this reason.
    Danger(String),
}

/// A whole conversation, and the side to be played.
#[derive(Clone, Copy, Debug)]
pub struct ReplayContext<'a> {
    /// The messages of both sides, in order.
    pub messages: &'a [Recorded],
    /// The side that the actor plays.
    pub role: Role,
    /// The transport of the live conversation.
    pub transport: Transport,
    /// The longest time for an answer of the peer.
    pub timeout: Duration,
    /// Whether to play as fast as the peer allows, without waits that only the library would make.
    pub asap: bool,
    /// The live peer's address as text, for protocols that name it (`Host:`).
    pub host: &'a str,
    /// `ws://..`: the path to request.
    pub path: Option<&'a str>,
    /// The user's options.
    pub options: &'a Options,
    /// Whether a probe uses the actor. Nothing was recorded then, and questions after the handshake are not the
    /// actor's.
    pub probe: bool,
    /// The version to write, if no recording determines it.
    pub version: Option<&'static str>,
    /// The connect data that the server's application expects in the first message: bytes as hex, or values.
    pub data: Option<&'a Json>,
}

impl ReplayContext<'_> {
    /// Whether this side sends such a message, and it is not left out.
    pub fn has(&self, role: Role, message: &str) -> bool {
        self.messages.iter().any(|m| m.decoded.from == role && m.decoded.message == message && !m.dropped)
    }
}

/// The reason for a message of the peer in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It answers a message of ours. Our next message waits for it.
    Answer,
    /// The peer's application sends it. It is compared, and only the end of the session waits for it.
    Application,
    /// Others than we are the cause: other players, broadcasts, clocks. Messages of this kind, named in the plural, are
    /// neither waited for nor held against the peer.
    Others(&'static str),
}

/// The handling of a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// It concerns the session alone: an acknowledgement, a heartbeat, a repeated message.
    Session,
    /// It is new, and is compared with the recording.
    New,
}

/// Plays one side of a conversation.
pub trait Actor {
    /// The state of the conversation.
    fn life(&self) -> &Life;

    /// The protocol's rules that are data.
    fn rules(&self) -> &'static Rules {
        self.life().rules
    }

    /// Returns the use of a recorded message of either side. Called once for each, in order.
    fn disposition(&mut self, message: &Recorded) -> Disposition {
        self.rules().disposition(message)
    }

    /// Whether the live session decides this field of a message of ours, whatever is recorded. `path` begins at the
    /// message's fields, and has no indexes.
    fn decides(&self, decoded: &OwnedMessage, path: &str) -> bool {
        self.rules().decides(decoded.message, path)
    }

    /// Begins the session. The plan is complete.
    fn begin(&mut self, _now: Instant, _out: &mut Outbox) {}

    /// Returns the event that this message of ours still waits for in the live session; `None`: it can be sent.
    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str>;

    /// Returns the reason for a message of the peer.
    fn cause(&self, decoded: &OwnedMessage) -> Cause {
        self.rules().cause(decoded.message)
    }

    /// Splits a message into the parts that are compared with the capture, if the sender may choose how many go into
    /// one message. Otherwise the message itself is compared.
    fn parts(&self, decoded: OwnedMessage, each: &mut dyn FnMut(OwnedMessage)) {
        each(decoded);
    }

    /// Learns from all messages of both sides, so that it can distinguish more parts than before.
    fn learn(&mut self, _sent: &mut dyn Iterator<Item = &OwnedMessage>) {}

    /// Returns the numbers of its messages, if the protocol has some.
    fn numbers(&mut self) -> Option<&mut Numbers> {
        None
    }

    /// Notes that a message of ours could not be written, or was refused by the gate.
    fn unsendable(&mut self, decoded: &OwnedMessage) {
        self.numbers().into_iter().for_each(|numbers| numbers.unsendable(decoded));
    }

    /// Sends a recorded message, rewritten for the live session.
    ///
    /// # Errors
    /// Returns the reason why it makes no sense there. It is not sent.
    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String>;

    /// Handles a message of the peer.
    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling;

    /// Acts when time has passed: resends, heartbeats. Returns the time at which it wants to be called again.
    fn tick(&mut self, _now: Instant, _out: &mut Outbox) -> Option<Instant> {
        None
    }

    /// Whether every message that needs it is acknowledged, and the peer is at rest.
    fn settled(&mut self, now: Instant) -> bool {
        self.numbers().is_none_or(|numbers| numbers.settled(now))
    }

    /// Returns the reason why the session is over, once the peer has ended it.
    fn over(&self) -> Option<String> {
        self.life().over()
    }

    /// Whether this recorded message of ours begins a new session after the last one was over.
    fn opens(&self, message: &Recorded) -> bool {
        let [client, server] = self.rules().opens;
        let names = if self.life().role == Role::Client { client } else { server };
        names.contains(&message.decoded.message)
    }

    /// Whether this recorded message of ours ends the session.
    fn closes(&self, message: &Recorded) -> bool {
        self.rules().closes.contains(&message.decoded.message)
    }

    /// Leaves politely, whatever has happened.
    fn leave(&mut self, _out: &mut Outbox) {}

    /// Returns the longest wait for the peer's part in the end, after which it closes the connection; `None`: the
    /// goodbye is the last of it.
    fn awaits_end(&self) -> Option<Duration> {
        None
    }

    /// Returns the subject of a message, by which the live and the recorded message are paired: `reliable 1000`.
    fn identity(&self, decoded: &OwnedMessage) -> String {
        decoded.message.into()
    }

    /// Returns the message's content without the fields that differ from session to session.
    fn content(&self, decoded: &OwnedMessage) -> Json {
        without(decoded.to_json(), self.rules().volatile(decoded.message))
    }

    /// Whether the peer's transport delivers such a message reliably.
    fn is_reliable(&self, decoded: &OwnedMessage) -> bool;
}

/// A protocol whose recorded conversations can be played.
pub trait Replay: Sync {
    /// Creates the actor for one side. For a probe, that is the client of an empty recording.
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor>;

    /// Returns settings, as `-s` takes them, that the recording determines. Otherwise the live conversation's session
    /// would have to find them out again.
    fn settings(&self, _messages: &[Recorded]) -> Vec<String> {
        Vec::new()
    }

    /// Returns settings, as `-s` takes them, from an earlier connection to the same server. This connection needs them
    /// to be read, because its client had that knowledge already.
    fn missing_settings(&self, _messages: &[Recorded], _earlier: &[Recorded]) -> Vec<String> {
        Vec::new()
    }

    /// Returns the server's address for the datagrams that belong to a recorded stream.
    fn datagram_address(&self, _messages: &[Recorded], _server: SocketAddr) -> Option<SocketAddr> {
        None
    }

    /// Whether its sessions are streams. Datagrams are then played beside a stream, never alone.
    fn is_of_streams(&self) -> bool {
        false
    }

    /// Whether the live peer may want datagrams beside the stream.
    fn wants_datagrams(&self, _messages: &[Recorded]) -> bool {
        false
    }
}

impl std::fmt::Debug for dyn Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

/// Returns an object without these keys.
pub(crate) fn without(fields: &Json, keys: &[&str]) -> Json {
    match fields.as_object() {
        Some(map) => Json::Object(
            map.iter().filter(|(k, _)| !keys.contains(&k.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect(),
        ),
        None => fields.clone(),
    }
}
