//! What stands around a message's tree: the line above it, its fault, its notes.

use super::pen::Pen;
use crate::capture::Time;
use crate::codec::{Fault, Level};
use crate::dissect::{Message, Role};
use std::fmt::Write;

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
    pub fn show(&mut self, form: TimeForm, time: Time, pen: &mut Pen<'_>) {
        match form {
            TimeForm::Relative => since(*self.first.get_or_insert(time), time, pen),
            TimeForm::Delta => since(self.before.replace(time).unwrap_or(time), time, pen),
            TimeForm::Epoch => pen.appended(|out| super::envelope::time(time, out)),
            TimeForm::Utc => {
                let (year, month, day) = crate::capture::civil(time.secs.div_euclid(86_400));
                pen.int(year);
                for part in [month, day] {
                    pen.put(if part < 10 { "-0" } else { "-" });
                    pen.int(part);
                }
                pen.put("T");
                super::summary::clock(time, pen);
                pen.put("Z");
            }
        }
    }
}

/// Writes how long after `start` this was: `+1.004217`, with the capture's digits.
fn since(start: Time, time: Time, pen: &mut Pen<'_>) {
    let nanos = time.since(start);
    let digits = time.digits.min(9) as usize;
    let (secs, frac) = (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    pen.put(if nanos < 0 { "-" } else { "+" });
    pen.int(secs);
    if digits > 0 {
        let mut text = [b'0'; 9];
        let mut left = frac as u32;
        for digit in text.iter_mut().rev() {
            *digit += (left % 10) as u8;
            left /= 10;
        }
        pen.put(".");
        text[..digits].iter().for_each(|d| pen.ascii(*d));
    }
}

/// The line above a tree: frame, time, direction, protocol, message, length, and the addresses
/// where there is room for them.
pub fn header(
    message: &Message<'_>,
    (form, clock): (TimeForm, &mut Clock),
    width: usize,
    verbose: bool,
    pen: &mut Pen<'_>,
) {
    let (draft, place) = (message.draft, message.place);
    if place.frame > 0 {
        pen.painted(pen.palette.dim, "#");
        pen.int(place.frame);
        if place.frames.len() > 1 {
            pen.put(" (");
            pen.int(place.frames.len());
            pen.put(" frames)");
        }
        pen.put("  ");
        pen.paint(pen.palette.dim);
        clock.show(form, place.time, pen);
        pen.reset();
        pen.put("  ");
    }
    let ends = message.talk.ends.is_some();
    match draft.from {
        Role::Unknown if ends => addresses(message, pen),
        Role::Unknown => {}
        from => {
            role(from, pen);
            pen.put(" → ");
            role(from.other(), pen);
            pen.put("  ");
        }
    }
    name(message, pen);
    pen.put("  ");
    pen.paint(pen.palette.dim);
    pen.int(place.length);
    pen.put(if place.length == 1 { " byte" } else { " bytes" });
    if place.bytes.len() != place.length {
        pen.put(" (");
        pen.int(place.bytes.len());
        pen.put(" captured)");
    }
    pen.reset();
    if ends && draft.from != Role::Unknown {
        let mark = pen.mark();
        pen.put("  ");
        addresses(message, pen);
        flow(message, pen);
        // Without room for the addresses the conversation's number tells clients apart.
        if pen.column > width && !verbose {
            pen.back(mark);
            pen.put("  ");
            flow(message, pen);
        }
    }
    pen.newline();
}

fn flow(message: &Message<'_>, pen: &mut Pen<'_>) {
    if message.talk.flow == 0 {
        return;
    }
    pen.paint(pen.palette.dim);
    pen.put("flow ");
    pen.int(message.talk.flow);
    pen.reset();
}

/// Protocol, version and message.
pub fn name(message: &Message<'_>, pen: &mut Pen<'_>) {
    pen.name(message.draft.proto);
    if let Some(version) = message.draft.version {
        pen.put(" ");
        pen.name(version);
    }
    pen.put(" ");
    pen.paint(pen.palette.title);
    pen.name(message.draft.message);
    pen.reset();
}

fn role(role: Role, pen: &mut Pen<'_>) {
    let colour = if role == Role::Server { pen.palette.server } else { pen.palette.client };
    pen.painted(colour, role.name());
}

fn addresses(message: &Message<'_>, pen: &mut Pen<'_>) {
    pen.put(message.src());
    pen.put(" → ");
    pen.put(message.dst());
    pen.put("  ");
}

/// The fault, if there is one.
pub fn fault(message: &Message<'_>, width: usize, pen: &mut Pen<'_>) {
    if let Some(fault) = &message.draft.fault {
        one_fault(fault, width, pen);
    }
}

fn one_fault(fault: &Fault, width: usize, pen: &mut Pen<'_>) {
    pen.put("  ");
    pen.paint(pen.palette.error);
    pen.put("✗ ");
    // The pen takes everything.
    let _ = write!(Wrapped { pen, width }, "{fault}");
    pen.reset();
    pen.newline();
}

/// The notes, one below the other.
pub fn notes(message: &Message<'_>, width: usize, pen: &mut Pen<'_>) {
    for (note, text) in message.draft.notes.iter() {
        let (colour, sign) = level(note.level, pen);
        pen.put("  ");
        pen.paint(colour);
        pen.put(sign);
        pen.put(" ");
        pen.put(note.code);
        pen.reset();
        if !text.is_empty() {
            pen.put(": ");
            let _ = Wrapped { pen, width }.write_str(text);
        }
        pen.newline();
    }
}

/// A level's colour and sign.
pub fn level(level: Level, pen: &Pen<'_>) -> (&'static str, &'static str) {
    match level {
        Level::Note => (pen.palette.note, "•"),
        Level::Warning => (pen.palette.warning, "!"),
        Level::Error => (pen.palette.error, "✗"),
    }
}

/// Text broken at blanks where the line is full, continued below its own start.
struct Wrapped<'a, 'b> {
    pen: &'a mut Pen<'b>,
    width: usize,
}

impl Write for Wrapped<'_, '_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for (k, word) in text.split(' ').enumerate() {
            if k > 0 {
                if self.pen.column + 1 + word.len() > self.width && self.pen.column > 4 {
                    self.pen.newline();
                    self.pen.pad(4);
                } else {
                    self.pen.put(" ");
                }
            }
            self.pen.foreign(word);
        }
        Ok(())
    }
}
