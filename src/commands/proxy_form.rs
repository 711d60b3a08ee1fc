//! The output format of a proxy.

use super::usage::{Usage, usage};
use crate::cli::{Format, Proxy};
use netkit::dissect::Options;
use netkit::filter::Names;
use netkit::render::{self, Columns, Details};

/// Returns the details of the messages' format.
///
/// # Errors
/// Fails if the format is not available for a proxy, or if `--columns` is wrong.
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
        return usage(format!("-f {}: {instead}", args.format.name()));
    }
    let mut details = Details::default();
    if !args.columns.is_empty() {
        if !args.format.is(&[render::Format::CSV, render::Format::TSV, render::Format::SUMMARY]) {
            return usage("--columns: only with -f csv, tsv and summary");
        }
        let columns = Columns::parse(&args.columns, options.proto.as_deref(), &Names::new(options));
        details.columns = Some(columns.map_err(|error| Usage(format!("--columns: {error}")))?);
    }
    Ok(details)
}
