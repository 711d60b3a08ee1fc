//! Reports the findings, for people and for programs. The JSON keys are a contract.

use super::statistics::{Statistics, milliseconds};
use super::{Report, facts};
use crate::live::probe::{Found, Outcome, Sample};
use crate::plural::Plural;
use serde_json::{Value as Json, json};
use std::fmt::Write;

impl Sample {
    /// Returns one round trip as a JSON object.
    pub fn json(&self, target: &str) -> Json {
        let rtt = self.rtt.map(milliseconds);
        json!({"type": "sample", "target": target, "sample": self.number, "method": self.method, "rtt_ms": rtt})
    }

    /// Describes one round trip.
    pub fn text(&self) -> String {
        match self.rtt {
            Some(rtt) => format!("  {:>3}  {:9.3} ms  {}\n", self.number, milliseconds(rtt), self.method),
            None => format!("  {:>3}       lost     {}\n", self.number, self.method),
        }
    }
}

impl Found {
    /// Describes the server: a line, and one for each fact that it has reported.
    pub fn text(&self, target: &str) -> String {
        let version = self.version.as_deref().map_or(String::new(), |version| format!(" {version}"));
        let family = self.family.as_deref().map_or(String::new(), |family| format!(" ({family})"));
        let mut text = format!("{target}: {}{version}{family} over {}\n", self.proto, self.carrier);
        for (key, value) in facts(&self.facts) {
            let _ = writeln!(text, "  {key}: {value}");
        }
        text
    }
}

impl Report {
    /// Returns the whole result as a JSON object, with its round trips if `samples` is set.
    pub fn json(&self, samples: bool) -> Json {
        let figures = Statistics::of(&self.samples);
        let address = self.address.map(|a| a.to_string());
        let mut all =
            json!({"type": "summary", "target": self.target, "address": address, "outcome": self.outcome.name()});
        if let Some(found) = &self.found {
            all["proto"] = json!(found.proto);
            all["transport"] = json!(found.carrier);
            all["version"] = json!(found.version);
            all["family"] = json!(found.family);
            all["facts"] = json!(found.facts);
        }
        if let Some(failure) = &self.failure {
            all["text"] = json!(failure.text);
            all["advice"] = json!(failure.advice);
            all["details"] = json!(failure.details);
        }
        all["rtt"] = json!({
            "sent": figures.sent,
            "received": figures.received,
            "loss": figures.loss(),
            "duplicates": self.duplicates,
            "min_ms": figures.rtt.map(|r| r.min),
            "median_ms": figures.rtt.map(|r| r.median),
            "mean_ms": figures.rtt.map(|r| r.mean),
            "max_ms": figures.rtt.map(|r| r.max),
            "jitter_ms": figures.rtt.and_then(|r| r.jitter),
        });
        if samples {
            let one = |s: &Sample| json!({"sample": s.number, "method": s.method, "rtt_ms": s.rtt.map(milliseconds)});
            all["samples"] = self.samples.iter().map(one).collect();
        }
        if matches!(self.outcome, Outcome::Interrupted | Outcome::TimedOut) {
            all["stopped"] = true.into();
        }
        if self.left > 0 {
            all["sockets_left"] = self.left.into();
        }
        all["notes"] = json!(self.notes);
        let tried = |t: &super::Tried| {
            let (proto, course, transport) = (t.proto, t.course, t.carrier.name());
            json!({"proto": proto, "course": course, "transport": transport, "outcome": t.outcome.name(), "text": t.text})
        };
        all["tried"] = self.tried.iter().map(tried).collect();
        all
    }

    /// Describes the end: figures and notes, or the observation and the advice. `introduced` is the server as it was
    /// known when its own line was printed.
    pub fn text(&self, introduced: Option<&Found>) -> String {
        let mut text = String::new();
        let figures = Statistics::of(&self.samples);
        if let (Some(now), Some(then)) = (&self.found, introduced) {
            // This was found out after the first lines were printed.
            if let Some(version) = now.version.as_ref().filter(|_| now.version != then.version) {
                let _ = writeln!(text, "  version: {version}");
            }
            for (key, value) in facts(&now.facts).into_iter().filter(|fact| !facts(&then.facts).contains(fact)) {
                let _ = writeln!(text, "  {key}: {value}");
            }
        }
        if let Some(loss) = figures.loss() {
            let (sent, received) = (figures.sent, figures.received);
            let _ = write!(text, "  {sent} sent, {received} answered, {:.0} % lost", loss * 100.0);
            if self.duplicates > 0 {
                let _ = write!(text, ", {}", Plural(self.duplicates, "duplicate"));
            }
            text.push('\n');
            if let Some(rtt) = figures.rtt {
                let _ = writeln!(
                    text,
                    "  min/median/mean/max/jitter {:.3}/{:.3}/{:.3}/{:.3}/{} ms",
                    rtt.min,
                    rtt.median,
                    rtt.mean,
                    rtt.max,
                    rtt.jitter.map_or("-".into(), |jitter| format!("{jitter:.3}"))
                );
            }
        }
        for note in &self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        if let Some(failure) = &self.failure {
            let name = failure.outcome.name();
            let _ = match failure.text == name {
                true => writeln!(text, "{}: {name}", self.target),
                false => writeln!(text, "{}: {name}: {}", self.target, failure.text),
            };
            if !failure.advice.is_empty() {
                let _ = writeln!(text, "  advice: {}", failure.advice);
            }
        } else if self.outcome == Outcome::Ok && self.found.is_none() {
            let _ = writeln!(text, "{}: ok", self.target);
        }
        text
    }
}
