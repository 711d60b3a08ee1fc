//! A datagram that is being reassembled from its fragments.

use super::ip::{Fragment, Inner};
use etherparse::IpNumber;

/// The bytes of a datagram received so far.
#[derive(Default)]
pub(super) struct Parts {
    pub data: Vec<u8>,
    /// The filled ranges of `data`, in order and not adjacent.
    filled: Vec<(usize, usize)>,
    /// The datagram's length, known from the last fragment on.
    total: Option<usize>,
    /// Valid from the first fragment on.
    pub protocol: IpNumber,
    /// The frames that contributed bytes, in order of arrival.
    pub frames: Vec<u64>,
}

/// The effect of a fragment on its datagram.
pub(super) enum Taken {
    New,
    Known,
    /// The fragment contradicts earlier ones.
    Refused,
}

impl Parts {
    /// Clears everything but keeps the buffers.
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.filled.clear();
        self.frames.clear();
        self.total = None;
    }

    /// Copies the bytes of a fragment that are still missing.
    pub(super) fn take(&mut self, fragment: Fragment, inner: Inner<'_>, frame: u64) -> Taken {
        let (start, end) = (fragment.offset, fragment.offset + inner.data.len());
        let ended = !fragment.more && self.total.is_none();
        let beyond = self.total.is_some_and(|total| end > total);
        if beyond || ended && end < self.data.len() {
            return Taken::Refused;
        }
        if ended {
            self.total = Some(end);
        }
        if start == 0 && self.filled.first().is_none_or(|first| first.0 > 0) {
            self.protocol = inner.protocol;
        }
        if self.data.len() < end {
            self.data.resize(end, 0);
        }
        // The ranges from `first` to `last` touch the fragment's; the holes are between them.
        let first = self.filled.partition_point(|range| range.1 < start);
        let last = self.filled.partition_point(|range| range.0 <= end);
        let mut at = start;
        let mut new = ended;
        for &(from, to) in &self.filled[first..last] {
            new |= fill(&mut self.data, at, from.min(end), start, inner.data);
            at = at.max(to);
        }
        new |= fill(&mut self.data, at, end, start, inner.data);
        if !new {
            return Taken::Known;
        }
        let mut union = (start, end);
        for &(from, to) in &self.filled[first..last] {
            union = (union.0.min(from), union.1.max(to));
        }
        self.filled.splice(first..last, [union]);
        self.frames.push(frame);
        Taken::New
    }

    /// Whether the datagram is complete.
    pub(super) fn whole(&self) -> bool {
        self.total.is_some_and(|total| self.filled == [(0, total)])
    }
}

/// Copies the part `from..to` of `data` from `bytes`, which begin at `start`; false if that part is empty.
fn fill(data: &mut [u8], from: usize, to: usize, start: usize, bytes: &[u8]) -> bool {
    if from >= to {
        return false;
    }
    data[from..to].copy_from_slice(&bytes[from - start..to - start]);
    true
}
