//! Counts packets that a capture has twice: recorded on several interfaces, or sent twice. Every figure of datagrams
//! includes both, and streams seem to be resent.

use crate::capture::{Body, Packet, Time};
use crate::dissect::DuplicatePackets;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::net::SocketAddr;

/// The number of packets that are compared, if they have a payload: a capture with two records of each packet has them
/// from the beginning.
pub(super) const COMPARED: u64 = 4096;
/// The number of earlier packets with which one is compared.
const RECENT: usize = 8;
/// The longest time between a packet and its duplicate, in nanoseconds.
const AT_ONCE: i128 = 1_000_000;
/// The number of packets below which nothing is reported.
const LEAST: u64 = 20;

/// The last packets, and the number of duplicates so far.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    last: [Option<Recent>; RECENT],
    counts: DuplicatePackets,
}

/// A packet: its ends, a hash of its payload and sequence number, and its time.
#[derive(Clone, Copy, Debug)]
struct Recent {
    ends: [SocketAddr; 2],
    hash: u64,
    time: Time,
}

impl Duplicates {
    /// Compares a packet with the last ones, if it has a payload.
    #[inline(never)]
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        let (payload, seq) = match &packet.body {
            Body::Udp { payload, .. } => (*payload, 0),
            Body::Tcp(segment) => (segment.payload, segment.seq),
        };
        if payload.is_empty() {
            return;
        }
        let mut hasher = FxHasher::default();
        hasher.write(payload);
        hasher.write_u32(seq);
        let this = Recent { ends: [packet.src, packet.dst], hash: hasher.finish(), time: packet.time };
        let is_same =
            |one: &Recent| (one.ends, one.hash) == (this.ends, this.hash) && this.time.since(one.time).abs() <= AT_ONCE;
        self.counts.duplicates += u64::from(self.last.iter().flatten().any(is_same));
        if let Some(place) = self.last.get_mut(self.counts.compared as usize % RECENT) {
            *place = Some(this);
        }
        self.counts.compared += 1;
    }

    /// Returns the counts if at least two fifths are duplicates. Where each packet is recorded twice, they are a half,
    /// less those that one of the two records lacks. Senders that repeat, and networks that duplicate, stay below.
    pub(super) fn notable(&self) -> Option<DuplicatePackets> {
        let DuplicatePackets { compared, duplicates } = self.counts;
        Some(self.counts).filter(|_| compared >= LEAST && duplicates * 5 >= compared * 2)
    }
}
