//! Figures as Parquet files, one for each table. A column's type follows from its name, so that it is
//! the same for every capture, also where nothing was measured.

use super::table::{Cell, Table};
use super::{Report, Stats};
use crate::render::parquet::{FlatType, FlatValue, flat};
use std::io;
use std::path::Path;

/// Columns of words.
const TEXT: [&str; 12] = [
    "capture",
    "proto",
    "message",
    "schema",
    "version",
    "transport",
    "client",
    "server",
    "roles",
    "end",
    "last_message",
    "from",
];
/// Ends of the names of columns of numbers that need not be whole.
const REAL: [&str; 11] = ["share", "rate", "mean", "p50", "p90", "p99", "max", "jitter", "start", "duration", "second"];

/// The type of a column.
fn kind(name: &str) -> FlatType {
    match name {
        "reliable" => FlatType::Flag,
        "peer" => FlatType::Text,
        _ if TEXT.contains(&name) => FlatType::Text,
        _ if REAL.iter().any(|end| name.ends_with(end)) => FlatType::Real,
        _ => FlatType::Int,
    }
}

impl Report {
    /// Writes `KIND.parquet` into a folder for each table of the report. `capture`: what the figures are
    /// of, the first column.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn parquet(self, stats: &Stats, capture: &str, folder: &Path) -> io::Result<()> {
        self.tables(stats).iter().try_for_each(|table| write(table, capture, folder))
    }
}

fn write(table: &Table, capture: &str, folder: &Path) -> io::Result<()> {
    let names = std::iter::once("capture").chain(table.shape.columns.iter().copied());
    let columns: Vec<(&str, FlatType)> = names.map(|name| (name, kind(name))).collect();
    let path = folder.join(format!("{}.parquet", table.shape.kind));
    let rows = table.rows.iter().map(|row| {
        std::iter::once(FlatValue::Text(capture)).chain(row.iter().map(value)).collect::<Vec<FlatValue<'_>>>()
    });
    flat(&path, table.shape.kind, &columns, rows)
}

fn value(cell: &Cell) -> FlatValue<'_> {
    match cell {
        Cell::Null => FlatValue::Missing,
        Cell::Text(text) => FlatValue::Text(text),
        Cell::Int(n) => FlatValue::Int(*n),
        Cell::Real(x, _) | Cell::Millis(x) | Cell::Share(x) if x.is_finite() => FlatValue::Real(*x),
        Cell::Real(..) | Cell::Millis(_) | Cell::Share(_) => FlatValue::Missing,
        Cell::Flag(yes) => FlatValue::Flag(*yes),
    }
}
