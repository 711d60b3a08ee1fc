//! The output format of a proxy.

use super::output::chosen;
use super::usage::usage;
use crate::cli::{Format, Proxy};
use crate::dissect::Options;
use crate::render::Details;

/// Returns the details of the messages' format.
///
/// # Errors
/// Fails if the format is not available for a proxy, or if `--columns` is wrong.
pub fn details(args: &Proxy, options: &Options) -> anyhow::Result<Details> {
    let instead = match args.printed() {
        Format::Parquet => {
            "parquet completes its files at the end of its input, and a proxy has none: record with --pcap FILE, then \
             decode FILE -f parquet -o DIR"
        }
        Format::Pcapng => "--pcap FILE writes both legs, with what was done to each packet as its comment",
        _ => "",
    };
    if !instead.is_empty() {
        return usage(format!("-f {}: {instead}", args.printed().name()));
    }
    Ok(Details { columns: chosen(&args.columns, args.printed(), options)?, ..Details::default() })
}
