//! Figures as Parquet files, one for each table. A column's type follows from its figure, so that it is the same for
//! every capture, even without any value.

use super::figure::{Figure, Measure};
use super::table::{Cell, Table};
use super::{Report, Stats};
use crate::render::parquet::{FlatColumn, FlatType, FlatValue, flat};
use std::io;
use std::path::Path;

/// The type of a column.
fn kind(figure: &Figure) -> FlatType {
    match figure.measure {
        Measure::Flag => FlatType::Flag,
        Measure::Word => FlatType::Text,
        Measure::Place | Measure::Count | Measure::Bytes => FlatType::Int,
        _ => FlatType::Real,
    }
}

/// The first column of each file.
const CAPTURE: FlatColumn<'_> = FlatColumn { name: "capture", kind: FlatType::Text };

impl Report {
    /// Writes `KIND.parquet` into a folder for each table of the report. The first column has the name `capture` of the
    /// capture.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn parquet(self, stats: &Stats, capture: &str, folder: &Path) -> io::Result<()> {
        self.tables(stats).iter().try_for_each(|table| write(table, capture, folder))?;
        let figures = stats.account.figures();
        let columns: Vec<FlatColumn<'_>> = std::iter::once(CAPTURE)
            .chain(figures.iter().map(|(name, _)| FlatColumn { name, kind: FlatType::Int }))
            .collect();
        let row = std::iter::once(FlatValue::Text(capture)).chain(figures.iter().map(|(_, n)| FlatValue::Int(*n)));
        flat(&folder.join("account.parquet"), "account", &columns, std::iter::once(row.collect::<Vec<_>>()))
    }
}

fn write(table: &Table, capture: &str, folder: &Path) -> io::Result<()> {
    let own = table.columns.iter().map(|figure| FlatColumn { name: figure.name, kind: kind(figure) });
    let columns: Vec<FlatColumn<'_>> = std::iter::once(CAPTURE).chain(own).collect();
    let path = folder.join(format!("{}.parquet", table.shape.kind));
    let rows = table.rows.iter().map(|row| {
        std::iter::once(FlatValue::Text(capture)).chain(row.iter().map(value)).collect::<Vec<FlatValue<'_>>>()
    });
    flat(&path, table.shape.kind, &columns, rows)
}

fn value(cell: &Cell) -> FlatValue<'_> {
    match cell {
        Cell::Text(text) => FlatValue::Text(text),
        Cell::Int(n) => FlatValue::Int(*n),
        Cell::Flag(yes) => FlatValue::Flag(*yes),
        cell => cell.printed().filter(|x| x.is_finite()).map_or(FlatValue::Missing, FlatValue::Real),
    }
}
