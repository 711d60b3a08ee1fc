//! `decode --redact -w`: writes a new capture of the redacted messages. All headers are netkit's own, so that no part
//! of a frame is left that no field describes.

use super::options::inputs;
use crate::capture::{Decoded, Frame, Packet};
use crate::cli::{Decode, Global, To};
use crate::dissect::{Closed, Message, Options, Sink};
use crate::encode::{Framing, deeply};
use crate::flow::{Closing, Pair, Transport};
use crate::plural::Plural;
use crate::process::notify::notify;
use crate::process::outfile::OutFile;
use crate::process::parallel::InputReader;
use crate::process::usage::usage;
use crate::process::written::{ByteSink, Encoded, Written};
use crate::process::{input, interrupt};
use crate::read::{Any, CaptureSink, Pick, Picked};
use crate::redact::run;
use crate::render::Again;
use anyhow::Context;
use std::collections::HashMap;
use std::path::Path;

/// The cap on known conversations. Packets of further ones are left out.
const KNOWN: usize = 1 << 20;

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
    let file = OutFile::check("-w", to, &inputs(&args.files, &args.dissect.schema)?, args.force)?;
    // Messages nest, and reading their lines recurses.
    deeply(|| -> anyhow::Result<u8> {
        let writing = Writing {
            again: Again::new(options),
            out: Written::new(To::Pcap, ByteSink::new(Some(file)), options),
            written: 0,
            unknown,
            kept: 0,
            refused: 0,
            first: None,
            failed: None,
        };
        let (Picked { sink: mut writing, pick }, read) =
            InputReader::new(options, global).count(&args.files, args.join, pick, writing);
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
    again: Again<'a>,
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
        let mut entry = match self.again.entry(message) {
            Ok(entry) => entry,
            Err(why) => return Ok(Err(why)),
        };
        // The exact time, which a JSON number might not hold.
        entry.time = Some(message.place.time);
        let transport = message.flow_info.transport;
        let encoders = &mut self.again.encoders;
        let bytes = encoders.part(&entry).and_then(|bytes| match (bytes, transport) {
            (Some(bytes), Transport::Tcp) => encoders.framed(&entry, &bytes, Framing::Tcp).map(Some),
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
        run::packet(packet, |redacted| match self.out.packet(redacted) {
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

/// `--redact-unknown`: the conversations of a capture, and whether no protocol claims them; found by a reading of its own.
#[derive(Debug, Default)]
struct Unknown {
    known: HashMap<Pair, bool>,
    /// The last conversation with messages that has ended.
    with_messages: u64,
}

impl Unknown {
    /// Reads a capture to find them.
    fn find(path: &Path, options: &Options, global: &Global) -> Unknown {
        let mut unknown = Unknown::default();
        // The reading that writes reports the same errors.
        let _ = InputReader::new(options, global).file(path, &mut Any(&mut unknown));
        unknown
    }

    /// Whether no conversation between these endpoints is claimed.
    fn has(&self, packet: &Packet<'_>) -> bool {
        self.known.get(&Pair::of(packet)).is_some_and(|unknown| *unknown)
    }
}

impl Sink for Unknown {
    fn message(&mut self, _: &Message<'_>) {}

    fn ended(&mut self, flow: u64, _: Closing) {
        self.with_messages = flow;
    }

    fn closed(&mut self, closed: &Closed) {
        // One that was given up has messages, which are written as such.
        let unknown = closed.claim.is_none() && self.with_messages != closed.flow;
        let key = Pair::new(closed.transport, closed.ends);
        if self.known.len() < KNOWN || self.known.contains_key(&key) {
            *self.known.entry(key).or_insert(true) &= unknown;
        }
    }
}

impl CaptureSink for Unknown {
    fn reports(&self) -> bool {
        false
    }
}
