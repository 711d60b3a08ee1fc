//! Sequence numbers of one direction and their acknowledgements, for all protocols with their own reliability.
//!
//! Wire numbers wrap around; here they are extended over the wrap by taking the shorter distance to the newest one. A
//! fixed number of those seen is remembered, at any distance from each other: a sender that jumps costs no more memory
//! than one that counts, and skipped numbers are still recognised when they arrive late. Older numbers are forgotten
//! and counted.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// One numbered message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The frame of its first transmission.
    pub frame: u64,
    /// The capture time of the first transmission, in nanoseconds since the epoch.
    pub time: i64,
    /// The capture time of the latest transmission.
    pub last_time: i64,
    /// The number of transmissions seen; 0: this number was not seen.
    pub copies: u32,
    /// Whether an acknowledgement named it.
    pub acked: bool,
    /// The index, from 1, of the first transmission among the messages of its frame; 0 if it is not known.
    pub index: u16,
    /// A value for the protocol's own use.
    pub tag: u64,
}

/// The relation of a message's number to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The first transmission, and the next in order (or the first number seen at all).
    Next,
    /// The first transmission, this many numbers past the next one.
    Ahead(u32),
    /// The first transmission, older than the newest.
    Late,
    /// A further transmission. `before` is the state before it arrived.
    Copy {
        /// The state of the message so far.
        before: Sent,
    },
    /// Too old to be remembered.
    Forgotten,
}

impl Seen {
    /// Whether this is the first transmission of its message.
    pub fn is_first(self) -> bool {
        !matches!(self, Seen::Copy { .. } | Seen::Forgotten)
    }
}

/// The relation of an acknowledgement to the messages seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// The first acknowledgement of this message.
    First(Sent),
    /// A further acknowledgement of this message.
    Again,
    /// A number newer than the first one seen, but of no message seen.
    Unseen,
    /// A number older than all seen, or forgotten: not known.
    Unknown,
}

/// The numbered messages of one direction.
#[derive(Clone, Debug)]
pub struct Sequence {
    modulus: i64,
    window: usize,
    /// Numbers below this are forgotten.
    floor: i64,
    first: i64,
    newest: Option<i64>,
    /// All numbers from `first` up to this one were seen and acknowledged: repeated acknowledgements of them, which are
    /// frequent, need no lookup.
    settled: i64,
    /// The messages seen, by extended number, ascending.
    sent: VecDeque<(i64, Sent)>,
    pub forgotten_unacknowledged: u64,
}

impl Sequence {
    /// A sequence of the numbers 0 to `modulus - 1`. The highest `window` of those seen are remembered, as long as they
    /// are less than half the modulus below the newest (a number farther below is indistinguishable from one ahead).
    pub fn new(modulus: impl Into<i64>, window: usize) -> Sequence {
        Sequence {
            modulus: modulus.into(),
            window,
            floor: i64::MIN,
            first: 0,
            newest: None,
            settled: i64::MIN,
            sent: VecDeque::new(),
            forgotten_unacknowledged: 0,
        }
    }

    /// The bytes of memory held.
    pub fn memory(&self) -> usize {
        self.sent.capacity() * size_of::<(i64, Sent)>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Sequence::new(self.modulus, self.window);
    }

    /// The extended number of a wire number: the candidate nearest to the newest number.
    pub fn extend(&self, number: impl Into<i64>) -> i64 {
        let number = number.into();
        let Some(newest) = self.newest else { return self.wire(number) };
        // Numbers of 64 bits may be as far apart as they like.
        let distance = number.wrapping_sub(newest).rem_euclid(self.modulus);
        newest.wrapping_add(if distance >= (self.modulus + 1) / 2 { distance - self.modulus } else { distance })
    }

    /// The wire number of an extended one.
    pub fn wire(&self, extended: i64) -> i64 {
        extended.rem_euclid(self.modulus)
    }

    /// The newest extended number seen.
    pub fn newest(&self) -> Option<i64> {
        self.newest
    }

    /// The first extended number seen.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Starts at this number, as if everything before it had been seen.
    pub fn start_at(&mut self, number: i64) {
        (self.first, self.newest, self.settled) = (number, Some(number - 1), number - 1);
    }

    /// The lowest extended number that is not known to be seen and acknowledged. Forgotten numbers are not waited for.
    pub fn next_unsettled(&self) -> i64 {
        self.settled.saturating_add(1)
    }

    /// Whether this extended number was seen and acknowledged.
    pub fn is_acknowledged(&self, extended: i64) -> bool {
        self.is_settled(extended..=extended)
            || self.place(extended).ok().and_then(|place| self.sent.get(place)).is_some_and(|(_, sent)| sent.acked)
    }

    /// Whether this extended number is too far below the newest to be remembered.
    pub fn forgotten(&self, extended: i64) -> bool {
        extended < self.floor
    }

    /// The index of a number in `sent`, or the index at which it would be inserted.
    fn place(&self, extended: i64) -> Result<usize, usize> {
        match self.sent.back() {
            // The usual cases: the newest, and the next one.
            Some((last, _)) if *last == extended => Ok(self.sent.len() - 1),
            Some((last, _)) if *last < extended => Err(self.sent.len()),
            Some((last, _)) => {
                // If no number is missing, the index follows from the distance to the newest; if
                // some are, it is higher.
                let distance = usize::try_from(last - extended).unwrap_or(usize::MAX);
                let guess = (self.sent.len() - 1).saturating_sub(distance);
                match self.sent.get(guess) {
                    Some((number, _)) if *number == extended => Ok(guess),
                    _ => self.sent.binary_search_by_key(&extended, |(number, _)| *number),
                }
            }
            None => Err(0),
        }
    }

    /// The message with an extended number, if it is remembered.
    pub fn get_mut(&mut self, extended: i64) -> Option<&mut Sent> {
        let place = self.place(extended).ok()?;
        self.sent.get_mut(place).map(|(_, sent)| sent)
    }

    /// The message that the next one displaces, if as many are remembered as can be.
    pub fn displaced(&self) -> Option<&Sent> {
        self.sent.front().filter(|_| self.sent.len() >= self.window).map(|(_, sent)| sent)
    }

    /// Records a transmission of the message with this number, which is the message `index` of the frame.
    pub fn sent(&mut self, extended: i64, frame: u64, index: u32, time: i64) -> Seen {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        let one = Sent { frame, index, time, last_time: time, copies: 1, ..Sent::default() };
        let Some(newest) = self.newest else {
            (self.first, self.newest, self.settled) = (extended, Some(extended), extended - 1);
            self.sent.push_back((extended, one));
            return Seen::Next;
        };
        if self.forgotten(extended) {
            return Seen::Forgotten;
        }
        if extended > newest {
            self.newest = Some(extended);
            self.sent.push_back((extended, one));
            self.floor = self.floor.max(extended - self.modulus / 2);
            self.forget();
            return match extended - newest - 1 {
                0 => Seen::Next,
                ahead => Seen::Ahead(u32::try_from(ahead).unwrap_or(u32::MAX)),
            };
        }
        let place = self.place(extended);
        if let Some((_, sent)) = place.ok().and_then(|place| self.sent.get_mut(place)) {
            let before = *sent;
            sent.copies = sent.copies.saturating_add(1);
            sent.last_time = time;
            return Seen::Copy { before };
        }
        self.sent.insert(place.unwrap_or_else(|place| place), (extended, one));
        self.forget();
        Seen::Late
    }

    /// Drops numbers out of range, and the lowest above the cap.
    fn forget(&mut self) {
        while let Some((number, old)) = self.sent.front()
            && (*number < self.floor || self.sent.len() > self.window)
        {
            self.floor = self.floor.max(number + 1);
            self.forgotten_unacknowledged += !old.acked as u64;
            self.sent.pop_front();
        }
    }

    /// Whether all these numbers were seen and acknowledged, so that another acknowledgement changes nothing.
    #[inline]
    pub fn is_settled(&self, numbers: RangeInclusive<i64>) -> bool {
        self.first.max(self.floor) <= *numbers.start() && *numbers.end() <= self.settled
    }

    /// The same of each of the sixteen numbers below `base`: bit i is that of `base - 1 - i`.
    #[inline]
    pub fn settled_below(&self, base: i64) -> u16 {
        // As many of the lowest bits as there are numbers from `from` up to the base.
        let from = |from: i64| u16::MAX.checked_shr(16 - (base.saturating_sub(from)).clamp(0, 16) as u32).unwrap_or(0);
        from(self.first.max(self.floor)) & !from(self.settled.saturating_add(1))
    }

    /// Records an acknowledgement of this number.
    #[inline]
    pub fn acknowledged(&mut self, extended: i64) -> Acked {
        if self.is_settled(extended..=extended) { Acked::Again } else { self.acknowledge(extended) }
    }

    fn acknowledge(&mut self, extended: i64) -> Acked {
        if self.newest.is_none() || self.forgotten(extended) {
            return Acked::Unknown;
        }
        let place = self.place(extended).ok();
        match place.and_then(|place| self.sent.get_mut(place)) {
            Some((_, Sent { acked: true, .. })) => Acked::Again,
            Some((_, sent)) => {
                sent.acked = true;
                let sent = *sent;
                self.settle(place.unwrap_or(0));
                Acked::First(sent)
            }
            None if extended > self.first => Acked::Unseen,
            None => Acked::Unknown,
        }
    }

    /// Whether any message was acknowledged.
    pub fn has_acknowledged(&self) -> bool {
        self.newest.is_some() && (self.settled >= self.first || self.sent.iter().any(|(_, sent)| sent.acked))
    }

    /// Advances `settled` over the message at `place` and those after it, if the message at `place` is the next and was
    /// acknowledged.
    fn settle(&mut self, place: usize) {
        // Forgotten messages are not waited for.
        let forgotten = self.floor.saturating_sub(1);
        let from = if forgotten > self.settled { 0 } else { place };
        self.settled = self.settled.max(forgotten);
        for (number, sent) in self.sent.range(from..) {
            if *number != self.settled + 1 || !sent.acked {
                break;
            }
            self.settled += 1;
        }
    }

    /// The unacknowledged messages, oldest first: extended number and message.
    pub fn unacknowledged(&self) -> impl Iterator<Item = (i64, &Sent)> + Clone {
        self.sent.iter().filter(|(_, s)| !s.acked).map(|(number, s)| (*number, s))
    }

    /// The unacknowledged messages with numbers in this range, oldest first. The start is looked up, so that an empty
    /// range costs nothing.
    pub fn unacknowledged_in(&self, range: std::ops::Range<i64>) -> impl Iterator<Item = i64> + '_ {
        let start = self.sent.front().map_or(range.start, |(first, _)| range.start.max(*first));
        let begin = self.place(start).unwrap_or_else(|place| place);
        let inside = self.sent.range(begin..).take_while(move |(number, _)| *number < range.end);
        inside.filter(|(_, sent)| !sent.acked).map(|(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Compares with a map that never forgets.
        #[test]
        fn acknowledgements_match_a_map(steps in prop::collection::vec((any::<bool>(), 100..140u16), 1..200)) {
            let (mut s, mut map) = (Sequence::new(65536, 64), BTreeMap::new());
            for (ack, number) in steps {
                let (begun, first, at) = (!map.is_empty(), s.first(), s.extend(number));
                if !ack {
                    s.sent(at, 1, 1, 0);
                    map.entry(number).or_insert(false);
                } else {
                    let acked = s.acknowledged(at);
                    match map.get_mut(&number) {
                        Some(true) => prop_assert_eq!(acked, Acked::Again),
                        Some(sent) => {
                            prop_assert!(matches!(acked, Acked::First(_)));
                            *sent = true;
                        }
                        None if begun && at > first => prop_assert_eq!(acked, Acked::Unseen),
                        None => prop_assert_eq!(acked, Acked::Unknown),
                    }
                }
                prop_assert_eq!(s.unacknowledged().count(), map.values().filter(|acked| !**acked).count());
            }
        }
    }

    #[test]
    fn bits_of_settled_numbers_are_those_of_each() {
        let mut s = Sequence::new(65536, 8);
        assert_eq!(s.settled_below(5), 0);
        for number in 3..40 {
            s.sent(number, 1, 1, 0);
            if number != 35 {
                s.acknowledged(number);
            }
            for base in -20..60 {
                let each = (0..16).filter(|i| s.is_settled(base - 1 - i..=base - 1 - i)).map(|i| 1 << i);
                assert_eq!(s.settled_below(base), each.sum::<u16>(), "{base}");
            }
        }
    }

    #[test]
    fn numbers_go_on_over_the_wrap() {
        let mut s = Sequence::new(65536, 64);
        assert_eq!(s.sent(s.extend(65534), 1, 1, 0), Seen::Next);
        assert_eq!(s.sent(s.extend(65535), 2, 1, 0), Seen::Next);
        assert_eq!(s.sent(s.extend(0), 3, 1, 0), Seen::Next);
        assert_eq!(s.sent(s.extend(3), 4, 1, 0), Seen::Ahead(2));
        assert_eq!(s.sent(s.extend(2), 5, 1, 0), Seen::Late);
        assert!(matches!(s.sent(s.extend(65535), 6, 1, 0), Seen::Copy { before } if before.frame == 2));
        assert_eq!(s.wire(s.extend(2)), 2);
        assert_eq!(s.acknowledged(s.extend(1)), Acked::Unseen);
        assert!(matches!(s.acknowledged(s.extend(3)), Acked::First(sent) if sent.frame == 4));
        assert!(matches!(s.acknowledged(s.extend(3)), Acked::Again));
        assert_eq!(s.unacknowledged().map(|(n, _)| s.wire(n)).collect::<Vec<_>>(), [65534, 65535, 0, 2]);
    }

    #[test]
    fn memory_is_the_window() {
        let mut s = Sequence::new(65535, 16);
        for n in 0..100_000u32 {
            s.sent(s.extend((n % 65535) as u16), n as u64, 1, 0);
        }
        assert_eq!(s.unacknowledged().count(), 16);
        assert_eq!(s.forgotten_unacknowledged, 100_000 - 16);
        assert_eq!(s.sent(s.newest().unwrap_or(0) - 20, 1, 1, 0), Seen::Forgotten);
    }

    #[test]
    fn numbers_of_64_bits_stay_in_range() {
        let mut s = Sequence::new(1i64 << 48, 16);
        // The first number, too, lies within the modulus.
        assert_eq!(s.extend(i64::MAX), (1 << 48) - 1);
        assert_eq!(s.sent(10, 1, 1, 0), Seen::Next);
        // As many as 2 to the power of 32 are missing.
        assert_eq!(s.sent(11 + (1 << 32), 2, 1, 0), Seen::Ahead(u32::MAX));
    }

    #[test]
    fn jumps_take_no_memory() {
        let mut s = Sequence::new(65535, 32768);
        s.start_at(0);
        assert_eq!(s.sent(s.extend(3), 1, 1, 0), Seen::Ahead(3));
        assert_eq!(s.sent(s.extend(1), 2, 1, 0), Seen::Late);
        assert_eq!(s.sent(s.extend(32000), 3, 1, 0), Seen::Ahead(31996));
        assert!(matches!(s.sent(s.extend(3), 4, 1, 0), Seen::Copy { before } if before.frame == 1));
        assert_eq!(s.sent(s.extend(60000), 5, 1, 0), Seen::Ahead(27999));
        assert_eq!((s.sent.len(), s.forgotten_unacknowledged), (2, 2));
        assert_eq!(s.acknowledged(s.extend(50000)), Acked::Unseen);
        assert_eq!(s.acknowledged(0), Acked::Unknown);
    }

    #[test]
    fn a_jump_over_more_than_32_bits_skips_the_most_that_is_counted() {
        let mut s = Sequence::new(1i64 << 48, 16);
        s.sent(0, 1, 1, 0);
        assert_eq!(s.sent(s.extend((1i64 << 32) + 1), 2, 1, 0), Seen::Ahead(u32::MAX));
    }

    #[test]
    fn numbers_skipped_by_a_jump_are_late_and_not_forgotten() {
        // The farthest number that is distinguishable from one ahead: half the modulus.
        let mut s = Sequence::new(65536, 16);
        s.sent(2, 1, 1, 0);
        assert_eq!(s.sent(s.extend(32769), 2, 1, 0), Seen::Ahead(32766));
        assert!(matches!(s.acknowledged(s.extend(2)), Acked::First(sent) if sent.frame == 1));
        assert_eq!(s.sent(s.extend(3), 3, 1, 0), Seen::Late);
        assert!(matches!(s.sent(s.extend(3), 4, 1, 0), Seen::Copy { before } if before.frame == 3));
        assert_eq!(s.sent(s.extend(32771), 5, 1, 0), Seen::Ahead(1));
        assert_eq!((s.sent.len(), s.forgotten(2), s.forgotten(3)), (3, true, false));
    }
}
