//! Which protocol a conversation speaks: by the user's word, by what another conversation has
//! announced, by what it says itself; and again when what it says is not that any more.

use super::classification::{Classification, EventKind, Outcome, Owner, Pending};
use super::unclaimed::Withdrawn;
use super::{Inspector, flow_info};
use crate::dissect::dissector::{Dissector, Evidence, Observation, Session, StreamEvent};
use crate::dissect::{Provenance, Sink};
use crate::flow::{Conversation, Side, Stream, Transport};

/// How many datagrams of an undecided conversation are held back.
const HELD_DATAGRAMS: usize = 96;
/// The dissectors are asked about each of so many datagrams, and about every eighth of the others:
/// they look at all that are held.
const ASKED_EACH: usize = 16;
/// So often the older half of the datagrams held is let go for what comes behind them: a session
/// heard from its middle on may say nothing that tells for a while.
const ROUNDS: u32 = 16;
/// How many datagrams from one on that was none of the protocol's are looked at together.
const DOUBTED: usize = 12;
/// How many bytes of an undecided conversation are held back: of all datagrams, or of each stream.
pub(super) const HELD_BYTES: usize = 8192;
/// The generation of a conversation that was given up: it is not asked about again.
pub(super) const GONE: u64 = u64::MAX;
/// Who reads a conversation that another one has announced.
const ANNOUNCED: &str = "expected";
/// How many ends of recognised conversations are remembered.
const KNOWN: usize = 4096;

/// A protocol's name, why it is that one, the session, and the bits of evidence.
pub(super) type Claimant = (&'static str, &'static str, Box<dyn Session>, u32);

/// When the dissectors are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// More will be said.
    More,
    /// No more will be said, or held.
    Last,
    /// This one's answer seems to be wrong now: who else?
    Again(&'static str),
}

impl<S: Sink> Inspector<'_, S> {
    /// The session for a UDP conversation one of whose ends was announced, after so many others.
    fn announced(&self, c: &Conversation<Classification>, after: u64) -> Option<Box<dyn Session>> {
        if c.transport != Transport::Udp || self.generation <= after {
            return None;
        }
        let all = c.ends.iter().filter_map(|end| self.expected.get(end));
        let (_, session) = all.filter(|(g, _)| *g > after).max_by_key(|(generation, _)| *generation)?;
        session.sibling()
    }

    /// Who can be named without looking at what was said: the user's word, or another conversation.
    fn by_name(&mut self, c: &Conversation<Classification>) -> Option<Claimant> {
        let flow_info = flow_info(c, self.options);
        if let Some(session) = self.announced(c, 0) {
            return Some((ANNOUNCED, "a conversation that another one announced", session, 0));
        }
        for (port, name) in &self.options.ports {
            if c.ends.iter().any(|end| end.port() == *port)
                && let Some(dissector) = self.options.registry.by_name(name)
                && dissector.takes(c.transport, true)
            {
                return Some((dissector.name(), "named by --port", dissector.session(&flow_info), 0));
            }
        }
        let forced = self.forced.filter(|d| d.takes(c.transport, false))?;
        Some((forced.name(), "named by -p", forced.session(&flow_info), 0))
    }

    /// Asks every dissector. `None`: more has to be said; `Some(None)`: it is none of ours.
    fn identify(&self, c: &Conversation<Classification>, pending: &Pending, ask: Ask) -> Option<Option<Claimant>> {
        if self.forced.is_some() {
            return Some(None);
        }
        let said = pending.observation(c.transport);
        let begun = Side::BOTH.map(|side| c.syn_seen[side.index()] && !pending.cut[side.index()]);
        let last = ask != Ask::More;
        let observation =
            Observation { transport: c.transport, ends: c.ends, payloads: &said, begun, last, options: self.options };
        // Who is heard from the middle on proves nothing: the other side may begin what can be known.
        let silent = c.transport == Transport::Tcp
            && Side::BOTH.iter().any(|side| pending.streams[side.index()].is_empty() && !begun[side.other().index()]);
        let mut best: Option<(u32, &'static dyn Dissector, &'static str)> = None;
        let mut open = false;
        for dissector in self.options.registry.iter() {
            if ask == Ask::Again(dissector.name()) {
                continue;
            }
            let evidence = dissector.identify(&observation);
            let Evidence::Bits(bits, why) = evidence else { continue };
            open = true;
            // What a conversation shows behind its beginning stays in it.
            let known = matches!(ask, Ask::More | Ask::Last)
                && c.ends.iter().any(|end| self.known.get(end) == Some(&dissector.name()));
            if !evidence.suffices(known) {
                continue;
            }
            let why = if evidence.suffices(false) { why } else { "the same server's other conversations" };
            if best.is_none_or(|(most, ..)| bits > most) {
                best = Some((bits, dissector, why));
            }
        }
        match best {
            Some((bits, dissector, why)) => {
                Some(Some((dissector.name(), why, dissector.session(&flow_info(c, self.options)), bits)))
            }
            None if (open || silent) && !last => None,
            None => Some(None),
        }
    }

    /// Settles an undecided conversation, if it can be, and lets its session see what was held.
    pub(super) fn settle(&mut self, c: &mut Conversation<Classification>, mut pending: Box<Pending>, last: bool) {
        let count = pending.datagrams.len();
        let full = pending.bytes >= HELD_BYTES || count >= HELD_DATAGRAMS;
        if !last && !full && count > ASKED_EACH && !count.is_multiple_of(8) {
            c.state = Classification::Undecided(pending);
            return;
        }
        let on = full && !last && c.transport == Transport::Udp && pending.rounds < ROUNDS;
        match self.identify(c, &pending, if last || full && !on { Ask::Last } else { Ask::More }) {
            None => {
                if on {
                    pending.forget();
                }
                c.state = Classification::Undecided(pending);
            }
            Some(None) => {
                self.counters.unclaimed.begin(c, &pending);
                if c.transport == Transport::Udp {
                    let packets = pending.forgotten + pending.datagrams.len() as u64;
                    *self.counters.foreign.entry(c.transport.name()).or_default() += packets;
                }
                c.state = Classification::Foreign(self.generation);
            }
            Some(Some((name, why, session, bits))) => {
                *self.counters.claimed.entry((name, why)).or_default() += 1;
                if self.known.len() < KNOWN {
                    c.ends.iter().for_each(|end| _ = self.known.insert(*end, name));
                }
                self.counters.unclaimed.unread += pending.forgotten;
                let mut owner = Owner::new(name, session, None);
                owner.outcome.credit = bits.into();
                for datagram in &pending.datagrams {
                    let place = datagram.place();
                    let broken = self.run(
                        &flow_info(c, self.options),
                        c.names.of(&c.ends),
                        &mut *owner.session,
                        |session, out| session.datagram(&place, out),
                    );
                    owner.outcome.add(place.frame, self.told, broken);
                }
                owner.read = self.replay(c, &pending, &mut owner);
                c.state = Classification::Claimed(owner);
            }
        }
    }

    /// A datagram could not be read, or one before it. Where most of those that followed could not
    /// either, and another dissector takes them for its own (ports are used again), the conversation
    /// changes hands: from the next datagram on, since these have been shown.
    #[cold]
    pub(super) fn reclassification(
        &mut self,
        c: &mut Conversation<Classification>,
        place: &Provenance<'_>,
        broken: bool,
    ) {
        let Classification::Claimed(mut owner) = std::mem::take(&mut c.state) else { return };
        // Who was named is not doubted.
        if owner.generation.is_none() {
            let mut reclassification = owner.reclassification.take().unwrap_or_default();
            reclassification.pending.push(place);
            reclassification.broken += broken as usize;
            if reclassification.pending.datagrams.len() < DOUBTED {
                owner.reclassification = Some(reclassification);
            } else if reclassification.broken * 2 > DOUBTED {
                let again = self.identify(c, &reclassification.pending, Ask::Again(owner.name));
                if let Some(Some((name, why, session, bits))) = again.filter(|found| {
                    // What changes how others are read is decided by the reader alone.
                    found.as_ref().is_none_or(|(_, _, session, _)| !session.affects_others())
                }) {
                    *self.counters.claimed.entry((name, why)).or_default() += 1;
                    let before = owner.told();
                    owner = Owner { before, ..Owner::new(name, session, None) };
                    owner.outcome.credit = bits.into();
                } else if owner.outcome.poor() {
                    self.give_up(c, &owner);
                    return;
                }
            }
        }
        c.state = Classification::Claimed(owner);
    }

    /// Nobody knows better, but most of what the conversation says is none of what it was taken for.
    #[cold]
    pub(super) fn give_up(&mut self, c: &mut Conversation<Classification>, owner: &Owner) {
        let Outcome { messages, frames, broken, .. } = owner.outcome;
        let (flow, ends, name) = (c.id, c.ends, owner.name);
        self.counters.unclaimed.give_up(Withdrawn { flow, name, messages, broken, frames, ends });
        c.state = Classification::Foreign(GONE);
    }

    /// The same of a stream: what is unread goes too.
    #[cold]
    pub(super) fn doubt_stream(&mut self, c: &mut Conversation<Classification>, stream: &mut Stream) {
        if let Classification::Claimed(owner) = std::mem::take(&mut c.state) {
            self.give_up(c, &owner);
            stream.consume(stream.bytes().len());
        }
    }

    /// Takes the conversation's owner out, if it is claimed or can be by name.
    pub(super) fn claimed(&mut self, c: &mut Conversation<Classification>) -> Option<Owner> {
        let again = matches!(&c.state, Classification::Foreign(generation) if c.transport == Transport::Udp && *generation < self.generation);
        if matches!(c.state, Classification::New) || again {
            if let Some((name, why, session, _)) = self.by_name(c) {
                *self.counters.claimed.entry((name, why)).or_default() += 1;
                return Some(Owner::new(name, session, Some(self.generation)));
            }
            if again {
                c.state = Classification::Foreign(self.generation);
            }
        }
        match std::mem::take(&mut c.state) {
            Classification::Elsewhere(mut away) => {
                let newer = away.generation.and_then(|generation| self.announced(c, generation));
                if let Some(session) = newer {
                    self.take_back(c.id, away);
                    return Some(Owner::new(ANNOUNCED, session, Some(self.generation)));
                }
                away.generation = away.generation.map(|_| self.generation);
                c.state = Classification::Elsewhere(away);
                None
            }
            Classification::Claimed(mut owner) => {
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

    /// Lets a session see what the streams said before it was found, in the order in which they
    /// said it. Returns how many bytes of each it has read.
    fn replay(&mut self, c: &Conversation<Classification>, pending: &Pending, owner: &mut Owner) -> [usize; 2] {
        let mut streams = [Stream::default(), Stream::default()];
        let mut ends = [0; 2];
        for said in &pending.said {
            let k = said.side.index();
            let event = match &said.what {
                EventKind::Gap { missing } => StreamEvent::Gap { missing: *missing },
                EventKind::Data { segments, origin } => {
                    let new = pending.streams[k].get(ends[k]..said.end).unwrap_or_default();
                    ends[k] = said.end;
                    streams[k].append(new, *origin);
                    StreamEvent::Data { new: new.len(), segments, frame: origin.frame }
                }
            };
            let names = c.names.of(&c.ends);
            let broken = self.run(&flow_info(c, self.options), names, &mut *owner.session, |session, out| {
                session.stream(said.side, &mut streams[k], event, out)
            });
            let frame = if let StreamEvent::Data { frame, .. } = event { frame } else { owner.outcome.frames[1] };
            owner.outcome.add(frame, self.told, broken);
        }
        [0, 1].map(|k| ends[k] - streams[k].bytes().len())
    }
}
