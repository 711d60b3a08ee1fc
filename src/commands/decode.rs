//! `netkit decode`: captures (or hex text) to messages.

use super::capture;
use super::gates::Pick;
use super::interrupt::{self, stop};
use super::join::Join;
use super::link;
use super::names;
use super::notify::notify;
use super::options::{inputs, options};
use super::outfile::stdout_is_no_input;
use super::output::{Live, Printer};
use super::read;
use super::selection::Selection;
use super::usage::{NO_PARQUET, Usage};
use super::{check, cut, input, parallel};
use crate::cli::{Decode, Format, Global, Traffic};
use anyhow::Context;
use netkit::capture::Capture;
use netkit::dissect::{LinkedSink, Options};
use netkit::read::Any;
use netkit::render::{self, Files};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Runs the command.
pub fn run(args: &Decode, global: &Global) -> anyhow::Result<u8> {
    if args.interfaces.list_interfaces {
        return capture::list();
    }
    stdout_is_no_input(&inputs(&args.files, &args.dissect.schema))?;
    let mut options = options(&args.dissect)?;
    // --check reads once: what it compares are bytes. So do files of frames and of columns.
    let once = args.write.is_some() || args.output.format == Format::Parquet;
    let selection = match args.check || args.follow || once {
        true => Selection::new(&args.traffic, &mut options)?,
        false => Selection::linking(&args.traffic, &mut options)?,
    };
    if args.traffic.leg.is_none() {
        options.leg = None;
    }
    let pick = Pick::new(selection, &args.output.gates, args.check, &options)?;
    if let Some(why) = conflict(args, pick.later(), &options) {
        return Err(Usage(why).into());
    }
    let keep =
        capture::Keep { to: args.write.as_deref(), force: args.force, schemas: &args.dissect.schema, prints: true };
    capture::begin(&args.interface, args.traffic.until, keep, &options, global)?;
    if args.check {
        return check::run(args, pick.count(args.output.count), &options, global);
    }
    if let (Some(to), None) = (&args.write, &args.interface.interface) {
        return cut::run(args, to, pick.count(args.output.count), &options, global);
    }
    #[cfg(feature = "parquet")]
    if args.output.format == Format::Parquet {
        return super::parquet::run(args, pick, &options, global);
    }
    if args.output.format == Format::Pcapng {
        return super::pcapng::run(args, pick, &options, global);
    }
    let files = (args.join || args.files.len() > 1).then(Files::default);
    let mut printer = Printer::new(&args.output, global, pick, args.time, &options, files.clone())?;
    printer.account = args.account;
    options.wants = printer.reads();
    let link = args.link || printer.pick.later();
    if args.join {
        return joined(args, global, &options, printer, &files.unwrap_or_default(), link);
    }
    let mut failed = None;
    for path in &args.files {
        let live = Live::of(path, args.follow);
        input::announce_wait(path, global);
        let read = link::open(path, args.follow, link, &options, global).and_then(|(input, linked)| {
            if let Some(files) = &files {
                files.restart(&names::name(path));
            }
            if let Some(linked) = linked {
                printer.live(live);
                return read::whole(input, &options, global, &mut Any(&mut LinkedSink { sink: &mut printer, linked }));
            }
            let threads = if printer.divides() { parallel::threads(path, args.threads, printer.watched) } else { 1 };
            match threads {
                n if n > 1 && live == Live::No && input.format().is_some() => {
                    read::report(printer.divided(Capture::new(input)?, &options, n), global, &mut printer)
                }
                _ => {
                    printer.live(live);
                    read::whole(input, &options, global, &mut printer)
                }
            }
        });
        if !stop().is_set() {
            printer.pick.end(&input::name(path));
        }
        if let (Ok(Some(stopped)), false) = (&read, args.follow) {
            stopped.report(path);
        }
        if let Err(error) = read {
            // What could be read has been printed; the other files still follow.
            let error = error.context(input::name(path));
            if super::usage::broken_pipe(&error) {
                return Err(error);
            }
            match &failed {
                None if args.files.len() == 1 => failed = Some(error),
                _ => {
                    notify(global, format_args!("netkit: {error:#}"));
                    failed = Some(error);
                }
            }
        }
        if printer.done() || stop().is_set() {
            break;
        }
    }
    if failed.is_none() {
        tell_nothing(args, global, &printer);
    }
    let status = printer.finish(global)?;
    match failed {
        // Input without an end of its own is complete when the user stops it.
        None => {
            let endless = args.follow || args.files.iter().any(|p| p.as_os_str() == "-");
            Ok(interrupt::status(endless).unwrap_or(status))
        }
        Some(error) if args.files.len() == 1 => Err(error),
        Some(_) => Ok(3),
    }
}

/// Options that contradict each other: why the first of them cannot be done.
fn conflict(args: &Decode, later: bool, options: &Options) -> Option<String> {
    let (live, redact, out) = (args.interface.interface.is_some(), args.traffic.redact, args.out.is_some());
    let (written, later) = (args.write.is_some(), args.link || later);
    let columns = !args.output.columns.is_empty();
    let not_checked = !args.check;
    let printed = not_checked && (live || !written);
    let is = |format| printed && args.output.format == format;
    let (parquet, pcapng) = (is(Format::Parquet), is(Format::Pcapng));
    let text = printed && !parquet && !pcapng;
    let has_account = args.output.format.is(&[render::Format::NDJSON, render::Format::JSON]);
    let rules = [
        (
            live && later,
            "-i: what later messages say is not known yet: -w FILE keeps the frames, and decode reads them",
        ),
        (
            live && redact && written,
            "-i -w: not with --redact: it keeps the frames as they come; decode --redact -w redacts the file then",
        ),
        (not_checked && args.force && !written && !out, "--force: only with -w or -o: nothing is written"),
        (parquet && cfg!(not(feature = "parquet")), NO_PARQUET),
        (parquet && !out, "-f parquet: -o DIR names the folder of its files"),
        // Not in silence: rows would lack what later messages tell, or be selected by nothing.
        (parquet && later, "-f parquet reads once: what only later messages tell (--link) is in ndjson"),
        (parquet && columns, "--columns: not with -f parquet, whose readers take the columns that they want"),
        (parquet && args.follow, "--follow never ends, and -f parquet completes its files at the end"),
        (
            pcapng && redact,
            "-f pcapng: not with --redact: its frames are those of the capture; decode --redact -w FILE.pcap writes \
             others",
        ),
        (pcapng && (args.join || args.files.len() != 1), "-f pcapng: one capture; mergecap makes one of several"),
        (
            pcapng && (columns || args.time.is_some()),
            "--columns, --time: not with -f pcapng, which keeps the frames and their times",
        ),
        (
            pcapng && !out && io::stdout().is_terminal(),
            "-f pcapng is not for a terminal: -o FILE writes it, | wireshark -k -i - shows it",
        ),
        (pcapng && args.follow && out, "--follow never ends, and -o completes its file at the end: > FILE, or a pipe"),
        (text && out, "-o is for -f pcapng and parquet; other formats are printed: > FILE"),
        (text && args.comments.is_some(), "--comments: only with -f pcapng"),
        (text && args.follow && args.files.len() > 1, "--follow: one file, not several: the first never ends"),
        (text && args.account && !has_account, "--account: only with -f ndjson and json; stats -f json always has it"),
    ];
    let asked = |name: &str| options.proto.as_deref() == Some(name) || !args.dissect.protocol_file.is_empty();
    let mut nested = options.registry.iter().filter(|dissector| !dissector.headers().is_empty());
    let headers = nested.find(|dissector| parquet && asked(dissector.name())).map(|dissector| {
        let name = dissector.name();
        format!("-f parquet: {name} has headers around its messages, which have no columns: use -f ndjson")
    });
    let (first, rest) = rules.split_at(3);
    let broken = |rules: &[(bool, &str)]| rules.iter().find(|(broken, _)| *broken).map(|(_, why)| (*why).into());
    broken(first).or(headers).or_else(|| broken(rest))
}

/// Reads all files as one.
fn joined(
    args: &Decode,
    global: &Global,
    options: &Options,
    mut printer: Printer,
    files: &Files,
    link: bool,
) -> anyhow::Result<u8> {
    let join = Join::new(&args.files)?;
    let all = PathBuf::from(join.names().map(input::name).collect::<Vec<_>>().join(", "));
    let threads = if printer.divides() { parallel::threads_for(join.size, args.threads, printer.watched) } else { 1 };
    let (capture, broken) = join.open(files, global)?;
    let read = match threads {
        _ if link => {
            let linked = link::joined(&args.files, options, global)?;
            read::frames(capture, options, global, &mut Any(&mut LinkedSink { sink: &mut printer, linked }))
        }
        n if n > 1 => read::report(printer.divided(capture, options, n), global, &mut printer),
        _ => read::frames(capture, options, global, &mut printer),
    };
    if !stop().is_set() {
        printer.pick.end(&input::name(&all));
    }
    if let Ok(Some(stopped)) = &read {
        stopped.report(&all);
    }
    if !broken.any() && read.is_ok() {
        tell_nothing(args, global, &printer);
    }
    let status = printer.finish(global)?;
    read.with_context(|| input::name(&all))?;
    Ok(interrupt::status(false).unwrap_or(if broken.any() { 3 } else { status }))
}

/// Tells that nothing was where a condition does not.
fn tell_nothing(args: &Decode, global: &Global, printer: &Printer) {
    if !printer.pick.any() && !printer.pick.reports_none() && printer.pick.outside().is_none() {
        let why = match selection_given(&args.traffic) {
            true => "no message fits what was asked for",
            false => {
                "no message of a protocol we know; -v tells what there is, -p and --port name protocols, `netkit help your-protocol` describes one in a file"
            }
        };
        notify(global, format_args!("netkit: {why}"));
    }
}

/// Is only a selection of the messages requested?
fn selection_given(traffic: &Traffic) -> bool {
    traffic.filter.is_some() || traffic.flow.is_some() || traffic.since.is_some() || traffic.until.is_some()
}
