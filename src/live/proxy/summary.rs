//! The reports of a proxy in lines: its status while it runs; at its end the counts, and for each direction the requested
//! and the measured impairments.

use super::relay::{Counts, DirectionCounts, Measured, Status};
use super::{Delay, Direction, Impairments, MessageCounts};
use crate::live::rules::{Bound, Tally};
use crate::plural::Plural;
use std::time::Duration;

/// Returns the counts of both directions, in lines: first those of packets, then those of messages, if they are read.
pub fn summary(counts: &Counts, messages: Option<[MessageCounts; 2]>) -> Vec<String> {
    let Counts { directions, clients, turned_away, refused, reset } = counts;
    let mut line = Plural(*clients, "client").to_string();
    for (count, what) in [(turned_away, "turned away"), (refused, "refused by the server"), (reset, "reset")] {
        if *count > 0 {
            line.push_str(&format!(", {count} {what}"));
        }
    }
    let mut lines = vec![line];
    for &direction in Direction::ALL {
        let counts = &directions[direction.index()];
        let line =
            format!("{:<4} {} arrived, {} sent", direction.name(), Plural(counts.arrived, "packet"), counts.passed);
        let list = [
            (counts.lost, "lost"),
            (counts.outage, "lost in an outage"),
            (counts.full, "lost in a full queue"),
            (counts.dropped, "dropped"),
            (counts.edited, "edited"),
            (counts.copies, "duplicated"),
            (counts.reordered, "out of order"),
            (counts.corrupted, "with a bit flipped"),
            (counts.unsent, "refused by the system"),
        ];
        lines.push(line + &nonzero(&list));
    }
    for (direction, counts) in
        Direction::ALL.iter().copied().zip(messages.unwrap_or_default()).filter(|(_, counts)| counts.arrived > 0)
    {
        let line = format!("{:<4} {} arrived", direction.name(), Plural(counts.arrived, "message"));
        let list = [
            (counts.dropped, "dropped"),
            (counts.edited, "edited"),
            (counts.copies, "duplicated"),
            (counts.resent, "resent"),
        ];
        lines.push(line + &nonzero(&list));
    }
    lines
}

/// Returns the counts that are not 0.
fn nonzero(list: &[(u64, &str)]) -> String {
    list.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect()
}

/// Returns the line about what was never sent, if there is anything: datagrams, and bytes of streams.
pub fn waiting([datagrams, bytes]: [usize; 2]) -> Option<String> {
    let line =
        || format!("{} and {} of streams were still to be sent", Plural(datagrams, "datagram"), Plural(bytes, "byte"));
    (datagrams + bytes > 0).then(line)
}

/// Returns the number of messages that each rule matched and changed, and the reasons why it did not.
pub fn rules<'t>(tallies: impl Iterator<Item = (&'t str, &'t Tally)>) -> Vec<String> {
    let line = |(text, tally): (&str, &Tally)| {
        let Tally { matched, applied, not_applied, reasons } = tally;
        let mut line = format!("rule {text:?}: {} matched, applied to {applied}", Plural(*matched, "message"));
        if *not_applied > 0 {
            let why: Vec<String> = reasons.iter().map(|(why, count)| format!("{why} ({count})")).collect();
            line.push_str(&format!(", not applied to {not_applied}: {}", why.join("; ")));
        }
        let skipped = matched.saturating_sub(applied + not_applied);
        if skipped > 0 {
            line.push_str(&format!(", {skipped} skipped (by after, once or a share, or dropped by a later rule)"));
        }
        line
    };
    tallies.map(line).collect()
}

/// Returns the bounds that are violated.
pub fn broken<'t>(bounds: &[Bound], tallies: impl Iterator<Item = &'t Tally> + Clone) -> Vec<String> {
    if !bounds.is_empty() && tallies.clone().all(|tally| tally.matched == 0) {
        return vec!["--fail-on: no message matched a rule: there is no data to check".into()];
    }
    let line = |bound: &Bound| Some(format!("--fail-on {bound}: it is {}", bound.broken(tallies.clone())?));
    bounds.iter().filter_map(line).collect()
}

/// Returns a table of the requested and the measured impairments of each impaired direction. `None`: a timetable
/// requested different ones at different times.
pub fn asked_and_got(asked: &[Option<Impairments>; 2], counts: &Counts, measured: &[Measured; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    for &direction in Direction::ALL {
        let (asked, measured) = (&asked[direction.index()], &measured[direction.index()]);
        let Some(delays) = measured.delays().filter(|_| asked.as_ref().is_none_or(|asked| !asked.is_none())) else {
            continue;
        };
        if lines.is_empty() {
            lines.push(row("", ["loss", "run", "delay mean", "p50", "p99", "rate"].map(String::from)));
        }
        let name = direction.name();
        if let Some(asked) = asked {
            lines.push(row(&format!("{name:<4} asked"), cells_asked(asked)));
        }
        lines.push(row(
            &format!("{name:<4} got"),
            cells_got(&counts.directions[direction.index()], delays, measured.busiest()),
        ));
    }
    lines
}

/// Returns the status of a running relay in lines: what there is now, then the counts so far with the rates of the last seconds.
pub fn status(status: &Status) -> Vec<String> {
    let mut lines = summary(&status.counts, status.messages);
    for (line, rates) in lines.iter_mut().skip(1).zip(&status.rates) {
        let (arrived, sent, bits) = (rates.arrived, rates.passed, bits(rates.bytes * 8.0));
        line.push_str(&format!("; now {arrived:.1} packets/s ({bits}/s) in, {sent:.1} packets/s out"));
    }
    let clients = Plural(status.datagram_clients, "UDP client");
    let streams = Plural(status.streams, "stream");
    let queued = Plural(status.queued, "datagram");
    let (memory, waiting) = (status.queued_bytes, status.stream_bytes);
    lines.insert(
        0,
        format!(
            "status after {:.1} s: {clients} and {streams}; queued: {queued} ({memory} bytes of memory) and {} of \
             streams",
            status.elapsed.as_secs_f64(),
            Plural(waiting, "byte")
        ),
    );
    lines
}

fn row(name: &str, cells: [String; 6]) -> String {
    let [loss, run, mean, p50, p99, rate] = cells;
    format!("{name:<10} {loss:>7} {run:>5} {mean:>11} {p50:>11} {p99:>11} {rate:>12}")
}

fn cells_asked(asked: &Impairments) -> [String; 6] {
    let Delay { mean, p50, p99 } = asked.expected_delay();
    let loss = asked.loss.map_or(0.0, |loss| loss.share);
    let rate = asked.rate.map(|rate| bits(rate.bits as f64));
    let run = asked.expected_run().map(|run| format!("{run:.1}"));
    cells(loss, run, [mean, p50, p99], rate)
}

fn cells_got(counts: &DirectionCounts, delays: Delay, rate: Option<f64>) -> [String; 6] {
    // A packet that a rule dropped could not be lost.
    let loss = counts.lost as f64 / (counts.arrived - counts.dropped.min(counts.arrived)).max(1) as f64;
    let run = (counts.runs > 0).then(|| format!("{:.1}", counts.lost as f64 / counts.runs as f64));
    cells(loss, run, [delays.mean, delays.p50, delays.p99], rate.map(bits))
}

fn cells(loss: f64, run: Option<String>, delays: [Duration; 3], rate: Option<String>) -> [String; 6] {
    let [mean, p50, p99] = delays.map(|delay| format!("{:.1} ms", delay.as_secs_f64() * 1e3));
    let none = || "-".to_string();
    [format!("{:.2} %", loss * 100.0), run.unwrap_or_else(none), mean, p50, p99, rate.unwrap_or_else(none)]
}

/// Formats bits per second.
fn bits(bits: f64) -> String {
    match bits {
        b if b >= 1e9 => format!("{:.2} gbit", b / 1e9),
        b if b >= 1e6 => format!("{:.2} mbit", b / 1e6),
        b => format!("{:.1} kbit", b / 1e3),
    }
}
