//! Conversations for people: the client's messages on the left, the server's on the right, with the times at the left
//! edge. A response that follows immediately is printed beside its request.

use super::form::Form;
use super::line_writer::LineWriter;
use super::style::Style;
use super::summary;
use crate::capture::Time;
use crate::codec::Level;
use crate::dissect::{Message, RelationKind, Role, Target, Wants};
use rustc_hash::FxHashMap;

/// The width without a terminal.
const WIDTH: usize = 120;
/// The columns of the times at the left.
const TIMES: usize = 14;
/// The blank columns between the two sides.
const BETWEEN: usize = 2;
/// The minimum width of a side.
const LEAST: usize = 20;
/// The number of conversations whose last times are kept. Beyond it, times start anew.
const CONVERSATIONS: usize = 4096;

/// Writes dialogues.
#[derive(Debug)]
pub struct Dialogue {
    style: Style,
    /// The conversation of the last line, and the time of the last message of each conversation.
    flow: u64,
    last: FxHashMap<u64, Time>,
    row: Row,
    cell: Vec<u8>,
}

/// A line that is held back until it is known whether a response belongs beside it.
#[derive(Debug, Default)]
struct Row {
    /// The line so far, and its width. Empty: no line is held.
    text: Vec<u8>,
    width: usize,
    /// The message and its time, for responses to refer to.
    target: Target,
    time: Time,
    /// Whether the right side is free: the message is on the left.
    open: bool,
}

/// The reference from a response to its request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// It is beside its request, this many nanoseconds after it.
    After(i128),
    /// It has its own line and names the request's frame.
    To(u64),
}

impl Dialogue {
    /// Creates a writer for this terminal.
    pub fn new(style: Style) -> Dialogue {
        Dialogue { style, flow: 0, last: FxHashMap::default(), row: Row::default(), cell: Vec::new() }
    }
}

impl Form for Dialogue {
    fn reads(&self) -> Wants {
        Wants::DERIVED | Wants::RELATIONS
    }

    /// Writes the line that is held, so that a watching user sees the message at once. Its response then gets its own
    /// line.
    fn pause(&mut self, out: &mut Vec<u8>) {
        if !self.row.text.is_empty() {
            out.extend_from_slice(&self.row.text);
            out.push(b'\n');
            self.row.text.clear();
        }
    }

    /// Begins another file, whose conversations have the same numbers.
    fn origin(&mut self, _: Time) {
        self.last.clear();
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let (place, flow) = (message.place, message.flow_info.flow);
        let side = (self.style.width.unwrap_or(WIDTH).saturating_sub(TIMES + BETWEEN) / 2).max(LEAST);
        let right = match message.dissection.from {
            Role::Server => true,
            Role::Client => false,
            Role::Unknown => place.side.index() == 1,
        };
        if flow != self.flow || self.last.is_empty() {
            self.pause(out);
            self.heading(message, out);
            self.flow = flow;
        }
        let before = match self.last.len() {
            CONVERSATIONS.. => {
                self.last.clear();
                None
            }
            _ => self.last.get(&flow).copied(),
        };
        self.last.insert(flow, place.time);
        let mut relations = message.dissection.related.iter();
        let answers = relations.any(|one| one.kind == RelationKind::Answers && one.target == self.row.target);
        if right && answers && self.row.open && !self.row.text.is_empty() {
            let after = Answer::After(place.time.since(self.row.time));
            let width = self.cell(message, Some(after), side);
            self.put(TIMES + side + BETWEEN, width);
            self.row.open = false;
            return;
        }
        self.pause(out);
        let to = message.dissection.related.iter().find(|one| one.kind == RelationKind::Answers);
        let width = self.cell(message, to.map(|one| Answer::To(one.target.frame)), side);
        let target = Target { frame: place.frame, index: message.dissection.index };
        self.row = Row { target, time: place.time, open: !right, ..Row::default() };
        let mut line = LineWriter::new(&mut self.row.text, self.style.colour);
        if place.frame > 0 {
            line.paint(line.palette.dim);
            millis(before.map_or(0, |before| place.time.since(before)), true, &mut line);
            line.reset();
        }
        self.row.width = line.column();
        self.put(if right { TIMES + side + BETWEEN } else { TIMES }, width);
    }
}

impl Dialogue {
    /// Appends the cell to the row, at this column.
    fn put(&mut self, column: usize, width: usize) {
        let blanks = column.saturating_sub(self.row.width).max(1);
        self.row.text.resize(self.row.text.len() + blanks, b' ');
        self.row.text.extend_from_slice(&self.cell);
        self.row.width += blanks + width;
    }

    /// Writes a message into the cell, within a side's columns. Returns its width.
    fn cell(&mut self, message: &Message<'_>, answer: Option<Answer>, side: usize) -> usize {
        let (dissection, place) = (message.dissection, message.place);
        let again = dissection.related.iter().any(|one| one.kind == RelationKind::CopyOf);
        self.cell.clear();
        // A repeated message is dim as a whole.
        let mut line = LineWriter::new(&mut self.cell, self.style.colour && !again);
        if again && self.style.colour {
            line.paint(super::palette::COLOURS.dim);
        }
        if place.frame > 0 {
            line.paint(line.palette.dim);
            line.uint(place.frame).reset().put(" ");
        }
        if let Some(Answer::After(nanos)) = answer {
            line.paint(line.palette.derived);
            millis(nanos, false, &mut line);
            line.reset().put(" ");
        }
        line.paint(line.palette.title);
        line.name(dissection.message).reset();
        if again {
            line.put(" (again)");
        }
        if let Some(Answer::To(frame)) = answer {
            line.paint(line.palette.derived);
            line.put(" (to ").uint(frame).put(")").reset();
        }
        let wrong = dissection.fault.is_some() || dissection.notes.worst() >= Some(Level::Warning);
        let marks = if wrong { summary::marks_width(message, Level::Warning) } else { 0 };
        summary::fields(message, side.saturating_sub(marks), &mut line);
        if wrong {
            summary::marks_of(message, Level::Warning, &mut line);
        }
        let width = line.column();
        if again && self.style.colour {
            line.paint(super::palette::COLOURS.reset);
        }
        width
    }

    /// Writes the line that names the conversation.
    fn heading(&self, message: &Message<'_>, out: &mut Vec<u8>) {
        if self.row.width > 0 {
            out.push(b'\n');
        }
        let mut line = LineWriter::new(out, self.style.colour);
        line.paint(line.palette.title);
        if message.flow_info.flow > 0 {
            line.put("conversation ").uint(message.flow_info.flow).put(": ");
        }
        line.name(message.dissection.proto).reset();
        if message.flow_info.ends.is_some() {
            let from = message.dissection.from;
            let (left, right) = match from {
                Role::Server => (message.dst(), message.src()),
                _ => (message.src(), message.dst()),
            };
            let (one, other) = if from == Role::Unknown { ("", "") } else { ("client ", "server ") };
            for (word, colour, end) in [(one, line.palette.client, left), (other, line.palette.server, right)] {
                line.put(", ").put(word).paint(colour).name(end).reset();
            }
        }
        line.newline();
    }
}

/// Writes milliseconds with three decimals. `gap`: right-aligned, before the message.
fn millis(nanos: i128, gap: bool, line: &mut LineWriter<'_>) {
    let micros = nanos.unsigned_abs() / 1000;
    let (whole, part) = (micros / 1000, (micros % 1000) as u64);
    if gap {
        line.pad(5usize.saturating_sub(whole.max(1).ilog10() as usize)).put(if nanos < 0 { "-" } else { "+" });
    }
    line.int(whole);
    line.put(match part {
        0..10 => ".00",
        10..100 => ".0",
        _ => ".",
    });
    line.uint(part).put(" ms");
}
