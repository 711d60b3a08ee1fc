//! A file of figures: rows without nesting.

use super::column::{Column, Leaf};
use super::plan::Builder;
use super::{error, properties};
use parquet::errors::Result;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The type of a column of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlatType {
    /// int64.
    Int,
    /// double.
    Real,
    /// Text.
    Text,
    /// True or false.
    Flag,
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FlatValue<'a> {
    /// Not known.
    Missing,
    /// A whole number.
    Int(u64),
    /// A number.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// True or false.
    Flag(bool),
}

/// A column of a file of figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its values.
    pub kind: FlatType,
}

/// Writes a file of figures. Each row has a value for every column.
///
/// # Errors
/// Fails with errors of the file system, or if a value is not of its column's type.
pub(crate) fn flat<'a>(
    path: &Path,
    name: &str,
    columns: &[FlatColumn<'_>],
    rows: impl Iterator<Item = Vec<FlatValue<'a>>>,
) -> io::Result<()> {
    file(path, name, columns, rows).map_err(error)?
}

fn file<'a>(
    path: &Path,
    name: &str,
    columns: &[FlatColumn<'_>],
    rows: impl Iterator<Item = Vec<FlatValue<'a>>>,
) -> Result<io::Result<()>> {
    let mut builder = Builder::default();
    let mut types = Vec::new();
    for FlatColumn { name: column, kind } in columns {
        let leaf = match kind {
            FlatType::Int => Leaf::Int,
            FlatType::Real => Leaf::F64,
            FlatType::Text => Leaf::Text,
            FlatType::Flag => Leaf::Bool,
        };
        types.push(builder.leaf(column, leaf)?.0);
    }
    let mut at = 0;
    for row in rows {
        for ((value, column), FlatColumn { name, kind }) in row.into_iter().zip(&mut builder.columns).zip(columns) {
            if !put(value, *kind, at, column) {
                return Ok(Err(io::Error::other(format!("{name}: {value:?} is no {kind:?}"))));
            }
        }
        at += 1;
    }
    let schema = Arc::new(Type::group_type_builder(name).with_fields(types).build()?);
    let mut writer = SerializedFileWriter::new(File::create_new(path)?, schema, Arc::new(properties().build()))?;
    let mut group = writer.next_row_group()?;
    for column in &mut builder.columns {
        let Some(mut to) = group.next_column()? else { break };
        column.flush(at, &mut to, &mut Vec::new())?;
        to.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(Ok(()))
}

/// Puts a value into its column. Returns false if the value has another type.
fn put(value: FlatValue<'_>, kind: FlatType, row: usize, column: &mut Column) -> bool {
    column.level(row, (value != FlatValue::Missing).into(), 0);
    match (value, kind) {
        (FlatValue::Missing, _) => {}
        (FlatValue::Int(n), FlatType::Int) => column.int(n as i64),
        (FlatValue::Int(n), FlatType::Real) => column.f64(n as f64),
        (FlatValue::Real(x), FlatType::Real) => column.f64(x),
        (FlatValue::Text(text), FlatType::Text) => _ = column.bytes(|out| out.extend_from_slice(text.as_bytes())),
        (FlatValue::Flag(yes), FlatType::Flag) => column.bool(yes),
        _ => return false,
    }
    true
}
