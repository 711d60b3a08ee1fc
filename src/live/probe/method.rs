//! What a protocol has to say for itself when live servers are asked: its methods, what answers
//! mean, and how it leaves without harm.
//!
//! The [engine](super::engine) asks a protocol's [`Questions`]: the messages are written by its encoder
//! and read by its session.

use super::{Carrier, ConnectData, Known, Memory, Questions};
use crate::dissect::{Dissector, Options};
use crate::live::Clients;
use crate::live::Observer;
use crate::live::net::{CancelToken, Recorder};
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

/// What the user wants to know, and of whom.
pub struct Ask<'a> {
    /// The protocol.
    pub dissector: &'static dyn Dissector,
    /// The server.
    pub peer: SocketAddr,
    /// The server's name, as the user wrote it.
    pub host: &'a str,
    /// WebSocket: the path.
    pub path: &'a str,
    /// The clients there are: whose answer it may be instead.
    pub clients: &'a Clients,
    /// Settings.
    pub options: &'a Options,
    /// How many round trips are measured.
    pub samples: u32,
    /// The time from one to the next.
    pub interval: Duration,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// Complete the handshake where that makes a player.
    pub connect: bool,
    /// Acknex: make an entity of this model.
    pub create: Option<&'a str>,
    /// The name to join under.
    pub name: &'a str,
    /// What the server's application expects of the first message, as the protocol has its fields.
    pub data: Option<&'a Json>,
    /// Where the exchange is recorded.
    pub recorder: Option<&'a Recorder>,
    /// Who sees the messages.
    pub observer: Option<Observer<'a>>,
    /// The wish to stop: the user's, and the deadline.
    pub stop: CancelToken,
    /// The number of the last conversation, counted over all targets.
    pub flows: &'a AtomicU64,
    /// What earlier rounds have found.
    pub memory: &'a Memory,
}

impl Ask<'_> {
    /// What an earlier round has found of this server.
    pub fn known(&self) -> Option<Known> {
        self.memory.known(self.dissector.name(), self.peer)
    }

    /// What a later round should know of this server.
    pub fn remember(&self, known: Known) {
        self.memory.put(self.dissector.name(), self.peer, Some(known));
    }

    /// The server is another one than it was.
    pub fn forget(&self) {
        self.memory.put(self.dissector.name(), self.peer, None);
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
