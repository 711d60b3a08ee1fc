//! What a protocol has to say for itself when live servers are asked: its methods, what answers
//! mean, and how it leaves without harm.
//!
//! The [engine](super::engine) asks a protocol's [`Questions`]: the messages are written by its encoder
//! and read by its session.

use super::{Carrier, ConnectData, Memory, Questions};
use crate::dissect::{Dissector, Options};
use crate::live::Clients;
use crate::live::Observer;
use crate::live::net::{CancelToken, Recorder, Target};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// One way of asking for a protocol.
#[derive(Debug)]
pub struct Method {
    /// What tells it from the protocol's other methods: `2.0`; empty where it needs no name.
    pub name: &'static str,
    /// The carrier.
    pub carrier: Carrier,
    /// Its place in the order in which a server of unknown protocol is asked: UDP below 100. A
    /// course comes behind all those whose servers it would harm.
    pub rank: u8,
    /// Why it stands there.
    pub why: &'static str,
}

/// What is known of a protocol's servers.
#[derive(Debug)]
pub struct Servers {
    /// The port where they listen, where there is a usual one.
    pub port: Option<u16>,
    /// How long an answer is waited for, if the user says nothing.
    pub timeout: Duration,
    /// Messages that only they answer with: what other probes know them by.
    pub answers: &'static [&'static str],
    /// The methods, in the order in which they are tried.
    pub methods: &'static [Method],
}

/// How a protocol's servers are asked.
pub trait Probe: Sync {
    /// What is known of them.
    fn servers(&self) -> &'static Servers;

    /// What the application at the server may expect of the first message, as the user writes it: as
    /// the protocol's fields have it.
    ///
    /// # Errors
    /// The protocol has no place for it, or not for this.
    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        let _ = data;
        Err("its handshake has no place for data of the application".into())
    }

    /// What asking costs a server each time that cannot be given back: such questions are not asked in
    /// rounds. `connect`: the full handshake is asked for.
    fn costs(&self, _connect: bool) -> Option<&'static str> {
        None
    }

    /// The questions of one of its methods.
    fn questions(&self, method: &Method) -> Box<dyn Questions + '_>;
}

/// What the user wants to know of every target.
pub struct Request {
    /// The protocol; `None`: find it.
    pub proto: Option<&'static dyn Dissector>,
    /// Only by this carrier.
    pub carrier: Option<Carrier>,
    /// The clients there are.
    pub clients: Clients,
    /// Settings.
    pub options: Options,
    /// How many round trips are measured.
    pub samples: u32,
    /// The time from one to the next.
    pub interval: Duration,
    /// How long an answer is waited for; `None`: the protocol's own.
    pub timeout: Option<Duration>,
    /// Complete handshakes that make a player.
    pub connect: bool,
    /// Make an entity of this model.
    pub create: Option<String>,
    /// The name to join under.
    pub name: String,
    /// What the servers' application expects of the first message, see [`Probe::data`].
    pub data: Option<Json>,
    /// How long one target may take in all; `None`: half a minute, and what the rest asks for.
    pub max_time: Option<Duration>,
    /// It is one of many rounds: whoever is not named is not asked what costs a server something.
    pub rounds: bool,
}

/// What all targets share.
pub struct Shared<'a> {
    /// Where exchanges are recorded.
    pub recorder: Option<&'a Recorder>,
    /// The user's wish to stop.
    pub stop: &'a CancelToken,
    /// The number of the last conversation.
    pub flows: &'a AtomicU64,
    /// What earlier rounds have found.
    pub memory: &'a Memory,
}

/// What the user wants to know, and of whom.
pub struct Ask<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The server.
    pub peer: SocketAddr,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// What the user asks of every target.
    pub request: &'a Request,
    /// The target, as the user wrote it.
    pub target: &'a Target,
    /// What all targets share.
    pub shared: &'a Shared<'a>,
    /// Who sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The wish to stop: the user's, and the deadline.
    pub stop: CancelToken,
}

impl<'a> Ask<'a> {
    /// The answer that an earlier round knew this server by.
    pub fn known(&self) -> Option<OwnedMessage> {
        self.shared.memory.known(self.dissector.name(), self.peer)
    }

    /// What a later round knows this server by; `None`: it is another one than it was.
    pub fn remember(&self, answer: Option<OwnedMessage>) {
        self.shared.memory.put(self.dissector.name(), self.peer, answer);
    }

    /// WebSocket: the path.
    pub fn path(&self) -> &'a str {
        self.target.path.as_deref().unwrap_or("/")
    }

    /// Until when an answer to something sent now is waited for.
    pub fn until(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// How long the answer to a sample is waited for: nobody who answers at all takes longer than a
    /// second.
    pub fn answer_wait(&self) -> Duration {
        self.timeout.min(Duration::from_secs(1))
    }
}
