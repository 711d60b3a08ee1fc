//! A probe's results for monitoring: Prometheus, InfluxDB, Nagios.
//!
//! Everything comes from the summaries that `-f ndjson` prints: names and figures are the same.

use crate::printable::Printable;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The result for one server.
#[derive(Clone, Debug)]
pub struct Result {
    /// Its summary.
    pub summary: Json,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// The time when it was complete.
    pub time: SystemTime,
}

impl Result {
    fn text(&self, key: &str) -> &str {
        self.summary[key].as_str().unwrap_or("")
    }

    /// Returns a figure of the round trips.
    fn rtt(&self, key: &str) -> Option<f64> {
        self.summary["rtt"][key].as_f64()
    }

    /// Returns the number of the server's sockets that stay open, if any.
    fn left(&self) -> Option<f64> {
        self.summary["sockets_left"].as_f64()
    }

    fn ok(&self) -> bool {
        self.text("outcome") == "ok"
    }

    fn since_epoch(&self) -> Duration {
        self.time.duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// A family of metrics: its name, its help text, and the value of a server.
type Family = (&'static str, &'static str, fn(&Result) -> Option<f64>);

fn seconds(result: &Result, key: &str) -> Option<f64> {
    // Rounded to the nanosecond: a division by 1000 alone would show its rounding error.
    result.rtt(key).map(|ms| (ms * 1e6).round() / 1e9)
}

const FAMILIES: [Family; 11] = [
    ("netkit_probe_up", "1 if the server answers as a server of its protocol.", |r| Some(f64::from(u8::from(r.ok())))),
    ("netkit_probe_sent", "Round trips asked for in the last probe.", |r| r.rtt("sent")),
    ("netkit_probe_received", "Answers received in the last probe.", |r| r.rtt("received")),
    ("netkit_probe_loss_ratio", "Share of lost answers, from 0 to 1.", |r| r.rtt("loss")),
    ("netkit_probe_rtt_min_seconds", "Shortest round trip of the last probe.", |r| seconds(r, "min_ms")),
    ("netkit_probe_rtt_median_seconds", "Median round trip of the last probe.", |r| seconds(r, "median_ms")),
    ("netkit_probe_rtt_mean_seconds", "Mean round trip of the last probe.", |r| seconds(r, "mean_ms")),
    ("netkit_probe_rtt_max_seconds", "Longest round trip of the last probe.", |r| seconds(r, "max_ms")),
    ("netkit_probe_rtt_jitter_seconds", "Mean difference of one round trip and the next.", |r| seconds(r, "jitter_ms")),
    ("netkit_probe_sockets_left", "Sockets that the last probe left open at the server.", Result::left),
    ("netkit_probe_timestamp_seconds", "When the last probe ended.", |r| {
        Some(r.since_epoch().as_millis() as f64 / 1e3)
    }),
];

/// Writes Prometheus' text format: one family after the other, with a sample for each server that has it.
pub fn prometheus(results: &[Result]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, here and below.
    for (name, help, value) in FAMILIES {
        let samples = results.iter().filter_map(|result| Some((result, value(result)?)));
        for (k, (result, value)) in samples.enumerate() {
            if k == 0 {
                let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
            }
            let _ = writeln!(text, "{name}{{{}}} {value}", labels(result, &[]));
        }
    }
    if !results.is_empty() {
        let name = "netkit_probe_info";
        let _ = writeln!(text, "# HELP {name} What the server is, and how its probe ended.\n# TYPE {name} gauge");
    }
    for result in results {
        let more = ["outcome", "proto", "version", "transport", "address"].map(|key| (key, result.text(key)));
        let _ = writeln!(text, "netkit_probe_info{{{}}} 1", labels(result, &more));
    }
    text
}

fn labels(result: &Result, more: &[(&str, &str)]) -> String {
    let own = result.labels.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let all = [("target", result.text("target"))].into_iter().chain(own).chain(more.iter().copied());
    let escaped = |text: &str| Printable(text.replace('\\', "\\\\").replace('"', "\\\"")).to_string();
    // An empty label is the same as none.
    let all = all.filter(|(_, value)| !value.is_empty());
    all.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect::<Vec<_>>().join(",")
}

/// Writes a line of InfluxDB's protocol.
pub fn influx(result: &Result) -> String {
    let tag = |text: &str| {
        let mut out = String::new();
        for c in Printable(text).to_string().chars() {
            if matches!(c, ',' | ' ' | '=' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out
    };
    let mut text = "netkit_probe".to_string();
    let own = result.labels.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let known = ["proto", "transport", "version"].map(|key| (key, result.text(key)));
    for (name, value) in [("target", result.text("target"))].into_iter().chain(own).chain(known) {
        if !value.is_empty() {
            let _ = write!(text, ",{name}={}", tag(value));
        }
    }
    let _ = write!(text, " up={},outcome=\"{}\"", result.ok(), result.text("outcome"));
    for key in ["sent", "received", "duplicates"] {
        let _ = write!(text, ",{key}={}i", result.summary["rtt"][key].as_u64().unwrap_or(0));
    }
    for key in ["loss", "min_ms", "median_ms", "mean_ms", "max_ms", "jitter_ms"] {
        if let Some(value) = result.rtt(key) {
            let _ = write!(text, ",{key}={value}");
        }
    }
    if let Some(left) = result.left() {
        let _ = write!(text, ",sockets_left={left}i");
    }
    let _ = writeln!(text, " {}", result.since_epoch().as_nanos());
    text
}

/// The states of Nagios, by their exit statuses.
const STATES: [&str; 4] = ["OK", "WARNING", "CRITICAL", "UNKNOWN"];

/// Returns the state of one server: critical if it does not answer, a warning if answers were lost, unknown if it could
/// not be asked.
fn state(result: &Result) -> u8 {
    match result.text("outcome") {
        "ok" if result.rtt("loss").is_some_and(|loss| loss > 0.0) => 1,
        "ok" => 0,
        "resolve_failed" | "interrupted" | "failed" => 3,
        _ => 2,
    }
}

/// Returns the text with slashes in place of bars, which would begin the figures.
fn bare(text: &str) -> String {
    Printable(text.replace('|', "/")).to_string()
}

/// Returns a plugin's output and its exit status: a line with the figures, then a line for each server with a problem.
pub fn nagios(results: &[Result], asked: usize) -> (String, u8) {
    // A server that does not answer is worse than one that could not be asked.
    let rank = |state: u8| [0, 1, 3, 2][usize::from(state.min(3))];
    let missing = if results.len() < asked { Some(3) } else { None };
    let status = results.iter().map(state).chain(missing).max_by_key(|state| rank(*state)).unwrap_or(3);
    let word = STATES.get(usize::from(status)).unwrap_or(&"UNKNOWN");
    let answered = results.iter().filter(|result| result.ok()).count();
    let mut text = match results {
        [one] if asked == 1 => {
            let what = match one.rtt("median_ms") {
                Some(median) if one.ok() => {
                    format!("{} {} answers in {median} ms", one.text("proto"), one.text("version"))
                }
                None if one.ok() => {
                    format!(
                        "{} {} answered, but no question was answered in time",
                        one.text("proto"),
                        one.text("version")
                    )
                }
                _ => format!("{}: {}", one.text("outcome"), one.text("text")),
            };
            format!("NETKIT {word} - {}: {}", bare(one.text("target")), bare(&what))
        }
        _ => format!("NETKIT {word} - {answered} of {asked} servers answer"),
    };
    let mut figures = Vec::new();
    for result in results {
        let name = result.labels.iter().find(|(name, _)| name == "name").map(|(_, value)| value.as_str());
        let prefix = match name {
            Some(name) => format!("{name}_"),
            None if asked == 1 => String::new(),
            None => format!("{}_", result.text("target")),
        };
        let prefix = Printable(prefix.replace('\'', "''").replace(['=', '|'], "_")).to_string();
        if let Some(median) = result.rtt("median_ms") {
            figures.push(format!("'{prefix}rtt'={median}ms;;;0"));
        }
        if let Some(loss) = result.rtt("loss") {
            figures.push(format!("'{prefix}loss'={}%;;;0;100", (loss * 1e4).round() / 1e2));
        }
        if let Some(left) = result.left() {
            figures.push(format!("'{prefix}sockets_left'={left};;;0"));
        }
    }
    if !figures.is_empty() {
        let _ = write!(text, " | {}", figures.join(" "));
    }
    text.push('\n');
    if asked > 1 {
        for result in results.iter().filter(|result| state(result) > 0) {
            let why = if result.ok() { "answers were lost" } else { result.text("text") };
            let _ = writeln!(text, "{}: {}: {}", bare(result.text("target")), result.text("outcome"), bare(why));
        }
    }
    (text, status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(target: &str, outcome: &str, rtt: Json) -> Result {
        let summary = json!({"target": target, "outcome": outcome, "proto": "riptide", "version": "2.0", "text": "no | answer", "rtt": rtt});
        let labels = vec![("name".to_string(), "a \"b\",\\ =c'\n|".to_string())];
        Result { summary, labels, time: UNIX_EPOCH + Duration::from_millis(1_795_000_000_250) }
    }

    fn answered(loss: f64) -> Json {
        json!({"sent": 2, "received": 2, "loss": loss, "duplicates": 0, "min_ms": 1.5, "median_ms": 2.003,
            "mean_ms": 2.0, "max_ms": 3.0, "jitter_ms": null})
    }

    #[test]
    fn labels_are_escaped_by_the_rules_of_each_format() {
        let one = result("h:1", "ok", answered(0.0));
        let text = prometheus(std::slice::from_ref(&one));
        assert!(text.contains("netkit_probe_up{target=\"h:1\",name=\"a \\\"b\\\",\\\\ =c'\\n|\"} 1\n"), "{text}");
        assert!(text.contains("netkit_probe_rtt_median_seconds{") && text.contains("} 0.002003\n"), "{text}");
        assert!(!text.contains("jitter"), "there is none: {text}");
        let text = influx(&one);
        let expected = "netkit_probe,target=h:1,name=a\\ \"b\"\\,\\\\\\ \\=c'\\\\n|,proto=riptide,version=2.0 up=true,\
                        outcome=\"ok\",sent=2i,received=2i,duplicates=0i,loss=0,min_ms=1.5,median_ms=2.003,mean_ms=2,\
                        max_ms=3 1795000000250000000\n";
        assert_eq!(text, expected);
        let (text, status) = nagios(&[one], 1);
        let expected = "NETKIT OK - h:1: riptide 2.0 answers in 2.003 ms | 'a \"b\",\\ _c''\\n__rtt'=2.003ms;;;0 \
                        'a \"b\",\\ _c''\\n__loss'=0%;;;0;100\n";
        assert_eq!((text.as_str(), status), (expected, 0));
    }

    #[test]
    fn states() {
        let silent = json!({"sent": 0, "received": 0, "loss": null, "duplicates": 0});
        let of = |results: &[(&str, f64)]| {
            let list: Vec<Result> = results
                .iter()
                .map(|(outcome, loss)| {
                    result("h:1", outcome, if *outcome == "ok" { answered(*loss) } else { silent.clone() })
                })
                .collect();
            nagios(&list, list.len().max(1)).1
        };
        assert_eq!(of(&[("ok", 0.0)]), 0);
        assert_eq!(of(&[("ok", 0.0), ("ok", 0.5)]), 1);
        assert_eq!(of(&[("ok", 0.0), ("silent", 0.0), ("resolve_failed", 0.0)]), 2);
        assert_eq!(of(&[("ok", 0.0), ("resolve_failed", 0.0)]), 3);
        assert_eq!(of(&[]), 3, "nobody was asked");
        assert_eq!(nagios(&[result("h:1", "ok", answered(0.0))], 2).1, 3, "the rest was not asked");
        let (text, _) = nagios(&[result("h:1", "silent", silent.clone()), result("h:2", "ok", answered(0.0))], 2);
        assert!(text.starts_with("NETKIT CRITICAL - 1 of 2 servers answer | "), "{text}");
        assert_eq!(text.lines().nth(1), Some("h:1: silent: no / answer"), "a bar would begin figures");
        assert_eq!(prometheus(&[]), "");
    }
}
