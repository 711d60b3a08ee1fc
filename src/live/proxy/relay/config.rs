//! The settings of a relay.

use crate::live::proxy::{Impairments, Profile};
use std::net::SocketAddr;
use std::time::Duration;

/// The settings of a relay.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address on which it listens for clients.
    pub listen: SocketAddr,
    /// The server's address.
    pub target: SocketAddr,
    /// Whether datagrams are relayed.
    pub udp: bool,
    /// Whether streams are relayed.
    pub tcp: bool,
    /// The impairments of each direction.
    pub impairments: [Impairments; 2],
    /// Impairments at certain times.
    pub profile: Option<Profile>,
    /// The seed of the random numbers that select the packets.
    pub seed: u64,
    /// The maximum number of simultaneous conversations.
    pub clients: usize,
    /// The maximum number of bytes that wait.
    pub queue: usize,
    /// A client is gone if there was no datagram from or to it for this time.
    pub idle: Duration,
}
