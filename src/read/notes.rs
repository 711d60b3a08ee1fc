//! Notes about a reading, for the user: what was left out, conversations without a protocol, and those whose claim was
//! withdrawn.

use super::Summary;
use crate::capture::{Leg, Tunnel};
use crate::dissect::{Account, Amount, Counters, LIMITS, Sideless, UNDECIDED, UnclaimedFlow, Unlike, looks_like};
use crate::plural::Plural;
use std::fmt::Write;

/// The limits whose note contains more.
const REPORTED_ELSEWHERE: [&str; 2] = ["conversations", "buffered_bytes"];
/// The cap on listed conversations.
const LISTED: usize = 20;
/// The cap on listed conversations with unknown sides, without details: a capture that begins late may have many.
const SIDELESS: usize = 5;

/// A note in one line.
pub(crate) struct Note {
    /// Whether it is for all users, even those who want no notes: a limit, a loss, or traffic that was left out.
    pub(crate) warns: bool,
    /// Its text.
    pub(crate) text: String,
}

/// The notes in the order in which they are printed.
struct Notes {
    list: Vec<Note>,
    /// Whether details are wanted.
    all: bool,
}

/// Returns the note that one leg of a proxy's recording was read.
pub(crate) fn of_leg(leg: Leg) -> String {
    format!("a proxy's recording: only the {}'s leg is read (--leg)", leg.name())
}

impl Summary {
    /// Returns the notes: the traffic that was left out, and with `all` more.
    pub(crate) fn notes(&mut self, all: bool) -> Vec<Note> {
        let mut notes = Notes { list: Vec::new(), all };
        self.leg.into_iter().for_each(|leg| notes.note(of_leg(leg)));
        if all {
            notes.details(self);
        }
        self.counters.account.doubts().into_iter().for_each(|doubt| notes.warn(doubt));
        notes.unlike(&mut self.counters);
        notes.sideless(&mut self.counters);
        notes.unclaimed(&mut self.counters);
        notes.losses(&self.counters);
        notes.fragments(self.fragments.incomplete());
        notes.limits(self);
        notes.list
    }
}

impl Notes {
    fn note(&mut self, text: String) {
        self.list.push(Note { warns: false, text });
    }

    fn warn(&mut self, text: String) {
        self.list.push(Note { warns: true, text });
    }

    fn fragments(&mut self, incomplete: u64) {
        if incomplete > 0 {
            let (fragments, verb) = (Plural(incomplete, "IP fragment"), if incomplete == 1 { "was" } else { "were" });
            self.warn(format!("{fragments} {verb} not read: no complete datagram"));
        }
    }

    /// Adds the details.
    fn details(&mut self, seen: &mut Summary) {
        for ((proto, why), n) in &seen.counters.claimed {
            self.note(format!("{} of {proto}: {why}", Plural(*n, "conversation")));
        }
        self.unclaimed_ones(&mut seen.counters);
        for (why, n) in seen.others.iter() {
            self.note(format!("{} without UDP or TCP: {why}", Plural(n, "frame")));
        }
        if seen.others.rest() > 0 {
            self.note(format!("frames without UDP or TCP for further reasons: {}", seen.others.rest()));
        }
        for (Tunnel { name, src, dst }, n) in seen.tunnels.iter() {
            let packets = if n == 1 { "packet" } else { "packets" };
            self.note(format!("{n} {packets} arrived through {name} from {src} to {dst}"));
        }
        if seen.tunnels.rest() > 0 {
            self.note(format!("further tunnels: {}", seen.tunnels.rest()));
        }
        let flows = &seen.flows;
        for (n, what) in [
            (flows.reused, "conversations that ended because their ports were used again"),
            (flows.missing_bytes, "bytes of TCP streams that are not in the capture"),
            (flows.dropped_bytes, "bytes of TCP streams that were dropped, unread"),
            (flows.ignored_segments, "TCP segments of all protocols that do not fit into their streams"),
        ] {
            if n > 0 {
                self.note(format!("{what}: {n}"));
            }
        }
    }

    /// Adds what is missing in the streams of recognised conversations. Where messages follow, `tcp.gap` names the
    /// place; at the end of a stream nothing else does.
    fn losses(&mut self, counters: &Counters) {
        if counters.missed_bytes > 0 {
            let (bytes, verb) =
                (Plural(counters.missed_bytes, "byte"), if counters.missed_bytes == 1 { "is" } else { "are" });
            self.warn(format!(
                "{bytes} of recognised TCP streams {verb} missing in the capture: the receivers acknowledged them"
            ));
        }
        if counters.ignored_segments > 0 {
            let (segments, verb) = (
                Plural(counters.ignored_segments, "TCP segment"),
                if counters.ignored_segments == 1 { "was" } else { "were" },
            );
            self.warn(format!(
                "{segments} of recognised streams {verb} not read: sequence numbers far from the others, or after \
                 the end of the stream"
            ));
        }
    }

    /// Adds the limits that were reached.
    fn limits(&mut self, seen: &Summary) {
        let (evicted, evicted_again) = (seen.flows.evicted, seen.flows.evicted_again);
        if evicted > 0 {
            let n = evicted - evicted_again;
            let (conversations, verb) = (Plural(n, "conversation"), if n == 1 { "was" } else { "were" });
            let times = match evicted_again {
                0 => String::new(),
                _ => format!(", {evicted} times in all; they continue from the middle under the same number"),
            };
            self.warn(format!(
                "{conversations} {verb} evicted to limit memory{times}: raise --limit conversations=N or \
                 buffered_bytes=N"
            ));
        }
        for (name, n) in &seen.counters.account.limits {
            if LIMITS.iter().any(|limit| limit.name == *name) && !REPORTED_ELSEWHERE.contains(name) {
                self.warn(format!("the limit {name} was reached {}: --limit {name}=N raises it", Plural(*n, "time")));
            }
        }
    }

    /// Adds warnings about conversations of no protocol: messages were printed that should not have been, or the
    /// reverse.
    fn unclaimed(&mut self, counters: &mut Counters) {
        let Account { claimed, unclaimed, at_claimed_servers, .. } = &counters.account;
        if let Some((server, proto)) = counters.unclaimed.server {
            let (amount, verb) = amount(at_claimed_servers);
            self.warn(format!(
                "{amount} with recognised servers {verb} of no known protocol, the first with {server} \
                 ({proto}): -v lists them, --port {}={proto} reads them as {proto}",
                server.port(),
            ));
        } else if claimed.conversations > 0 && unclaimed.conversations > 0 && !self.all {
            let (amount, verb) = amount(unclaimed);
            self.note(format!("{amount} {verb} of no known protocol: -v lists them"));
        }
        let unclaimed = &mut counters.unclaimed;
        let withdrawn = unclaimed.withdrawn();
        let listed = withdrawn.len().min(LISTED) as u64;
        for gone in withdrawn.iter().take(LISTED) {
            let ([first, last], [a, b], messages) = (gone.frames, gone.ends, Plural(gone.messages, "message"));
            self.warn(format!(
                "conversation {} ({a} - {b}) was read as {} for {messages} (frames {first} to {last}), then no longer: \
                 {} of its packets could not be read",
                gone.flow, gone.name, gone.broken,
            ));
        }
        let more = unclaimed.given_up_count - listed;
        if more > 0 {
            self.warn(format!("and {} more likewise", Plural(more, "conversation")));
        }
        for ((one, other), n) in &counters.tied {
            let (fits, read) = if *n == 1 { ("fits", "was") } else { ("fit", "were") };
            self.warn(format!(
                "{} {fits} {one} and {other} equally well and {read} not read: choose one with -p or --port",
                Plural(*n, "conversation")
            ));
        }
        if let Some(unread) = counters.account.limits.get(UNDECIDED) {
            let packets = Plural(*unread, "packet");
            self.warn(format!(
                "not read, because their conversations were recognised too late: {packets} (name the protocol with \
                 -p or --port)"
            ));
        }
    }

    /// Adds conversations that do not look like the protocol that the user named.
    fn unlike(&mut self, counters: &mut Counters) {
        let listed = counters.unclaimed.unlike_ones();
        for Unlike { flow, name, bits, instead, .. } in listed.iter().take(LISTED) {
            let why = match instead {
                Some(instead) => format!("it looks like {instead}"),
                None if *bits == 0 => "its first packets show no sign of it".into(),
                None => format!("{bits} of the 20 bits of evidence that recognition needs"),
            };
            self.note(format!("conversation {flow} does not look like {name}: {why}"));
        }
        self.more("and ", listed.len().saturating_sub(LISTED) as u64, "");
    }

    /// Adds conversations of which nothing shows which side is the client.
    fn sideless(&mut self, counters: &mut Counters) {
        let most = if self.all { LISTED } else { SIDELESS };
        let listed = counters.sideless.first();
        for Sideless { flow, name, ends: [a, b] } in listed.iter().take(most) {
            self.note(format!(
                "conversation {flow} ({a} - {b}, {name}): no packet shows which side is the client: --server ADDR:PORT \
                 or --port PORT={name} names it"
            ));
        }
        self.more("and ", counters.account.sides_unknown - listed.len().min(most) as u64, " of this kind");
    }

    /// Adds the conversations of no known protocol, and their packets.
    fn unclaimed_ones(&mut self, counters: &mut Counters) {
        if counters.unclaimed.given_up_count > 0 {
            let n = Plural(counters.unclaimed.given_up_count, "conversation");
            self.note(format!("{n} no longer read: later packets did not fit"));
        }
        for (transport, n) in &counters.foreign {
            let (packets, verb) =
                (Plural(*n, &format!("{transport} packet")).to_string(), if *n == 1 { "is" } else { "are" });
            self.note(format!("{packets} {verb} of no known protocol"));
        }
        let all = counters.unclaimed.count;
        let largest = counters.unclaimed.largest();
        if largest.is_empty() {
            return;
        }
        self.note("conversations of no known protocol, by bytes; --port PORT=PROTO names what one speaks:".into());
        largest.iter().take(LISTED).for_each(|flow| self.note(format!("  {}", line(flow))));
        self.more("  and ", all.saturating_sub(largest.len().min(LISTED) as u64), "");
    }

    /// Adds the number of conversations that are not listed, if there are any.
    fn more(&mut self, before: &str, more: u64, after: &str) {
        if more > 0 {
            self.note(format!("{before}{}{after}", Plural(more, "more conversation")));
        }
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

/// Describes one conversation.
fn line(flow: &UnclaimedFlow) -> String {
    let [a, b] = flow.ends;
    let (packets, bytes) = (Plural(flow.packets, "packet"), Plural(flow.bytes, "byte"));
    let mut text = format!("{} {a} - {b}: {packets}, {bytes}", flow.transport);
    for (first, from) in flow.first.iter().zip(["", "answer "]) {
        if !first.is_empty() {
            let _ = write!(text, ", {from}{}", hex::encode(crate::redact::run::bytes(first)));
        }
    }
    let [first, second] = &flow.first;
    if let Some(name) = looks_like(flow.transport, [a.port(), b.port()], first, second) {
        let _ = write!(text, ": looks like {name}");
    }
    text
}
