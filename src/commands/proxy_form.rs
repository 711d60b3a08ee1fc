//! The form of what a proxy prints.

use super::Usage;
use crate::cli::{Proxy, ProxyFormat};
use netkit::dissect::Options;
use netkit::filter::Names;
use netkit::render::{Columns, Details};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The text of one message.
#[derive(Clone, Default)]
pub struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    /// What was written.
    pub fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The form of messages.
///
/// # Errors
/// Why a form is none of a proxy's, and wrong `--columns`.
pub fn details(args: &Proxy, options: &Options) -> anyhow::Result<Details> {
    let instead = match args.format {
        ProxyFormat::Parquet => {
            "parquet completes its files at the end of its input, and a proxy has none: record with --pcap FILE, then \
             decode FILE -f parquet -o DIR"
        }
        ProxyFormat::Pcapng => "--pcap FILE writes both legs, with what was done to each packet as its comment",
        _ => "",
    };
    if !instead.is_empty() {
        return Err(Usage(format!("-f {}: {instead}", args.format.name())).into());
    }
    let mut details = Details::default();
    if !args.columns.is_empty() {
        if !matches!(args.format, ProxyFormat::Csv | ProxyFormat::Tsv | ProxyFormat::Summary) {
            return Err(Usage("--columns: only with -f csv, tsv and summary".into()).into());
        }
        let columns = Columns::parse(&args.columns, options.proto.as_deref(), &Names::new(options));
        details.columns = Some(columns.map_err(|error| Usage(format!("--columns: {error}")))?);
    }
    Ok(details)
}
