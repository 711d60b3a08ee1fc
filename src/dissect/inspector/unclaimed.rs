//! Conversations that no dissector claimed, or whose claim was withdrawn: for `-v`, and the end of
//! a run.

use super::classification::{Classification, Pending};
use crate::flow::{Conversation, Side, Transport};
use rustc_hash::{FxHashMap, FxHashSet};
use std::net::SocketAddr;

/// How many unclaimed conversations are remembered: those with the most bytes.
const REMEMBERED: usize = 256;
/// How many open ones have their first bytes remembered.
const OPEN: usize = 4096;
/// How many first bytes of each side.
const FIRST: usize = 16;
/// How many withdrawn claims are remembered.
const GIVEN_UP: usize = 256;

/// How many conversations are weighed that the user has named.
pub(super) const WEIGHED: usize = 4096;

/// The first bytes of each side, as far as remembered.
type First = [Vec<u8>; 2];

/// A conversation that no dissector claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedFlow {
    /// Its number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends; the sender of the first packet first.
    pub ends: [SocketAddr; 2],
    /// Its packets in both directions.
    pub packets: u64,
    /// Their payload.
    pub bytes: u64,
    /// The first bytes of each side; empty if too many conversations were open.
    pub first: [Vec<u8>; 2],
}

/// A conversation whose claim was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// Its number.
    pub flow: u64,
    /// The protocol that it was read as.
    pub name: &'static str,
    /// How many messages were emitted.
    pub messages: u64,
    /// How many of the datagrams, or of a stream's segments, could not be read.
    pub broken: u64,
    /// The first and the last frame of these messages.
    pub frames: [u64; 2],
    /// Both ends.
    pub ends: [SocketAddr; 2],
}

/// A conversation that does not look like what the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Its number.
    pub flow: u64,
    /// Both ends.
    pub ends: [SocketAddr; 2],
    /// The protocol that the user named.
    pub name: &'static str,
    /// The bits of evidence for that.
    pub bits: u32,
    /// What it looks like instead.
    pub instead: Option<&'static str>,
}

/// The counters and lists of such conversations.
#[derive(Clone, Debug, Default)]
pub struct Unclaimed {
    open: FxHashMap<u64, First>,
    /// Those that have ended, at most twice [`REMEMBERED`].
    ended: Vec<UnclaimedFlow>,
    /// How many there were.
    pub count: u64,
    /// Withdrawn claims, those with the earliest last messages, at most twice [`GIVEN_UP`].
    given_up: Vec<Withdrawn>,
    /// How many there were.
    pub given_up_count: u64,
    /// Conversations that do not look like what the user named.
    unlike: Vec<Unlike>,
    /// Ends of those that do: others with the same end are pieces of what this is.
    alike: FxHashSet<SocketAddr>,
    /// The first recognised server that others spoke to in another way, and its protocol.
    pub server: Option<(SocketAddr, &'static str)>,
    /// Datagrams of conversations that were claimed only after those had been dropped.
    pub unread: u64,
}

impl Unclaimed {
    /// A conversation is of no known protocol: stores its first bytes.
    pub(super) fn begin(&mut self, c: &Conversation<Classification>, pending: &Pending) {
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

    /// The same where these are known.
    pub(super) fn begin_with(&mut self, flow: u64, first: [Vec<u8>; 2]) {
        if self.open.len() < OPEN {
            self.open.insert(flow, first);
        }
    }

    /// Takes its first bytes.
    pub(super) fn forget(&mut self, flow: u64) -> [Vec<u8>; 2] {
        self.open.remove(&flow).unwrap_or_default()
    }

    /// It was closed.
    pub(super) fn end(&mut self, c: &Conversation<Classification>) {
        self.count += 1;
        let first = self.open.remove(&c.id).unwrap_or_default();
        let (packets, bytes) = (c.packets.iter().sum(), c.bytes.iter().sum());
        self.ended.push(UnclaimedFlow { flow: c.id, transport: c.transport, ends: c.ends, packets, bytes, first });
        if self.ended.len() >= 2 * REMEMBERED {
            self.sort();
        }
    }

    /// A conversation does not look like what the user named.
    pub(super) fn unlike(&mut self, unlike: Unlike) {
        if self.unlike.len() < WEIGHED {
            self.unlike.push(unlike);
        }
    }

    /// A conversation does look like it.
    pub(super) fn alike(&mut self, ends: [SocketAddr; 2]) {
        if self.alike.len() < 2 * WEIGHED {
            self.alike.extend(ends);
        }
    }

    /// The conversations that do not look like what the user named, nor have an end in common with one that does.
    pub fn unlike_ones(&mut self) -> &[Unlike] {
        let alike = &self.alike;
        self.unlike.retain(|unlike| unlike.ends.iter().all(|end| !alike.contains(end)));
        self.unlike.sort_by_key(|unlike| unlike.flow);
        &self.unlike
    }

    /// It spoke to a server of this protocol.
    pub(super) fn at_server(&mut self, server: SocketAddr, proto: &'static str) {
        self.server.get_or_insert((server, proto));
    }

    /// The claim of a conversation was withdrawn.
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
        self.unread += other.unread;
        self.server = self.server.or(other.server);
        self.unlike.extend_from_slice(&other.unlike);
        self.alike.extend(&other.alike);
        self.ended.extend_from_slice(&other.ended);
        self.sort();
        self.given_up_count += other.given_up_count;
        self.given_up.extend_from_slice(&other.given_up);
        self.sort_withdrawn();
    }

    /// The withdrawn claims by the frame of their last message: the same order, and the same ones, by
    /// however many inspectors they were found.
    pub fn withdrawn(&mut self) -> &[Withdrawn] {
        self.sort_withdrawn();
        &self.given_up
    }

    fn sort_withdrawn(&mut self) {
        self.given_up.sort_by_key(|given_up| (given_up.frames[1], given_up.flow));
        self.given_up.truncate(GIVEN_UP);
    }

    /// The conversations with the most bytes; of equals the older one first.
    pub fn largest(&mut self) -> &[UnclaimedFlow] {
        self.sort();
        &self.ended
    }

    fn sort(&mut self) {
        self.ended.sort_by_key(|flow| (std::cmp::Reverse(flow.bytes), flow.flow));
        self.ended.truncate(REMEMBERED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However withdrawn claims are distributed among inspectors, the same ones are listed in the same
    /// order, also where there are more than are remembered.
    #[test]
    fn withdrawn_claims_have_one_order() {
        let ends = ["10.0.0.1:1", "10.0.0.2:2"].map(|end| end.parse().unwrap());
        let count = 3 * GIVEN_UP as u64;
        // Those that are given up late may have ended early.
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

    /// Many are counted, and few of them remembered: those that were withdrawn, and those that nobody
    /// claimed.
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
