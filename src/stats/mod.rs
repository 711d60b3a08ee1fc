//! Statistics of a capture: messages by kind, conversation and time, and their delivery.
//!
//! [`Stats`] is a [`Sink`]: it counts messages and stores none. Its memory does not grow with the length of the
//! capture: conversations above 100,000 are not listed, connections above 1,024 share one entry, timelines
//! widen their steps, percentiles come from histograms. In the steady state there is no allocation per message.
//!
//! [`Report`] prints the statistics as tables and JSON, `diff` compares two captures, `Track` follows one field.

pub(crate) mod aligned;
pub(crate) mod connections;
pub(crate) mod copies;
#[cfg(feature = "cli")]
pub(crate) mod course;
pub(crate) mod delivery;
#[cfg(feature = "cli")]
pub(crate) mod diff;
pub(crate) mod directions;
pub(crate) mod ends;
pub(crate) mod figure;
#[cfg(feature = "cli")]
pub(crate) mod groups;
pub(crate) use crate::traffic::histogram;
#[cfg(feature = "cli")]
mod limits;
pub(crate) mod losses;
#[cfg(feature = "cli")]
mod metric;
#[cfg(feature = "cli")]
mod noise;
#[cfg(feature = "cli")]
pub(crate) mod noted;
mod observed;
mod order;
#[cfg(feature = "cli")]
mod outcomes;
#[cfg(feature = "parquet")]
mod parquet;
mod payloads;
#[cfg(feature = "cli")]
pub(crate) mod plot;
pub(crate) mod report;
#[cfg(feature = "cli")]
mod report_diff;
pub(crate) mod rows;
pub(crate) mod sides;
pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod timeline;
#[cfg(feature = "cli")]
pub(crate) mod top;
#[cfg(feature = "cli")]
pub(crate) mod track;
#[cfg(feature = "cli")]
mod track_rows;
pub(crate) mod verdicts;
#[cfg(feature = "cli")]
pub(crate) mod waiting;
pub(crate) mod when;

#[cfg(feature = "cli")]
pub(crate) use self::{
    aligned::text as aligned_text,
    groups::Groups,
    order::Order,
    outcomes::Outcomes,
    plot::{Plot, Stacked},
    table::Shape,
    table::{Cell, Table, separated_text},
    track::{Sparklines, Track},
    track_rows::Rows,
    verdicts::RULES,
    verdicts::Verdict,
    waiting::{Listed, Waiting},
};
use crate::capture::Time;
use crate::codec::layout::Field;
use crate::dissect::delivery::Event;
use crate::dissect::{Account, Message, Options, Registry, Role, Sink};
use crate::flow::{Closing, End, Side, Transport};
use crate::read::CaptureSink;
use crate::traffic::life::LastSeen;
use crate::traffic::sequence::Acked;
use delivery::{Deliveries, Of};
pub(crate) use observed::Observer;
pub(crate) use observed::{Observation, Observed};
pub use report::Report;
use rustc_hash::{FxHashMap, FxHashSet};
use std::net::SocketAddr;
use timeline::Timeline;
pub(crate) use verdicts::verdicts;

/// The cap on conversations with a separate entry.
pub(crate) const CONVERSATIONS: usize = 100_000;
/// The number of steps of the chart's timeline.
const CHART_STEPS: usize = 4096;
/// The cap on rows of `--by second`: a day; longer captures get rows of 2 s, 4 s, and so on.
pub(crate) const SECONDS: usize = 86_400;
/// The number of steps of the timeline of a kind of message.
const COURSE_STEPS: usize = 64;
/// The cap on field names per message that are stored to compare captures.
const FIELDS: usize = 2000;
/// The sender among a message's fields: client, server.
pub(crate) const SENDERS: [&str; 2] = ["(from the client)", "(from the server)"];

/// The counters of a kind of message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kind {
    /// The number of messages.
    pub count: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// The length of the longest message.
    pub largest: u64,
    /// Whether they were sent over TCP, or numbered and acknowledged by the protocol.
    pub reliable: bool,
    /// The number of messages with a fault.
    pub faults: u64,
    /// The paths of the fields that occurred, and the number of occurrences, if requested.
    pub fields: FxHashMap<Vec<&'static str>, u64>,
    /// The messages over time, if fields are requested.
    pub(crate) course: Option<Timeline>,
}

impl Kind {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
        self.largest = self.largest.max(bytes);
    }
}

/// The counters of a conversation. Arrays are indexed by [`Side`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// The conversation's number.
    pub id: u64,
    /// The protocol.
    pub proto: &'static str,
    /// The protocol's version as of the last message.
    pub version: Option<&'static str>,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints; `None` for hex text.
    pub ends: Option<[SocketAddr; 2]>,
    /// The server's side, if known.
    pub server: Option<Side>,
    /// The time of the earliest message.
    pub first: Time,
    /// The time of the latest message.
    pub last: Time,
    /// The highest frame of a message.
    last_frame: u64,
    /// The number of messages.
    pub messages: [u64; 2],
    /// Their bytes on the wire.
    pub bytes: [u64; 2],
    /// The end of the transport.
    pub closing: Closing,
    /// The time of each side's last message; `None` if only its carrier has sent any.
    last_seen: LastSeen,
    /// That of the newest message's sender before this message.
    seen_before: Option<i64>,
    /// The longest silence of each side on its last connection.
    silences: [losses::Silence; 2],
    /// The last connection, if any event belongs to one.
    current: Option<Box<ends::Current>>,
    /// The number of requests for its connections.
    requests: u64,
    /// The last message's name.
    pub last_message: &'static str,
    /// The protocol of the last message: its name in the output, its place among [`protos`](Self::protos).
    of_last: (&'static str, u8),
    /// The protocol, and those whose datagrams are among its own.
    protos: Vec<&'static str>,
    /// The messages up to the last change between these protocols: all of them, and those of each.
    until_change: ([u64; 2], Vec<[u64; 2]>),
}

/// Optional parts of the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Whether to list every numbered message individually.
    pub rows: bool,
    /// Whether to collect the fields and times of each kind of message, to compare captures.
    pub fields: bool,
}

/// All counters.
#[derive(Debug, Default)]
pub struct Stats {
    /// The number of messages.
    pub messages: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// The number of messages with a fault.
    pub faults: u64,
    /// The number of messages with a warning or an error, but no fault.
    pub warnings: u64,
    /// The time of the earliest message.
    pub first: Option<Time>,
    /// The time of the latest message.
    pub last: Option<Time>,
    /// The counters by protocol and message.
    pub(crate) kinds: FxHashMap<(&'static str, &'static str), Kind>,
    /// The counters by protocol and schema message.
    pub(crate) schemas: FxHashMap<(&'static str, &'static str), Kind>,
    /// The conversations in order of their first message.
    pub(crate) flows: Vec<Flow>,
    /// The number of messages in conversations above the cap.
    pub unlisted: u64,
    /// Whether the input was not read to its end; set by its reader, for [`Report::json`].
    pub stopped: bool,
    /// The order of the tables that [`Report`] names; set by its reader.
    pub(crate) order: order::Order,
    /// Whether only selected messages are counted, so that the ends of connections are not known.
    pub selected: bool,
    /// The account of the frames that were read or skipped.
    pub account: Account,
    /// The timeline for charts.
    pub(crate) chart: Timeline,
    /// The timeline by second.
    pub(crate) seconds: Timeline,
    /// Numbered messages, requests, links.
    pub(crate) delivery: Deliveries,
    /// The connections before the last one of each conversation, by the number of the conversation.
    past: Vec<(u64, ends::Ended)>,
    /// The endpoints whose packets the capture lacks in some conversation.
    uncaptured: FxHashSet<SocketAddr>,
    /// The endpoints of which the capture has packets.
    captured: FxHashSet<SocketAddr>,
    /// The number of ended connections for which there was no more room.
    pub(crate) omitted_ends: u64,
    /// Whether a message was tried for the last time: then acknowledgements decide whether the connection is dropped.
    last_tries: bool,
    places: FxHashMap<u64, usize>,
    latest: (u64, usize),
    /// The place of the last message's protocol among those of its conversation.
    place: u8,
    observer: Observer,
    observed: Vec<Observed>,
    path: Vec<(&'static str, u32)>,
    wanted: Wanted,
    registry: Registry,
}

impl Stats {
    /// Statistics without any counts. `options` are those with which the capture is read.
    pub fn new(options: &Options, wanted: Wanted) -> Stats {
        Stats {
            chart: Timeline::round(CHART_STEPS),
            seconds: Timeline::new(1_000_000_000, SECONDS),
            delivery: Deliveries::new(wanted.rows),
            latest: (u64::MAX, 0),
            observer: Observer::new(options),
            wanted,
            registry: options.registry.clone(),
            ..Stats::default()
        }
    }

    /// The time from the first message to the last, in seconds.
    pub fn duration(&self) -> f64 {
        match (self.first, self.last) {
            (Some(first), Some(last)) => last.since(first).max(0) as f64 / 1e9,
            _ => 0.0,
        }
    }

    /// The time from the first frame of the input to the last, in seconds; of its messages, if no frames were counted.
    pub fn observed(&self) -> f64 {
        let span = self.account.span.map(|(first, last)| last.since(first).max(0) as f64 / 1e9);
        span.unwrap_or_else(|| self.duration())
    }

    /// The conversation of this number.
    pub(crate) fn flow(&self, id: u64) -> Option<&Flow> {
        self.flows.get(*self.places.get(&id)?)
    }

    /// The number of the last message's connection in this conversation, from 1.
    pub(crate) fn connection(&self, flow: u64) -> u32 {
        // Another protocol than the conversation's has one connection.
        if self.place > 0 { 1 } else { self.delivery.ordinal(flow) }
    }

    /// The index of the message's conversation, which is added if there is room.
    fn conversation(&mut self, seen: &Observation) -> Option<usize> {
        let id = seen.flow;
        if self.latest.0 != id {
            let place = match self.places.get(&id) {
                Some(place) => *place,
                None if self.flows.len() >= CONVERSATIONS => return None,
                None => {
                    self.flows.push(Flow {
                        id,
                        transport: seen.transport,
                        ends: seen.ends,
                        first: seen.time,
                        last: seen.time,
                        ..Flow::default()
                    });
                    self.places.insert(id, self.flows.len() - 1);
                    self.flows.len() - 1
                }
            };
            self.latest = (id, place);
        }
        Some(self.latest.1)
    }

    /// Stores the fields of the message.
    fn fields(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        let Some(kind) = self.kinds.get_mut(&(dissection.proto, dissection.message)) else { return };
        let course = kind.course.get_or_insert_with(|| Timeline::new(1_000_000, COURSE_STEPS));
        course.add(message.place.time.near_nanos(), message.counted());
        self.path.clear();
        let mut names: Vec<&'static str> = Vec::new();
        for (k, node) in dissection.tree.nodes().iter().enumerate() {
            while self.path.last().is_some_and(|(_, end)| *end as usize <= k) {
                self.path.pop();
            }
            let field: &'static Field = node.field;
            let name = if dissection.tree.name_from_traffic(node) { "*" } else { field.name };
            if !node.hidden() {
                names.clear();
                names.extend(self.path.iter().map(|(name, _)| *name));
                names.push(name);
                if let Some(count) = kind.fields.get_mut(&names) {
                    *count += 1;
                } else if kind.fields.len() < FIELDS {
                    kind.fields.insert(names.clone(), 1);
                }
            }
            if node.end as usize > k + 1 {
                self.path.push((name, node.end));
            }
        }
        // A message that the other side sends now differs, too.
        let sender = match dissection.from {
            Role::Client => 0,
            Role::Server => 1,
            Role::Unknown => return,
        };
        names.clear();
        names.push(SENDERS[sender]);
        match kind.fields.get_mut(&names) {
            Some(count) => *count += 1,
            None => _ = kind.fields.insert(names, 1),
        }
    }
}

/// The protocol of a line: a carrier (`websocket`) counts as the protocol it carries.
fn protocol_of(line: &'static str, registry: &Registry) -> &'static str {
    registry.for_line(line).map_or(line, |d| d.name())
}

impl Flow {
    /// The place of a line's protocol among those of the conversation: a carrier's lines belong to the first.
    fn place_of(&mut self, line: &'static str, registry: &Registry) -> u8 {
        let named = registry.by_name(line).is_some();
        if named && let Some(place) = self.protos.iter().position(|proto| *proto == line) {
            return place as u8;
        }
        match (named, self.protos.len()) {
            (false, _) if !self.proto.is_empty() => 0,
            // Until a message shows the protocol, it is guessed from its carrier.
            (false, _) => {
                self.proto = protocol_of(line, registry);
                0
            }
            (true, 0) => {
                self.proto = line;
                self.protos.push(line);
                0
            }
            (true, place @ 1..=255) => {
                self.protos.push(line);
                place as u8
            }
            (true, _) => 0,
        }
    }

    /// Counts the messages since the last change for the protocol that sent them, if the next one is of another.
    fn change(&mut self, next: u8) {
        let last = usize::from(self.of_last.1);
        if last != usize::from(next) {
            let since = self.since_change();
            let (until, of_each) = &mut self.until_change;
            *until = self.messages;
            of_each.resize(of_each.len().max(last + 1), [0; 2]);
            of_each[last].iter_mut().zip(since).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The messages since the last change between protocols.
    fn since_change(&self) -> [u64; 2] {
        [0, 1].map(|side| self.messages[side] - self.until_change.0[side])
    }

    /// Whether messages of several protocols are in it.
    pub(crate) fn is_shared(&self) -> bool {
        self.protos.len() > 1
    }

    /// The messages of this protocol, if there are several; `None` is the protocol of the conversation.
    pub(crate) fn messages_of(&self, own_proto: Option<&str>) -> [u64; 2] {
        let place = own_proto.and_then(|name| self.protos.iter().position(|proto| *proto == name)).unwrap_or(0);
        let before = self.until_change.1.get(place).copied().unwrap_or_default();
        let since = if usize::from(self.of_last.1) == place { self.since_change() } else { [0; 2] };
        [0, 1].map(|side| before[side] + since[side])
    }
}

impl Stats {
    /// Counts messages with all their parts, and the ends of conversations, in order.
    pub fn count(&mut self, items: &[Observed]) {
        let mut last = None;
        for item in items {
            match (item, last) {
                (Observed::Message(seen), _) => {
                    last = Some(seen);
                    self.seen(seen);
                }
                (Observed::Schema(name, bytes), Some(seen)) => {
                    let kind = self.schemas.entry((seen.proto, name)).or_default();
                    kind.add(*bytes);
                    kind.reliable |= seen.reliable;
                }
                (Observed::Event(event), Some(seen)) => {
                    let place = self.place;
                    let ordinal = match event {
                        // The conversation's protocol decides how it ends.
                        _ if place > 0 => 1,
                        Event::Begin | Event::Step(_) | Event::Ping => self.step(event, seen),
                        Event::Acked { acked: Acked::First(_), .. } if self.last_tries => self.step(event, seen),
                        _ => 1,
                    };
                    if !matches!(event, Event::Step(_)) {
                        let own_proto = (place > 0).then_some(seen.proto);
                        let mut messages = [0; 2];
                        if *event == Event::Begin
                            && let Some(flow) = self.flow(seen.flow)
                        {
                            messages = flow.messages_of(own_proto);
                            // They include this one.
                            messages[seen.side.index()] = messages[seen.side.index()].saturating_sub(1);
                        }
                        self.delivery.see(seen, event, &Of { place, own_proto, ordinal, messages });
                    }
                }
                (Observed::Farewell(words), Some(seen)) => {
                    let current = self.flow_mut(seen.flow).and_then(|flow| flow.current.as_mut());
                    current.into_iter().for_each(|current| current.farewell(words.text()));
                }
                (Observed::Ended(flow, how), _) => self.end(*flow, *how),
                (Observed::Schema(..) | Observed::Event(_) | Observed::Farewell(_), None) => {}
            }
        }
    }

    fn seen(&mut self, seen: &Observation) {
        let Observation { bytes, time, side, .. } = *seen;
        self.messages += 1;
        self.bytes += bytes;
        self.faults += u64::from(seen.fault);
        self.warnings += u64::from(seen.warned && !seen.fault);
        let kind = self.kinds.entry((seen.proto, seen.message)).or_default();
        kind.add(bytes);
        kind.faults += u64::from(seen.fault);
        kind.reliable |= seen.reliable;

        // Messages of hex text have no time and no conversation.
        if seen.ends.is_none() {
            return;
        }
        if self.first.is_none_or(|first| time.since(first) < 0) {
            self.first = Some(time);
        }
        let newest = self.last.is_none_or(|last| time.since(last) > 0);
        if newest {
            self.last = Some(time);
        }
        let nanos = time.near_nanos();
        self.chart.add(nanos, bytes);
        self.seconds.add(nanos, bytes);

        let Some(place) = self.conversation(seen) else {
            self.place = 0;
            self.unlisted += 1;
            return;
        };
        let Some(flow) = self.flows.get_mut(place) else { return };
        // The names are static: the same one is nearly always in the same place.
        if !std::ptr::eq(flow.of_last.0, seen.proto) {
            let place = flow.place_of(seen.proto, &self.registry);
            flow.change(place);
            flow.of_last = (seen.proto, place);
        }
        self.place = flow.of_last.1;
        flow.version = seen.version.or(flow.version);
        flow.server = match seen.from {
            Role::Server => Some(side),
            Role::Client => Some(side.other()),
            Role::Unknown => flow.server,
        };
        if newest || time.since(flow.last) > 0 {
            flow.last = time;
        } else if time.since(flow.first) < 0 {
            flow.first = time;
        }
        // A message that turned out to be incomplete may come after messages of later frames.
        let is_late = seen.frame < flow.last_frame;
        flow.silences[side.index()].message(nanos, is_late);
        flow.seen_before = flow.last_seen[side.index()];
        // Sides that use the carrier alone have not talked to each other yet.
        if !seen.carrier_alone || flow.last_seen.iter().all(Option::is_some) {
            let last_seen = &mut flow.last_seen[side.index()];
            *last_seen = if is_late { (*last_seen).max(Some(nanos)) } else { Some(nanos) };
        }
        flow.last_frame = flow.last_frame.max(seen.frame);
        flow.messages[side.index()] += 1;
        flow.bytes[side.index()] += bytes;
        flow.last_message = seen.message;
    }

    fn end(&mut self, flow: u64, how: Closing) {
        let Some(place) = self.places.get(&flow).copied() else { return };
        if let Some(flow) = self.flows.get_mut(place) {
            // An evicted conversation that has returned begins anew.
            let before = std::mem::replace(&mut flow.closing, how);
            for side in Side::BOTH.map(Side::index) {
                flow.closing.packets[side] += before.packets[side];
                flow.closing.losses[side] += before.losses[side];
            }
        }
        let Some(flow) = self.flows.get(place) else { return };
        if let Some(ends) = flow.ends {
            let sent = ends.into_iter().zip(flow.closing.packets).filter(|(_, packets)| *packets > 0);
            self.captured.extend(sent.map(|(end, _)| end));
        }
        if let (Some(side), Some(ends)) = (self.uncaptured(flow), flow.ends) {
            self.uncaptured.insert(ends[side.index()]);
        }
    }

    fn flow_mut(&mut self, id: u64) -> Option<&mut Flow> {
        self.flows.get_mut(*self.places.get(&id)?)
    }
}

impl CaptureSink for Stats {}

impl Sink for Stats {
    fn message(&mut self, message: &Message<'_>) {
        let mut observed = std::mem::take(&mut self.observed);
        observed.clear();
        self.observer.message(message, &mut observed);
        self.count(&observed);
        self.observed = observed;
        if self.wanted.fields {
            self.fields(message);
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.end(flow, how);
    }

    // The conversation may stay in the table for long.
    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        // The time of the newest message: nearly that of the end.
        let now = self.last.map_or(0, Time::near_nanos);
        if let Some(flow) = self.flow_mut(flow) {
            flow.closing.by[side.index()] = Some(why);
            flow.closing.first.get_or_insert((side, now));
        }
    }
}
