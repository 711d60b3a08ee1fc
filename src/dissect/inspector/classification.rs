//! The classification of a conversation, and the payloads held back until it is known.

use super::assignment::Assignment;
use crate::capture::Time;
use crate::dissect::{FrameLines, Options, Provenance, Session, StreamEvent};
use crate::flow::{Origin, Side, Transport};

/// The classification of a conversation.
#[derive(Default)]
pub enum Classification {
    /// No dissector has been asked yet.
    #[default]
    New,
    /// Not enough payload for a decision yet.
    Undecided(Box<Pending>),
    /// Claimed by a dissector. Boxed: of most conversations that another thread reads, the table keeps only the assignment.
    Claimed(Box<Owner>),
    /// Claimed by a dissector, and read by another thread.
    Dispatched(Assignment),
    /// In a first reading: no more is to be learned of it.
    Settled(Box<Settled>),
    /// Of no known protocol; asked again when more servers have been announced than this number.
    Foreign(u64),
}

impl Classification {
    /// Does its protocol name ports for datagrams in its streams?
    pub fn names_ports(&self, options: &Options) -> bool {
        match self {
            Classification::Claimed(owner) => {
                options.registry.by_name(owner.name).is_some_and(|dissector| dissector.port_names().is_some())
            }
            _ => false,
        }
    }

    /// Is it claimed? Then where the message begins of which a carrier has brought some frames.
    pub fn begun(&self, side: Side) -> Option<Option<u64>> {
        match self {
            Classification::Claimed(owner) => Some(owner.session.begun(side)),
            _ => None,
        }
    }

    /// The approximate bytes it holds.
    pub(super) fn memory(&self) -> usize {
        match self {
            Classification::New | Classification::Foreign(_) => 0,
            // The value that the flow table requires.
            Classification::Dispatched(_) | Classification::Settled(_) => usize::MAX,
            Classification::Undecided(pending) => pending.memory(),
            Classification::Claimed(owner) => {
                owner.session.memory()
                    + owner.lines.memory()
                    + owner.reclassification.as_ref().map_or(0, |reclassification| reclassification.pending.memory())
                    + owner.weighed.as_ref().map_or(0, |pending| pending.memory())
            }
        }
    }
}

/// What a first reading has found out about a conversation.
#[derive(Default)]
pub struct Settled {
    /// The protocol that has it, the reason, and the bits of evidence.
    pub(super) claim: Option<(&'static str, &'static str, u64)>,
    /// The server's side.
    pub(super) server: Option<Side>,
    /// All is known that the server says once.
    pub(super) complete: bool,
    /// The same where nobody knows who the server is: a session that knows it.
    pub(super) taught: Option<Box<dyn Session>>,
    /// Unclaimed: the protocols that it fits, as bits by their order in the registry.
    pub(super) fits: u64,
    /// Unclaimed: the first bytes of each side.
    pub(super) first: [Vec<u8>; 2],
    /// Unclaimed: two protocols that fit equally well.
    pub(super) tied: Option<(&'static str, &'static str)>,
}

/// The dissector and session of a claimed conversation.
pub struct Owner {
    /// The dissector's name.
    pub(super) name: &'static str,
    pub(super) session: Box<dyn Session>,
    /// Why it was claimed.
    pub(super) why: &'static str,
    /// What its server says once may still have to be remembered for others.
    pub(super) untaught: bool,
    /// Named by the user: its first payloads, until it is known whether they look like that.
    pub(super) weighed: Option<Box<Pending>>,
    /// Claimed by name when this many servers had been announced; a later announcement of one of its
    /// ends replaces it. `None`: recognised by its payload, which may be reconsidered.
    pub(super) generation: Option<u64>,
    /// How many bytes of each stream were read from those held back.
    pub(super) read: [usize; 2],
    /// The datagrams since one that could not be read.
    pub(super) reclassification: Option<Box<Reclassification>>,
    /// The results so far.
    pub(super) outcome: Outcome,
    /// The messages of each frame.
    pub(super) lines: FrameLines,
    /// A previous owner has emitted messages.
    pub(super) before: bool,
    /// TCP: the bytes of both streams that it was given.
    pub(super) delivered: u64,
}

impl Owner {
    /// Is there more to do with its packets than to read them?
    #[inline]
    pub(super) fn watched(&self) -> bool {
        self.untaught || self.weighed.is_some()
    }

    /// It is given an event of a stream.
    #[inline]
    pub(super) fn given(&mut self, event: &StreamEvent<'_>) {
        if let StreamEvent::Data { new, .. } = event {
            self.delivered += *new as u64;
        }
    }
}

/// The results of a claim.
#[derive(Default)]
pub(super) struct Outcome {
    /// Messages emitted, and the first and last frame with one.
    pub messages: u64,
    pub frames: [u64; 2],
    /// By side: datagrams, or deliveries of a stream, that could be read, and that could not.
    pub good: [u64; 2],
    pub broken: [u64; 2],
    /// The bits of evidence of the claim.
    pub credit: u64,
}

/// How many broken ones a bit of evidence outweighs: real servers are also tested with nothing but
/// broken messages.
const OUTWEIGHED: u64 = 3;

/// How many packets a side that behaves has sent, and how many for each that could not be read.
const BEHAVES: u64 = 8;

impl Outcome {
    /// Counts the messages of a frame.
    #[inline]
    pub fn add(&mut self, side: Side, frame: u64, messages: u64, broken: bool) {
        self.emitted(frame, messages);
        (if broken { &mut self.broken } else { &mut self.good })[side.index()] += 1;
    }

    /// Counts messages alone.
    #[inline]
    fn emitted(&mut self, frame: u64, messages: u64) {
        if messages > 0 {
            if self.messages == 0 {
                self.frames[0] = frame;
            }
            self.frames[1] = frame;
            self.messages += messages;
        }
    }

    /// Those of both sides that could be read.
    pub fn good(&self) -> u64 {
        self.good.iter().sum()
    }

    /// Those of both sides that could not be read.
    pub fn broken(&self) -> u64 {
        self.broken.iter().sum()
    }

    /// Is what this side sends read well, whatever the other sends?
    pub fn behaves(&self, side: Side) -> bool {
        let (good, broken) = (self.good[side.index()], self.broken[side.index()]);
        good >= BEHAVES && broken * BEHAVES <= good
    }

    /// Is there more evidence against the claim than for it?
    pub fn poor(&self) -> bool {
        self.broken() > self.good() + OUTWEIGHED * self.credit
    }
}

/// What runs of an [`Owner`].
pub(super) struct Running<'a> {
    pub name: &'static str,
    pub session: &'a mut dyn Session,
    pub lines: &'a mut FrameLines,
}

impl Owner {
    /// To be run.
    #[inline]
    pub(super) fn running(&mut self) -> Running<'_> {
        Running { name: self.name, session: &mut *self.session, lines: &mut self.lines }
    }

    /// An owner that has not read anything yet.
    pub(super) fn new(name: &'static str, session: Box<dyn Session>, generation: Option<u64>) -> Owner {
        Owner {
            name,
            session,
            why: "",
            untaught: false,
            weighed: None,
            generation,
            read: [0; 2],
            reclassification: None,
            outcome: Outcome::default(),
            lines: FrameLines::default(),
            before: false,
            delivered: 0,
        }
    }

    /// It has read an event of a stream, and emitted so many messages.
    #[inline]
    pub(super) fn has_read(&mut self, side: Side, event: &StreamEvent<'_>, emitted: u64, broken: bool) {
        match event {
            StreamEvent::Data { frame, .. } => self.outcome.add(side, *frame, emitted, broken),
            StreamEvent::Gap { .. } | StreamEvent::End => self.outcome.emitted(self.outcome.frames[1], emitted),
        }
    }

    /// Were messages of the conversation emitted?
    pub(super) fn has_messages(&self) -> bool {
        self.before || self.outcome.messages > 0
    }
}

/// The datagrams of a conversation, starting with one that could not be read.
#[derive(Default)]
pub struct Reclassification {
    pub(super) pending: Pending,
    /// How many of them could not be read.
    pub(super) broken: usize,
}

/// Up to this many bytes of streams, the dissectors are asked with each segment.
const FEW_BYTES: usize = 1024;

/// The payloads of an undecided conversation.
#[derive(Default)]
pub struct Pending {
    pub(super) datagrams: Vec<PendingDatagram>,
    /// The bytes held of each stream; those before a gap are held to be read, not to be recognised.
    pub(super) streams: [Vec<u8>; 2],
    /// Where the bytes after the newest gap of each stream begin.
    pub(super) after_gap: [usize; 2],
    /// How many bytes are missing after those held of each stream, where a gap ends them.
    pub(super) missing: [u64; 2],
    /// What was held was dropped now, and the event that made it too much is not to be held either.
    pub(super) full: bool,
    /// How many of each stream's unread bytes are not held any more.
    pub(super) dropped: [usize; 2],
    /// The events of its streams, in order of arrival.
    pub(super) events: Vec<PendingEvent>,
    /// The sides whose first bytes are missing in the capture.
    pub(super) cut: [bool; 2],
    pub(super) bytes: usize,
    /// The bytes that were held of both streams when the dissectors were asked.
    asked: usize,
    /// How often the older half was dropped, and how many datagrams that were.
    pub(super) rounds: u32,
    pub(super) forgotten: u64,
}

impl Pending {
    /// Drops the older half of the datagrams.
    pub(super) fn forget(&mut self) {
        let half = self.datagrams.len().div_ceil(2);
        self.bytes -= self.datagrams.drain(..half).map(|datagram| datagram.bytes.len()).sum::<usize>();
        self.rounds += 1;
        self.forgotten += half as u64;
    }

    /// Whether streams have twice the bytes that they had when this was last so, or few: then the dissectors are asked.
    pub(super) fn has_doubled(&mut self) -> bool {
        let held: usize =
            self.streams.iter().zip(self.after_gap).map(|(held, from)| held.len().saturating_sub(from)).sum();
        let doubled = held <= FEW_BYTES || held >= 2 * self.asked;
        if doubled {
            self.asked = held;
        }
        doubled
    }

    /// Holds the unread bytes of a stream, as far as there is room.
    pub(super) fn hold(&mut self, side: Side, unread: &[u8], most: usize) {
        let k = side.index();
        let held = &mut self.streams[k];
        held.truncate(self.after_gap[k]);
        held.extend(unread.iter().take(most.saturating_sub(held.len())));
        self.bytes = self.streams.iter().map(Vec::len).max().unwrap_or(0);
    }

    /// Which streams are held from their first byte on.
    pub(super) fn begun(&self, syn_seen: [bool; 2]) -> [bool; 2] {
        Side::BOTH.map(|side| syn_seen[side.index()] && !self.cut[side.index()])
    }

    /// Drops what is held of both streams: a message may begin in the segments that follow.
    pub(super) fn forget_streams(&mut self) {
        for side in [0, 1] {
            let held = self.streams[side].len();
            self.cut[side] |= held > 0;
            self.dropped[side] += held - self.after_gap[side];
            self.streams[side].clear();
        }
        self.after_gap = [0; 2];
        (self.bytes, self.asked) = (0, 0);
        self.full = true;
        self.rounds += 1;
        self.forgotten += self.events.len() as u64 + 1;
        self.events.clear();
    }

    /// Bytes are missing after those held of a stream.
    pub(super) fn gap(&mut self, side: Side, missing: u64) {
        let k = side.index();
        let end = self.streams[k].len();
        self.cut[k] = true;
        self.after_gap[k] = end;
        (self.missing[k], self.asked) = (0, 0);
        self.events.push(PendingEvent { side, end, what: EventKind::Gap { missing } });
    }

    /// Stores a copy of a datagram.
    pub(super) fn push(&mut self, place: &Provenance<'_>) {
        self.bytes += place.bytes.len();
        self.datagrams.push(PendingDatagram {
            side: place.side,
            bytes: place.bytes.to_vec(),
            length: place.length,
            frame: place.frame,
            frames: place.frames.to_vec(),
            time: place.time,
        });
    }

    /// The payloads, as passed to dissectors.
    pub(super) fn observation(&self, transport: Transport) -> Vec<(Side, &[u8], usize)> {
        match transport {
            Transport::Udp => self.datagrams.iter().map(|d| (d.side, &d.bytes[..], d.length)).collect(),
            Transport::Tcp => {
                let held = Side::BOTH.map(|side| {
                    let bytes = self.streams[side.index()].get(self.after_gap[side.index()]..).unwrap_or_default();
                    (side, bytes, bytes.len().saturating_add(self.missing[side.index()] as usize))
                });
                held.into_iter().filter(|(_, bytes, _)| !bytes.is_empty()).collect()
            }
        }
    }

    fn memory(&self) -> usize {
        self.bytes * 2
            + self.datagrams.len() * size_of::<PendingDatagram>()
            + self.events.len() * size_of::<PendingEvent>()
    }
}

/// One event of an undecided stream.
pub(super) struct PendingEvent {
    pub side: Side,
    /// The end of its bytes in those held of the stream.
    pub end: usize,
    pub what: EventKind,
}

pub(super) enum EventKind {
    Data { segments: Vec<usize>, origin: Origin },
    Gap { missing: u64 },
}

/// A datagram of an undecided conversation.
pub(super) struct PendingDatagram {
    side: Side,
    bytes: Vec<u8>,
    length: usize,
    frame: u64,
    frames: Vec<u64>,
    time: Time,
}

impl PendingDatagram {
    /// Its provenance.
    pub fn place(&self) -> Provenance<'_> {
        let PendingDatagram { side, ref bytes, length, frame, ref frames, time } = *self;
        Provenance { side, bytes, length, frame, frames, time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Time;

    /// The dissectors are asked about a stream from its middle as often as it doubles, not with each segment.
    #[test]
    fn streams_are_searched_as_they_double() {
        let (mut pending, mut asked) = (Pending::default(), Vec::new());
        let bytes = vec![0x5a; 8000];
        for held in (500..=8000).step_by(500) {
            pending.hold(Side::A, &bytes[..held], 8192);
            asked.extend(pending.has_doubled().then_some(held));
        }
        assert_eq!(asked, [500, 1000, 2000, 4000, 8000]);
        // After a gap what came before is not searched again.
        pending.gap(Side::A, 10);
        pending.hold(Side::A, &bytes[..500], 8192);
        assert!(pending.has_doubled());
    }

    /// What is held for later is counted with its bytes, and its older half is forgotten when it is too much.
    #[test]
    fn held_datagrams_are_counted_and_forgotten() {
        let mut pending = Pending::default();
        let mut last = pending.memory();
        for frame in 1..=5u64 {
            let bytes = vec![frame as u8; 100];
            let time = Time::micros(frame as i64, 0);
            pending.push(&Provenance { side: Side::A, bytes: &bytes, length: 100, frame, frames: &[], time });
            assert!(pending.memory() >= last + 100, "each takes at least its bytes");
            last = pending.memory();
        }
        assert!(last < 5 * 1000, "{last}");
        for (forgotten, rounds, left) in [(3, 1, &[4u64, 5][..]), (4, 2, &[5]), (5, 3, &[])] {
            pending.forget();
            assert_eq!((pending.forgotten, pending.rounds), (forgotten, rounds));
            assert_eq!(pending.datagrams.iter().map(|datagram| datagram.frame).collect::<Vec<_>>(), left);
            assert_eq!(pending.bytes, 100 * left.len());
        }
        assert_eq!(pending.memory(), 0);
    }
}
