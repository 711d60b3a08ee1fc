//! Out-of-order bytes of a direction, held until the gap before them is filled.

use super::stream::Origin;
use std::collections::VecDeque;

/// A range of bytes of one segment that are not in order yet.
#[derive(Debug)]
pub(super) struct HeldRange {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Stream offset after the last byte.
    pub end: u64,
    /// Empty in a direction that is only [followed](super::tcp::Direction::follower).
    pub bytes: Vec<u8>,
    /// The frame in which they arrived.
    pub origin: Origin,
    /// Whether the first byte is the first of its segment.
    pub begins: bool,
    /// The segment's end as stream offset, if these are its last captured bytes; more than `end` if
    /// the snap length cut it.
    pub wire_end: u64,
}

impl HeldRange {
    /// The number of bytes, stored or not.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The same range without its bytes.
    fn outline(&self) -> HeldRange {
        let HeldRange { start, end, origin, begins, wire_end, .. } = *self;
        HeldRange { start, end, bytes: Vec::new(), origin, begins, wire_end }
    }
}

/// A segment, or its new part, with its stream offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub start: u64,
    pub bytes: &'a [u8],
    /// The offset of the segment, which is before `start` if its first bytes are not new.
    pub first: i64,
    pub wire_end: u64,
}

impl Placed<'_> {
    /// Whether the first byte is the first of its segment.
    pub fn begins(&self) -> bool {
        self.first == self.start as i64
    }
}

/// Ranges of bytes sorted by offset, neither overlapping nor empty. Gaps are rare: without one, this is just a null
/// pointer.
#[derive(Debug, Default)]
pub(super) struct Held(Option<Box<HeldRanges>>);

#[derive(Debug, Default)]
struct HeldRanges {
    list: VecDeque<HeldRange>,
    bytes: usize,
}

impl Held {
    /// The range with the lowest offset.
    pub fn front(&self) -> Option<&HeldRange> {
        self.0.as_ref()?.list.front()
    }

    /// The offset after the last byte; 0 without any.
    pub fn end(&self) -> u64 {
        self.0.as_ref().and_then(|ranges| ranges.list.back()).map_or(0, |range| range.end)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of ranges.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |ranges| ranges.list.len())
    }

    /// The number of bytes in all ranges.
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |ranges| ranges.bytes)
    }

    /// The memory allocated for them.
    pub fn allocated(&self) -> usize {
        let Some(ranges) = &self.0 else { return 0 };
        ranges.bytes + size_of::<HeldRanges>() + ranges.list.capacity() * size_of::<HeldRange>()
    }

    /// Removes and returns the first range, if it begins at `offset`.
    pub fn pop_at(&mut self, offset: u64) -> Option<HeldRange> {
        let ranges = self.0.as_mut()?;
        if ranges.list.front()?.start != offset {
            return None;
        }
        let range = ranges.list.pop_front()?;
        ranges.bytes -= range.len();
        if ranges.list.is_empty() {
            self.0 = None;
        }
        Some(range)
    }

    /// The same ranges without their bytes.
    pub fn outline(&self) -> Held {
        let ranges = self.0.as_ref();
        Held(
            ranges.map(|p| {
                Box::new(HeldRanges { list: p.list.iter().map(HeldRange::outline).collect(), bytes: p.bytes })
            }),
        )
    }

    /// Stores the parts of a segment that are not held yet: the bytes that arrived first count. Without the bytes if
    /// `follower` is set. Returns the number of bytes stored before others, and of those that were held already.
    pub fn insert(&mut self, segment: Placed<'_>, origin: Origin, follower: bool) -> [u64; 2] {
        if segment.bytes.is_empty() {
            return [0; 2];
        }
        let HeldRanges { list, bytes: held } = &mut **self.0.get_or_insert_default();
        let end = segment.start + segment.bytes.len() as u64;
        let mut from = segment.start;
        let mut at = list.partition_point(|range| range.end <= from);
        let last = list.back().map_or(0, |range| range.end);
        let [mut filled, mut new] = [0; 2];
        while from < end {
            let next = list.get(at).map(|range| (range.start, range.end));
            let (to, after) = next.map_or((end, end), |(start, after)| (start.min(end), after));
            if from < to {
                let range = (from - segment.start) as usize..(to - segment.start) as usize;
                let bytes = if follower { &[] } else { segment.bytes.get(range).unwrap_or_default() };
                *held += (to - from) as usize;
                filled += if from < last { to - from } else { 0 };
                new += to - from;
                let range = HeldRange {
                    start: from,
                    end: to,
                    bytes: bytes.to_vec(),
                    origin,
                    begins: segment.begins() && from == segment.start,
                    wire_end: if to == end { segment.wire_end } else { to },
                };
                list.insert(at, range);
                at += 1;
            }
            from = to.max(after);
            at += 1;
        }
        [filled, end - segment.start - new]
    }

    /// Drops all bytes from `offset` on.
    pub fn truncate(&mut self, offset: u64) {
        let Some(ranges) = &mut self.0 else { return };
        while let Some(range) = ranges.list.back_mut()
            && range.end > offset
        {
            range.wire_end = range.wire_end.min(offset);
            let keep = offset.saturating_sub(range.start) as usize;
            ranges.bytes -= range.len() - keep;
            range.bytes.truncate(keep);
            range.end = range.start + keep as u64;
            if keep > 0 {
                break;
            }
            ranges.list.pop_back();
        }
        if ranges.list.is_empty() {
            self.0 = None;
        }
    }
}
