//! `decode --redact -w`: a capture that is written anew of replaced messages. With headers of netkit's
//! own, nothing of a frame is left that no field tells of.

use super::gates::Pick;
use super::notify::notify;
use super::options::inputs;
use super::outfile;
use super::redact::shown;
use super::usage::Usage;
use super::written::{Output, Written};
use super::{input, interrupt, join, read};
use crate::cli::{Decode, Global, To};
use anyhow::Context;
use netkit::dissect::{Message, Options, Sink};
use netkit::encode::{self, Encoders, Entry, Framing, Source, deeply};
use netkit::flow::Transport;
use netkit::plural::Plural;
use netkit::read::{CaptureSink, Gate};
use netkit::render::Ndjson;
use std::path::Path;

/// Runs `decode --redact -w`.
pub fn run(args: &Decode, to: &Path, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    if args.whole {
        let why = "--whole: frames without a message cannot be redacted";
        return Err(Usage(format!("-w {}: {why}", input::name(to))).into());
    }
    if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pcapng")) {
        let why = "--redact writes pcap: name it .pcap";
        return Err(Usage(format!("-w {}: {why}", input::name(to))).into());
    }
    let [file] = outfile::check([("-w", Some(to))], &inputs(&args.files, &args.dissect.schema), args.force)?;
    // Messages nest, and reading their lines recurses.
    deeply(|| -> anyhow::Result<u8> {
        let mut writing = Writing {
            pick,
            source: Source::new(options.registry.clone()),
            encoders: Encoders::new(options),
            printer: Ndjson::new(false),
            line: Vec::new(),
            out: Written::new(To::Pcap, Output::new(file)),
            written: 0,
            refused: 0,
            first: None,
            failed: None,
        };
        let read = read::files(&args.files, args.join, options, global, &mut writing);
        if let Some(error) = writing.failed.take() {
            return Err(error);
        }
        if let Ok(Some(stopped)) = &read {
            return Ok(stopped.report(args.files.first().map_or(to, |path| path)).unwrap_or(1));
        }
        let read = match read {
            Err(why) if writing.written == 0 => return Err(why),
            read => read,
        };
        writing.out.finish()?;
        writing.pick.end(&join::name(&args.files));
        notify(global, format_args!("netkit: {}: {}, redacted", input::name(to), Plural(writing.written, "message")));
        let left = writing.pick.account.unclaimed;
        if left.packets > 0 {
            let packets = Plural(left.packets, "packet");
            notify(global, format_args!("netkit: {packets} of traffic that nobody claims are left out"));
        }
        if let Some(first) = &writing.first {
            let left_out = Plural(writing.refused, "message");
            notify(
                global,
                format_args!("netkit: {left_out} could not be written and are left out; the first: {first}"),
            );
        }
        read?;
        let nothing = writing.written == 0;
        let status = u8::from(!writing.pick.holds(global) || nothing).max(if writing.refused > 0 { 3 } else { 0 });
        Ok(interrupt::status(false).unwrap_or(status))
    })
    .context("no thread")?
}

/// Writes the messages that fit.
struct Writing<'a> {
    pick: Pick,
    source: Source,
    encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    out: Written,
    written: u64,
    refused: u64,
    /// Why the first of them could not be written.
    first: Option<String>,
    /// An error of the output.
    failed: Option<anyhow::Error>,
}

impl Writing<'_> {
    /// Writes a message that is redacted. The inner error is the message's.
    fn write(&mut self, message: &Message<'_>) -> anyhow::Result<Result<(), String>> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let entry = encode::json(&self.line).map_err(|why| why.to_string());
        let entry = entry.and_then(|object| Entry::new(object, &self.source).map_err(|why| why.to_string()));
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(why) => return Ok(Err(why)),
        };
        // Exactly, where a number of JSON would not hold it.
        entry.time = Some(message.place.time);
        let transport = message.flow_info.transport;
        let bytes = self.encoders.part(&entry).and_then(|bytes| match (bytes, transport) {
            (Some(bytes), Transport::Tcp) => self.encoders.framed(&entry, &bytes, Framing::Tcp).map(Some),
            (bytes, _) => Ok(bytes),
        });
        match bytes {
            Ok(Some(bytes)) => Ok(self.out.message(&entry, transport, &bytes)?.map_or(Ok(()), Err)),
            // More messages of its packet follow.
            Ok(None) => Ok(Ok(())),
            Err(why) => Ok(Err(why.to_string())),
        }
    }
}

impl Sink for Writing<'_> {
    fn message(&mut self, message: &Message<'_>) {
        if self.failed.is_some() || !self.pick.wants(message) {
            return;
        }
        shown(true, message, |message| match self.write(message) {
            Ok(Ok(())) => self.written += 1,
            Ok(Err(why)) => {
                self.refused += 1;
                let (proto, name) = (message.dissection.proto, message.dissection.message);
                self.first.get_or_insert_with(|| format!("frame {} {proto}.{name}: {why}", message.place.frame));
            }
            Err(error) => self.failed = Some(error),
        });
    }
}

impl CaptureSink for Writing<'_> {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn go_on(&mut self, _: &dyn Fn() -> bool) -> bool {
        !self.pick.done() && self.failed.is_none()
    }
}
