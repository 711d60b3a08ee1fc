//! A table of figures, and its forms: aligned text, CSV, JSON.

use crate::render::json_text::string;
use std::fmt::Write;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Null,
    /// Words.
    Text(String),
    /// A count.
    Int(u64),
    /// A number; in text with so many digits behind the point.
    Real(f64, usize),
    /// A part of a whole: in text in percent.
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
        nanos.map_or(Cell::Null, |n| Cell::Real((n / 1e3).round() / 1e3, 3))
    }

    fn is_number(&self) -> bool {
        matches!(self, Cell::Int(_) | Cell::Real(..) | Cell::Share(_))
    }

    fn text(&self) -> String {
        match self {
            Cell::Null => "-".into(),
            Cell::Text(text) => text.clone(),
            Cell::Int(n) => n.to_string(),
            Cell::Real(x, digits) => format!("{x:.digits$}"),
            Cell::Share(x) => format!("{:.1}%", x * 100.0),
            Cell::Flag(yes) => if *yes { "yes" } else { "no" }.into(),
        }
    }

    fn json(&self, out: &mut Vec<u8>) {
        let text = match self {
            Cell::Text(text) => return string(text.as_bytes(), out),
            Cell::Int(n) => n.to_string(),
            Cell::Real(x, _) | Cell::Share(x) if x.is_finite() => x.to_string(),
            Cell::Flag(yes) => yes.to_string(),
            _ => "null".into(),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// Columns that people need only where a row has something else than this.
const USUAL: [(&str, Cell); 7] = [
    ("connection", Cell::Int(1)),
    ("faults", Cell::Int(0)),
    ("unmatched", Cell::Int(0)),
    ("refused", Cell::Int(0)),
    ("given_up", Cell::Int(0)),
    ("handled_twice", Cell::Int(0)),
    ("never_handled", Cell::Int(0)),
];
/// Columns for programs: people see the others.
const DETAILS: [&str; 7] = ["missing", "lost_share", "ack_p99", "ack_jitter", "rtt_p99", "life_p90", "life_p99"];

/// Rows of the same columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// What a row is about: `message`, `flow`.
    pub kind: &'static str,
    /// The names of the columns.
    pub columns: &'static [&'static str],
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(kind: &'static str, columns: &'static [&'static str]) -> Table {
        Table { kind, columns, rows: Vec::new() }
    }

    /// In columns, for people. Columns that say nothing in any row are left out, and details.
    pub fn text(&self, out: &mut String) {
        let shown: Vec<usize> = (0..self.columns.len())
            .filter(|c| {
                let name = self.columns.get(*c).copied().unwrap_or("");
                let usual = USUAL.iter().find(|(n, _)| *n == name).map_or(&Cell::Null, |(_, cell)| cell);
                let says = |row: &Vec<Cell>| row.get(*c).is_some_and(|cell| cell != usual && *cell != Cell::Null);
                !DETAILS.contains(&name) && self.rows.iter().any(says)
            })
            .collect();
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
        let name = |c: &usize| self.columns.get(*c).copied().unwrap_or("");
        table.set_header(shown.iter().map(name));
        for row in &self.rows {
            table.add_row(shown.iter().map(|c| row.get(*c).map_or(String::new(), Cell::text)));
        }
        for (place, c) in shown.iter().enumerate() {
            let number = self.rows.iter().any(|r| r.get(*c).is_some_and(Cell::is_number));
            if let Some(column) = table.column_mut(place) {
                column.set_padding((0, 2));
                if number {
                    column.set_cell_alignment(comfy_table::CellAlignment::Right);
                }
            }
        }
        for line in table.lines() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }

    /// Comma-separated, with a line of names.
    pub fn csv(&self, out: &mut String) {
        let _ = writeln!(out, "{}", self.columns.join(","));
        for row in &self.rows {
            for (k, cell) in row.iter().enumerate() {
                out.push_str(if k == 0 { "" } else { "," });
                match cell {
                    Cell::Null => {}
                    Cell::Text(text) => csv_text(text, out),
                    Cell::Real(x, _) | Cell::Share(x) => _ = write!(out, "{x}"),
                    cell => out.push_str(&cell.text()),
                }
            }
            out.push('\n');
        }
    }

    /// An object of a row.
    pub fn row_json(&self, row: &[Cell], kind: bool, out: &mut Vec<u8>) {
        let mut comma: &[u8] = b"{";
        if kind {
            out.extend_from_slice(b"{\"by\":");
            string(self.kind.as_bytes(), out);
            comma = b",";
        }
        for (name, cell) in self.columns.iter().zip(row) {
            out.extend_from_slice(comma);
            comma = b",";
            string(name.as_bytes(), out);
            out.push(b':');
            cell.json(out);
        }
        out.push(b'}');
    }

    /// An object a line.
    pub fn ndjson(&self, out: &mut Vec<u8>) {
        for row in &self.rows {
            self.row_json(row, true, out);
            out.push(b'\n');
        }
    }

    /// An array of objects, a line each.
    pub fn json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (k, row) in self.rows.iter().enumerate() {
            out.extend_from_slice(if k == 0 { b"\n  " } else { b",\n  " });
            self.row_json(row, false, out);
        }
        out.push(b']');
    }
}

/// A text in CSV: in quotes where it has to be.
pub fn csv_text(text: &str, out: &mut String) {
    match text.contains([',', '"', '\n', '\r']) {
        true => _ = write!(out, "\"{}\"", text.replace('"', "\"\"")),
        false => out.push_str(text),
    }
}
