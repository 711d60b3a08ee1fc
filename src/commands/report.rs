//! `netkit report`: writes a page about one capture, about two that are compared, a list of more, or about the lines of a
//! load or a probe.

use super::options::{inputs, options};
use crate::capture::{Leg, Time};
use crate::cli::{Global, Report as Args, Traffic};
use crate::dissect::{Message, Sink};
use crate::flow::Closing;
use crate::plural::Plural;
use crate::printable::{Lines, Printable};
use crate::process::notify::{about, notify, warn};
use crate::process::outfile::OutFile;
use crate::process::parallel::InputReader;
use crate::process::stopped::ReadResult;
use crate::process::usage::usage;
use crate::process::{capture as live, input, interrupt, names};
use crate::read::{Any, CaptureSink, Gate, Pick, Selection};
use crate::redact::run;
use crate::report::{self, About, Kept, Rounds, Run, Summary};
use std::fs::File;
use std::io::{BufReader, Read as _, Write};
use std::path::{Path, PathBuf};

/// A run that is being read.
struct RunSink {
    pick: Pick,
    run: Run,
}

impl Sink for RunSink {
    fn message(&mut self, message: &Message<'_>) {
        let selected = self.pick.wants(message);
        run::shown(self.pick.selection.redact, message, |message| self.run.message(message, selected));
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.run.ended(flow, how);
    }
}

impl CaptureSink for RunSink {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn frame(&mut self, time: Time) {
        self.pick.selection.frame(time);
        self.run.frame(time);
    }
}

/// The result of reading a capture.
struct Read {
    run: Run,
    about: About,
    pick: Pick,
    done: ReadResult,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    let file = OutFile::check("-o", &args.out, &inputs(&args.files, &args.dissect)?, args.force)?;
    if let Some(path) = args.files.iter().find(|path| is_lines(path)) {
        return rounds(args, global, path, file);
    }
    match args.files.as_slice() {
        [a, b] if !args.join => two(args, global, [a, b], file),
        [_, _, _, ..] if !args.join => many(args, global, file),
        _ => one(args, global, file),
    }
}

/// Whether a file has lines of JSON, and is neither a capture nor hex text.
fn is_lines(path: &Path) -> bool {
    // Pipes can be read only once, so they are captures.
    let is_file = path.as_os_str() != "-" && std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let mut first = [0];
    is_file && File::open(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok()) && first == *b"{"
}

/// Reports what a load or a probe has printed.
fn rounds(args: &Args, global: &Global, path: &Path, file: OutFile) -> anyhow::Result<u8> {
    let name = names::name(path);
    if args.files.len() > 1 {
        return usage(format!("{name}: the lines of a load or a probe have a page of their own"));
    }
    if args.traffic.redact || !selected(&args.traffic).is_empty() {
        return usage(format!(
            "{name}: -F, --flow, --leg, --since, --until and --redact are for captures, and these are lines of JSON"
        ));
    }
    let input = BufReader::new(input::open(path)?);
    let rounds = Rounds::read(input).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    let sums = format!("{:.3} s", rounds.seconds);
    write(file, &report::of_rounds(&rounds, &name), &sums, global)?;
    rounds.cut.map_or(Ok(0), |why| Err(anyhow::anyhow!("{name}: {why}")))
}

/// Reports one capture, or joined files.
fn one(args: &Args, global: &Global, file: OutFile) -> anyhow::Result<u8> {
    let read = capture(args, &args.files, Kept { messages: args.messages, fields: false }, global)?;
    write(file, &report::single(&read.run, &read.about), &read.run.stats().sums(), global)?;
    let path = args.files.first().map_or(Path::new(""), PathBuf::as_path);
    Ok(read.pick.status(path, read.done?, global))
}

/// Compares two captures. Writes nothing if one was stopped, since unread messages would count as changes.
fn two(args: &Args, global: &Global, files: [&PathBuf; 2], file: OutFile) -> anyhow::Result<u8> {
    let mut both = Vec::new();
    for path in files {
        about(&input::name(path));
        let read = capture(args, std::slice::from_ref(path), Kept { messages: Some(0), fields: true }, global)?;
        if let Ok(Some(stopped)) = &read.done {
            let _ = writeln!(std::io::stderr(), "netkit: {}: {stopped}; nothing is compared", Lines(&read.about.name));
            return Ok(interrupt::status(false).unwrap_or(1));
        }
        both.push(read);
    }
    let [a, b] = &both[..] else { return Ok(2) };
    let page = report::comparison([&a.run, &b.run], [&a.about, &b.about]);
    let sums = format!("{} and {}", a.about.name, b.about.name);
    write(file, &page, &sums, global)?;
    let outside = both.iter().filter(|read| read.pick.is_outside(&read.about.name, &read.done, global)).count();
    both.into_iter().try_for_each(|read| read.done.map(drop))?;
    Ok((outside > 0) as u8)
}

/// Lists many captures. One that cannot be read has the reason in its row.
fn many(args: &Args, global: &Global, file: OutFile) -> anyhow::Result<u8> {
    let (mut rows, mut failed, mut outside) = (Vec::new(), false, false);
    for path in &args.files {
        about(&input::name(path));
        let fails = |why: anyhow::Error| warn(format_args!("{why:#}"));
        let files = std::slice::from_ref(path);
        match capture(args, files, Kept { messages: Some(0), fields: false }, global) {
            Ok(read) => {
                rows.push(Summary::of(&read.run, &read.about));
                failed |= read.done.is_err();
                outside |= read.pick.is_outside(&read.about.name, &read.done, global);
                read.done.err().into_iter().for_each(fails);
            }
            Err(why) => {
                rows.push(Summary::unread(names::name(path), shown(&why, files)));
                failed = true;
                fails(why);
            }
        }
        if interrupt::stop().is_set() {
            break;
        }
    }
    let sums = format!("{} of {}", rows.len(), Plural(args.files.len(), "capture"));
    write(file, &report::index(&rows, &selected(&args.traffic)), &sums, global)?;
    Ok(interrupt::status(false).unwrap_or(if failed { 3 } else { outside as u8 }))
}

/// Reads files into a run.
///
/// # Errors
/// Fails if they cannot be read at all. Otherwise the messages before an error count, and the page reports that it is
/// incomplete.
fn capture(args: &Args, files: &[PathBuf], kept: Kept, global: &Global) -> anyhow::Result<Read> {
    let mut options = options(&args.dissect)?;
    let selection = Selection::new(&args.traffic, &mut options)?;
    let keep = live::Keep::default();
    live::begin(&args.interface, args.traffic.until, keep, &options, global)?;
    let mut reading = RunSink { pick: Pick::of(selection), run: Run::new(&options, kept) };
    let done = InputReader::new(&options, global).files(files, args.join, &mut Any(&mut reading));
    let RunSink { pick, mut run } = reading;
    run.read(pick.account.clone(), pick.selection.cuts());
    let endless = files.iter().any(|file| file.as_os_str() == "-");
    let cut = match &done {
        Err(_) if run.stats().messages == 0 => return Err(done.err().unwrap_or_else(|| anyhow::anyhow!("not read"))),
        Err(why) => Some(shown(why, files)),
        // Input without an end of its own is complete when the user ends it.
        Ok(stopped) => stopped.as_ref().filter(|_| interrupt::status(endless).is_some()).map(ToString::to_string),
    };
    let names = if files.len() > 1 { files.iter().map(|file| names::name(file)).collect() } else { Vec::new() };
    let about = About {
        name: names::names(files),
        files: names,
        cut,
        selected: selected(&args.traffic),
        account: pick.account.clone(),
    };
    Ok(Read { run, about, pick, done })
}

/// Returns the options that select messages; with `--redact`, without the text of the filter.
pub fn selected(traffic: &Traffic) -> Vec<String> {
    let mut list = Vec::new();
    list.extend(traffic.flow.map(|n| format!("--flow {n}")));
    list.extend(traffic.since.map(|time| format!("--since {time}")));
    list.extend(traffic.until.map(|time| format!("--until {time}")));
    list.extend(traffic.leg.map(|leg| format!("--leg {}", leg.one().map_or("both", Leg::name))));
    list.extend(traffic.filter.as_ref().map(|text| match traffic.redact {
        true => "-F ..".into(),
        false => format!("-F '{text}'"),
    }));
    list
}

/// An error as the page shows it: without the name of the file, which the page has, redacted or not.
fn shown(why: &anyhow::Error, files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| input::name(file)).collect();
    let parts = why.chain().map(ToString::to_string).filter(|part| !names.contains(part));
    parts.collect::<Vec<_>>().join(": ")
}

fn write(mut file: OutFile, page: &str, sums: &str, global: &Global) -> anyhow::Result<()> {
    let name = Printable(file.name()).to_string();
    let mut out = file.open()?;
    out.write_all(page.as_bytes()).and_then(|()| out.flush()).map_err(|error| file.named(error))?;
    drop(out);
    file.commit()?;
    let size = Plural(page.len(), "byte");
    notify(global, format_args!("{name}: {size}: {sums}"));
    Ok(())
}
