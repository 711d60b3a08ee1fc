//! Times, as text: seconds, the time of day, and what people want them counted from.

use super::line_writer::LineWriter;
use crate::capture::Time;
use crate::codec::json::numbers::{digits, int, time_of_day};

/// How times are shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// Since the capture's first frame.
    Relative,
    /// Since the one before.
    Delta,
    /// The day and the time of day, UTC.
    Utc,
    /// Seconds since 1970.
    Epoch,
}

/// What times are counted from: the capture's first frame (or the first message, where nobody has
/// told of a frame), and the message before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    first: Option<Time>,
    before: Option<Time>,
}

impl Clock {
    /// A capture begins, at this time.
    pub fn origin(&mut self, time: Time) {
        *self = Clock { first: Some(time), before: None };
    }

    /// Writes a time in this form.
    pub fn show(&mut self, form: TimeForm, time: Time, line: &mut LineWriter<'_>) {
        match form {
            TimeForm::Relative => since(*self.first.get_or_insert(time), time, line),
            TimeForm::Delta => since(self.before.replace(time).unwrap_or(time), time, line),
            TimeForm::Epoch => line.appended(|out| seconds(time, out)),
            TimeForm::Utc => {
                let (year, month, day) = crate::capture::civil(time.secs.div_euclid(86_400));
                line.int(year);
                for part in [month, day] {
                    line.put(if part < 10 { "-0" } else { "-" });
                    line.int(part);
                }
                line.put("T");
                clock(time, line);
                line.put("Z");
            }
        }
    }
}

/// Writes how long after `start` this was: `+1.004217`, with the capture's digits.
fn since(start: Time, time: Time, line: &mut LineWriter<'_>) {
    let nanos = time.since(start);
    let digits = time.digits.min(9) as usize;
    let (secs, frac) = (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    line.put(if nanos < 0 { "-" } else { "+" });
    line.int(secs);
    if digits > 0 {
        let mut text = [b'0'; 9];
        let mut left = frac as u32;
        for digit in text.iter_mut().rev() {
            *digit += (left % 10) as u8;
            left /= 10;
        }
        line.put(".");
        text[..digits].iter().for_each(|d| line.ascii(*d));
    }
}

/// The time of day, UTC.
pub(super) fn clock(time: Time, line: &mut LineWriter<'_>) {
    let day = time.secs.rem_euclid(86_400) as u64;
    line.appended(|out| {
        time_of_day(day / 3600, day / 60 % 60, day % 60, out);
        if time.digits > 0 {
            out.push(b'.');
            fraction(time, out);
        }
    });
}

/// Seconds with every digit of the capture's resolution.
#[inline]
pub fn seconds(time: Time, out: &mut Vec<u8>) {
    let (negative, secs, frac) = time.magnitude();
    if negative {
        out.push(b'-');
    }
    int(secs, out);
    if time.digits > 0 {
        out.push(b'.');
        digits(frac, time.digits as usize, out);
    }
}

/// The digits behind the point, where time counts forward: of a time of day, or after the epoch.
#[inline]
pub fn fraction(time: Time, out: &mut Vec<u8>) {
    digits(time.frac, time.digits as usize, out);
}
