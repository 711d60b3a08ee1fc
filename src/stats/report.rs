//! Reports: the selection of tables, and their output formats.

use super::connections::{delivery, links, paths, pings, requests};
use super::directions::senders;
use super::table::{Cell, Table};
use super::tables::{flows, messages, peers, schemas, seconds_table, streams};
use super::timeline::{STEPS, blocks, step_text};
use super::{Stats, aligned, ends, protocol_of, rows, verdicts, when};
use crate::codec::json::text::string;
use crate::plural::Plural;
use crate::printable::Printable;
use crate::render::palette::{COLOURS, PLAIN};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::str::FromStr;
use unicode_width::UnicodeWidthStr;

/// The width of a chart if there is no terminal.
const WIDTH: usize = 72;
/// The cap on conversations in the overview of text output.
const FLOWS: usize = 20;

/// The selected report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// All tables except for seconds and peers.
    All,
    /// Numbered messages, requests, pings and links.
    Delivery,
    /// Messages by protocol and name, and by schema message.
    Message,
    /// Conversations.
    Flow,
    /// Peers: the endpoints of the conversations.
    Peer,
    /// Seconds.
    Second,
}

impl FromStr for Report {
    type Err = String;

    fn from_str(text: &str) -> Result<Report, String> {
        Ok(match text {
            "message" => Report::Message,
            "flow" => Report::Flow,
            "peer" => Report::Peer,
            "second" => Report::Second,
            _ => return Err("expected message, flow, peer or second (a field only with --track)".into()),
        })
    }
}

impl Report {
    pub(super) fn tables(self, stats: &Stats) -> Vec<Table> {
        match self {
            Report::All => {
                let senders = senders(stats);
                vec![
                    messages(stats),
                    schemas(stats),
                    flows(stats),
                    ends::table(stats),
                    delivery(&senders),
                    requests(&senders),
                    pings(&senders),
                    links(&senders),
                    paths(&senders),
                    streams(stats),
                ]
            }
            Report::Delivery => {
                let senders = senders(stats);
                let waits = [delivery(&senders), requests(&senders), pings(&senders), links(&senders)];
                [ends::table(stats)]
                    .into_iter()
                    .chain(waits)
                    .chain([paths(&senders), streams(stats), when::times(stats)])
                    .collect()
            }
            Report::Message => vec![messages(stats), schemas(stats)],
            Report::Flow => vec![flows(stats), ends::table(stats)],
            Report::Peer => vec![peers(stats)],
            Report::Second => vec![seconds_table(stats)],
        }
    }

    /// Checks that the table has the column by which it is to be sorted.
    ///
    /// # Errors
    /// An unknown column, with the nearest name and all names.
    pub fn check(self, stats: &Stats) -> Result<(), String> {
        self.tables(stats).first().map_or(Ok(None), |table| stats.order.column(table)).map(drop)
    }

    /// The tables in the requested order, each with the number of rows that are omitted. Of the ends of connections,
    /// those of the conversations shown.
    fn ordered(self, stats: &Stats) -> Vec<(Table, usize)> {
        let flow = |row: &Vec<Cell>| row.first().and_then(Cell::count);
        let mut tables: Vec<(Table, usize)> = Vec::new();
        for mut table in self.tables(stats) {
            let omitted = match tables.first() {
                Some((flows, _)) if self == Report::Flow => {
                    let shown: FxHashSet<_> = flows.rows.iter().filter_map(flow).collect();
                    table.rows.retain(|row| flow(row).is_some_and(|flow| shown.contains(&flow)));
                    0
                }
                _ => stats.order.arrange(&mut table),
            };
            tables.push((table, omitted));
        }
        tables
    }

    /// Text output: an overview, a chart if everything is reported, the tables.
    pub fn text(self, stats: &Stats, name: &str, width: Option<usize>, colour: bool, out: &mut Vec<u8>) {
        let palette = if colour { &COLOURS } else { &PLAIN };
        let mut text = String::new();
        overview(stats, name, width, &mut text);
        if matches!(self, Report::All | Report::Delivery) {
            verdicts::text(stats, width, palette, &mut text);
        }
        if self == Report::All && stats.duration() > 0.0 {
            text.push('\n');
            let before = text.len();
            chart(stats, width.unwrap_or(WIDTH), &mut text);
            paint(&mut text, before, palette.hex, palette.reset);
        }
        // With one connection each, the table of conversations has the same ends. Column 1 is the connection's number.
        let is_first = |row: &Vec<Cell>| row.get(1) == Some(&Cell::Int(1));
        let is_redundant = |t: &Table| t.rows.is_empty() || t.shape.kind == "end" && t.rows.iter().all(is_first);
        for (mut table, omitted) in self.ordered(stats).into_iter().filter(|(t, _)| !is_redundant(t)) {
            text.push('\n');
            let more = match self {
                Report::All if table.shape.kind != "message" => table.rows.len().saturating_sub(FLOWS),
                _ => 0,
            };
            table.rows.truncate(table.rows.len() - more);
            aligned::text(&table, width, colour, &mut text);
            if more > 0 {
                let all = match table.shape.kind {
                    "schema" => "--by message",
                    "flow" | "end" => "--by flow",
                    _ => "--delivery",
                };
                let _ = writeln!(text, "and {more} more ({all})");
            } else if omitted > 0 {
                let _ = writeln!(text, "and {omitted} more");
            }
        }
        if self == Report::Delivery {
            when::axis(stats, width.unwrap_or(WIDTH), &mut text);
        }
        if self == Report::Delivery && stats.delivery.iter().next().is_none() {
            text.push_str("\nno numbered messages, requests, pings or links\n");
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// Every row as a JSON object, with the kind of table under `by`.
    pub fn ndjson(self, stats: &Stats, out: &mut Vec<u8>) {
        self.ordered(stats).iter().for_each(|(table, _)| table.ndjson(out));
    }

    /// Separated values of the first table with rows, or else of the first table; of the whole report, the messages.
    ///
    /// # Errors
    /// An unknown column.
    pub fn separated(
        self,
        stats: &Stats,
        separator: char,
        columns: &[String],
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let tables = self.ordered(stats);
        let mut text = String::new();
        let mut figures = tables.iter().map(|(table, _)| table).filter(|t| t.shape.kind != "end");
        let first = figures.clone().next();
        if let Some(table) = figures.find(|t| !t.rows.is_empty()).or(first) {
            table.separated(separator, columns, &mut text)?;
        }
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// One JSON object: the sums, and the tables by kind; for deliveries, every message.
    pub fn json(self, stats: &Stats, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"capture\":");
        string(name.as_bytes(), out);
        // Writing to memory cannot fail, here and below.
        let _ = write!(
            out,
            ",\"messages\":{},\"bytes\":{},\"faults\":{},\"warnings\":{},\"conversations\":{}",
            stats.messages,
            stats.bytes,
            stats.faults,
            stats.warnings,
            stats.flows.len()
        );
        if let Some(first) = stats.first {
            let _ = write!(out, ",\"start\":{first},\"duration\":{}", stats.duration());
        }
        let omitted = [
            ("unlisted_messages", stats.unlisted),
            ("omitted_sent", stats.delivery.omitted),
            ("omitted_ends", stats.omitted_ends),
        ];
        for (key, n) in omitted {
            if n > 0 {
                let _ = write!(out, ",\"{key}\":{n}");
            }
        }
        if stats.stopped {
            out.extend_from_slice(b",\"stopped\":true");
        }
        let _ = write!(out, ",\n\"account\":{}", stats.account.json());
        if matches!(self, Report::All | Report::Delivery) {
            let _ = write!(out, ",\n\"verdicts\":{}", verdicts::array(stats));
        }
        let tables = self.ordered(stats);
        let omitted: usize = tables.iter().map(|(_, omitted)| omitted).sum();
        if omitted > 0 {
            let _ = write!(out, ",\n\"omitted_rows\":{omitted}");
        }
        for (table, _) in tables {
            let _ = write!(out, ",\n\"{}\":", table.shape.kind);
            table.json(out);
        }
        if self == Report::Delivery {
            out.extend_from_slice(b",\n\"connections\":[");
            for (k, connection) in stats.delivery.iter().enumerate() {
                out.extend_from_slice(if k == 0 { b"\n" } else { b",\n" });
                rows::connection(stats, connection, out);
            }
            out.push(b']');
        }
        if self == Report::All {
            let steps = stats.chart.steps();
            let list = |n: fn(&super::timeline::Bucket) -> u64| {
                steps.iter().map(|s| n(s).to_string()).collect::<Vec<_>>().join(",")
            };
            let _ = write!(
                out,
                ",\n\"timeline\":{{\"width\":{},\"messages\":[{}],\"bytes\":[{}]}}",
                stats.chart.width() as f64 / 1e9,
                list(|s| s.messages),
                list(|s| s.bytes)
            );
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Colours every line from `start` on.
fn paint(text: &mut String, start: usize, colour: &str, reset: &str) {
    if colour.is_empty() {
        return;
    }
    let plain = text.split_off(start);
    for line in plain.lines() {
        // Writing to a string cannot fail.
        let _ = if line.is_empty() { writeln!(text) } else { writeln!(text, "{colour}{line}{reset}") };
    }
}

/// The protocols with messages, each with a comma: `riptide, `.
fn protocols(stats: &Stats) -> String {
    let mut names: Vec<&str> = stats.kinds.keys().map(|(line, _)| protocol_of(line, &stats.registry)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("{name}, ")).collect()
}

impl Stats {
    /// The sums as text: protocols, number of messages, bytes, and more.
    pub fn sums(&self) -> String {
        let mut line =
            format!("{}{}, {}", protocols(self), Plural(self.messages, "message"), Plural(self.bytes, "byte"));
        // Hex text has neither times nor conversations. Writing to a string cannot fail.
        if !self.flows.is_empty() {
            let _ = write!(line, ", {:.3} s, {}", self.duration(), Plural(self.flows.len(), "conversation"));
        }
        if self.faults > 0 {
            let _ = write!(line, ", {}", Plural(self.faults, "fault"));
        }
        if self.warnings > 0 {
            let _ = write!(line, ", {} with warnings", Plural(self.warnings, "message"));
        }
        line
    }
}

fn overview(stats: &Stats, name: &str, width: Option<usize>, text: &mut String) {
    let (sums, width) = (stats.sums(), width.unwrap_or(usize::MAX));
    let name = &Printable(name).to_string();
    if name.width() + 2 + sums.width() <= width {
        let _ = writeln!(text, "{name}: {sums}");
    } else {
        let _ = write!(text, "{name}:");
        let mut column = width;
        for part in sums.split_inclusive(", ") {
            if column + part.trim_end().width() > width {
                text.truncate(text.trim_end().len());
                text.push_str("\n  ");
                column = 2;
            }
            text.push_str(part);
            column += part.width();
        }
        text.push('\n');
    }
    for line in omissions(stats) {
        let _ = writeln!(text, "{line}");
    }
}

/// Returns what the tables leave out because there is too much of it, one sentence each.
pub fn omissions(stats: &Stats) -> Vec<String> {
    let mut list = Vec::new();
    if stats.unlisted > 0 {
        let messages = Plural(stats.unlisted, "message");
        list.push(format!("not listed: {messages} of conversations after the first {}", stats.flows.len()));
    }
    if stats.delivery.summed {
        list.push(format!("connections after the first {}: only sums are kept", super::delivery::CONNECTIONS));
    }
    if stats.omitted_ends > 0 {
        list.push(format!("not listed: the ends of {}", Plural(stats.omitted_ends, "earlier connection")));
    }
    list
}

fn chart(stats: &Stats, width: usize, text: &mut String) {
    let columns = stats.chart.columns(width);
    // Steps without messages are blank.
    let seen: Vec<f64> = columns.iter().map(|n| if *n > 0.0 { *n } else { f64::NAN }).collect();
    let _ = writeln!(text, "{}", blocks(&seen, 0.0));
    // The maximum is of round steps, which do not depend on the chart's width.
    let (most, step) = stats.chart.busiest(STEPS);
    let _ = writeln!(text, "messages over {:.3} s; at most {most} in {}", stats.duration(), step_text(step));
}
