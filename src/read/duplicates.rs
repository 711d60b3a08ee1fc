//! Counts datagrams that a capture has twice: recorded on several interfaces, or sent twice. Every figure includes both.

use crate::capture::{Body, Packet, Time};
use crate::dissect::DuplicateDatagrams;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::net::SocketAddr;

/// The number of packets of which datagrams are compared: a capture with two records of each packet has them from the
/// beginning.
pub(super) const COMPARED: u64 = 4096;
/// The number of earlier datagrams with which one is compared.
const RECENT: usize = 8;
/// The longest time between a datagram and its duplicate, in nanoseconds.
const AT_ONCE: i128 = 1_000_000;
/// The number of datagrams below which nothing is reported.
const LEAST: u64 = 20;

/// The last datagrams, and the number of duplicates so far.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    last: [Option<Datagram>; RECENT],
    counts: DuplicateDatagrams,
}

/// A datagram: its ends, a hash of its payload, and its time.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    ends: [SocketAddr; 2],
    payload: u64,
    time: Time,
}

impl Duplicates {
    /// Compares a packet with the last ones, if it is a datagram.
    #[inline(never)]
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        let Body::Udp { payload, .. } = packet.body else { return };
        if payload.is_empty() {
            return;
        }
        let mut hasher = FxHasher::default();
        hasher.write(payload);
        let this = Datagram { ends: [packet.src, packet.dst], payload: hasher.finish(), time: packet.time };
        let is_same = |one: &Datagram| {
            (one.ends, one.payload) == (this.ends, this.payload) && this.time.since(one.time).abs() <= AT_ONCE
        };
        self.counts.duplicates += u64::from(self.last.iter().flatten().any(is_same));
        if let Some(place) = self.last.get_mut(self.counts.compared as usize % RECENT) {
            *place = Some(this);
        }
        self.counts.compared += 1;
    }

    /// Returns the counts if at least two fifths are duplicates. Where each datagram is recorded twice, they are a half,
    /// less those that one of the two records lacks. Senders that repeat, and networks that duplicate, stay below.
    pub(super) fn notable(&self) -> Option<DuplicateDatagrams> {
        let DuplicateDatagrams { compared, duplicates } = self.counts;
        Some(self.counts).filter(|_| compared >= LEAST && duplicates * 5 >= compared * 2)
    }
}
