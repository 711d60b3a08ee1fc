//! Counts repeated messages of a peer, by number. As many are answered as a library would send.

use std::collections::BTreeMap;

/// The number of times that Riptide resends a message. DNP's libraries give up long before.
const COPIES: u32 = 15;
/// The number of message numbers that are remembered.
const REMEMBERED: usize = 4096;

/// The number of repetitions of each message number.
#[derive(Debug)]
pub struct Copies<N = u16>(BTreeMap<N, u32>);

impl<N> Default for Copies<N> {
    fn default() -> Copies<N> {
        Copies(BTreeMap::new())
    }
}

impl<N: Ord> Copies<N> {
    /// Notes that the number belongs to a new message.
    pub fn begin(&mut self, number: N) {
        self.0.remove(&number);
    }

    /// Counts a repetition. Returns whether it is still answered: a peer that repeats it without end has had its
    /// answers.
    pub fn again(&mut self, number: N) -> bool {
        while self.0.len() >= REMEMBERED {
            self.0.pop_first();
        }
        let count = self.0.entry(number).or_default();
        *count = count.saturating_add(1);
        *count <= COPIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_a_library_sends() {
        let mut copies: Copies = Copies::default();
        assert_eq!((0..100).filter(|_| copies.again(7)).count(), 15);
        assert!(copies.again(8));
        copies.begin(7);
        assert!(copies.again(7), "the numbers go round");
        (0..=u16::MAX).for_each(|number| _ = copies.again(number));
        assert!(copies.0.len() <= REMEMBERED);
    }
}
