//! Durations as the user gives them, with the same syntax everywhere: `500ms`, `5s`, `1m30s`. A number alone is seconds
//! where only seconds are likely, and an error elsewhere.

use std::fmt;
use std::time::Duration;

const SECOND: i128 = 1_000_000_000;
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("min", 60 * SECOND),
    ("h", 3600 * SECOND),
    ("d", 86_400 * SECOND),
];

/// The reason why a text is not a duration, and the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?}, column {column}: {why}: expected a time, such as 500ms, 5s or 1m30s")]
pub struct DurationError {
    text: String,
    column: usize,
    why: String,
}

/// A duration in nanoseconds; a number alone is seconds, and further digits are cut off.
///
/// ```
/// use netkit::duration::nanos;
///
/// assert_eq!(nanos("1m30.5s"), Ok(90_500_000_000));
/// assert_eq!(nanos("0.25"), nanos("250ms"));
/// let error = nanos("5 parsecs").unwrap_err().to_string();
/// assert!(error.starts_with("\"5 parsecs\", column 2: "), "{error}");
/// ```
///
/// # Errors
/// The text is not a duration.
pub fn nanos(text: &str) -> Result<i128, DurationError> {
    let wrong = |at: usize, why: String| {
        let column = text.get(..at).unwrap_or(text).chars().count() + 1;
        DurationError { text: text.into(), column, why }
    };
    let (mut at, mut sum) = (0, 0i128);
    loop {
        let rest = text.get(at..).unwrap_or("");
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let number = decimal(&rest[..digits]).ok_or_else(|| wrong(at, "a number is missing".into()))?;
        let start = at + digits;
        let letters = text[start..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = &text[start..start + letters];
        let scale = match unit {
            // Only without other units: in `1m30` it could be minutes or seconds.
            "" if at == 0 && start == text.len() => SECOND,
            "" if start == text.len() => return Err(wrong(start, "a unit is missing".into())),
            "" => {
                let c = text[start..].chars().next().unwrap_or(' ');
                return Err(wrong(start, format!("{c:?} is not a unit")));
            }
            _ => match UNITS.iter().find(|(name, _)| *name == unit) {
                Some((_, scale)) => *scale,
                None => return Err(wrong(start, format!("no unit {unit:?}"))),
            },
        };
        // Days with 16 digits or more are too large for 128 bits.
        sum = sum.saturating_add(number.saturating_mul(scale) / SECOND);
        at = start + letters;
        if at == text.len() {
            return Ok(sum);
        }
    }
}

/// A duration in nanoseconds. A number without a unit is an error, since milliseconds are as likely as seconds; 0 needs
/// no unit.
///
/// # Errors
/// The text is not a duration, or both times that it may be.
pub fn with_unit(text: &str) -> Result<i128, String> {
    match decimal(text) {
        Some(number) if number != 0 => Err(format!("{text:?} has no unit: {text}ms or {text}s?")),
        _ => nanos(text).map_err(|error| error.to_string()),
    }
}

/// A duration [with a unit](with_unit) within limits, both inclusive.
///
/// # Errors
/// The text is not a duration, it has no unit, or the limits that it exceeds.
pub fn between(text: &str, least: Duration, most: Duration) -> Result<Duration, String> {
    within(text, with_unit(text)?, least, most)
}

/// A duration within limits, both inclusive; a number alone is seconds.
///
/// # Errors
/// The text is not a duration, or the limits that it exceeds.
pub fn seconds(text: &str, least: Duration, most: Duration) -> Result<Duration, String> {
    within(text, nanos(text).map_err(|error| error.to_string())?, least, most)
}

fn within(text: &str, nanos: i128, least: Duration, most: Duration) -> Result<Duration, String> {
    let time = u64::try_from(nanos).map(Duration::from_nanos).unwrap_or(Duration::MAX);
    if (least..=most).contains(&time) { Ok(time) } else { Err(format!("{text:?}: expected {least:?} to {most:?}")) }
}

/// Seconds with a fraction, exactly, in nanoseconds: `2.5`, `.5`.
pub(crate) fn decimal(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |t: &str| t.len() <= 18 && t.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.is_empty() || text.is_empty() {
        return None;
    }
    let fraction = format!("{fraction:0<9}");
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    Some(whole * SECOND + fraction.get(..9)?.parse::<i128>().ok()?)
}

/// Nanoseconds as text in milliseconds: `10.304 ms`, the form of all round trips and delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millis(pub i64);

impl Millis {
    /// The difference of two times in nanoseconds.
    pub fn of(nanos: i128) -> Millis {
        Millis(i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Appends the text, bypassing the formatting machinery.
    pub fn append(self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = self.write(text);
    }

    fn write(self, to: &mut impl fmt::Write) -> fmt::Result {
        let micros = self.0.unsigned_abs() / 1000;
        let mut digits = itoa::Buffer::new();
        if self.0 < 0 {
            to.write_str("-")?;
        }
        to.write_str(digits.format(micros / 1000))?;
        to.write_str(".")?;
        // The leading 1 preserves zeros and is cut off.
        to.write_str(digits.format(1000 + micros % 1000).get(1..).unwrap_or(""))?;
        to.write_str(" ms")
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// The number `value` times 10^-`digits`, shown exactly and with as few digits as possible. At most 19 digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    pub value: i128,
    pub digits: u32,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, all) = (10u128.pow(self.digits), self.value.unsigned_abs());
        let (mut fraction, mut width) = ((all % one) as u64, self.digits as usize);
        while width > 1 && fraction % 10 == 0 {
            (fraction, width) = (fraction / 10, width - 1);
        }
        let sign = if self.value < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{fraction:0width$}", all / one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let text = |value, digits| Decimal { value, digits }.to_string();
        assert_eq!(text(535, 7), "0.0000535");
        assert_eq!(text(-535, 7), "-0.0000535");
        assert_eq!(text(2_000_000, 6), "2.0");
        assert_eq!(text(0, 18), "0.0");
        assert_eq!(text(1, 19), "0.0000000000000000001");
        assert_eq!(text(i128::from(i64::MIN) * 5, 19), "-4.611686018427387904");
    }

    #[test]
    fn units_where_they_are_needed() {
        assert_eq!(with_unit("200"), Err("\"200\" has no unit: 200ms or 200s?".into()));
        for (text, expected) in [("0", 0), ("0.0", 0), ("200ms", SECOND / 5), (".5s", SECOND / 2)] {
            assert_eq!(with_unit(text), Ok(expected), "{text}");
        }
        let (least, most) = (Duration::ZERO, Duration::from_secs(60));
        assert_eq!(between("5s", least, most), Ok(Duration::from_secs(5)));
        assert_eq!(seconds("5", least, most), Ok(Duration::from_secs(5)));
        assert!(between("5", least, most).is_err() && seconds("61", least, most).is_err());
    }

    #[test]
    fn what_people_write() {
        for (text, expected) in [
            ("5", 5 * SECOND),
            ("5s", 5 * SECOND),
            ("0.5", SECOND / 2),
            (".5", SECOND / 2),
            ("500ms", SECOND / 2),
            ("1.5ms", 1_500_000),
            ("20us", 20_000),
            ("7ns", 7),
            ("1m30s", 90 * SECOND),
            ("1h2min3.5s", 3723 * SECOND + SECOND / 2),
            ("2d", 172_800 * SECOND),
            ("0", 0),
        ] {
            assert_eq!(nanos(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors_have_their_place() {
        for (text, column) in [
            ("", 1),
            ("x", 1),
            ("s", 1),
            ("-5s", 1),
            ("1..2", 1),
            ("5.", 1),
            ("5 s", 2),
            ("10x", 3),
            ("1m30", 5),
            ("1m3x", 4),
            ("1mé", 3),
            ("5é", 2),
            ("9999999999999999999", 1),
        ] {
            let error = nanos(text).expect_err(text);
            assert_eq!(error.column, column, "{error}");
        }
    }

    #[test]
    fn limits() {
        let (least, most) = (Duration::from_millis(10), Duration::from_secs(600));
        assert_eq!(between("10m", least, most), Ok(most));
        assert_eq!(between("9ms", least, most), Err("\"9ms\": expected 10ms to 600s".into()));
        assert!(between("999999999d", least, most).is_err());
        // More than 128 bits hold.
        assert!(between("9999999999999999d", least, most).is_err());
    }

    #[test]
    fn milliseconds() {
        for (nanos, text) in [
            (26_000, "0.026 ms"),
            (10_304_999, "10.304 ms"),
            (0, "0.000 ms"),
            (-1_500_000, "-1.500 ms"),
            (90_000_000_000, "90000.000 ms"),
        ] {
            assert_eq!(Millis(nanos).to_string(), text);
        }
        assert_eq!(Millis::of(i128::MAX), Millis(i64::MAX));
        assert!(Millis(i64::MIN).to_string().starts_with("-9223372036854.775"));
    }
}
