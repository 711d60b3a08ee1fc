//! From packets to messages: finds out each conversation's protocol and feeds its session.

mod batch;
mod claim;
mod counters;
mod deal;
mod dump;
mod identify;
mod strangers;

pub use claim::{Claim, Doubt, Held, Owner};
pub use counters::Counters;
pub use deal::{Away, Dealer, Inbox, Worker, deal};
pub use dump::{Carrier, Piece, carried, dump, recognise};
pub use strangers::{GivenUp, Stranger, Strangers};

use super::dissector::{Dissector, Session, StreamEvent};
use super::message::{Draft, Out, Place, Sink};
use super::options::Options;
use super::talk::Talk;
use crate::capture::{Packet, Time};
use crate::flow::{Conversation, Delivery, End, Gap, Handler, Moved, Origin, Report, Side, Stream, Transport};
use claim::{Said, What};
use identify::{GONE, HELD_BYTES};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

/// How many servers are remembered whose UDP conversations belong to a TCP one.
const EXPECTED: usize = 4096;

/// Takes packets apart into messages, conversation by conversation.
///
/// It is a [`Handler`] for the flow table, whose conversations carry a [`Claim`].
pub struct Inspector<'a, S: Sink> {
    options: &'a Options,
    forced: Option<&'static dyn Dissector>,
    sink: &'a mut S,
    /// Who gives conversations to other threads.
    dealer: Option<Dealer>,
    /// The conversation whose turn it is, and how many turns there were.
    turn: (u64, u64),
    draft: Draft,
    expected: FxHashMap<SocketAddr, (u64, Box<dyn Session>)>,
    generation: u64,
    /// Ends of conversations that were recognised, and as what: the next one with the same server
    /// needs less evidence.
    known: FxHashMap<SocketAddr, &'static str>,
    /// How many messages the session that has [run](Inspector::run) last has handed on.
    told: u64,
    /// What was counted.
    pub counters: Counters,
}

impl<'a, S: Sink> Inspector<'a, S> {
    /// An inspector that hands its messages to `sink`.
    pub fn new(options: &'a Options, sink: &'a mut S) -> Inspector<'a, S> {
        let forced = options.proto.as_deref().and_then(|name| options.registry.by_name(name));
        let (draft, counters) = (Draft::default(), Counters::default());
        Inspector {
            options,
            forced,
            sink,
            dealer: None,
            turn: (0, 0),
            draft,
            expected: FxHashMap::default(),
            generation: 0,
            known: FxHashMap::default(),
            told: 0,
            counters,
        }
    }

    /// Gives conversations that are claimed to other threads.
    pub fn dealer(mut self, dealer: Option<Dealer>) -> Self {
        self.dealer = dealer;
        self
    }

    /// A frame came, of whatever kind, at this time. Is there no use in going on, since a worker has
    /// gone?
    #[inline]
    pub fn frame(&mut self, time: Time) -> bool {
        let Some(dealer) = &mut self.dealer else { return false };
        dealer.first(time);
        let gone = dealer.gone();
        self.relieve();
        gone
    }

    /// There is nothing more for the workers.
    pub fn end(&mut self) {
        if let Some(mut dealer) = self.dealer.take() {
            dealer.send(u64::MAX);
        }
    }

    /// Where the messages go.
    pub fn sink(&mut self) -> &mut S {
        self.sink
    }

    /// Has a session work. Was one of its messages none that its protocol would send?
    #[inline]
    fn run(
        &mut self,
        talk: &Talk<'_>,
        names: &[String; 2],
        session: &mut dyn Session,
        work: impl FnOnce(&mut dyn Session, &mut Out<'_>),
    ) -> bool {
        let names = [names[0].as_str(), names[1].as_str()];
        let mut out = Out::new(&mut self.draft, self.sink, talk, names);
        work(session, &mut out);
        let broken = out.broken();
        self.told = out.told();
        if talk.transport == Transport::Tcp {
            while let Some((server, session)) = session.expects() {
                self.generation += 1;
                if self.expected.len() >= EXPECTED && !self.expected.contains_key(&server) {
                    let oldest = self.expected.iter().min_by_key(|(_, (generation, _))| *generation);
                    let oldest = oldest.map(|(server, _)| *server);
                    oldest.and_then(|server| self.expected.remove(&server));
                }
                self.expected.insert(server, (self.generation, session));
            }
        }
        broken
    }

    /// A packet, or the end, of a conversation: what it says comes behind what others have said.
    #[inline(always)]
    fn turn(&mut self, flow: u64) {
        if self.turn.0 != flow {
            self.turn = (flow, self.turn.1 + 1);
            self.sink.turn(self.turn.1);
        }
    }

    /// It is the turn of a conversation that the reader has dealt.
    #[inline]
    fn set_turn(&mut self, flow: u64, turn: u64) {
        if self.turn != (flow, turn) {
            self.turn = (flow, turn);
            self.sink.turn(turn);
        }
    }

    /// The worker that has a conversation forgets it: it is read here from now on.
    #[cold]
    fn take_back(&mut self, flow: u64, away: Away) {
        if let Some(dealer) = &mut self.dealer {
            dealer.forget(away, self.turn.1);
        }
        self.turn.0 = 0;
        self.turn(flow);
    }

    /// Hands over what was said, where that is much. First the workers get theirs: whoever takes
    /// this may wait for one of them.
    #[inline]
    fn relieve(&mut self) {
        if self.dealer.is_some() && self.sink.full() {
            self.wait();
        }
    }

    /// Others may wait for what was said, or dealt.
    fn wait(&mut self) {
        self.end_turn();
        if let Some(dealer) = &mut self.dealer {
            dealer.send(self.turn.1);
            self.sink.hand_over();
        }
    }

    /// What comes next has a later turn, whoever's it is: so all that was said before can be merged,
    /// however long one conversation goes on.
    fn end_turn(&mut self) {
        self.turn = (0, self.turn.1 + 1);
        self.sink.turn(self.turn.1);
    }

    fn stream_event(
        &mut self,
        c: &mut Conversation<Claim>,
        side: Side,
        stream: &mut Stream,
        event: StreamEvent<'_>,
        time: Time,
    ) {
        self.turn(c.id);
        let talk = talk(c, self.options);
        // As for datagrams.
        if let Claim::Claimed(owner) = &mut c.state
            && owner.generation.is_none_or(|generation| generation == self.generation)
        {
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            let broken = self.run(&talk, c.names.of(&c.ends), &mut *owner.session, |session, out| {
                session.stream(side, stream, event, out)
            });
            if let (StreamEvent::Data { frame, .. }, Claim::Claimed(owner)) = (event, &mut c.state) {
                owner.outcome.add(frame, self.told, broken);
                if broken && owner.generation.is_none() && owner.outcome.poor() {
                    self.doubt_stream(c, stream);
                }
            }
            return;
        }
        if let Some(mut owner) = self.claimed(c) {
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            self.run(&talk, c.names.of(&c.ends), &mut *owner.session, |session, out| {
                session.stream(side, stream, event, out)
            });
            c.state = Claim::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Claim::Foreign(generation) => {
                stream.consume(stream.bytes().len());
                c.state = Claim::Foreign(generation);
            }
            before => {
                let mut held = if let Claim::Undecided(held) = before { held } else { Box::default() };
                let kept = &mut held.streams[side.index()];
                let bytes = stream.bytes();
                if let (StreamEvent::Gap { missing }, true) = (event, kept.is_empty() && bytes.is_empty()) {
                    held.cut[side.index()] = true;
                    held.said.push(Said { side, end: 0, what: What::Gap { missing } });
                    c.state = Claim::Undecided(held);
                    return;
                }
                kept.clear();
                kept.extend_from_slice(&bytes[..bytes.len().min(HELD_BYTES)]);
                held.bytes = held.streams.iter().map(Vec::len).max().unwrap_or(0);
                let last = !matches!(event, StreamEvent::Data { .. });
                if held.bytes == 0 {
                    c.state = if held.said.is_empty() { Claim::New } else { Claim::Undecided(held) };
                    return;
                }
                self.settle(c, held, last);
                match std::mem::take(&mut c.state) {
                    Claim::Claimed(mut owner) => {
                        stream.consume(std::mem::take(&mut owner.read[side.index()]));
                        self.run(&talk, c.names.of(&c.ends), &mut *owner.session, |session, out| {
                            session.stream(side, stream, event, out);
                        });
                        c.state = Claim::Claimed(owner);
                    }
                    Claim::Foreign(generation) => {
                        stream.consume(stream.bytes().len());
                        c.state = Claim::Foreign(generation);
                    }
                    Claim::Undecided(mut held) => {
                        if let StreamEvent::Data { segments, frame, .. } = event {
                            let (end, origin) = (stream.bytes().len(), Origin { frame, time });
                            let what = What::Data { segments: segments.to_vec(), origin };
                            held.said.push(Said { side, end, what });
                        }
                        c.state = Claim::Undecided(held);
                    }
                    other => c.state = other,
                }
            }
        }
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// A packet of a conversation that is read elsewhere.
    #[inline]
    fn deal(&mut self, away: Away, side: Side, packet: &Packet<'_>) {
        if let Some(dealer) = &mut self.dealer {
            dealer.packet(away, self.turn.1, side, packet);
        }
    }
}

fn talk<'a>(c: &Conversation<Claim>, options: &'a Options) -> Talk<'a> {
    Talk { flow: c.id, transport: c.transport, ends: Some(c.ends), opener: c.opener, begun: c.syn_seen, options }
}

impl<S: Sink> Handler<Claim> for Inspector<'_, S> {
    fn datagram(
        &mut self,
        c: &mut Conversation<Claim>,
        side: Side,
        packet: &Packet<'_>,
        payload: &[u8],
        length: usize,
    ) {
        self.turn(c.id);
        if let Claim::Elsewhere(away) = c.state
            && away.generation.is_none_or(|generation| generation == self.generation)
        {
            self.deal(away, side, packet);
            return;
        }
        let place =
            Place { side, bytes: payload, length, frame: packet.frame, frames: packet.frames, time: packet.time };
        let talk = talk(c, self.options);
        // Nearly every packet: nothing was announced since the conversation was claimed.
        if let Claim::Claimed(owner) = &mut c.state
            && owner.generation.is_none_or(|generation| generation == self.generation)
        {
            let broken =
                self.run(&talk, c.names.of(&c.ends), &mut *owner.session, |session, out| session.datagram(&place, out));
            owner.outcome.add(place.frame, self.told, broken);
            if broken || owner.doubt.is_some() {
                self.doubt(c, &place, broken);
            }
            return;
        }
        if let Some(mut owner) = self.claimed(c) {
            let broken =
                self.run(&talk, c.names.of(&c.ends), &mut *owner.session, |session, out| session.datagram(&place, out));
            owner.outcome.add(place.frame, self.told, broken);
            c.state = Claim::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Claim::Foreign(GONE) => c.state = Claim::Foreign(GONE),
            Claim::Foreign(generation) => {
                *self.counters.foreign.entry(c.transport.name()).or_default() += 1;
                c.state = Claim::Foreign(generation);
            }
            Claim::Elsewhere(away) => {
                self.deal(away, side, packet);
                c.state = Claim::Elsewhere(away);
            }
            before => {
                let mut held = if let Claim::Undecided(held) = before { held } else { Box::default() };
                held.push(&place);
                self.settle(c, held, false);
            }
        }
    }

    fn data(&mut self, c: &mut Conversation<Claim>, side: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        let event = StreamEvent::Data { new: delivery.new, segments: delivery.segments, frame: delivery.frame };
        self.stream_event(c, side, stream, event, delivery.time);
    }

    fn gap(&mut self, c: &mut Conversation<Claim>, side: Side, stream: &mut Stream, gap: &Gap) {
        self.stream_event(c, side, stream, StreamEvent::Gap { missing: gap.missing }, gap.time);
    }

    fn end(&mut self, c: &mut Conversation<Claim>, side: Side, stream: &mut Stream, _why: End) {
        self.stream_event(c, side, stream, StreamEvent::End, c.last);
    }

    fn memory(&self, c: &Conversation<Claim>) -> usize {
        c.state.memory()
    }

    fn shared(&self, c: &Conversation<Claim>, each: &mut dyn FnMut(u64, usize)) {
        if let Claim::Claimed(owner) = &c.state {
            owner.session.shared(each);
        }
    }

    fn first_to_end(&self, c: &Conversation<Claim>) -> Side {
        let told = match &c.state {
            Claim::Claimed(owner) => owner.session.client(),
            _ => None,
        };
        told.or(c.opener).unwrap_or(Side::A)
    }

    fn closed(&mut self, c: &mut Conversation<Claim>) {
        match std::mem::take(&mut c.state) {
            Claim::Undecided(held) => {
                self.turn(c.id);
                self.settle(c, held, true);
            }
            other => c.state = other,
        }
        if let Claim::Foreign(generation) = c.state
            && generation != GONE
        {
            if c.transport == Transport::Tcp {
                let packets = c.packets.iter().sum::<u64>();
                *self.counters.foreign.entry(c.transport.name()).or_default() += packets;
            }
            self.counters.strangers.end(c);
        }
        let told = match &c.state {
            Claim::Claimed(owner) => owner.told(),
            Claim::Foreign(generation) => *generation == GONE,
            _ => false,
        };
        if told {
            self.sink.ended(c.id, c.ended);
        }
        self.relieve();
    }

    fn leaves(&self, c: &Conversation<Claim>) -> bool {
        self.dealer.is_some() && matches!(&c.state, Claim::Claimed(owner) if !owner.session.shares())
    }

    fn take(&mut self, c: &mut Conversation<Claim>, slot: u32, mut moved: Moved<Claim>) {
        let Some(dealer) = &mut self.dealer else { return };
        let mut generation = None;
        if let Claim::Claimed(owner) = &mut moved.conversation().state {
            // Where it goes nothing is ever announced.
            generation = owner.generation;
            owner.generation = generation.map(|_| 0);
        }
        c.state = Claim::Elsewhere(dealer.take(slot, self.turn.1, moved, generation));
        // What comes next is said by another thread, behind what was said here.
        self.turn.0 = 0;
    }

    fn segment(&mut self, c: &mut Conversation<Claim>, side: Side, packet: &Packet<'_>) {
        self.turn(c.id);
        if let Claim::Elsewhere(away) = c.state {
            self.deal(away, side, packet);
        }
    }

    fn close(&mut self, c: &mut Conversation<Claim>, why: End) {
        self.turn(c.id);
        if let (Claim::Elsewhere(away), Some(dealer)) = (&c.state, &mut self.dealer) {
            dealer.close(*away, self.turn.1, why);
        }
    }

    fn epoch(&mut self) {
        if let Some(dealer) = &mut self.dealer {
            dealer.epoch(self.turn.1 + 1);
            self.end_turn();
            self.sink.hand_over();
        }
    }

    fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        if let Some(dealer) = &mut self.dealer {
            dealer.reports(each);
        }
    }
}
