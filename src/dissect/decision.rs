//! The decision about a conversation's protocol and its basis, and the size of conversations that are over.

use crate::capture::Time;
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The decision about a conversation from its first payloads.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Decision<'a> {
    /// The conversation's number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
    /// The payloads, as in an [`Observation`](super::Observation).
    pub payloads: &'a [(Side, &'a [u8], usize)],
    /// Whether each direction was captured from its first byte on.
    pub begun: [bool; 2],
    /// The time of the last of the payloads.
    pub time: Option<Time>,
    /// The protocol that claims it, and the reason; `None` if none does.
    pub taken: Option<(&'static str, &'static str)>,
    /// Two protocols that fit equally well, so that neither claims it.
    pub tied: Option<(&'static str, &'static str)>,
}

/// A conversation that has ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Closed {
    /// The conversation's number.
    pub flow: u64,
    /// Whether it was evicted before and had come back: an earlier part of it was closed.
    pub resumed: bool,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
    /// The number of packets in both directions.
    pub packets: u64,
    /// Their payload on the wire, including retransmissions.
    pub bytes: u64,
    /// The protocol as which it was read to its end, and the number of bytes of its streams that this protocol was
    /// given.
    pub claim: Option<(&'static str, u64)>,
}
