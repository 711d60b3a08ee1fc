//! A table for few messages. All of them are collected before the table is drawn.

use super::form::Form;
use super::leaf;
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, TimeForm};
use crate::capture::Time;
use crate::codec::{Tree, Value};
use crate::dissect::{Message, Wants};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use unicode_width::UnicodeWidthStr;

/// The cap on rows; further messages are counted.
pub const ROWS: usize = 10_000;
/// If all messages are of one kind with at most this many fields, each field has a column.
const COLUMNS: usize = 12;
/// The maximum width of one value, in columns.
const VALUE: usize = 48;

/// Below this width, lengths are left out, and times unless their form is chosen: fields and notes need the room.
const WIDE: usize = 100;
/// A column: its heading, and its cell of a row.
type Column = (&'static str, fn(&Row) -> Cell);

/// The columns that identify a message.
const FIRST: [Column; 5] = [
    ("frame", |row| Cell::new(row.frame).set_alignment(CellAlignment::Right)),
    ("time", |row| Cell::new(&row.time)),
    ("from", |row| Cell::new(&row.from)),
    ("message", |row| Cell::new(&row.message)),
    ("length", |row| Cell::new(row.length).set_alignment(CellAlignment::Right)),
];

/// Marks in workers' rows that no text contains: after the cells of a row, before a column that was added to it, and
/// after the row.
const CELL: char = '\u{1f}';
const ADDED: char = '\u{1d}';
const ROW: char = '\u{1e}';

/// Collects rows.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<Row>,
    more: u64,
    style: Style,
    clock: Clock,
    /// The number of rows that it has written, if it belongs to a worker, which writes rows.
    written: Option<usize>,
}

/// A field: its name and its value.
#[derive(Debug)]
struct Shown {
    name: String,
    value: String,
}

/// A row of a table.
#[derive(Debug)]
struct Row {
    frame: u64,
    time: String,
    from: String,
    message: String,
    length: usize,
    /// The top-level fields.
    fields: Vec<Shown>,
    notes: String,
    /// Names and values of further columns.
    added: Vec<(String, String)>,
}

impl Row {
    /// The row of a message.
    fn new(message: &Message<'_>, style: Style, clock: &mut Clock) -> Row {
        let (dissection, place) = (message.dissection, message.place);
        let mut notes: Vec<&str> = dissection.notes.iter().map(|(note, _)| note.code).collect();
        let fault = dissection.fault.as_ref().map(|fault| {
            text(|line| {
                line.put("✗ ").untrusted(&fault.path);
            })
        });
        notes.extend(fault.as_deref());
        let mut fields = Vec::new();
        for tree in [&dissection.tree, &dissection.derived, &dissection.packet] {
            collect(tree, message, &mut fields);
        }
        Row {
            frame: place.frame,
            time: match place.frame {
                0 => String::new(),
                _ => text(|line| {
                    clock.show(style.time.unwrap_or(TimeForm::usual(style.width)), place.time, line);
                }),
            },
            from: dissection.from.name().into(),
            message: text(|line| super::tree_text::name(message, line)),
            length: place.length,
            fields,
            notes: notes.join(" "),
            added: Vec::new(),
        }
    }

    /// Appends the row in the form in which workers hand rows over.
    fn write(&self, out: &mut Vec<u8>) {
        let Row { frame, time, from, message, length, fields, notes, .. } = self;
        let mut text = format!("{frame}{CELL}{time}{CELL}{from}{CELL}{message}{CELL}{length}{CELL}{notes}");
        fields.iter().for_each(|Shown { name, value }| text += &format!("{CELL}{name}{CELL}{value}"));
        text.push(ROW);
        out.extend_from_slice(text.as_bytes());
    }

    /// Reads a row of [`Row::write`] without its end mark; `None` if the worker had no room for it.
    fn read(text: &str) -> Option<Row> {
        let (cells, added) = text.split_once(ADDED).map_or((text, None), |(cells, added)| (cells, Some(added)));
        let mut cells = cells.split(CELL).map(String::from);
        let mut row = Row {
            frame: cells.next()?.parse().ok()?,
            time: cells.next()?,
            from: cells.next()?,
            message: cells.next()?,
            length: cells.next()?.parse().ok()?,
            notes: cells.next()?,
            fields: Vec::new(),
            added: Vec::new(),
        };
        while let (Some(name), Some(value)) = (cells.next(), cells.next()) {
            row.fields.push(Shown { name, value });
        }
        let added = added.into_iter().flat_map(|added| added.split(ADDED)).filter_map(|pair| pair.split_once(CELL));
        row.added.extend(added.map(|(name, value)| (name.into(), value.into())));
        Some(row)
    }
}

/// Adds columns to a row that a [part](super::Renderer::part) of a table has written.
pub fn add_columns(row: &mut Vec<u8>, columns: impl IntoIterator<Item = (&'static str, String)>) {
    // A row without room is empty, and gets no columns.
    if row.pop().is_some() && !row.is_empty() {
        columns.into_iter().for_each(|(name, value)| row.extend(format!("{ADDED}{name}{CELL}{value}").bytes()));
    }
    row.extend(ROW.to_string().bytes());
}

impl Rows {
    /// Creates a table for this terminal.
    pub fn new(style: Style) -> Rows {
        Rows { rows: Vec::new(), more: 0, style, clock: Clock::default(), written: None }
    }

    /// Adds the row of a message. Without room, counts the message only.
    fn add(&mut self, row: impl FnOnce(Style, &mut Clock) -> Option<Row>) {
        let room = self.rows.len() < ROWS;
        match if room { row(self.style, &mut self.clock) } else { None } {
            Some(row) => self.rows.push(row),
            None => self.more += 1,
        }
    }
}

impl Form for Rows {
    /// Of the notes, only the codes are printed.
    fn reads(&self) -> Wants {
        Wants::DERIVED
    }

    fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        match &mut self.written {
            None => self.add(|style, clock| Some(Row::new(message, style, clock))),
            Some(written) if *written < ROWS => {
                *written += 1;
                Row::new(message, self.style, &mut self.clock).write(out);
            }
            // The rows before it fill the table.
            Some(_) => out.extend(ROW.to_string().bytes()),
        }
    }

    fn divide(&mut self) -> bool {
        self.written = Some(0);
        self.style.divides()
    }

    fn append(&mut self, rows: &[u8], _: &mut Vec<u8>) {
        for row in String::from_utf8_lossy(rows).split_terminator(ROW) {
            self.add(|_, _| Row::read(row));
        }
    }

    fn warning(&self) -> Option<String> {
        let more = self.more;
        (more > 0)
            .then(|| format!("table: the first {ROWS} messages; {more} more are left out: use -f summary or ndjson"))
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        let names = columns(&rows);
        let frames = rows.iter().any(|r| r.frame > 0);
        let noted = rows.iter().any(|r| !r.notes.is_empty());
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(match self.style.width {
            Some(_) => ContentArrangement::Dynamic,
            None => ContentArrangement::Disabled,
        });
        if let Some(width) = self.style.width {
            table.set_width(width.min(u16::MAX as usize) as u16);
        }
        let wide = self.style.width.is_none_or(|width| width >= WIDE);
        let mut first = FIRST.to_vec();
        first.retain(|(name, _)| match *name {
            "frame" => frames,
            "time" => frames && (wide || self.style.time.is_some()),
            "length" => wide,
            _ => true,
        });
        let mut header: Vec<&str> = first.iter().map(|(name, _)| *name).collect();
        if let Some(names) = &names {
            header.extend(names.iter().map(String::as_str))
        } else {
            header.push("fields")
        }
        if noted {
            header.push("notes");
        }
        // All rows have the same added columns.
        let added: Vec<&str> =
            rows.iter().take(1).flat_map(|row| row.added.iter().map(|(name, _)| name.as_str())).collect();
        header.extend(&added);
        // In columns of the terminal, without the blanks around it.
        let longest: Vec<u16> = header.iter().map(|name| name.width().min(VALUE) as u16).collect();
        table.set_header(header);
        for row in &rows {
            let mut cells: Vec<Cell> = first.iter().map(|(_, cell)| cell(row)).collect();
            match &names {
                Some(names) => cells.extend(names.iter().map(|name| {
                    Cell::new(row.fields.iter().find(|one| one.name == *name).map_or("", |one| &one.value))
                })),
                None => {
                    let pairs: Vec<String> =
                        row.fields.iter().map(|one| format!("{}={}", one.name, one.value)).collect();
                    cells.push(Cell::new(pairs.join(" ")));
                }
            }
            if noted {
                cells.push(Cell::new(&row.notes));
            }
            cells.extend(row.added.iter().map(|(_, value)| Cell::new(value)));
            table.add_row(cells);
        }
        // The columns that identify a message are never wrapped; the others are, but no heading is.
        for (k, column) in table.column_iter_mut().enumerate() {
            let least = ColumnConstraint::LowerBoundary(Width::Fixed(longest[k] + 2));
            column.set_constraint(if k < first.len() { ColumnConstraint::ContentWidth } else { least });
        }
        out.extend_from_slice(table.to_string().as_bytes());
        out.push(b'\n');
    }
}

/// Returns the names of the field columns, if all messages are of one kind with few fields.
fn columns(rows: &[Row]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if row.message != rows[0].message {
            return None;
        }
        for Shown { name, .. } in &row.fields {
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

fn collect(tree: &Tree, message: &Message<'_>, fields: &mut Vec<Shown>) {
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
        fields.push(Shown { name, value });
    }
}

/// Returns the text that `write` writes, without colours.
fn text(write: impl FnOnce(&mut LineWriter<'_>)) -> String {
    let mut out = Vec::new();
    write(&mut LineWriter::new(&mut out, false));
    String::from_utf8(out).unwrap_or_default()
}
