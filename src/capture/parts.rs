//! One datagram as its fragments fill it.

use super::ip::{Inner, Piece};
use etherparse::IpNumber;

/// The bytes of a datagram that are there.
#[derive(Default)]
pub(super) struct Parts {
    pub data: Vec<u8>,
    /// The ranges of `data` that are filled, in order, never touching.
    filled: Vec<(usize, usize)>,
    /// Known with the last fragment.
    total: Option<usize>,
    /// Known with the first.
    pub protocol: IpNumber,
    /// The frames that brought something, in order of arrival.
    pub frames: Vec<u64>,
}

/// What a fragment brought.
pub(super) enum Taken {
    New,
    Known,
    /// It contradicts those that came before.
    Refused,
}

impl Parts {
    /// Forgets everything but the buffers.
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.filled.clear();
        self.frames.clear();
        self.total = None;
    }

    /// Fills what is still missing of a fragment's range.
    pub(super) fn take(&mut self, piece: Piece, inner: Inner<'_>, frame: u64) -> Taken {
        let (start, end) = (piece.offset, piece.offset + inner.data.len());
        let ended = !piece.more && self.total.is_none();
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
        // The ranges from `first` to `last` touch the fragment's; between them are the holes.
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

    /// Nothing is missing.
    pub(super) fn whole(&self) -> bool {
        self.total.is_some_and(|total| self.filled == [(0, total)])
    }
}

/// Copies what `bytes`, whose first stands at `start`, has for `from..to` of `data`; false where
/// that is empty.
fn fill(data: &mut [u8], from: usize, to: usize, start: usize, bytes: &[u8]) -> bool {
    if from >= to {
        return false;
    }
    data[from..to].copy_from_slice(&bytes[from - start..to - start]);
    true
}
