//! `netkit decode -w`: writes the frames of the selected messages, unchanged, into another capture.
//!
//! The input is read twice, because the frames of a message are only known after it, or three times, because the
//! selected conversations are: with `--whole` all their frames are written, and those that begin and end TCP connections
//! if all their messages are selected. One bit is remembered for each frame.

use super::options::inputs;
use crate::capture::{Body, Capture, Decoded, Frame, Input, LinkType, Packets, Writer};
use crate::cli::{Decode, Global};
use crate::dissect::Options;
use crate::flow::Pair;
use crate::plural::Plural;
use crate::process::input;
use crate::process::interrupt::{self, stop};
use crate::process::join::Join;
use crate::process::notify::notify;
use crate::process::outfile::OutFile;
use crate::process::parallel::InputReader;
use crate::process::usage::usage;
use crate::read::{Marks, Pick, Picked};
use crate::render::Files;
use anyhow::Context;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &Decode, to: &Path, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let readable = |path: &Path| path.as_os_str() != "-" && std::fs::metadata(path).map_or(true, |m| m.is_file());
    if let Some(path) = args.files.iter().find(|path| !readable(path)) {
        let why = "-w reads the capture more than once: write it into a file first";
        return usage(format!("{}: {why}", input::name(path)));
    }
    if args.files.len() > 1 && !args.join {
        return usage("-w: several files are one capture only with --join");
    }
    if args.traffic.redact {
        return super::redacted::run(args, to, pick, options, global);
    }
    let file = OutFile::check("-w", to, &inputs(&args.files, &args.dissect)?, args.force)?;
    let all_of_a_conversation = !pick.selection.cuts() && args.output.count.is_none();
    let marks = Marks::new(args.whole || all_of_a_conversation);
    let (Picked { sink: mut marks, pick }, read) =
        InputReader::new(options, global).count(&args.files, args.join, pick, marks);
    if let Ok(Some(stopped)) = &read {
        return Ok(stopped.report(args.files.first().map_or(to, |path| path)).unwrap_or(1));
    }
    let read = match read {
        Err(why) if marks.messages == 0 => return Err(why),
        read => read,
    };
    conversations(args, &mut marks, options)?;
    let frames = write(&args.files, args.join, file, &marks)?;
    if stop().is_set() {
        notify(global, format_args!("{}: stopped, nothing is written", input::output_name(to)));
        return Ok(interrupt::status(false).unwrap_or(1));
    }
    let (messages, frames) = (Plural(marks.messages, "message"), Plural(frames, "frame"));
    notify(global, format_args!("{}: {frames} for {messages}", input::output_name(to)));
    // Everything that could be read is written, even if the capture ends in an error.
    read?;
    Ok(!pick.holds() as u8)
}

/// Opens the frames of files again; several, or one with `join`, are joined.
fn capture(files: &[PathBuf], join: bool) -> anyhow::Result<Capture> {
    match files {
        [path] if !join => {
            let input = Input::new(input::open(path)?)?;
            if input.format().is_none() {
                anyhow::bail!("{}: -w: hex text has no frames to write", input::name(path));
            }
            Capture::new(input).with_context(|| input::name(path))
        }
        // Notes about them have already been printed.
        files => Ok(Join::new(files)?.silent().open(&Files::default(), &Global::silent())?.0),
    }
}

/// Marks frames of the selected conversations: all, with `--whole`, or those that begin and end TCP connections.
fn conversations(args: &Decode, marks: &mut Marks, options: &Options) -> anyhow::Result<()> {
    let wanted = marks.conversations.take().filter(|wanted| args.whole || wanted.iter().any(Pair::is_tcp));
    if let Some(wanted) = wanted {
        let mut packets = Packets::new(capture(&args.files, args.join)?).caps(options.limits.fragments);
        let mut each = |_: &Frame<'_>, decoded: &Decoded<'_>| {
            let Decoded::Packet(packet) = decoded else { return };
            let connects = matches!(&packet.body, Body::Tcp(segment) if segment.syn || segment.fin || segment.rst);
            if (args.whole || connects) && wanted.contains(&Pair::of(packet)) {
                marks.mark(packet.frame);
                packet.frames.iter().for_each(|frame| marks.mark(*frame));
            }
        };
        // The error of a damaged end has already been reported.
        while !stop().is_set() && matches!(packets.next_with(&mut each), Ok(Some(()))) {}
    }
    Ok(())
}

/// Writes the marked frames of files, which are joined if there are several or `join` is set. Returns their number.
///
/// # Errors
/// Fails if the files cannot be read again, or the frames cannot be written.
pub fn write(files: &[PathBuf], join: bool, mut file: OutFile, marks: &Marks) -> anyhow::Result<u64> {
    let to = file.path().to_owned();
    let out = BufWriter::with_capacity(64 << 10, file.open()?);
    let mut writer = Writer::new(&to, out)?;
    let (mut capture, mut written, mut link) = (capture(files, join)?, 0, LinkType::ETHERNET);
    while !stop().is_set() {
        let Ok(Some(frame)) = capture.next() else { break };
        if frame.number == 1 {
            link = frame.link;
        }
        if marks.marked(frame.number) {
            writer =
                writer.frame(&frame).with_context(|| format!("{}: frame {}", input::output_name(&to), frame.number))?;
            written += 1;
        }
    }
    if stop().is_set() {
        // The new file is dropped, and an older one stays.
        return Ok(0);
    }
    writer.finish(link).map_err(|error| file.named(error))?;
    file.commit()?;
    Ok(written)
}
