//! Reassembly of IP fragments.
//!
//! Fragments may arrive in any order, twice, and overlapping: the bytes that arrived first count.
//! Memory is capped in number, bytes and time, so that incomplete datagrams cannot accumulate.

use super::held::Held;
use super::ip::{Fragment, Inner};
use super::parts::{Parts, Taken};
use super::tunnels::Tunnels;
use super::{Frame, Other, Time};
use etherparse::IpNumber;
use std::collections::VecDeque;
use std::net::IpAddr;

/// The caps on memory for fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentCaps {
    /// The number of incomplete datagrams; when another begins, the oldest is dropped. At least 1.
    pub datagrams: usize,
    /// The bytes of incomplete datagrams, including holes. Above it the oldest datagrams are dropped, except for the
    /// last one.
    pub bytes: usize,
}

impl Default for FragmentCaps {
    fn default() -> Self {
        FragmentCaps { datagrams: 256, bytes: 4 << 20 }
    }
}

/// The longest datagram, in bytes.
const LONGEST: usize = 65_535;
/// The time in which a datagram must become complete, in nanoseconds of capture time, as in Linux.
const TIMEOUT: i128 = 30_000_000_000;

/// Counters of fragments and their datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All fragments seen.
    pub fragments: u64,
    /// Datagrams reassembled.
    pub joined: u64,
    /// Fragments without any new byte.
    pub duplicates: u64,
    /// Fragments that cannot belong to any datagram, or contradict others of their datagram.
    pub malformed: u64,
    /// Fragments cut by the snap length.
    pub cut: u64,
    /// Incomplete datagrams dropped after 30 s.
    pub expired: u64,
    /// Incomplete datagrams dropped because a cap was reached.
    pub evicted: u64,
    /// The part of `evicted` that was dropped for the cap on bytes, not for that on datagrams.
    pub evicted_by_bytes: u64,
    /// Fragments whose bytes are in a reassembled datagram.
    pub used: u64,
}

impl Statistics {
    /// The fragments of datagrams that the capture does not have whole, without those cut by the snap length.
    pub(crate) fn incomplete(&self) -> u64 {
        self.fragments.saturating_sub(self.cut + self.duplicates + self.used)
    }
}

/// The identity of a datagram that its fragments share.
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
    /// The time of its first fragment.
    begun: Time,
    parts: Parts,
}

/// A datagram that has just become complete.
pub(super) struct Joined<'a> {
    pub inner: Inner<'a>,
    pub frames: &'a [u64],
    pub tunnels: &'a mut Tunnels,
}

/// The state that frames leave for later ones: the incomplete datagrams and the last reassembled one.
#[derive(Default)]
pub struct Fragments {
    caps: FragmentCaps,
    /// In the order of their first fragments.
    waiting: VecDeque<Datagram>,
    /// The data bytes in `waiting`.
    bytes: usize,
    joined: Parts,
    statistics: Statistics,
    pub(super) tunnels: Tunnels,
    /// A frame with further packets, and the position of the next one in it.
    pub(super) held: Held,
    pub(super) next: Option<usize>,
}

impl Fragments {
    /// An empty state with these caps.
    pub fn new(caps: FragmentCaps) -> Fragments {
        Fragments { caps, ..Fragments::default() }
    }

    /// The counters so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The number of incomplete datagrams.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The number of fragments in incomplete datagrams.
    pub(crate) fn held(&self) -> u64 {
        self.waiting.iter().map(|datagram| datagram.parts.frames.len() as u64).sum()
    }

    /// Counts a fragment cut by the snap length: its datagram can never be complete.
    pub(super) fn cut(&mut self) -> Other {
        self.statistics.fragments += 1;
        self.statistics.cut += 1;
        Other::CutFragment
    }

    /// Adds a fragment; returns its datagram if that is complete now.
    #[cold]
    pub(super) fn add(
        &mut self,
        key: Key,
        frame: &Frame<'_>,
        fragment: Fragment,
        inner: Inner<'_>,
    ) -> Option<Joined<'_>> {
        self.statistics.fragments += 1;
        self.expire(frame.time);
        let end = fragment.offset + inner.data.len();
        // All fragments but the last have a multiple of eight bytes; IPv4's offsets are in units of eight.
        if end > LONGEST || fragment.more && (inner.data.is_empty() || !inner.data.len().is_multiple_of(8)) {
            self.statistics.malformed += 1;
            return None;
        }
        let known = self.waiting.iter().position(|datagram| datagram.key == key);
        let at = known.unwrap_or_else(|| self.begin(key, frame.time));
        let parts = &mut self.waiting[at].parts;
        let before = parts.data.len();
        match parts.take(fragment, inner, frame.number) {
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
        self.statistics.used += self.joined.frames.len() as u64;
        let Parts { data, protocol, frames, .. } = &self.joined;
        let inner = Inner { protocol: *protocol, data, length: data.len() };
        Some(Joined { inner, frames, tunnels: &mut self.tunnels })
    }

    /// Begins a datagram, reusing the buffers of the last one that was reassembled.
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
        while self.waiting.front().is_some_and(|oldest| now.since(oldest.begun).abs() > TIMEOUT) {
            self.give_up();
            self.statistics.expired += 1;
        }
    }

    /// Drops the oldest datagrams until the bytes are within the cap.
    fn shrink(&mut self) {
        while self.bytes > self.caps.bytes && self.waiting.len() > 1 {
            self.give_up();
            self.statistics.evicted += 1;
            self.statistics.evicted_by_bytes += 1;
        }
    }

    fn give_up(&mut self) {
        if let Some(oldest) = self.waiting.pop_front() {
            self.bytes -= oldest.parts.data.len();
        }
    }
}
