//! Copies of a peer's numbered messages: as many are answered as a library would send.

use std::collections::BTreeMap;

/// So often Riptide sends a message again; DNP's libraries have given up long before.
const COPIES: u32 = 15;
/// How many numbers are remembered.
const REMEMBERED: usize = 4096;

/// How many copies of which number have come.
#[derive(Debug, Default)]
pub struct Copies(BTreeMap<u16, u32>);

impl Copies {
    /// The number is a new message's.
    pub fn begin(&mut self, number: u16) {
        self.0.remove(&number);
    }

    /// One more copy: is it still answered? A peer that sends it without end has its answer.
    pub fn again(&mut self, number: u16) -> bool {
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
        let mut copies = Copies::default();
        assert_eq!((0..100).filter(|_| copies.again(7)).count(), 15);
        assert!(copies.again(8));
        copies.begin(7);
        assert!(copies.again(7), "the numbers go round");
        (0..=u16::MAX).for_each(|number| _ = copies.again(number));
        assert!(copies.0.len() <= REMEMBERED);
    }
}
