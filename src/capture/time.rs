//! Time stamps with every digit that the capture gave them.

use std::fmt;

/// A point in time: seconds since the epoch, with the digits of the capture's own resolution.
///
/// `frac` counts units of 10^-`digits` seconds and is below 10^`digits`; `digits` is at most 18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Whole seconds since 1970-01-01 00:00 UTC.
    pub secs: i64,
    /// The fraction, in units of 10^-`digits` seconds.
    pub frac: u64,
    /// How many decimal digits the capture's resolution has: 6 for microseconds.
    pub digits: u8,
}

impl Time {
    /// A time of whole microseconds, as classic captures have it.
    pub const fn micros(secs: i64, micros: u32) -> Self {
        Time { secs, frac: micros as u64, digits: 6 }
    }

    /// Nanoseconds since the epoch; digits beyond them are cut.
    pub fn nanos(self) -> i128 {
        // `frac` is below 10^`digits`, so nothing is lost. Nearly all captures have one of the first two.
        let frac = match self.digits {
            6 => self.frac.saturating_mul(1000),
            9 => self.frac,
            d @ 0..=9 => self.frac.saturating_mul(10u64.pow(9 - d as u32)),
            d => self.frac / 10u64.pow(d.min(18) as u32 - 9),
        };
        self.secs as i128 * 1_000_000_000 + frac as i128
    }

    /// Nanoseconds from `earlier` to `self`; negative where time runs backwards.
    pub fn since(self, earlier: Time) -> i128 {
        self.nanos() - earlier.nanos()
    }
}

/// Seconds with every digit, as the JSON output has them: `1795229852.841544`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digits {
            0 => write!(f, "{}", self.secs),
            d => write!(f, "{}.{:0width$}", self.secs, self.frac, width = d as usize),
        }
    }
}
