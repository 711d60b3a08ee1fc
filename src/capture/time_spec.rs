//! Points in time as the user gives them: relative to the start of a capture, or absolute.

use super::Time;
use crate::codec::calendar::minute;
use crate::duration::{Decimal, decimal, nanos};
use std::fmt;
use std::str::FromStr;

const SECOND: i128 = 1_000_000_000;

/// A point in time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSpec {
    /// After the first frame.
    After(i128),
    /// Since the epoch.
    At(i128),
}

impl TimeSpec {
    /// Nanoseconds since the epoch, for a capture that starts at `start`.
    pub fn nanos(self, start: Time) -> i128 {
        match self {
            TimeSpec::After(nanos) => start.nanos().saturating_add(nanos),
            TimeSpec::At(nanos) => nanos,
        }
    }
}

/// In a form that can be parsed: `2.5s`, or `@1795229852.84`.
impl fmt::Display for TimeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TimeSpec::After(value) => write!(f, "{}s", Decimal { value, digits: 9 }),
            TimeSpec::At(value) => write!(f, "@{}", Decimal { value, digits: 9 }),
        }
    }
}

/// Parses `10s`, `1m30s`, `250ms`, `2.5` (seconds); `@1795229852.84` (since the epoch); `2026-11-21`,
/// `2026-11-21T12:00:30.5Z` (UTC).
impl FromStr for TimeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpec, String> {
        let wrong = || {
            format!(
                "{text:?}: expected 10s or 1m30s after the first frame, @SECONDS since 1970, or 2026-11-21T12:00:00Z"
            )
        };
        if let Some(epoch) = text.strip_prefix('@') {
            return decimal(epoch).map(TimeSpec::At).ok_or_else(wrong);
        }
        if text.get(4..5) == Some("-") {
            return calendar(text).map(TimeSpec::At).ok_or_else(wrong);
        }
        let after = text.strip_prefix('+').unwrap_or(text);
        // If it begins like a duration, the mistake in the duration is reported.
        nanos(after).map(TimeSpec::After).map_err(|why| match after.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("{why}; after the first frame; or @SECONDS since 1970, or 2026-11-21T12:00:00Z"),
            false => wrong(),
        })
    }
}

/// Nanoseconds since the epoch for a UTC date, with or without a time of day.
fn calendar(text: &str) -> Option<i128> {
    let (minute, second) = minute(text)?;
    let second = decimal(second).filter(|second| *second < 61 * SECOND)?;
    Some(i128::from(minute) * SECOND + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms() {
        let parse = |text: &str| text.parse::<TimeSpec>();
        assert_eq!(parse("10s"), Ok(TimeSpec::After(10 * SECOND)));
        assert_eq!(parse("+1m30.5s"), Ok(TimeSpec::After(90 * SECOND + SECOND / 2)));
        assert_eq!(parse("250ms"), Ok(TimeSpec::After(SECOND / 4)));
        assert_eq!(parse("2.5"), Ok(TimeSpec::After(SECOND * 5 / 2)));
        assert_eq!(parse("@1795229852.841544"), Ok(TimeSpec::At(1_795_229_852_841_544_000)));
        assert_eq!(parse("1970-01-02"), Ok(TimeSpec::At(86_400 * SECOND)));
        // 2026-11-21 06:20:48 UTC, as given by `date -u -d .. +%s`.
        assert_eq!(parse("2026-11-21T06:20:48Z"), Ok(TimeSpec::At(1_795_242_048 * SECOND)));
        assert_eq!(parse("2000-02-29 23:59:59.25"), Ok(TimeSpec::At(951_868_799 * SECOND + SECOND / 4)));
        for wrong in ["", "x", "10x", "s", "1-2", "2026-02-29", "2026-13-01", "2026-11-21T24:00", "@", "1..2", "-5s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
