//! Reads what passes, as the receiver will, and says what the rules make of it.

use super::collect::{Collector, Piece, Seen};
use super::lane::{Gone, Lane};
use super::{Beside, Opened, Way};
use crate::capture::{Body, Packet, Segment, Time};
use crate::dissect::inspector::Classification;
use crate::dissect::{Inspector, Options};
use crate::flow::{Side, Table, Transport};
use crate::live::rules::RuleSet;
use rustc_hash::FxHashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// All streams together hold no more for messages that are not whole.
const MOST_HELD: usize = 64 << 20;

/// What the rules make of a datagram.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Nothing of it is left.
    pub dropped: bool,
    /// How much later it comes.
    pub delay: Duration,
    /// How often it comes beside the first time.
    pub copies: u32,
    /// What comes instead of it.
    pub bytes: Option<Vec<u8>>,
}

/// What becomes of a stream's bytes.
#[derive(Debug, Default)]
pub struct Passing {
    /// What passes on now; `None`: nobody follows rules, the very bytes do.
    pub gone: Option<Vec<Gone>>,
    /// The messages that were read.
    pub seen: Vec<Seen>,
    /// Why the stream cannot go on.
    pub broken: Option<&'static str>,
}

/// The state of one stream.
#[derive(Debug)]
struct Both {
    /// The next sequence number of each direction.
    next: [u32; 2],
    lanes: [Lane; 2],
}

/// Reads what passes.
pub struct Watch<'w, 'c> {
    table: Table<Classification>,
    options: &'w Options,
    inspector: Inspector<'w, Collector<'c>>,
    frame: u64,
    streams: FxHashMap<[SocketAddr; 2], Both>,
    /// What all lanes hold.
    held: usize,
}

impl<'w, 'c> Watch<'w, 'c> {
    /// Reads with the user's options, and hands the messages to `collector`.
    pub fn new(options: &'w Options, collector: &'w mut Collector<'c>) -> Watch<'w, 'c> {
        let inspector = Inspector::new(options, collector);
        Watch {
            table: Table::new(options.limits.flow),
            options,
            inspector,
            frame: 0,
            streams: FxHashMap::default(),
            held: 0,
        }
    }

    /// Follows other rules from now on.
    pub fn replace(&mut self, rules: Arc<RuleSet>) {
        self.inspector.sink().replace(rules);
    }

    /// Sockets that were opened for datagrams beside streams, and why others were not.
    pub fn opened_beside(&mut self) -> (Vec<Opened>, Vec<String>) {
        let collector = self.inspector.sink();
        let opened = collector.beside.as_mut().map(Beside::opened).unwrap_or_default();
        (opened, std::mem::take(&mut collector.unopened))
    }

    /// Are datagrams beside streams followed?
    pub fn follows_beside(&mut self) -> bool {
        self.inspector.sink().beside.is_some()
    }

    /// How many messages each direction had to say again.
    pub fn resent(&mut self) -> [u64; 2] {
        self.inspector.sink().resent
    }

    /// A client has connected to a stream.
    pub fn opened(&mut self, ends: [SocketAddr; 2], time: Time) -> Vec<Seen> {
        self.streams.insert(ends, Both { next: [1000, 5000], lanes: Default::default() });
        self.segment(ends, Way::Up, Segment { syn: true, ..Segment::default() }, time);
        self.segment(ends, Way::Down, Segment { syn: true, has_ack: true, ..Segment::default() }, time);
        std::mem::take(&mut self.inspector.sink().seen)
    }

    /// Bytes of a stream come.
    pub fn bytes(&mut self, ends: [SocketAddr; 2], way: Way, payload: &[u8], time: Time, now: Instant) -> Passing {
        let follows = self.inspector.sink().follows;
        if follows && let Some(both) = self.streams.get_mut(&ends) {
            both.lanes[way.index()].push(payload);
        }
        self.segment(ends, way, Segment { payload, length: payload.len(), ..Segment::default() }, time);
        let collector = self.inspector.sink();
        let mut seen = std::mem::take(&mut collector.seen);
        let mut passing = Passing::default();
        if follows {
            let pieces = std::mem::take(&mut collector.pieces);
            let (up, down): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(|piece| piece.way == Way::Up);
            let mut gone = Vec::new();
            // What the server has answered says how frames of the client are read.
            for (this, own) in [(Way::Down, down), (Way::Up, up)] {
                let (out, broken) = self.settle(ends, this, &own, &mut seen, now);
                if this == way {
                    (gone, passing.broken) = (out, broken);
                }
            }
            passing.gone = Some(gone);
        }
        self.inspector.sink().count(&seen);
        passing.seen = seen;
        passing
    }

    /// What passes on of one direction.
    fn settle(
        &mut self,
        ends: [SocketAddr; 2],
        way: Way,
        pieces: &[Piece],
        seen: &mut [Seen],
        now: Instant,
    ) -> (Vec<Gone>, Option<&'static str>) {
        let side = [Side::A, Side::B][way.index()];
        let [src, dst] = [ends[way.index()], ends[way.other().index()]];
        let Some(both) = self.streams.get_mut(&ends) else { return Default::default() };
        let lane = &mut both.lanes[way.index()];
        let position = self.table.position(src, dst);
        let (mut decided, mut known, mut flow) = (0, false, 0);
        if let Some(position) = position {
            flow = position.conversation.id;
            let collector = self.inspector.sink();
            if let Some(begun) = position.conversation.state.begun(position.side) {
                // Without rules only streams wait in which ports are replaced.
                known = collector.rules_come || position.conversation.state.names_ports(self.options);
                decided = begun.unwrap_or(position.offset).min(position.offset);
            }
        }
        let before = lane.memory();
        let writing = &mut self.inspector.sink().writing;
        let (mut gone, mut broken) = (Vec::new(), None);
        if *lane.flow.get_or_insert(flow) == flow {
            gone = lane.settle(side, pieces, seen, writing.get_mut(&flow), decided, known, now);
        } else {
            // So many conversations at once that this one was forgotten: nobody follows it.
            let touched = seen.iter_mut().filter(|one| one.dropped || one.edited.is_some() || one.copies > 0);
            touched.for_each(|one| one.refuse("its conversation was forgotten in between"));
            gone.extend(lane.flush(side, None));
        }
        let full = self.held.saturating_sub(before) + lane.memory() > MOST_HELD;
        match lane.overdue(side, writing.get(&flow), full, now) {
            Some(true) => broken = Some("a message longer than any: what is behind it cannot be made anew"),
            Some(false) => gone.extend(lane.flush(side, writing.get_mut(&flow))),
            None => {}
        }
        self.held = self.held.saturating_sub(before) + lane.memory();
        (gone, broken)
    }

    /// When bytes that wait for the rest of their message have to pass.
    pub fn deadline(&self, ends: [SocketAddr; 2], way: Way) -> Option<Instant> {
        self.streams.get(&ends)?.lanes[way.index()].deadline()
    }

    /// What has waited too long for the rest of its message.
    pub fn overdue(&mut self, ends: [SocketAddr; 2], way: Way, now: Instant) -> Vec<Gone> {
        self.settle(ends, way, &[], &mut [], now).0
    }

    /// A direction of a stream has ended: what still waited passes.
    pub fn ended(&mut self, ends: [SocketAddr; 2], way: Way, reset: bool, time: Time) -> Passing {
        self.inspector.sink().ending = true;
        self.segment(ends, way, Segment { fin: !reset, rst: reset, ..Segment::default() }, time);
        let collector = self.inspector.sink();
        collector.ending = false;
        let seen = std::mem::take(&mut collector.seen);
        let mut gone = Vec::new();
        if let Some(both) = self.streams.get_mut(&ends) {
            let lane = &mut both.lanes[way.index()];
            let before = lane.memory();
            gone = lane.flush([Side::A, Side::B][way.index()], None);
            self.held = self.held.saturating_sub(before) + lane.memory();
        }
        self.inspector.sink().count(&seen);
        Passing { gone: Some(gone), seen, broken: None }
    }

    /// The client is gone, and what is remembered of its conversation with it: the messages that were held back.
    pub fn forget(&mut self, transport: Transport, ends: [SocketAddr; 2]) -> Vec<Seen> {
        if transport == Transport::Tcp
            && let Some(both) = self.streams.remove(&ends)
        {
            for lane in &both.lanes {
                self.held = self.held.saturating_sub(lane.memory());
            }
        }
        // All of them have passed.
        self.inspector.sink().frame = 0;
        let Some(flow) = self.table.end(transport, &ends, &mut self.inspector) else { return Vec::new() };
        let collector = self.inspector.sink();
        collector.forget(flow);
        collector.pieces.clear();
        let seen = std::mem::take(&mut collector.seen);
        collector.count(&seen);
        seen
    }

    /// How many conversations are remembered.
    pub fn conversations(&self) -> usize {
        self.table.len()
    }

    fn segment(&mut self, ends: [SocketAddr; 2], way: Way, segment: Segment<'_>, time: Time) {
        let Some(Both { next, .. }) = self.streams.get_mut(&ends) else { return };
        let (seq, ack) = (next[way.index()], next[way.other().index()]);
        let taken = segment.payload.len() as u32 + u32::from(segment.syn) + u32::from(segment.fin);
        next[way.index()] = seq.wrapping_add(taken);
        let has_ack = segment.has_ack || !segment.syn;
        let body = Body::Tcp(Segment { seq, ack: if has_ack { ack } else { 0 }, has_ack, ..segment });
        self.packet(ends, way, body, time);
    }

    fn packet(&mut self, ends: [SocketAddr; 2], way: Way, body: Body<'_>, time: Time) {
        self.frame += 1;
        self.inspector.sink().frame = self.frame;
        let [src, dst] = [ends[way.index()], ends[way.other().index()]];
        let packet = Packet { frame: self.frame, frames: &[], time, src, dst, body };
        self.table.packet(&packet, &mut self.inspector);
    }

    /// Servers that a stream has named for its datagrams, those before among them: they are
    /// reached past the proxy, if at all.
    pub fn named(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.inspector.expects()
    }

    /// How many packets there were.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Nothing passes any more: what was held back is told.
    pub fn finish(mut self) -> Vec<Seen> {
        self.table.finish(&mut self.inspector);
        let seen = std::mem::take(&mut self.inspector.sink().seen);
        self.inspector.sink().count(&seen);
        seen
    }

    /// A datagram passes. `ends`: the client's, the server's.
    pub fn datagram(&mut self, ends: [SocketAddr; 2], way: Way, payload: &[u8], time: Time) -> (Verdict, Vec<Seen>) {
        self.packet(ends, way, Body::Udp { payload, length: payload.len() }, time);
        let collector = self.inspector.sink();
        let pieces = std::mem::take(&mut collector.pieces);
        let mut seen = std::mem::take(&mut collector.seen);
        let mut verdict = Verdict {
            delay: pieces.iter().map(|piece| piece.delay).max().unwrap_or_default(),
            copies: pieces.iter().map(|piece| piece.copies).max().unwrap_or(0),
            ..Verdict::default()
        };
        let touched = pieces.iter().any(|piece| !piece.kept || piece.bytes.is_some());
        if touched {
            match pieces.iter().map(|piece| piece.length).sum::<usize>() == payload.len() {
                true => {
                    let (mut rest, mut bytes) = (payload, Vec::new());
                    for piece in &pieces {
                        let (own, behind) = rest.split_at(piece.length.min(rest.len()));
                        rest = behind;
                        if piece.kept {
                            bytes.extend_from_slice(piece.bytes.as_deref().unwrap_or(own));
                        }
                    }
                    verdict.dropped = pieces.iter().all(|piece| !piece.kept);
                    verdict.bytes = Some(bytes);
                }
                false => {
                    let why = "it is not known which bytes of the datagram it has";
                    for one in seen.iter_mut().filter(|one| one.dropped || one.edited.is_some()) {
                        one.refuse(why);
                    }
                }
            }
        }
        self.inspector.sink().count(&seen);
        (verdict, seen)
    }
}
