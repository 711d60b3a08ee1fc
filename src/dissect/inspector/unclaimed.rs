//! What was claimed by nobody, or given up: for `-v`, and the end of a run.

use super::classification::{Classification, Pending};
use crate::flow::{Conversation, Side, Transport};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

/// So many conversations that nobody claimed are remembered, those with the most bytes.
const REMEMBERED: usize = 256;
/// Of so many that have not ended yet, the first bytes are.
const OPEN: usize = 4096;
/// So many first bytes of each side.
const FIRST: usize = 16;
/// So many conversations that were given up are remembered.
const GIVEN_UP: usize = 256;

/// What each side said first, as far as it is kept.
type First = [Vec<u8>; 2];

/// A conversation that nobody claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedFlow {
    /// Its number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends; the first one spoke first.
    pub ends: [SocketAddr; 2],
    /// Its packets, both ways.
    pub packets: u64,
    /// Their payload.
    pub bytes: u64,
    /// What each side said first: a few bytes, none where too many conversations were open.
    pub first: [Vec<u8>; 2],
}

/// A conversation that was claimed, and did not behave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// Its number.
    pub flow: u64,
    /// What it was read as.
    pub name: &'static str,
    /// How many messages were handed on.
    pub messages: u64,
    /// How many of the datagrams, or of a stream's segments, could not be read.
    pub broken: u64,
    /// The first and the last frame of these messages.
    pub frames: [u64; 2],
    /// Its ends.
    pub ends: [SocketAddr; 2],
}

/// What was counted and remembered of such conversations.
#[derive(Clone, Debug, Default)]
pub struct Unclaimed {
    open: FxHashMap<u64, First>,
    /// Those that have ended, at most twice [`REMEMBERED`].
    ended: Vec<UnclaimedFlow>,
    /// How many there were.
    pub count: u64,
    /// Conversations that were given up, in the order in which they were.
    pub given_up: Vec<Withdrawn>,
    /// How many were.
    pub given_up_count: u64,
    /// Datagrams of conversations that were claimed later, after their messages were let go.
    pub unread: u64,
}

impl Unclaimed {
    /// A conversation is none of ours: keeps what it said first.
    pub(super) fn begin(&mut self, c: &Conversation<Classification>, pending: &Pending) {
        if self.open.len() >= OPEN {
            return;
        }
        let observation = pending.observation(c.transport);
        let first = Side::BOTH.map(|side| {
            let said = observation.iter().find(|(who, bytes, _)| *who == side && !bytes.is_empty());
            said.map_or_else(Vec::new, |(_, bytes, _)| bytes[..bytes.len().min(FIRST)].to_vec())
        });
        self.open.insert(c.id, first);
    }

    /// It has ended.
    pub(super) fn end(&mut self, c: &Conversation<Classification>) {
        self.count += 1;
        let first = self.open.remove(&c.id).unwrap_or_default();
        let (packets, bytes) = (c.packets.iter().sum(), c.bytes.iter().sum());
        self.ended.push(UnclaimedFlow { flow: c.id, transport: c.transport, ends: c.ends, packets, bytes, first });
        if self.ended.len() >= 2 * REMEMBERED {
            self.sort();
        }
    }

    /// A conversation was claimed, and is given back.
    pub(super) fn give_up(&mut self, given_up: Withdrawn) {
        self.given_up_count += 1;
        if self.given_up.len() < GIVEN_UP {
            self.given_up.push(given_up);
        }
    }

    /// Adds what another inspector has found in its conversations of the same capture.
    pub fn add(&mut self, other: &Unclaimed) {
        self.count += other.count;
        self.unread += other.unread;
        self.ended.extend_from_slice(&other.ended);
        self.sort();
        self.given_up_count += other.given_up_count;
        self.given_up.extend_from_slice(&other.given_up);
        self.given_up.sort_by_key(|given_up| (given_up.frames[1], given_up.flow));
        self.given_up.truncate(GIVEN_UP);
    }

    /// The conversations with the most bytes, the older one first where two have as many.
    pub fn largest(&mut self) -> &[UnclaimedFlow] {
        self.sort();
        &self.ended
    }

    fn sort(&mut self) {
        self.ended.sort_by_key(|flow| (std::cmp::Reverse(flow.bytes), flow.flow));
        self.ended.truncate(REMEMBERED);
    }
}
