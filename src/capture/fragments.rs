//! IP fragments, joined.
//!
//! Fragments may come in any order, twice, and overlapping: the bytes that came first count. What
//! is kept is capped in number, bytes and time, so that half datagrams cannot pile up.

use super::held::Held;
use super::ip::{Inner, Piece};
use super::parts::{Parts, Taken};
use super::tunnels::Tunnels;
use super::{Frame, Other, Time};
use etherparse::IpNumber;
use std::collections::VecDeque;
use std::net::IpAddr;

/// What bounds the memory for fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentCaps {
    /// Incomplete datagrams kept; the oldest goes when another begins. At least 1 is kept.
    pub datagrams: usize,
    /// Bytes of incomplete datagrams kept, holes included; the oldest goes, but for the last one.
    pub bytes: usize,
}

impl Default for FragmentCaps {
    fn default() -> Self {
        FragmentCaps { datagrams: 256, bytes: 4 << 20 }
    }
}

/// How many bytes a datagram has at most.
const LONGEST: usize = 65_535;
/// How long a datagram may take, in nanoseconds of capture time: what Linux allows.
const TIMEOUT: i128 = 30_000_000_000;

/// What became of fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Fragments that were seen, of every fate.
    pub fragments: u64,
    /// Datagrams that were joined.
    pub joined: u64,
    /// Fragments that brought no byte which was not there already.
    pub duplicates: u64,
    /// Fragments that cannot belong to any datagram, or contradict their own.
    pub malformed: u64,
    /// Fragments that the snap length cut.
    pub cut: u64,
    /// Incomplete datagrams that were given up after 30 s.
    pub expired: u64,
    /// Incomplete datagrams that were given up for others, the caps being reached.
    pub evicted: u64,
}

/// What the fragments of one datagram have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    id: u32,
    /// 0 for IPv6, where only the first fragment's protocol counts.
    protocol: u8,
    src: IpAddr,
    dst: IpAddr,
}

impl Key {
    pub(super) fn new(src: IpAddr, dst: IpAddr, id: u32, protocol: IpNumber) -> Key {
        let protocol = if src.is_ipv4() { protocol.0 } else { 0 };
        Key { id, protocol, src, dst }
    }
}

struct Datagram {
    key: Key,
    /// When its first fragment came.
    begun: Time,
    parts: Parts,
}

/// A datagram that just became whole.
pub(super) struct Joined<'a> {
    pub inner: Inner<'a>,
    pub frames: &'a [u64],
    pub tunnels: &'a mut Tunnels,
}

/// The datagrams that wait for fragments, and the last one that was joined: what frames leave behind
/// for those that follow.
#[derive(Default)]
pub struct Fragments {
    caps: FragmentCaps,
    /// In order of their first fragments.
    waiting: VecDeque<Datagram>,
    /// What `waiting` holds of data.
    bytes: usize,
    joined: Parts,
    statistics: Statistics,
    pub(super) tunnels: Tunnels,
    /// A frame that has more packets, and where in it the next one begins.
    pub(super) held: Held,
    pub(super) next: Option<usize>,
}

impl Fragments {
    /// No fragments yet, and never more than this.
    pub fn new(caps: FragmentCaps) -> Fragments {
        Fragments { caps, ..Fragments::default() }
    }

    /// What became of fragments so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How many incomplete datagrams wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Counts a fragment that the snap length cut: its datagram can never be whole.
    pub(super) fn cut(&mut self) -> Other {
        self.statistics.fragments += 1;
        self.statistics.cut += 1;
        Other::CutFragment
    }

    /// Takes a fragment, and gives its datagram if that is whole now.
    #[cold]
    pub(super) fn add(&mut self, key: Key, frame: &Frame<'_>, piece: Piece, inner: Inner<'_>) -> Option<Joined<'_>> {
        self.statistics.fragments += 1;
        self.expire(frame.time);
        let end = piece.offset + inner.data.len();
        // All but the last are cut at multiples of eight; IPv4's offsets leave no other choice.
        if end > LONGEST || piece.more && (inner.data.is_empty() || !inner.data.len().is_multiple_of(8)) {
            self.statistics.malformed += 1;
            return None;
        }
        let known = self.waiting.iter().position(|datagram| datagram.key == key);
        let at = known.unwrap_or_else(|| self.begin(key, frame.time));
        let parts = &mut self.waiting[at].parts;
        let before = parts.data.len();
        match parts.take(piece, inner, frame.number) {
            Taken::New => {}
            Taken::Known => self.statistics.duplicates += 1,
            Taken::Refused => self.statistics.malformed += 1,
        }
        let (after, whole) = (parts.data.len(), parts.whole());
        self.bytes += after - before;
        if !whole {
            self.shrink();
            return None;
        }
        let datagram = self.waiting.remove(at)?;
        self.bytes -= after;
        self.statistics.joined += 1;
        self.joined = datagram.parts;
        let Parts { data, protocol, frames, .. } = &self.joined;
        let inner = Inner { protocol: *protocol, data, length: data.len() };
        Some(Joined { inner, frames, tunnels: &mut self.tunnels })
    }

    /// Starts a datagram, in the buffers of the last one that was joined.
    fn begin(&mut self, key: Key, begun: Time) -> usize {
        while self.waiting.len() >= self.caps.datagrams.max(1) {
            self.give_up();
            self.statistics.evicted += 1;
        }
        let mut parts = std::mem::take(&mut self.joined);
        parts.clear();
        self.waiting.push_back(Datagram { key, begun, parts });
        self.waiting.len() - 1
    }

    fn expire(&mut self, now: Time) {
        while self.waiting.front().is_some_and(|oldest| now.since(oldest.begun) > TIMEOUT) {
            self.give_up();
            self.statistics.expired += 1;
        }
    }

    /// Gives up the oldest until the bytes are within the cap.
    fn shrink(&mut self) {
        while self.bytes > self.caps.bytes && self.waiting.len() > 1 {
            self.give_up();
            self.statistics.evicted += 1;
        }
    }

    fn give_up(&mut self) {
        if let Some(oldest) = self.waiting.pop_front() {
            self.bytes -= oldest.parts.data.len();
        }
    }
}
