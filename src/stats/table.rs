//! A table of figures, with its output as separated values and JSON.

use super::figure::{Figure, named};
use crate::codec::json::text::string;
use crate::nearest::{hint, nearest};
use crate::render::cells;
use std::borrow::Borrow;
use std::fmt::Write;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Not known.
    Null,
    /// Text.
    Text(String),
    /// A count.
    Int(u64),
    /// A number; in text with this many decimals.
    Real(f64, usize),
    /// A number, and the text that it was read from: it is never rounded.
    Exact(f64, String),
    /// Seconds, exact; in text with milliseconds.
    Seconds(f64),
    /// Milliseconds; in text with as many decimals as the column needs.
    Millis(f64),
    /// A fraction; in text as a percentage.
    Share(f64),
    /// Yes or no.
    Flag(bool),
}

impl From<u64> for Cell {
    fn from(n: u64) -> Cell {
        Cell::Int(n)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<bool> for Cell {
    fn from(yes: bool) -> Cell {
        Cell::Flag(yes)
    }
}

impl Cell {
    /// Nanoseconds as milliseconds.
    pub fn millis(nanos: Option<f64>) -> Cell {
        nanos.map_or(Cell::Null, |n| Cell::Millis(n / 1e6))
    }

    /// A fraction, if the whole is not 0.
    pub fn share(part: u64, whole: u64) -> Cell {
        if whole > 0 { Cell::Share(part as f64 / whole as f64) } else { Cell::Null }
    }

    /// A number per second. A single message, or several at the same time, have no rate.
    pub fn rate(n: u64, seconds: f64, decimals: usize) -> Cell {
        if seconds > 0.0 { Cell::Real(n as f64 / seconds, decimals) } else { Cell::Null }
    }

    /// The cell's number, if it has one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(n) => Some(*n as f64),
            Cell::Real(x, _) | Cell::Exact(x, _) | Cell::Seconds(x) | Cell::Millis(x) | Cell::Share(x) => Some(*x),
            Cell::Flag(yes) => Some(f64::from(u8::from(*yes))),
            Cell::Null | Cell::Text(_) => None,
        }
    }

    /// The count, if it is one.
    pub(super) fn count(&self) -> Option<u64> {
        if let Cell::Int(n) = self { Some(*n) } else { None }
    }

    /// The number for programs: delays in whole microseconds, others with six decimals.
    pub fn printed(&self) -> Option<f64> {
        let unit = match self {
            Cell::Millis(_) => 1e3,
            Cell::Real(..) | Cell::Share(_) => 1e6,
            _ => return self.number(),
        };
        self.number().filter(|x| x.is_finite()).map(|x| (x * unit).round() / unit).filter(|x| x.is_finite())
    }

    fn json(&self, out: &mut Vec<u8>) {
        let text = match self {
            Cell::Text(text) => return string(text.as_bytes(), out),
            Cell::Flag(yes) => yes.to_string(),
            Cell::Int(n) => n.to_string(),
            Cell::Exact(_, text) => text.clone(),
            _ => self.printed().map_or("null".into(), |x| x.to_string()),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// A figure, and its value for a row.
#[derive(Debug)]
pub struct Column<T: 'static> {
    /// The figure.
    pub figure: &'static Figure,
    /// Computes the value.
    pub of: fn(&T) -> Cell,
}

/// A column. In constants, an unknown name does not compile.
pub const fn column<T>(name: &str, of: fn(&T) -> Cell) -> Column<T> {
    Column { figure: named(name), of }
}

/// The constant properties of a kind of table.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The subject of a row: `message`, `flow`.
    pub kind: &'static str,
    /// The title in text output.
    pub title: &'static str,
    /// The number of leading columns that identify a row.
    pub keys: usize,
}

/// Rows with the same columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// The kind of table.
    pub shape: Shape,
    /// The columns.
    pub(crate) columns: Vec<&'static Figure>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these columns and without rows.
    pub(crate) fn new(shape: Shape, columns: &[&'static Figure]) -> Table {
        Table { shape, columns: columns.to_vec(), rows: Vec::new() }
    }

    /// A table with a row for each element of `rows`.
    pub(crate) fn of<T>(shape: Shape, columns: &[Column<T>], rows: &[impl Borrow<T>]) -> Table {
        let rows_without = vec![Vec::new(); rows.len()];
        Table { shape, columns: Vec::new(), rows: rows_without }.with(columns, rows)
    }

    /// Adds columns for the same rows.
    #[must_use]
    pub(crate) fn with<T>(mut self, columns: &[Column<T>], rows: &[impl Borrow<T>]) -> Table {
        self.columns.extend(columns.iter().map(|column| column.figure));
        for (cells, row) in self.rows.iter_mut().zip(rows) {
            cells.extend(columns.iter().map(|column| (column.of)(row.borrow())));
        }
        self
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|figure| figure.name).collect()
    }

    /// The index of the column of this name, or else of the first one with this older name.
    pub fn place(&self, name: &str) -> Option<usize> {
        let now = self.columns.iter().position(|figure| figure.name == name);
        now.or_else(|| self.columns.iter().position(|figure| figure.answers_to(name)))
    }

    /// Separated values (RFC 4180) with a header line; all columns if `columns` is empty.
    ///
    /// # Errors
    /// An unknown column, with the nearest name and all names.
    pub fn separated(&self, separator: char, columns: &[String], out: &mut String) -> Result<(), String> {
        let known = self.names();
        let find = |name: &String| {
            self.place(name).ok_or_else(|| {
                let near = hint(nearest(name, known.iter().copied()));
                format!("no column {name:?} by {}{near}; there are {}", self.shape.kind, known.join(", "))
            })
        };
        let chosen = match columns.is_empty() {
            true => (0..known.len()).collect(),
            false => columns.iter().map(find).collect::<Result<Vec<_>, _>>()?,
        };
        self.line(&chosen, separator, out, |k, out| separated_text(known[k], separator, out));
        for row in &self.rows {
            self.line(&chosen, separator, out, |k, out| match &row[k] {
                Cell::Null => {}
                Cell::Text(text) => separated_text(text, separator, out),
                Cell::Exact(_, text) => out.push_str(text),
                Cell::Int(n) => _ = write!(out, "{n}"),
                Cell::Flag(yes) => out.push_str(if *yes { "yes" } else { "no" }),
                cell => _ = write!(out, "{}", cell.printed().unwrap_or(f64::NAN)),
            });
        }
        Ok(())
    }

    fn line(&self, chosen: &[usize], separator: char, out: &mut String, mut cell: impl FnMut(usize, &mut String)) {
        for (place, k) in chosen.iter().enumerate() {
            out.extend((place > 0).then_some(separator));
            cell(*k, out);
        }
        out.push('\n');
    }

    /// A row as a JSON object.
    pub fn row_json(&self, row: &[Cell], kind: bool, out: &mut Vec<u8>) {
        let mut comma: &[u8] = b"{";
        if kind {
            out.extend_from_slice(b"{\"by\":");
            string(self.shape.kind.as_bytes(), out);
            comma = b",";
        }
        for (figure, cell) in self.columns.iter().zip(row) {
            out.extend_from_slice(comma);
            comma = b",";
            string(figure.name.as_bytes(), out);
            out.push(b':');
            cell.json(out);
        }
        out.push(b'}');
    }

    /// One object per line.
    pub fn ndjson(&self, out: &mut Vec<u8>) {
        for row in &self.rows {
            self.row_json(row, true, out);
            out.push(b'\n');
        }
    }

    /// An array of objects, one per line.
    pub fn json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (k, row) in self.rows.iter().enumerate() {
            out.extend_from_slice(if k == 0 { b"\n  " } else { b",\n  " });
            self.row_json(row, false, out);
        }
        out.push(b']');
    }
}

/// Text as a separated value, as in [`crate::render`].
pub fn separated_text(text: &str, separator: char, out: &mut String) {
    let mut cell = Vec::new();
    cells::text(text, separator as u8, &mut cell);
    out.push_str(&String::from_utf8_lossy(&cell));
}
