//! One Parquet column: its values so far, and the places where values are missing or repeated.
//!
//! Levels are Dremel's, as Parquet stores them. The definition level is the number of present steps on the path to a
//! value. The repetition level is the number of the list on the path that continues.

use bytes::Bytes;
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// The approximate size of a value without its text: eight bytes, and its levels.
pub const LEVEL: usize = 10;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// INT64.
    Int,
    /// INT64, unsigned.
    UInt,
    /// FLOAT.
    F32,
    /// DOUBLE.
    F64,
    /// BOOLEAN.
    Bool,
    /// UTF-8.
    Text,
    /// UTF-8: words of the program, not of the traffic.
    Word,
    /// JSON, as UTF-8. It is not marked as JSON, because Polars would then read bytes.
    Json,
    /// Bytes.
    Bytes,
    /// Microseconds since 1970, UTC.
    Time,
}

impl Leaf {
    /// Returns the column's type in the file. Every value is optional.
    pub fn parquet(self, name: &str) -> Result<TypePtr> {
        let (physical, logical) = match self {
            Leaf::Int => (Physical::INT64, None),
            Leaf::UInt => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Leaf::F32 => (Physical::FLOAT, None),
            Leaf::F64 => (Physical::DOUBLE, None),
            Leaf::Bool => (Physical::BOOLEAN, None),
            Leaf::Text | Leaf::Word | Leaf::Json => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Leaf::Bytes => (Physical::BYTE_ARRAY, None),
            Leaf::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        };
        let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(column.with_logical_type(logical).build()?))
    }
}

/// The present values of a column.
#[derive(Debug)]
enum Values {
    Int(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    /// All bytes, and the start and end of each value.
    Bytes(Vec<u8>, Vec<(usize, usize)>),
    /// Words of the program.
    Words(Vec<&'static str>),
}

/// A column of the current row group.
///
/// A row without a value in this column costs nothing. Its levels are added with the next value, or at the end of the
/// row group.
#[derive(Debug)]
pub struct Column {
    values: Values,
    definitions: Vec<i16>,
    /// Empty if nothing on the path is a list.
    repetitions: Vec<i16>,
    repeats: bool,
    /// The number of rows whose levels were added.
    rows: usize,
}

impl Column {
    /// Creates an empty column. `repeats`: there is a list on its path.
    pub fn new(leaf: Leaf, repeats: bool) -> Column {
        let values = match leaf {
            Leaf::Int | Leaf::UInt | Leaf::Time => Values::Int(Vec::new()),
            Leaf::F32 => Values::F32(Vec::new()),
            Leaf::F64 => Values::F64(Vec::new()),
            Leaf::Bool => Values::Bool(Vec::new()),
            Leaf::Text | Leaf::Json | Leaf::Bytes => Values::Bytes(Vec::new(), Vec::new()),
            Leaf::Word => Values::Words(Vec::new()),
        };
        Column { values, definitions: Vec::new(), repetitions: Vec::new(), repeats, rows: 0 }
    }

    /// Returns an empty column of the same type.
    pub fn another(&self) -> Column {
        let values = match &self.values {
            Values::Int(_) => Values::Int(Vec::new()),
            Values::F32(_) => Values::F32(Vec::new()),
            Values::F64(_) => Values::F64(Vec::new()),
            Values::Bool(_) => Values::Bool(Vec::new()),
            Values::Bytes(..) => Values::Bytes(Vec::new(), Vec::new()),
            Values::Words(_) => Values::Words(Vec::new()),
        };
        Column { values, definitions: Vec::new(), repetitions: Vec::new(), repeats: self.repeats, rows: 0 }
    }

    /// Adds the levels of a value in this row, or of a missing one.
    #[inline]
    pub fn level(&mut self, row: usize, definition: i16, repetition: i16) {
        if repetition == 0 {
            if self.rows < row {
                self.skip(row);
            }
            self.rows = row + 1;
        }
        self.definitions.push(definition);
        if self.repeats {
            self.repetitions.push(repetition);
        }
    }

    /// Adds the levels of the rows before this one that have none.
    fn skip(&mut self, row: usize) {
        let missing = row - self.rows;
        self.definitions.resize(self.definitions.len() + missing, 0);
        if self.repeats {
            self.repetitions.resize(self.repetitions.len() + missing, 0);
        }
        self.rows = row;
    }

    /// Adds a whole number, unsigned ones as their bits. A column of another type ignores it.
    #[inline]
    pub fn int(&mut self, value: i64) {
        if let Values::Int(all) = &mut self.values {
            all.push(value);
        }
    }

    /// Adds a binary32 number.
    pub fn f32(&mut self, value: f32) {
        if let Values::F32(all) = &mut self.values {
            all.push(value);
        }
    }

    /// Adds a binary64 number.
    pub fn f64(&mut self, value: f64) {
        if let Values::F64(all) = &mut self.values {
            all.push(value);
        }
    }

    /// Adds true or false.
    pub fn bool(&mut self, value: bool) {
        if let Values::Bool(all) = &mut self.values {
            all.push(value);
        }
    }

    /// Adds bytes or text, which `write` appends. Returns their number.
    #[inline]
    pub fn bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let Values::Bytes(all, ranges) = &mut self.values else { return 0 };
        let before = all.len();
        write(all);
        ranges.push((before, all.len()));
        all.len() - before
    }

    /// Adds a word of the program.
    #[inline]
    pub fn word(&mut self, word: &'static str) {
        if let Values::Words(all) = &mut self.values {
            all.push(word);
        }
    }

    /// Adds text that is often the same as in the row before; equal text is stored once. Returns the number of new
    /// bytes.
    #[inline]
    pub fn again(&mut self, text: &[u8]) -> usize {
        if let Values::Bytes(all, ranges) = &mut self.values
            && let Some((start, end)) = ranges.last().copied()
            && all[start..end] == *text
        {
            ranges.push((start, end));
            return 0;
        }
        self.bytes(|out| out.extend_from_slice(text))
    }

    /// Writes the column's part of a row group with this many rows, and empties the column. `scratch` is empty before
    /// and after.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn flush(
        &mut self,
        rows: usize,
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Vec<ByteArray>,
    ) -> Result<()> {
        self.skip(rows);
        let definitions = Some(self.definitions.as_slice());
        let repetitions = self.repeats.then_some(self.repetitions.as_slice());
        match (&mut self.values, to.untyped()) {
            (Values::Int(all), ColumnWriter::Int64ColumnWriter(_)) => {
                to.typed::<Int64Type>().write_batch(all, definitions, repetitions)?;
                all.clear();
            }
            (Values::F32(all), ColumnWriter::FloatColumnWriter(_)) => {
                to.typed::<FloatType>().write_batch(all, definitions, repetitions)?;
                all.clear();
            }
            (Values::F64(all), ColumnWriter::DoubleColumnWriter(_)) => {
                to.typed::<DoubleType>().write_batch(all, definitions, repetitions)?;
                all.clear();
            }
            (Values::Bool(all), ColumnWriter::BoolColumnWriter(_)) => {
                to.typed::<BoolType>().write_batch(all, definitions, repetitions)?;
                all.clear();
            }
            (Values::Bytes(all, ranges), ColumnWriter::ByteArrayColumnWriter(_)) => {
                // All values share one buffer.
                let all = ByteArray::from(std::mem::take(all));
                scratch.extend(ranges.drain(..).map(|(start, end)| all.slice(start, end - start)));
                to.typed::<ByteArrayType>().write_batch(scratch, definitions, repetitions)?;
                scratch.clear();
            }
            (Values::Words(all), ColumnWriter::ByteArrayColumnWriter(_)) => {
                let words = all.drain(..).map(|word| Bytes::from_static(word.as_bytes()).into());
                scratch.extend(words);
                to.typed::<ByteArrayType>().write_batch(scratch, definitions, repetitions)?;
                scratch.clear();
            }
            _ => return Err(ParquetError::General("a column of another type".into())),
        }
        self.definitions.clear();
        self.repetitions.clear();
        self.rows = 0;
        Ok(())
    }
}
