//! Figures of live input as snapshots: `netkit top`.
//!
//! The counters are those of [`Stats`], with its bounds. Each snapshot stores the counters, so that the rates of the
//! next one are those of the time between the two.

mod screen;

use super::connections::percentile;
use super::ends::{self, Ended};
use super::histogram::Delays;
use super::order::compare;
use super::sides::{client, end_text};
use super::table::{Cell, Column, Shape, Table, column};
use super::{Stats, Wanted};
use crate::capture::Time;
use crate::dissect::{Message, Options, Sink};
use crate::flow::{Closing, End, Side};
use crate::printable::Printable;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

pub use screen::Scroll;

/// A kind of message.
struct Seen {
    name: (&'static str, &'static str),
    rates: [f64; 2],
    counts: [u64; 2],
    faults: u64,
}

const MESSAGES: [Column<Seen>; 7] = [
    column("proto", |seen| seen.name.0.into()),
    column("message", |seen| seen.name.1.into()),
    column("message_rate", |seen| Cell::Real(seen.rates[0], 1)),
    column("byte_rate", |seen| Cell::Real(seen.rates[1], 0)),
    column("messages", |seen| seen.counts[0].into()),
    column("bytes", |seen| seen.counts[1].into()),
    column("faults", |seen| seen.faults.into()),
];

/// A conversation.
struct Conversation {
    flow: super::Flow,
    rates: [f64; 2],
    counts: [u64; 2],
    path: Path,
    idle: Option<f64>,
    ended: Option<Ended>,
}

const FLOWS: [Column<Conversation>; 15] = [
    column("flow", |c| c.flow.id.into()),
    column("proto", |c| c.flow.proto.into()),
    column("client", |c| end_text(&c.flow, client(&c.flow))),
    column("server", |c| end_text(&c.flow, client(&c.flow).other())),
    column("message_rate", |c| Cell::Real(c.rates[0], 1)),
    column("byte_rate", |c| Cell::Real(c.rates[1], 0)),
    column("messages", |c| c.counts[0].into()),
    column("bytes", |c| c.counts[1].into()),
    column("client_rtt_p50", |c| c.path.round_trip(client(&c.flow))),
    column("server_rtt_p50", |c| c.path.round_trip(client(&c.flow).other())),
    column("resent_share", |c| Cell::share(c.path.resent, c.path.sent)),
    column("lost_share", |c| c.path.lost.map_or(Cell::Null, |lost| Cell::share(lost, c.path.messages + lost))),
    column("idle", |c| c.idle.map_or(Cell::Null, |idle| Cell::Real(idle, 1))),
    column("end", |c| ends::outcome(c.ended.as_ref())),
    column("end_by", |c| ends::by(c.ended.as_ref(), &c.flow)),
];
/// The columns by which the tables may be sorted: each table has some of them.
pub const SORTS: [&str; 10] = [
    "byte_rate",
    "message_rate",
    "messages",
    "bytes",
    "faults",
    "client_rtt_p50",
    "server_rtt_p50",
    "resent_share",
    "lost_share",
    "idle",
];

/// Counts messages, and stores the counters of the last snapshot.
#[derive(Debug)]
pub struct Top {
    stats: Stats,
    /// The number of messages and bytes in the last snapshot: all, by message, by conversation.
    all: [u64; 2],
    kinds: FxHashMap<(&'static str, &'static str), [u64; 2]>,
    flows: FxHashMap<u64, [u64; 2]>,
}

impl Top {
    /// No counts yet. `options` are those with which the input is read; `selected`: only some messages are counted, so
    /// that the ends of connections are not known.
    pub fn new(options: &Options, selected: bool) -> Top {
        let stats = Stats { selected, ..Stats::new(options, Wanted::default()) };
        Top { stats, all: [0; 2], kinds: FxHashMap::default(), flows: FxHashMap::default() }
    }

    /// The traffic of the `seconds` since the last snapshot.
    pub fn look(&mut self, seconds: f64) -> Look {
        let look = self.made(seconds, false);
        self.all = [self.stats.messages, self.stats.bytes];
        self.kinds = self.stats.kinds.iter().map(|(name, kind)| (*name, [kind.count, kind.bytes])).collect();
        self.flows = self.stats.flows.iter().map(|flow| (flow.id, sums(flow))).collect();
        look
    }

    /// The whole traffic at the end of the input, by the capture's own clock.
    pub fn end(&mut self) -> Look {
        self.all = [0; 2];
        self.kinds.clear();
        self.flows.clear();
        self.made(self.stats.duration(), true)
    }

    fn made(&self, seconds: f64, last: bool) -> Look {
        let stats = &self.stats;
        let rate = |now: u64, before: u64, unit: f64| match seconds > 0.0 {
            true => ((now.saturating_sub(before)) as f64 / seconds * unit).round() / unit,
            false => 0.0,
        };
        let rates = |now: [u64; 2], before: [u64; 2]| [rate(now[0], before[0], 10.0), rate(now[1], before[1], 1.0)];
        let kinds = stats.kinds.iter().map(|(name, kind)| {
            let counts = [kind.count, kind.bytes];
            let rates = rates(counts, self.kinds.get(name).copied().unwrap_or_default());
            Seen { name: *name, rates, counts, faults: kind.faults }
        });
        let mut messages =
            Table::of(Shape { kind: "message", title: "", keys: 2 }, &MESSAGES, &kinds.collect::<Vec<_>>());
        let mut paths: FxHashMap<u64, Path> = FxHashMap::default();
        for connection in stats.delivery.iter() {
            let path = paths.entry(connection.flow).or_default();
            for (direction, trips) in connection.directions.iter().zip(&mut path.trips) {
                let own = [&direction.tally.rtt, &direction.tally.ping, &direction.tally.response];
                trips.iter_mut().zip(own).for_each(|(all, own)| all.merge(own));
                path.resent += direction.tally.resent;
                path.sent += direction.tally.sent;
                if !stats.selected {
                    *path.lost.get_or_insert_default() += direction.lost();
                }
                path.messages += direction.tally.messages;
            }
        }
        let flows = stats.flows.iter().map(|flow| {
            let counts = sums(flow);
            let idle = stats.last.map(|last| (last.since(flow.last).max(0) as f64 / 1e8).round() / 10.0);
            let rates = rates(counts, self.flows.get(&flow.id).copied().unwrap_or_default());
            let (path, ended) =
                (paths.remove(&flow.id).unwrap_or_default(), stats.last_end(flow).filter(Ended::is_over));
            Conversation { flow: flow.clone(), rates, counts, path, idle, ended }
        });
        let mut flows = Table::of(Shape { kind: "flow", title: "", keys: 1 }, &FLOWS, &flows.collect::<Vec<_>>());
        // Maps have no order; every snapshot needs one.
        for table in [&mut messages, &mut flows] {
            let keys = table.shape.keys;
            table.rows.sort_by(|a, b| compare(&a[..keys], &b[..keys]));
        }
        let totals = [stats.messages, stats.bytes, stats.faults, stats.flows.len() as u64];
        let rates = [rate(totals[0], self.all[0], 10.0), rate(totals[1], self.all[1], 1.0)];
        Look { seconds, last, totals, rates, time: stats.last, duration: stats.duration(), messages, flows }
    }
}

impl Sink for Top {
    fn message(&mut self, message: &Message<'_>) {
        self.stats.message(message);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.stats.ended(flow, how);
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        self.stats.direction_ended(flow, side, why);
    }
}

fn sums(flow: &super::Flow) -> [u64; 2] {
    [flow.messages.iter().sum(), flow.bytes.iter().sum()]
}

/// The path figures of a conversation's connections.
#[derive(Default)]
struct Path {
    /// By side: delays of messages that were sent once, of pings, of requests.
    trips: [[Delays; 3]; 2],
    messages: u64,
    sent: u64,
    resent: u64,
    /// `None` if only selected messages are counted.
    lost: Option<u64>,
}

impl Path {
    /// The median round trip of this side's acknowledged messages, else of its pings, else of its requests.
    fn round_trip(&self, side: Side) -> Cell {
        let trips = &self.trips[side.index()];
        trips.iter().find(|trips| trips.count() > 0).map_or(Cell::Null, |trips| percentile(trips, 50.0))
    }
}

/// A snapshot of the figures.
#[derive(Debug)]
pub struct Look {
    /// The time in seconds that the rates cover.
    pub seconds: f64,
    /// Whether the input has ended, so that the rates cover all of it.
    pub last: bool,
    /// The totals of messages, bytes, faults, conversations.
    totals: [u64; 4],
    /// The messages and bytes per second.
    rates: [f64; 2],
    /// The time of the last message.
    time: Option<Time>,
    /// The time from the first message to the last, in seconds.
    duration: f64,
    messages: Table,
    flows: Table,
}

impl Look {
    /// Sorts the rows: the largest first, unknown values last; tables without this column by their byte rates.
    pub fn sort(&mut self, column: &str) {
        for table in [&mut self.messages, &mut self.flows] {
            let place = |name: &str| table.place(name);
            let Some(by) = place(column).or_else(|| place("byte_rate")) else { continue };
            let (keys, bytes) = (table.shape.keys, place("bytes").unwrap_or(by));
            table.rows.sort_by(|a, b| compare(&a[..keys], &b[..keys]));
            // Equal rows, as during a pause, are sorted by all their bytes.
            table.rows.sort_by(|a, b| compare(&b[bytes..=bytes], &a[bytes..=bytes]));
            let unknown = |row: &[Cell]| row[by] == Cell::Null;
            table.rows.sort_by(|a, b| unknown(a).cmp(&unknown(b)).then_with(|| compare(&b[by..=by], &a[by..=by])));
        }
    }

    /// The snapshot for programs: an object in one line.
    pub fn ndjson(&self, stopped: bool, out: &mut Vec<u8>) {
        let mut text = String::from("{");
        let [messages, bytes, faults, flows] = self.totals;
        let _ = match self.time {
            Some(time) => write!(text, "\"time\":{time}"),
            None => write!(text, "\"time\":null"),
        };
        let _ = write!(
            text,
            ",\"seconds\":{:.3},\"messages\":{messages},\"bytes\":{bytes},\"message_rate\":{},\"byte_rate\":{},\
             \"faults\":{faults},\"conversations\":{flows}",
            self.seconds, self.rates[0], self.rates[1]
        );
        if self.last {
            text.push_str(",\"last\":true");
        }
        if stopped {
            text.push_str(",\"stopped\":true");
        }
        out.extend_from_slice(text.as_bytes());
        for table in [&self.messages, &self.flows] {
            out.extend_from_slice(format!(",\"{}\":[", table.shape.kind).as_bytes());
            for (k, row) in table.rows.iter().enumerate() {
                out.extend((k > 0).then_some(b','));
                table.row_json(row, false, out);
            }
            out.push(b']');
        }
        out.extend_from_slice(b"}\n");
    }

    /// The snapshot for pipes: a line for each row, `KIND NAME=VALUE..`, and an empty line at the end.
    pub fn lines(&self, out: &mut String) {
        let [messages, bytes, faults, flows] = self.totals;
        let word = if self.last { "end" } else { "look" };
        let time = self.time.map_or("-".into(), |time| time.to_string());
        let _ = writeln!(
            out,
            "{word} time={time} seconds={:.3} message_rate={} byte_rate={} messages={messages} bytes={bytes} faults={faults} \
             conversations={flows}",
            self.seconds, self.rates[0], self.rates[1]
        );
        for table in [&self.messages, &self.flows] {
            for row in &table.rows {
                out.push_str(table.shape.kind);
                for (figure, cell) in table.columns.iter().zip(row) {
                    let name = figure.name;
                    let _ = match cell {
                        Cell::Null => write!(out, " {name}=-"),
                        Cell::Text(text) => write!(out, " {name}={}", Printable(text.replace(' ', "_"))),
                        Cell::Flag(yes) => write!(out, " {name}={yes}"),
                        cell => write!(out, " {name}={}", cell.printed().unwrap_or(f64::NAN)),
                    };
                }
                out.push('\n');
            }
        }
        out.push('\n');
    }
}
