//! A protocol's part in asking live servers: its methods, the meaning of answers, and leaving without harm.
//!
//! The [engine](super::engine) asks a protocol's [`Questions`]. The protocol's encoder writes the messages, and its
//! session reads them.

use super::{Carrier, ConnectData, Memory, Questions};
use crate::dissect::{Dissector, Options};
use crate::live::net::{CancelToken, Recorder, Target};
use crate::live::{Clients, Observer};
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// The longest wait for the answer to a sample. A server that answers at all takes less.
pub(super) const SAMPLE: Duration = Duration::from_secs(1);

/// One method of asking a protocol's servers.
#[derive(Debug)]
pub struct Method {
    /// The name that distinguishes it from the protocol's other methods: `2.0`; empty if it needs no name.
    pub name: &'static str,
    /// The carrier.
    pub carrier: Carrier,
    /// Its place in the order in which a server of unknown protocol is asked; UDP is below 100. A method comes after
    /// all those whose servers it would harm.
    pub rank: u8,
    /// The reason for this place.
    pub why: &'static str,
}

/// The properties of a protocol's servers.
#[derive(Debug)]
pub struct Servers {
    /// The port where they usually listen, if there is one.
    pub port: Option<u16>,
    /// The longest wait for an answer, unless the user sets it.
    pub timeout: Duration,
    /// Messages with which only they answer. Other probes recognise them by these.
    pub answers: &'static [&'static str],
    /// The methods, in the order in which they are tried.
    pub methods: &'static [Method],
}

/// Asks a protocol's servers.
pub trait Probe: Sync {
    /// Returns the properties of its servers.
    fn servers(&self) -> &'static Servers;

    /// Converts the user's connect data, which the server's application may expect in the first message, to the
    /// protocol's fields.
    ///
    /// # Errors
    /// The protocol has no place for connect data, or not for this.
    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        let _ = data;
        Err("its handshake has no place for data of the application".into())
    }

    /// The lasting cost of each probe to a server, if there is one. Rounds ask such servers only if the protocol is
    /// named. `connect`: the full handshake is requested.
    fn costs(&self, _connect: bool) -> Option<&'static str> {
        None
    }

    /// Returns the questions of one of its methods.
    fn questions(&self, method: &Method) -> Box<dyn Questions + '_>;
}

/// The user's request, the same for all targets.
pub struct Request {
    /// The protocol; `None`: find it.
    pub proto: Option<&'static dyn Dissector>,
    /// The only carrier to use; `None`: all.
    pub carrier: Option<Carrier>,
    /// The available clients.
    pub clients: Clients,
    /// Settings.
    pub options: Options,
    /// The number of round trips to measure.
    pub samples: u32,
    /// The time from one round trip to the next.
    pub interval: Duration,
    /// The longest wait for an answer; `None`: the protocol's own.
    pub timeout: Option<Duration>,
    /// Whether to complete handshakes that create a player.
    pub connect: bool,
    /// The model of an entity to create.
    pub create: Option<String>,
    /// The name to join under.
    pub name: String,
    /// The connect data for the first message, see [`Probe::data`].
    pub data: Option<Json>,
    /// The time limit for one target; `None`: half a minute, and the time that the rest of the request needs.
    pub max_time: Option<Duration>,
    /// Whether this is one of many rounds. Protocols whose servers bear a lasting cost are then asked only by name.
    pub rounds: bool,
}

/// The context that all targets share.
pub struct Shared<'a> {
    /// Records the exchanges.
    pub recorder: Option<&'a Recorder>,
    /// The user's request to stop.
    pub stop: &'a CancelToken,
    /// The number of the last conversation.
    pub flows: &'a AtomicU64,
    /// The results of earlier rounds.
    pub memory: &'a Memory,
}

/// The user's request to one server.
pub struct Ask<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The server.
    pub peer: SocketAddr,
    /// The longest wait for an answer.
    pub timeout: Duration,
    /// The user's request, the same for all targets.
    pub request: &'a Request,
    /// The target, as the user wrote it.
    pub target: &'a Target,
    /// The context that all targets share.
    pub shared: &'a Shared<'a>,
    /// Sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The request to stop, by the user or the deadline.
    pub stop: CancelToken,
}

impl<'a> Ask<'a> {
    /// Returns the answer by which an earlier round recognised this server.
    pub fn known(&self) -> Option<OwnedMessage> {
        self.shared.memory.known(self.dissector.name(), self.peer)
    }

    /// Keeps the answer by which later rounds recognise this server. `None` forgets it, because the server has changed.
    pub fn remember(&self, answer: Option<OwnedMessage>) {
        self.shared.memory.put(self.dissector.name(), self.peer, answer);
    }

    /// WebSocket: the path.
    pub fn path(&self) -> &'a str {
        self.target.path.as_deref().unwrap_or("/")
    }

    /// Returns the time until which the answer to a message sent now is waited for.
    pub fn until(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Returns the longest wait for the answer to a sample.
    pub fn answer_wait(&self) -> Duration {
        self.timeout.min(SAMPLE)
    }
}
