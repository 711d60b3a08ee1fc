//! The Gregorian calendar in UTC, and clocks that protocols count by.

use super::json::numbers::{digits, int, time_of_day};

/// Days from 1970-01-01 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // With years beginning in March, the leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let in_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year - 719_468
}

/// The date (year, month, day) that is `days` days after 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, in_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
}

/// Appends the day and the time of day of a second since 1970: `2026-11-22T07:00:01`.
#[cold]
pub fn day_and_clock(secs: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil(secs.div_euclid(86_400));
    match year {
        0..1000 => digits(year.unsigned_abs(), 4, out),
        _ => int(year, out),
    }
    for part in [month, day] {
        out.push(b'-');
        digits(part.unsigned_abs(), 2, out);
    }
    out.push(b'T');
    let of_day = secs.rem_euclid(86_400) as u64;
    time_of_day(of_day / 3600, of_day / 60 % 60, of_day % 60, out);
}

/// Parses a date with or without a time of day: `2026-11-22`, `2026-11-22 07:00`, `2026-11-22T07:00:01.5Z`. Returns the
/// second since 1970 at which its minute begins, and the text of the seconds after that.
pub fn minute(text: &str) -> Option<(i64, &str)> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let number = |t: &str, width: usize| {
        (t.len() == width && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse::<i64>().ok()).flatten()
    };
    let mut parts = day.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let days = days(year, month, day);
    let mut parts = time.split(':');
    let (hour, minute, second) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?, parts.next().unwrap_or("0"));
    let good = civil(days) == (year, month, day) && parts.next().is_none() && hour < 24 && minute < 60;
    good.then_some((days * 86_400 + hour * 3600 + minute * 60, second))
}

/// A number that means a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Seconds since 1970.
    Unix,
    /// Milliseconds since 1970.
    UnixMillis,
    /// Seconds since 1900 in the upper 32 bits, their fraction in the lower ones. The seconds of 2036 and later have a
    /// highest bit of zero. 0 means that the time is not known.
    Ntp,
}

/// Seconds from 1900 to 1970.
const BEFORE_1970: i128 = 2_208_988_800;
/// The first second of the year 1, and the last one of the year 9999.
const YEARS: (i128, i128) = (-62_135_596_800, 253_402_300_799);
/// Units of the last decimal of an NTP time in a second. Each fraction has one text, since there are more than 2^32.
const NTP_DECIMALS: i128 = 10_000_000_000;

crate::named!(Clock: Unix = "unix", UnixMillis = "unix_ms", Ntp = "ntp");

impl Clock {
    /// The number of decimals of a second.
    fn decimals(self) -> usize {
        match self {
            Clock::Unix => 0,
            Clock::UnixMillis => 3,
            Clock::Ntp => 10,
        }
    }

    /// The second since 1970 and the decimals after it; `None`: the number means no time in the years 1 to 9999.
    pub fn time(self, number: i128) -> Option<(i64, u64)> {
        let (secs, fraction) = match self {
            Clock::Unix => (number, 0),
            Clock::UnixMillis => (number.div_euclid(1000), number.rem_euclid(1000)),
            Clock::Ntp if number == 0 => return None,
            Clock::Ntp => {
                let (secs, fraction) = (number >> 32, number & 0xffff_ffff);
                let later = i128::from(secs < 1 << 31) << 32;
                (secs + later - BEFORE_1970, (fraction * NTP_DECIMALS + (1 << 31)) >> 32)
            }
        };
        (YEARS.0..=YEARS.1).contains(&secs).then_some((secs as i64, fraction as u64))
    }

    /// The second since 1970 that a number means; `None`: it means no time in the years 1 to 9999.
    pub fn seconds(self, number: i128) -> Option<i64> {
        Some(self.time(number)?.0)
    }

    /// Whether a number means a time in the years 1 to 9999.
    pub fn means(self, number: i128) -> bool {
        self.time(number).is_some()
    }

    /// Appends the time that a number means: `2026-11-22T07:00:01.250Z`. A number that means none is appended as it is.
    pub fn show(self, number: i128, out: &mut Vec<u8>) {
        let Some((secs, fraction)) = self.time(number) else { return int(number, out) };
        day_and_clock(secs, out);
        if self.decimals() > 0 {
            out.push(b'.');
            digits(fraction, self.decimals(), out);
        }
        out.push(b'Z');
    }

    /// The text of [`Clock::show`].
    pub fn text(self, number: i128) -> String {
        let mut text = Vec::new();
        self.show(number, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Returns the number that means this time; `None` if the text is no time, or a more exact one than numbers are.
    pub fn number(self, text: &str) -> Option<i128> {
        let (minute, second) = minute(text)?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (second, fraction) = match second.split_once('.') {
            Some((second, fraction)) if digits(fraction) => (second, fraction),
            Some(_) => return None,
            None => (second, ""),
        };
        let second =
            if digits(second) { second.parse::<u8>().ok().filter(|second| *second <= 60)? } else { return None };
        let secs = i128::from(minute) + i128::from(second);
        let (fraction, beyond) = fraction.split_at_checked(self.decimals()).unwrap_or((fraction, ""));
        if beyond.bytes().any(|digit| digit != b'0') {
            return None;
        }
        let fraction = format!("{fraction:0<width$}", width = self.decimals());
        let fraction = if fraction.is_empty() { 0 } else { fraction.parse::<i128>().ok()? };
        match self {
            Clock::Unix => Some(secs),
            Clock::UnixMillis => Some(secs * 1000 + fraction),
            Clock::Ntp => {
                let number = ((secs + BEFORE_1970) << 32) + ((fraction << 32) + NTP_DECIMALS / 2) / NTP_DECIMALS;
                let since_1968 = number - (1 << 63);
                (0..1 << 64).contains(&since_1968).then_some(number & u64::MAX as i128)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for n in (-800_000..800_000).step_by(37) {
            let (year, month, day) = civil(n);
            assert_eq!(days(year, month, day), n);
        }
        assert_eq!(civil(0), (1970, 1, 1));
    }

    #[test]
    fn times_of_each_clock() {
        for (clock, number, text) in [
            (Clock::Unix, 0, "1970-01-01T00:00:00Z"),
            (Clock::Unix, -1, "1969-12-31T23:59:59Z"),
            // As given by `date -u -d @1795229852`.
            (Clock::Unix, 1_795_229_852, "2026-11-21T02:57:32Z"),
            (Clock::Unix, YEARS.0, "0001-01-01T00:00:00Z"),
            (Clock::Unix, YEARS.1, "9999-12-31T23:59:59Z"),
            (Clock::UnixMillis, -1, "1969-12-31T23:59:59.999Z"),
            (Clock::UnixMillis, 1_795_229_852_007, "2026-11-21T02:57:32.007Z"),
            // The first second that has the highest bit, the last one, and the one after it.
            (Clock::Ntp, 1 << 63, "1968-01-20T03:14:08.0000000000Z"),
            (Clock::Ntp, u64::MAX as i128, "2036-02-07T06:28:15.9999999998Z"),
            (Clock::Ntp, 1, "2036-02-07T06:28:16.0000000002Z"),
            (Clock::Ntp, (1 << 63) - 1, "2104-02-26T09:42:23.9999999998Z"),
        ] {
            assert_eq!((&*clock.text(number), clock.number(text)), (text, Some(number)));
            assert!(clock.means(number));
        }
        for (clock, number) in [(Clock::Unix, YEARS.1 + 1), (Clock::Unix, u64::MAX as i128), (Clock::Ntp, 0)] {
            assert_eq!((clock.text(number), clock.means(number)), (number.to_string(), false));
        }
        // Short forms, and digits that the clock has not.
        assert_eq!(Clock::Unix.number("2026-11-21"), Some(1_795_219_200));
        assert_eq!(Clock::UnixMillis.number("2026-11-21T02:57:32.5"), Some(1_795_229_852_500));
        for wrong in ["", "7", "2026-02-29", "2026-11-21T02:57:32.5", "2026-11-21T02:57:61", "2026-11-21T02:57:", "x"] {
            assert_eq!(Clock::Unix.number(wrong), None, "{wrong}");
        }
        assert_eq!(Clock::Ntp.number("1968-01-20T03:14:07Z"), None);
        assert_eq!(Clock::Ntp.number("2104-02-26T09:42:24Z"), None);
        assert_eq!(Clock::UnixMillis.number("2026-11-21T02:57:32.0001"), None);
        assert_eq!(Clock::Unix.number("2026-11-21T02:57:32.000"), Some(1_795_229_852));
    }

    proptest! {
        #[test]
        fn each_number_has_a_time_of_its_own(number in any::<u64>(), near in any::<u16>()) {
            for number in [number, u64::from(near), u64::MAX - u64::from(near), (1 << 63) + u64::from(near)] {
                let number = i128::from(number);
                if number != 0 {
                    prop_assert_eq!(Clock::Ntp.number(&Clock::Ntp.text(number)), Some(number));
                }
                let signed = i128::from(number as i64);
                for clock in [Clock::Unix, Clock::UnixMillis] {
                    prop_assert_eq!(clock.number(&clock.text(signed)), Some(signed).filter(|_| clock.means(signed)));
                }
            }
        }
    }
}
