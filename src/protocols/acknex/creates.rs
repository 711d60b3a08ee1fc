//! Create and its answer. No other answer names its request, so this is the only exact round trip.

use crate::capture::Time;
use crate::dissect::Target;
use rustc_hash::FxHashMap;

/// The most open requests that are kept. When there are more, all are forgotten.
const OPEN: usize = 4096;

/// The open requests, by identifier.
#[derive(Clone, Debug, Default)]
pub struct Creates {
    open: FxHashMap<i16, (Target, Time)>,
}

impl Creates {
    /// Remembers a client's request. It replaces an earlier one with the same identifier.
    pub fn ask(&mut self, identifier: i16, request: Target, time: Time) {
        if self.open.len() >= OPEN && !self.open.contains_key(&identifier) {
            self.open.clear();
        }
        self.open.insert(identifier, (request, time));
    }

    /// Closes the request that the server answers, and returns it with its time.
    pub fn answer(&mut self, identifier: i16) -> Option<(Target, Time)> {
        self.open.remove(&identifier)
    }

    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.open.capacity() * size_of::<(i16, (Target, Time))>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_open_request_is_the_one_answered() {
        let mut creates = Creates::default();
        let at = |frame| Target { frame, index: 1 };
        creates.ask(5, at(1), Time::micros(1, 0));
        creates.ask(5, at(2), Time::micros(2, 0));
        assert_eq!(creates.answer(5).map(|(request, _)| request.frame), Some(2));
        assert_eq!(creates.answer(5), None);
        (0..=i16::MAX).for_each(|k| creates.ask(k, at(1), Time::default()));
        assert!(creates.open.len() <= OPEN);
    }
}
