//! `netkit decode`: captures (or hex text) to messages.

use super::output::{Printer, say};
use super::{Usage, check, dump, input, options};
use crate::cli::{Decode, Global};
use anyhow::Context;
use netkit::capture::{Capture, Decoded, Input, Packets};
use netkit::filter::{Filter, Names};
use netkit::flow::{Caps, Table};
use netkit::protocols::{Inspector, Options};
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
                Some(_) => capture(input, &options, global, &mut printer, live),
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

/// Dissects one capture.
fn capture(input: Input, options: &Options, global: &Global, printer: &mut Printer, live: bool) -> anyhow::Result<()> {
    let mut packets = Packets::new(Capture::new(input)?);
    let mut other: BTreeMap<String, u64> = BTreeMap::new();
    let mut table = Table::new(Caps::default());
    let mut inspector = Inspector::new(options, printer);
    let result = loop {
        match packets.next() {
            Ok(Some(item)) => match item.decoded {
                Decoded::Packet(packet) => table.packet(&packet, &mut inspector),
                Decoded::Other(why) if global.verbose > 0 => *other.entry(why.to_string()).or_default() += 1,
                Decoded::Other(_) => {}
            },
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        if inspector.sink().done() {
            break Ok(());
        }
        // Whoever watches a live capture sees what has come before the next wait.
        if live && packets.capture().waiting() == 0 {
            inspector.sink().flush();
        }
    };
    table.finish(&mut inspector);
    if global.verbose > 0 {
        let counters = &inspector.counters;
        for ((proto, why), n) in &counters.claimed {
            say(global, format_args!("netkit: {n} conversations are {proto}: {why}"));
        }
        for (transport, n) in &counters.foreign {
            say(global, format_args!("netkit: {n} {transport} packets are of no protocol we know"));
        }
        for (why, n) in &other {
            say(global, format_args!("netkit: {n} frames without UDP or TCP: {why}"));
        }
    }
    result.map_err(Into::into)
}

/// Dissects hex text: files that are no capture.
fn hex_text(input: Input, options: &Options, global: &Global, printer: &mut Printer) -> anyhow::Result<()> {
    dump::text(BufReader::new(input), false, options, global, printer)
        .context("neither pcap nor pcapng, and no hex text")
}
