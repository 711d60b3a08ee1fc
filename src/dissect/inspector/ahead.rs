//! The first reading of a capture that can be opened twice: it recognises conversations ahead of the second reading,
//! which dissects them.
//! It reads no further than the second reading needs: when a conversation begins, it reads on until that conversation
//! is recognised and all information that its server sends only once is known, or to the end of the capture. Most
//! captures have both in a conversation's first packets. The further packets of a settled conversation are skipped, and
//! memory is bounded as in the second reading.

use super::classification::{Classification, Classified, Settled};
use super::{Inspector, flow_info};
use crate::capture::{Decoded, Packet, Packets, Time};
use crate::dissect::{Nowhere, Options, Session, Wants};
use crate::flow::{Delivery, End, Gap, Handler, Moved, Side, Stream, Table, Transport};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The number of a conversation's packets with payload that are dissected for information that its server sends only
/// once.
const LEARNED_FROM: u64 = 256;
/// The same number while its sides are not known: the messages that reveal them, such as heartbeats, may be rare.
const SIDES_FROM: u64 = 4096;

/// The cap on results of conversations that ended before the second reading asked for them.
const ENDED: usize = 4096;

/// Opens the packets of the capture, once.
type Open = Box<dyn FnOnce() -> Option<Packets> + Send>;

/// The result of the first reading for a conversation.
pub(super) enum Look {
    /// Nothing: it is no longer in memory.
    Unknown,
    /// No protocol claims it. The first bytes of each side, and two protocols that fit equally well.
    Foreign([Vec<u8>; 2], Option<(&'static str, &'static str)>),
    /// A protocol claims it: name, reason, session, bits of evidence.
    Claimed(&'static str, &'static str, Box<dyn Session>, u64),
}

/// The first reading.
pub struct Ahead<'a> {
    open: Option<Open>,
    packets: Option<Packets>,
    table: Table<Classification>,
    scout: Scout<'a>,
    /// The number of the last frame.
    read: u64,
    stop: Box<dyn Fn() -> bool + Send>,
}

impl<'a> Ahead<'a> {
    /// Opens the capture on first use. `stop` returns whether the user has stopped the reading.
    pub fn new(
        options: &'a Options,
        open: impl FnOnce() -> Option<Packets> + Send + 'static,
        stop: impl Fn() -> bool + Send + 'static,
    ) -> Ahead<'a> {
        // This does not allocate, since the type has no size.
        let nowhere = Box::leak(Box::new(Nowhere));
        let mut inspector = Inspector::new(options, nowhere).wants(Wants::FIELDS);
        inspector.updates_sides = false;
        let (leaves, ended) = (Cell::new(false), FxHashMap::default());
        let scout = Scout { inspector, leaves, news: false, ended, asked: 0 };
        let table = Table::new(options.limits.flow);
        Ahead { open: Some(Box::new(open)), packets: None, table, scout, read: 0, stop: Box::new(stop) }
    }

    /// The result for the conversation that begins with this frame.
    pub(super) fn look(&mut self, c: &Classified, frame: u64, options: &Options) -> Look {
        let look = self.search(c, frame, options);
        // It is not asked for again.
        self.scout.ended.remove(&c.id);
        look
    }

    fn search(&mut self, c: &Classified, frame: u64, options: &Options) -> Look {
        if let Some(open) = self.open.take() {
            self.packets = open();
        }
        while self.read <= frame && self.step() {}
        self.scout.asked = self.scout.asked.max(c.id);
        loop {
            let ended = self.packets.is_none();
            let found = self.table.find(c.transport, &c.ends).filter(|found| found.first == c.first);
            let settled = match found.map(|found| &found.state) {
                Some(Classification::Settled(settled)) => Some(settled),
                Some(_) => None,
                // Its ports were used again.
                None => match self.scout.ended.get(&c.id).filter(|(first, _)| *first == c.first) {
                    Some((_, settled)) => Some(settled),
                    None => return Look::Unknown,
                },
            };
            if let Some(look) = settled.and_then(|settled| self.scout.concluded(c, settled, ended, options)) {
                return look;
            }
            if ended {
                return Look::Unknown;
            }
            self.scout.news = false;
            while !self.scout.news && self.step() {}
        }
    }

    /// Reads the next frame. Returns whether there was one.
    fn step(&mut self) -> bool {
        let Ahead { packets: Some(packets), table, scout, read, .. } = self else { return false };
        let next = packets.next_with(|frame, decoded| {
            *read = frame.number;
            if let Decoded::Packet(packet) = decoded {
                table.packet(packet, scout);
            }
        });
        if matches!(next, Ok(Some(()))) && !(self.stop)() {
            return true;
        }
        // The second reading reports errors.
        self.packets = None;
        self.table.each(|c| self.scout.last(c));
        false
    }
}

/// Recognises conversations, and collects the information that servers send only once.
struct Scout<'a> {
    inspector: Inspector<'a, Nowhere>,
    /// Whether nothing more can be learned from the conversation of this packet.
    leaves: Cell<bool>,
    /// Whether a conversation has been settled.
    news: bool,
    /// The results of conversations that have ended, with the time of their first packet, by number.
    ended: FxHashMap<u64, (Time, Box<Settled>)>,
    /// The highest number of a conversation that the second reading has asked for.
    asked: u64,
}

impl Scout<'_> {
    /// Keeps the result of a conversation that has ended, if the second reading may still ask for it.
    fn keep(&mut self, c: &mut Classified) {
        if c.id >= self.asked
            && self.ended.len() < ENDED
            && let Classification::Settled(settled) = std::mem::take(&mut c.state)
        {
            self.ended.insert(c.id, (c.first, settled));
        }
    }

    /// The final result for a conversation; `None` if the rest of the capture may add to it.
    fn concluded(&self, c: &Classified, settled: &Settled, ended: bool, options: &Options) -> Option<Look> {
        let known = self.inspector.known.server(c.transport, c.ends);
        let claim = settled.claim.or_else(|| {
            let (_, proto) = known?;
            let mut registry = options.registry.iter().zip(0..u64::BITS);
            let fits = registry.any(|(dissector, k)| dissector.name() == proto && settled.fits >> k & 1 == 1);
            fits.then_some((proto, "the same server's other conversations", 0))
        });
        match claim {
            Some((name, why, credit)) => {
                let server = settled.server.or(known.filter(|(_, proto)| *proto == name).map(|(side, _)| side));
                let complete = server.is_some_and(|side| {
                    settled.complete || self.inspector.known.complete(c.transport, c.ends[side.index()], name)
                });
                if !complete && !ended {
                    return None;
                }
                let dissector = options.registry.by_name(name)?;
                let own = settled.taught.as_ref().filter(|_| server.is_none());
                let own = own.and_then(|session| session.sibling(&flow_info(c, options)));
                let session = own.unwrap_or_else(|| self.inspector.new_session(c, dissector, server));
                Some(Look::Claimed(name, why, session, credit))
            }
            None => match self.inspector.announced(c, 0) {
                Some((name, session)) => {
                    Some(Look::Claimed(name, "a conversation that another one announced", session, 0))
                }
                // Only a server that is recognised later could claim it.
                None if settled.fits == 0 && c.transport == Transport::Tcp || ended => {
                    Some(Look::Foreign(settled.first.clone(), settled.tied))
                }
                None => None,
            },
        }
    }

    /// Checks whether more can be learned from the conversation.
    fn after(&mut self, c: &mut Classified) {
        let leaves = match &c.state {
            Classification::Claimed(owner) => {
                let flow_info = flow_info(c, self.inspector.options);
                let sides = owner.session.server(&flow_info).is_some();
                let most = if sides { LEARNED_FROM } else { SIDES_FROM };
                sides && owner.session.settled() || owner.outcome.good() + owner.outcome.broken() >= most
            }
            Classification::Foreign(_) => true,
            _ => false,
        };
        self.leaves.set(leaves);
    }

    /// The result for a conversation from which no more is learned.
    fn settled(&mut self, c: &mut Classified, state: Classification) -> Classification {
        self.news = true;
        let mut settled = Settled::default();
        match state {
            Classification::Claimed(owner) => {
                let flow_info = flow_info(c, self.inspector.options);
                settled.server = owner.session.server(&flow_info);
                settled.complete = owner.session.settled();
                settled.claim = Some((owner.name, owner.why, owner.outcome.credit));
                if settled.complete && settled.server.is_none() {
                    settled.taught = owner.session.sibling(&flow_info);
                }
                self.inspector.teach(c, &owner);
            }
            Classification::Foreign(_) => {
                settled.fits = self.inspector.fits.take();
                settled.tied = self.inspector.tied.take();
                settled.first = self.inspector.counters.unclaimed.forget(c.id);
            }
            _ => {}
        }
        Classification::Settled(Box::new(settled))
    }

    /// Settles a conversation at the end of the capture.
    fn last(&mut self, c: &mut Classified) {
        let mut state = std::mem::take(&mut c.state);
        if let Classification::Undecided(pending) = state {
            self.inspector.settle(c, pending, true);
            state = std::mem::take(&mut c.state);
        }
        c.state = match state {
            Classification::Claimed(_) | Classification::Foreign(_) => self.settled(c, state),
            other => other,
        };
    }

    /// Whether nothing of this conversation needs to be read any more.
    fn is_settled(&self, c: &Classified) -> bool {
        self.leaves.set(false);
        matches!(c.state, Classification::Settled(_))
    }
}

impl Handler<Classification> for Scout<'_> {
    fn datagram(&mut self, c: &mut Classified, side: Side, packet: &Packet<'_>, payload: &[u8], length: usize) {
        if !self.is_settled(c) {
            self.inspector.datagram(c, side, packet, payload, length);
            self.after(c);
        }
    }

    fn data(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        if !self.is_settled(c) {
            self.inspector.data(c, side, stream, delivery);
            self.after(c);
        }
    }

    fn gap(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, gap: &Gap) {
        if !self.is_settled(c) {
            self.inspector.gap(c, side, stream, gap);
            self.after(c);
        }
    }

    fn end(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, why: End, missing: u64) {
        if !self.is_settled(c) {
            Handler::end(&mut self.inspector, c, side, stream, why, missing);
            self.after(c);
        }
    }

    fn closed(&mut self, c: &mut Classified) {
        self.last(c);
        // What its end has shown does not concern the conversation of the next packet.
        self.leaves.set(false);
        self.keep(c);
    }

    fn close(&mut self, c: &mut Classified, _: End) {
        self.keep(c);
    }

    fn memory(&self, c: &Classified) -> Option<usize> {
        self.inspector.memory(c)
    }

    fn leaves(&self, _: &Classified) -> bool {
        self.leaves.take()
    }

    fn take(&mut self, c: &mut Classified, _: u32, mut moved: Moved<Classification>) {
        let state = std::mem::take(&mut moved.conversation().state);
        c.state = self.settled(c, state);
    }
}
