//! What talks to live peers: sockets with deadlines, probes, replays. Knows no protocol; what a
//! protocol has to say for itself is its [`Probe`](probe::Probe) and its
//! [`Replay`](replay::actor::Replay).

mod clients;
mod message;
pub mod net;
pub mod probe;
pub mod replay;

pub use clients::{Client, Clients};
pub use message::{Channel, OwnedMessage};
