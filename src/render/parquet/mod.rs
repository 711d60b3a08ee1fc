//! Columns for engines that read many captures: one Parquet file for each protocol and message. The columns are the
//! same for every capture, because their types come from the tables and not from the values.
//!
//! `fields.rtt` is the field `rtt`, as in filters and in ndjson. Values that their column's type cannot hold (those
//! shown raw), and values that are in no table, are stored in `other` as path and JSON, so that no value is lost.

mod column;
mod encoder;
mod flat;
mod plan;
mod row;
mod shape;
mod shred;
mod table;

pub(crate) use flat::{FlatColumn, FlatType, FlatValue, flat};
pub use table::describe;

use super::Files;
use super::files::FileNames;
use crate::dissect::{Message, Options, Sink};
use encoder::Encoder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Path, PathBuf};
use table::{Memory, Table};

/// The maximum size of the rows that are held in memory for all files together. At this size the fullest file writes a
/// row group.
const HELD: usize = 16 << 20;

/// Writes messages into the files of a folder.
#[derive(Debug)]
pub struct ParquetFiles {
    folder: PathBuf,
    options: Options,
    bytes: bool,
    /// The names of the files that frames belong to.
    names: FileNames,
    tables: Vec<Table>,
    /// The index of each message's table, by protocol and name.
    by_name: FxHashMap<(&'static str, &'static str), usize>,
    last: Option<((&'static str, &'static str), usize)>,
    held: usize,
    memory: Memory,
    encoder: Encoder,
    failed: Option<io::Error>,
}

impl ParquetFiles {
    /// Creates files in `folder`, which exists and contains none of them. `bytes`: include the messages' bytes.
    /// `files`: the captures that are read. `threads`: with two or more, a second thread encodes the caller's rows.
    pub fn new(folder: &Path, bytes: bool, files: &Files, threads: usize, options: &Options) -> ParquetFiles {
        ParquetFiles {
            folder: folder.into(),
            options: options.clone(),
            bytes,
            names: FileNames::new(files),
            tables: Vec::new(),
            by_name: FxHashMap::default(),
            last: None,
            held: 0,
            memory: Memory::default(),
            encoder: Encoder::new(threads > 1),
            failed: None,
        }
    }

    /// Returns the error that stopped the output.
    pub fn failed(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }

    /// Completes all files.
    ///
    /// # Errors
    /// Returns the error that stopped the output, now or before.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let rest = self.tables.drain(..).try_for_each(|mut table| table.flush(&mut self.encoder));
        rest.and_then(|()| self.encoder.finish()).map_err(error)
    }

    fn table(&mut self, proto: &'static str, name: &'static str) -> Result<usize, ParquetError> {
        if let Some((last, table)) = self.last
            && std::ptr::eq(last.0, proto)
            && std::ptr::eq(last.1, name)
        {
            return Ok(table);
        }
        let table = match self.by_name.get(&(proto, name)) {
            Some(table) => *table,
            None => {
                let path = self.folder.join(format!("{proto}.{name}.parquet"));
                self.tables.push(Table::create(&path, proto, name, &self.options, &mut self.encoder)?);
                self.by_name.insert((proto, name), self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        self.last = Some(((proto, name), table));
        Ok(table)
    }

    fn add(&mut self, message: &Message<'_>) -> Result<(), ParquetError> {
        let table = self.table(message.dissection.proto, message.dissection.message)?;
        let (file, number) = self.names.plain(message.place.frame);
        self.held += self.tables[table].add(file, number, message, self.bytes, &mut self.memory);
        if self.held > HELD
            && let Some(fullest) = self.tables.iter_mut().max_by_key(|table| table.held)
        {
            self.held -= fullest.held;
            fullest.flush(&mut self.encoder)?;
        }
        Ok(())
    }
}

impl Sink for ParquetFiles {
    fn message(&mut self, message: &Message<'_>) {
        if self.failed.is_none()
            && let Err(why) = self.add(message)
        {
            self.failed = Some(error(why));
        }
    }
}

/// Returns the properties of all files. Dictionaries are set for each column. Statistics hold the smallest and largest
/// value of each row group, so that readers can skip whole groups.
fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("netkit ", env!("CARGO_PKG_VERSION")).into())
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
}

fn error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
