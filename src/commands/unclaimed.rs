//! Reports the conversations without a protocol, and those whose claim was withdrawn.

use super::notify::{notify, warn as warning};
use crate::cli::Global;
use crate::dissect::{Account, Amount, Counters, Sideless, UNDECIDED, UnclaimedFlow, Unlike, looks_like};
use crate::plural::Plural;
use std::fmt::Write;

/// The cap on listed conversations.
const LISTED: usize = 20;
/// The cap on listed conversations with unknown sides, without `-v`: a capture that begins late may have many.
const SIDELESS: usize = 5;

/// Prints warnings for all users, even with `-q`: messages were printed that should not have been, or the reverse.
pub fn warn(global: &Global, counters: &mut Counters) {
    unlike(global, counters);
    sideless(global, counters);
    let Account { claimed, unclaimed, at_claimed_servers, .. } = &counters.account;
    if let Some((server, proto)) = counters.unclaimed.server {
        let (amount, verb) = amount(at_claimed_servers);
        warning(format_args!(
            "{amount} with servers of recognised ones {verb} of no known protocol, the first with {server} \
             ({proto}): -v lists them, --port {}={proto} reads them",
            server.port(),
        ));
    } else if claimed.conversations > 0 && unclaimed.conversations > 0 && global.verbose == 0 {
        let (amount, verb) = amount(unclaimed);
        notify(global, format_args!("{amount} {verb} of no known protocol: -v lists them"));
    }
    let unclaimed = &mut counters.unclaimed;
    let withdrawn = unclaimed.withdrawn();
    let listed = withdrawn.len().min(LISTED) as u64;
    for gone in withdrawn.iter().take(LISTED) {
        let [first, last] = gone.frames;
        warning(format_args!(
            "conversation {} ({} - {}) was read as {} for {} (frames {first} to {last}), then given up: {} \
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
        warning(format_args!("and {} more, given up likewise", Plural(more, "conversation")));
    }
    for ((one, other), n) in &counters.tied {
        let (conversations, verb) = (Plural(*n, "conversation"), if *n == 1 { "fits" } else { "fit" });
        warning(format_args!(
            "{conversations} {verb} {one} and {other} equally well, and neither takes them: -p and --port \
                 name one"
        ));
    }
    if let Some(unread) = counters.account.limits.get(UNDECIDED) {
        let packets = Plural(*unread, "packet");
        warning(format_args!(
            "{packets} of conversations recognised later were not read: they have no evidence \
                 (-p and --port name protocols)"
        ));
    }
}

/// Returns `2 conversations (21 packets, 334 bytes)`, and the verb that follows.
fn amount(of: &Amount) -> (String, &'static str) {
    let Amount { conversations, packets, bytes } = *of;
    let (packets, bytes) = (Plural(packets, "packet"), Plural(bytes, "byte"));
    // Parts of conversations that had to be evicted, and whose beginnings were recognised.
    let what = if conversations > 0 {
        Plural(conversations, "conversation").to_string()
    } else {
        "parts of conversations".into()
    };
    (format!("{what} ({packets}, {bytes})"), if conversations == 1 { "is" } else { "are" })
}

/// Reports conversations that do not look like the protocol that the user named.
fn unlike(global: &Global, counters: &mut Counters) {
    let listed = counters.unclaimed.unlike_ones();
    for Unlike { flow, name, bits, instead, .. } in listed.iter().take(LISTED) {
        let why = match instead {
            Some(instead) => format!("it looks like {instead}"),
            None if *bits == 0 => "its first packets have no evidence of it".into(),
            None => format!("{bits} bits of evidence, and recognition needs 20"),
        };
        notify(global, format_args!("conversation {flow} does not look like {name}: {why}"));
    }
    let more = listed.len().saturating_sub(LISTED);
    if more > 0 {
        notify(global, format_args!("and {}", Plural(more, "more conversation")));
    }
}

/// Reports conversations of which nothing shows which side is the client.
fn sideless(global: &Global, counters: &mut Counters) {
    let most = if global.verbose > 0 { LISTED } else { SIDELESS };
    let listed = counters.sideless.first();
    for Sideless { flow, name, ends: [a, b] } in listed.iter().take(most) {
        notify(
            global,
            format_args!(
                "conversation {flow} ({a} - {b}, {name}): no packet shows which side is the client: --server \
                 ADDR:PORT or --port PORT={name} names it"
            ),
        );
    }
    let more = counters.account.sides_unknown - listed.len().min(most) as u64;
    if more > 0 {
        notify(global, format_args!("and {} of this kind", Plural(more, "more conversation")));
    }
}

/// Prints the details with `-v`.
pub fn list(global: &Global, counters: &mut Counters) {
    let all = counters.unclaimed.count;
    if counters.unclaimed.given_up_count > 0 {
        let n = Plural(counters.unclaimed.given_up_count, "conversation");
        notify(global, format_args!("{n} given up: later packets did not fit"));
    }
    for (transport, n) in &counters.foreign {
        let (packets, verb) = (Plural(*n, &format!("{transport} packet")), if *n == 1 { "is" } else { "are" });
        notify(global, format_args!("{packets} {verb} of no known protocol"));
    }
    let largest = counters.unclaimed.largest();
    if largest.is_empty() {
        return;
    }
    notify(
        global,
        format_args!("conversations of no known protocol, by bytes; --port PORT=PROTO names what one speaks:"),
    );
    for flow in largest.iter().take(LISTED) {
        notify(global, format_args!("  {}", line(flow)));
    }
    let more = all.saturating_sub(largest.len().min(LISTED) as u64);
    if more > 0 {
        notify(global, format_args!("  and {}", Plural(more, "more conversation")));
    }
}

/// Describes one conversation.
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
