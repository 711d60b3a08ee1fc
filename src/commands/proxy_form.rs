//! The form of what a proxy prints.

use super::usage::Usage;
use crate::cli::{Format, Proxy};
use netkit::dissect::Options;
use netkit::filter::Names;
use netkit::render::{self, Columns, Details};

/// The form of messages.
///
/// # Errors
/// Why a form is none of a proxy's, and wrong `--columns`.
pub fn details(args: &Proxy, options: &Options) -> anyhow::Result<Details> {
    let instead = match args.format {
        Format::Parquet => {
            "parquet completes its files at the end of its input, and a proxy has none: record with --pcap FILE, then \
             decode FILE -f parquet -o DIR"
        }
        Format::Pcapng => "--pcap FILE writes both legs, with what was done to each packet as its comment",
        _ => "",
    };
    if !instead.is_empty() {
        return Err(Usage(format!("-f {}: {instead}", args.format.name())).into());
    }
    let mut details = Details::default();
    if !args.columns.is_empty() {
        if !args.format.is(&[render::Format::CSV, render::Format::TSV, render::Format::SUMMARY]) {
            return Err(Usage("--columns: only with -f csv, tsv and summary".into()).into());
        }
        let columns = Columns::parse(&args.columns, options.proto.as_deref(), &Names::new(options));
        details.columns = Some(columns.map_err(|error| Usage(format!("--columns: {error}")))?);
    }
    Ok(details)
}
