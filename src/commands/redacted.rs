//! `decode --redact -w`: writes a new capture of the redacted messages. All headers are netkit's own, so that no part
//! of a frame is left that no field describes.

use super::counted::count;
use super::gates::{Pick, Picked};
use super::notify::notify;
use super::options::inputs;
use super::unknown::Unknown;
use super::usage::usage;
use super::written::{ByteSink, Encoded, Written};
use super::{input, interrupt, outfile, redact};
use crate::capture::{Decoded, Frame};
use crate::cli::{Decode, Global, To};
use crate::dissect::{Message, Options, Sink};
use crate::encode::{self, Encoders, Entry, Framing, Source, deeply};
use crate::flow::Transport;
use crate::plural::Plural;
use crate::read::CaptureSink;
use crate::render::Ndjson;
use anyhow::Context;
use std::path::Path;

/// Runs `decode --redact -w`.
pub fn run(args: &Decode, to: &Path, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    if args.whole {
        let why = "--whole: frames without a message cannot be redacted";
        return usage(format!("-w {}: {why}", input::name(to)));
    }
    if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pcapng")) {
        let why = "--redact writes pcap: name it .pcap";
        return usage(format!("-w {}: {why}", input::name(to)));
    }
    let unknown = match &args.files[..] {
        [path] if args.redact_unknown => {
            if !pick.selection.all {
                return usage("--redact-unknown: unclaimed traffic cannot be selected: select from the new file");
            }
            Some(Unknown::find(path, options, global))
        }
        _ => None,
    };
    let [file] = outfile::check([("-w", Some(to))], &inputs(&args.files, &args.dissect.schema), args.force)?;
    // Messages nest, and reading their lines recurses.
    deeply(|| -> anyhow::Result<u8> {
        let writing = Writing {
            source: Source::new(options.registry.clone()),
            encoders: Encoders::new(options),
            printer: Ndjson::new(false),
            line: Vec::new(),
            out: Written::new(To::Pcap, ByteSink::new(file), options),
            written: 0,
            unknown,
            kept: 0,
            refused: 0,
            first: None,
            failed: None,
        };
        let (Picked { sink: mut writing, pick }, read) = count(&args.files, args.join, options, global, pick, writing);
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
        notify(global, format_args!("{}: {}, redacted", input::name(to), Plural(writing.written, "message")));
        if writing.kept > 0 {
            let packets = Plural(writing.kept, "packet");
            notify(global, format_args!("{packets} of unclaimed traffic are kept, with other bytes as payload"));
        }
        let left = pick.account.unclaimed.packets.saturating_sub(writing.kept);
        if left > 0 {
            let packets = Plural(left, "packet");
            notify(global, format_args!("{packets} of unclaimed traffic are left out"));
        }
        let others = pick.account.not_ip + pick.account.not_udp_tcp + pick.account.damaged;
        if others > 0 {
            notify(global, format_args!("{} without a whole UDP or TCP packet: left out", Plural(others, "frame")));
        }
        if let Some(first) = &writing.first {
            let left_out = Plural(writing.refused, "message");
            notify(global, format_args!("{left_out} could not be written and are left out; the first: {first}"));
        }
        read?;
        let nothing = writing.written + writing.kept == 0;
        let status = u8::from(!pick.holds(global) || nothing).max(if writing.refused > 0 { 3 } else { 0 });
        Ok(interrupt::status(false).unwrap_or(status))
    })
    .context("no thread")?
}

/// Writes the selected messages.
struct Writing<'a> {
    source: Source,
    encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    out: Written,
    written: u64,
    /// The conversations whose packets are kept.
    unknown: Option<Unknown>,
    /// The number of packets kept.
    kept: u64,
    refused: u64,
    /// The reason why the first of them could not be written.
    first: Option<String>,
    /// An error of the output.
    failed: Option<anyhow::Error>,
}

impl Writing<'_> {
    /// Writes a redacted message. The inner error is the message's.
    fn write(&mut self, message: &Message<'_>) -> anyhow::Result<Result<(), String>> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let entry = encode::json(&self.line).map_err(|why| why.to_string());
        let entry = entry.and_then(|object| Entry::new(object, &self.source).map_err(|why| why.to_string()));
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(why) => return Ok(Err(why)),
        };
        // The exact time, which a JSON number might not hold.
        entry.time = Some(message.place.time);
        let transport = message.flow_info.transport;
        let bytes = self.encoders.part(&entry).and_then(|bytes| match (bytes, transport) {
            (Some(bytes), Transport::Tcp) => self.encoders.framed(&entry, &bytes, Framing::Tcp).map(Some),
            (bytes, _) => Ok(bytes),
        });
        match bytes {
            Ok(Some(message)) => {
                let encoded = Encoded { message, framed: None };
                Ok(self.out.message(&entry, transport, &encoded)?.map_or(Ok(()), Err))
            }
            // Its packet needs more messages.
            Ok(None) => Ok(Ok(())),
            Err(why) => Ok(Err(why.to_string())),
        }
    }
}

impl Sink for Writing<'_> {
    fn message(&mut self, message: &Message<'_>) {
        if self.failed.is_some() {
            return;
        }
        match self.write(message) {
            Ok(Ok(())) => self.written += 1,
            Ok(Err(why)) => {
                self.refused += 1;
                let (proto, name) = (message.dissection.proto, message.dissection.message);
                self.first.get_or_insert_with(|| format!("frame {} {proto}.{name}: {why}", message.place.frame));
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

impl CaptureSink for Writing<'_> {
    fn raw(&mut self, _: &Frame<'_>, decoded: &Decoded<'_>) {
        let (Some(unknown), Decoded::Packet(packet), None) = (&self.unknown, decoded, &self.failed) else { return };
        if !unknown.has(packet) {
            return;
        }
        redact::packet(packet, |redacted| match self.out.packet(redacted) {
            Ok(None) => self.kept += 1,
            // It is counted with those that are left out.
            Ok(Some(_)) => {}
            Err(error) => self.failed = Some(error),
        });
    }

    fn go_on(&mut self, _: &dyn Fn() -> bool) -> bool {
        self.failed.is_none()
    }
}
