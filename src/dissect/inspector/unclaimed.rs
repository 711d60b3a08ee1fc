//! Conversations that no dissector claimed, or whose claim was withdrawn: for `-v` and the end of a run.

use super::classification::{Classified, Pending};
use crate::flow::{Side, Transport};
use rustc_hash::{FxHashMap, FxHashSet};
use std::net::SocketAddr;

/// The number of unclaimed conversations that are stored: those with the most bytes.
const REMEMBERED: usize = 256;
/// The cap on open conversations whose first bytes are stored.
const OPEN: usize = 4096;
/// The number of first bytes stored for each side.
const FIRST: usize = 16;
/// The number of withdrawn claims that are stored.
const GIVEN_UP: usize = 256;

/// The number of conversations named by the user whose payloads are weighed.
pub(super) const WEIGHED: usize = 4096;

/// The stored first bytes of each side.
type First = [Vec<u8>; 2];

/// A conversation that no dissector claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedFlow {
    /// The conversation's number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints; the sender of the first packet comes first.
    pub ends: [SocketAddr; 2],
    /// The number of packets in both directions.
    pub packets: u64,
    /// Their payload on the wire.
    pub bytes: u64,
    /// The first bytes of each side; empty if too many conversations were open.
    pub first: [Vec<u8>; 2],
}

/// A conversation whose claim was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The conversation's number.
    pub flow: u64,
    /// The protocol as which it was read.
    pub name: &'static str,
    /// The number of emitted messages.
    pub messages: u64,
    /// The number of datagrams, or of a stream's segments, that could not be read.
    pub broken: u64,
    /// The first and the last frame of these messages.
    pub frames: [u64; 2],
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
}

/// A conversation that does not look like the protocol named by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The conversation's number.
    pub flow: u64,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
    /// The protocol that the user named.
    pub name: &'static str,
    /// The bits of evidence for that.
    pub bits: u32,
    /// The protocol that it looks like instead.
    pub instead: Option<&'static str>,
}

/// The counters and lists of unclaimed conversations.
#[derive(Clone, Debug, Default)]
pub struct Unclaimed {
    open: FxHashMap<u64, First>,
    /// Conversations that have ended, at most twice [`REMEMBERED`].
    ended: Vec<UnclaimedFlow>,
    /// The number of unclaimed conversations that have ended.
    pub count: u64,
    /// Withdrawn claims, those with the earliest last messages, at most twice [`GIVEN_UP`].
    given_up: Vec<Withdrawn>,
    /// The number of withdrawn claims.
    pub given_up_count: u64,
    /// Conversations that do not look like the protocol named by the user.
    unlike: Vec<Unlike>,
    /// Endpoints of conversations that do; other conversations with these endpoints belong to the same application.
    alike: FxHashSet<SocketAddr>,
    /// The first recognised server that also had unclaimed conversations, and its protocol.
    pub server: Option<(SocketAddr, &'static str)>,
}

impl Unclaimed {
    /// Stores the first bytes of a conversation without a known protocol.
    pub(super) fn begin(&mut self, c: &Classified, pending: &Pending) {
        if self.open.len() >= OPEN {
            return;
        }
        let observation = pending.observation(c.transport);
        let first = Side::BOTH.map(|side| {
            let bytes = observation.iter().find(|(who, bytes, _)| *who == side && !bytes.is_empty());
            bytes.map_or_else(Vec::new, |(_, bytes, _)| bytes[..bytes.len().min(FIRST)].to_vec())
        });
        self.open.insert(c.id, first);
    }

    /// Stores these first bytes of a conversation.
    pub(super) fn begin_with(&mut self, flow: u64, first: [Vec<u8>; 2]) {
        if self.open.len() < OPEN {
            self.open.insert(flow, first);
        }
    }

    /// Removes and returns a conversation's first bytes.
    pub(super) fn forget(&mut self, flow: u64) -> [Vec<u8>; 2] {
        self.open.remove(&flow).unwrap_or_default()
    }

    /// Records an unclaimed conversation that was closed.
    pub(super) fn end(&mut self, c: &Classified) {
        self.count += u64::from(!c.resumed);
        let first = self.open.remove(&c.id).unwrap_or_default();
        let (packets, bytes) = (c.packets.iter().sum(), c.bytes.iter().sum());
        self.ended.push(UnclaimedFlow { flow: c.id, transport: c.transport, ends: c.ends, packets, bytes, first });
        if self.ended.len() >= 2 * REMEMBERED {
            self.sort();
        }
    }

    /// Records a conversation that does not look like the protocol named by the user.
    pub(super) fn unlike(&mut self, unlike: Unlike) {
        if self.unlike.len() < WEIGHED {
            self.unlike.push(unlike);
        }
    }

    /// Records the endpoints of a conversation that looks like the protocol named by the user.
    pub(super) fn alike(&mut self, ends: [SocketAddr; 2]) {
        if self.alike.len() < 2 * WEIGHED {
            self.alike.extend(ends);
        }
    }

    /// The conversations that do not look like the protocol named by the user and share no endpoint with one that does.
    pub(crate) fn unlike_ones(&mut self) -> &[Unlike] {
        let alike = &self.alike;
        self.unlike.retain(|unlike| unlike.ends.iter().all(|end| !alike.contains(end)));
        self.unlike.sort_by_key(|unlike| unlike.flow);
        self.unlike.dedup_by_key(|unlike| unlike.flow);
        &self.unlike
    }

    /// Records a recognised server with an unclaimed conversation.
    pub(super) fn at_server(&mut self, server: SocketAddr, proto: &'static str) {
        self.server.get_or_insert((server, proto));
    }

    /// Records a withdrawn claim.
    pub(super) fn give_up(&mut self, given_up: Withdrawn) {
        self.given_up_count += 1;
        self.given_up.push(given_up);
        if self.given_up.len() >= 2 * GIVEN_UP {
            self.sort_withdrawn();
        }
    }

    /// Adds the counters and lists of another inspector of the same capture.
    pub fn add(&mut self, other: &Unclaimed) {
        self.count += other.count;
        self.server = self.server.or(other.server);
        self.unlike.extend_from_slice(&other.unlike);
        self.alike.extend(&other.alike);
        self.ended.extend_from_slice(&other.ended);
        self.sort();
        self.given_up_count += other.given_up_count;
        self.given_up.extend_from_slice(&other.given_up);
        self.sort_withdrawn();
    }

    /// The withdrawn claims by the frame of their last message: the same ones in the same order for any number of
    /// inspectors.
    pub fn withdrawn(&mut self) -> &[Withdrawn] {
        self.sort_withdrawn();
        &self.given_up
    }

    fn sort_withdrawn(&mut self) {
        self.given_up.sort_by_key(|given_up| (given_up.frames[1], given_up.flow));
        self.given_up.truncate(GIVEN_UP);
    }

    /// The conversations with the most bytes; the older one first if they are equal.
    pub fn largest(&mut self) -> &[UnclaimedFlow] {
        self.sort();
        &self.ended
    }

    fn sort(&mut self) {
        // The parts of a conversation that was evicted and returned are one.
        self.ended.sort_by_key(|part| part.flow);
        self.ended.dedup_by(|part, before| {
            let same = part.flow == before.flow;
            if same {
                before.packets += part.packets;
                before.bytes += part.bytes;
            }
            same
        });
        self.ended.sort_by_key(|flow| (std::cmp::Reverse(flow.bytes), flow.flow));
        self.ended.truncate(REMEMBERED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same withdrawn claims are listed in the same order, however they are distributed among inspectors, even if
    /// there are more than are stored.
    #[test]
    fn withdrawn_claims_have_one_order() {
        let ends = ["10.0.0.1:1", "10.0.0.2:2"].map(|end| end.parse().unwrap());
        let count = 3 * GIVEN_UP as u64;
        // Claims that are withdrawn late may have ended early.
        let claim =
            |flow: u64| Withdrawn { flow, name: "toy", messages: 1, broken: 1, frames: [1, flow * 7919 % count], ends };
        let mut one = Unclaimed::default();
        (0..count).for_each(|flow| one.give_up(claim(flow)));
        for inspectors in [2, 3, 5] {
            let mut several = vec![Unclaimed::default(); inspectors];
            (0..count).for_each(|flow| several[flow as usize % inspectors].give_up(claim(flow)));
            let mut all = several.remove(0);
            several.iter().for_each(|other| all.add(other));
            assert_eq!(all.given_up_count, count);
            assert_eq!(all.withdrawn(), one.withdrawn());
        }
        assert_eq!(one.withdrawn().len(), GIVEN_UP);
    }

    /// Many are counted, but few are stored: both of withdrawn and of unclaimed conversations.
    #[test]
    fn memory_is_bounded() {
        let ends = ["10.0.0.1:1", "10.0.0.2:2"].map(|end| end.parse().unwrap());
        let mut all = Unclaimed::default();
        for flow in 0..10 * GIVEN_UP as u64 {
            all.give_up(Withdrawn { flow, name: "toy", messages: 1, broken: 1, frames: [flow; 2], ends });
            assert!(all.given_up.len() < 2 * GIVEN_UP, "{}", all.given_up.len());
        }
        assert_eq!(all.given_up_count, 10 * GIVEN_UP as u64);
        assert_eq!(
            all.withdrawn().iter().map(|one| one.flow).collect::<Vec<_>>(),
            (0..GIVEN_UP as u64).collect::<Vec<_>>()
        );
    }
}
