//! Messages that get a new number with each transmission, and are identified by another field.

use crate::dissect::Target;
use crate::traffic::sequence::{Acked, Seen, Sequence};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most messages that are remembered; `CARRIED`: the most pairs of a number and a message.
const MESSAGES: usize = 2048;
const CARRIED: usize = 4096;

/// The messages of one side in one number space.
#[derive(Debug)]
pub struct Identified {
    /// The messages by their serial numbers, each tagged with its identity.
    messages: Sequence,
    serials: FxHashMap<u64, i64>,
    /// The number of each packet with the serial number of a message in it, ascending.
    carried: VecDeque<(i64, i64)>,
}

impl Default for Identified {
    fn default() -> Identified {
        let messages = Sequence::new(i64::MAX, MESSAGES);
        Identified { messages, serials: FxHashMap::default(), carried: VecDeque::new() }
    }
}

impl Identified {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.messages.memory()
            + self.serials.capacity() * size_of::<(u64, i64)>()
            + self.carried.capacity() * size_of::<(i64, i64)>()
    }

    /// Adds a message with this number, which was `seen`. Returns its serial number, and its relation to earlier
    /// messages.
    pub fn sent(&mut self, identity: u64, number: i64, seen: Seen, target: Target, time: i64) -> (i64, Seen) {
        let serial = self.serials.get(&identity).copied().unwrap_or_else(|| {
            if let Some(old) = self.messages.displaced() {
                self.serials.remove(&old.tag);
            }
            let serial = self.messages.newest().map_or(0, |newest| newest + 1);
            self.serials.insert(identity, serial);
            serial
        });
        let seen = match (self.messages.sent(serial, target.frame, target.index, time), seen) {
            (copy @ Seen::Copy { .. }, _) => copy,
            // Its number is repeated or too old, but the message itself is new.
            (_, Seen::Copy { .. } | Seen::Forgotten) => Seen::Next,
            (_, seen) => seen,
        };
        if let Some(sent) = self.messages.get_mut(serial) {
            sent.tag = identity;
        }
        let place = self.carried.partition_point(|pair| *pair < (number, serial));
        if self.carried.get(place) != Some(&(number, serial)) {
            if self.carried.len() >= CARRIED {
                self.carried.pop_front();
            }
            let place = self.carried.partition_point(|pair| *pair < (number, serial));
            self.carried.insert(place, (number, serial));
        }
        (serial, seen)
    }

    /// Handles the acknowledgement of the packet with this number: calls `found` for each of its messages. False: no
    /// message of that packet is known.
    pub fn acknowledged(&mut self, number: i64, mut found: impl FnMut(i64, Acked)) -> bool {
        let from = self.carried.partition_point(|(other, _)| *other < number);
        let mut any = false;
        for (_, serial) in self.carried.range(from..).take_while(|(other, _)| *other == number) {
            any = true;
            let acked = self.messages.acknowledged(*serial);
            if acked != Acked::Unknown {
                found(*serial, acked);
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_go_under_new_numbers() {
        let mut messages = Identified::default();
        let one = |frame| Target { frame, index: 1 };
        assert_eq!(messages.sent(70, 5, Seen::Next, one(1), 0), (0, Seen::Next));
        assert_eq!(messages.sent(71, 5, Seen::Next, one(1), 0), (1, Seen::Next));
        let (serial, seen) = messages.sent(70, 6, Seen::Next, one(2), 0);
        assert!(matches!((serial, seen), (0, Seen::Copy { before }) if before.frame == 1 && !before.acked));
        let mut events = Vec::new();
        assert!(messages.acknowledged(6, |serial, acked| events.push((serial, acked))));
        assert!(matches!(events[..], [(0, Acked::First(sent))] if sent.copies == 2));
        events.clear();
        assert!(messages.acknowledged(5, |serial, acked| events.push((serial, acked))));
        assert!(matches!(events[..], [(0, Acked::Again), (1, Acked::First(_))]));
        assert!(!messages.acknowledged(7, |_, _| panic!("nothing was in it")));
    }

    #[test]
    fn memory_is_capped() {
        let mut messages = Identified::default();
        for n in 0..100_000u64 {
            messages.sent(n, n as i64, Seen::Next, Target::default(), 0);
        }
        assert_eq!((messages.messages.unacknowledged().count(), messages.serials.len()), (MESSAGES, MESSAGES));
        assert!(messages.carried.len() <= CARRIED);
        // The oldest are forgotten, so they would be new.
        assert_eq!(messages.sent(5, 100_000, Seen::Next, Target::default(), 0).1, Seen::Next);
    }
}
