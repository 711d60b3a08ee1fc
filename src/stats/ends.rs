//! The ends of a capture's connections: a row and a sentence each.

use super::sides::{client, end_text, is_to_group, role, transport_end};
use super::table::{Cell, Column, Shape, Table, column};
use super::{Flow, Observation, Stats};
use crate::capture::Time;
use crate::dissect::delivery::{Event, Step};
use crate::flow::{Closing, End, Side, Transport};
use crate::plural::Plural;
use crate::traffic::life::{Awaited, Ending, LastSeen, Life, Outcome};
use crate::traffic::sequence::Acked;
use std::net::SocketAddr;

/// The cap on ended connections before the last one of each conversation; further ones are only counted.
pub(super) const PAST: usize = 100_000;

/// The number of messages, besides requests for a connection, with which a side without a visible answer shows that there
/// is a session.
const MORE: u64 = 3;

/// The current connection of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Current {
    /// The connection's number in the conversation, from 1; 0 before the first step.
    pub ordinal: u32,
    /// The time of the first message.
    first: Option<Time>,
    life: Life,
    /// Whether the last step ended the connection: then the application's words in that message are about the end.
    ends: bool,
    /// The application's words in the message that ended it.
    data: Option<Box<str>>,
}

impl Current {
    /// Whether any step shows that there is a connection.
    pub fn is_used(&self) -> bool {
        self.life.is_used()
    }

    /// Begins a connection, the conversation's number `ordinal`, with a message at this time.
    pub fn begin(&mut self, ordinal: u32, time: Time) {
        *self = Current { ordinal, first: Some(time), ..Current::default() };
    }

    /// Records a step of a message.
    pub fn step(&mut self, step: Step, side: Side, time: Time, last_seen: LastSeen) {
        self.first.get_or_insert(time);
        let ended = self.life.has_ended();
        self.life.step(step, side, time.near_nanos(), last_seen);
        self.ends = !ended && self.life.has_ended();
    }

    /// Records a heartbeat that `side` sends of its own accord.
    pub fn pings(&mut self, side: Side) {
        self.life.pings(side);
    }

    /// Records that the other side has acknowledged a message of `side`.
    pub fn acknowledged(&mut self, side: Side, number: i64) {
        self.life.acknowledged(side, number);
    }

    /// Records the application's words in the message of the last step.
    pub fn farewell(&mut self, words: &str) {
        if std::mem::take(&mut self.ends) {
            self.data = Some(words.into());
        }
    }

    /// The end of the connection, as of `now`.
    pub fn ended(&self, closing: Closing, mut last_seen: LastSeen, now: i64) -> Ended {
        let mut life = self.life.clone();
        for side in Side::BOTH {
            // It has sent something, if only the receiver has it; bytes before this connection are another one's.
            if let Some(until) = closing.losses[side.index()].missing_until
                && self.first.is_none_or(|first| first.near_nanos() <= until)
            {
                let seen = &mut last_seen[side.index()];
                life.missed(side, until, seen.is_none_or(|seen| seen <= until));
                *seen = (*seen).max(Some(until));
            }
        }
        let ending = life.ending(closing, last_seen, now);
        Ended {
            ordinal: self.ordinal.max(1),
            ending,
            may_change: life.may_change(ending.outcome, last_seen, now),
            may_answer: life.may_answer,
            requests: life.requests,
            first: self.first,
            data: self.data.clone(),
        }
    }
}

/// A connection that has ended, or is open.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The connection's number in the conversation, from 1.
    pub ordinal: u32,
    /// The end of the connection.
    pub ending: Ending,
    /// Whether more of the capture could show another end.
    pub may_change: bool,
    /// Whether what ended it may answer the other side.
    may_answer: bool,
    /// The number of requests for it.
    requests: u32,
    first: Option<Time>,
    /// The application's words in the message that ended it.
    pub data: Option<Box<str>>,
}

impl Ended {
    /// The side that ended it.
    pub fn by(&self, flow: &Flow) -> Option<&'static str> {
        self.ending.by.map(|side| role(flow, side))
    }

    /// The end in one sentence; `input` is what ended before an open connection did: the `capture`, the `proxy`.
    pub fn sentence(&self, flow: &Flow, input: &str) -> String {
        let [by, other] = match self.ending.by {
            Some(side) => [role(flow, side), role(flow, side.other())],
            None => ["server", "client"],
        };
        let reason = self.ending.reason.map_or(String::new(), |reason| format!(" ({reason})"));
        let words = self.data.as_ref().map_or(String::new(), |data| format!(": {data:?}"));
        match self.ending.outcome {
            Outcome::Left if self.ending.by.is_none() => format!("a side left{reason}{words}"),
            Outcome::Left => format!("the {by} left{reason}{words}"),
            Outcome::Kicked => format!("the {by} ended the session of the {other}{reason}{words}"),
            Outcome::Refused => format!("the {by} refused the {other}{reason}{words}"),
            Outcome::TimedOut => {
                let (awaited, nanos) = self.ending.silence.unwrap_or((Awaited::Message, 0));
                let missed = match awaited {
                    Awaited::Message => format!("the {by} heard nothing from the {other}"),
                    Awaited::Heartbeat => format!("the {by} had no heartbeat from the {other}"),
                    Awaited::Acknowledgement => format!("a message of the {by} was not acknowledged"),
                };
                format!("timed out: {missed} for {:.1} s", nanos as f64 / 1e9)
            }
            Outcome::PoorConnection if self.may_change => {
                format!("the {by}'s last try of a message was not acknowledged when the {input} ended")
            }
            Outcome::PoorConnection => {
                format!("the {by} dropped the connection: a message was not acknowledged after the last try")
            }
            Outcome::Unanswered => format!("no answer to {}", Plural(self.requests, "connection request")),
            Outcome::Pending => format!("the {input} shows no decision of the server's application"),
            Outcome::Reset => format!("the {by} reset the stream"),
            Outcome::Open => format!("open when the {input} ended"),
        }
    }

    /// Whether it has ended: it is neither open nor undecided.
    pub fn is_over(&self) -> bool {
        !matches!(self.ending.outcome, Outcome::Open | Outcome::Pending)
    }

    /// Whether a reader should be shown this unasked.
    pub fn is_remarkable(&self) -> bool {
        !matches!(self.ending.outcome, Outcome::Left | Outcome::Open)
    }
}

impl Stats {
    /// Applies an event of the message `seen` to its connection. Returns the connection's number, from 1.
    pub(super) fn step(&mut self, event: &Event, seen: &Observation) -> u32 {
        self.last_tries |= matches!(event, Event::Step(Step::LastTry { .. }));
        let counted = if *event == Event::Begin { self.delivery.used(seen.flow) } else { None };
        // The conversation of the message, unless there was no room for it.
        let (_, place) = self.latest;
        let Some(flow) = self.flows.get_mut(place).filter(|flow| flow.id == seen.flow) else { return 1 };
        let mut last_seen = flow.last_seen;
        last_seen[seen.side.index()] = flow.seen_before;
        match (*event, &mut flow.current) {
            (Event::Begin, current) => {
                let current = current.get_or_insert_default();
                let before = counted.into_iter().chain(current.is_used().then_some(current.ordinal.max(1))).max();
                if let Some(ordinal) = before {
                    let mut ended = current.ended(Closing::default(), last_seen, seen.time.near_nanos());
                    ended.ordinal = ordinal;
                    if self.past.len() < PAST {
                        self.past.push((seen.flow, ended));
                    } else {
                        self.omitted_ends += 1;
                    }
                    current.begin(ordinal + 1, seen.time);
                    (flow.last_seen, flow.seen_before) = ([None; 2], None);
                    flow.silences = Default::default();
                    let now = seen.time.near_nanos();
                    flow.last_seen[seen.side.index()] = Some(now);
                    flow.silences[seen.side.index()].message(now, false);
                }
                return current.ordinal.max(1);
            }
            (Event::Step(step), current) => {
                flow.requests += u64::from(step == Step::Asked);
                let current = current.get_or_insert_default();
                current.life.is_stream = seen.transport == Transport::Tcp;
                current.step(step, seen.side, seen.time, last_seen);
            }
            (Event::Ping, Some(current)) => current.pings(seen.side),
            (Event::Acked { extended, acked: Acked::First(_) }, Some(current)) => {
                current.acknowledged(seen.side.other(), extended);
            }
            _ => {}
        }
        1
    }

    /// The end of a conversation's last connection, as far as the capture shows it.
    pub(super) fn last_end(&self, flow: &Flow) -> Option<Ended> {
        if self.selected {
            return None;
        }
        // A stream that gave way to another one was not observed until the end.
        let replaced = flow.closing.by.iter().flatten().any(|end| matches!(end, End::Reused | End::Evicted));
        let last = self.account.span.map(|(_, last)| last).or(self.last).filter(|_| !replaced);
        let now = last.unwrap_or(flow.last);
        Some(self.revised(flow, Stats::end_of(flow, now)))
    }

    /// Whether the capture has messages of one side of the conversation and no packet of the other side, although there
    /// was a session, or a stream: then it lacks what the other side sent. Returns the other side.
    pub(super) fn uncaptured(&self, flow: &Flow) -> Option<Side> {
        let side = flow.closing.only_sender().filter(|side| flow.messages[side.other().index()] == 0)?;
        if is_to_group(flow) {
            return None;
        }
        if flow.transport == Transport::Tcp {
            return Some(side.other());
        }
        let is_session = self.delivery.is_mutual(flow.id) || flow.current.as_ref().is_some_and(|c| c.is_used());
        (is_session && flow.messages[side.index()] >= flow.requests + MORE).then_some(side.other())
    }

    /// Whether the capture would have the answers to the conversation's requests. Not if they are for a group, or if it
    /// lacks all packets of one of the endpoints.
    pub(super) fn is_answerable(&self, flow: &Flow) -> bool {
        let is_missing = |end: &SocketAddr| self.uncaptured.contains(end) && !self.captured.contains(end);
        let lacks = |ends: [SocketAddr; 2]| ends.iter().any(is_missing);
        !is_to_group(flow) && self.uncaptured(flow).is_none() && !flow.ends.is_some_and(lacks)
    }

    /// Corrects an end: requests to an endpoint whose packets the capture lacks, or to a group, may have been answered.
    /// Earlier connections end before it is known that the capture lacks a side.
    fn revised(&self, flow: &Flow, mut ended: Ended) -> Ended {
        let is_half = flow.closing.only_sender().is_some();
        match ended.ending.outcome {
            Outcome::Unanswered if !self.is_answerable(flow) => {
                (ended.ending.outcome, ended.may_change) = (Outcome::Open, true);
            }
            Outcome::Pending if is_half => ended.ending.outcome = Outcome::Open,
            Outcome::Left if is_half && ended.may_answer => ended.ending.by = None,
            _ => {}
        }
        ended
    }

    /// The end of a conversation's last connection, as of `now`.
    pub(super) fn end_of(flow: &Flow, now: Time) -> Ended {
        let none = Current::default();
        let current = flow.current.as_deref().unwrap_or(&none);
        current.ended(flow.closing, flow.last_seen, now.near_nanos())
    }
}

/// The outcome of a connection, if it is known.
pub fn outcome(ended: Option<&Ended>) -> Cell {
    ended.map_or(Cell::Null, |ended| ended.ending.outcome.name().into())
}

/// The side that ended it.
pub fn by(ended: Option<&Ended>, flow: &Flow) -> Cell {
    ended.and_then(|ended| ended.by(flow)).map_or(Cell::Null, Cell::from)
}

/// The protocol's word for the reason.
pub fn reason(ended: Option<&Ended>) -> Cell {
    ended.and_then(|ended| ended.ending.reason).map_or(Cell::Null, Cell::from)
}

/// The application's words.
pub fn data(ended: Option<&Ended>) -> Cell {
    ended.and_then(|ended| ended.data.as_deref()).map_or(Cell::Null, Cell::from)
}

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    pub flow: Flow,
    pub ended: Ended,
    last: bool,
    start: Option<f64>,
}

impl Row {
    /// The row of a connection, which may be the conversation's last.
    pub fn new(stats: &Stats, flow: &Flow, ended: Ended, last: bool) -> Row {
        let first = ended.first.unwrap_or(flow.first);
        let start = stats.first.map(|begin| first.since(begin) as f64 / 1e9);
        Row { flow: flow.clone(), ended, last, start }
    }
}

const ENDS: [Column<Row>; 12] = [
    column("flow", |r| r.flow.id.into()),
    column("connection", |r| u64::from(r.ended.ordinal).into()),
    column("proto", |r| r.flow.proto.into()),
    column("client", |r| end_text(&r.flow, client(&r.flow))),
    column("server", |r| end_text(&r.flow, client(&r.flow).other())),
    column("start", |r| r.start.map_or(Cell::Null, Cell::Seconds)),
    column("end", |r| outcome(Some(&r.ended))),
    column("end_by", |r| by(Some(&r.ended), &r.flow)),
    column("end_reason", |r| reason(Some(&r.ended))),
    column("end_data", |r| data(Some(&r.ended))),
    column("end_silence", |r| Cell::millis(r.ended.ending.silence.map(|(_, nanos)| nanos as f64))),
    column("transport_end", |r| if r.last { transport_end(&r.flow) } else { Cell::Null }),
];

/// Every connection, in order of conversations: the conversation, the end, and whether it is the last connection.
pub fn ends(stats: &Stats) -> impl Iterator<Item = (&Flow, Ended, bool)> {
    let mut sorted: Vec<_> = stats.past.iter().collect();
    sorted.sort_by_key(|(flow, ended)| (*flow, ended.ordinal));
    stats.flows.iter().flat_map(move |flow| {
        let start = sorted.partition_point(|(id, _)| *id < flow.id);
        let own: Vec<_> = sorted[start..].iter().take_while(|(id, _)| *id == flow.id).collect();
        let own: Vec<_> = own.into_iter().map(|(_, ended)| stats.revised(flow, ended.clone())).collect();
        let past = own.into_iter().map(move |ended| (flow, ended, false));
        stats.last_end(flow).into_iter().flat_map(move |last| past.clone().chain([(flow, last, true)]))
    })
}

/// The table of the ends of all connections.
pub fn table(stats: &Stats) -> Table {
    let rows: Vec<Row> = ends(stats).map(|(flow, ended, last)| Row::new(stats, flow, ended, last)).collect();
    rows_table(&rows)
}

/// The table of these rows.
pub(super) fn rows_table(rows: &[Row]) -> Table {
    Table::of(Shape { kind: "end", title: "Ends of connections", keys: 2 }, &ENDS, rows)
}
