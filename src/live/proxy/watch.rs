//! Reads the packets that pass, as the receiver will, and decides their outcome by the rules.

use super::collect::{Collector, InTransit, MessageCounts, Seen, UNKNOWN};
use super::holds::HeldOutcome;
use super::stream_buffer::{Gone, StreamBuffer};
use super::{DatagramPorts, Direction, Opened};
use crate::capture::connection::{Connection, handshake, last};
use crate::capture::{Body, Packet, Segment, Time};
use crate::dissect::inspector::Classification;
use crate::dissect::{Inspector, Options};
use crate::flow::{Side, Table, Transport};
use crate::live::rules::RuleSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The limit of the bytes that all streams together hold for incomplete messages.
const MOST_HELD: usize = 64 << 20;

/// The outcome of a datagram by the rules.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Whether the whole datagram is dropped.
    pub dropped: bool,
    /// The delay.
    pub delay: Duration,
    /// The number of additional copies.
    pub copies: u32,
    /// The bytes that replace it.
    pub bytes: Option<Vec<u8>>,
    /// Whether it waits for the user; [`Watch::release`] has its outcome then.
    pub held: bool,
}

/// The packets and streams that no longer wait for the user.
#[derive(Debug, Default)]
pub struct Released {
    /// The datagrams, by the number of their packet.
    pub datagrams: Vec<(u64, Verdict)>,
    /// The streams that have to continue.
    pub streams: Vec<[SocketAddr; 2]>,
}

/// A datagram whose messages wait.
struct Parked {
    payload: Vec<u8>,
    in_transit: Vec<InTransit>,
}

/// The outcome of a stream's bytes.
#[derive(Debug, Default)]
pub struct Passing {
    /// The bytes that pass now; `None`: no rules are applied, and the bytes pass unchanged.
    pub gone: Option<Vec<Gone>>,
    /// The messages that were read.
    pub seen: Vec<Seen>,
    /// Whether a message waits for the user: nothing after it is read.
    pub held: bool,
    /// The reason why the stream cannot continue.
    pub broken: Option<&'static str>,
}

/// The state of one stream.
#[derive(Default)]
struct Both {
    connection: Connection,
    buffers: [StreamBuffer; 2],
}

/// Reads the packets that pass.
pub struct Watch<'w, 'c> {
    table: Table<Classification>,
    options: &'w Options,
    inspector: Inspector<'w, Collector<'c>>,
    frame: u64,
    streams: FxHashMap<[SocketAddr; 2], Both>,
    /// The datagrams that wait for the user, by the number of their packet.
    parked: BTreeMap<u64, Parked>,
    /// The memory of all streams' directions.
    held: usize,
}

impl<'w, 'c> Watch<'w, 'c> {
    /// Reads with the user's options, and passes the messages to `collector`.
    pub fn new(options: &'w Options, collector: &'w mut Collector<'c>) -> Watch<'w, 'c> {
        let inspector = Inspector::new(options, collector);
        Watch {
            table: Table::new(options.limits.flow),
            options,
            inspector,
            frame: 0,
            streams: FxHashMap::default(),
            parked: BTreeMap::new(),
            held: 0,
        }
    }

    /// Replaces the rules.
    pub fn replace(&mut self, rules: Arc<RuleSet>) {
        self.inspector.sink().replace(rules);
    }

    /// Returns the sockets that were opened for datagrams beside streams, and the reasons why others were not.
    pub fn opened_for_datagrams(&mut self) -> (Vec<Opened>, Vec<String>) {
        let collector = self.inspector.sink();
        let opened = collector.datagram_ports.as_mut().map(DatagramPorts::opened).unwrap_or_default();
        (opened, std::mem::take(&mut collector.unopened))
    }

    /// Whether datagrams beside streams are followed.
    pub fn follows_datagrams(&mut self) -> bool {
        self.inspector.sink().datagram_ports.is_some()
    }

    /// Returns the counts of the messages in each direction.
    pub fn messages(&mut self) -> [MessageCounts; 2] {
        self.inspector.sink().messages
    }

    /// Starts the stream of a client that connected.
    pub fn opened(&mut self, ends: [SocketAddr; 2], time: Time) -> Vec<Seen> {
        self.streams.insert(ends, Both::default());
        let [(_, syn), (_, answer), _] = handshake();
        self.segment(ends, Direction::Up, syn, time);
        self.segment(ends, Direction::Down, answer, time);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// Reads bytes of a stream, and returns their outcome.
    pub fn bytes(
        &mut self,
        ends: [SocketAddr; 2],
        direction: Direction,
        payload: &[u8],
        time: Time,
        now: Instant,
    ) -> Passing {
        let follows = self.inspector.sink().follows;
        if follows && let Some(both) = self.streams.get_mut(&ends) {
            both.buffers[direction.index()].push(payload);
        }
        self.segment(ends, direction, Segment { payload, ..Segment::default() }, time);
        let collector = self.inspector.sink();
        let mut seen = std::mem::take(&mut collector.seen);
        let mut passing = Passing::default();
        if follows {
            let in_transit = std::mem::take(&mut collector.in_transit);
            let (up, down): (Vec<InTransit>, Vec<InTransit>) =
                in_transit.into_iter().partition(|transit| transit.direction == Direction::Up);
            let mut gone = Vec::new();
            // The server's responses may determine how the client's frames are read.
            for (this, own) in [(Direction::Down, down), (Direction::Up, up)] {
                let (out, broken) = self.settle(ends, this, own, &mut seen, now);
                if this == direction {
                    (gone, passing.broken) = (out, broken);
                } else if let Some(both) = self.streams.get_mut(&ends) {
                    both.buffers[this.index()].keep(out, now);
                }
            }
            passing.gone = Some(gone);
            passing.held = self.is_held(ends, direction);
        }
        self.inspector.sink().count(&seen);
        passing.seen = seen;
        passing
    }

    /// Returns the bytes of one direction that pass.
    fn settle(
        &mut self,
        ends: [SocketAddr; 2],
        direction: Direction,
        in_transit: Vec<InTransit>,
        seen: &mut [Seen],
        now: Instant,
    ) -> (Vec<Gone>, Option<&'static str>) {
        let side = [Side::A, Side::B][direction.index()];
        let [src, dst] = [ends[direction.index()], ends[direction.other().index()]];
        let Some(both) = self.streams.get_mut(&ends) else { return Default::default() };
        let buffer = &mut both.buffers[direction.index()];
        let position = self.table.position(src, dst);
        let (mut decided, mut known, mut flow) = (0, false, 0);
        if let Some(position) = position {
            flow = position.conversation.id;
            let collector = self.inspector.sink();
            if let Some(begun) = position.conversation.state.begun(position.side) {
                // Without rules, only streams whose ports are replaced wait.
                known = collector.needs_whole_messages() || position.conversation.state.names_ports(self.options);
                decided = begun.unwrap_or(position.offset).min(position.offset);
            }
        }
        let before = buffer.memory();
        let writing = &mut self.inspector.sink().writing;
        let (mut gone, mut broken) = (Vec::new(), None);
        if *buffer.flow.get_or_insert(flow) == flow {
            gone = buffer.settle(side, in_transit, seen, writing.get_mut(&flow), decided, known, now);
        } else {
            // With very many conversations, this one was forgotten. No rules are applied any more.
            let touched = seen.iter_mut().filter(|one| one.dropped || one.edited.is_some() || one.copies > 0);
            touched.for_each(|one| one.refuse("its conversation was dropped, because there were too many"));
            gone.extend(buffer.flush(side, None));
        }
        let refused = std::mem::take(&mut buffer.refused);
        let full = self.held.saturating_sub(before) + buffer.memory() > MOST_HELD;
        match buffer.overdue(side, writing.get(&flow), full, now) {
            Some(true) => broken = Some("a message longer than 17 MiB: the bytes after it cannot be encoded again"),
            Some(false) => gone.extend(buffer.flush(side, writing.get_mut(&flow))),
            None => {}
        }
        self.held = self.held.saturating_sub(before) + buffer.memory();
        if let Some(holds) = &self.inspector.sink().holds {
            refused.into_iter().for_each(|(waited, why)| holds.refuse(waited, why));
        }
        (gone, broken)
    }

    /// Returns the time when bytes that wait for the rest of their message must pass.
    pub fn deadline(&self, ends: [SocketAddr; 2], direction: Direction) -> Option<Instant> {
        self.streams.get(&ends)?.buffers[direction.index()].deadline()
    }

    /// Returns the bytes that waited too long for the rest of their message, or wait for the user no longer.
    pub fn overdue(&mut self, ends: [SocketAddr; 2], direction: Direction, now: Instant) -> Vec<Gone> {
        self.settle(ends, direction, Vec::new(), &mut [], now).0
    }

    /// Whether a message of a stream's direction waits for the user.
    pub fn is_held(&self, ends: [SocketAddr; 2], direction: Direction) -> bool {
        self.streams.get(&ends).is_some_and(|both| !both.buffers[direction.index()].waiting.is_empty())
    }

    /// Applies the user's decisions, and passes the messages that nobody decided in time. Called often.
    pub fn release(&mut self, now: Instant) -> Released {
        let mut released = Released::default();
        let Some(holds) = self.inspector.sink().holds.clone() else { return released };
        for (id, choice, outcome) in holds.choices(now) {
            let own = |transit: &&mut InTransit| transit.held.as_ref().is_some_and(|waits| waits.id == id);
            let collector = self.inspector.sink();
            let of_datagram = self.parked.iter_mut().find_map(|(frame, parked)| {
                collector.decide(parked.in_transit.iter_mut().find(own)?, &choice, outcome, self.options);
                Some((*frame, parked.in_transit.iter().any(|transit| transit.held.is_some())))
            });
            match of_datagram {
                Some((_, true)) => continue,
                Some((frame, false)) => {
                    if let Some(Parked { payload, in_transit }) = self.parked.remove(&frame) {
                        let waited: Vec<_> = in_transit.iter().filter_map(|transit| transit.waited).collect();
                        let (verdict, why) = verdict(collector, in_transit, &payload);
                        why.iter().for_each(|why| waited.iter().for_each(|one| holds.refuse(*one, why)));
                        released.datagrams.push((frame, verdict));
                    }
                    continue;
                }
                None => {}
            }
            let of_stream = self.streams.iter_mut().find_map(|(ends, both)| {
                both.buffers.iter_mut().find_map(|buffer| {
                    collector.decide(buffer.waiting.iter_mut().find(own)?, &choice, outcome, self.options);
                    buffer.decided(now);
                    Some(*ends)
                })
            });
            match of_stream {
                Some(ends) => released.streams.push(ends),
                None => holds.done(id, HeldOutcome::Gone),
            }
        }
        released
    }

    /// Ends a direction of a stream. All waiting bytes pass.
    pub fn ended(&mut self, ends: [SocketAddr; 2], direction: Direction, reset: bool, time: Time) -> Passing {
        self.inspector.sink().ending = true;
        self.segment(ends, direction, last(reset), time);
        let collector = self.inspector.sink();
        collector.ending = false;
        let seen = std::mem::take(&mut collector.seen);
        let mut gone = Vec::new();
        if let Some(both) = self.streams.get_mut(&ends) {
            let buffer = &mut both.buffers[direction.index()];
            let before = buffer.memory();
            gone = buffer.flush([Side::A, Side::B][direction.index()], None);
            self.held = self.held.saturating_sub(before) + buffer.memory();
        }
        self.inspector.sink().count(&seen);
        Passing { gone: Some(gone), seen, ..Passing::default() }
    }

    /// Removes the state of a client that is gone, and returns the messages that were held back.
    pub fn forget(&mut self, transport: Transport, ends: [SocketAddr; 2]) -> Vec<Seen> {
        if transport == Transport::Tcp
            && let Some(both) = self.streams.remove(&ends)
        {
            for buffer in &both.buffers {
                self.held = self.held.saturating_sub(buffer.memory());
                let held = buffer.waiting.iter().filter_map(|transit| transit.held.as_ref());
                let holds = &self.inspector.sink().holds;
                held.for_each(|waits| holds.iter().for_each(|holds| holds.done(waits.id, HeldOutcome::Gone)));
            }
        }
        // All of them have already passed.
        self.inspector.sink().frame = 0;
        let Some(flow) = self.table.end(transport, &ends, &mut self.inspector) else { return Vec::new() };
        let collector = self.inspector.sink();
        collector.forget(flow);
        collector.in_transit.clear();
        let seen = std::mem::take(&mut collector.seen);
        collector.count(&seen);
        seen
    }

    /// Returns the number of remembered conversations.
    #[cfg(test)]
    pub fn conversations(&self) -> usize {
        self.table.len()
    }

    fn segment(&mut self, ends: [SocketAddr; 2], direction: Direction, segment: Segment<'_>, time: Time) {
        let Some(both) = self.streams.get_mut(&ends) else { return };
        let segment = both.connection.next(direction.index(), segment);
        self.packet(ends, direction, Body::Tcp(segment), time);
    }

    fn packet(&mut self, ends: [SocketAddr; 2], direction: Direction, body: Body<'_>, time: Time) {
        self.frame += 1;
        self.inspector.sink().frame = self.frame;
        let [src, dst] = [ends[direction.index()], ends[direction.other().index()]];
        let packet = Packet { frame: self.frame, frames: &[], time, src, dst, leg: None, body };
        self.table.packet(&packet, &mut self.inspector);
    }

    /// Returns all servers that streams have named for their datagrams so far. The datagrams do not pass through the
    /// proxy.
    pub fn named(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.inspector.expects()
    }

    /// Returns the number of packets so far.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Ends the reading, and returns the messages that were held back.
    pub fn finish(mut self) -> Vec<Seen> {
        self.table.finish(&mut self.inspector);
        let seen = std::mem::take(&mut self.inspector.sink().seen);
        self.inspector.sink().count(&seen);
        seen
    }

    /// Reads a datagram, and returns its outcome. `ends`: the client's and the server's address.
    pub fn datagram(
        &mut self,
        ends: [SocketAddr; 2],
        direction: Direction,
        payload: &[u8],
        time: Time,
    ) -> (Verdict, Vec<Seen>) {
        self.packet(ends, direction, Body::Udp { payload, length: payload.len() }, time);
        let collector = self.inspector.sink();
        let in_transit = std::mem::take(&mut collector.in_transit);
        let mut seen = std::mem::take(&mut collector.seen);
        let kept = in_transit.iter().filter(|transit| transit.kept).count() as u64;
        if in_transit.iter().any(|transit| transit.held.is_some()) {
            if in_transit.iter().map(|transit| transit.length).sum::<usize>() == payload.len() {
                collector.count(&seen);
                self.parked.insert(self.frame, Parked { payload: payload.to_vec(), in_transit });
                return (Verdict { held: true, ..Verdict::default() }, seen);
            }
            let waited = in_transit.iter().filter_map(|transit| transit.waited);
            waited.for_each(|waited| collector.holds.iter().for_each(|holds| holds.refuse(waited, UNKNOWN)));
        }
        let (verdict, why) = verdict(collector, in_transit, payload);
        if let Some(why) = why {
            for one in seen.iter_mut().filter(|one| one.dropped || one.edited.is_some()) {
                one.refuse(&why);
            }
        }
        let collector = self.inspector.sink();
        collector.count(&seen);
        if verdict.copies > 0 && !verdict.dropped {
            collector.messages[direction.index()].copies += kept * u64::from(verdict.copies);
        }
        (verdict, seen)
    }
}

/// Returns the outcome of a datagram with these messages, and the reason why it cannot be changed.
fn verdict(collector: &mut Collector<'_>, in_transit: Vec<InTransit>, payload: &[u8]) -> (Verdict, Option<String>) {
    let mut verdict = Verdict {
        delay: in_transit.iter().map(|transit| transit.delay).max().unwrap_or_default(),
        copies: in_transit.iter().map(|transit| transit.copies).max().unwrap_or(0),
        ..Verdict::default()
    };
    if in_transit.iter().any(InTransit::changes) {
        let whole = in_transit.iter().map(|transit| transit.length).sum::<usize>() == payload.len();
        if whole && in_transit.iter().all(|transit| !transit.kept) {
            verdict.dropped = true;
        } else {
            match collector.packet(in_transit, payload) {
                Ok(bytes) => verdict.bytes = Some(bytes),
                Err(why) => return (verdict, Some(why)),
            }
        }
    }
    (verdict, None)
}
