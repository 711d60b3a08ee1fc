//! Reports the conversations without a protocol, and those whose claim was withdrawn.

use super::notify::{notify, warn as warning};
use crate::cli::Global;
use netkit::dissect::{Account, Amount, Counters, UnclaimedFlow, Unlike, looks_like};
use netkit::plural::Plural;
use std::fmt::Write;

/// The cap on listed conversations.
const LISTED: usize = 20;

/// Warnings for all users, also with `-q`: messages that should not have been printed, or should have
/// been and were not.
pub fn warn(global: &Global, counters: &mut Counters) {
    unlike(global, counters);
    let Account { claimed, unclaimed, at_claimed_servers, .. } = &counters.account;
    if let Some((server, proto)) = counters.unclaimed.server {
        let (amount, verb) = amount(at_claimed_servers);
        warning(format_args!(
            "netkit: {amount} with servers of recognised ones {verb} of no protocol we know, the first with {server} \
             ({proto}): -v lists them, --port {}={proto} reads them",
            server.port(),
        ));
    } else if claimed.conversations > 0 && unclaimed.conversations > 0 && global.verbose == 0 {
        let (amount, verb) = amount(unclaimed);
        notify(global, format_args!("netkit: {amount} {verb} of no protocol we know: -v lists them"));
    }
    let unclaimed = &mut counters.unclaimed;
    let withdrawn = unclaimed.withdrawn();
    let listed = withdrawn.len().min(LISTED) as u64;
    for gone in withdrawn.iter().take(LISTED) {
        let [first, last] = gone.frames;
        warning(format_args!(
            "netkit: conversation {} ({} - {}) was read as {} for {} (frames {first} to {last}), then given up: {} \
                 of its packets could not be read",
            gone.flow,
            gone.ends[0],
            gone.ends[1],
            gone.name,
            Plural(gone.messages, "message"),
            gone.broken,
        ));
    }
    let more = unclaimed.given_up_count - listed;
    if more > 0 {
        warning(format_args!("netkit: and {} more given up like these", Plural(more, "conversation")));
    }
    for ((one, other), n) in &counters.tied {
        let (conversations, verb) = (Plural(*n, "conversation"), if *n == 1 { "fits" } else { "fit" });
        warning(format_args!(
            "netkit: {conversations} {verb} {one} and {other} equally well, and neither takes them: -p and --port \
                 name one"
        ));
    }
    if unclaimed.unread > 0 {
        let packets = Plural(unclaimed.unread, "packet");
        warning(format_args!(
            "netkit: {packets} of conversations recognised later were not read: nothing in them told what they \
                 are (-p and --port name protocols)"
        ));
    }
}

/// `2 conversations (21 packets, 334 bytes)`, and the verb that follows.
fn amount(of: &Amount) -> (String, &'static str) {
    let Amount { conversations, packets, bytes } = *of;
    let (packets, bytes) = (Plural(packets, "packet"), Plural(bytes, "byte"));
    let text = format!("{} ({packets}, {bytes})", Plural(conversations, "conversation"));
    (text, if conversations == 1 { "is" } else { "are" })
}

/// Conversations that do not look like what the user named.
fn unlike(global: &Global, counters: &mut Counters) {
    let listed = counters.unclaimed.unlike_ones();
    for Unlike { flow, name, bits, instead, .. } in listed.iter().take(LISTED) {
        let why = match instead {
            Some(instead) => format!("it looks like {instead}"),
            None if *bits == 0 => "nothing in its first packets speaks for it".into(),
            None => format!("{bits} bits of evidence, and recognition asks for 20"),
        };
        notify(global, format_args!("netkit: conversation {flow} does not look like {name}: {why}"));
    }
    let more = listed.len().saturating_sub(LISTED);
    if more > 0 {
        notify(global, format_args!("netkit: and {}", Plural(more, "more conversation")));
    }
}

/// The details with `-v`.
pub fn list(global: &Global, counters: &mut Counters) {
    let all = counters.unclaimed.count;
    if counters.unclaimed.given_up_count > 0 {
        let n = Plural(counters.unclaimed.given_up_count, "conversation");
        notify(global, format_args!("netkit: {n} given up: what followed did not behave"));
    }
    for (transport, n) in &counters.foreign {
        let (packets, verb) = (Plural(*n, &format!("{transport} packet")), if *n == 1 { "is" } else { "are" });
        notify(global, format_args!("netkit: {packets} {verb} of no protocol we know"));
    }
    let largest = counters.unclaimed.largest();
    if largest.is_empty() {
        return;
    }
    notify(
        global,
        format_args!(
            "netkit: conversations of no protocol we know, by bytes; --port PORT=PROTO names what one speaks:"
        ),
    );
    for flow in largest.iter().take(LISTED) {
        notify(global, format_args!("netkit:   {}", line(flow)));
    }
    let more = all - largest.len().min(LISTED) as u64;
    if more > 0 {
        notify(global, format_args!("netkit:   and {}", Plural(more, "more conversation")));
    }
}

/// One conversation.
fn line(flow: &UnclaimedFlow) -> String {
    let [a, b] = flow.ends;
    let (packets, bytes) = (Plural(flow.packets, "packet"), Plural(flow.bytes, "byte"));
    let mut text = format!("{} {a} - {b}: {packets}, {bytes}", flow.transport);
    for (first, from) in flow.first.iter().zip(["", "answer "]) {
        if !first.is_empty() {
            let _ = write!(text, ", {from}{}", hex::encode(first));
        }
    }
    let [first, second] = &flow.first;
    if let Some(name) = looks_like(flow.transport, [a.port(), b.port()], first, second) {
        let _ = write!(text, ": looks like {name}");
    }
    text
}
