//! Rows of columns, separated or aligned.

use super::values::{Values, is_local};
use super::{Columns, Value};
use crate::capture::Time;
use crate::dissect::{Message, Wants};
use crate::render::cells;
use crate::render::envelope_cache::Sides;
use crate::render::files::{FileNames, Files};
use crate::render::line_writer::LineWriter;
use crate::render::style::Style;
use crate::render::times::TimeForm;
use std::ops::Range;

/// The maximum width of one cell on a terminal.
const WIDEST: usize = 40;

/// Writes rows. Its only state is reusable memory, and the origin of times.
#[derive(Debug)]
pub struct Lines {
    columns: Columns,
    groups: Vec<Group>,
    values: Values,
    scratch: Vec<u8>,
}

/// Neighbouring columns: one, or several that depend only on a conversation's side. The text of the latter is cached.
#[derive(Debug)]
struct Group {
    columns: Range<usize>,
    sides: Option<Sides>,
}

impl Group {
    fn all(columns: &Columns) -> Vec<Group> {
        let mut end = 0;
        let chunks = columns.0.chunk_by(|(_, a), (_, b)| a.is_of_side() && b.is_of_side());
        let group = |chunk: &[(String, Value)]| {
            let columns = end..end + chunk.len();
            end = columns.end;
            Group { columns, sides: chunk.iter().all(|(_, value)| value.is_of_side()).then(Sides::default) }
        };
        chunks.map(group).collect()
    }
}

impl Lines {
    /// Creates a writer of these columns. Times are seconds since 1970 unless the style sets another form.
    pub fn new(columns: Columns, style: Style, files: Option<&Files>) -> Lines {
        let time = style.time.unwrap_or(TimeForm::Epoch);
        let values = Values::new(time, files.map(FileNames::new));
        Lines { groups: Group::all(&columns), columns, values, scratch: Vec::new() }
    }

    /// Returns a writer that caches nothing from other rows.
    #[cfg(test)]
    pub(in crate::render) fn alone(columns: Columns) -> Lines {
        let groups = (0..columns.0.len()).map(|k| Group { columns: k..k + 1, sides: None }).collect();
        Lines { groups, ..Lines::new(columns, Style::default(), None) }
    }

    /// Returns the parts of a message that the columns read.
    pub fn reads(&self) -> Wants {
        self.columns.0.iter().fold(Wants::FIELDS, |all, (_, value)| all | value.reads())
    }

    /// Starts a capture at this time.
    pub fn origin(&mut self, time: Time) {
        self.values.origin(time);
    }

    /// Writes the line of names.
    pub fn header(&self, separator: u8, out: &mut Vec<u8>) {
        for (k, name) in self.columns.names().enumerate() {
            out.extend((k > 0).then_some(separator));
            cells::text(name, separator, out);
        }
        out.push(b'\n');
    }

    /// Writes one message as separated values.
    pub fn row(&mut self, message: &Message<'_>, separator: u8, out: &mut Vec<u8>) {
        for Group { columns, sides } in &mut self.groups {
            if columns.start > 0 {
                out.push(separator);
            }
            let columns = self.columns.0.get(columns.clone()).unwrap_or_default();
            let mut write = |message: &Message<'_>, out: &mut Vec<u8>| {
                for (k, (_, value)) in columns.iter().enumerate() {
                    if k > 0 {
                        out.push(separator);
                    }
                    let start = out.len();
                    self.values.append(value, message, out);
                    cells::finish(start, separator, &mut self.scratch, out);
                }
            };
            if let Some(sides) = sides { out.extend_from_slice(sides.of(message, write)) } else { write(message, out) }
        }
        out.push(b'\n');
    }

    /// Writes the line of names above columns of text.
    pub fn heading(&self, line: &mut LineWriter<'_>) {
        let mut at = 0;
        for name in self.columns.names() {
            line.pad(at).untrusted(name);
            at += room(name, self.values.time);
        }
    }

    /// Writes one message as columns of text, within the style's width.
    pub fn text(&mut self, message: &Message<'_>, style: Style, line: &mut LineWriter<'_>) {
        let limit = style.width.unwrap_or(usize::MAX);
        let mut at = 0;
        for (k, (name, value)) in self.columns.0.iter().enumerate() {
            _ = if at > 0 && line.column() >= at { line.put(" ") } else { line.pad(at) };
            self.scratch.clear();
            self.values.append(value, message, &mut self.scratch);
            let value = match self.scratch.as_slice() {
                b"null" => String::new(),
                text @ [b'"', .., b'"'] => {
                    serde_json::from_slice(text).unwrap_or_else(|_| String::from_utf8_lossy(text).into_owned())
                }
                value => String::from_utf8_lossy(value).into_owned(),
            };
            let last = k + 1 == self.columns.0.len();
            let widest = if style.width.is_none() || last { usize::MAX } else { WIDEST };
            let left = limit.saturating_sub(line.column());
            if left == 0 {
                break;
            }
            line.untrusted_cut(&value, widest.min(left));
            at += room(name, self.values.time);
        }
    }
}

/// Returns the width of a column of text. It does not depend on other messages, because any number of threads print
/// lines as they arrive.
fn room(name: &str, time: TimeForm) -> usize {
    let usual = match name {
        "frame" => 6,
        "time" => match time {
            TimeForm::Relative | TimeForm::Delta => 12,
            TimeForm::Epoch => 18,
            _ if is_local(time) => 33,
            _ => 28,
        },
        "flow" | "length" | "file_frame" => 6,
        "from" | "proto" | "version" | "transport" => 9,
        "src" | "dst" => 22,
        "message" => 18,
        _ => 12,
    };
    usual.max(name.chars().count() + 2)
}
