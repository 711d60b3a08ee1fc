//! Datagrams that a capture has twice: recorded on several interfaces, or sent again at once. Every count includes them.

use crate::capture::{Body, Packet, Time};
use crate::dissect::Copies;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::net::SocketAddr;

/// The number of packets of which datagrams are compared: what records each packet twice does so from the beginning.
pub(super) const COMPARED: u64 = 4096;
/// The number of earlier datagrams with which one is compared.
const RECENT: usize = 8;
/// The longest time between two copies, in nanoseconds.
const AT_ONCE: i128 = 1_000_000;
/// The number of datagrams below which nothing is reported.
const LEAST: u64 = 20;

/// The last datagrams, and the number of those that are equal to one shortly before.
#[derive(Debug, Default)]
pub(super) struct Recent {
    last: [Option<Datagram>; RECENT],
    seen: Copies,
}

/// A datagram: its ends, a hash of its payload, and its time.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    ends: [SocketAddr; 2],
    payload: u64,
    time: Time,
}

impl Recent {
    /// Compares a packet, if it is a datagram.
    #[inline(never)]
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        let Body::Udp { payload, .. } = packet.body else { return };
        if payload.is_empty() {
            return;
        }
        let mut hasher = FxHasher::default();
        hasher.write(payload);
        let this = Datagram { ends: [packet.src, packet.dst], payload: hasher.finish(), time: packet.time };
        let is_copy = |one: &Datagram| {
            (one.ends, one.payload) == (this.ends, this.payload) && this.time.since(one.time).abs() <= AT_ONCE
        };
        self.seen.equal += u64::from(self.last.iter().flatten().any(is_copy));
        if let Some(place) = self.last.get_mut(self.seen.datagrams as usize % RECENT) {
            *place = Some(this);
        }
        self.seen.datagrams += 1;
    }

    /// Returns the counts if two fifths of the datagrams are copies: half of them, less what was lost on one of the ways.
    /// Senders that repeat, and networks that duplicate, stay below.
    pub(super) fn copies(&self) -> Option<Copies> {
        let Copies { datagrams, equal } = self.seen;
        Some(self.seen).filter(|_| datagrams >= LEAST && equal * 5 >= datagrams * 2)
    }
}
