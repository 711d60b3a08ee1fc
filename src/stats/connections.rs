//! The tables of numbered messages, requests and links: a row for each direction of each
//! connection.

use super::Stats;
use super::delivery::{Connection, Direction};
use super::histogram::Delays;
use super::table::{Cell, Shape, Table};
use super::tables::{client, share};
use crate::flow::Side;

/// The percentiles of delays in the tables, beside the maximum.
const PERCENTILES: [f64; 3] = [50.0, 90.0, 99.0];

static DELIVERY: Shape = Shape {
    kind: "delivery",
    title: "Numbered messages (delays and round trips in ms)",
    keys: 4,
    columns: &[
        "flow",
        "connection",
        "proto",
        "from",
        "messages",
        "copies",
        "resent",
        "resent_share",
        "duplicates",
        "given_up",
        "never_acked",
        "gaps",
        "missing",
        "late",
        "lost",
        "handled_twice",
        "never_handled",
        "lost_share",
        "ack_p50",
        "ack_p90",
        "ack_p99",
        "ack_max",
        "ack_jitter",
        "rtt_p50",
        "rtt_p90",
        "rtt_p99",
        "rtt_max",
        "rtt_jitter",
    ],
};
static REQUESTS: Shape = Shape {
    kind: "request",
    title: "Requests (times to their answers in ms)",
    keys: 4,
    columns: &[
        "flow",
        "connection",
        "proto",
        "from",
        "requests",
        "answers",
        "unanswered",
        "unmatched",
        "p50",
        "p90",
        "p99",
        "max",
        "jitter",
    ],
};
static LINKS: Shape = Shape {
    kind: "link",
    title: "Links (lives in ms)",
    keys: 4,
    columns: &[
        "flow",
        "connection",
        "proto",
        "from",
        "offered",
        "accepted",
        "refused",
        "ended",
        "life_p50",
        "life_p90",
        "life_p99",
        "life_max",
    ],
};

fn delays(all: &Delays, row: &mut Vec<Cell>) {
    row.extend(PERCENTILES.map(|p| Cell::millis(all.percentile(p).map(|n| n as f64))));
    row.push(Cell::millis(all.max().map(|n| n as f64)));
    row.push(Cell::millis(all.jitter()));
}

/// The directions of all connections: the connection, the sender's role, the figures.
pub fn directions(stats: &Stats) -> impl Iterator<Item = (&Connection, &'static str, &Direction)> {
    stats.delivery.iter().flat_map(|connection| {
        let flow = stats.flow(connection.flow);
        let first = flow.map_or(Side::A, client);
        [first, first.other()].map(|side| {
            let role = match flow.and_then(|f| f.server) {
                Some(server) if server == side => "server",
                Some(_) => "client",
                None if side == Side::A => "first",
                None => "second",
            };
            (connection, role, &connection.directions[side.index()])
        })
    })
}

/// The key columns: the connection, and the sender's role.
fn key_cells(stats: &Stats, connection: &Connection, role: &str) -> Vec<Cell> {
    let proto = stats.flow(connection.flow).map_or("", |f| f.proto);
    vec![connection.flow.into(), Cell::Int(connection.ordinal as u64), proto.into(), role.into()]
}

/// Numbered messages of each direction. Times in milliseconds.
pub fn delivery(stats: &Stats) -> Table {
    let mut table = Table::new(&DELIVERY);
    for (connection, role, d) in directions(stats).filter(|(.., d)| d.messages > 0) {
        let mut row = key_cells(stats, connection, role);
        row.extend([d.messages, d.copies, d.resent].map(Cell::Int));
        row.push(share(d.resent, d.copies));
        let counts = [d.duplicates, d.given_up(), d.never_acked(), d.gaps, d.missing, d.late, d.lost()];
        row.extend(counts.into_iter().chain([d.handled_twice, d.never_handled]).map(Cell::Int));
        row.push(share(d.lost(), d.messages + d.lost()));
        delays(&d.ack_delay, &mut row);
        delays(&d.round_trip, &mut row);
        table.rows.push(row);
    }
    table
}

/// Requests of each direction, and how long their answers took in milliseconds.
pub fn requests(stats: &Stats) -> Table {
    let mut table = Table::new(&REQUESTS);
    for (connection, role, d) in directions(stats).filter(|(.., d)| d.requests + d.answers + d.unmatched > 0) {
        let mut row = key_cells(stats, connection, role);
        row.extend([d.requests, d.answers, d.unanswered(), d.unmatched].map(Cell::Int));
        delays(&d.answer_time, &mut row);
        table.rows.push(row);
    }
    table
}

/// Links that each side offered, those it ended, and how long these lived in milliseconds.
pub fn links(stats: &Stats) -> Table {
    let mut table = Table::new(&LINKS);
    for (connection, role, d) in directions(stats).filter(|(.., d)| d.offered + d.ended > 0) {
        let mut row = key_cells(stats, connection, role);
        row.extend([d.offered, d.accepted, d.refused, d.ended].map(Cell::Int));
        delays(&d.life, &mut row);
        row.pop();
        table.rows.push(row);
    }
    table
}
