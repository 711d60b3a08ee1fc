//! The peer's numbers in one space: which have arrived, and which are acknowledged again.

use crate::traffic::sequence::{Seen, Sequence};

/// The number of times that Riptide resends a message. DNP's libraries give up long before.
const COPIES: u32 = 15;
/// The number of message numbers that are remembered: far more than a peer keeps unacknowledged.
const REMEMBERED: usize = 1024;

/// The handling of a number of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It arrived for the first time.
    New,
    /// It arrived before, and is acknowledged again: the acknowledgement may be lost.
    Again,
    /// It arrived more often than a library sends it, or is too old to be waiting: it has had its answers.
    Ignored,
}

/// The numbers of the peer that have arrived.
#[derive(Debug)]
pub(crate) struct Received(Sequence);

impl Received {
    /// Creates a space of the numbers 0 to `modulus - 1` that begins with `first`. Nothing has arrived.
    pub fn from(first: i64, modulus: i64) -> Received {
        let mut sequence = Sequence::new(modulus, REMEMBERED);
        sequence.start_at(first);
        Received(sequence)
    }

    /// Takes a number. Numbers before the first one are not new.
    pub fn take(&mut self, number: i64) -> Arrival {
        let extended = self.0.extend(number);
        let seen = self.0.sent(extended, 0, 0, 0);
        self.0.acknowledged(extended);
        match seen {
            Seen::Copy { before } if before.copies > COPIES => Arrival::Ignored,
            Seen::Forgotten => Arrival::Ignored,
            Seen::Copy { .. } => Arrival::Again,
            _ if extended < self.0.first() => Arrival::Again,
            _ => Arrival::New,
        }
    }

    /// The number after those that arrived without a gap.
    pub fn next(&self) -> i64 {
        self.0.wire(self.0.next_unsettled())
    }

    /// The distance of a number past [`next`](Received::next).
    pub fn ahead(&self, number: i64) -> i64 {
        self.0.extend(number) - self.0.next_unsettled()
    }

    /// The newest number, or the one before the first.
    pub fn newest(&self) -> i64 {
        self.0.newest().map_or(0, |newest| self.0.wire(newest))
    }

    /// A bit for each of the `width` numbers before the newest, set if it has arrived.
    pub fn bits(&self, width: u32) -> u64 {
        let newest = self.0.newest().unwrap_or(0);
        let there = |k: &u32| self.0.is_acknowledged(newest.wrapping_sub(1 + i64::from(*k)));
        (0..width).filter(there).fold(0, |bits, k| bits | 1 << k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_copies_are_answered_as_a_library_sends() {
        let mut received = Received::from(0, 1 << 16);
        assert_eq!(received.take(7), Arrival::New);
        assert_eq!((0..100).filter(|_| received.take(7) == Arrival::Again).count(), 15);
        assert_eq!(received.take(6), Arrival::New);
    }

    #[test]
    fn numbers_go_on_over_the_wrap_and_memory_is_bounded() {
        let mut received = Received::from(65534, 65535);
        assert_eq!((received.newest(), received.next(), received.bits(4)), (65533, 65534, 0));
        assert_eq!([65533, 65534, 1].map(|number| received.take(number)), [Arrival::Again, Arrival::New, Arrival::New]);
        assert_eq!((received.newest(), received.next(), received.ahead(9)), (1, 0, 9));
        // 65534 and 65533 are the second and the third before it.
        assert_eq!(received.bits(4), 0b110);
        assert_eq!([0, 65534].map(|number| received.take(number)), [Arrival::New, Arrival::Again]);
        assert_eq!((received.next(), received.ahead(65534)), (2, -3));
        (3..1_000_000).for_each(|number| _ = received.take(number % 65535));
        assert!(received.0.memory() <= 2 * 64 * REMEMBERED);
        assert_eq!(received.take(2), Arrival::Ignored);
        // What is forgotten is not waited for.
        assert_eq!(received.next(), 1_000_000 % 65535);
    }
}
