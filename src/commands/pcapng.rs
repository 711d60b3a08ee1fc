//! `netkit decode -f pcapng`: copies the capture, with its messages as packet comments.

use super::gates::UNKNOWN;
use super::options::inputs;
use super::output::{Live, stdout};
use crate::capture::{Decoded, Frame};
use crate::cli::{Comments, Decode, Global};
use crate::dissect::{LinkedSink, Message, Options, Sink};
use crate::plural::Plural;
use crate::process::interrupt::{self, stop};
use crate::process::notify::notify;
use crate::process::stopped::ReadResult;
use crate::process::{input, link, outfile, read};
use crate::read::{CaptureSink, Pick, Picked};
use crate::render::pcapng::{Annotated, Commenter, Detail};
use anyhow::Context;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub fn run(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let [path] = &args.files[..] else { return Ok(2) };
    let read_files = inputs(&args.files, &args.dissect)?;
    let mut file = outfile::check("-o", args.out.as_deref(), &read_files, args.force)?;
    input::announce_wait(path, global);
    let named = || input::name(path);
    let link = args.link || pick.later();
    let (input, linked) = link::open(path, args.follow, link, options, global).with_context(named)?;
    if input.format().is_none() && !input.data().is_empty() {
        anyhow::bail!("{}: -f pcapng: hex text has no frames to write", named());
    }
    let out: Box<dyn Write + Send> = match &mut file {
        Some(file) => Box::new(file.open()?),
        None => stdout(),
    };
    let detail = match args.comments {
        Some(Comments::Plain) => Detail::Plain,
        _ => Detail::Tree,
    };
    let (annotated, input) = Annotated::new(input, Commenter::new(detail, args.output.bytes), out)?;
    let live = Live::of(path, args.follow);
    let mut writer = Picked { sink: Writer { annotated, live, frames: 0 }, pick: pick.count(args.output.count) };
    let read = match linked {
        Some(linked) => read::whole(input, options, global, &mut LinkedSink { sink: &mut writer, linked }),
        None => read::whole(input, options, global, &mut writer),
    };
    finish(args, writer, file, path, global, read)
}

/// Completes the output.
fn finish(
    args: &Decode,
    mut writer: Picked<Writer>,
    file: Option<outfile::OutFile>,
    path: &Path,
    global: &Global,
    read: ReadResult,
) -> anyhow::Result<u8> {
    let name = input::name(path);
    let endless = args.follow || path.as_os_str() == "-";
    if !stop().is_set() {
        writer.pick.end(&name);
    }
    writer.sink.annotated.account(&writer.pick.account);
    let copied = writer.sink.annotated.finish();
    let copied = match &file {
        Some(file) => copied.map_err(|error| file.named(error))?,
        None => copied.map_err(|error| writer.pick.unwritten(error))?,
    };
    if copied.lost > 0 {
        let lost = Plural(copied.lost, "message");
        notify(global, format_args!("{name}: comments missing for {lost}: recognised too late, or no room for them"));
    }
    if let (Ok(Some(stopped)), false) = (&read, args.follow) {
        stopped.report(path);
        if let (Some(out), false) = (&args.out, endless) {
            // The new file is dropped, and an older one stays.
            notify(global, format_args!("{} was not written", crate::printable::Printable(out.display())));
            return Ok(interrupt::status(false).unwrap_or(1));
        }
    }
    // Everything that could be read is written, even if the capture ends in an error.
    if let Some(file) = file.filter(|_| read.is_ok() || copied.frames > 0) {
        file.commit()?;
    }
    if read.is_ok() && !writer.pick.any() && !writer.pick.reports_none() {
        let why = if writer.pick.selection.all { UNKNOWN } else { "no message matches the selection" };
        notify(global, format_args!("{why}: the frames have no comments"));
    }
    let status = !writer.pick.holds() as u8;
    read.with_context(|| name)?;
    Ok(interrupt::status(endless).unwrap_or(status))
}

/// The number of frames after which errors of writing are checked. Frames are written in larger blocks.
const EACH: u64 = 64;

/// Writes the selected messages.
struct Writer {
    annotated: Annotated,
    live: Live,
    frames: u64,
}

impl Sink for Writer {
    fn message(&mut self, message: &Message<'_>) {
        self.annotated.message(message);
    }
}

impl CaptureSink for Writer {
    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.annotated.frame(frame, decoded);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        let flushes = self.live == Live::Each || self.live == Live::Waiting && waits();
        if flushes {
            self.annotated.flush();
        }
        self.frames = self.frames.wrapping_add(1);
        !((flushes || self.frames.is_multiple_of(EACH)) && self.annotated.failed())
    }
}
