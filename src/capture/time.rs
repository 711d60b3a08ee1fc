//! Timestamps at the resolution of the capture.

use std::fmt;

/// The decimals of [`Time::attos`].
pub(crate) const ATTO_DIGITS: u32 = 18;

/// A point in time: seconds since the epoch, with the digits of the capture's own resolution.
///
/// `frac` counts units of 10^-`digits` seconds and is below 10^`digits`; `digits` is at most 18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Whole seconds since 1970-01-01 00:00 UTC.
    pub secs: i64,
    /// The fraction, in units of 10^-`digits` seconds.
    pub frac: u64,
    /// The number of decimal digits of the capture's resolution: 6 for microseconds.
    pub digits: u8,
}

impl Time {
    /// A time of whole microseconds, the unit of classic captures.
    pub const fn micros(secs: i64, micros: u32) -> Self {
        Time { secs, frac: micros as u64, digits: 6 }
    }

    /// Nanoseconds since the epoch; further digits are cut off.
    pub fn nanos(self) -> i128 {
        self.secs as i128 * 1_000_000_000 + self.frac_nanos() as i128
    }

    /// Nanoseconds since the epoch, limited to 146 years around it, so that the difference of two is an i64, too. Other
    /// times occur only in broken captures.
    pub fn near_nanos(self) -> i64 {
        const SECS: i64 = (1 << 62) / 1_000_000_000 - 1;
        self.secs.clamp(-SECS, SECS) * 1_000_000_000 + self.frac_nanos().min(999_999_999) as i64
    }

    /// The exact time since the epoch in units of 10^-18 s, with every digit that a capture can have.
    pub(crate) fn attos(self) -> i128 {
        let shift = ATTO_DIGITS.saturating_sub(self.digits as u32);
        let fraction = (self.frac as i128).saturating_mul(10i128.pow(shift));
        (self.secs as i128 * 10i128.pow(ATTO_DIGITS)).saturating_add(fraction)
    }

    /// The nanoseconds after the whole seconds. Exact up to nine digits; further ones are cut off.
    fn frac_nanos(self) -> u64 {
        // Nearly all captures have one of the first two resolutions.
        match self.digits {
            6 => self.frac.saturating_mul(1000),
            9 => self.frac,
            d @ 0..=9 => self.frac.saturating_mul(10u64.pow(9 - d as u32)),
            d => self.frac / 10u64.pow(d.min(18) as u32 - 9),
        }
    }

    /// Sign and magnitude, as decimals are written: whether the time is before the epoch, whole seconds, and a fraction
    /// in the unit of `frac`. (`frac` itself always counts forward.)
    pub fn magnitude(self) -> (bool, u64, u64) {
        match (self.secs, self.frac) {
            (0.., frac) => (false, self.secs.unsigned_abs(), frac),
            (secs, 0) => (true, secs.unsigned_abs(), 0),
            (secs, frac) => (true, secs.unsigned_abs() - 1, 10u64.pow(self.digits.min(18).into()).saturating_sub(frac)),
        }
    }

    /// Parses a decimal number of seconds since the epoch: `1795229852.841544`, `-0.5`, `9e-6`.
    /// `None` if it is not one, or has more than 18 decimals.
    pub fn decimal(text: &str) -> Option<Time> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, frac) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() || !whole.bytes().chain(frac.bytes()).all(|b| b.is_ascii_digit()) {
            return None;
        }
        // The digits, and the position of the point among them.
        let mut all = format!("{whole}{frac}");
        let mut point = i64::try_from(whole.len()).ok()? + i64::from(exponent);
        if !(-18..=40).contains(&point) || all.len() > 60 {
            return None;
        }
        while point < 1 {
            all.insert(0, '0');
            point += 1;
        }
        while (all.len() as i64) < point {
            all.push('0');
        }
        let (whole, frac) = all.split_at(point as usize);
        let digits = u8::try_from(frac.len()).ok().filter(|digits| *digits <= 18)?;
        let unit = 10i128.pow(digits.into());
        let fraction = if digits == 0 { 0 } else { frac.parse::<i128>().ok()? };
        let sum = whole.parse::<i128>().ok()?.checked_mul(unit)? + fraction;
        let sum = if negative { -sum } else { sum };
        let secs = i64::try_from(sum.div_euclid(unit)).ok()?;
        Some(Time { secs, frac: sum.rem_euclid(unit) as u64, digits })
    }

    /// Nanoseconds from `earlier` to `self`; negative if time runs backwards.
    pub fn since(self, earlier: Time) -> i128 {
        self.nanos() - earlier.nanos()
    }
}

/// Writes seconds with all digits, as in the JSON output: `1795229852.841544`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, secs, frac) = self.magnitude();
        let sign = if negative { "-" } else { "" };
        match self.digits {
            0 => write!(f, "{sign}{secs}"),
            d => write!(f, "{sign}{secs}.{frac:0width$}", width = d as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duration::Decimal;

    #[test]
    fn the_difference_of_two_times_fits() {
        let of = |secs, digits| Time { secs, frac: 10u64.pow(digits) - 1, digits: digits as u8 };
        for digits in [0, 6, 9, 18] {
            let [first, last] = [of(i64::MIN, digits), of(i64::MAX, digits)].map(Time::near_nanos);
            assert!(last.checked_sub(first).is_some_and(|all| all > 9_000_000_000_000_000_000), "{digits}");
            let now = of(1_795_229_852, digits);
            assert_eq!(now.near_nanos() as i128, now.nanos());
        }
    }

    #[test]
    fn times_keep_their_digits() {
        assert_eq!(Time { secs: 1, frac: 5, digits: 1 }.attos(), 15 * 10i128.pow(17));
        assert_eq!(Time { secs: -1, frac: 1, digits: 18 }.attos(), 1 - 10i128.pow(18));
        assert_eq!(Time::default().attos(), 0);
    }

    #[test]
    fn differences_are_exact() {
        let at = Time::micros;
        let between = |from: Time, to: Time| {
            Decimal { value: to.attos().saturating_sub(from.attos()), digits: ATTO_DIGITS - 3 }.to_string()
        };
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
    fn decimals_are_read_as_they_are_written() {
        for (text, secs, frac, digits, shown) in [
            ("1795229852.841544", 1_795_229_852, 841_544, 6, "1795229852.841544"),
            ("7", 7, 0, 0, "7"),
            ("0.000009", 0, 9, 6, "0.000009"),
            ("9e-6", 0, 9, 6, "0.000009"),
            ("1.5e-6", 0, 15, 7, "0.0000015"),
            ("1.25E3", 1250, 0, 0, "1250"),
            ("-0.000001", -1, 999_999, 6, "-0.000001"),
            ("-1.999999", -2, 1, 6, "-1.999999"),
            ("-3", -3, 0, 0, "-3"),
            ("-3.0", -3, 0, 1, "-3.0"),
            ("4294967296.000000001", 1 << 32, 1, 9, "4294967296.000000001"),
            (
                "9223372036854775807.999999999999999999",
                i64::MAX,
                999_999_999_999_999_999,
                18,
                "9223372036854775807.999999999999999999",
            ),
            ("-9223372036854775808", i64::MIN, 0, 0, "-9223372036854775808"),
        ] {
            let time = Time::decimal(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((time, time.to_string()), (Time { secs, frac, digits }, shown.to_string()));
        }
        for wrong in [
            "",
            "-",
            ".5",
            "1.2.3",
            "1e",
            "1e99",
            "1e-99",
            "--1",
            "1 ",
            "x",
            "1.1234567890123456789",
            "9223372036854775808",
            "+1",
        ] {
            assert_eq!(Time::decimal(wrong), None, "{wrong}");
        }
    }
}
