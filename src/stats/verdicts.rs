//! Conclusions from a capture's figures, in words and with the numbers. [`RULES`] states when each applies.

use super::Stats;
use super::delivery::Direction;
use super::directions::directions;
use super::ends::ends;
use super::sides::role;
use crate::capture::Time;
use crate::plural::Plural;
use crate::render::palette::Palette;
use serde_json::json;
use std::fmt::Write;

/// A rule: its name, and the condition under which it applies.
pub const RULES: [(&str, &str); 8] = [
    (
        "one_direction",
        "the capture has packets of one side only: of a stream, or of a session over UDP in which that side sent at \
         least 3 messages besides requests for the connection",
    ),
    (
        "end",
        "a connection that no side left, and that is not open at the end: refused, kicked, timed out, dropped, \
         reset, never answered or never decided",
    ),
    (
        "resends",
        "at least 3 transmissions and 5 % of all were resent or duplicates. Resend time: the median time from one \
         transmission of a message to the next. Messages are resent too soon if it is below the 90th percentile of the \
         round trips of messages acknowledged before a resend",
    ),
    (
        "never_acked",
        "messages that no acknowledgement in the capture names; given up: the sender's last try was seen. Those of the \
         capture's last second, over UDP, are counted: their acknowledgements may have come after it. Not with -F, \
         --since and --until",
    ),
    (
        "lost",
        "numbers that a side skipped and that are not in the capture: lost before the capture point, missed by the \
         capture, sent before it began, or in a message with a fault. Not with -F, --since and --until",
    ),
    (
        "unanswered",
        "requests without a response, and offered links without an answer, in the capture (--unanswered lists them). \
         Not with -F, --since and --until",
    ),
    (
        "handled_twice",
        "messages that pass the receiver's duplicate filter more than once: its application gets them again",
    ),
    ("never_handled", "messages that the receiver's duplicate filter drops, although it never got them before"),
];

/// The number of resends and duplicates below which there is no verdict.
const LEAST_AGAIN: u64 = 3;
/// The share of resends and duplicates below which there is no verdict.
const LEAST_SHARE: f64 = 0.05;
/// Transmissions that follow within this median time, in nanoseconds, are not resends: no sender knows of a loss so soon.
const AT_ONCE: i64 = 1_000_000;
/// The time in nanoseconds at the end of a capture within which an acknowledgement may come too late for it.
const LAST: i64 = 1_000_000_000;
/// The number of verdicts printed in text output.
const SHOWN: usize = 8;

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The name of its rule, from [`RULES`].
    pub rule: &'static str,
    /// The conversation.
    pub flow: u64,
    /// The number of the connection in the conversation, from 1.
    pub connection: u32,
    /// Its protocol.
    pub proto: &'static str,
    /// The side that it concerns.
    pub from: &'static str,
    /// The verdict in words.
    pub text: String,
}

/// Milliseconds of a percentile.
fn millis(nanos: Option<i64>) -> f64 {
    (nanos.unwrap_or(0) as f64 / 1e5).round() / 10.0
}

fn resends(d: &Direction) -> Option<String> {
    let again = d.tally.resent + d.tally.duplicates;
    let percent = |n: u64| n as f64 / d.tally.sent.max(1) as f64 * 100.0;
    if again < LEAST_AGAIN || percent(again) < LEAST_SHARE * 100.0 {
        return None;
    }
    // The shares are the same as in the tables.
    let mut text = match (d.tally.resent, d.tally.duplicates) {
        (0, n) => format!("{n} of {} transmissions ({:.1} %) were duplicates", d.tally.sent, percent(n)),
        (n, 0) => format!("{n} of {} transmissions ({:.1} %) were resent", d.tally.sent, percent(n)),
        (n, twice) => {
            format!(
                "{n} of {} transmissions ({:.1} %) were resent and {twice} were duplicates",
                d.tally.sent,
                percent(n)
            )
        }
    };
    let all = d.awaiting == d.tally.messages && d.never_acked() == Some(0) && d.lost() == 0;
    if all && d.tally.never_handled == 0 {
        text.push_str("; every message was acknowledged");
    }
    let (resend, round_trip) = (d.resend_time.percentile(50.0), d.tally.rtt.percentile(90.0));
    if resend.is_some_and(|resend| resend < AT_ONCE) {
        text.push_str(
            ". Most follow the transmission before within 1 ms: the sender does not wait for an ack, or packets were \
             recorded or delivered twice",
        );
        return Some(text);
    }
    match (resend.zip(round_trip).filter(|(resend, trip)| resend < trip), all) {
        (Some((resend, trip)), _) => {
            let (resend, trip) = (millis(Some(resend)), millis(Some(trip)));
            // Writing to a string cannot fail.
            let _ = write!(text, ". The resend time ({resend:.1} ms) is below the round trip (p90 {trip:.1} ms)");
        }
        (None, true) if d.tally.duplicates > d.tally.resent => {
            text.push_str(". Most were sent after an ack: acks are lost or late, or the network duplicates packets");
        }
        (None, true) => text.push_str(". Most were sent before any ack: packets or acks are lost or late"),
        (None, false) => {}
    }
    Some(text)
}

/// The verdicts on one direction. `last`: the unacknowledged messages of the capture's last second.
fn texts(d: &Direction, last: u64) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    list.extend(resends(d).map(|text| ("resends", text)));
    if let Some(never) = d.never_acked().filter(|never| *never > 0 && d.tally.acked > 0) {
        let given_up = match d.tally.given_up {
            0 => String::new(),
            n => format!(", {n} of them given up"),
        };
        let last = match last.min(never) {
            0 => String::new(),
            n if n == never => ", sent in the capture's last second".into(),
            n => format!(", {n} of them sent in the capture's last second"),
        };
        list.push((
            "never_acked",
            format!("never acknowledged: {never} of {}{last}{given_up}", Plural(d.tally.messages, "message")),
        ));
    }
    if d.lost() > 0 {
        let lost = Plural(d.lost(), "numbered message");
        let are = if d.lost() == 1 { "is" } else { "are" };
        let why = "lost before the capture point, missed by the capture, sent before it began, or in a message with a \
                   fault";
        list.push(("lost", format!("{lost} {are} not in the capture: {why}")));
    }
    if d.unanswered() > 0 {
        list.push((
            "unanswered",
            format!("{} of {} without a response", d.unanswered(), Plural(d.tally.requests, "request")),
        ));
    }
    let links = d.tally.offered.saturating_sub(d.tally.accepted + d.tally.refused);
    if links > 0 {
        list.push(("unanswered", format!("{links} of {} without an answer", Plural(d.tally.offered, "offered link"))));
    }
    for (rule, n, what) in [
        ("handled_twice", d.tally.handled_twice, "that the other application gets twice"),
        ("never_handled", d.tally.never_handled, "that arrived and the other application never gets"),
    ] {
        if n > 0 {
            list.push((rule, format!("{} {what}: the receiver's duplicate filter fails", Plural(n, "message"))));
        }
    }
    list
}

/// The figures that mean something without the messages that a selection leaves out: one of those may have acknowledged
/// or answered a message, or filled a gap.
fn of_selection(d: &Direction) -> Direction {
    let mut own = d.clone();
    (own.awaiting, own.tally.missing, own.tally.requests, own.tally.offered) = (0, 0, 0, 0);
    own
}

/// The verdict on the conversations of which the capture has one direction: it qualifies all others.
pub fn one_direction(stats: &Stats) -> Option<Verdict> {
    let mut flows = stats.flows.iter().filter_map(|flow| Some((flow, stats.uncaptured(flow)?)));
    let (flow, side) = flows.next()?;
    let from = role(flow, side.other());
    let others = flows.count();
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    let text = format!(
        "flow {}{more}: the capture has packets of one side only (the {from}): what the other side answered, \
         acknowledged or ended is not known",
        flow.id
    );
    Some(Verdict { rule: "one_direction", flow: flow.id, connection: 1, proto: flow.proto, from, text })
}

/// All verdicts, in order of conversations.
pub fn verdicts(stats: &Stats) -> Vec<Verdict> {
    let mut all = Vec::from_iter(one_direction(stats));
    for (flow, ended, _) in ends(stats).filter(|(_, ended, _)| ended.is_remarkable()) {
        let which = if ended.ordinal > 1 { format!(" (connection {})", ended.ordinal) } else { String::new() };
        all.push(Verdict {
            rule: "end",
            flow: flow.id,
            connection: ended.ordinal,
            proto: flow.proto,
            from: ended.by(flow).unwrap_or("unknown"),
            text: format!("flow {}{which}: {}", flow.id, ended.sentence(flow, "capture")),
        });
    }
    let end = stats.account.span.map(|(_, last)| last).into_iter().chain(stats.last).map(Time::near_nanos).max();
    // The sum of several connections has no verdict.
    for (connection, from, d) in directions(stats).filter(|(connection, ..)| connection.flow > 0) {
        let (flow, ordinal) = (connection.flow, connection.ordinal);
        let is_answerable = stats.flow(flow).is_none_or(|flow| stats.is_answerable(flow));
        let which = if ordinal > 1 { format!(" (connection {ordinal})") } else { String::new() };
        let side = usize::from(std::ptr::eq(d, &connection.directions[1]));
        // The path does not know which of its numbers are acknowledged.
        let last = end.filter(|_| d.awaiting == d.tally.messages);
        let last = last.map_or(0, |end| connection.path.open_since(side, end.saturating_sub(LAST)));
        let proto = connection.proto(stats.flow(flow));
        let own = connection.own_proto.map_or(String::new(), |proto| format!(", {proto}"));
        let part = stats.selected.then(|| of_selection(d));
        let texts = texts(part.as_ref().unwrap_or(d), last).into_iter();
        let texts = texts.filter(|(rule, _)| is_answerable || *rule != "unanswered");
        all.extend(texts.map(|(rule, text)| Verdict {
            rule,
            flow,
            connection: ordinal,
            proto,
            from,
            text: format!("{from} of flow {flow}{which}{own}: {text}"),
        }));
    }
    all
}

impl Verdict {
    /// Appends the verdict as lines of text.
    pub fn lines(&self, width: Option<usize>, palette: &Palette, out: &mut String) {
        let mut column = 0;
        // Bold is legible on dark and light grounds.
        out.push_str(palette.title);
        let mut subject = true;
        for word in self.text.split(' ') {
            let (length, blank) = (word.chars().count(), usize::from(column > 0));
            if column > 0 && column + blank + length > width.unwrap_or(usize::MAX) {
                out.push_str("\n  ");
                column = 2;
            } else if blank > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
            if subject && word.ends_with(':') {
                out.push_str(palette.reset);
                subject = false;
            }
        }
        out.push('\n');
    }
}

/// The verdicts as lines of text.
pub(super) fn text(stats: &Stats, width: Option<usize>, palette: &Palette, out: &mut String) {
    let all = verdicts(stats);
    all.iter().take(SHOWN).for_each(|verdict| verdict.lines(width, palette, out));
    if all.len() > SHOWN {
        let _ = writeln!(out, "and {} more (-f json)", all.len() - SHOWN);
    }
}

/// The verdicts as a JSON array.
pub(super) fn array(stats: &Stats) -> String {
    let one = |verdict: Verdict| {
        let Verdict { rule, flow, connection, proto, from, text } = verdict;
        json!({"rule": rule, "flow": flow, "connection": connection, "proto": proto, "from": from, "text": text})
    };
    serde_json::Value::from(verdicts(stats).into_iter().map(one).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_offered_and_answered() {
        let mut links = Direction::default();
        (links.tally.offered, links.tally.accepted) = (3, 1);
        assert_eq!(texts(&links, 0), [("unanswered", "2 of 3 offered links without an answer".into())]);
        assert!(texts(&of_selection(&links), 0).is_empty());
    }

    #[test]
    fn only_what_follows_from_the_numbers() {
        let mut d = Direction::default();
        (d.tally.messages, d.awaiting, d.tally.sent, d.tally.acked) = (100, 100, 100, 100);
        assert!(texts(&d, 0).is_empty());
        // Few resends are not notable, at any share.
        (d.tally.messages, d.awaiting, d.tally.acked, d.tally.sent, d.tally.resent) = (2, 2, 2, 4, 2);
        assert!(texts(&d, 0).is_empty());
        (d.tally.messages, d.awaiting, d.tally.acked, d.tally.sent, d.tally.resent) = (100, 100, 100, 150, 50);
        let text = texts(&d, 0).remove(0).1;
        assert_eq!(
            text,
            "50 of 150 transmissions (33.3 %) were resent; every message was acknowledged. Most were sent before any ack: packets or acks \
             are lost or late"
        );
        // A number that never arrived contradicts "every message".
        d.tally.missing = 1;
        assert!(!texts(&d, 0).remove(0).1.contains("every message"));
        d.tally.missing = 0;
        // Nor is it known of messages that nothing acknowledges.
        (d.awaiting, d.tally.acked) = (60, 60);
        assert!(!texts(&d, 0).remove(0).1.contains("every message"));
        (d.awaiting, d.tally.acked) = (100, 100);
        // A sender cannot know so soon that a packet is lost.
        let mut twice = d.clone();
        twice.resend_time.add(5_000);
        assert!(texts(&twice, 0).remove(0).1.ends_with("or packets were recorded or delivered twice"));
        d.resend_time.add(40_000_000);
        d.tally.rtt.add(51_900_000);
        let text = texts(&d, 0).remove(0).1;
        assert!(text.ends_with(". The resend time (40.0 ms) is below the round trip (p90 51.9 ms)"), "{text}");
        // If the capture has no acknowledgement at all, nothing can be concluded about single messages.
        (d.tally.acked, d.tally.resent, d.tally.sent) = (0, 0, 100);
        assert!(texts(&d, 0).is_empty());
        d.tally.acked = 99;
        assert_eq!(texts(&d, 0), [("never_acked", "never acknowledged: 1 of 100 messages".into())]);
        for (unacknowledged, last, text) in [
            (1, 1, "1 of 100 messages, sent in the capture's last second"),
            (3, 2, "3 of 100 messages, 2 of them sent in the capture's last second"),
            (2, 3, "2 of 100 messages, sent in the capture's last second"),
        ] {
            d.tally.acked = 100 - unacknowledged;
            assert_eq!(texts(&d, last), [("never_acked", format!("never acknowledged: {text}"))]);
        }
        let rules = |list: &[(&'static str, String)]| list.iter().map(|(rule, _)| *rule).collect::<Vec<_>>();
        let mut all = Direction::default();
        (all.tally.acked, all.tally.messages, all.awaiting, all.tally.sent, all.tally.duplicates, all.tally.missing) =
            (1, 3, 3, 9, 6, 2);
        (all.tally.requests, all.tally.handled_twice, all.tally.never_handled) = (2, 1, 1);
        let of_directions = RULES.iter().map(|(rule, _)| *rule).filter(|rule| !["end", "one_direction"].contains(rule));
        assert_eq!(rules(&texts(&all, 0)), of_directions.collect::<Vec<_>>());
    }
}
