//! Reading of a capture or hex text into a sink.

use super::capture::Keeper;
use super::interrupt::{self, stop};
use super::join::Join;
use super::notify::notify;
use super::sink::{Any, CaptureSink};
use super::stopped::Stopped;
use super::{hex, input, unclaimed};
use crate::cli::Global;
use anyhow::Context;
use netkit::capture::{self, Capture, CaptureError, Decoded, Frame, Input, Others, Packets, Time, Tunnel, Tunnels};
use netkit::dissect::inspector::Dispatcher;
use netkit::dissect::{Counters, Inspector, Options};
use netkit::flow::{self, Table};
use netkit::plural::Plural;
use netkit::render::Files;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The results of reading, beside the messages.
#[derive(Default)]
pub struct ReadSummary {
    counters: Counters,
    /// Frames without UDP or TCP.
    others: Others,
    /// The tunnels that packets came through.
    tunnels: Tunnels,
    /// Packets of UDP and TCP.
    packets: u64,
    /// The counters of the flow table.
    flows: flow::Statistics,
    /// The counters of IP fragments.
    fragments: capture::Statistics,
    /// The error that ended the capture early.
    error: Option<CaptureError>,
    /// A signal stopped it early.
    stopped: Option<Stopped>,
}

impl ReadSummary {
    /// Adds the counters of another thread.
    pub fn add(&mut self, counters: &Counters, flows: &flow::Statistics) {
        self.counters.add(counters);
        self.flows.add(flows);
    }

    /// Reports them to the user; returns where a signal stopped the reading.
    ///
    /// # Errors
    /// The error that ended the capture early.
    pub fn report(mut self, global: &Global) -> anyhow::Result<Option<Stopped>> {
        if global.verbose > 0 {
            for ((proto, why), n) in &self.counters.claimed {
                notify(global, format_args!("netkit: {} of {proto}: {why}", Plural(*n, "conversation")));
            }
            unclaimed::list(global, &mut self.counters);
            for (why, n) in self.others.iter() {
                notify(global, format_args!("netkit: {} without UDP or TCP: {why}", Plural(n, "frame")));
            }
            if self.others.rest() > 0 {
                let n = self.others.rest();
                notify(global, format_args!("netkit: frames without UDP or TCP for further reasons: {n}"));
            }
            for (Tunnel { name, src, dst }, n) in self.tunnels.iter() {
                let packets = if n == 1 { "packet" } else { "packets" };
                notify(global, format_args!("netkit: {n} {packets} came through {name} from {src} to {dst}"));
            }
            if self.tunnels.rest() > 0 {
                let n = self.tunnels.rest();
                notify(global, format_args!("netkit: further tunnels: {n}"));
            }
            let flows = &self.flows;
            for (n, what) in [
                (flows.reused, "conversations ended because their ports were used again"),
                (flows.missing_bytes, "bytes of TCP streams are not in the capture"),
                (flows.dropped_bytes, "bytes of TCP streams were dropped, unread"),
                (flows.ignored_segments, "TCP segments fit nowhere in their streams"),
            ] {
                if n > 0 {
                    notify(global, format_args!("netkit: {n} {what}"));
                }
            }
        }
        unclaimed::warn(global, &mut self.counters);
        for (n, what, limits) in [
            (self.flows.evicted, "conversations", "conversations or buffered_bytes"),
            (self.fragments.evicted, "datagrams that waited for fragments", "fragments or fragment_bytes"),
        ] {
            if n > 0 {
                notify(
                    global,
                    format_args!("netkit: {n} {what} were given up to bound memory: --limit raises {limits}"),
                );
            }
        }
        if let Some(error) = self.error {
            return Err(error.into());
        }
        if self.packets == 0 && self.others.total() > 0 {
            // Unsupported link types only are an error: nothing could be decoded.
            if self.others.all_foreign() {
                anyhow::bail!("no frame could be read: {}", self.others);
            }
            notify(global, format_args!("netkit: no UDP and no TCP: {}", self.others));
        }
        Ok(self.stopped)
    }
}

/// Dissects a file, or stdin for `-`: a capture or hex text.
///
/// # Errors
/// Errors with the file's name; everything before the error has been passed on.
pub fn file(
    path: &Path,
    options: &Options,
    global: &Global,
    sink: &mut dyn CaptureSink,
) -> anyhow::Result<Option<Stopped>> {
    input::announce_wait(path, global);
    let read = || anyhow::Ok(Input::new(input::open(path)?)?);
    read().and_then(|input| whole(input, options, global, &mut Any(sink))).with_context(|| input::name(path))
}

/// Dissects one file, or several [joined](Join) ones.
///
/// # Errors
/// As [`file`]; what became of the joined files but the first has been reported.
pub fn files(
    paths: &[PathBuf],
    join: bool,
    options: &Options,
    global: &Global,
    sink: &mut dyn CaptureSink,
) -> anyhow::Result<Option<Stopped>> {
    if let ([path], false) = (paths, join) {
        return file(path, options, global, sink);
    }
    let (capture, broken) = Join::new(paths)?.open(&Files::default(), global)?;
    sink.begin();
    let stopped = frames(capture, options, global, &mut Any(sink))?;
    broken.whole()?;
    Ok(stopped)
}

/// Dissects a capture or hex text.
///
/// # Errors
/// As [`file`], without its name.
pub fn whole(
    input: Input,
    options: &Options,
    global: &Global,
    sink: &mut impl CaptureSink,
) -> anyhow::Result<Option<Stopped>> {
    sink.begin();
    // If the user stops the waiting, there is no input, and that is not an error.
    if input.data().is_empty() && !stop().is_set() {
        anyhow::bail!("it is empty");
    }
    if input.format().is_none() {
        return hex::text(BufReader::new(input), false, hex::Bytes::Detect, options, global, &mut Any(sink)).map_err(
            |error| match error.is::<hex::Unreadable>() {
                true => error,
                false => error.context("neither pcap nor pcapng, and no hex text"),
            },
        );
    }
    frames(Capture::new(input)?, options, global, sink)
}

/// Dissects an opened capture.
///
/// # Errors
/// As [`whole`].
pub fn frames(
    capture: Capture,
    options: &Options,
    global: &Global,
    sink: &mut impl CaptureSink,
) -> anyhow::Result<Option<Stopped>> {
    let mut packets = Packets::new(capture).caps(options.limits.fragments);
    dissect(&mut packets, options, None, sink).report(global)
}

/// How far the reading has come.
#[derive(Default)]
struct Progress {
    /// The number of the last frame.
    read: u64,
    first: Option<Time>,
    last: Time,
    /// Packets of UDP and TCP.
    packets: u64,
}

impl Progress {
    #[inline(always)]
    fn frame(&mut self, frame: &Frame<'_>) {
        self.read = frame.number;
        if self.first.is_none() {
            self.first = Some(frame.time);
        }
        self.last = frame.time;
    }
}

/// Dissects a capture, or the part of it that the `dispatcher` leaves to this thread.
pub fn dissect(
    packets: &mut Packets,
    options: &Options,
    dispatcher: Option<Dispatcher<'_>>,
    sink: &mut impl CaptureSink,
) -> ReadSummary {
    let (stop, mut seen, mut progress) = (stop(), ReadSummary::default(), Progress::default());
    let (mut table, mut keeper) = (Table::new(options.limits.flow), Keeper::take());
    let mut inspector = Inspector::new(options, sink).dispatcher(dispatcher);
    while !stop.is_set() {
        let next = packets.next_with(|frame, decoded| {
            progress.frame(frame);
            keeper.frame(frame);
            inspector.sink().frame(frame.time);
            inspector.sink().raw(frame, decoded);
            let gone = inspector.frame(frame.time);
            if let Decoded::Packet(packet) = decoded {
                progress.packets += 1;
                table.packet(packet, &mut inspector);
            }
            gone
        });
        let gone = match next {
            Ok(Some(gone)) => gone,
            Ok(None) => break,
            // A growing capture that was stopped may end inside a record.
            Err(_) if stop.is_set() => break,
            Err(error) => {
                seen.error = Some(error);
                break;
            }
        };
        let waits = || packets.capture().waiting() == 0;
        if gone || !keeper.go_on(waits) || !inspector.sink().go_on(&waits) {
            break;
        }
    }
    seen.stopped = interrupt::status(false)
        .filter(|_| stop.is_set())
        .map(|_| Stopped { read: progress.read, span: progress.first.map(|first| (first, progress.last)) });
    seen.packets = progress.packets;
    table.finish(&mut inspector);
    inspector.end();
    seen.counters = inspector.counters;
    (seen.flows, seen.fragments) = (table.statistics(), packets.fragments().statistics());
    (seen.others, seen.tunnels) = (packets.others().clone(), packets.tunnels().clone());
    seen
}
