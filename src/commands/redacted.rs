//! `decode --redact -w`: writes a new capture of the redacted messages. All headers are netkit's own, so that no part
//! of a frame is left that no field describes.

use super::options::inputs;
use crate::capture::{Decoded, Frame, Packet, Time};
use crate::cli::{Decode, Global};
use crate::dissect::{Closed, Message, Options, Role, Sink};
use crate::encode::{Entry, Frames, Framing, deeply};
use crate::flow::{Closing, End, Pair, Side, Transport};
use crate::plural::Plural;
use crate::process::notify::notify;
use crate::process::outfile::OutFile;
use crate::process::parallel::InputReader;
use crate::process::usage::usage;
use crate::process::written::{ByteSink, complete, refusal};
use crate::process::{input, interrupt};
use crate::read::{Any, CaptureSink, Pick, Picked};
use crate::redact::run;
use crate::render::Again;
use anyhow::Context;
use std::collections::HashMap;
use std::io::BufWriter;
use std::net::SocketAddr;
use std::path::Path;

/// The cap on known conversations. Packets of further ones are left out.
const KNOWN: usize = 1 << 20;

/// Runs `decode --redact -w`.
pub fn run(args: &Decode, to: &Path, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    if args.whole {
        let why = "--whole: frames without a message cannot be redacted";
        return usage(format!("-w {}: {why}", input::output_name(to)));
    }
    if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pcapng")) {
        let why = "--redact writes pcap: name it .pcap";
        return usage(format!("-w {}: {why}", input::output_name(to)));
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
    let file = OutFile::check("-w", to, &inputs(&args.files, &args.dissect)?, args.force)?;
    // Messages nest, and reading their lines recurses.
    deeply(|| -> anyhow::Result<u8> {
        let writing = Writing {
            again: Again::new(options),
            out: Frames::new(BufWriter::with_capacity(64 << 10, ByteSink::new(Some(file))), options),
            selects: pick.selection.cuts(),
            now: Time::default(),
            streams: HashMap::new(),
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
        complete(writing.out)?;
        notify(global, format_args!("{}: {}, redacted", input::output_name(to), Plural(writing.written, "message")));
        if writing.kept > 0 {
            let packets = Plural(writing.kept, "packet");
            notify(global, format_args!("unclaimed traffic: {packets} kept, with other bytes as payload"));
        }
        let left = pick.account.unclaimed.packets.saturating_sub(writing.kept);
        if left > 0 {
            let packets = Plural(left, "packet");
            notify(global, format_args!("unclaimed traffic: {packets} left out"));
        }
        let others = pick.account.not_ip + pick.account.not_udp_tcp + pick.account.damaged;
        if others > 0 {
            notify(global, format_args!("{} without a whole UDP or TCP packet: left out", Plural(others, "frame")));
        }
        if let Some(first) = &writing.first {
            let left_out = Plural(writing.refused, "message");
            notify(global, format_args!("left out, because they cannot be written: {left_out}; the first: {first}"));
        }
        read?;
        let nothing = writing.written + writing.kept == 0;
        let status = u8::from(!pick.holds() || nothing).max(if writing.refused > 0 { 3 } else { 0 });
        Ok(interrupt::status(false).unwrap_or(status))
    })
    .context("cannot start a thread")?
}

/// Writes the selected messages.
struct Writing<'a> {
    again: Again<'a>,
    out: Frames<'a, BufWriter<ByteSink>>,
    /// Whether messages of a conversation may be left out.
    selects: bool,
    /// The time of the current frame.
    now: Time,
    /// The TCP conversations with messages or missing bytes, by their numbers.
    streams: HashMap<u64, Streams>,
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
            Ok(Some(bytes)) => {
                if transport == Transport::Tcp {
                    self.begin(message, &entry, &bytes)?;
                }
                Ok(refusal(self.out.message(&entry, transport, &bytes))?.map_or(Ok(()), Err))
            }
            // Its packet needs more messages.
            Ok(None) => Ok(Ok(())),
            Err(why) => Ok(Err(why.to_string())),
        }
    }

    /// Begins the TCP conversation of its first message, with the parts of the handshake that the capture has. If that
    /// message may not be the first of all, it has to be one with which a connection can begin.
    fn begin(&mut self, message: &Message<'_>, entry: &Entry, bytes: &[u8]) -> anyhow::Result<()> {
        let [Some(src), Some(dst)] = entry.ends else { return Ok(()) };
        let (flow, sender) = (message.flow_info, message.place.side);
        let streams = self.streams.entry(entry.flow).or_default();
        if streams.ends.is_some() {
            return Ok(());
        }
        let ends = if sender == Side::A { [src, dst] } else { [dst, src] };
        let client = flow.opener.unwrap_or(if entry.from == Role::Server { sender.other() } else { sender });
        let from_client = sent_by(client, ends);
        let begins = !self.selects || self.out.may_begin(entry, from_client, bytes);
        let begun = [client, client.other()].map(|side| begins && flow.begun[side.index()]);
        let refused = refusal(self.out.begin_connection(entry.flow, from_client, begun, message.place.time))?;
        // The message is refused for the same reason.
        if refused.is_none() {
            for side in Side::BOTH {
                self.out.skip(entry.flow, sent_by(side, ends), streams.missing[side.index()]);
            }
            streams.ends = Some(ends);
        }
        Ok(())
    }
}

/// A TCP conversation of the new capture.
#[derive(Debug, Default)]
struct Streams {
    /// Both addresses by side, once it has begun.
    ends: Option<[SocketAddr; 2]>,
    /// The bytes that are missing before that, by the side that sent them.
    missing: [u64; 2],
}

/// The sender and the receiver of what `side` sends.
fn sent_by(side: Side, ends: [SocketAddr; 2]) -> [SocketAddr; 2] {
    [ends[side.index()], ends[side.other().index()]]
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

    fn gap(&mut self, flow: u64, side: Side, missing: u64) {
        if self.streams.len() >= KNOWN && !self.streams.contains_key(&flow) {
            return;
        }
        let streams = self.streams.entry(flow).or_default();
        match streams.ends {
            Some(ends) => self.out.skip(flow, sent_by(side, ends), missing),
            None => streams.missing[side.index()] += missing,
        }
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        let Some(Streams { ends: Some(ends), .. }) = self.streams.get(&flow) else { return };
        if let (End::Fin | End::Rst, None) = (why, &self.failed) {
            let done = self.out.end_direction(flow, sent_by(side, *ends), why == End::Rst, self.now);
            self.failed = refusal(done).err();
        }
    }

    fn ended(&mut self, flow: u64, _: Closing) {
        self.streams.remove(&flow);
    }
}

impl CaptureSink for Writing<'_> {
    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.now = frame.time;
        let (Some(unknown), Decoded::Packet(packet), None) = (&self.unknown, decoded, &self.failed) else { return };
        if !unknown.has(packet) {
            return;
        }
        run::packet(packet, |redacted| match refusal(self.out.packet(redacted)) {
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
