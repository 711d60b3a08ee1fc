//! What becomes of conversations: what a decision was made from, and how much each of them had.

use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The first payloads of a conversation have told what it is, or told nothing.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The conversation's number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends.
    pub ends: [SocketAddr; 2],
    /// As in an [`Observation`](super::Observation).
    pub payloads: &'a [(Side, &'a [u8], usize)],
    /// Whether each direction is there from its first byte on.
    pub begun: [bool; 2],
    /// The protocol that takes it, and why; `None`: none.
    pub taken: Option<(&'static str, &'static str)>,
    /// Two protocols that fit equally well, so that neither takes it.
    pub tied: Option<(&'static str, &'static str)>,
}

/// A conversation that is over.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// Its number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends.
    pub ends: [SocketAddr; 2],
    /// Its packets in both directions.
    pub packets: u64,
    /// Their payload, with what was sent again.
    pub bytes: u64,
    /// The protocol that it was read as to its end, and how many bytes of its streams that was given.
    pub claim: Option<(&'static str, u64)>,
}
