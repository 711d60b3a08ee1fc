//! Delivery figures of the numbered messages, requests and links of each connection.
//!
//! Computed once for all protocols, from the [`Event`]s of their sessions. Definitions:
//!
//! | word | meaning |
//! |---|---|
//! | messages | numbers seen |
//! | sent | transmissions of them, the first included |
//! | resent | transmissions after the first, before any acknowledgement: the message was lost after the capture point, or its acknowledgement was |
//! | duplicates | transmissions after an acknowledgement: unnecessary, or made by the network |
//! | acked | acknowledged messages; `ack` is the time from the first transmission to the first acknowledgement |
//! | round trip | the same, for messages that were not resent before it: for others it is unknown which transmission was acknowledged |
//! | given up | the sender's last attempt was seen, and no acknowledgement |
//! | gaps, missing | numbers that arrived too early, and numbers that these skipped |
//! | late | first transmissions with a number below the highest: reordered, or resent after a loss |
//! | lost | missing and never seen: finally lost before the capture point |
//! | handled twice | more than one transmission passes the receiver's own filter to its application |
//! | never handled | none passes, though the capture has it |
//!
//! The last two are known if the filter is known. They assume that the receiver gets the packets of the capture, so
//! they are most reliable for a capture on its side.

use super::Flow;
use super::copies::{Copied, Row, Rows};
use super::histogram::Delays;
use super::losses::Losses;
use super::observed::Observation;
use crate::dissect::delivery::{Event, Handled, Link};
use crate::flow::{Side, Transport};
use crate::traffic::path::Path;
use crate::traffic::sequence::{Acked, Seen};
use rustc_hash::FxHashMap;

/// The cap on connections with separate figures; further ones share the last entry.
pub const CONNECTIONS: usize = 1024;
/// The cap on individually listed transmissions; further ones are counted.
pub const LISTED: usize = 500_000;
/// The cap on spaces of numbers whose first number is kept.
const SPACES: usize = 64;
/// The cap on messages after their last attempt that are watched for a late acknowledgement.
const LAST_TRIES: usize = 256;

/// The figures of a direction that can be added up. Delays are in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Numbers seen.
    pub messages: u64,
    /// Transmissions of them, the first included.
    pub sent: u64,
    /// Transmissions after the first, before an acknowledgement.
    pub resent: u64,
    /// Transmissions after an acknowledgement.
    pub duplicates: u64,
    /// Acknowledged messages.
    pub acked: u64,
    /// Messages whose sender has made its last attempt without success.
    pub given_up: u64,
    /// Messages with a number past the next one.
    pub gaps: u64,
    /// The number of numbers that these skipped.
    pub missing: u64,
    /// First transmissions with a number below the highest.
    pub late: u64,
    /// Messages that the receiver's application gets more than once.
    pub handled_twice: u64,
    /// Messages that the receiver's application never gets.
    pub never_handled: u64,
    /// Delays from the first transmission to the first acknowledgement.
    pub ack: Delays,
    /// Delays from transmission to acknowledgement, for messages that were not resent before it.
    pub rtt: Delays,
    /// Requests.
    pub requests: u64,
    /// Responses to them.
    pub responses: u64,
    /// Responses without a request seen.
    pub unmatched: u64,
    /// Delays from request to response.
    pub response: Delays,
    /// Pings and heartbeats.
    pub pings: u64,
    /// Answers to them.
    pub pongs: u64,
    /// Answers without a ping seen.
    pub stray_pongs: u64,
    /// Delays from ping to answer.
    pub ping: Delays,
    /// Links that this side offered.
    pub offered: u64,
    /// Links of `offered` that were accepted.
    pub accepted: u64,
    /// Links of `offered` that were refused.
    pub refused: u64,
    /// Links that this side ended.
    pub ended: u64,
    /// Lifetimes of the links that this side ended.
    pub life: Delays,
}

impl Tally {
    /// Adds the figures of another direction.
    pub fn add(&mut self, other: &Tally) {
        self.messages += other.messages;
        self.sent += other.sent;
        self.resent += other.resent;
        self.duplicates += other.duplicates;
        self.acked += other.acked;
        self.given_up += other.given_up;
        self.gaps += other.gaps;
        self.missing += other.missing;
        self.late += other.late;
        self.handled_twice += other.handled_twice;
        self.never_handled += other.never_handled;
        self.requests += other.requests;
        self.responses += other.responses;
        self.unmatched += other.unmatched;
        self.pings += other.pings;
        self.pongs += other.pongs;
        self.stray_pongs += other.stray_pongs;
        self.offered += other.offered;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.ended += other.ended;
        self.ack.merge(&other.ack);
        self.rtt.merge(&other.rtt);
        self.response.merge(&other.response);
        self.ping.merge(&other.ping);
        self.life.merge(&other.life);
    }
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// Its figures.
    pub tally: Tally,
    /// Messages that the protocol acknowledges.
    pub awaiting: u64,
    /// Acknowledgements of numbers that are not in the capture.
    pub acked_unseen: u64,
    /// Delays from one transmission of a message to the next.
    pub resend_time: Delays,
    /// Requests whose answer may be in bytes that cannot be read.
    pub hidden_answers: u64,
    /// Pings whose answer may be in bytes that cannot be read.
    pub hidden_pongs: u64,
    /// Losses over time.
    pub losses: Losses,
    /// The messages listed individually, if requested.
    pub rows: Rows,
    last_tries: Vec<i64>,
    /// The first number seen in each space of numbers, with the space.
    first: Vec<(i64, i64)>,
    /// Messages that arrived late below the first number seen. Their numbers were never counted as missing.
    early_numbers: u64,
}

impl Direction {
    /// Messages without any acknowledgement; `None` if the protocol acknowledges none of them.
    pub fn never_acked(&self) -> Option<u64> {
        (self.awaiting > 0).then(|| self.awaiting.saturating_sub(self.tally.acked))
    }

    /// Whether this message was sent for the last time, without an acknowledgement.
    pub fn gave_up(&self, extended: i64) -> bool {
        self.last_tries.contains(&extended)
    }

    /// Records that a message was resent or acknowledged: it has not been given up. Returns whether it was in
    /// `last_tries`.
    fn goes_on(&mut self, extended: i64) -> bool {
        let at = self.last_tries.iter().position(|number| *number == extended);
        at.is_some_and(|at| {
            self.last_tries.remove(at);
            self.tally.given_up = self.tally.given_up.saturating_sub(1);
            true
        })
    }

    /// The first number counted in the space of this one.
    fn first_in_space(&mut self, extended: i64, seen: Seen) -> i64 {
        // Spaces are 2^49 apart. Numbers below 0 belong to their own space.
        let space = extended.saturating_add(1 << 48) >> 49;
        match self.first.iter().find(|(known, _)| *known == space) {
            Some((_, first)) => *first,
            None => {
                // Numbers that the first message skips are counted as missing.
                let skipped = if let Seen::Ahead(missing) = seen { i64::from(missing) } else { 0 };
                let first = extended.saturating_sub(skipped);
                if self.first.len() < SPACES {
                    self.first.push((space, first));
                }
                first
            }
        }
    }

    /// Numbers that were skipped and never seen.
    pub fn lost(&self) -> u64 {
        self.tally.missing.saturating_sub(self.tally.late.saturating_sub(self.early_numbers))
    }

    /// Requests without an answer, except those whose answer may be in bytes that cannot be read.
    pub fn unanswered(&self) -> u64 {
        self.tally.requests.saturating_sub(self.tally.responses).saturating_sub(self.hidden_answers)
    }

    /// Whether this side sent what the other one answers or acknowledges, or such an answer.
    fn is_mutual(&self) -> bool {
        let Tally { requests, unmatched, pings, stray_pongs, offered, .. } = self.tally;
        self.awaiting + self.acked_unseen + requests + unmatched + pings + stray_pongs + offered > 0
    }

    /// Whether any figure is not 0.
    fn is_used(&self) -> bool {
        self.tally.messages
            + self.tally.requests
            + self.tally.responses
            + self.tally.unmatched
            + self.tally.pings
            + self.tally.pongs
            + self.tally.stray_pongs
            + self.tally.offered
            + self.tally.ended
            > 0
    }
}

/// One connection of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// The conversation.
    pub flow: u64,
    /// The number of the connection in the conversation, from 1.
    pub ordinal: u32,
    /// Its protocol, if it is not the conversation's.
    pub own_proto: Option<&'static str>,
    /// The messages of its protocol in the conversation before it.
    pub before: [u64; 2],
    /// Those before the next connection, if one follows.
    pub until: Option<[u64; 2]>,
    /// The figures of each side's messages.
    pub directions: [Direction; 2],
    /// The state of the network, from numbers and acknowledgements.
    pub path: Path,
}

impl Connection {
    /// The protocol; empty for a sum.
    pub fn proto(&self, flow: Option<&Flow>) -> &'static str {
        self.own_proto.or(flow.map(|flow| flow.proto)).unwrap_or_default()
    }

    fn used(&self) -> bool {
        self.directions.iter().any(Direction::is_used) || self.path.is_listed()
    }

    /// Updates the path with an event of a message of `side`. A stream loses no bytes, so TCP is skipped.
    fn learn(&mut self, event: &Event, side: Side, transport: Transport, now: i64) {
        let (own, other) = (side.index(), side.other().index());
        match event {
            _ if transport == Transport::Tcp => {}
            Event::Sent { seen: Seen::Forgotten, .. } => {}
            Event::Sent { extended, .. } => self.path.sent(own, *extended, now),
            Event::Acked { extended, acked: Acked::First(sent) } => {
                self.path.acked(other, *extended, (sent.copies == 1).then_some(now - sent.time));
            }
            Event::Acked { extended, acked: Acked::Unseen } => self.path.acked(other, *extended, None),
            Event::Report(report) => self.path.report(other, report, now),
            Event::Arrivals(arrivals) => self.path.arrivals(own, arrivals),
            Event::Ping => self.path.ping(own),
            Event::Pong(_) => self.path.pong(other),
            _ => {}
        }
    }
}

/// The connection of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of {
    /// The place of its protocol among those of the conversation.
    pub place: u8,
    /// That protocol, if it is not the conversation's.
    pub own_proto: Option<&'static str>,
    /// Its number in the conversation.
    pub ordinal: u32,
    /// For the message that begins it: the messages of its protocol before it.
    pub messages: [u64; 2],
}

/// The key of a conversation's current connection.
fn key(flow: u64, place: u8) -> u64 {
    flow << 8 | u64::from(place)
}

/// All connections of a capture.
#[derive(Clone, Debug, Default)]
pub struct Deliveries {
    /// In order of their beginning; above [`CONNECTIONS`], the last one is the sum of the others.
    pub connections: Vec<Connection>,
    /// The current connection of each conversation, by the place of the protocol among those of the conversation.
    current: FxHashMap<u64, usize>,
    rows: bool,
    listed: usize,
    /// The number of transmissions that are not listed.
    pub omitted: u64,
    /// Whether the last connection is a sum of several.
    pub summed: bool,
}

impl Deliveries {
    /// `rows`: whether to list every message individually, too.
    pub fn new(rows: bool) -> Deliveries {
        Deliveries { rows, ..Deliveries::default() }
    }

    /// The number of a conversation's connection, if it has any figures.
    pub(super) fn used(&self, flow: u64) -> Option<u32> {
        let connection = self.connections.get(*self.current.get(&key(flow, 0))?)?;
        (connection.used() && connection.flow == flow).then_some(connection.ordinal)
    }

    /// Whether a side of the conversation's connection sent what the other one answers or acknowledges, or such an
    /// answer.
    pub(super) fn is_mutual(&self, flow: u64) -> bool {
        let connection = self.current.get(&key(flow, 0)).and_then(|place| self.connections.get(*place));
        connection.is_some_and(|c| c.flow == flow && c.directions.iter().any(Direction::is_mutual))
    }

    /// The index of the conversation's connection. `begin`: it begins now.
    fn place(&mut self, flow: u64, begin: bool, of: &Of) -> usize {
        let Of { place, own_proto, ordinal, messages } = *of;
        let current = self.current.get(&key(flow, place)).copied();
        if let Some(at) = current
            && !(begin && self.connections.get(at).is_some_and(|c| c.used() && c.flow == flow))
        {
            if begin && let Some(connection) = self.connections.get_mut(at).filter(|c| c.flow == flow) {
                (connection.ordinal, connection.before) = (ordinal, messages);
            }
            return at;
        }
        if let Some(last) = current.and_then(|at| self.connections.get_mut(at)).filter(|c| c.flow == flow) {
            last.until = Some(messages);
        }
        let at = match self.connections.len() {
            CONNECTIONS => {
                self.summed = true;
                if let Some(last) = self.connections.last_mut() {
                    (last.flow, last.ordinal, last.own_proto) = (0, 0, None);
                }
                CONNECTIONS - 1
            }
            n => {
                self.connections.push(Connection {
                    flow,
                    ordinal,
                    own_proto,
                    before: messages,
                    ..Connection::default()
                });
                n
            }
        };
        // Conversations above the cap are not stored either. One that is stored goes on in the sum.
        if !self.summed || current.is_some() {
            self.current.insert(key(flow, place), at);
        }
        at
    }

    /// Counts an event of a message.
    pub(super) fn see(&mut self, seen: &Observation, event: &Event, of: &Of) {
        let Observation { flow, side, frame, message: name, .. } = *seen;
        let now = seen.time.near_nanos();
        // A ping that was filtered out has no entry: its answer counts where it arrived.
        if let Event::CrossFlowPong { flow, side, .. }
        | Event::HiddenPong { flow, side }
        | Event::ShownPong { flow, side } = *event
            && let Some(connection) = self.current.get(&key(flow, 0)).and_then(|at| self.connections.get_mut(*at))
        {
            let asker = &mut connection.directions[side.index()];
            match *event {
                Event::CrossFlowPong { after, .. } => asker.ponged(after),
                Event::HiddenPong { .. } => asker.hidden_pongs += 1,
                _ => asker.hidden_pongs = asker.hidden_pongs.saturating_sub(1),
            }
            return;
        }
        let at = self.place(flow, *event == Event::Begin, of);
        let room = self.rows && self.listed < LISTED;
        let Some(connection) = self.connections.get_mut(at) else { return };
        connection.learn(event, side, seen.transport, now);
        let [a, b] = &mut connection.directions;
        let (own, other) = if side == Side::A { (a, b) } else { (b, a) };
        match *event {
            Event::Begin | Event::Step(_) | Event::Report(_) | Event::Arrivals(_) => {}
            Event::Sent { number, extended, seen, message_id, last_try, handled, acknowledged, .. } => {
                own.transmission(seen, event.is_duplicate(), frame, self.rows);
                // The connections above the cap have one entry together, and no first number.
                if connection.flow > 0 {
                    let first = own.first_in_space(extended, seen);
                    own.early_numbers += u64::from(seen == Seen::Late && extended < first);
                }
                own.awaiting += u64::from(acknowledged && seen.is_first());
                own.losses.see(seen, now);
                if let Seen::Copy { before } = seen {
                    own.resend_time.add(now - before.last_time);
                }
                own.handled(seen, handled);
                let was_acked = matches!(seen, Seen::Copy { before } if before.acked);
                if last_try && !was_acked {
                    own.tally.given_up += 1;
                    own.last_tries.push(extended);
                    if own.last_tries.len() > LAST_TRIES {
                        own.last_tries.remove(0);
                    }
                } else if own.goes_on(extended) {
                    // Neither this nor the sender's other messages were on their last try.
                    own.last_tries.clear();
                    own.tally.given_up = 0;
                }
                match self.rows && seen != Seen::Forgotten {
                    true if room => {
                        self.listed += 1;
                        let row = own.rows.row(Row {
                            extended,
                            number,
                            message: name,
                            message_id,
                            copies: Vec::new(),
                            acked: None,
                            awaits: acknowledged,
                        });
                        let duplicate = event.is_duplicate();
                        row.copies.push(Copied { frame, duplicate, handled: handled.map(|h| h.now) });
                    }
                    true => self.omitted += 1,
                    false => {}
                }
            }
            Event::Acked { extended, acked } => {
                match acked {
                    Acked::First(sent) => {
                        other.tally.acked += 1;
                        other.goes_on(extended);
                        let delay = now - sent.time;
                        other.tally.ack.add(delay);
                        if sent.copies == 1 {
                            other.tally.rtt.add(delay);
                        }
                        if let Some(row) = other.rows.get(extended) {
                            row.acked = Some(frame);
                        }
                    }
                    Acked::Unseen => other.acked_unseen += 1,
                    Acked::Again | Acked::Unknown => {}
                };
            }
            Event::Request => own.tally.requests += 1,
            Event::Answer(after) => {
                other.tally.responses += 1;
                other.tally.response.add(after);
            }
            Event::Unmatched => other.tally.unmatched += 1,
            Event::AnsweredBefore => {
                own.tally.requests += 1;
                own.tally.responses += 1;
            }
            Event::HiddenAnswer => other.hidden_answers += 1,
            Event::ShownAnswer => other.hidden_answers = other.hidden_answers.saturating_sub(1),
            Event::Ping => own.tally.pings += 1,
            Event::Pong(after) | Event::CrossFlowPong { after, .. } => other.ponged(after),
            Event::StrayPong => other.tally.stray_pongs += 1,
            // A ping that was filtered out has no figures.
            Event::HiddenPong { .. } | Event::ShownPong { .. } => {}
            Event::Link(Link::Offered) => own.tally.offered += 1,
            Event::Link(Link::Accepted) => other.tally.accepted += 1,
            Event::Link(Link::Refused) => other.tally.refused += 1,
            Event::Link(Link::Ended(life)) => {
                own.tally.ended += 1;
                own.tally.life.add(life);
            }
        }
    }

    /// The number of a conversation's current connection; 1 if nothing has happened on it.
    pub fn ordinal(&self, flow: u64) -> u32 {
        self.current
            .get(&key(flow, 0))
            .and_then(|at| self.connections.get(*at))
            .map_or(1, |connection| connection.ordinal)
    }

    /// The connections with any events.
    pub fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.connections.iter().filter(|c| c.used())
    }
}

impl Direction {
    fn ponged(&mut self, after: i64) {
        self.tally.pongs += 1;
        self.tally.ping.add(after);
    }

    fn transmission(&mut self, seen: Seen, duplicate: bool, frame: u64, rows: bool) {
        if seen == Seen::Forgotten {
            return;
        }
        self.tally.sent += 1;
        match seen {
            Seen::Copy { .. } if duplicate => self.tally.duplicates += 1,
            Seen::Copy { .. } => self.tally.resent += 1,
            _ => self.tally.messages += 1,
        }
        match seen {
            Seen::Ahead(missing) => {
                self.tally.gaps += 1;
                self.tally.missing += missing as u64;
                if rows && self.rows.gaps.len() < LISTED {
                    self.rows.gaps.push((frame, missing));
                }
            }
            Seen::Late => {
                self.tally.late += 1;
                if rows && self.rows.late.len() < LISTED {
                    self.rows.late.push(frame);
                }
            }
            _ => {}
        }
    }

    fn handled(&mut self, seen: Seen, handled: Option<Handled>) {
        let copy = matches!(seen, Seen::Copy { .. });
        match handled {
            Some(Handled { now: true, before: 0 }) if copy => {
                self.tally.never_handled = self.tally.never_handled.saturating_sub(1)
            }
            Some(Handled { now: true, before: 1 }) => self.tally.handled_twice += 1,
            Some(Handled { now: false, before: 0 }) if !copy => self.tally.never_handled += 1,
            _ => {}
        }
    }
}
