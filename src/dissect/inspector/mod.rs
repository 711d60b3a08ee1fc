//! Turns packets into messages: classifies each conversation and feeds its session.

mod ahead;
mod assignment;
mod batch;
mod classification;
pub(super) mod counters;
mod crew;
mod dispatch;
mod dump;
#[cfg(feature = "cli")]
mod dumped;
#[cfg(feature = "cli")]
mod fit;
mod handler;
mod identify;
mod known;
mod shard;
pub(super) mod sideless;
pub(super) mod unclaimed;
mod weigh;

pub(crate) use ahead::Ahead;
pub(crate) use assignment::Assignment;
pub(crate) use classification::Classification;
pub(crate) use counters::Counters;
pub use crew::{Crew, Outlet};
pub use dispatch::Dispatcher;
pub use dump::dump;
#[cfg(feature = "cli")]
pub(crate) use dump::{Carrier, Payload, carried, recognise};
#[cfg(feature = "cli")]
pub(crate) use dumped::Packets;
#[cfg(feature = "cli")]
pub(crate) use fit::{Reporter, chosen, ranked};
pub use shard::Worker;
pub(crate) use sideless::SidelessList;
pub(crate) use unclaimed::Unclaimed;

use super::dissector::{Dissector, Session, StreamEvent};
use super::flow_info::FlowInfo;
use super::message::{Dissection, Nowhere, Out, Sink};
use super::options::Options;
use super::wants::Wants;
use crate::capture::{Packet, Time};
use crate::flow::{Origin, Side, Stream, Transport};
use classification::{Classified, EventKind, PendingEvent, Running};
use identify::HELD_BYTES;
use known::KnownServers;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::net::SocketAddr;

/// The cap on announced servers of UDP conversations.
const EXPECTED: usize = 4096;

/// Dissects packets into messages, conversation by conversation.
///
/// Implements [`Handler`](crate::flow::Handler) for the flow table, whose conversations have a `Classification` as
/// their state.
pub struct Inspector<'a, S: Sink> {
    options: &'a Options,
    forced: Option<&'static dyn Dissector>,
    sink: &'a mut S,
    /// Hands conversations over to other threads.
    dispatcher: Option<Dispatcher<'a>>,
    /// Whether conversations leave this thread: another one reads them, or nobody.
    may_leave: bool,
    /// The serial number of the current conversation, and the current sequence number.
    sequence: (u64, u64),
    dissection: Dissection,
    expected: FxHashMap<SocketAddr, (u64, &'static str, Box<dyn Session>)>,
    /// Counts the servers that were announced, and those found after conversations with them had been claimed.
    generation: u64,
    known: KnownServers,
    /// Whether conversations receive their sides as soon as others show them. A first reading collects them instead.
    updates_sides: bool,
    /// The first reading of the same capture.
    ahead: Option<Box<Ahead<'a>>>,
    /// The number of conversations named by the user whose payloads have been weighed.
    weighing: usize,
    /// The protocols that fit the last conversation that they were asked about, as bits by their order in the registry.
    fits: Cell<u64>,
    /// Two protocols that fit that conversation equally well.
    tied: Cell<Option<(&'static str, &'static str)>>,
    /// The number of messages emitted by the session that was [run](Inspector::run) last.
    emitted: u64,
    /// The counters.
    pub counters: Counters,
}

impl<'a, S: Sink> Inspector<'a, S> {
    /// An inspector that passes its messages to `sink`.
    pub fn new(options: &'a Options, sink: &'a mut S) -> Inspector<'a, S> {
        let forced = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
        let (mut dissection, counters) = (Dissection::default(), Counters::default());
        dissection.set_wants(options.wants);
        Inspector {
            options,
            forced,
            sink,
            dispatcher: None,
            may_leave: options.part.is_some(),
            sequence: (0, 0),
            dissection,
            expected: FxHashMap::default(),
            generation: 0,
            known: KnownServers::default(),
            updates_sides: true,
            ahead: None,
            weighing: 0,
            fits: Cell::new(0),
            tied: Cell::new(None),
            emitted: 0,
            counters,
        }
    }

    /// Replaces the options' choice of message parts.
    pub fn wants(mut self, wants: Wants) -> Self {
        self.dissection.set_wants(wants);
        self
    }

    /// Sets the dispatcher that hands claimed conversations over to other threads.
    pub fn dispatcher(mut self, dispatcher: Option<Dispatcher<'a>>) -> Self {
        self.may_leave |= dispatcher.is_some();
        self.dispatcher = dispatcher;
        self
    }

    /// Sets the first reading of the same capture, which recognises conversations before they are dissected.
    pub fn ahead(mut self, ahead: Option<Ahead<'a>>) -> Self {
        self.updates_sides = ahead.is_none();
        self.ahead = ahead.map(Box::new);
        self
    }

    /// Records the arrival of a frame of any kind. Returns whether further reading is useless.
    #[inline]
    pub fn frame(&mut self, time: Time) -> bool {
        let Some(dispatcher) = &mut self.dispatcher else { return false };
        dispatcher.first(time);
        let gone = dispatcher.gone();
        self.relieve();
        gone
    }

    /// Notifies the other threads that the capture has ended.
    pub fn end(&mut self) {
        if let Some(mut dispatcher) = self.dispatcher.take() {
            self.sink.sequence(u64::MAX);
            self.sink.hand_over();
            dispatcher.end();
        }
    }

    /// The servers whose datagrams belong to conversations that were read.
    pub fn expects(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.expected.keys().copied()
    }

    /// Whether the conversation is in the part that the user wants. Others are only recognised.
    #[inline]
    fn reads(&self, ends: &[SocketAddr; 2]) -> bool {
        self.options.part.is_none_or(|part| part.has(ends))
    }

    /// The sink of the messages.
    pub fn sink(&mut self) -> &mut S {
        self.sink
    }

    /// Runs a session. Returns whether one of its messages was invalid for its protocol.
    #[inline]
    fn run(
        &mut self,
        flow_info: &FlowInfo<'_>,
        names: [&str; 2],
        owner: Running<'_>,
        work: impl FnOnce(&mut dyn Session, &mut Out<'_>),
    ) -> bool {
        let Running { name: proto, session, lines } = owner;
        let nowhere = &mut Nowhere;
        let skipped = self.may_leave && flow_info.ends.as_ref().is_some_and(|ends| !self.reads(ends));
        let sink: &mut dyn Sink = if skipped { nowhere } else { self.sink };
        let mut out = Out::counting(lines, &mut self.dissection, sink, flow_info, names);
        work(session, &mut out);
        let broken = out.broken();
        self.emitted = out.emitted();
        if flow_info.transport == Transport::Tcp {
            while let Some((server, session)) = session.expects() {
                self.generation += 1;
                if self.expected.len() >= EXPECTED && !self.expected.contains_key(&server) {
                    let oldest = self.expected.iter().min_by_key(|(_, (generation, ..))| *generation);
                    let oldest = oldest.map(|(server, _)| *server);
                    oldest.and_then(|server| self.expected.remove(&server));
                }
                self.expected.insert(server, (self.generation, proto, session));
            }
        }
        broken
    }

    /// Begins a packet, or the end, of a conversation: its messages come after all earlier ones.
    #[inline(always)]
    fn sequence(&mut self, serial: u64) {
        if self.sequence.0 != serial {
            self.sequence = (serial, self.sequence.1 + 1);
            self.sink.sequence(self.sequence.1);
        }
    }

    /// Does the same for work that the reader has dispatched, with the number assigned there.
    #[inline]
    fn set_sequence(&mut self, serial: u64, sequence: u64) {
        if self.sequence != (serial, sequence) {
            self.sequence = (serial, sequence);
            self.sink.sequence(sequence);
        }
    }

    /// Takes a conversation back from its worker, to be read here from now on.
    #[cold]
    fn take_back(&mut self, serial: u64, assignment: Assignment) {
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.forget(assignment, self.sequence.1);
        }
        self.sequence.0 = 0;
        self.sequence(serial);
    }

    /// Ends a round if there is enough for one, or if there are many messages.
    #[inline]
    fn relieve(&mut self) {
        if let Some(dispatcher) = &self.dispatcher
            && (dispatcher.full() || self.sink.full())
        {
            self.round();
        }
    }

    /// Ends a round: hands over all messages and packets, since others may wait for them. Messages come first: the
    /// reader may wait for a shard that waits for them.
    fn round(&mut self) {
        self.end_sequence();
        self.sink.hand_over();
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.deal(self.sequence.1);
        }
    }

    /// Gives all further messages a later sequence number, in any conversation: so the earlier ones can be merged, even
    /// while one conversation continues.
    fn end_sequence(&mut self) {
        self.sequence = (0, self.sequence.1 + 1);
        self.sink.sequence(self.sequence.1);
    }

    fn stream_event(
        &mut self,
        c: &mut Classified,
        side: Side,
        stream: &mut Stream,
        event: StreamEvent<'_>,
        frame: u64,
        time: Time,
    ) {
        self.sequence(c.serial);
        let flow_info = flow_info(c, self.options);
        // As for datagrams.
        if let Classification::Claimed(owner) = &mut c.state
            && (owner.generation == self.generation || self.update(owner, c.transport, &c.ends))
        {
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            owner.given(&event);
            owner.weigh_bytes(side, stream, &event);
            let broken = self.run(&flow_info, c.names.of(&c.ends), owner.running(), |session, out| {
                session.stream(side, stream, event, out)
            });
            if let Classification::Claimed(owner) = &mut c.state {
                owner.has_read(side, &event, self.emitted, broken);
                if !matches!(event, StreamEvent::Data { .. }) {
                    return;
                }
                let watched = owner.watched();
                if broken && !owner.named && owner.outcome.poor() {
                    self.doubt_stream(c, stream);
                } else if watched {
                    self.watch(c);
                }
            }
            return;
        }
        if let Some(mut owner) = self.claimed(c, frame) {
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            owner.given(&event);
            owner.weigh_bytes(side, stream, &event);
            let broken = self.run(&flow_info, c.names.of(&c.ends), owner.running(), |session, out| {
                session.stream(side, stream, event, out)
            });
            owner.has_read(side, &event, self.emitted, broken);
            c.state = Classification::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Classification::Foreign(generation) => {
                stream.consume(stream.bytes().len());
                c.state = Classification::Foreign(generation);
            }
            before => {
                let mut pending =
                    if let Classification::Undecided(pending) = before { pending } else { Box::default() };
                let k = side.index();
                stream.consume(std::mem::take(&mut pending.dropped[k]));
                let bytes = stream.bytes();
                pending.hold(side, bytes, HELD_BYTES);
                if let (StreamEvent::Gap { missing }, true) = (event, bytes.is_empty()) {
                    pending.gap(side, missing);
                    c.state = Classification::Undecided(pending);
                    return;
                }
                if pending.bytes == 0 {
                    c.state = if pending.events.is_empty() {
                        Classification::New
                    } else {
                        Classification::Undecided(pending)
                    };
                    return;
                }
                if let StreamEvent::Gap { missing } | StreamEvent::End { missing } = event {
                    pending.missing[k] = missing;
                }
                let last = matches!(event, StreamEvent::End { .. });
                self.settle(c, pending, last);
                match std::mem::take(&mut c.state) {
                    Classification::Claimed(mut owner) => {
                        stream.consume(std::mem::take(&mut owner.read[side.index()]));
                        owner.given(&event);
                        let broken = self.run(&flow_info, c.names.of(&c.ends), owner.running(), |session, out| {
                            session.stream(side, stream, event, out)
                        });
                        owner.has_read(side, &event, self.emitted, broken);
                        c.state = Classification::Claimed(owner);
                    }
                    Classification::Foreign(generation) => {
                        stream.consume(stream.bytes().len());
                        c.state = Classification::Foreign(generation);
                    }
                    Classification::Undecided(mut pending) => {
                        let forgotten = std::mem::take(&mut pending.full);
                        match event {
                            _ if forgotten => {
                                pending.dropped[k] = 0;
                                stream.consume(stream.bytes().len());
                            }
                            StreamEvent::Data { segments, frame, .. } => {
                                let (end, origin) = (pending.streams[k].len(), Origin { frame, time });
                                let what = EventKind::Data { segments: segments.to_vec(), origin };
                                pending.events.push(PendingEvent { side, end, what });
                            }
                            StreamEvent::Gap { missing } => pending.gap(side, missing),
                            StreamEvent::End { .. } => {}
                        }
                        c.state = Classification::Undecided(pending);
                    }
                    other => c.state = other,
                }
            }
        }
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// Passes on a packet of a conversation that another thread reads.
    #[inline]
    fn dispatch(&mut self, assignment: Assignment, side: Side, packet: &Packet<'_>) {
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.packet(assignment, self.sequence.1, side, packet);
        }
    }
}

fn flow_info<'a>(c: &Classified, options: &'a Options) -> FlowInfo<'a> {
    let Classified { id: flow, serial, transport, ends, opener, syn_seen: begun, leg, .. } = *c;
    FlowInfo { flow, serial, transport, ends: Some(ends), opener, begun, leg, options }
}
