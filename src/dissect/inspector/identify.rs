//! Classification of conversations: by the user's options, by announcements in other conversations,
//! by the payload; and reclassification when the payload no longer fits.

use super::ahead::Look;
use super::classification::{Classification, Classified, EventKind, Outcome, Owner, Pending};
use super::unclaimed::{Unlike, Withdrawn};
use super::{Inspector, flow_info};
use crate::dissect::dissector::{Dissector, Evidence, Observation, Session, StreamEvent};
use crate::dissect::{Decision, Provenance, Sink, UNDECIDED};
use crate::flow::{Side, Stream, Transport};
use std::net::SocketAddr;

/// The cap on datagrams held back for an undecided conversation.
const HELD_DATAGRAMS: usize = 96;
/// The dissectors are asked at each of this many first datagrams, then at every eighth, since each time they examine
/// all datagrams that are held.
const ASKED_EACH: usize = 16;
/// The number of times that the older half of the held datagrams is dropped to make room: a session captured from its
/// middle may not be recognisable for a while.
const ROUNDS: u32 = 16;
/// The same number for the bytes of streams captured from their middle: one large message may fill the buffer many
/// times.
const STREAM_ROUNDS: u32 = 64;
/// The number of datagrams that are examined together, from the first one that could not be read.
const DOUBTED: usize = 12;
/// The cap on bytes held back for an undecided conversation: of all datagrams, or of each stream.
pub(super) const HELD_BYTES: usize = 8192;
/// The number of packets after which an open conversation is no longer asked for information that its server sends only
/// once.
const UNTAUGHT: u64 = 256;
/// The generation of a conversation whose claim was withdrawn: it is not classified again.
pub(super) const GONE: u64 = u64::MAX;

/// The reasons of claims by the user's options.
const BY_PROTO: &str = "named by -p";
const BY_PORT: &str = "named by --port";

/// The protocol that claims a conversation.
pub(super) struct Claimant {
    name: &'static str,
    /// The reason.
    why: &'static str,
    session: Box<dyn Session>,
    /// The bits of evidence.
    bits: u32,
}

/// The occasion on which the dissectors are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// More payload may follow.
    More,
    /// No more payload will follow, or be held.
    Last,
    /// This protocol's claim seems wrong: another one may fit.
    Again(&'static str),
}

impl<S: Sink> Inspector<'_, S> {
    /// Returns protocol and session for a UDP conversation with an announced endpoint, if that was announced after
    /// generation `after`.
    pub(super) fn announced(&self, c: &Classified, after: u64) -> Option<(&'static str, Box<dyn Session>)> {
        if c.transport != Transport::Udp || self.generation <= after {
            return None;
        }
        let all = c.ends.iter().filter_map(|end| self.expected.get(end));
        let (_, proto, session) = all.filter(|(g, ..)| *g > after).max_by_key(|(generation, ..)| *generation)?;
        Some((*proto, session.sibling(&flow_info(c, self.options))?))
    }

    /// Claims that need no payload: by the user's options, or an announcement.
    fn by_name(&mut self, c: &Classified) -> Option<Claimant> {
        let flow_info = flow_info(c, self.options);
        if let Some((proto, session)) = self.announced(c, 0) {
            return Some(Claimant { name: proto, why: "a conversation that another one announced", session, bits: 0 });
        }
        for (port, name) in &self.options.ports {
            if c.ends.iter().any(|end| end.port() == *port)
                && let Some(dissector) = self.options.registry.by_name(name)
                && dissector.takes(c.transport, true)
            {
                let session = dissector.session(&flow_info);
                return Some(Claimant { name: dissector.name(), why: BY_PORT, session, bits: 0 });
            }
        }
        let forced = self.forced.filter(|d| d.takes(c.transport, false))?;
        Some(Claimant { name: forced.name(), why: BY_PROTO, session: forced.session(&flow_info), bits: 0 })
    }

    /// Asks every dissector. `None`: more payload is needed; `Some(None)`: no known protocol.
    fn identify(&self, c: &Classified, pending: &Pending, ask: Ask) -> Option<Option<Claimant>> {
        self.tied.set(None);
        let payloads = pending.observation(c.transport);
        let begun = pending.begun(c.syn_seen);
        let last = ask != Ask::More;
        let observation = Observation {
            transport: c.transport,
            ends: c.ends,
            payloads: &payloads,
            begun,
            last,
            few: false,
            time: pending.time(),
            options: self.options,
        };
        // A stream captured from its middle proves nothing: the other side may begin with something recognisable.
        let silent = c.transport == Transport::Tcp
            && Side::BOTH.iter().any(|side| pending.streams[side.index()].is_empty() && !begun[side.other().index()]);
        // The captured bytes may all be the rest of one message.
        let middle = c.transport == Transport::Tcp && payloads.iter().all(|(side, ..)| !begun[side.index()]);
        let few = c.transport == Transport::Udp
            && ask == Ask::More
            && pending.bytes < HELD_BYTES
            && payloads.len() < Observation::FEW;
        self.fits.set(0);
        let server = self.known.server(c.transport, c.ends);
        let mut best: Option<((bool, u32), &'static dyn Dissector, &'static str)> = None;
        let (mut open, mut tie): (bool, Option<&'static str>) = (false, None);
        for (k, dissector) in self.options.registry.iter().enumerate() {
            if ask == Ask::Again(dissector.name()) {
                continue;
            }
            // Evidence from the middle of a conversation does not apply to others.
            let known = matches!(ask, Ask::More | Ask::Last)
                && c.ends.iter().any(|end| self.known.is(c.transport, *end, dissector.name()));
            let observation = Observation { few: few && !known, ..observation };
            let Evidence::Bits(bits, why) = dissector.identify(&observation) else { continue };
            // The middle of a stream has been examined once per round, so chance matches are more likely.
            let bits = if middle { bits.saturating_sub((pending.rounds + 1).ilog2()) } else { bits };
            let evidence = Evidence::Bits(bits, why);
            open = true;
            let fits = bits >= Evidence::FITS;
            self.fits.set(self.fits.get() | (u64::from(fits) << k.min(63)));
            // All captured bytes fit, and the server is one of this protocol.
            let fits = fits && ask == Ask::Last && server.is_some_and(|(_, proto)| proto == dissector.name());
            if !fits && !evidence.suffices(known) {
                continue;
            }
            let why = if evidence.suffices(false) { why } else { "the same server's other conversations" };
            let rank = (!dissector.yields(), bits);
            // If two protocols that yield have equal evidence, neither claims the conversation.
            tie = match &best {
                Some((most, ..)) if rank > *most => None,
                Some((most, ..)) if rank == *most && dissector.yields() => tie.or(Some(dissector.name())),
                Some(_) => tie,
                None => None,
            };
            if best.is_none_or(|(most, ..)| rank > most) {
                best = Some((rank, dissector, why));
            }
        }
        self.tied.set(best.zip(tie).map(|((_, first, _), other)| (first.name(), other)));
        match best.filter(|_| tie.is_none()) {
            Some(((_, bits), dissector, why)) => {
                let server = server.filter(|(_, proto)| *proto == dissector.name()).map(|(side, _)| side);
                let session = self.new_session(c, dissector, server);
                Some(Some(Claimant { name: dissector.name(), why, session, bits }))
            }
            None if (open || silent || middle) && !last => None,
            None => Some(None),
        }
    }

    /// Reports the decision about a conversation to the sink.
    fn decided(&mut self, c: &Classified, pending: &Pending, claimant: Option<&Claimant>) {
        if !self.reads(&c.ends) {
            return;
        }
        let begun = pending.begun(c.syn_seen);
        let (flow, transport, ends) = (c.id, c.transport, c.ends);
        self.sink.decided(&Decision {
            flow,
            transport,
            ends,
            payloads: &pending.observation(transport),
            begun,
            time: pending.time(),
            taken: claimant.map(|found| (found.name, found.why)),
            tied: self.tied.get().filter(|_| claimant.is_none()),
        });
    }

    /// Decides an undecided conversation, if possible, and passes the held payloads to its session.
    pub(super) fn settle(&mut self, c: &mut Classified, mut pending: Box<Pending>, last: bool) {
        let udp = c.transport == Transport::Udp;
        let (count, most) = match udp {
            true => (pending.datagrams.len(), HELD_DATAGRAMS),
            false => (pending.events.len(), HELD_BYTES),
        };
        let full = pending.bytes >= HELD_BYTES || count >= most;
        // The dissectors examine a stream's first bytes at every segment: these soon determine the protocol.
        let middle = c.syn_seen == [false; 2];
        let gap = pending.missing != [0; 2];
        let seldom = match udp {
            true => count > ASKED_EACH && !count.is_multiple_of(8),
            // In the middle of a stream the dissectors search all held bytes.
            false => middle && !pending.has_doubled(),
        };
        if !last && !full && !gap && seldom {
            c.state = Classification::Undecided(pending);
            return;
        }
        let on = full && !last && pending.rounds < if udp { ROUNDS } else { STREAM_ROUNDS } && (udp || middle);
        let mut found = self.identify(c, &pending, if last || full && !on { Ask::Last } else { Ask::More });
        // With -p, no other protocol is read, but the one that fits is reported.
        if let (Some(forced), Some(Some(other))) = (self.forced, &found) {
            let (name, instead) = (forced.name(), Some(other.name));
            self.counters.unclaimed.unlike(Unlike { flow: c.id, ends: c.ends, name, bits: 0, instead });
            found = Some(None);
        }
        if let Some(found) = &found {
            self.decided(c, &pending, found.as_ref());
        }
        match found {
            None => {
                match c.transport {
                    Transport::Udp if on => pending.forget(),
                    Transport::Tcp if on => pending.forget_streams(),
                    _ => {}
                }
                c.state = Classification::Undecided(pending);
            }
            Some(None) => {
                if let Some(both) = self.tied.get() {
                    *self.counters.tied.entry(both).or_default() += 1;
                }
                self.counters.unclaimed.begin(c, &pending);
                if c.transport == Transport::Udp {
                    let packets = pending.forgotten + pending.datagrams.len() as u64;
                    *self.counters.foreign.entry(c.transport.name()).or_default() += packets;
                }
                c.state = Classification::Foreign(self.generation);
            }
            Some(Some(Claimant { name, why, session, bits })) => {
                *self.counters.claimed.entry((name, why)).or_default() += u64::from(!c.resumed);
                self.counters.account.limit(UNDECIDED, pending.forgotten);
                let mut owner = Owner::new(name, session, false, self.generation);
                owner.begins(c.transport, c.syn_seen);
                (owner.why, owner.outcome.credit) = (why, bits.into());
                if let Some(server) = self.known.shared(c.transport, c.ends, name).filter(|_| self.updates_sides) {
                    owner.session.set_server(server);
                }
                for datagram in &pending.datagrams {
                    let place = datagram.place();
                    let broken =
                        self.run(&flow_info(c, self.options), c.names.of(&c.ends), owner.running(), |session, out| {
                            session.datagram(&place, out)
                        });
                    owner.outcome.add(place.side, place.frame, self.emitted, broken);
                }
                owner.read = self.replay(c, &pending, &mut owner);
                self.learn(c, &owner);
                owner.untaught = !self.teach(c, &owner) && self.ahead.is_none();
                c.state = Classification::Claimed(Box::new(owner));
            }
        }
    }

    /// Decides an undecided conversation at the end of the capture, if it holds enough evidence itself: the others are
    /// then decided by the servers that all of these show.
    pub(super) fn settle_sure(&mut self, c: &mut Classified, pending: Box<Pending>) {
        if self.forced.is_none() && matches!(self.identify(c, &pending, Ask::Last), Some(Some(_))) {
            self.sequence(c.serial);
            self.settle(c, pending, true);
        } else {
            c.state = Classification::Undecided(pending);
        }
    }

    /// Creates the session for a conversation with this server: information that the server sends only once is taken
    /// from other conversations.
    pub(super) fn new_session(
        &self,
        c: &Classified,
        dissector: &'static dyn Dissector,
        server: Option<Side>,
    ) -> Box<dyn Session> {
        let flow_info = flow_info(c, self.options);
        let own = dissector.session(&flow_info);
        let Some(server) = server else { return own };
        let teacher = self.known.teacher(c.transport, c.ends[server.index()], dissector.name());
        let mut session = teacher.and_then(|teacher| teacher.sibling(&flow_info)).unwrap_or(own);
        session.set_server(server);
        session
    }

    /// Stores the information that the server of a conversation sends only once, for other conversations. Returns
    /// whether it is complete.
    pub(super) fn teach(&mut self, c: &Classified, owner: &Owner) -> bool {
        let flow_info = flow_info(c, self.options);
        let complete = owner.session.settled();
        let Some(server) = owner.session.server(&flow_info) else { return false };
        let end = (c.transport, c.ends[server.index()]);
        self.known.teach(end, owner.name, complete, || owner.session.sibling(&flow_info));
        self.update_sides();
        complete
    }

    /// Does the same for a conversation that is still open.
    #[cold]
    pub(super) fn teach_later(&mut self, c: &mut Classified) {
        let Classification::Claimed(mut owner) = std::mem::take(&mut c.state) else { return };
        let many = owner.outcome.good() + owner.outcome.broken() >= UNTAUGHT;
        if self.teach(c, &owner) {
            self.learn(c, &owner);
            owner.untaught = false;
        }
        owner.untaught &= !many;
        c.state = Classification::Claimed(owner);
    }

    /// Stores the endpoints of a claimed conversation.
    fn learn(&mut self, c: &Classified, owner: &Owner) {
        let server = owner.session.server(&flow_info(c, self.options));
        let found = self.known.claimed(c.transport, c.ends, owner.name, server);
        self.counters.account.at_claimed_servers += found;
        self.update_sides();
        if found.conversations > 0
            && let Some((side, proto)) = self.known.server(c.transport, c.ends)
        {
            self.counters.unclaimed.at_server(c.ends[side.index()], proto);
        }
    }

    /// Lets all claimed conversations be [updated](Self::update) if a server was found.
    fn update_sides(&mut self) {
        if std::mem::take(&mut self.known.found) && self.updates_sides {
            self.generation += 1;
        }
    }

    /// Sets the server's side of a conversation that was recognised by its payload, if others have shown it meanwhile.
    /// Returns false if the conversation was claimed by name.
    #[cold]
    #[inline(never)]
    pub(super) fn update(&self, owner: &mut Owner, transport: Transport, ends: &[SocketAddr; 2]) -> bool {
        if owner.named {
            return false;
        }
        owner.generation = self.generation;
        if let Some((server, proto)) = self.known.server(transport, *ends)
            && proto == owner.name
        {
            owner.session.set_server(server);
        }
        true
    }

    /// Records a datagram that could not be read, or one after it. If most of the datagrams after the first one could
    /// not be read either, and another dissector claims them (ports are reused), the conversation is reclassified from
    /// the next datagram on, since these have been emitted.
    #[cold]
    pub(super) fn reclassification(&mut self, c: &mut Classified, place: &Provenance<'_>, broken: bool) {
        let Classification::Claimed(mut owner) = std::mem::take(&mut c.state) else { return };
        // Claims by name are final.
        if !owner.named {
            let mut reclassification = owner.reclassification.take().unwrap_or_default();
            reclassification.pending.push(place);
            reclassification.broken += broken as usize;
            if reclassification.pending.datagrams.len() < DOUBTED {
                owner.reclassification = Some(reclassification);
            } else if reclassification.broken * 2 > DOUBTED {
                let again = self.identify(c, &reclassification.pending, Ask::Again(owner.name));
                if let Some(Some(Claimant { name, why, session, bits })) = again.filter(|found| {
                    // Only the reader of the capture can run sessions that affect others.
                    found.as_ref().is_none_or(|found| !found.session.affects_others())
                }) {
                    *self.counters.claimed.entry((name, why)).or_default() += u64::from(!c.resumed);
                    let before = owner.has_messages();
                    *owner = Owner { before, ..Owner::new(name, session, false, self.generation) };
                    owner.outcome.credit = bits.into();
                } else if self.is_poor(c, &owner) {
                    self.give_up(c, &owner);
                    return;
                }
            }
        }
        c.state = Classification::Claimed(owner);
    }

    /// Whether there is more evidence against a claim than for it. Never if the server behaves: then malformed packets
    /// are a test of it.
    fn is_poor(&self, c: &Classified, owner: &Owner) -> bool {
        owner.outcome.poor() && {
            let server = owner.session.server(&flow_info(c, self.options));
            !server.is_some_and(|side| owner.outcome.behaves(side))
        }
    }

    /// Withdraws a claim: most of the payload does not fit the protocol, and no other dissector claims it.
    #[cold]
    pub(super) fn give_up(&mut self, c: &mut Classified, owner: &Owner) {
        let Outcome { messages, frames, .. } = owner.outcome;
        let broken = owner.outcome.broken();
        let (flow, ends, name) = (c.id, c.ends, owner.name);
        self.counters.account.given_up += 1;
        self.counters.unclaimed.give_up(Withdrawn { flow, name, messages, broken, frames, ends });
        c.state = Classification::Foreign(GONE);
    }

    /// Withdraws the claim of a stream if it is poor; unread bytes are dropped, too.
    #[cold]
    pub(super) fn doubt_stream(&mut self, c: &mut Classified, stream: &mut Stream) {
        if let Classification::Claimed(owner) = std::mem::take(&mut c.state) {
            if !self.is_poor(c, &owner) {
                c.state = Classification::Claimed(owner);
                return;
            }
            self.give_up(c, &owner);
            stream.consume(stream.bytes().len());
        }
    }

    /// Takes the conversation's owner out, if it is claimed or can be claimed by name.
    pub(super) fn claimed(&mut self, c: &mut Classified, frame: u64) -> Option<Box<Owner>> {
        let again = matches!(&c.state, Classification::Foreign(generation) if c.transport == Transport::Udp && *generation < self.generation);
        if matches!(c.state, Classification::New) || again {
            if let Some(Claimant { name, why, session, .. }) = self.by_name(c) {
                *self.counters.claimed.entry((name, why)).or_default() += u64::from(!c.resumed);
                let named = matches!(why, BY_PROTO | BY_PORT);
                let weighed = if named { self.weighed() } else { None };
                return Some(Box::new(Owner { weighed, ..Owner::new(name, session, true, self.generation) }));
            }
            if again {
                c.state = Classification::Foreign(self.generation);
            } else if frame > 0
                && let Some(found) = self.looked(c, frame)
            {
                return Some(found);
            }
        }
        match std::mem::take(&mut c.state) {
            Classification::Dispatched(mut assignment) => {
                if assignment.named {
                    if let Some((proto, session)) = self.announced(c, assignment.generation) {
                        self.take_back(c.serial, assignment);
                        return Some(Box::new(Owner::new(proto, session, true, self.generation)));
                    }
                } else if let (Some((server, proto)), Some(dispatcher)) =
                    (self.known.server(c.transport, c.ends), &mut self.dispatcher)
                {
                    dispatcher.server(assignment, self.sequence.1, server, proto);
                }
                assignment.generation = self.generation;
                c.state = Classification::Dispatched(assignment);
                None
            }
            Classification::Claimed(mut owner) => {
                if owner.named {
                    let newer = self.announced(c, owner.generation);
                    owner.generation = self.generation;
                    if let Some((proto, session)) = newer {
                        (owner.name, owner.session) = (proto, session);
                    }
                }
                Some(owner)
            }
            other => {
                c.state = other;
                None
            }
        }
    }

    /// Takes the result of the first reading for a conversation that begins.
    fn looked(&mut self, c: &mut Classified, frame: u64) -> Option<Box<Owner>> {
        let look = self.ahead.as_mut()?.look(c, frame, self.options);
        match look {
            Look::Unknown => None,
            Look::Foreign(first, tied) => {
                if let Some(both) = tied {
                    *self.counters.tied.entry(both).or_default() += 1;
                }
                self.counters.unclaimed.begin_with(c.id, first);
                c.state = Classification::Foreign(self.generation);
                None
            }
            Look::Claimed(name, why, session, credit) => {
                *self.counters.claimed.entry((name, why)).or_default() += u64::from(!c.resumed);
                let mut owner = Owner::new(name, session, false, self.generation);
                owner.begins(c.transport, c.syn_seen);
                owner.outcome.credit = credit;
                self.learn(c, &owner);
                Some(Box::new(owner))
            }
        }
    }

    /// Passes the held events of the streams to a session, in their order. Returns the number of bytes of each stream
    /// that it has read.
    fn replay(&mut self, c: &Classified, pending: &Pending, owner: &mut Owner) -> [usize; 2] {
        let mut streams = [Stream::default(), Stream::default()];
        let (mut ends, mut after_gap) = ([0; 2], [0; 2]);
        for item in &pending.events {
            let k = item.side.index();
            let event = match &item.what {
                EventKind::Gap { missing } => StreamEvent::Gap { missing: *missing },
                EventKind::Data { segments, origin } => {
                    let new = pending.streams[k].get(ends[k]..item.end).unwrap_or_default();
                    ends[k] = item.end;
                    streams[k].append(new, *origin);
                    StreamEvent::Data { new: new.len(), segments, frame: origin.frame }
                }
            };
            owner.given(&event);
            let names = c.names.of(&c.ends);
            let broken = self.run(&flow_info(c, self.options), names, owner.running(), |session, out| {
                session.stream(item.side, &mut streams[k], event, out)
            });
            owner.has_read(item.side, &event, self.emitted, broken);
            if let StreamEvent::Gap { missing } = event {
                self.sink.gap(c.id, item.side, missing);
                let stream = &mut streams[k];
                stream.restart(stream.offset() + stream.bytes().len() as u64 + missing);
                after_gap[k] = ends[k];
            }
        }
        [0, 1].map(|k| pending.dropped[k] + ends[k] - after_gap[k] - streams[k].bytes().len())
    }
}
