//! `netkit decode -f parquet -o DIR`: a file for each protocol and message.

use super::gates::Pick;
use super::join::Join;
use super::names;
use super::notify::notify;
use super::outfolder::OutFolder;
use super::stopped::Stopped;
use super::{input, interrupt, parallel, read};
use crate::cli::{Decode, Global};
use anyhow::Context;
use netkit::dissect::{Message, Options, Sink};
use netkit::plural::Plural;
use netkit::read::{Any, CaptureSink, Gate};
use netkit::render::Files;
use netkit::render::parquet::ParquetFiles;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The ending of the files.
const ENDING: &str = "parquet";

/// Runs the command: the folder has all of its files, or is as it was.
pub fn run(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let Some(folder) = &args.out else { return Ok(2) };
    let folder = OutFolder::begin("-o", folder, ENDING, args.force)?;
    let names = Files::default();
    // What is no plain file may be long.
    let size =
        |path: &PathBuf| path.metadata().ok().filter(|about| about.is_file()).map_or(1 << 32, |about| about.len());
    let size = args.files.iter().map(size).sum();
    let threads = parallel::threads_for(size, args.threads, false);
    let files = ParquetFiles::new(folder.path(), args.output.bytes, &names, threads, options);
    let mut writer = Writer { files, pick: pick.count(args.output.count), headless: (0, "") };
    let mut failed = None;
    let all = PathBuf::from(names::names(&args.files));
    let inputs = if args.join { std::slice::from_ref(&all) } else { &args.files };
    for path in inputs {
        let read = match args.join {
            true => joined(args, &names, options, global, &mut writer),
            false => {
                names.restart(&names::name(path));
                read::file(path, options, global, &mut writer)
            }
        };
        match read {
            Ok(Some(stopped)) => {
                stopped.report(path);
                notify(global, format_args!("netkit: {} was not written", shown(args)));
                return Ok(interrupt::status(false).unwrap_or(1));
            }
            Ok(None) => writer.pick.end(&input::name(path)),
            // What could be read is written; the other files still follow.
            Err(error) if inputs.len() == 1 => failed = Some(error),
            Err(error) => {
                notify(global, format_args!("netkit: {error:#}"));
                failed = Some(error);
            }
        }
        if writer.done() {
            break;
        }
    }
    writer.files.finish().with_context(|| shown(args))?;
    folder.commit(ENDING).with_context(|| shown(args))?;
    let (headless, proto) = writer.headless;
    if headless > 0 {
        // Also with -q: the files look complete. A closed stderr is ignored.
        let messages = Plural(headless, "message");
        let _ = writeln!(
            std::io::stderr(),
            "netkit: -f parquet: the headers around {messages} (the first of {proto}) have no columns, and are left \
             out: -f ndjson has them"
        );
    }
    if !writer.pick.any() && failed.is_none() && !writer.pick.reports_none() {
        notify(global, format_args!("netkit: no message: {} has no files", shown(args)));
    }
    match failed {
        None => Ok(!writer.pick.holds(global) as u8),
        Some(error) if inputs.len() == 1 => Err(error),
        Some(_) => Ok(3),
    }
}

/// Reads all files as one.
fn joined(
    args: &Decode,
    names: &Files,
    options: &Options,
    global: &Global,
    writer: &mut Writer,
) -> anyhow::Result<Option<Stopped>> {
    let (capture, broken) = Join::new(&args.files)?.open(names, global)?;
    let stopped = read::frames(capture, options, global, &mut Any(writer))?;
    broken.whole()?;
    Ok(stopped)
}

fn shown(args: &Decode) -> String {
    let path = args.out.as_deref().unwrap_or(Path::new("."));
    netkit::printable::Printable(path.display()).to_string()
}

/// The selected messages, up to the count.
struct Writer {
    files: ParquetFiles,
    pick: Pick,
    /// Messages whose headers have no columns, and of which protocol the first was.
    headless: (u64, &'static str),
}

impl Writer {
    /// Nothing more can be written, or is wanted.
    fn done(&self) -> bool {
        self.pick.done() || self.files.failed().is_some()
    }
}

impl Sink for Writer {
    fn message(&mut self, message: &Message<'_>) {
        if self.done() || !self.pick.wants(message) {
            return;
        }
        if !message.dissection.packet.is_empty() {
            let first = if self.headless.0 == 0 { message.dissection.proto } else { self.headless.1 };
            self.headless = (self.headless.0 + 1, first);
        }
        super::redact::shown(self.pick.selection.redact, message, |message| self.files.message(message));
    }
}

impl CaptureSink for Writer {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn go_on(&mut self, _: &dyn Fn() -> bool) -> bool {
        !self.done()
    }
}
