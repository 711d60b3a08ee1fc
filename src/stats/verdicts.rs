//! What the figures of a capture amount to, in words: only what follows from the numbers, with the
//! numbers. [`RULES`] says when which of them is told.

use super::Stats;
use super::connections::directions;
use super::delivery::Direction;
use crate::plural::Plural;
use serde_json::json;
use std::fmt::Write;

/// A rule: its name, and when it applies.
pub const RULES: [(&str, &str); 6] = [
    (
        "resends",
        "at least 3 copies and 5 % of what a side sent reliably were sent again; the resend time is the median from \
         copy to copy, the round trip that of messages sent once; below its 90th percentile the copies come too soon",
    ),
    ("never_acked", "messages that no acknowledgement in the capture names; given up: the sender's last try was seen"),
    ("lost", "numbers that a side skipped and that never came: lost before the place of the capture, or by it"),
    ("unanswered", "requests without an answer in the capture (--unanswered lists them)"),
    ("handled_twice", "copies that get through the receiver's own filter: its application has the message again"),
    ("never_handled", "messages that the receiver's own filter drops though it never had them"),
];

/// Copies below this many are told by the tables alone.
const LEAST_COPIES: u64 = 3;
/// The same for their share.
const LEAST_SHARE: f64 = 0.05;
/// How many are told in text.
const TOLD: usize = 8;

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Its rule, of [`RULES`].
    pub rule: &'static str,
    /// The conversation.
    pub flow: u64,
    /// The connection in it, from 1.
    pub connection: u32,
    /// The side that it is about.
    pub from: &'static str,
    /// What it says.
    pub text: String,
}

/// Milliseconds of a percentile.
fn millis(nanos: Option<i64>) -> f64 {
    (nanos.unwrap_or(0) as f64 / 1e5).round() / 10.0
}

fn resends(d: &Direction, other: &str) -> Option<String> {
    let again = d.resent + d.duplicates;
    let share = again as f64 / d.copies.max(1) as f64;
    if again < LEAST_COPIES || share < LEAST_SHARE {
        return None;
    }
    let mut text =
        format!("{:.0} % of what it sent reliably was sent again ({again} of {} copies)", share * 100.0, d.copies);
    let all = d.never_acked() == 0;
    if all {
        let _ = write!(text, ", the {other} had all of it");
    }
    let (resend, round_trip) = (d.resend_time.percentile(50.0), d.round_trip.percentile(90.0));
    let _ = match (resend.zip(round_trip).filter(|(resend, trip)| resend < trip), all) {
        (Some((resend, trip)), _) => write!(
            text,
            ": its resend time ({:.1} ms) is below the round trip (p90 {:.1} ms)",
            millis(Some(resend)),
            millis(Some(trip))
        ),
        // After an acknowledgement that the capture has, it is this that did not arrive in time.
        (None, true) if d.duplicates > d.resent => write!(
            text,
            ": most copies come behind an acknowledgement, which is lost or late on the way back, or the network doubles \
             messages"
        ),
        (None, true) => {
            write!(text, ": most copies come before any acknowledgement: messages or acknowledgements are lost or late")
        }
        (None, false) => Ok(()),
    };
    Some(text)
}

fn told(d: &Direction, other: &str) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    list.extend(resends(d, other).map(|text| ("resends", text)));
    let never = d.never_acked();
    if never > 0 && d.acked > 0 {
        let given_up = match d.given_up() {
            0 => String::new(),
            n => format!(", {n} of them given up"),
        };
        list.push((
            "never_acked",
            format!("never acknowledged: {never} of {}{given_up}", Plural(d.messages, "message")),
        ));
    }
    if d.lost() > 0 {
        let lost = Plural(d.lost(), "numbered message");
        list.push(("lost", format!("{lost} never came: lost before the place of the capture, or by it")));
    }
    if d.unanswered() > 0 {
        list.push((
            "unanswered",
            format!("without an answer: {} of {}", d.unanswered(), Plural(d.requests, "request")),
        ));
    }
    for (rule, n, what) in [
        ("handled_twice", d.handled_twice, "the other application gets twice"),
        ("never_handled", d.never_handled, "arrived and the other application never gets"),
    ] {
        if n > 0 {
            list.push((rule, format!("{} {what}: the receiver's filter fails", Plural(n, "message"))));
        }
    }
    list
}

/// All verdicts, in order of conversations.
pub fn verdicts(stats: &Stats) -> Vec<Verdict> {
    let mut all = Vec::new();
    // The sum of several connections is nobody's.
    for (connection, from, d) in directions(stats).filter(|(connection, ..)| connection.flow > 0) {
        let other = match from {
            "client" => "server",
            "server" => "client",
            _ => "other side",
        };
        let (flow, ordinal) = (connection.flow, connection.ordinal);
        let which = if ordinal > 1 { format!(" (connection {ordinal})") } else { String::new() };
        all.extend(told(d, other).into_iter().map(|(rule, text)| Verdict {
            rule,
            flow,
            connection: ordinal,
            from,
            text: format!("{from} of flow {flow}{which}: {text}"),
        }));
    }
    all
}

/// The verdicts as lines of text.
pub(super) fn text(stats: &Stats, width: Option<usize>, out: &mut String) {
    let all = verdicts(stats);
    for verdict in all.iter().take(TOLD) {
        let mut column = 0;
        for word in verdict.text.split(' ') {
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
        }
        out.push('\n');
    }
    if all.len() > TOLD {
        let _ = writeln!(out, "and {} more (-f json)", all.len() - TOLD);
    }
}

/// The verdicts as a JSON array.
pub(super) fn array(stats: &Stats) -> String {
    let one = |v: Verdict| json!({"rule": v.rule, "flow": v.flow, "connection": v.connection, "from": v.from, "text": v.text});
    serde_json::Value::from(verdicts(stats).into_iter().map(one).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_follows_from_the_numbers() {
        let mut d = Direction::default();
        (d.messages, d.copies, d.acked) = (100, 100, 100);
        assert!(told(&d, "server").is_empty());
        // Few copies are no news, whatever their share.
        (d.messages, d.acked, d.copies, d.resent) = (2, 2, 4, 2);
        assert!(told(&d, "server").is_empty());
        (d.messages, d.acked, d.copies, d.resent) = (100, 100, 150, 50);
        let text = told(&d, "server").remove(0).1;
        assert_eq!(
            text,
            "33 % of what it sent reliably was sent again (50 of 150 copies), the server had all of it: most copies come before any \
             acknowledgement: messages or acknowledgements are lost or late"
        );
        d.resend_time.add(40_000_000);
        d.round_trip.add(51_900_000);
        let text = told(&d, "server").remove(0).1;
        assert!(text.ends_with(": its resend time (40.0 ms) is below the round trip (p90 51.9 ms)"), "{text}");
        // Without any acknowledgement in the capture nothing follows of single messages.
        (d.acked, d.resent, d.copies) = (0, 0, 100);
        assert!(told(&d, "server").is_empty());
        d.acked = 99;
        assert_eq!(told(&d, "server"), [("never_acked", "never acknowledged: 1 of 100 messages".into())]);
        let rules = |list: &[(&'static str, String)]| list.iter().map(|(rule, _)| *rule).collect::<Vec<_>>();
        let mut all = Direction::default();
        (all.acked, all.messages, all.copies, all.duplicates, all.missing) = (1, 3, 9, 6, 2);
        (all.requests, all.handled_twice, all.never_handled) = (2, 1, 1);
        assert_eq!(rules(&told(&all, "client")), RULES.map(|(rule, _)| rule));
    }
}
