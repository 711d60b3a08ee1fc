//! `netkit stats`: counts messages by kind, conversation and time, and shows their delivery.

use super::gates::merged;
use super::options::{inputs, options};
use super::output::{page, style, text};
use crate::capture::Capture;
use crate::cli::{Form, Global, Stats as Args};
use crate::dissect::Options;
use crate::plural::Plural;
use crate::printable::Lines;
use crate::process::interrupt::stop;
use crate::process::join::{self, Join};
use crate::process::notify::{about, warn};
use crate::process::outfile::stdout_is_no_input;
#[cfg(feature = "parquet")]
use crate::process::outfolder::OutFolder;
use crate::process::parallel::{InputReader, Shared};
use crate::process::stopped::{ended, warning};
use crate::process::usage::{self, NO_PARQUET, Usage, refuse, usage};
use crate::process::{capture, names};
use crate::read::{CaptureSink, Pick, Picked, Selection, Summary};
use crate::stats::report::omissions;
use crate::stats::verdicts::one_direction;
use crate::stats::{Observer, Order, Report, Stats, Wanted};
use std::io::{self, Write};
use std::path::PathBuf;

impl Shared for Picked<Stats> {
    fn divides(&self) -> bool {
        !self.pick.selection.redact
    }

    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary {
        self.begin();
        let observers = std::iter::repeat_with(|| Observer::new(options)).take(count + 1).collect();
        merged(capture, options, observers, &mut self.pick, &mut self.sink)
    }
}

/// Runs the command. Each of several files is reported, and then all of them as one capture. One that cannot be read to
/// its end does not hold up the others.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    if args.interfaces.list_interfaces {
        return capture::list();
    }
    stdout_is_no_input(&inputs(&args.files, &args.dissect)?)?;
    let (parquet, out, written) = (args.format == Form::Parquet, args.out.is_some(), args.write.is_some());
    let live = args.interface.interface.is_some();
    refuse(&[
        (parquet && cfg!(not(feature = "parquet")), NO_PARQUET),
        (parquet && !out, "-f parquet: -o DIR names the folder of its files"),
        (!parquet && out, "-o is for -f parquet; other formats are printed: > FILE"),
        (written && !live, "-w keeps captured frames: only with -i; decode -w writes a part of a file"),
        (args.force && !written && !out, "--force: only with -w or -o: nothing is written"),
    ])?;
    let pattern = |file: &PathBuf| !file.exists() && file.to_str().is_some_and(|text| text.contains(['*', '?', '[']));
    if args.join || args.files.len() < 2 && !args.files.iter().any(pattern) {
        return one(args, "", global);
    }
    let json = match args.format {
        Form::Json => true,
        Form::Text => false,
        _ => return usage("several files: only -f text and json print each of them; --join reads them as one capture"),
    };
    // The report of a file that is no capture says so.
    if let Err(error) = Join::new(&args.files)
        && usage::status(&error) == 2
    {
        return Err(error);
    }
    let files = join::expanded(&args.files)?;
    // An error in the options is not one of a file.
    options(&args.dissect)?;
    let each = files.iter().map(|file| (vec![file.clone()], false));
    let mut worst = 0;
    for (k, (files, join)) in each.chain([(files.clone(), true)]).enumerate() {
        let heading = match (json, join) {
            (true, _) => (if k == 0 { "[" } else { "," }).to_owned(),
            (false, true) => format!("\nTogether: {} as one capture\n", Plural(files.len(), "file")),
            (false, false) => format!("{}{}\n", if k == 0 { "" } else { "\n" }, Lines(names::names(&files))),
        };
        about(&if join { String::new() } else { join::name(&files) });
        let of = if join { "all files as one capture: " } else { "" };
        match one(&Args { files, join, ..args.clone() }, &heading, global) {
            Ok(status) => worst = worst.max(status),
            Err(error) if usage::status(&error) == 2 || usage::broken_pipe(&error) => return Err(error),
            Err(error) => {
                warn(format_args!("{of}{error:#}"));
                worst = 3;
            }
        }
        if stop().is_set() {
            break;
        }
    }
    if json {
        io::stdout().write_all(b"]\n")?;
    }
    Ok(worst)
}

/// Writes a file for each table, unless the reading was stopped.
#[cfg(feature = "parquet")]
fn files(args: &Args, report: Report, stats: &Stats, name: &str) -> anyhow::Result<()> {
    let Some(name_of_folder) = &args.out else { return Ok(()) };
    let folder = OutFolder::begin("-o", name_of_folder, "parquet", args.force)?;
    report.parquet(stats, name, folder.path())?;
    Ok(folder.commit("parquet")?)
}

/// Reports one file, or joined ones, below a heading. A JSON array has `null` for what has no report.
fn one(args: &Args, heading: &str, global: &Global) -> anyhow::Result<u8> {
    let mut options = options(&args.dissect)?;
    options.part = args.conversations;
    let selection = Selection::new(&args.traffic, &mut options)?;
    let pick = Pick::new(selection, &args.gates, false, &options)?;
    if args.traffic.redact && args.interface.interface.is_some() && args.write.is_some() {
        let why = "it keeps the frames as captured; redact the file afterwards with decode --redact -w";
        return usage(format!("-i -w: not with --redact: {why}"));
    }
    let keep = capture::Keep {
        to: args.write.as_deref(),
        rotation: Some(&args.rotation),
        force: args.force,
        read: inputs([], &args.dissect)?,
        prints: false,
    };
    capture::begin(&args.interface, args.traffic.until, keep, &options, global)?;
    if let Some(field) = &args.track {
        return super::track::run(args, heading, field, &options, global, pick);
    }
    let pick = match super::figures::run(args, heading, &options, global, pick)? {
        Ok(status) => return Ok(status),
        Err(pick) => pick,
    };
    if !args.columns.is_empty() && !matches!(args.format, Form::Csv | Form::Tsv) {
        return usage("--columns: only with -f csv and tsv");
    }
    let report = match (&args.by, args.delivery) {
        (None, false) => Report::All,
        (None, true) => Report::Delivery,
        (Some(by), _) => by.parse().map_err(|why| Usage(format!("--by {by}: {why}")))?,
    };
    let rows = report == Report::Delivery && args.format == Form::Json;
    options.wants = pick.reads() | Observer::new(&options).reads();
    let mut stats = Stats::new(&options, Wanted { rows, fields: false });
    stats.order = Order { sort: args.sort.clone(), top: args.top };
    // A wrong name is reported before anything is read.
    report.check(&stats).map_err(|why| Usage(format!("--sort: {why}")))?;
    io::stdout().write_all(heading.as_bytes())?;
    let reading = InputReader { options: &options, global, threads: args.threads, follow: false, link: false };
    let mut picked = Picked { pick, sink: stats };
    let done = reading.files(&args.files, args.join, &mut picked);
    let Picked { mut pick, sink: mut stats } = picked;
    pick.ended(&args.files, &done);
    stats.stopped = matches!(done, Ok(Some(_)));
    stats.account = pick.account.clone();
    stats.selected = pick.selection.cuts();
    if stats.messages > 0 || done.is_ok() {
        let mut out = Vec::new();
        let name = names::names(&args.files);
        // Text and JSON show it among the verdicts. Here it would be missing, and the figures wrong in silence.
        if !matches!(args.format, Form::Text | Form::Json)
            && let Some(verdict) = one_direction(&stats)
        {
            warn(format_args!("{}", verdict.text));
        }
        if args.format != Form::Text {
            omissions(&stats).iter().for_each(|line| warn(format_args!("{line}")));
        }
        match args.format {
            Form::Text => {
                out.extend_from_slice(warning(args.path(), &done).as_bytes());
                let style = style(global, false);
                report.text(&stats, &name, style.width, style.colour, &mut out);
                page(&String::from_utf8_lossy(&out), style.colour)?;
            }
            Form::Ndjson => {
                report.ndjson(&stats, &mut out);
                done.iter().flatten().for_each(|stopped| out.extend_from_slice(ended(stopped).as_bytes()));
            }
            Form::Json => report.json(&stats, &name, &mut out),
            Form::Parquet if stats.stopped => {}
            #[cfg(feature = "parquet")]
            Form::Parquet => files(args, report, &stats, &name)?,
            _ => {
                let separator = if args.format == Form::Csv { ',' } else { '\t' };
                let done = report.separated(&stats, separator, &args.columns, &mut out);
                done.map_err(|why| Usage(format!("--columns: {why}")))?;
            }
        }
        match args.format {
            Form::Text => {}
            Form::Csv => text(&out)?,
            _ => io::stdout().write_all(&out)?,
        }
    } else if !heading.is_empty() && args.format == Form::Json {
        io::stdout().write_all(b"null\n")?;
    }
    Ok(pick.status(args.path(), done?, global))
}
