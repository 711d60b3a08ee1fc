//! Messages without an answer or acknowledgement, those that waited long, and the delays of each kind. They are found
//! by the [relations](crate::dissect::Relation) of later messages.
//!
//! Relations are followed through all messages, also those that a filter does not select: a filter selects the messages
//! that are listed, not the answers that count.

use super::connections::{longest, percentile};
use super::histogram::Delays;
use super::table::{Cell, Column, Shape, Table, column};
use crate::capture::Time;
use crate::codec::json::value::value;
use crate::dissect::{Expected, Message, RelationKind, Target};
use crate::render::TimeForm;
use crate::render::line_writer::LineWriter;
use crate::render::times::Clock;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

const UNANSWERED: Shape = Shape { kind: "unanswered", title: "Messages without a response in the capture", keys: 1 };
const NEVER_ACKED: Shape =
    Shape { kind: "never_acked", title: "Messages without an acknowledgement in the capture", keys: 1 };
const SLOW: Shape = Shape { kind: "slow", title: "Slow responses and acknowledgements (ms)", keys: 1 };
const LATENCY: Shape = Shape { kind: "latency", title: "Time to the response or acknowledgement (ms)", keys: 4 };

/// A message that waits or waited, as a row.
struct Listing {
    target: Target,
    sent: Sent,
    time: Cell,
}

const LISTING: [Column<Listing>; 10] = [
    column("frame", |row| row.target.frame.into()),
    column("index", |row| match row.sent.several || row.target.index > 1 {
        true => Cell::Int(row.target.index.into()),
        false => Cell::Null,
    }),
    column("time", |row| row.time.clone()),
    column("flow", |row| row.sent.flow.into()),
    column("from", |row| row.sent.from.into()),
    column("peer", |row| Cell::Text(row.sent.peer.to_string())),
    column("proto", |row| row.sent.proto.into()),
    column("message", |row| row.sent.message.into()),
    column("route", |row| word(&row.sent.route)),
    column("sent", |row| if row.sent.expected == Expected::Ack { row.sent.copies.into() } else { Cell::Null }),
];
const UNTIL: [Column<Slow>; 2] =
    [column("by_frame", |slow| slow.by.into()), column("after", |slow| Cell::millis(Some(slow.after as f64)))];
const KINDS: [Column<Latency>; 10] = [
    column("proto", |one| one.kind.0.into()),
    column("message", |one| one.kind.1.into()),
    column("route", |one| word(&one.kind.2)),
    column("waits_for", |one| one.kind.3.into()),
    column("answered", |one| one.delays.all().into()),
    column("waiting", |one| one.waiting.into()),
    column("answered_p50", |one| percentile(&one.delays, 50.0)),
    column("answered_p90", |one| percentile(&one.delays, 90.0)),
    column("answered_p99", |one| percentile(&one.delays, 99.0)),
    column("answered_max", |one| longest(&one.delays)),
];

fn word(text: &str) -> Cell {
    if text.is_empty() { Cell::Null } else { text.into() }
}

/// The selected lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed {
    /// Messages without an answer.
    pub unanswered: bool,
    /// Messages without an acknowledgement.
    pub never_acked: bool,
    /// The delay in nanoseconds from which messages are listed as slow.
    pub slow: Option<i64>,
    /// The delays of each kind of message.
    pub latency: bool,
    /// The number of slowest messages kept, of those answered and of those acknowledged each.
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
    /// Whether it is the first of several messages in its frame.
    several: bool,
    /// Whether its answer may be in bytes that cannot be read. If it comes later, it counts.
    hidden: bool,
}

/// The delays of a kind of message, and the number of messages that still wait.
#[derive(Clone, Debug, Default)]
struct Latency {
    kind: Kind,
    delays: Delays,
    waiting: u64,
}

/// A message that was answered or acknowledged, with the frame that did so and the delay.
#[derive(Clone, Debug)]
struct Slow {
    target: Target,
    sent: Sent,
    by: u64,
    after: i64,
}

type Kind = (&'static str, &'static str, Box<str>, &'static str);

/// Matches messages with their answers or acknowledgements.
#[derive(Debug)]
pub struct Waiting {
    listed: Listed,
    /// The cap on waiting messages, on listed slow messages, and on kinds.
    limit: usize,
    /// By message and reply.
    waiting: FxHashMap<(Target, Expected), Sent>,
    slow: Vec<Slow>,
    latency: BTreeMap<Kind, Delays>,
    clock: Clock,
    /// The number of messages that were not followed, because there were too many.
    pub lost: u64,
}

impl Waiting {
    /// Follows at most `limit` messages at once, and lists as many.
    pub fn new(listed: Listed, limit: usize) -> Waiting {
        Waiting {
            listed,
            limit,
            waiting: FxHashMap::default(),
            slow: Vec::new(),
            latency: BTreeMap::new(),
            clock: Clock::default(),
            lost: 0,
        }
    }

    /// Sets the start of the capture, from which relative times count.
    pub fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    /// Processes a message. `selected`: whether it may be listed itself.
    pub fn message(&mut self, message: &Message<'_>, selected: bool) {
        let dissection = message.dissection;
        let own = Target { frame: message.place.frame, index: dissection.index };
        for relation in dissection.related.iter() {
            if relation.kind == RelationKind::CopyOf
                && let Some(sent) = self.waiting.get_mut(&(relation.target, Expected::Ack))
            {
                sent.copies += 1;
            }
            if let Some(expected) = Expected::ended_by(relation.kind)
                && let Some(sent) = self.waiting.remove(&(relation.target, expected))
            {
                self.answered(relation.target, sent, own.frame, relation.after.unwrap_or(0));
            }
        }
        for hidden in dissection.related.hidden() {
            if let Some(sent) = self.waiting.get_mut(&(*hidden, Expected::Answer)) {
                sent.hidden = true;
            }
        }
        if own.frame == 0 || own.index == 0 || message.flow_info.ends.is_none() {
            return;
        }
        for expected in Expected::BOTH {
            if own.index == 2
                && let Some(first) = self.waiting.get_mut(&(Target { index: 1, ..own }, expected))
            {
                first.several = true;
            }
            if !selected || !expected.is_of(&dissection.delivery) {
                continue;
            }
            if self.waiting.len() >= self.limit {
                self.lost += 1;
                continue;
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
                hidden: false,
            };
            self.waiting.insert((own, expected), sent);
        }
    }

    /// Whether a message is still waiting for an answer, and for an acknowledgement.
    pub fn expected(&self, target: Target) -> [bool; 2] {
        Expected::BOTH.map(|one| self.waiting.get(&(target, one)).is_some_and(|sent| !sent.hidden))
    }

    /// The messages without an answer or acknowledgement, in order: message, conversation, protocol, sender.
    pub(crate) fn waits(&self, expected: Expected) -> impl Iterator<Item = (Target, u64, &'static str, &'static str)> {
        self.left(expected).into_iter().map(|(target, sent)| (*target, sent.flow, sent.proto, sent.from))
    }

    /// The messages that waited longest, the longest first: [`Listed::slowest`].
    pub(crate) fn slowest(&self, expected: Expected) -> Table {
        let mut all: Vec<_> = self.slow.iter().filter(|slow| slow.sent.expected == expected).cloned().collect();
        all.sort_by_key(Slow::longest_first);
        all.truncate(self.listed.slowest.unwrap_or(0));
        self.slow_table(&all, None, true)
    }

    /// Keeps the messages that waited longest.
    fn keep_slowest(&mut self, most: usize) {
        self.slow.sort_by_key(Slow::longest_first);
        let mut kept = [0; 2];
        self.slow.retain(|slow| {
            let kept = &mut kept[usize::from(slow.sent.expected == Expected::Ack)];
            *kept += 1;
            *kept <= most
        });
    }

    fn answered(&mut self, target: Target, sent: Sent, by: u64, after: i64) {
        if self.listed.latency {
            let kind = kind(&sent);
            if self.latency.len() < self.limit || self.latency.contains_key(&kind) {
                self.latency.entry(kind).or_default().add(after);
            } else {
                self.lost += 1;
            }
        }
        match (self.listed.slowest, self.listed.slow) {
            (Some(most), _) => {
                self.slow.push(Slow { target, sent, by, after });
                if self.slow.len() > 4 * most + 64 {
                    self.keep_slowest(most);
                }
            }
            (None, Some(least)) if after >= least => match self.slow.len() < self.limit {
                true => self.slow.push(Slow { target, sent, by, after }),
                false => self.lost += 1,
            },
            _ => {}
        }
    }

    /// The messages that still wait, in order of frames.
    fn left(&self, expected: Expected) -> Vec<(&Target, &Sent)> {
        let own = self.waiting.iter().filter(|(_, sent)| sent.expected == expected && !sent.hidden);
        let mut left: Vec<_> = own.map(|((target, _), sent)| (target, sent)).collect();
        left.sort_by_key(|(target, _)| **target);
        left
    }

    /// The selected tables. Times have this form, for people or, if `plain` is set, for programs; without a form they
    /// are seconds since 1970.
    pub fn tables(&self, form: Option<TimeForm>, plain: bool) -> Vec<Table> {
        let mut tables = Vec::new();
        for (wanted, shape, expected) in [
            (self.listed.unanswered, UNANSWERED, Expected::Answer),
            (self.listed.never_acked, NEVER_ACKED, Expected::Ack),
        ] {
            if wanted {
                tables.push(Table::of(shape, &LISTING, &self.listings(self.left(expected), form, plain)));
            }
        }
        if self.listed.slow.is_some() {
            let mut slow = self.slow.clone();
            slow.sort_by_key(|slow| slow.target);
            tables.push(self.slow_table(&slow, form, plain));
        }
        if self.listed.latency {
            tables.push(Table::of(LATENCY, &KINDS, &self.latencies()));
        }
        tables
    }

    fn listings<'s>(
        &self,
        messages: impl IntoIterator<Item = (&'s Target, &'s Sent)>,
        form: Option<TimeForm>,
        plain: bool,
    ) -> Vec<Listing> {
        let mut clock = self.clock;
        let row = |(target, sent): (&Target, &Sent)| {
            let mut text = Vec::new();
            let time = match form {
                None => {
                    let text = sent.time.to_string();
                    Cell::Exact(text.parse().unwrap_or(0.0), text)
                }
                Some(form) => {
                    if plain {
                        clock.plain(form, sent.time, &mut text);
                    } else {
                        clock.show(form, sent.time, &mut LineWriter::new(&mut text, false));
                    }
                    Cell::Text(String::from_utf8(text).unwrap_or_default())
                }
            };
            Listing { target: *target, sent: sent.clone(), time }
        };
        messages.into_iter().map(row).collect()
    }

    fn slow_table(&self, rows: &[Slow], form: Option<TimeForm>, plain: bool) -> Table {
        let listing = self.listings(rows.iter().map(|slow| (&slow.target, &slow.sent)), form, plain);
        // How long it took is printed before the wide columns.
        let (place, what) = LISTING.split_at(3);
        Table::of(SLOW, place, &listing).with(&UNTIL, rows).with(what, &listing)
    }

    fn latencies(&self) -> Vec<Latency> {
        let mut all: BTreeMap<Kind, Latency> = BTreeMap::new();
        for (kind, delays) in &self.latency {
            all.entry(kind.clone()).or_default().delays = delays.clone();
        }
        for sent in self.waiting.values().filter(|sent| !sent.hidden) {
            all.entry(kind(sent)).or_default().waiting += 1;
        }
        all.into_iter().map(|(kind, one)| Latency { kind, ..one }).collect()
    }
}

impl Slow {
    fn longest_first(&self) -> (std::cmp::Reverse<i64>, Target) {
        (std::cmp::Reverse(self.after), self.target)
    }
}

fn kind(sent: &Sent) -> Kind {
    let waits_for = if sent.expected == Expected::Answer { "answer" } else { "ack" };
    (sent.proto, sent.message, sent.route.clone(), waits_for)
}

/// The subject of a message: its route or id, as its protocol defines it, or the schema of its payload.
pub(super) fn route(message: &Message<'_>) -> Box<str> {
    let dissection = message.dissection;
    let subjects = message.flow_info.options.registry.for_line(dissection.proto).map_or(&[][..], |d| d.subjects());
    let found = subjects.iter().find_map(|field| {
        let node = dissection.derived.find(field).or_else(|| dissection.tree.find(field))?;
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
