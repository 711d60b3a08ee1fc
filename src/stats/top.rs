//! Figures of input that goes on, look by look: `netkit top`.
//!
//! The counters are those of [`Stats`], with its bounds; a look remembers what there was at the one
//! before, so that rates are those of the time between the two.

use super::aligned::fitted;
use super::connections::percentile;
use super::groups::compare;
use super::histogram::Delays;
use super::sides::{client, end_text};
use super::table::{Cell, Column, Shape, Table, column};
use super::{Stats, Wanted};
use crate::capture::Time;
use crate::dissect::{Message, Options, Sink};
use crate::flow::{Closing, Side};
use crate::plural::Plural;
use crate::printable::Printable;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

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
}

const FLOWS: [Column<Conversation>; 13] = [
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
    column("lost_share", |c| Cell::share(c.path.lost, c.path.messages + c.path.lost)),
    column("idle", |c| c.idle.map_or(Cell::Null, |idle| Cell::Real(idle, 1))),
];
/// What a narrow terminal gives up first.
const SPARE: [&str; 12] = [
    "idle",
    "bytes",
    "proto",
    "client",
    "messages",
    "faults",
    "lost_share",
    "server",
    "byte_rate",
    "resent_share",
    "server_rtt_p50",
    "client_rtt_p50",
];

/// The columns that the tables may be sorted by: each has some of them.
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

/// Counts messages, and remembers what there was at the last look.
#[derive(Debug)]
pub struct Top {
    stats: Stats,
    /// Messages and bytes: all, by message, by conversation.
    all: [u64; 2],
    kinds: FxHashMap<(&'static str, &'static str), [u64; 2]>,
    flows: FxHashMap<u64, [u64; 2]>,
}

impl Top {
    /// Without any counts. `options` are those with which the input is read.
    pub fn new(options: &Options) -> Top {
        let stats = Stats::new(options, Wanted::default());
        Top { stats, all: [0; 2], kinds: FxHashMap::default(), flows: FxHashMap::default() }
    }

    /// What came in the `seconds` since the last look.
    pub fn look(&mut self, seconds: f64) -> Look {
        let look = self.made(seconds, false);
        self.all = [self.stats.messages, self.stats.bytes];
        self.kinds = self.stats.kinds.iter().map(|(name, kind)| (*name, [kind.count, kind.bytes])).collect();
        self.flows = self.stats.flows.iter().map(|flow| (flow.id, sums(flow))).collect();
        look
    }

    /// All of it, by the capture's own clock: the input has ended.
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
                let own = [&direction.round_trip, &direction.ping_time, &direction.answer_time];
                trips.iter_mut().zip(own).for_each(|(all, own)| all.merge(own));
                path.resent += direction.resent;
                path.sent += direction.sent;
                path.lost += direction.lost();
                path.messages += direction.messages;
            }
        }
        let flows = stats.flows.iter().map(|flow| {
            let counts = sums(flow);
            let idle = stats.last.map(|last| (last.since(flow.last).max(0) as f64 / 1e8).round() / 10.0);
            let rates = rates(counts, self.flows.get(&flow.id).copied().unwrap_or_default());
            Conversation { flow: flow.clone(), rates, counts, path: paths.remove(&flow.id).unwrap_or_default(), idle }
        });
        let mut flows = Table::of(Shape { kind: "flow", title: "", keys: 1 }, &FLOWS, &flows.collect::<Vec<_>>());
        // Maps have no order; every look has one.
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
}

/// The end of a name, where it has no room.
fn shortened(name: &str, room: usize) -> String {
    let long = name.chars().count();
    match long <= room {
        true => name.into(),
        false => "…".chars().chain(name.chars().skip(long - room.saturating_sub(1).min(long))).collect(),
    }
}

fn sums(flow: &super::Flow) -> [u64; 2] {
    [flow.messages.iter().sum(), flow.bytes.iter().sum()]
}

/// What a conversation's connections say of the path.
#[derive(Default)]
struct Path {
    /// By side: of messages that were sent once, of pings, of requests.
    trips: [[Delays; 3]; 2],
    messages: u64,
    sent: u64,
    resent: u64,
    lost: u64,
}

impl Path {
    /// The median of what this side sent: of its messages that are acknowledged, else of its pings, else
    /// of its requests.
    fn round_trip(&self, side: Side) -> Cell {
        let trips = &self.trips[side.index()];
        trips.iter().find(|trips| trips.count() > 0).map_or(Cell::Null, |trips| percentile(trips, 50.0))
    }
}

/// One look at the figures.
#[derive(Debug)]
pub struct Look {
    /// What the rates are over.
    pub seconds: f64,
    /// The input has ended: the rates are over all of it.
    pub last: bool,
    /// Messages, bytes, faults, conversations, in all.
    totals: [u64; 4],
    /// Messages and bytes a second.
    rates: [f64; 2],
    /// Of the last message.
    time: Option<Time>,
    /// From the first message to the last.
    duration: f64,
    messages: Table,
    flows: Table,
}

impl Look {
    /// The largest first, what is not known last; tables without this column by their bytes.
    pub fn sort(&mut self, column: &str) {
        for table in [&mut self.messages, &mut self.flows] {
            let place = |name: &str| table.place(name);
            let Some(by) = place(column).or_else(|| place("byte_rate")) else { continue };
            let (keys, bytes) = (table.shape.keys, place("bytes").unwrap_or(by));
            table.rows.sort_by(|a, b| compare(&a[..keys], &b[..keys]));
            // What is equal, as while nothing comes: by all that came.
            table.rows.sort_by(|a, b| compare(&b[bytes..=bytes], &a[bytes..=bytes]));
            let unknown = |row: &[Cell]| row[by] == Cell::Null;
            table.rows.sort_by(|a, b| unknown(a).cmp(&unknown(b)).then_with(|| compare(&b[by..=by], &a[by..=by])));
        }
    }

    /// For programs: an object in one line.
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

    /// For pipes: a line a row, `KIND NAME=VALUE..`, and an empty one behind the look.
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

    /// For a terminal of this size: what is sorted by, and as many rows as there is room for. Without
    /// a height: all rows.
    pub fn screen(&self, name: &str, sorted: &str, size: (usize, Option<usize>), colour: bool, out: &mut String) {
        let (width, height) = size;
        let [messages, bytes, faults, flows] = self.totals;
        let [rate, byte_rate] = self.rates;
        let over = if self.last { "in all" } else { "now" };
        let figures = format!(": {rate:.1} messages/s, {byte_rate:.0} B/s {over}");
        let mut parts = vec![
            shortened(&Printable(name).to_string(), width.saturating_sub(figures.chars().count())) + &figures,
            format!("{}, {} in {:.1} s", Plural(messages, "message"), Plural(bytes, "byte"), self.duration),
            format!("{}", Plural(flows, "conversation")),
        ];
        if faults > 0 {
            parts.push(format!("{}", Plural(faults, "fault")));
        }
        let (mut lines, mut column) = (1, 0);
        for part in parts {
            let long = part.chars().count() + 2;
            if column > 0 && column + long > width {
                out.push('\n');
                (lines, column) = (lines + 1, 0);
            }
            out.push_str(if column > 0 { "; " } else { "" });
            out.push_str(&part);
            column += long;
        }
        out.push('\n');
        let tables = [(&self.messages, "Messages"), (&self.flows, "Conversations")];
        let has = |table: &Table| table.place(sorted).is_some();
        // An empty line, a title and two lines of heading for each table, and the line of the keys. On
        // few lines, only the table that is sorted.
        let few = height.is_some_and(|height| height < lines + 13);
        let shown_tables: &[(&Table, &str)] = match (few, has(&self.messages)) {
            (false, _) => &tables,
            (true, true) => &tables[..1],
            (true, false) => &tables[1..],
        };
        let room = height.map(|height| height.saturating_sub(lines + 1 + 4 * shown_tables.len()).max(1));
        for (k, (table, title)) in shown_tables.iter().enumerate() {
            let all = table.rows.len();
            let other = shown_tables.get(1usize.wrapping_sub(k)).map_or(0, |(other, _)| other.rows.len());
            // Half of the rows, and what the other table leaves.
            let half = |room: usize| (room / shown_tables.len()).max(room.saturating_sub(other)).max(1);
            let shown = room.map_or(all, |room| all.min(half(room)));
            let by = format!(" by {}", if has(table) { sorted } else { "byte_rate" });
            let more = if shown < all { format!(" ({shown} of {all})") } else { String::new() };
            let _ = writeln!(out, "\n{title}{by}{more}");
            match all {
                0 => out.push_str("none so far\n"),
                _ => {
                    let part = Table { rows: table.rows[..shown].to_vec(), ..(*table).clone() };
                    fitted(&part, width, &SPARE, colour, out);
                }
            }
        }
    }
}
