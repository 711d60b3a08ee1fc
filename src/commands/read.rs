//! Reading a capture from its first frame to its last, whoever gets the messages.

use super::output::say;
use crate::cli::Global;
use netkit::capture::{Capture, Decoded, Input, Packets, Time};
use netkit::flow::{Caps, Table};
use netkit::protocols::{Inspector, Options, Sink};
use std::collections::BTreeMap;

/// Who gets the messages, and is asked whether there should be more.
pub trait Reading: Sink {
    /// A frame came, of whatever kind.
    fn frame(&mut self, _time: Time) {}

    /// Is there no need to go on?
    fn done(&self) -> bool {
        false
    }

    /// Somebody watches: whatever is waiting should be shown.
    fn flush(&mut self) {}
}

/// Dissects one capture.
///
/// # Errors
/// What is wrong with it, once everything before was handed on.
pub fn capture(
    input: Input,
    options: &Options,
    global: &Global,
    sink: &mut impl Reading,
    live: bool,
) -> anyhow::Result<()> {
    let mut packets = Packets::new(Capture::new(input)?);
    let mut other: BTreeMap<String, u64> = BTreeMap::new();
    let mut table = Table::new(Caps::default());
    let mut inspector = Inspector::new(options, sink);
    let result = loop {
        match packets.next() {
            Ok(Some(item)) => {
                inspector.sink().frame(item.frame.time);
                match item.decoded {
                    Decoded::Packet(packet) => table.packet(&packet, &mut inspector),
                    Decoded::Other(why) if global.verbose > 0 => *other.entry(why.to_string()).or_default() += 1,
                    Decoded::Other(_) => {}
                }
            }
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
