//! What a relay does.

use crate::live::proxy::{Impairments, Profile};
use std::net::SocketAddr;
use std::time::Duration;

/// What a relay does.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where clients come.
    pub listen: SocketAddr,
    /// Where they are brought.
    pub target: SocketAddr,
    /// Datagrams.
    pub udp: bool,
    /// Streams.
    pub tcp: bool,
    /// What is done to either direction.
    pub impairments: [Impairments; 2],
    /// What is done to them at certain times.
    pub profile: Option<Profile>,
    /// Decides which packets.
    pub seed: u64,
    /// The most conversations at once.
    pub clients: usize,
    /// The most bytes that wait.
    pub queue: usize,
    /// A client that has sent no datagram for so long has gone, and none came for it.
    pub idle: Duration,
}
