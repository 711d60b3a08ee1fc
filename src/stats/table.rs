//! A table of figures, and its output as aligned text, CSV and JSON.

use crate::codec::json::text::string;
use crate::nearest::{hint, nearest};
use crate::render::cells;
use std::fmt::Write;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Not known.
    Null,
    /// Words.
    Text(String),
    /// A count.
    Int(u64),
    /// A number; in text with this many decimals.
    Real(f64, usize),
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
        nanos.map_or(Cell::Null, |n| Cell::Millis((n / 1e3).round() / 1e3))
    }

    fn json(&self, out: &mut Vec<u8>) {
        let text = match self {
            Cell::Text(text) => return string(text.as_bytes(), out),
            Cell::Int(n) => n.to_string(),
            Cell::Real(x, _) | Cell::Millis(x) | Cell::Share(x) if x.is_finite() => x.to_string(),
            Cell::Flag(yes) => yes.to_string(),
            _ => "null".into(),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// The constant properties of a kind of table.
#[derive(Debug)]
pub struct Shape {
    /// The subject of a row: `message`, `flow`.
    pub kind: &'static str,
    /// The title in text output.
    pub title: &'static str,
    /// The number of leading columns that identify a row.
    pub keys: usize,
    /// The names of the columns.
    pub columns: &'static [&'static str],
}

/// Rows with the same columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// The kind of table.
    pub shape: &'static Shape,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(shape: &'static Shape) -> Table {
        Table { shape, rows: Vec::new() }
    }

    /// Separated values (RFC 4180) with a header line; without `columns`, all of them.
    ///
    /// # Errors
    /// There is no such column: the nearest name, and all of them.
    pub fn separated(&self, separator: char, columns: &[String], out: &mut String) -> Result<(), String> {
        let known = self.shape.columns;
        let find = |name: &String| {
            known.iter().position(|column| column == name).ok_or_else(|| {
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
                Cell::Int(n) => _ = write!(out, "{n}"),
                Cell::Real(x, _) | Cell::Millis(x) | Cell::Share(x) => _ = write!(out, "{x}"),
                Cell::Flag(yes) => out.push_str(if *yes { "yes" } else { "no" }),
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

    /// A row as an object.
    pub fn row_json(&self, row: &[Cell], kind: bool, out: &mut Vec<u8>) {
        let mut comma: &[u8] = b"{";
        if kind {
            out.extend_from_slice(b"{\"by\":");
            string(self.shape.kind.as_bytes(), out);
            comma = b",";
        }
        for (name, cell) in self.shape.columns.iter().zip(row) {
            out.extend_from_slice(comma);
            comma = b",";
            string(name.as_bytes(), out);
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

/// A text as a separated value: see [`crate::render`]'s cells.
pub fn separated_text(text: &str, separator: char, out: &mut String) {
    let mut cell = Vec::new();
    cells::text(text, separator as u8, &mut cell);
    out.push_str(&String::from_utf8_lossy(&cell));
}
