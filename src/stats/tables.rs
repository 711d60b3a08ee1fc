//! The tables of a capture's statistics: messages, conversations, peers, seconds.

use super::table::{Cell, Shape, Table};
use super::{Flow, Kind, Stats};
use crate::flow::{End, Side};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

static MESSAGES: Shape = Shape {
    kind: "message",
    title: "Messages, most bytes first",
    keys: 2,
    columns: &[
        "proto",
        "message",
        "count",
        "faults",
        "share",
        "bytes",
        "bytes_share",
        "rate",
        "bytes_rate",
        "mean",
        "largest",
        "reliable",
    ],
};
static SCHEMAS: Shape = Shape {
    kind: "schema",
    title: "Payloads by schema, most bytes first",
    keys: 2,
    columns: &[
        "proto",
        "schema",
        "count",
        "share",
        "bytes",
        "bytes_share",
        "rate",
        "bytes_rate",
        "mean",
        "largest",
        "reliable",
    ],
};
static FLOWS: Shape = Shape {
    kind: "flow",
    title: "Conversations",
    keys: 1,
    columns: &[
        "flow",
        "proto",
        "version",
        "transport",
        "client",
        "server",
        "roles",
        "client_messages",
        "server_messages",
        "client_bytes",
        "server_bytes",
        "start",
        "duration",
        "end",
        "last_message",
    ],
};
static PEERS: Shape = Shape {
    kind: "peer",
    title: "Peers, most bytes first",
    keys: 1,
    columns: &[
        "peer",
        "flows",
        "messages_sent",
        "messages_received",
        "bytes_sent",
        "bytes_received",
        "bytes_rate_sent",
    ],
};
static SECONDS: Shape = Shape { kind: "second", title: "", keys: 1, columns: &["second", "messages", "bytes"] };
fn rate(n: u64, seconds: f64, digits: usize) -> Cell {
    // A single message, or several at the same time, have no rate.
    if seconds > 0.0 { Cell::Real(round(n as f64 / seconds, 6), digits) } else { Cell::Null }
}

fn round(x: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (x * unit).round() / unit
}

/// A fraction, if the whole is not 0.
pub fn share(part: u64, whole: u64) -> Cell {
    if whole > 0 { Cell::Share(round(part as f64 / whole as f64, 6)) } else { Cell::Null }
}

/// The column of faults in the row of a kind of message.
const FAULTS: usize = 3;

fn kind_row(proto: &str, name: &str, kind: &Kind, stats: &Stats) -> Vec<Cell> {
    let seconds = stats.duration();
    vec![
        proto.into(),
        name.into(),
        kind.count.into(),
        kind.faults.into(),
        share(kind.count, stats.messages),
        kind.bytes.into(),
        share(kind.bytes, stats.bytes),
        rate(kind.count, seconds, 1),
        rate(kind.bytes, seconds, 0),
        Cell::Real(round(kind.bytes as f64 / kind.count.max(1) as f64, 3), 1),
        kind.largest.into(),
        kind.reliable.into(),
    ]
}

type MessageTable = FxHashMap<(&'static str, &'static str), Kind>;

/// The kinds, in order of their bytes.
pub fn sorted(kinds: &MessageTable) -> Vec<((&'static str, &'static str), &Kind)> {
    let mut list: Vec<_> = kinds.iter().map(|(name, kind)| (*name, kind)).collect();
    list.sort_by(|(a, x), (b, y)| y.bytes.cmp(&x.bytes).then(a.cmp(b)));
    list
}

/// By protocol and message name, most bytes first.
pub fn messages(stats: &Stats) -> Table {
    let mut table = Table::new(&MESSAGES);
    table.rows = sorted(&stats.kinds).into_iter().map(|((p, m), kind)| kind_row(p, m, kind, stats)).collect();
    table
}

/// By schema message; the bytes are those of payloads. Faults are counted for the carrying
/// messages.
pub fn schemas(stats: &Stats) -> Table {
    let mut table = Table::new(&SCHEMAS);
    for ((proto, name), kind) in sorted(&stats.schemas) {
        let mut row = kind_row(proto, name, kind, stats);
        row.remove(FAULTS);
        table.rows.push(row);
    }
    table
}

/// The client's side of a conversation; the first sender's if that is not known.
pub fn client(flow: &Flow) -> Side {
    flow.server.map_or(Side::A, Side::other)
}

fn end_name(end: Option<End>) -> &'static str {
    match end {
        Some(End::Fin) => "fin",
        Some(End::Rst) => "rst",
        Some(End::Reused) => "reused",
        Some(End::Evicted) => "evicted",
        Some(End::Capture) | None => "capture",
    }
}

/// The conversations.
pub fn flows(stats: &Stats) -> Table {
    let mut table = Table::new(&FLOWS);
    for flow in &stats.flows {
        let client = client(flow);
        let (c, s) = (client.index(), client.other().index());
        let start = stats.first.map_or(0, |first| flow.first.since(first));
        table.rows.push(vec![
            flow.id.into(),
            flow.proto.into(),
            flow.version.map_or(Cell::Null, Cell::from),
            flow.transport.name().into(),
            end_text(flow, client),
            end_text(flow, client.other()),
            if flow.server.is_some() { "known" } else { "unknown" }.into(),
            flow.messages[c].into(),
            flow.messages[s].into(),
            flow.bytes[c].into(),
            flow.bytes[s].into(),
            seconds(start),
            seconds(flow.last.since(flow.first)),
            end_name(flow.end).into(),
            flow.last_message.into(),
        ]);
    }
    table
}

fn seconds(nanos: i128) -> Cell {
    Cell::Real(nanos as f64 / 1e9, 3)
}

/// `ADDR:PORT` of a side.
pub fn end_text(flow: &Flow, side: Side) -> Cell {
    flow.ends.map_or(Cell::Null, |ends| Cell::Text(ends[side.index()].to_string()))
}

/// By end of the conversations, most bytes first.
pub fn peers(stats: &Stats) -> Table {
    let mut table = Table::new(&PEERS);
    let mut peers: FxHashMap<SocketAddr, [u64; 5]> = FxHashMap::default();
    for flow in &stats.flows {
        for (side, end) in Side::BOTH.into_iter().zip(flow.ends.into_iter().flatten()) {
            let (own, other) = (side.index(), side.other().index());
            let add = [1, flow.messages[own], flow.messages[other], flow.bytes[own], flow.bytes[other]];
            peers.entry(end).or_default().iter_mut().zip(add).for_each(|(sum, n)| *sum += n);
        }
    }
    let mut list: Vec<_> = peers.into_iter().collect();
    list.sort_by_key(|(end, n)| (std::cmp::Reverse(n[3] + n[4]), *end));
    for (end, n) in list {
        let mut row = vec![Cell::Text(end.to_string())];
        row.extend(n.map(Cell::Int));
        row.push(rate(n[3], stats.duration(), 0));
        table.rows.push(row);
    }
    table
}

/// Over time: a row per second, or longer steps if the capture is longer than a day.
pub fn seconds_table(stats: &Stats) -> Table {
    let mut table = Table::new(&SECONDS);
    let width = (stats.seconds.width() / 1_000_000_000) as u64;
    for (k, step) in stats.seconds.steps().iter().enumerate() {
        table.rows.push(vec![(k as u64 * width).into(), step.messages.into(), step.bytes.into()]);
    }
    table
}
