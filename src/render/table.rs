//! A table, for few messages: all of them are collected before the first is drawn.

use super::leaf;
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, TimeForm};
use crate::capture::Time;
use crate::codec::{Tree, Value};
use crate::dissect::Message;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The cap on rows; further messages are counted.
pub const ROWS: usize = 10_000;
/// If all messages are of one kind with at most this many fields, each field has a column.
const COLUMNS: usize = 12;
/// The maximum width of one value, in columns.
const VALUE: usize = 48;

/// Collects rows.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<Row>,
    more: u64,
    pub(super) maker: RowMaker,
}

/// Makes rows of messages: several threads can have one each.
#[derive(Clone, Debug)]
pub struct RowMaker {
    style: Style,
    clock: Clock,
    /// The table is full.
    full: Arc<AtomicBool>,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    frame: u64,
    time: String,
    from: &'static str,
    message: String,
    length: usize,
    /// Names and values of the top-level fields.
    fields: Vec<(String, String)>,
    notes: String,
    /// Names and values of further columns.
    added: Vec<(&'static str, String)>,
}

impl Row {
    /// The row with further columns, behind the others.
    #[must_use]
    pub fn with(mut self, cells: impl IntoIterator<Item = (&'static str, String)>) -> Row {
        self.added.extend(cells);
        self
    }
}

impl RowMaker {
    /// The time of the capture's first frame, the origin of relative times.
    pub fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    /// The row of a message; `None` if the table has no room for it.
    pub fn row(&mut self, message: &Message<'_>) -> Option<Row> {
        // All that are not added yet come after those that filled it.
        if self.full.load(Ordering::Relaxed) {
            return None;
        }
        let (dissection, place) = (message.dissection, message.place);
        let mut notes: Vec<&str> = dissection.notes.iter().map(|(note, _)| note.code).collect();
        let fault = dissection.fault.as_ref().map(|fault| {
            text(|line| {
                line.put("✗ ");
                line.untrusted(&fault.path);
            })
        });
        notes.extend(fault.as_deref());
        let mut fields = Vec::new();
        for tree in [&dissection.tree, &dissection.derived, &dissection.packet] {
            collect(tree, message, &mut fields);
        }
        Some(Row {
            frame: place.frame,
            time: match place.frame {
                0 => String::new(),
                _ => text(|line| {
                    // As in summaries.
                    let narrow = self.style.width.is_some_and(|width| width < super::summary::NARROW);
                    let usual = if narrow { TimeForm::Relative } else { TimeForm::Utc };
                    self.clock.show(self.style.time.unwrap_or(usual), place.time, line);
                }),
            },
            from: dissection.from.name(),
            message: text(|line| super::tree_text::name(message, line)),
            length: place.length,
            fields,
            notes: notes.join(" "),
            added: Vec::new(),
        })
    }
}

impl Rows {
    /// A table for this terminal.
    pub fn new(style: Style) -> Rows {
        let maker = RowMaker { style, clock: Clock::default(), full: Arc::default() };
        Rows { rows: Vec::new(), more: 0, maker }
    }

    /// Adds a message.
    pub fn message(&mut self, message: &Message<'_>) {
        let row = self.maker.row(message);
        self.add(row);
    }

    /// Adds the row of a message, if there was room for it.
    fn add(&mut self, row: Option<Row>) {
        match row.filter(|_| self.rows.len() < ROWS) {
            Some(row) => self.rows.push(row),
            None => self.more += 1,
        }
        if self.rows.len() >= ROWS {
            self.maker.full.store(true, Ordering::Relaxed);
        }
    }

    /// Adds the rows of messages.
    pub(super) fn extend(&mut self, rows: &[Option<Row>]) {
        rows.iter().for_each(|row| self.add(row.clone()));
    }

    /// How many messages had no room, where there are such.
    pub fn warning(&self) -> Option<String> {
        let more = self.more;
        (more > 0)
            .then(|| format!("table: the first {ROWS} messages; {more} more are left out: use -f summary or ndjson"))
    }

    /// Appends the table.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        let names = columns(&rows);
        let frames = rows.iter().any(|r| r.frame > 0);
        let noted = rows.iter().any(|r| !r.notes.is_empty());
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(match self.maker.style.width {
            Some(_) => ContentArrangement::Dynamic,
            None => ContentArrangement::Disabled,
        });
        if let Some(width) = self.maker.style.width {
            table.set_width(width.min(u16::MAX as usize) as u16);
        }
        let mut header = Vec::new();
        if frames {
            header.extend(["frame", "time"]);
        }
        header.extend(["from", "message", "length"]);
        match &names {
            Some(names) => header.extend(names.iter().map(String::as_str)),
            None => header.push("fields"),
        }
        if noted {
            header.push("notes");
        }
        // All have the same ones.
        let added: Vec<&str> = rows.iter().take(1).flat_map(|row| row.added.iter().map(|(name, _)| *name)).collect();
        header.extend(&added);
        table.set_header(header);
        for row in &rows {
            let mut cells = Vec::new();
            if frames {
                cells.push(Cell::new(row.frame).set_alignment(CellAlignment::Right));
                cells.push(Cell::new(&row.time));
            }
            cells.push(Cell::new(row.from));
            cells.push(Cell::new(&row.message));
            cells.push(Cell::new(row.length).set_alignment(CellAlignment::Right));
            match &names {
                Some(names) => {
                    cells.extend(names.iter().map(|name| {
                        Cell::new(row.fields.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value))
                    }))
                }
                None => {
                    let pairs: Vec<String> = row.fields.iter().map(|(n, v)| format!("{n}={v}")).collect();
                    cells.push(Cell::new(pairs.join(" ")));
                }
            }
            if noted {
                cells.push(Cell::new(&row.notes));
            }
            cells.extend(row.added.iter().map(|(_, value)| Cell::new(value)));
            table.add_row(cells);
        }
        // The columns that identify a message are never wrapped; the fields are.
        let whole = if frames { 5 } else { 3 };
        for k in 0..whole {
            if let Some(column) = table.column_mut(k) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        out.extend_from_slice(table.to_string().as_bytes());
        out.push(b'\n');
    }
}

/// One column per field, if all messages are of one kind with few fields.
fn columns(rows: &[Row]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if row.message != rows[0].message {
            return None;
        }
        for (name, _) in &row.fields {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if names.len() > COLUMNS {
            return None;
        }
    }
    Some(names)
}

fn collect(tree: &Tree, message: &Message<'_>, fields: &mut Vec<(String, String)>) {
    for at in tree.children(None) {
        let node = &tree.nodes()[at];
        if node.hidden() {
            continue;
        }
        let name = text(|line| line.untrusted_cut(tree.name(node, message.sources()), VALUE));
        let value = text(|line| match node.value {
            Value::Group | Value::List => super::summary::any(tree, at, message.sources(), 0, VALUE, line),
            _ => leaf::short(node, message.sources(), line, VALUE),
        });
        fields.push((name, value));
    }
}

/// The text written by `write`, without colours.
fn text(write: impl FnOnce(&mut LineWriter<'_>)) -> String {
    let mut out = Vec::new();
    write(&mut LineWriter::new(&mut out, false));
    String::from_utf8(out).unwrap_or_default()
}
