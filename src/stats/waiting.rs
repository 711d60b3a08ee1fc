//! Messages that nobody answers or acknowledges, those that waited long, and how long each kind
//! waited: found by the [relations](crate::dissect::Relation) that later messages tell.
//!
//! Relations are followed through all messages, also those that a filter does not select: a filter
//! says whose waiting is told, and not which answers count.

use super::histogram::Delays;
use super::table::{Cell, Shape, Table};
use crate::capture::Time;
use crate::codec::json::value::value;
use crate::dissect::{Expected, Message, RelationKind, Target};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

static UNANSWERED: Shape =
    Shape { kind: "unanswered", title: "Nothing in the capture answers these", keys: 1, columns: &LISTED };
static NEVER_ACKED: Shape =
    Shape { kind: "never_acked", title: "Nothing in the capture acknowledges these", keys: 1, columns: &LISTED };
static SLOW: Shape = Shape {
    kind: "slow",
    title: "Answered or acknowledged late (ms)",
    keys: 1,
    columns: &[
        "frame", "index", "time", "flow", "from", "peer", "proto", "message", "route", "copies", "by_frame", "after",
    ],
};
const LISTED: [&str; 10] = ["frame", "index", "time", "flow", "from", "peer", "proto", "message", "route", "copies"];
static LATENCY: Shape = Shape {
    kind: "latency",
    title: "From message to answer or acknowledgement (ms)",
    keys: 4,
    columns: &["proto", "message", "route", "waits_for", "count", "waiting", "p50", "p90", "p99", "max"],
};

/// What is to be listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed {
    /// Messages without an answer.
    pub unanswered: bool,
    /// Messages without an acknowledgement.
    pub never_acked: bool,
    /// Messages that waited this many nanoseconds or longer.
    pub slow: Option<i64>,
    /// How long each kind waited.
    pub latency: bool,
    /// So many that waited longest, of those answered and of those acknowledged each.
    pub slowest: Option<usize>,
}

/// A message that waits, or waited.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    expected: Expected,
    time: Time,
    flow: u64,
    from: &'static str,
    peer: Box<str>,
    proto: &'static str,
    message: &'static str,
    route: Box<str>,
    copies: u64,
    /// It is the first of its frame, which holds others.
    several: bool,
}

impl Sent {
    fn row(&self, target: Target) -> Vec<Cell> {
        let index = if self.several || target.index > 1 { Cell::Int(target.index.into()) } else { Cell::Null };
        let copies = if self.expected == Expected::Ack { Cell::Int(self.copies) } else { Cell::Null };
        let time = Cell::Real(self.time.to_string().parse().unwrap_or(0.0), 6);
        let route = if self.route.is_empty() { Cell::Null } else { Cell::Text(self.route.to_string()) };
        let [from, proto, message] = [self.from, self.proto, self.message].map(Cell::from);
        let peer = Cell::Text(self.peer.to_string());
        vec![target.frame.into(), index, time, self.flow.into(), from, peer, proto, message, route, copies]
    }
}

/// The latency of one kind of message.
#[derive(Clone, Debug, Default)]
struct Latency {
    delays: Delays,
}

/// A message that waited, by what frame it was over, and after how long.
type Slow = (Target, Sent, u64, i64);

type Kind = (&'static str, &'static str, Box<str>, &'static str);

/// Follows messages to what answers or acknowledges them.
#[derive(Debug)]
pub struct Waiting {
    listed: Listed,
    /// How many messages may wait, how many late ones are listed, how many kinds are told apart.
    limit: usize,
    waiting: FxHashMap<Target, Sent>,
    slow: Vec<Slow>,
    latency: BTreeMap<Kind, Latency>,
    /// Messages that were not followed, because there were too many.
    pub lost: u64,
}

impl Waiting {
    /// At most `limit` messages are followed at once, and listed.
    pub fn new(listed: Listed, limit: usize) -> Waiting {
        Waiting { listed, limit, waiting: FxHashMap::default(), slow: Vec::new(), latency: BTreeMap::new(), lost: 0 }
    }

    /// A message. `selected`: its own waiting is to be told.
    pub fn message(&mut self, message: &Message<'_>, selected: bool) {
        let dissection = message.dissection;
        let own = Target { frame: message.place.frame, index: dissection.index };
        for relation in dissection.related.iter() {
            match relation.kind {
                RelationKind::CopyOf => {
                    if let Some(sent) = self.waiting.get_mut(&relation.target) {
                        sent.copies += 1;
                    }
                }
                kind if self.waiting.get(&relation.target).is_some_and(|sent| sent.expected.is(kind)) => {
                    let Some(sent) = self.waiting.remove(&relation.target) else { continue };
                    self.came(relation.target, sent, own.frame, relation.after.unwrap_or(0));
                }
                _ => {}
            }
        }
        for hidden in dissection.related.hidden() {
            if self.waiting.get(hidden).is_some_and(|sent| sent.expected == Expected::Answer) {
                self.waiting.remove(hidden);
            }
        }
        if own.frame == 0 || own.index == 0 || message.flow_info.ends.is_none() {
            return;
        }
        if own.index == 2
            && let Some(first) = self.waiting.get_mut(&Target { index: 1, ..own })
        {
            first.several = true;
        }
        let Some(expected) = Expected::of(&dissection.delivery).filter(|_| selected) else { return };
        if self.waiting.len() >= self.limit {
            self.lost += 1;
            return;
        }
        let sent = Sent {
            expected,
            time: message.place.time,
            flow: message.flow_info.flow,
            from: dissection.from.name(),
            peer: message.src().into(),
            proto: dissection.proto,
            message: dissection.message,
            route: route(message),
            copies: 1,
            several: false,
        };
        self.waiting.insert(own, sent);
    }

    /// What nothing has answered or acknowledged so far, and what it waits for.
    pub fn expected(&self, target: Target) -> Option<Expected> {
        self.waiting.get(&target).map(|sent| sent.expected)
    }

    /// Messages that nothing answered or acknowledged, in order: their conversation, and who sent them.
    pub(crate) fn waits(&self, expected: Expected) -> impl Iterator<Item = (Target, u64, &'static str)> {
        self.left(expected).into_iter().map(|(target, sent)| (*target, sent.flow, sent.from))
    }

    /// Those that waited longest for it, the longest first: [`Listed::slowest`].
    pub(crate) fn slowest(&self, expected: Expected) -> Table {
        let mut all: Vec<_> = self.slow.iter().filter(|(_, sent, ..)| sent.expected == expected).collect();
        all.sort_by_key(|(target, _, _, after)| (std::cmp::Reverse(*after), *target));
        all.truncate(self.listed.slowest.unwrap_or(0));
        Table { shape: &SLOW, rows: all.into_iter().map(slow_row).collect() }
    }

    /// Keeps those that waited longest.
    fn keep_slowest(&mut self, most: usize) {
        self.slow.sort_by_key(|(target, _, _, after)| (std::cmp::Reverse(*after), *target));
        let mut kept = [0; 2];
        self.slow.retain(|(_, sent, ..)| {
            let kept = &mut kept[usize::from(sent.expected == Expected::Ack)];
            *kept += 1;
            *kept <= most
        });
    }

    fn came(&mut self, target: Target, sent: Sent, by: u64, after: i64) {
        if self.listed.latency {
            let kind = kind(&sent);
            if self.latency.len() < self.limit || self.latency.contains_key(&kind) {
                self.latency.entry(kind).or_default().delays.add(after);
            } else {
                self.lost += 1;
            }
        }
        match (self.listed.slowest, self.listed.slow) {
            (Some(most), _) => {
                self.slow.push((target, sent, by, after));
                if self.slow.len() > 4 * most + 64 {
                    self.keep_slowest(most);
                }
            }
            (None, Some(least)) if after >= least => match self.slow.len() < self.limit {
                true => self.slow.push((target, sent, by, after)),
                false => self.lost += 1,
            },
            _ => {}
        }
    }

    /// What still waits, in order of frames.
    fn left(&self, expected: Expected) -> Vec<(&Target, &Sent)> {
        let mut left: Vec<_> = self.waiting.iter().filter(|(_, sent)| sent.expected == expected).collect();
        left.sort_by_key(|(target, _)| **target);
        left
    }

    /// The tables that were asked for.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        for (wanted, shape, expected) in [
            (self.listed.unanswered, &UNANSWERED, Expected::Answer),
            (self.listed.never_acked, &NEVER_ACKED, Expected::Ack),
        ] {
            if wanted {
                let rows = self.left(expected).into_iter().map(|(target, sent)| sent.row(*target)).collect();
                tables.push(Table { shape, rows });
            }
        }
        if self.listed.slow.is_some() {
            let mut slow: Vec<_> = self.slow.iter().collect();
            slow.sort_by_key(|(target, ..)| *target);
            tables.push(Table { shape: &SLOW, rows: slow.into_iter().map(slow_row).collect() });
        }
        if self.listed.latency {
            tables.push(Table { shape: &LATENCY, rows: self.latencies() });
        }
        tables
    }

    fn latencies(&self) -> Vec<Vec<Cell>> {
        let mut all: BTreeMap<Kind, (Option<&Delays>, u64)> = BTreeMap::new();
        for (kind, one) in &self.latency {
            all.entry(kind.clone()).or_default().0 = Some(&one.delays);
        }
        for sent in self.waiting.values() {
            all.entry(kind(sent)).or_default().1 += 1;
        }
        let row = |((proto, message, route, waits_for), (delays, left)): (Kind, (Option<&Delays>, u64))| {
            let route = if route.is_empty() { Cell::Null } else { Cell::Text(route.into()) };
            let mut row = vec![Cell::from(proto), message.into(), route, waits_for.into()];
            row.extend([delays.map_or(0, Delays::count), left].map(Cell::Int));
            let percentile = |p| Cell::millis(delays.and_then(|d| d.percentile(p)).map(|n| n as f64));
            row.extend([50.0, 90.0, 99.0].map(percentile));
            row.push(Cell::millis(delays.and_then(Delays::max).map(|n| n as f64)));
            row
        };
        all.into_iter().map(row).collect()
    }
}

fn slow_row((target, sent, by, after): &Slow) -> Vec<Cell> {
    let mut row = sent.row(*target);
    row.extend([Cell::Int(*by), Cell::millis(Some(*after as f64))]);
    row
}

fn kind(sent: &Sent) -> Kind {
    let waits_for = if sent.expected == Expected::Answer { "answer" } else { "ack" };
    (sent.proto, sent.message, sent.route.clone(), waits_for)
}

/// What a message is about: its route or id, as its protocol says, or the schema of its payload.
pub(super) fn route(message: &Message<'_>) -> Box<str> {
    let dissection = message.dissection;
    let subjects = message.flow_info.options.registry.for_line(dissection.proto).map_or(&[][..], |d| d.subjects());
    let found = subjects.iter().find_map(|name| {
        let node = dissection.derived.child(None, name).or_else(|| dissection.tree.child(None, name))?;
        let mut json = Vec::new();
        value(node, message.sources(), &mut json);
        let text = match json.first() {
            Some(b'"') => serde_json::from_slice(&json).unwrap_or_default(),
            _ => String::from_utf8_lossy(&json).into_owned(),
        };
        Some(text.into_boxed_str())
    });
    found.or_else(|| dissection.schema.map(Into::into)).unwrap_or_default()
}
