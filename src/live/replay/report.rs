//! The report of a session, for people and for programs.

mod differences;

use super::compare::Divergence;
use super::plan::Unsent;
use crate::live::replay::actor::Counts;
use crate::plural::Plural;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::Duration;

/// The number of divergences that people are shown.
const SHOWN: usize = 20;

/// The report of a session.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Our messages that were to be repeated.
    pub steps: u64,
    /// Those of them that were sent.
    pub sent: u64,
    /// The peer's messages in the capture.
    pub expected: u64,
    /// The peer's messages that arrived.
    pub received: u64,
    /// Those of them that were only counted, because no memory was left to keep them for comparison.
    pub uncompared: u64,
    /// Messages that were not sent, with the reasons.
    pub unsent: Vec<Unsent>,
    /// Messages that were refused because they may harm the peer.
    pub refused: Vec<Unsent>,
    /// Messages that the session did not repeat, since it made its own or needed none, by kind.
    pub live: BTreeMap<&'static str, u64>,
    /// Messages that the user dropped.
    pub dropped: u64,
    /// Messages with an unknown sender.
    pub unknown: u64,
    /// The counts.
    pub counts: Counts,
    /// Remarks for the user.
    pub remarks: Vec<String>,
    /// The reason why the peer ended the session, if it did.
    pub ended: Option<String>,
    /// The trouble, if there was any.
    pub trouble: Option<String>,
    /// Whether the user stopped it.
    pub stopped: bool,
    /// The peer's divergences from the capture.
    pub divergences: Vec<Divergence>,
    /// The divergences of others than us and the peer, with the kind of these messages in the plural. They are not held
    /// against the peer.
    pub others: Vec<(&'static str, Divergence)>,
    /// The duration.
    pub took: Duration,
}

impl Report {
    /// Whether everything was sent, and acknowledged if the protocol does that.
    pub fn complete(&self) -> bool {
        self.trouble.is_none() && self.unsent.is_empty() && self.counts.unacknowledged == 0
    }

    /// Whether the peer diverged from the capture, or sent more than could be compared.
    pub fn diverged(&self) -> bool {
        !self.divergences.is_empty() || self.uncompared > 0
    }

    /// Returns the number of others' divergences, by kind.
    fn others(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        self.others.iter().for_each(|(kind, _)| *counts.entry(*kind).or_default() += 1);
        counts
    }

    /// Returns the number of round trips, and their minimum, median and maximum.
    pub fn round_trips(&self) -> Option<(usize, [Duration; 3])> {
        let once = self.counts.round_trips.iter().filter(|trip| !trip.resent);
        let mut all: Vec<Duration> = once.map(|trip| trip.took).collect();
        all.sort_unstable();
        Some((all.len(), [*all.first()?, *all.get(all.len() / 2)?, *all.last()?]))
    }

    /// Appends one JSON object per line: refusals, unsent messages, divergences, and last the session.
    pub fn ndjson(&self, out: &mut String) {
        let mut line = |value: Json| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{value}");
        };
        let unsent =
            |kind: &str, u: &Unsent| json!({"report": kind, "frame": u.frame, "message": u.message, "why": u.why});
        self.refused.iter().for_each(|u| line(unsent("refused", u)));
        self.unsent.iter().for_each(|u| line(unsent("unsent", u)));
        self.divergences.iter().for_each(|divergence| line(as_json(divergence)));
        for (kind, divergence) in &self.others {
            let mut value = as_json(divergence);
            value["others"] = (*kind).into();
            line(value);
        }
        let ms = |d: Duration| (d.as_secs_f64() * 1e6).round() / 1e3;
        let trips = self.round_trips().map(|(count, [least, median, most])| json!({"count": count, "min": ms(least), "median": ms(median), "max": ms(most)}));
        let mut session = json!({
            "report": "session",
            "complete": self.complete(),
            "diverged": self.diverged(),
            "messages": self.steps,
            "sent": self.sent,
            "acknowledged": self.counts.acknowledged,
            "unacknowledged": self.counts.unacknowledged,
            "resent": self.counts.resent,
            "answered_live": self.counts.live,
            "expected": self.expected,
            "received": self.received,
            "uncompared": self.uncompared,
            "copies_received": self.counts.copies,
            "not_repeated": self.live,
            "dropped": self.dropped,
            "refused": self.refused.len(),
            "unsent": self.unsent.len(),
            "divergences": self.divergences.len(),
            "others": self.others(),
            "round_trip_ms": trips,
            "ended": self.ended,
            "trouble": self.trouble,
            "remarks": self.remarks,
            "seconds": (self.took.as_secs_f64() * 1e6).round() / 1e6,
        });
        if self.stopped {
            session["stopped"] = true.into();
        }
        line(session);
    }
}

impl Report {
    /// Lists the messages that were not sent, each reason once.
    fn not_sent(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<&[Unsent]> = self.unsent.chunk_by(|one, other| one.why == other.why).collect();
        for alike in reasons.iter().take(SHOWN) {
            match alike {
                // Without a frame of the capture: it was made live.
                [Unsent { frame: 0, message, why }] => writeln!(f, "not sent      {message}: {why}")?,
                [Unsent { frame, message, why }] => writeln!(f, "not sent      frame {frame} {message}: {why}")?,
                [first, .., last] => {
                    let (count, why) = (alike.len(), &first.why);
                    writeln!(f, "not sent      {count} messages, frames {} to {}: {why}", first.frame, last.frame)?;
                }
                [] => {}
            }
        }
        match reasons.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            _ => writeln!(f, "              and more (-f ndjson lists all)"),
        }
    }
}

/// Returns a divergence as a JSON object.
fn as_json(divergence: &Divergence) -> Json {
    match divergence {
        Divergence::Missing { frame, message } => {
            json!({"report": "divergence", "kind": "missing", "frame": frame, "message": message})
        }
        Divergence::Extra { message, content } => {
            json!({"report": "divergence", "kind": "extra", "message": message, "fields": content})
        }
        Divergence::Differs { frame, message, fields } => {
            let fields: Vec<Json> =
                fields.iter().map(|(path, old, new)| json!({"path": path, "captured": old, "live": new})).collect();
            json!({"report": "divergence", "kind": "differs", "frame": frame, "message": message, "fields": fields})
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { counts, .. } = self;
        // The reason of the end is what readers look for first.
        if let Some(trouble) = &self.trouble {
            writeln!(f, "trouble       {trouble}")?;
        }
        if let Some(why) = &self.ended {
            writeln!(f, "the peer ended the session: {why}")?;
        }
        writeln!(
            f,
            "sent          {} of {} in {:.3} s",
            self.sent,
            Plural(self.steps, "message"),
            self.took.as_secs_f64()
        )?;
        if counts.acknowledged + counts.unacknowledged > 0 {
            let (yes, no) = (counts.acknowledged, counts.unacknowledged);
            writeln!(f, "acknowledged  {yes}, {no} not; {}", Plural(counts.resent, "resend"))?;
        }
        writeln!(f, "received      {} of {}", self.received, Plural(self.expected, "message"))?;
        if counts.live > 0 {
            writeln!(f, "generated     {}: acknowledgements, heartbeats, answers, goodbyes", counts.live)?;
        }
        if let Some((count, [least, median, most])) = self.round_trips() {
            let ms = |d: Duration| d.as_secs_f64() * 1e3;
            writeln!(
                f,
                "round trips   {count}: min {:.2}, median {:.2}, max {:.2} ms",
                ms(least),
                ms(median),
                ms(most)
            )?;
        }
        for (kind, count) in &self.live {
            writeln!(f, "not repeated  {kind} ({count})")?;
        }
        if self.dropped > 0 {
            writeln!(f, "dropped       {}", self.dropped)?;
        }
        if self.unknown > 0 {
            writeln!(
                f,
                "left out      {} of an unknown sender: --server ADDR names the server",
                Plural(self.unknown, "message")
            )?;
        }
        for unsent in self.refused.iter().take(SHOWN) {
            writeln!(
                f,
                "refused       frame {} {}: {} (--allow-dangerous sends it)",
                unsent.frame, unsent.message, unsent.why
            )?;
        }
        self.not_sent(f)?;
        for remark in &self.remarks {
            writeln!(f, "note          {remark}")?;
        }
        if self.uncompared > 0 {
            let count = Plural(self.uncompared, "message");
            writeln!(f, "not compared  the last {count} of the peer: no memory left (--limit live_kept)")?;
        }
        self.differences(f)
    }
}
