//! Create and its answer. No other answer names its request, so this is the only exact round trip.

use crate::capture::Time;
use crate::dissect::Target;
use rustc_hash::FxHashMap;
use std::io::Write;

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
}

/// The exact difference of two time stamps in milliseconds, as decimal text: `34.0`, `20.001`.
pub fn write_milliseconds(from: Time, to: Time, text: &mut Vec<u8>) {
    const PER_SECOND: i128 = 1_000_000_000_000_000_000;
    const PER_MILLISECOND: u128 = 1_000_000_000_000_000;
    let units = |time: Time| {
        let digits = time.digits.min(18) as u32;
        time.secs as i128 * PER_SECOND + time.frac as i128 * 10i128.pow(18 - digits)
    };
    let difference = units(to).saturating_sub(units(from));
    let sign = if difference < 0 { "-" } else { "" };
    let (whole, rest) = (difference.unsigned_abs() / PER_MILLISECOND, difference.unsigned_abs() % PER_MILLISECOND);
    let start = text.len();
    // Writing to a Vec cannot fail.
    let _ = write!(text, "{sign}{whole}.{rest:015}");
    let zeros = text.iter().skip(start).rev().take_while(|b| **b == b'0').count();
    text.truncate(text.len() - zeros);
    if text.last() == Some(&b'.') {
        text.push(b'0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: Time, to: Time) -> String {
        let mut text = Vec::new();
        write_milliseconds(from, to, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn differences_are_exact() {
        let at = Time::micros;
        assert_eq!(between(at(1, 0), at(1, 34_000)), "34.0");
        assert_eq!(between(at(1, 999_999), at(2, 20_000)), "20.001");
        assert_eq!(between(at(1, 0), at(1, 0)), "0.0");
        assert_eq!(between(at(2, 0), at(1, 999_500)), "-0.5");
        assert_eq!(between(at(0, 1), Time { secs: 0, frac: 1_001, digits: 9 }), "0.000001");
        assert_eq!(between(at(0, 0), at(100, 0)), "100000.0");
        let far = Time { secs: i64::MAX, frac: u64::MAX, digits: 18 };
        assert!(!between(Time { secs: i64::MIN, ..far }, far).is_empty());
    }

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
