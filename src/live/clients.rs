//! The clients that talk to live peers, one for each protocol of a run.

use super::probe::Probe;
use super::replay::actor::Replay;
use crate::dissect::Dissector;
use std::sync::Arc;

/// A protocol's live side, registered beside the dissector that reads it. A dissector does not refer to live code, so
/// that a program that only reads needs no client.
#[derive(Clone, Copy)]
pub struct Client {
    /// Reads the protocol.
    pub dissector: &'static dyn Dissector,
    /// Asks its servers; `None` if that is not possible.
    pub probe: Option<&'static dyn Probe>,
    /// Plays its recorded conversations; `None` if that is not possible.
    pub replay: Option<&'static dyn Replay>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.dissector.name())
    }
}

/// The available clients, in the order in which they are listed and tried. Like [`Registry`](crate::dissect::Registry),
/// it is a value. The built-in ones are [`protocols::clients`](crate::protocols::clients).
#[derive(Clone, Debug)]
pub struct Clients(Arc<[Client]>);

impl Clients {
    /// Creates a list of these clients.
    pub fn new(clients: impl IntoIterator<Item = Client>) -> Clients {
        Clients(clients.into_iter().collect())
    }

    /// Returns a copy with one more client, which is tried first.
    #[must_use]
    pub fn with(&self, client: Client) -> Clients {
        Clients::new(std::iter::once(client).chain(self.iter()))
    }

    /// Returns all clients.
    pub fn iter(&self) -> impl Iterator<Item = Client> + '_ {
        self.0.iter().copied()
    }

    /// Returns the probe of a protocol.
    pub fn probe(&self, proto: &str) -> Option<&'static dyn Probe> {
        self.of(proto)?.probe
    }

    /// Returns the replay of a protocol.
    pub fn replay(&self, proto: &str) -> Option<&'static dyn Replay> {
        self.of(proto)?.replay
    }

    fn of(&self, proto: &str) -> Option<Client> {
        self.iter().find(|client| client.dissector.name() == proto)
    }
}
