//! `netkit decode`: captures (or hex text) to messages.

use super::output::{Printer, say};
use super::{Usage, check, dump, input, options, shares};
use crate::cli::{Decode, Global};
use anyhow::Context;
use netkit::capture::{Capture, CaptureError, Decoded, Input, Packets};
use netkit::filter::{Filter, Names};
use netkit::flow::{Caps, Table};
use netkit::protocols::{Counters, Inspector, Options, Share, Sink};
use std::collections::BTreeMap;
use std::io::BufReader;

/// Runs the command.
pub fn run(args: &Decode, global: &Global) -> anyhow::Result<u8> {
    let mut options = options(&args.dissect)?;
    options.server = args.server;
    options.ports.clone_from(&args.port);
    if args.check {
        return check::run(args, &options, global);
    }
    let filter = match &args.filter {
        Some(text) => {
            Some(Filter::parse(text, &Names { schemas: &options.schemas }).map_err(|e| Usage(format!("-F: {e}")))?)
        }
        None => None,
    };
    let mut printer = Printer::new(&args.output, global, args.flow, filter);
    let mut failed = None;
    for path in &args.files {
        let live = path.as_os_str() == "-";
        let read = input::open(path).and_then(|reader| {
            let input = Input::new(reader)?;
            match input.format() {
                Some(_) => match shares::workers(path, args.threads, &printer) {
                    0 | 1 => capture(input, &options, global, &mut printer, live),
                    n => shares::capture(path, &options, n, global.verbose > 0, &mut printer)?.tell(global),
                },
                None => hex_text(input, &options, global, &mut printer),
            }
        });
        if let Err(error) = read {
            // What could be read stands; the other files are still wanted.
            let error = error.context(input::name(path));
            if super::broken_pipe(&error) {
                return Err(error);
            }
            match &failed {
                None if args.files.len() == 1 => failed = Some(error),
                _ => {
                    say(global, format_args!("netkit: {error:#}"));
                    failed = Some(error);
                }
            }
        }
        if printer.done() {
            break;
        }
    }
    let status = printer.finish()?;
    match failed {
        None => Ok(status),
        Some(error) if args.files.len() == 1 => Err(error),
        Some(_) => Ok(3),
    }
}

/// What was found beside messages.
#[derive(Default)]
pub struct Seen {
    counters: Counters,
    /// Frames without UDP or TCP.
    other: BTreeMap<String, u64>,
    /// Why not the whole capture could be read.
    error: Option<CaptureError>,
}

impl Seen {
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
        }
        self.error.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Reads packets to their end, or until `go_on`, which is asked after each one, says no.
pub fn dissect<S: Sink>(
    packets: &mut Packets,
    options: &Options,
    share: Share,
    verbose: bool,
    sink: &mut S,
    mut go_on: impl FnMut(&mut S, &Packets) -> bool,
) -> Seen {
    let mut seen = Seen::default();
    let mut table = Table::new(Caps::default());
    let mut inspector = Inspector::new(options, sink).share(share);
    loop {
        match packets.next() {
            Ok(Some(item)) => match item.decoded {
                Decoded::Packet(packet) => table.packet(&packet, &mut inspector),
                Decoded::Other(why) if verbose => *seen.other.entry(why.to_string()).or_default() += 1,
                Decoded::Other(_) => {}
            },
            Ok(None) => break,
            Err(error) => {
                seen.error = Some(error);
                break;
            }
        }
        if !go_on(inspector.sink(), packets) {
            break;
        }
    }
    table.finish(&mut inspector);
    seen.counters = inspector.counters;
    seen
}

/// Dissects one capture.
fn capture(input: Input, options: &Options, global: &Global, printer: &mut Printer, live: bool) -> anyhow::Result<()> {
    let mut packets = Packets::new(Capture::new(input)?);
    let verbose = global.verbose > 0;
    let seen = dissect(&mut packets, options, Share::ALL, verbose, printer, |printer, packets| {
        // Whoever watches a live capture sees what has come before the next wait.
        if live && packets.capture().waiting() == 0 {
            printer.flush();
        }
        !printer.done()
    });
    seen.tell(global)
}

/// Dissects hex text: files that are no capture.
fn hex_text(input: Input, options: &Options, global: &Global, printer: &mut Printer) -> anyhow::Result<()> {
    dump::text(BufReader::new(input), false, options, global, printer)
        .context("neither pcap nor pcapng, and no hex text")
}
