//! `netkit decode`: captures (or hex text) to messages.

use super::capture;
use super::gates::Pick;
use super::interrupt::{self, stop};
use super::join::Join;
use super::link::{self, Second};
use super::notify::notify;
use super::outfile::stdout_is_no_input;
use super::output::Printer;
use super::read;
use super::selection::Selection;
use super::sink::{Any, Live};
use super::{Usage, check, cut, input, inputs, options, parallel, printed};
use crate::cli::{Decode, Format, Global, Traffic};
use anyhow::Context;
use netkit::capture::{Capture, Input};
use netkit::dissect::Options;
use netkit::render::Files;
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
    let pick = Pick::new(selection, &args.output.gates, args.output.fail_on, args.check, &options)?;
    if args.interface.interface.is_some() && (args.link || pick.later()) {
        let why = "-i: what later messages say is not known yet: -w FILE keeps the frames, and decode reads them";
        return Err(Usage(why.into()).into());
    }
    if args.traffic.redact && args.interface.interface.is_some() && args.write.is_some() {
        let why = "it keeps the frames as they come; decode --redact -w redacts the file then";
        return Err(Usage(format!("-i -w: not with --redact: {why}")).into());
    }
    let keep = capture::Keep { to: args.write.as_deref(), force: args.force, schemas: &args.dissect.schema };
    capture::begin(&args.interface, keep, &options, global)?;
    if args.check {
        return check::run(args, pick, &options, global);
    }
    if args.force && args.write.is_none() && args.out.is_none() {
        return Err(Usage("--force: only with -w or -o: nothing is written".into()).into());
    }
    if let (Some(to), None) = (&args.write, &args.interface.interface) {
        return cut::run(args, to, pick, &options, global);
    }
    let asked = |name: &str| options.proto.as_deref() == Some(name) || !args.dissect.protocol_file.is_empty();
    let mut nested = options.registry.iter().filter(|dissector| !dissector.headers().is_empty());
    if args.output.format == Format::Parquet
        && let Some(dissector) = nested.find(|dissector| asked(dissector.name()))
    {
        let name = dissector.name();
        let why = format!("-f parquet: {name} has headers around its messages, which have no columns: use -f ndjson");
        return Err(Usage(why).into());
    }
    if args.output.format == Format::Parquet {
        #[cfg(feature = "parquet")]
        return super::parquet::run(args, pick, &options, global);
        #[cfg(not(feature = "parquet"))]
        return Err(Usage(super::NO_PARQUET.into()).into());
    }
    if args.output.format == Format::Pcapng && args.traffic.redact {
        let why = "its frames are those of the capture; decode --redact -w FILE.pcap writes others";
        return Err(Usage(format!("-f pcapng: not with --redact: {why}")).into());
    }
    if args.output.format == Format::Pcapng {
        return super::pcapng::run(args, pick, &options, global);
    }
    if args.out.is_some() {
        return Err(Usage("-o is for -f pcapng and parquet; other formats are printed: > FILE".into()).into());
    }
    if args.comments.is_some() {
        return Err(Usage("--comments: only with -f pcapng".into()).into());
    }
    if args.follow && args.files.len() > 1 {
        return Err(Usage("--follow: one file, not several: the first never ends".into()).into());
    }
    let files = (args.join || args.files.len() > 1).then(Files::default);
    let mut printer = Printer::new(&args.output, global, pick, args.time, &options, files.clone())?;
    let link = args.link || printer.pick.later();
    if args.join {
        return joined(args, global, &options, printer, &files.unwrap_or_default(), link);
    }
    let mut failed = None;
    for path in &args.files {
        let live = match path.as_os_str() == "-" {
            _ if args.follow => Live::Each,
            true => Live::Waiting,
            false => Live::No,
        };
        input::announce_wait(path, global);
        let mut linked = None;
        let opened = match (args.follow, link) {
            (true, _) => input::follow(path),
            (_, true) => link::first(path, &options, global).map(|(first, again)| {
                linked = Some(first);
                again
            }),
            _ => input::open(path),
        };
        let read = opened.and_then(|reader| {
            let input = Input::new(reader)?;
            if let Some(files) = &files {
                files.restart(&input::name(path));
            }
            if let Some(linked) = linked {
                printer.live(live);
                return read::whole(input, &options, global, &mut Any(&mut Second::new(&mut printer, linked)));
            }
            let threads = if printer.divides() { parallel::threads(path, args.threads, printer.watched) } else { 1 };
            match threads {
                n if n > 1 && live == Live::No && input.format().is_some() => {
                    printed::capture(Capture::new(input)?, &options, n, &mut printer)?.report(global)
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
            if super::broken_pipe(&error) {
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
            read::frames(capture, options, global, &mut Any(&mut Second::new(&mut printer, linked)))
        }
        n if n > 1 => printed::capture(capture, options, n, &mut printer)?.report(global),
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

/// Tells that nothing was printed, where a condition does not.
fn tell_nothing(args: &Decode, global: &Global, printer: &Printer) {
    if !printer.pick.any() && !printer.pick.reports_none() {
        let why = match selection_given(&args.traffic) {
            true => "no message fits what was asked for",
            false => "no message of a protocol we know; -v tells what there is, -p and --port name protocols",
        };
        notify(global, format_args!("netkit: {why}"));
    }
}

/// Is only a selection of the messages requested?
fn selection_given(traffic: &Traffic) -> bool {
    traffic.filter.is_some() || traffic.flow.is_some() || traffic.since.is_some() || traffic.until.is_some()
}
