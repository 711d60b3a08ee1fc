//! From packets to messages: finds out each conversation's protocol and feeds its session.

use super::dissector::{Dissector, Evidence, Session, Sight, StreamEvent};
use super::message::{Draft, Message, Out, Place, Sink};
use super::options::Options;
use super::talk::Talk;
use crate::capture::{Packet, Time};
use crate::flow::{Conversation, Delivery, End, Gap, Handler, Origin, Side, Stream, Transport};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// How many datagrams of an undecided conversation are held back.
const HELD_DATAGRAMS: usize = 12;
/// How many bytes of an undecided conversation are held back: of all datagrams, or of each stream.
const HELD_BYTES: usize = 4096;
/// How many ends of recognised conversations are remembered.
const KNOWN: usize = 4096;
/// How many servers are remembered whose UDP conversations belong to a TCP one.
const EXPECTED: usize = 4096;

/// Whose a conversation is.
#[derive(Default)]
pub enum Claim {
    /// Nobody has been asked yet.
    #[default]
    New,
    /// Somebody may claim it when more was said.
    Undecided(Box<Held>),
    /// A dissector's.
    Claimed(Owner),
    /// A dissector's, of another [`Share`]: nothing of it is read here.
    Elsewhere,
    /// None of ours; asked again when more servers are expected than so many.
    Foreign(u64),
}

/// Who reads a conversation.
pub struct Owner {
    session: Box<dyn Session>,
    /// Claimed by name when so many servers had been announced; a later announcement of one of its
    /// ends takes it over. `None`: recognised by what it says, for good.
    generation: Option<u64>,
    /// How many bytes of each stream it has read already from what was held.
    read: [usize; 2],
}

/// A protocol's name, why it is that one, and the session.
type Claimant = (&'static str, &'static str, Box<dyn Session>);

/// What an undecided conversation has said so far.
#[derive(Default)]
pub struct Held {
    datagrams: Vec<HeldDatagram>,
    streams: [Vec<u8>; 2],
    /// What the streams said, in the order in which it came.
    said: Vec<Said>,
    /// Whose first bytes the capture has lost.
    cut: [bool; 2],
    bytes: usize,
}

/// One event of an undecided stream.
struct Said {
    side: Side,
    /// Where its bytes end in what is held of the stream.
    end: usize,
    what: What,
}

enum What {
    Data { segments: Vec<usize>, origin: Origin },
    Gap { missing: u64 },
}

struct HeldDatagram {
    side: Side,
    bytes: Vec<u8>,
    length: usize,
    frame: u64,
    frames: Vec<u64>,
    time: Time,
}

/// What was counted on the way, for `-v` and the end of a run.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Conversations claimed, by protocol and reason.
    pub claimed: BTreeMap<(&'static str, &'static str), u64>,
    /// Packets of conversations that are none of ours, by transport.
    pub foreign: BTreeMap<&'static str, u64>,
}

/// Which of several inspectors this one is, that all see every packet of a capture: each reads the
/// conversations of its share, and passes over the others.
///
/// Everything that one conversation tells about another (known servers, announced ones, sessions
/// that [share what they learn](Session::shares)) is done by all of them, so that each one's
/// messages are what a single inspector would have made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which one, from 0.
    pub index: u64,
    /// How many there are, at least 1.
    pub of: u64,
}

impl Share {
    /// Everything.
    pub const ALL: Share = Share { index: 0, of: 1 };

    #[inline(always)]
    fn has(self, flow: u64) -> bool {
        self.of <= 1 || flow % self.of == self.index
    }
}

/// The sink of conversations that are another one's share.
struct Nobody;

impl Sink for Nobody {
    fn message(&mut self, _message: &Message<'_>) {}
}

/// Takes packets apart into messages, conversation by conversation.
///
/// It is a [`Handler`] for the flow table, whose conversations carry a [`Claim`].
pub struct Inspector<'a, S: Sink> {
    options: &'a Options,
    forced: Option<&'static dyn Dissector>,
    sink: &'a mut S,
    share: Share,
    /// The conversation whose turn it is, and how many turns there were: every inspector of a
    /// capture counts the same ones.
    turn: (u64, u64),
    draft: Draft,
    expected: FxHashMap<SocketAddr, (u64, Box<dyn Session>)>,
    generation: u64,
    /// Ends of conversations that were recognised, and as what: the next one with the same server
    /// needs less evidence.
    known: FxHashMap<SocketAddr, &'static str>,
    /// What was counted.
    pub counters: Counters,
}

impl<'a, S: Sink> Inspector<'a, S> {
    /// An inspector that hands its messages to `sink`.
    pub fn new(options: &'a Options, sink: &'a mut S) -> Inspector<'a, S> {
        let forced = options.proto.as_deref().and_then(|name| options.dissector(name));
        let (draft, counters) = (Draft::default(), Counters::default());
        Inspector {
            options,
            forced,
            sink,
            share: Share::ALL,
            turn: (0, 0),
            draft,
            expected: FxHashMap::default(),
            generation: 0,
            known: FxHashMap::default(),
            counters,
        }
    }

    /// Reads only the conversations of a share.
    pub fn share(mut self, share: Share) -> Self {
        self.share = share;
        self
    }

    /// Where the messages go.
    pub fn sink(&mut self) -> &mut S {
        self.sink
    }

    #[inline]
    fn run(
        &mut self,
        talk: &Talk<'_>,
        names: &[String; 2],
        session: &mut dyn Session,
        work: impl FnOnce(&mut dyn Session, &mut Out<'_>),
    ) {
        let names = [names[0].as_str(), names[1].as_str()];
        let sink: &mut dyn Sink = match self.share.has(talk.flow) {
            true => self.sink,
            false => &mut Nobody,
        };
        let mut out = Out { draft: &mut self.draft, sink, talk, names };
        work(session, &mut out);
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
    }

    /// A packet, or the end, of a conversation: what it says comes behind what others have said.
    #[inline(always)]
    fn turn(&mut self, flow: u64) {
        if self.turn.0 != flow {
            self.turn = (flow, self.turn.1 + 1);
            self.sink.turn(self.turn.1);
        }
    }

    /// The session for a UDP conversation one of whose ends was announced, after so many others.
    fn announced(&self, c: &Conversation<Claim>, after: u64) -> Option<Box<dyn Session>> {
        if c.transport != Transport::Udp || self.generation <= after {
            return None;
        }
        let all = c.ends.iter().filter_map(|end| self.expected.get(end));
        let (_, session) = all.filter(|(g, _)| *g > after).max_by_key(|(generation, _)| *generation)?;
        session.sibling()
    }

    /// Who can be named without looking at what was said: the user's word, or another conversation.
    fn by_name(&mut self, c: &Conversation<Claim>) -> Option<Claimant> {
        let talk = talk(c, self.options);
        if let Some(session) = self.announced(c, 0) {
            return Some(("expected", "a conversation that another one announced", session));
        }
        for (port, name) in &self.options.ports {
            if c.ends.iter().any(|end| end.port() == *port)
                && let Some(dissector) = self.options.dissector(name)
                && dissector.takes(c.transport, true)
            {
                return Some((dissector.name(), "named by --port", dissector.session(&talk)));
            }
        }
        let forced = self.forced.filter(|d| d.takes(c.transport, false))?;
        Some((forced.name(), "named by -p", forced.session(&talk)))
    }

    /// Asks every dissector. `last`: no more will be said.
    fn identify(&mut self, c: &Conversation<Claim>, held: &Held, last: bool) -> Option<Option<Claimant>> {
        if self.forced.is_some() {
            return Some(None);
        }
        let mut said: Vec<(Side, &[u8], usize)> = Vec::new();
        match c.transport {
            Transport::Udp => said.extend(held.datagrams.iter().map(|d| (d.side, &d.bytes[..], d.length))),
            Transport::Tcp => said.extend(
                Side::BOTH
                    .iter()
                    .map(|s| (*s, &held.streams[s.index()][..], held.streams[s.index()].len()))
                    .filter(|s| s.2 > 0),
            ),
        }
        let begun = Side::BOTH.map(|side| c.syn_seen[side.index()] && !held.cut[side.index()]);
        let sight = Sight { transport: c.transport, ends: c.ends, said: &said, begun, options: self.options };
        // Who is heard from the middle on proves nothing: the other side may begin what can be known.
        let silent = c.transport == Transport::Tcp
            && Side::BOTH.iter().any(|side| held.streams[side.index()].is_empty() && !begun[side.other().index()]);
        let mut best: Option<(u8, &'static dyn Dissector, &'static str)> = None;
        let mut open = false;
        for dissector in self.options.dissectors() {
            let (rank, why) = match dissector.identify(&sight) {
                Evidence::No => continue,
                Evidence::Maybe(_) | Evidence::Likely(_)
                    if c.ends.iter().any(|end| self.known.get(end) == Some(&dissector.name())) =>
                {
                    (0, "the same server's other conversations")
                }
                Evidence::Maybe(_) => {
                    open = true;
                    continue;
                }
                Evidence::Likely(why) => {
                    open = true;
                    if !last {
                        continue;
                    }
                    (0, why)
                }
                Evidence::Sure(rank, why) => (1 + rank, why),
            };
            if best.is_none_or(|(r, ..)| rank > r) {
                best = Some((rank, dissector, why));
            }
        }
        match best {
            Some((_, dissector, why)) => Some(Some((dissector.name(), why, dissector.session(&talk(c, self.options))))),
            None if (open || silent) && !last => None,
            None => Some(None),
        }
    }

    /// Settles an undecided conversation, if it can be, and lets its session see what was held.
    fn settle(&mut self, c: &mut Conversation<Claim>, held: Box<Held>, last: bool) {
        let full = held.bytes >= HELD_BYTES || held.datagrams.len() >= HELD_DATAGRAMS;
        match self.identify(c, &held, last || full) {
            None => c.state = Claim::Undecided(held),
            Some(None) => {
                *self.counters.foreign.entry(c.transport.name()).or_default() += held.datagrams.len().max(1) as u64;
                c.state = Claim::Foreign(self.generation);
            }
            Some(Some((name, why, mut session))) => {
                *self.counters.claimed.entry((name, why)).or_default() += 1;
                if self.known.len() < KNOWN {
                    c.ends.iter().for_each(|end| _ = self.known.insert(*end, name));
                }
                if !self.share.has(c.id) && !session.shares() {
                    c.state = Claim::Elsewhere;
                    return;
                }
                for d in &held.datagrams {
                    let place = Place {
                        side: d.side,
                        bytes: &d.bytes,
                        length: d.length,
                        frame: d.frame,
                        frames: &d.frames,
                        time: d.time,
                    };
                    self.run(&talk(c, self.options), &c.names, &mut *session, |session, out| {
                        session.datagram(&place, out)
                    });
                }
                let read = self.replay(c, &held, &mut *session);
                c.state = Claim::Claimed(Owner { session, generation: None, read });
            }
        }
    }

    /// Takes the conversation's owner out, if it is claimed or can be by name.
    fn claimed(&mut self, c: &mut Conversation<Claim>) -> Option<Owner> {
        let again = matches!(&c.state, Claim::Foreign(generation) if c.transport == Transport::Udp && *generation < self.generation);
        if matches!(c.state, Claim::New) || again {
            if let Some((name, why, session)) = self.by_name(c) {
                *self.counters.claimed.entry((name, why)).or_default() += 1;
                return Some(Owner { session, generation: Some(self.generation), read: [0; 2] });
            }
            if again {
                c.state = Claim::Foreign(self.generation);
            }
        }
        match std::mem::take(&mut c.state) {
            Claim::Claimed(mut owner) => {
                if let Some(generation) = &mut owner.generation {
                    let newer = self.announced(c, *generation);
                    *generation = self.generation;
                    owner.session = newer.unwrap_or(owner.session);
                }
                Some(owner)
            }
            other => {
                c.state = other;
                None
            }
        }
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
            if !self.share.has(talk.flow) && !owner.session.shares() {
                stream.consume(stream.bytes().len());
                return;
            }
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            self.run(&talk, &c.names, &mut *owner.session, |session, out| session.stream(side, stream, event, out));
            return;
        }
        if let Some(mut owner) = self.claimed(c) {
            stream.consume(std::mem::take(&mut owner.read[side.index()]));
            self.run(&talk, &c.names, &mut *owner.session, |session, out| session.stream(side, stream, event, out));
            c.state = Claim::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Claim::Foreign(generation) => {
                stream.consume(stream.bytes().len());
                c.state = Claim::Foreign(generation);
            }
            Claim::Elsewhere => {
                stream.consume(stream.bytes().len());
                c.state = Claim::Elsewhere;
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
                        self.run(&talk, &c.names, &mut *owner.session, |session, out| {
                            session.stream(side, stream, event, out);
                        });
                        c.state = Claim::Claimed(owner);
                    }
                    Claim::Foreign(generation) => {
                        stream.consume(stream.bytes().len());
                        c.state = Claim::Foreign(generation);
                    }
                    Claim::Elsewhere => {
                        stream.consume(stream.bytes().len());
                        c.state = Claim::Elsewhere;
                    }
                    Claim::Undecided(mut held) => {
                        if let StreamEvent::Data { segments, frame, .. } = event {
                            let (end, origin) = (stream.bytes().len(), Origin { frame, time });
                            held.said.push(Said {
                                side,
                                end,
                                what: What::Data { segments: segments.to_vec(), origin },
                            });
                        }
                        c.state = Claim::Undecided(held);
                    }
                    other => c.state = other,
                }
            }
        }
    }

    /// Lets a session see what the streams said before it was found, in the order in which they
    /// said it. Returns how many bytes of each it has read.
    fn replay(&mut self, c: &Conversation<Claim>, held: &Held, session: &mut dyn Session) -> [usize; 2] {
        let mut streams = [Stream::default(), Stream::default()];
        let mut ends = [0; 2];
        for said in &held.said {
            let k = said.side.index();
            let event = match &said.what {
                What::Gap { missing } => StreamEvent::Gap { missing: *missing },
                What::Data { segments, origin } => {
                    let new = held.streams[k].get(ends[k]..said.end).unwrap_or_default();
                    ends[k] = said.end;
                    streams[k].append(new, *origin);
                    StreamEvent::Data { new: new.len(), segments, frame: origin.frame }
                }
            };
            self.run(&talk(c, self.options), &c.names, session, |session, out| {
                session.stream(said.side, &mut streams[k], event, out)
            });
        }
        [0, 1].map(|k| ends[k] - streams[k].bytes().len())
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
        if matches!(c.state, Claim::Elsewhere) {
            return;
        }
        let place =
            Place { side, bytes: payload, length, frame: packet.frame, frames: packet.frames, time: packet.time };
        let talk = talk(c, self.options);
        // Nearly every packet: nothing was announced since the conversation was claimed.
        if let Claim::Claimed(owner) = &mut c.state
            && owner.generation.is_none_or(|generation| generation == self.generation)
        {
            if self.share.has(talk.flow) || owner.session.shares() {
                self.run(&talk, &c.names, &mut *owner.session, |session, out| session.datagram(&place, out));
            }
            return;
        }
        if let Some(mut owner) = self.claimed(c) {
            self.run(&talk, &c.names, &mut *owner.session, |session, out| session.datagram(&place, out));
            c.state = Claim::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Claim::Foreign(generation) => {
                *self.counters.foreign.entry(c.transport.name()).or_default() += 1;
                c.state = Claim::Foreign(generation);
            }
            before => {
                let mut held = if let Claim::Undecided(held) = before { held } else { Box::default() };
                held.bytes += payload.len();
                held.datagrams.push(HeldDatagram {
                    side,
                    bytes: payload.to_vec(),
                    length,
                    frame: packet.frame,
                    frames: packet.frames.to_vec(),
                    time: packet.time,
                });
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
        match &c.state {
            Claim::New | Claim::Foreign(_) | Claim::Elsewhere => 0,
            Claim::Undecided(held) => {
                held.bytes * 2 + held.datagrams.len() * size_of::<HeldDatagram>() + held.said.len() * size_of::<Said>()
            }
            Claim::Claimed(owner) => owner.session.memory(),
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
        if let Claim::Undecided(held) = std::mem::take(&mut c.state) {
            self.turn(c.id);
            self.settle(c, held, true);
        }
        self.sink.ended(c.id, c.ended);
    }
}

/// Dissects bytes that came without a transport: one block of hex text.
pub fn dump(dissector: &dyn Dissector, bytes: &[u8], options: &Options, draft: &mut Draft, sink: &mut dyn Sink) {
    let transport = dissector.dump_transport(options);
    let talk = Talk { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options };
    let mut session = dissector.session(&talk);
    let mut out = Out { draft, sink, talk: &talk, names: ["", ""] };
    match transport {
        Transport::Udp => {
            let place =
                Place { side: Side::A, bytes, length: bytes.len(), frame: 0, frames: &[], time: Time::default() };
            session.datagram(&place, &mut out);
        }
        Transport::Tcp => {
            let mut stream = Stream::of(bytes);
            let event = StreamEvent::Data { new: bytes.len(), segments: &[0], frame: 0 };
            session.stream(Side::A, &mut stream, event, &mut out);
            session.stream(Side::A, &mut stream, StreamEvent::End, &mut out);
        }
    }
}
