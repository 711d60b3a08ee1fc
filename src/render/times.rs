//! Times as text: seconds, or the time of day, with the origin that people choose.

use super::line_writer::LineWriter;
use crate::capture::Time;
use crate::codec::calendar::day_and_clock;
use crate::codec::json::numbers::{digits, int};
use crate::codec::quoted::Short;

/// Below this width, addresses would take half of the line and are left out.
pub(super) const NARROW: usize = 132;

/// The form of times for people.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// Since the capture's first frame.
    Relative,
    /// Since the one before.
    Delta,
    /// The day and the time of day, UTC.
    Utc,
    /// The day and the time of day where the program runs, with its offset from UTC.
    #[cfg(feature = "cli")]
    Local,
    /// Seconds since 1970.
    Epoch,
}

impl TimeForm {
    /// Returns the default form: relative on a terminal, since absolute times with their day take a third of a line.
    pub fn usual(width: Option<usize>) -> TimeForm {
        if width.is_some() { TimeForm::Relative } else { TimeForm::Utc }
    }
}

/// Returns a time as the day and the time of day, UTC.
pub(crate) fn utc(time: Time) -> String {
    let mut out = Vec::new();
    Clock::default().plain(TimeForm::Utc, time, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The origins of relative times: the capture's first frame (or the first message, if no frame is known), and the
/// previous message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    first: Option<Time>,
    before: Option<Time>,
    second: Second,
}

impl Clock {
    /// Starts a capture at this time.
    pub fn origin(&mut self, time: Time) {
        (self.first, self.before) = (Some(time), None);
    }

    /// Writes a time in this form.
    pub fn show(&mut self, form: TimeForm, time: Time, line: &mut LineWriter<'_>) {
        match form {
            TimeForm::Relative => since(*self.first.get_or_insert(time), time, line),
            TimeForm::Delta => since(self.before.replace(time).unwrap_or(time), time, line),
            TimeForm::Epoch if time.secs >= 0 => _ = line.appended(|out| self.second.append(time, out, int)),
            TimeForm::Epoch => _ = line.appended(|out| seconds(time, out)),
            TimeForm::Utc => _ = line.appended(|out| self.second.append(time, out, day_and_clock)).put("Z"),
            #[cfg(feature = "cli")]
            TimeForm::Local => {
                let offset = local_offset(time.secs);
                let there = Time { secs: time.secs.saturating_add(offset), ..time };
                line.appended(|out| self.second.append(there, out, day_and_clock));
                line.put(if offset < 0 { "-" } else { "+" });
                let minutes = offset.unsigned_abs() / 60;
                for (part, after) in [(minutes / 60, ":"), (minutes % 60, "")] {
                    line.put(if part < 10 { "0" } else { "" }).uint(part).put(after);
                }
            }
        }
    }

    /// Appends a time for programs: `relative` and `delta` are seconds.
    pub fn plain(&mut self, form: TimeForm, time: Time, out: &mut Vec<u8>) {
        let start = out.len();
        self.show(form, time, &mut LineWriter::new(out, false));
        if out.get(start) == Some(&b'+') {
            out.remove(start);
        }
    }
}

/// Returns the seconds that local time is ahead of UTC at that time, according to `TZ` or the system, with daylight
/// saving time. The seconds of old local mean times are left out, as in every offset that is printed.
#[cfg(feature = "cli")]
fn local_offset(secs: i64) -> i64 {
    use chrono::{DateTime, Local, Offset, TimeZone};
    let utc = DateTime::from_timestamp(secs, 0).map(|at| at.naive_utc());
    let offset = utc.map_or(0, |at| Local.offset_from_utc_datetime(&at).fix().local_minus_utc());
    i64::from(offset) / 60 * 60
}

/// Caches the text of a time's whole second, since few lines begin another one. Saves 350 of 3,805 instructions a
/// message of a summary, 93 of 2,696 of ndjson (see [`crate::render`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Second {
    /// The second, and its state: nothing cached (0), no decimals (1), decimals follow (2).
    of: (i64, u8),
    /// Its text, with the decimal point if there is one.
    text: Short,
}

impl Second {
    /// Returns the second of a time as `write` formats it, with the decimal point if decimals follow. Each user must
    /// format all seconds in the same way, in less than [`Short::ROOM`] bytes.
    #[inline(always)]
    pub fn text(&mut self, time: Time, write: impl FnOnce(i64, &mut Vec<u8>)) -> &Short {
        let point = time.digits > 0;
        let of = (time.secs, 1 + u8::from(point));
        if self.of != of {
            self.of = of;
            self.set(time.secs, point, write);
        }
        &self.text
    }

    #[cold]
    #[inline(never)]
    fn set(&mut self, secs: i64, point: bool, write: impl FnOnce(i64, &mut Vec<u8>)) {
        let mut text = Vec::with_capacity(Short::ROOM);
        write(secs, &mut text);
        if point {
            text.push(b'.');
        }
        self.text.set(&text);
    }

    /// Appends a time: its [second](Second::text) and its decimals, if it has any.
    #[inline]
    pub fn append(&mut self, time: Time, out: &mut Vec<u8>, write: impl FnOnce(i64, &mut Vec<u8>)) {
        self.text(time, write).append(out);
        if time.digits > 0 {
            digits(time.frac, time.digits as usize, out);
        }
    }
}

/// Writes the time between `start` and `time`: `+1.004217`, with the capture's digits.
fn since(start: Time, time: Time, line: &mut LineWriter<'_>) {
    let nanos = time.since(start);
    let (secs, frac) = (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    line.put(if nanos < 0 { "-" } else { "+" }).int(secs);
    let count = u32::from(time.digits.min(9));
    if count > 0 {
        line.put(".").appended(|out| digits(frac as u64 / 10u64.pow(9 - count), count as usize, out));
    }
}

/// Writes seconds with every digit of the capture's resolution.
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
