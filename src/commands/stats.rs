//! `netkit stats`: what was said how often, by whom, when, and what became of it.

use super::output::style;
use super::read::{self, Reading};
use super::selection::Selection;
use super::{Usage, input, options};
use crate::cli::{Global, Stats as Args, StatsFormat};
use anyhow::Context;
use netkit::capture::{Input, Time};
use netkit::flow::End;
use netkit::protocols::{Message, Options, Sink};
use netkit::stats::{Report, Stats, Wanted};
use std::io::{self, Write};
use std::path::Path;

/// Counts the messages that are wanted.
pub struct Counting<S> {
    /// What counts them.
    pub sink: S,
    selection: Selection,
}

impl<S: Sink> Sink for Counting<S> {
    fn message(&mut self, message: &Message<'_>) {
        if self.selection.wants(message) {
            self.sink.message(message);
        }
    }

    fn ended(&mut self, flow: u64, how: [Option<End>; 2]) {
        self.sink.ended(flow, how);
    }
}

impl<S: Sink> Reading for Counting<S> {
    fn frame(&mut self, time: Time) {
        self.selection.frame(time);
    }
}

/// Reads a capture into a sink. What could be read stands, also where it ends in an error.
pub fn count<S: Sink>(
    path: &Path,
    options: &Options,
    global: &Global,
    selection: Selection,
    sink: S,
) -> (S, anyhow::Result<()>) {
    let mut counting = Counting { sink, selection };
    let done = input::open(path)
        .and_then(|reader| {
            let input = Input::new(reader)?;
            if input.format().is_none() {
                anyhow::bail!("neither pcap nor pcapng: statistics need a capture");
            }
            read::capture(input, options, global, &mut counting)
        })
        .with_context(|| input::name(path));
    (counting.sink, done)
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
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
        io::stdout().write_all(&out)?;
    }
    done.map(|()| 0)
}
