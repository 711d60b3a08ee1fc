//! The tables of numbered messages, requests, pings, links and paths: a row for each direction of each
//! connection.

use super::directions::Sender;
use super::histogram::Delays;
use super::table::{Cell, Column, Shape, Table, column};

/// The columns that identify a row.
const KEYS: [Column<Sender>; 4] = [
    column("flow", |s| s.flow.into()),
    column("connection", |s| u64::from(s.connection).into()),
    column("proto", |s| s.proto.into()),
    column("from", |s| s.from.into()),
];

/// The figures of numbered messages.
pub const NUMBERED: [Column<Sender>; 25] = [
    column("messages", |s| s.tally.messages.into()),
    column("sent", |s| s.tally.sent.into()),
    column("resent", |s| s.tally.resent.into()),
    column("resent_share", |s| Cell::share(s.tally.resent, s.tally.sent)),
    column("duplicates", |s| s.tally.duplicates.into()),
    column("acked", |s| s.tally.acked.into()),
    column("given_up", |s| s.tally.given_up.into()),
    column("never_acked", |s| known(s.never_acked)),
    column("gaps", |s| s.tally.gaps.into()),
    column("missing", |s| s.tally.missing.into()),
    column("late", |s| s.tally.late.into()),
    column("lost", |s| known(s.lost)),
    column("handled_twice", |s| s.tally.handled_twice.into()),
    column("never_handled", |s| s.tally.never_handled.into()),
    column("lost_share", |s| s.lost.map_or(Cell::Null, |lost| Cell::share(lost, s.tally.messages + lost))),
    column("ack_p50", |s| percentile(&s.tally.ack, 50.0)),
    column("ack_p90", |s| percentile(&s.tally.ack, 90.0)),
    column("ack_p99", |s| percentile(&s.tally.ack, 99.0)),
    column("ack_max", |s| longest(&s.tally.ack)),
    column("ack_jitter", |s| Cell::millis(s.tally.ack.jitter())),
    column("rtt_p50", |s| percentile(&s.tally.rtt, 50.0)),
    column("rtt_p90", |s| percentile(&s.tally.rtt, 90.0)),
    column("rtt_p99", |s| percentile(&s.tally.rtt, 99.0)),
    column("rtt_max", |s| longest(&s.tally.rtt)),
    column("rtt_jitter", |s| Cell::millis(s.tally.rtt.jitter())),
];

/// The figures of requests.
pub const REQUESTS: [Column<Sender>; 9] = [
    column("requests", |s| s.tally.requests.into()),
    column("responses", |s| s.tally.responses.into()),
    column("unanswered", |s| known(s.unanswered)),
    column("unmatched", |s| s.tally.unmatched.into()),
    column("response_p50", |s| percentile(&s.tally.response, 50.0)),
    column("response_p90", |s| percentile(&s.tally.response, 90.0)),
    column("response_p99", |s| percentile(&s.tally.response, 99.0)),
    column("response_max", |s| longest(&s.tally.response)),
    column("response_jitter", |s| Cell::millis(s.tally.response.jitter())),
];

/// The figures of pings.
pub const PINGS: [Column<Sender>; 8] = [
    column("pings", |s| s.tally.pings.into()),
    column("pongs", |s| s.tally.pongs.into()),
    column("unmatched", |s| s.tally.stray_pongs.into()),
    column("ping_p50", |s| percentile(&s.tally.ping, 50.0)),
    column("ping_p90", |s| percentile(&s.tally.ping, 90.0)),
    column("ping_p99", |s| percentile(&s.tally.ping, 99.0)),
    column("ping_max", |s| longest(&s.tally.ping)),
    column("ping_jitter", |s| Cell::millis(s.tally.ping.jitter())),
];

/// The figures of paths.
pub const PATHS: [Column<Sender>; 6] = [
    column("loss", |s| loss(s, 0)),
    column("loss_low", |s| loss(s, 1)),
    column("loss_high", |s| loss(s, 2)),
    column("burst", |s| s.path.burst.map_or(Cell::Null, |burst| Cell::Real((burst * 10.0).round() / 10.0, 1))),
    column("delay_p50", |s| Cell::millis(s.path.delay)),
    column("jitter", |s| Cell::millis(s.path.jitter)),
];

fn loss(sender: &Sender, which: usize) -> Cell {
    sender.path.loss.map_or(Cell::Null, |loss| Cell::Share(loss[which]))
}

const LINKS: [Column<Sender>; 8] = [
    column("offered", |s| s.tally.offered.into()),
    column("accepted", |s| s.tally.accepted.into()),
    column("refused", |s| s.tally.refused.into()),
    column("ended", |s| s.tally.ended.into()),
    column("life_p50", |s| percentile(&s.tally.life, 50.0)),
    column("life_p90", |s| percentile(&s.tally.life, 90.0)),
    column("life_p99", |s| percentile(&s.tally.life, 99.0)),
    column("life_max", |s| longest(&s.tally.life)),
];

/// A count, or null.
fn known(count: Option<u64>) -> Cell {
    count.map_or(Cell::Null, Cell::from)
}

/// A percentile in milliseconds.
pub(crate) fn percentile(all: &Delays, percent: f64) -> Cell {
    Cell::millis(all.percentile(percent).map(|n| n as f64))
}

/// The longest delay in milliseconds.
pub(crate) fn longest(all: &Delays) -> Cell {
    Cell::millis(all.max().map(|n| n as f64))
}

fn table(
    senders: &[Sender],
    kind: &'static str,
    title: &'static str,
    columns: &[Column<Sender>],
    has: fn(&&Sender) -> bool,
) -> Table {
    let rows: Vec<&Sender> = senders.iter().filter(has).collect();
    Table::of(Shape { kind, title, keys: KEYS.len() }, &KEYS, &rows).with(columns, &rows)
}

/// Numbered messages of each direction.
pub fn delivery(senders: &[Sender]) -> Table {
    let title = "Numbered messages (delays and round trips in ms)";
    table(senders, "delivery", title, &NUMBERED, |s| s.tally.messages > 0)
}

/// Requests of each direction, and their response times.
pub fn requests(senders: &[Sender]) -> Table {
    let title = "Requests (times to their responses in ms)";
    table(senders, "request", title, &REQUESTS, |s| s.tally.requests + s.tally.responses + s.tally.unmatched > 0)
}

/// Pings and heartbeats of each direction, and their round trips.
pub fn pings(senders: &[Sender]) -> Table {
    let title = "Pings and heartbeats (round trips in ms)";
    table(senders, "ping", title, &PINGS, |s| s.tally.pings + s.tally.pongs + s.tally.stray_pongs > 0)
}

/// The path of each direction with an estimate.
pub fn paths(senders: &[Sender]) -> Table {
    let title = "Paths, estimated (delays above the shortest, in ms)";
    table(senders, "path", title, &PATHS, |s| s.path.loss.is_some() || s.path.delay.is_some())
}

/// Links that each side offered, those that it ended, and their lifetimes.
pub fn links(senders: &[Sender]) -> Table {
    table(senders, "link", "Links (lifetimes in ms)", &LINKS, |s| s.tally.offered + s.tally.ended > 0)
}
