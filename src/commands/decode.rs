//! `netkit decode`: reads messages from captures or hex text.

use super::gates::UNKNOWN;
use super::options::{inputs, options};
use super::output::{Live, Printer, dumb, text};
use super::{check, cut};
use crate::cli::{Decode, Format, Global, Traffic};
use crate::process::interrupt::{self, stop};
use crate::process::join::Join;
use crate::process::notify::{about, notify, warn};
use crate::process::outfile::stdout_is_no_input;
use crate::process::parallel::InputReader;
use crate::process::usage::{NO_PARQUET, broken_pipe, refuse};
use crate::process::{capture, input, names};
use crate::read::{Pick, Selection};
use crate::render::{self, Files};
use anyhow::Context;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Runs the command.
pub fn run(args: &Decode, global: &Global) -> anyhow::Result<u8> {
    if args.interfaces.list_interfaces {
        return capture::list();
    }
    stdout_is_no_input(&inputs(&args.files, &args.dissect)?)?;
    let mut options = options(&args.dissect)?;
    options.part = args.conversations;
    // --check reads once, because it only compares bytes. So do files of frames and of columns.
    let once = args.write.is_some() || args.output.format == Format::Parquet;
    let selection = match args.check || args.follow || once {
        true => Selection::new(&args.traffic, &mut options)?,
        false => Selection::linking(&args.traffic, &mut options)?,
    };
    if args.traffic.leg.is_none() {
        options.leg = None;
    }
    let pick = Pick::new(selection, &args.output.gates, args.check, &options)?;
    conflicts(args, pick.later())?;
    let keep = capture::Keep {
        to: args.write.as_deref(),
        rotation: Some(&args.rotation),
        force: args.force,
        read: inputs([], &args.dissect)?,
        prints: true,
    };
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
    let paged = for_person(args, global)
        && io::stdout().is_terminal()
        && !(args.no_pager || args.follow || dumb())
        && args.files.iter().all(|file| file.is_file());
    let mut printer = Printer::new(&args.output, global, pick, args.time, &options, files.clone(), paged)?;
    printer.account = args.account;
    let around = args.context;
    let counts = [args.before_context.or(around), args.after_context.or(around)].map(|n| n.unwrap_or(0).into());
    if counts != [0, 0] {
        printer.around(counts, args.output.format)?;
    }
    options.wants = printer.reads();
    let link = args.link || printer.pick.later();
    let reading = InputReader { options: &options, global, threads: args.threads, follow: args.follow, link };
    if args.join {
        return joined(args, &reading, printer, &files.unwrap_or_default());
    }
    let mut failed = None;
    for path in &args.files {
        printer.live(Live::of(path, args.follow));
        if args.files.len() > 1 {
            about(&input::name(path));
        }
        if let Some(files) = &files {
            files.restart(&names::name(path));
        }
        let read = reading.file(path, &mut printer);
        if !stop().is_set() {
            printer.pick.end(&input::name(path));
        }
        if let (Ok(Some(stopped)), false) = (&read, args.follow) {
            stopped.report(path);
        }
        if let Err(error) = read {
            // The messages before the error have been printed. The other files are still read.
            if broken_pipe(&error) {
                return Err(error);
            }
            match &failed {
                None if args.files.len() == 1 => failed = Some(error),
                _ => {
                    warn(format_args!("{error:#}"));
                    failed = Some(error);
                }
            }
        }
        if printer.done() || stop().is_set() {
            break;
        }
    }
    about("");
    let status = finish(args, global, printer, failed.is_none())?;
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

/// Refuses options that contradict one another.
fn conflicts(args: &Decode, later: bool) -> anyhow::Result<()> {
    let (live, redact, out) = (args.interface.interface.is_some(), args.traffic.redact, args.out.is_some());
    let (written, later) = (args.write.is_some(), args.link || later);
    let columns = !args.output.columns.is_empty();
    let not_checked = !args.check;
    let printed = not_checked && (live || !written);
    let is = |format| printed && args.output.format == format;
    let (parquet, pcapng) = (is(Format::Parquet), is(Format::Pcapng));
    let text = printed && !parquet && !pcapng;
    let around = args.context.or(args.before_context).or(args.after_context).is_some();
    let is_json = args.output.format.is(&[render::Format::NDJSON, render::Format::JSON]);
    refuse(&[
        (
            live && later,
            "-i: --link and filters on later messages need the whole capture: record with -w FILE, then decode it",
        ),
        (
            live && redact && written,
            "-i -w: not with --redact: it keeps the frames as captured; redact the file afterwards with decode --redact -w",
        ),
        (not_checked && args.force && !written && !out, "--force: only with -w or -o: nothing is written"),
        (parquet && cfg!(not(feature = "parquet")), NO_PARQUET),
        (parquet && !out, "-f parquet: -o DIR names the folder of its files"),
        // An error, since rows would silently lack the values that later messages determine, or match no filter.
        (parquet && later, "-f parquet reads the input once: relations to later messages (--link) are in -f ndjson"),
        (parquet && columns, "--columns: not with -f parquet, whose readers choose their columns"),
        (parquet && args.follow, "--follow never ends, and -f parquet completes its files at the end"),
        (
            pcapng && redact,
            "-f pcapng: not with --redact: it keeps the capture's frames; decode --redact -w FILE.pcap writes \
             redacted ones",
        ),
        (pcapng && (args.join || args.files.len() != 1), "-f pcapng: expected one capture; mergecap merges several"),
        (
            pcapng && (columns || args.time.is_some()),
            "--columns, --time: not with -f pcapng, which keeps the frames and their times",
        ),
        (around && !text, "--context: only for printed messages, not with files of frames or columns"),
        (
            pcapng && !out && io::stdout().is_terminal(),
            "-f pcapng is not for a terminal: -o FILE writes it, | wireshark -k -i - shows it",
        ),
        (pcapng && args.follow && out, "--follow never ends, and -o completes its file at the end: > FILE, or a pipe"),
        (
            text && out,
            "-o is for -f pcapng and parquet; other formats are printed: > FILE; -w FILE.pcap writes the messages' frames",
        ),
        (
            text && args.output.bytes && !is_json,
            "--bytes: only with -f ndjson and json; --columns bytes adds them to csv and tsv",
        ),
        (text && args.comments.is_some(), "--comments: only with -f pcapng"),
        (text && args.follow && args.files.len() > 1, "--follow: one file, not several: the first never ends"),
        (text && args.account && !is_json, "--account: only with -f ndjson and json; stats -f json always has it"),
    ])
}

/// Reads all files as one.
fn joined(args: &Decode, reading: &InputReader<'_>, mut printer: Printer, files: &Files) -> anyhow::Result<u8> {
    let join = Join::new(&args.files)?;
    let all = PathBuf::from(join.names().map(input::name).collect::<Vec<_>>().join(", "));
    let (broken, read) = reading.joined(join, files, &mut printer)?;
    if !stop().is_set() {
        printer.pick.end(&input::name(&all));
    }
    if let Ok(Some(stopped)) = &read {
        stopped.report(&all);
    }
    let status = finish(args, reading.global, printer, !broken.any() && read.is_ok())?;
    read.with_context(|| input::name(&all))?;
    Ok(interrupt::status(false).unwrap_or(if broken.any() { 3 } else { status }))
}

/// Completes the output. `whole`: all input was read.
fn finish(args: &Decode, global: &Global, printer: Printer, whole: bool) -> anyhow::Result<u8> {
    if whole {
        report_nothing(args, global, &printer);
    }
    let reader = printer.watched && printer.pick.any() && for_person(args, global);
    let sums = reader.then(|| sums(args, &printer.pick));
    let status = printer.finish(global)?;
    text(sums.unwrap_or_default().as_bytes())?;
    Ok(status)
}

/// Whether this is text to be read, on a terminal with a pager and sums.
fn for_person(args: &Decode, global: &Global) -> bool {
    use render::Format;
    let text = [Format::TREE, Format::SUMMARY, Format::TABLE, Format::DIALOGUE];
    !global.quiet && args.output.format.is(&text)
}

/// The sums of the printed messages, and the command that prints more about them.
fn sums(args: &Decode, pick: &Pick) -> String {
    // What was read from stdin is gone, and with --redact the names of files are not shown.
    if args.traffic.redact || args.files.iter().any(|file| file.as_os_str() == "-") {
        return format!("{}\n", pick.sums());
    }
    let join = if args.join { "--join " } else { "" };
    let proto = args.dissect.proto.iter().map(|proto| format!("-p {} ", names::shell_word(proto)));
    let files = args.files.iter().map(|file| names::shell_word(&file.display().to_string()));
    let delivery = if pick.troubled == [0; 2] { "" } else { "--delivery " };
    let given = proto.chain([files.collect::<Vec<_>>().join(" ")]).collect::<String>();
    format!("{}: netkit stats {join}{delivery}{given}\n", pick.sums())
}

/// Reports that there was no message, unless a condition reports it.
fn report_nothing(args: &Decode, global: &Global, printer: &Printer) {
    // A capture without frames was already reported.
    if printer.pick.is_empty() && printer.pick.outside().is_none() {
        let why = match selection_given(&args.traffic) || args.conversations.is_some() {
            true => "no message matches the selection",
            false => UNKNOWN,
        };
        notify(global, format_args!("{why}"));
    }
}

/// Whether only a selection of the messages is requested.
fn selection_given(traffic: &Traffic) -> bool {
    traffic.filter.is_some() || traffic.flow.is_some() || traffic.since.is_some() || traffic.until.is_some()
}
