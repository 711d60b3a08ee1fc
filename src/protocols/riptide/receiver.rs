//! The library's own duplicate filter of each receiver, run over the capture (README.md, "Reliable layer").
//!
//! The filters fail after a jump of the sequence ids: up to 2.0 (1.x has the same filter) a message may reach the
//! application twice, in 2.1 and 2.2 never. Nothing on the wire shows this, but the filter and its input are known. The
//! result is best if the capture was made at the receiver.

use super::version::Version;

/// The receiver's state for one direction.
#[derive(Debug, Default)]
pub struct Receiver {
    /// Its newest sequence id; `None`: the connection's beginning is not in the capture, and no id was received yet.
    last: Option<u16>,
    filter: Filter,
}

#[derive(Debug)]
enum Filter {
    Windows(Windows),
    Bits(Bits),
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::Windows(Windows::default())
    }
}

impl Receiver {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        match &self.filter {
            Filter::Bits(bits) => bits.segments.capacity() * size_of::<u32>(),
            Filter::Windows(_) => 0,
        }
    }

    /// Begins a connection: no id was received. Without a beginning, the ids before the first one received are unknown.
    pub fn begin(&mut self) {
        self.last.get_or_insert(0);
    }

    /// The distance of an id from the newest one.
    pub fn jump(&self, id: u16) -> i32 {
        self.last.map_or(0, |last| gap(id, last))
    }

    /// Takes over the newest id that the receiver itself names, if it is newer than the one here: the capture lacks
    /// messages, or has them later. Returns whether it is; then nothing is known of the ids up to it.
    #[inline]
    pub fn names(&mut self, newest: u16) -> bool {
        let is_ahead = self.last.is_some_and(|last| newest != last && gap(newest, last) > 0);
        if is_ahead {
            (self.last, self.filter) = (Some(newest), Filter::default());
        }
        is_ahead
    }

    /// Receives a message with this id. Returns whether it reaches the application.
    pub fn take(&mut self, version: Version, id: u16) -> bool {
        let last = self.last.get_or_insert(id.wrapping_sub(1));
        let gap = gap(id, *last);
        // Until the version is settled, the other filter may have been used.
        if version.packed() != matches!(self.filter, Filter::Bits(_)) {
            self.filter = if version.packed() { Filter::Bits(Bits::default()) } else { Filter::default() };
        }
        match &mut self.filter {
            Filter::Windows(windows) => windows.take(gap, id, last),
            Filter::Bits(bits) => bits.take(gap, id, last),
        }
    }
}

/// The distance of `a` from `b`, as the library counts: at half of the range the sign is that of the plain difference.
fn gap(a: u16, b: u16) -> i32 {
    let plain = a as i32 - b as i32;
    let lifted = |n: u16| if n <= 32768 { n as i32 + 65536 } else { n as i32 };
    if plain.abs() <= 32768 { plain } else { lifted(a) - lifted(b) }
}

/// Up to 2.0: 16 bits that acks contain, and 64 bits after them against duplicates.
#[derive(Debug, Default)]
struct Windows {
    acks: u16,
    copies: u64,
}

impl Windows {
    fn take(&mut self, gap: i32, id: u16, last: &mut u16) -> bool {
        if gap > 0 {
            // C# shifts by the count modulo 64.
            self.copies = self.copies.wrapping_shl(gap as u32);
            match gap {
                ..=16 => {
                    let both = (self.acks as u32) << gap;
                    self.acks = both as u16;
                    self.copies |= (both >> 16) as u64;
                    *last = id;
                }
                // The bug: the newest id is not updated, so the windows are read for other ids than they were written
                // for.
                17..=80 => {
                    self.copies |= (self.acks as u64).wrapping_shl(gap as u32 - 16);
                    self.acks = 0;
                }
                _ => {}
            }
        }
        match gap.unsigned_abs() {
            0 => false,
            n @ 1..=16 => set(&mut self.acks, 1 << (n - 1)),
            n @ 17..=80 => set(&mut self.copies, 1 << (n - 17)),
            _ => true,
        }
    }
}

/// Sets a bit, and returns whether it was clear.
fn set<T: Copy + PartialEq + std::ops::BitAnd<Output = T> + std::ops::BitOr<Output = T>>(word: &mut T, bit: T) -> bool {
    let clear = *word & bit != bit;
    *word = *word | bit;
    clear
}

/// The bits of one segment.
const SEGMENT: u32 = 32;
/// Enough segments for the largest distance of two ids. The library's list has no limit.
const SEGMENTS: usize = 32768 / SEGMENT as usize + 1;

/// 2.1 and 2.2: one bit for each id that may be missing. Position n, from 1, is the id n below the newest.
#[derive(Debug)]
struct Bits {
    segments: Vec<u32>,
    /// The number of positions in use. Later positions count as received.
    count: u32,
}

impl Default for Bits {
    fn default() -> Bits {
        Bits { segments: vec![0], count: 0 }
    }
}

impl Bits {
    fn take(&mut self, gap: i32, id: u16, last: &mut u16) -> bool {
        if gap == 0 {
            return false;
        }
        if gap > 0 {
            self.shift(gap as u32);
            *last = id;
        }
        let position = gap.unsigned_abs();
        let new = !self.is_set(position);
        if let Some(segment) = self.segments.get_mut((position - 1) as usize / SEGMENT as usize) {
            *segment |= 1 << ((position - 1) % SEGMENT);
        }
        new
    }

    fn is_set(&self, position: u32) -> bool {
        let at = position.wrapping_sub(1);
        let segment = self.segments.get((at / SEGMENT) as usize);
        position > self.count || segment.is_none_or(|segment| segment >> (at % SEGMENT) & 1 == 1)
    }

    fn shift(&mut self, by: u32) {
        let (whole, rest) = ((by / SEGMENT) as usize, by % SEGMENT);
        let room = self.segments.len() as u32 * SEGMENT;
        if self.count + by >= room {
            while self.count > 0 && self.is_set(self.count) {
                self.count -= 1;
            }
            if self.count + by > room {
                let more = self.segments.len() + whole + 1;
                self.segments.resize(more.min(SEGMENTS), 0);
            }
        }
        self.count = (self.count + by).min(self.segments.len() as u32 * SEGMENT);
        // The bug: a shift by whole segments leaves a segment's bits in place, and moves on only those that the rest of
        // the shift pushes out of it.
        let (last, below) = (self.segments.len() - 1, self.segments.len().saturating_sub(1 + whole));
        self.segments[last] <<= rest;
        for k in (0..below).rev() {
            let shifted = (self.segments[k] as u64) << rest;
            self.segments[k] = shifted as u32;
            self.segments[k + 1 + whole] |= (shifted >> SEGMENT) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(version: Version, ids: impl IntoIterator<Item = u16>) -> Vec<bool> {
        let mut receiver = Receiver::default();
        receiver.begin();
        ids.into_iter().map(|id| receiver.take(version, id)).collect()
    }

    #[test]
    fn copies_are_dropped_and_late_ones_are_not() {
        for version in [Version::V10, Version::V12, Version::V20, Version::V21, Version::V22] {
            assert_eq!(
                run(version, [1, 1, 2, 4, 3, 3, 2, 16, 5]),
                [true, false, true, true, true, false, false, true, true]
            );
            assert_eq!(run(version, (1..=65535).chain([0, 1, 65535, 1])).iter().filter(|new| **new).count(), 65537);
        }
    }

    #[test]
    fn a_capture_may_begin_in_the_middle() {
        for version in [Version::V20, Version::V22] {
            let mut receiver = Receiver::default();
            assert_eq!([500, 500, 502, 501].map(|id| receiver.take(version, id)), [true, false, true, true]);
        }
    }

    #[test]
    fn a_2_0_receiver_takes_a_message_twice_after_a_jump() {
        // README.md, "Reliable layer": a jump of 17 to 80 leaves the newest id unchanged, and one of 81 or more records
        // nothing.
        assert_eq!(run(Version::V20, [1, 21, 21]), [true, true, true]);
        assert_eq!(run(Version::V20, [1, 90, 90]), [true, true, true]);
        assert_eq!(run(Version::V20, [1, 17, 17]), [true, true, false]);
    }

    #[test]
    fn a_2_2_receiver_drops_what_it_never_had_after_a_jump() {
        // Five ids are received, then 40 are lost. The bits of the five stay in the lowest segment, shifted by 40 - 32
        // = 8, and mark ids that were lost.
        let got = run(Version::V22, (1..=5).chain([45]).chain(6..=44));
        let lost: Vec<u16> = (6..=44).filter(|id| !got[*id as usize]).collect();
        assert_eq!(lost, [32, 33, 34, 35, 36]);
    }

    #[test]
    fn memory_has_a_limit() {
        let mut receiver = Receiver::default();
        for k in 0..1000u32 {
            receiver.take(Version::V22, (k * 30011) as u16);
        }
        assert!(receiver.memory() <= SEGMENTS.next_power_of_two() * 4);
    }
}
