//! How the protocols of a run are spoken to live peers.

use super::probe::Probe;
use super::replay::actor::Replay;
use crate::dissect::Dissector;
use std::sync::Arc;

/// A protocol's live side, registered beside the dissector that reads it. A dissector names nothing
/// that is live: a program that only reads brings no client.
#[derive(Clone, Copy)]
pub struct Client {
    /// Reads the protocol.
    pub dissector: &'static dyn Dissector,
    /// How its servers are asked; `None`: they cannot be.
    pub probe: Option<&'static dyn Probe>,
    /// How its recorded conversations are played; `None`: they cannot be.
    pub replay: Option<&'static dyn Replay>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.dissector.name())
    }
}

/// The clients there are, in the order in which they are listed and tried: a value, as
/// [`Registry`](crate::dissect::Registry) is. The built-in ones are
/// [`protocols::clients`](crate::protocols::clients).
#[derive(Clone, Debug)]
pub struct Clients(Arc<[Client]>);

impl Clients {
    /// These clients.
    pub fn new(clients: impl IntoIterator<Item = Client>) -> Clients {
        Clients(clients.into_iter().collect())
    }

    /// The same with one more, which is tried first.
    #[must_use]
    pub fn with(&self, client: Client) -> Clients {
        Clients::new(std::iter::once(client).chain(self.iter()))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Client> + '_ {
        self.0.iter().copied()
    }

    /// How a protocol's servers are asked.
    pub fn probe(&self, proto: &str) -> Option<&'static dyn Probe> {
        self.of(proto)?.probe
    }

    /// How a protocol's recorded conversations are played.
    pub fn replay(&self, proto: &str) -> Option<&'static dyn Replay> {
        self.of(proto)?.replay
    }

    fn of(&self, proto: &str) -> Option<Client> {
        self.iter().find(|client| client.dissector.name() == proto)
    }
}
