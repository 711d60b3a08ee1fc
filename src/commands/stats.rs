//! `netkit stats`: what was said how often, by whom, when, and what became of it.

use super::outfile::stdout_is_no_input;
use super::output::{style, text};
use super::selection::{Picked, Selection};
use super::{Usage, input, inputs, options, read};
use crate::cli::{Global, Stats as Args, StatsFormat};
use netkit::protocols::{Options, Sink};
use netkit::stats::{Report, Stats, Wanted};
use std::io::{self, Write};
use std::path::Path;

/// Reads a file into a sink. What could be read stands, also where it ends in an error.
pub fn count<S: Sink>(
    path: &Path,
    options: &Options,
    global: &Global,
    selection: Selection,
    sink: S,
) -> (S, anyhow::Result<()>) {
    let mut picked = Picked { sink, selection };
    let done = read::file(path, options, global, &mut picked);
    (picked.sink, done)
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    stdout_is_no_input(&inputs([&args.file], &args.dissect.schema))?;
    let mut options = options(&args.dissect)?;
    let selection = Selection::new(&args.traffic, &mut options)?;
    if let Some(field) = &args.track {
        return super::track::run(args, field, &options, global, selection);
    }
    let report = match (&args.by, args.delivery) {
        (None, false) => Report::All,
        (None, true) => Report::Delivery,
        (Some(by), _) => by.parse().map_err(|why| Usage(format!("--by {by}: {why}")))?,
    };
    let rows = report == Report::Delivery && args.format == StatsFormat::Json;
    let stats = Stats::new(&options.schemas, Wanted { rows, fields: false });
    let (stats, done) = count(&args.file, &options, global, selection, stats);
    if stats.messages > 0 || done.is_ok() {
        let mut out = Vec::new();
        let name = input::name(&args.file);
        match args.format {
            StatsFormat::Text => report.text(&stats, &name, style(global, false).width, &mut out),
            StatsFormat::Ndjson => report.ndjson(&stats, &mut out),
            StatsFormat::Json => report.json(&stats, &name, &mut out),
            StatsFormat::Csv => report.csv(&stats, &mut out),
        }
        match args.format {
            StatsFormat::Text | StatsFormat::Csv => text(&out)?,
            StatsFormat::Ndjson | StatsFormat::Json => io::stdout().write_all(&out)?,
        }
    }
    done.map(|()| 0)
}
