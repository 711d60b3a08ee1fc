//! The text around a message's tree: the header line, the fault, the notes.

use super::line_writer::LineWriter;
use super::times::{Clock, TimeForm};
use crate::codec::{Fault, Level};
use crate::dissect::{Message, Role};
use std::fmt::Write;

/// Writes the line above a tree: frame, time, direction, protocol, message, length, and the addresses if there is room
/// for them.
pub fn header(
    message: &Message<'_>,
    form: TimeForm,
    clock: &mut Clock,
    width: usize,
    verbose: bool,
    line: &mut LineWriter<'_>,
) {
    let (dissection, place) = (message.dissection, message.place);
    if place.frame > 0 {
        line.painted(line.palette.dim, "#").int(place.frame);
        if place.frames.len() > 1 {
            line.put(" (").int(place.frames.len()).put(" frames)");
        }
        line.put("  ");
        line.paint(line.palette.dim);
        clock.show(form, place.time, line);
        line.reset().put("  ");
    }
    let ends = message.flow_info.ends.is_some();
    match dissection.from {
        Role::Unknown if ends => addresses(message, line),
        Role::Unknown => {}
        from => {
            role(from, line);
            line.put(" → ");
            role(from.other(), line);
            line.put("  ");
        }
    }
    name(message, line);
    line.put("  ");
    line.paint(line.palette.dim).int(place.length).put(if place.length == 1 { " byte" } else { " bytes" });
    if place.bytes.len() != place.length {
        line.put(" (").int(place.bytes.len()).put(" captured)");
    }
    line.reset();
    if ends && dissection.from != Role::Unknown {
        let mark = line.mark();
        line.put("  ");
        addresses(message, line);
        flow(message, line);
        // If the addresses do not fit, the conversation's number distinguishes clients.
        if line.column() > width && !verbose {
            line.back(mark);
            line.put("  ");
            flow(message, line);
        }
    }
    line.newline();
}

fn flow(message: &Message<'_>, line: &mut LineWriter<'_>) {
    if message.flow_info.flow == 0 {
        return;
    }
    line.paint(line.palette.dim).put("flow ").int(message.flow_info.flow).reset();
}

/// Writes protocol, version and message.
pub fn name(message: &Message<'_>, line: &mut LineWriter<'_>) {
    line.name(message.dissection.proto);
    if let Some(version) = message.dissection.version {
        line.put(" ").name(version);
    }
    line.put(" ");
    line.paint(line.palette.title);
    line.name(message.dissection.message).reset();
    if let Some((part, of)) = message.dissection.part {
        line.put(" ").uint(u64::from(part)).put("/").uint(u64::from(of));
    }
}

fn role(role: Role, line: &mut LineWriter<'_>) {
    let colour = if role == Role::Server { line.palette.server } else { line.palette.client };
    line.painted(colour, role.name());
}

fn addresses(message: &Message<'_>, line: &mut LineWriter<'_>) {
    line.put(message.src()).put(" → ").put(message.dst()).put("  ");
}

/// Writes the fault, if there is one.
pub fn fault(message: &Message<'_>, width: usize, line: &mut LineWriter<'_>) {
    if let Some(fault) = &message.dissection.fault {
        one_fault(fault, width, line);
    }
}

fn one_fault(fault: &Fault, width: usize, line: &mut LineWriter<'_>) {
    line.put("  ");
    line.paint(line.palette.error);
    line.put("✗ ");
    // A LineWriter cannot fail.
    let _ = write!(Wrapped { line, width }, "{fault}");
    line.reset().newline();
}

/// Writes the notes, one below the other.
pub fn notes(message: &Message<'_>, width: usize, line: &mut LineWriter<'_>) {
    for (note, text) in message.dissection.notes.iter() {
        let (colour, sign) = level(note.level, line);
        line.put("  ").paint(colour).put(sign).put(" ").put(note.code);
        line.reset();
        if !text.is_empty() {
            line.put(": ");
            let _ = Wrapped { line, width }.write_str(text);
        }
        line.newline();
    }
}

/// Returns the colour and sign of a level.
pub fn level(level: Level, line: &LineWriter<'_>) -> (&'static str, &'static str) {
    match level {
        Level::Note => (line.palette.note, "•"),
        Level::Warning => (line.palette.warning, "!"),
        Level::Error => (line.palette.error, "✗"),
    }
}

/// Wraps text at blanks; continuation lines are indented to its start.
struct Wrapped<'a, 'b> {
    line: &'a mut LineWriter<'b>,
    width: usize,
}

impl Write for Wrapped<'_, '_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for (k, word) in text.split(' ').enumerate() {
            if k > 0 {
                if self.line.column() + 1 + word.len() > self.width && self.line.column() > 4 {
                    self.line.newline();
                    self.line.pad(4);
                } else {
                    self.line.put(" ");
                }
            }
            self.line.untrusted(word);
        }
        Ok(())
    }
}
