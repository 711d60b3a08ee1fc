//! Reading a capture from its first frame to its last, or hex text, whoever gets the messages.

use super::interrupt::stop;
use super::output::say;
use super::{hex, input};
use crate::cli::Global;
use anyhow::Context;
use netkit::capture::{self, Capture, CaptureError, Decoded, Input, Packets, Time};
use netkit::dissect::{Counters, Inspector, Options, Share, Sink};
use netkit::flow::{self, Table};
use netkit::dissect::inspector::Dealer;
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

/// Who gets the messages, and is asked whether there should be more.
pub trait Reading: Sink {
    /// Another file begins: times count from its first frame.
    fn begin(&mut self) {}

    /// A frame came, of whatever kind.
    fn frame(&mut self, _time: Time) {}

    /// A frame was read: go on with the next? `waits`: for that one input has to be waited for.
    fn go_on(&mut self, _waits: impl FnOnce() -> bool) -> bool {
        true
    }
}

/// What was found beside messages.
#[derive(Default)]
pub struct Seen {
    counters: Counters,
    /// Frames without UDP or TCP.
    other: BTreeMap<String, u64>,
    /// What the flow table counted.
    flows: flow::Statistics,
    /// What became of IP fragments.
    fragments: capture::Statistics,
    /// Why not the whole capture could be read.
    error: Option<CaptureError>,
}

impl Seen {
    /// Counts what another thread has counted too.
    pub fn add(&mut self, counters: &Counters, flows: &flow::Statistics) {
        self.counters.add(counters);
        self.flows.add(flows);
    }

    /// Tells whoever wants to know.
    ///
    /// # Errors
    /// Why not the whole capture could be read.
    pub fn tell(self, global: &Global) -> anyhow::Result<()> {
        if global.verbose > 0 {
            for ((proto, why), n) in &self.counters.claimed {
                say(global, format_args!("netkit: {n} conversations are {proto}: {why}"));
            }
            for (transport, n) in &self.counters.foreign {
                say(global, format_args!("netkit: {n} {transport} packets are of no protocol we know"));
            }
            for (why, n) in &self.other {
                say(global, format_args!("netkit: {n} frames without UDP or TCP: {why}"));
            }
            let flows = &self.flows;
            for (n, what) in [
                (flows.reused, "conversations ended because their ports were used again"),
                (flows.missing_bytes, "bytes of TCP streams are not in the capture"),
                (flows.dropped_bytes, "bytes of TCP streams were dropped, unread"),
                (flows.ignored_segments, "TCP segments fit nowhere in their streams"),
            ] {
                if n > 0 {
                    say(global, format_args!("netkit: {n} {what}"));
                }
            }
        }
        for (n, what, limits) in [
            (self.flows.evicted, "conversations", "conversations or buffered_bytes"),
            (self.fragments.evicted, "datagrams that waited for fragments", "fragments or fragment_bytes"),
        ] {
            if n > 0 {
                say(global, format_args!("netkit: {n} {what} were given up to bound memory: --limit raises {limits}"));
            }
        }
        self.error.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// When what was printed has to be visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Nobody waits for it.
    No,
    /// Before the next wait for input.
    Waiting,
    /// With each frame: a file that grows may end inside a record for any length of time.
    Each,
}

/// Dissects a file, or stdin for `-`: a capture or hex text.
///
/// # Errors
/// What is wrong with it, with its name, once everything before was handed on.
pub fn file(path: &Path, options: &Options, global: &Global, sink: &mut impl Reading) -> anyhow::Result<()> {
    let read = || anyhow::Ok(Input::new(input::open(path)?)?);
    read().and_then(|input| whole(input, options, global, sink)).with_context(|| input::name(path))
}

/// Dissects a capture or hex text.
///
/// # Errors
/// As [`file`], without its name.
pub fn whole(input: Input, options: &Options, global: &Global, sink: &mut impl Reading) -> anyhow::Result<()> {
    sink.begin();
    if input.format().is_none() {
        return hex::text(BufReader::new(input), false, options, global, sink)
            .context("neither pcap nor pcapng, and no hex text");
    }
    let mut packets = Packets::new(Capture::new(input)?).caps(options.limits.fragments);
    dissect(&mut packets, options, None, global.verbose > 0, sink).tell(global)
}

/// Dissects a capture, or what of it the `dealer` leaves here. `verbose`: what the other frames were
/// is wanted.
pub fn dissect(
    packets: &mut Packets,
    options: &Options,
    dealer: Option<Dealer>,
    verbose: bool,
    sink: &mut impl Reading,
) -> Seen {
    let (stop, mut seen) = (stop(), Seen::default());
    let mut table = Table::new(options.limits.flow);
    let mut inspector = Inspector::new(options, sink).dealer(dealer);
    let mut gone = false;
    while !stop.is_set() {
        let read = packets.next_with(|frame, decoded| {
            inspector.sink().frame(frame.time);
            gone = inspector.frame(frame.time);
            match decoded {
                Decoded::Packet(packet) => table.packet(packet, &mut inspector),
                Decoded::Other(why) if verbose => *seen.other.entry(why.to_string()).or_default() += 1,
                Decoded::Other(_) => {}
            }
        });
        match read {
            Ok(Some(())) => {}
            Ok(None) => break,
            // Where the user stops a capture that grows, it may well end inside a record.
            Err(_) if stop.is_set() => break,
            Err(error) => {
                seen.error = Some(error);
                break;
            }
        }
        if gone || !inspector.sink().go_on(|| packets.capture().waiting() == 0) {
            break;
        }
    }
    table.finish(&mut inspector);
    inspector.end();
    seen.counters = inspector.counters;
    (seen.flows, seen.fragments) = (table.statistics(), packets.fragments().statistics());
    seen
}
