//! The classification of a conversation, and the payloads held back until it is known.

use super::assignment::Assignment;
use crate::capture::Time;
use crate::dissect::{FrameLines, Options, Provenance, Session, StreamEvent};
use crate::flow::{Conversation, Origin, Side, Transport};

/// A conversation with its classification.
pub type Classified = Conversation<Classification>;

/// The classification of a conversation.
#[derive(Default)]
pub enum Classification {
    /// No dissector has been asked yet.
    #[default]
    New,
    /// Not enough payload for a decision yet.
    Undecided(Box<Pending>),
    /// Claimed by a dissector. Boxed, since most conversations are read by another thread, and then the table keeps
    /// only the assignment.
    Claimed(Box<Owner>),
    /// Claimed by a dissector, and read by another thread.
    Dispatched(Assignment),
    /// Claimed by a dissector, and not in the part of the conversations that the user wants.
    Skipped,
    /// In a first reading: nothing more can be learned from it.
    Settled(Box<Settled>),
    /// Of no known protocol. Dissectors are asked again when more servers than this number have been announced.
    Foreign(u64),
}

impl Classification {
    /// Whether its protocol names ports for datagrams in its streams.
    pub fn names_ports(&self, options: &Options) -> bool {
        match self {
            Classification::Claimed(owner) => {
                options.registry.by_name(owner.name).is_some_and(|dissector| dissector.port_names().is_some())
            }
            _ => false,
        }
    }

    /// If it is claimed: the offset of a message of which some carrier frames have arrived, but not all.
    pub fn begun(&self, side: Side) -> Option<Option<u64>> {
        if let Classification::Claimed(owner) = self { Some(owner.session.begun(side)) } else { None }
    }

    /// The approximate bytes it holds; `None`: another thread reads the conversation.
    pub(super) fn memory(&self) -> Option<usize> {
        Some(match self {
            Classification::New | Classification::Foreign(_) => 0,
            Classification::Dispatched(_) | Classification::Skipped | Classification::Settled(_) => return None,
            Classification::Undecided(pending) => pending.memory(),
            Classification::Claimed(owner) => {
                owner.session.memory()
                    + owner.lines.memory()
                    + owner.reclassification.as_ref().map_or(0, |reclassification| reclassification.pending.memory())
                    + owner.weighed.as_ref().map_or(0, |pending| pending.memory())
            }
        })
    }
}

/// The result of a first reading for a conversation.
#[derive(Default)]
pub struct Settled {
    /// The protocol that claims it, the reason, and the bits of evidence.
    pub(super) claim: Option<(&'static str, &'static str, u64)>,
    /// The server's side.
    pub(super) server: Option<Side>,
    /// Whether all information that the server sends only once is known.
    pub(super) complete: bool,
    /// If that is known but not the server's side: a session with the information.
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
    /// The reason for the claim.
    pub(super) why: &'static str,
    /// Whether information that its server sends only once may still have to be stored for other conversations.
    pub(super) untaught: bool,
    /// For a protocol named by the user: the first payloads, until it is decided whether they look like it.
    pub(super) weighed: Option<Box<Pending>>,
    /// Whether it was claimed by the user's options or by an announcement: a later announcement of one of its endpoints
    /// replaces it. Otherwise it was recognised by its payload, which may be reconsidered.
    pub(super) named: bool,
    /// The reader's generation for which it was last [updated](Inspector::update).
    pub(super) generation: u64,
    /// The number of bytes of each stream that were read from those held back.
    pub(super) read: [usize; 2],
    /// The datagrams since the first one that could not be read.
    pub(super) reclassification: Option<Box<Reclassification>>,
    /// The results so far.
    pub(super) outcome: Outcome,
    /// The messages of each frame.
    pub(super) lines: FrameLines,
    /// Whether a previous owner has emitted messages.
    pub(super) before: bool,
    /// TCP: the number of bytes of both streams that it was given.
    pub(super) delivered: u64,
}

impl Owner {
    /// Whether its packets need more than reading.
    #[inline]
    pub(super) fn watched(&self) -> bool {
        self.untaught || self.weighed.is_some()
    }

    /// Counts an event of a stream that it is given.
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
    /// The number of emitted messages, and the first and last frame with one.
    pub messages: u64,
    pub frames: [u64; 2],
    /// By side: datagrams, or deliveries of a stream, that could be read.
    pub good: [u64; 2],
    pub broken: [u64; 2],
    /// By side: the bytes since a gap of its stream that could not be read, or since the beginning of a stream that is
    /// captured from its middle. `None` after a delivery that could be read.
    rest: [Option<u64>; 2],
    /// The bits of evidence for the claim.
    pub credit: u64,
}

/// The number of broken packets that a bit of evidence outweighs: real servers are also tested with nothing but broken
/// messages.
const OUTWEIGHED: u64 = 3;

/// After a gap, and at the beginning of a stream that is captured from its middle, the bytes that count as one broken
/// packet until a message can be read: they may be the rest of a long one.
const REST: u64 = 64 << 10;

/// A side behaves if it has sent at least this many readable packets, and this many for each unreadable one.
const BEHAVES: u64 = 8;

impl Outcome {
    /// Counts the messages of a frame.
    #[inline]
    pub fn add(&mut self, side: Side, frame: u64, messages: u64, broken: bool) {
        self.emitted(frame, messages);
        (if broken { &mut self.broken } else { &mut self.good })[side.index()] += 1;
    }

    /// Counts the messages of a delivery of this many bytes of a stream.
    #[inline]
    fn add_delivery(&mut self, side: Side, frame: u64, messages: u64, bytes: u64, broken: bool) {
        match &mut self.rest[side.index()] {
            // Right after a gap nothing counts as broken, so this does not show that the stream is in step.
            Some(rest) if broken || *rest == 0 => {
                let counted = rest.div_ceil(REST);
                *rest += bytes;
                if broken && rest.div_ceil(REST) == counted {
                    return self.emitted(frame, messages);
                }
            }
            rest => *rest = None,
        }
        self.add(side, frame, messages, broken);
    }

    /// Counts messages only.
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

    /// The readable packets of both sides.
    pub fn good(&self) -> u64 {
        self.good.iter().sum()
    }

    /// The unreadable packets of both sides.
    pub fn broken(&self) -> u64 {
        self.broken.iter().sum()
    }

    /// Whether this side's packets can be read, regardless of the other side's.
    pub fn behaves(&self, side: Side) -> bool {
        let (good, broken) = (self.good[side.index()], self.broken[side.index()]);
        good >= BEHAVES && broken * BEHAVES <= good
    }

    /// Whether there is more evidence against the claim than for it.
    pub fn poor(&self) -> bool {
        self.broken() > self.good() + OUTWEIGHED * self.credit
    }
}

/// The parts of an [`Owner`] that are needed to run it.
pub(super) struct Running<'a> {
    pub name: &'static str,
    pub session: &'a mut dyn Session,
    pub lines: &'a mut FrameLines,
}

impl Owner {
    /// The parts needed to run it.
    #[inline]
    pub(super) fn running(&mut self) -> Running<'_> {
        Running { name: self.name, session: &mut *self.session, lines: &mut self.lines }
    }

    /// An owner that has not read anything yet.
    pub(super) fn new(name: &'static str, session: Box<dyn Session>, named: bool, generation: u64) -> Owner {
        Owner {
            name,
            session,
            why: "",
            untaught: false,
            weighed: None,
            named,
            generation,
            read: [0; 2],
            reclassification: None,
            outcome: Outcome::default(),
            lines: FrameLines::default(),
            before: false,
            delivered: 0,
        }
    }

    /// Records the sides whose streams are captured from their middle.
    pub(super) fn begins(&mut self, transport: Transport, begun: [bool; 2]) {
        if transport == Transport::Tcp {
            self.outcome.rest = begun.map(|begun| (!begun).then_some(0));
        }
    }

    /// Records that it has read an event of a stream, and emitted this many messages.
    #[inline]
    pub(super) fn has_read(&mut self, side: Side, event: &StreamEvent<'_>, emitted: u64, broken: bool) {
        match event {
            StreamEvent::Data { frame, new, .. } => {
                self.outcome.add_delivery(side, *frame, emitted, *new as u64, broken);
            }
            StreamEvent::Gap { .. } => {
                self.outcome.rest[side.index()] = Some(0);
                self.outcome.emitted(self.outcome.frames[1], emitted);
            }
            StreamEvent::End { .. } => self.outcome.emitted(self.outcome.frames[1], emitted),
        }
    }

    /// Whether messages of the conversation have been emitted.
    pub(super) fn has_messages(&self) -> bool {
        self.before || self.outcome.messages > 0
    }
}

/// The datagrams of a conversation, starting with one that could not be read.
#[derive(Default)]
pub struct Reclassification {
    pub(super) pending: Pending,
    /// The number of them that could not be read.
    pub(super) broken: usize,
}

/// Up to this many bytes of streams, the dissectors are asked at every segment.
const FEW_BYTES: usize = 1024;

/// The payloads of an undecided conversation.
#[derive(Default)]
pub struct Pending {
    pub(super) datagrams: Vec<PendingDatagram>,
    /// The bytes held of each stream. Those before a gap are held only for reading, not for recognition.
    pub(super) streams: [Vec<u8>; 2],
    /// The index of the first byte after the newest gap of each stream.
    pub(super) after_gap: [usize; 2],
    /// The number of bytes missing after those held of each stream, if they end in a gap.
    pub(super) missing: [u64; 2],
    /// Whether the held bytes have just been dropped; then the event that exceeded the cap is not held either.
    pub(super) full: bool,
    /// The number of each stream's unread bytes that are not held any more.
    pub(super) dropped: [usize; 2],
    /// The events of its streams, in order of arrival.
    pub(super) events: Vec<PendingEvent>,
    /// The sides whose first bytes are missing in the capture.
    pub(super) cut: [bool; 2],
    pub(super) bytes: usize,
    /// The number of bytes that were held of both streams when the dissectors were last asked.
    asked: usize,
    /// The number of times that payloads were dropped, and the number of datagrams or events dropped.
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

    /// Whether the streams have few bytes, or twice as many as when this was last true: then the dissectors are asked.
    pub(super) fn has_doubled(&mut self) -> bool {
        let held: usize =
            self.streams.iter().zip(self.after_gap).map(|(held, from)| held.len().saturating_sub(from)).sum();
        let doubled = held <= FEW_BYTES || held >= 2 * self.asked;
        if doubled {
            self.asked = held;
        }
        doubled
    }

    /// Holds the unread bytes of a stream, up to `most`.
    pub(super) fn hold(&mut self, side: Side, unread: &[u8], most: usize) {
        let k = side.index();
        let held = &mut self.streams[k];
        held.truncate(self.after_gap[k]);
        held.extend(unread.iter().take(most.saturating_sub(held.len())));
        self.bytes = self.streams.iter().map(Vec::len).max().unwrap_or(0);
    }

    /// Whether each stream is held from its first byte on.
    pub(super) fn begun(&self, syn_seen: [bool; 2]) -> [bool; 2] {
        Side::BOTH.map(|side| syn_seen[side.index()] && !self.cut[side.index()])
    }

    /// Drops the held bytes of both streams: a message may begin in the segments that follow.
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

    /// Records that bytes are missing after those held of a stream.
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

    /// The time of the last of them.
    pub(super) fn time(&self) -> Option<Time> {
        let of_event = |event: &PendingEvent| match &event.what {
            EventKind::Data { origin, .. } => Some(origin.time),
            EventKind::Gap { .. } => None,
        };
        let datagram = self.datagrams.last().map(|datagram| datagram.time);
        datagram.or_else(|| self.events.iter().rev().find_map(of_event))
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
    /// The end of its bytes among those held of the stream.
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

    /// A stream that is captured from its middle may begin with the rest of a long message.
    #[test]
    fn the_rest_of_a_message_is_not_many_broken_ones() {
        let mut outcome = Outcome::default();
        outcome.rest[Side::B.index()] = Some(0);
        (1..=100).for_each(|frame| outcome.add_delivery(Side::B, frame, 1, 1400, true));
        assert_eq!((outcome.broken, outcome.messages, outcome.frames), ([0, 3], 100, [1, 100]));
        outcome.add_delivery(Side::B, 101, 1, 20, false);
        (102..=104).for_each(|frame| outcome.add_delivery(Side::B, frame, 1, 1400, true));
        assert_eq!((outcome.broken, outcome.good), ([0, 6], [0, 1]));
    }

    /// While a stream is undecided, the dissectors are asked whenever its bytes have doubled, not at every segment.
    #[test]
    fn streams_are_searched_as_they_double() {
        let (mut pending, mut asked) = (Pending::default(), Vec::new());
        let bytes = vec![0x5a; 8000];
        for held in (500..=8000).step_by(500) {
            pending.hold(Side::A, &bytes[..held], 8192);
            asked.extend(pending.has_doubled().then_some(held));
        }
        assert_eq!(asked, [500, 1000, 2000, 4000, 8000]);
        // After a gap, the bytes before it are not searched again.
        pending.gap(Side::A, 10);
        pending.hold(Side::A, &bytes[..500], 8192);
        assert!(pending.has_doubled());
    }

    /// Held datagrams are counted with their bytes; above the cap the older half is dropped.
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
