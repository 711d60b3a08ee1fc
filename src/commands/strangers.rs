//! Tells of the conversations that nobody claimed, and of those that were given up.

use super::output::say;
use crate::cli::Global;
use netkit::dissect::{Counters, Stranger, looks};
use std::fmt::Write;

/// So many conversations are listed.
const LISTED: usize = 20;

/// What everybody is told: what was printed and should not have been, or should have been and was not.
pub fn warn(global: &Global, counters: &Counters) {
    let strangers = &counters.strangers;
    for gone in strangers.given_up.iter().take(LISTED) {
        let [first, last] = gone.frames;
        say(
            global,
            format_args!(
                "netkit: conversation {} ({} - {}) was read as {} for {} (frames {first} to {last}), then given up: {} \
                 of its packets could not be read",
                gone.flow,
                gone.ends[0],
                gone.ends[1],
                gone.name,
                count(gone.messages, "message"),
                gone.broken,
            ),
        );
    }
    let more = strangers.given_up_count - strangers.given_up.len().min(LISTED) as u64;
    if more > 0 {
        say(global, format_args!("netkit: and {} more given up like these", count(more, "conversation")));
    }
    if strangers.unread > 0 {
        let packets = count(strangers.unread, "packet");
        say(
            global,
            format_args!(
                "netkit: {packets} of conversations recognised later were not read: nothing in them told what they \
                 are (-p and --port name protocols)"
            ),
        );
    }
}

/// What `-v` tells.
pub fn list(global: &Global, counters: &mut Counters) {
    let all = counters.strangers.count;
    if counters.strangers.given_up_count > 0 {
        let n = count(counters.strangers.given_up_count, "conversation");
        say(global, format_args!("netkit: {n} given up: what followed did not behave"));
    }
    for (transport, n) in &counters.foreign {
        let (packets, verb) = (count(*n, &format!("{transport} packet")), if *n == 1 { "is" } else { "are" });
        say(global, format_args!("netkit: {packets} {verb} of no protocol we know"));
    }
    let largest = counters.strangers.largest();
    if largest.is_empty() {
        return;
    }
    say(
        global,
        format_args!(
            "netkit: conversations of no protocol we know, by bytes; --port PORT=PROTO names what one speaks:"
        ),
    );
    for stranger in largest.iter().take(LISTED) {
        say(global, format_args!("netkit:   {}", line(stranger)));
    }
    let more = all - largest.len().min(LISTED) as u64;
    if more > 0 {
        say(global, format_args!("netkit:   and {}", count(more, "more conversation")));
    }
}

/// One conversation.
fn line(stranger: &Stranger) -> String {
    let [a, b] = stranger.ends;
    let (packets, bytes) = (count(stranger.packets, "packet"), count(stranger.bytes, "byte"));
    let mut text = format!("{} {a} - {b}: {packets}, {bytes}", stranger.transport);
    for (first, from) in stranger.first.iter().zip(["", "answer "]) {
        if !first.is_empty() {
            let _ = write!(text, ", {from}{}", hex::encode(first));
        }
    }
    let [first, second] = &stranger.first;
    if let Some(name) = looks::like(stranger.transport, [a.port(), b.port()], first, second) {
        let _ = write!(text, ": looks like {name}");
    }
    text
}

/// `1 packet`, `2 packets`.
fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
