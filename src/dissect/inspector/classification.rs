//! Whose a conversation is, and what is held back of it until that is known.

use super::dispatch::Assignment;
use crate::capture::Time;
use crate::dissect::{Provenance, Session};
use crate::flow::{Origin, Side, Transport};

/// Whose a conversation is.
#[derive(Default)]
pub enum Classification {
    /// Nobody has been asked yet.
    #[default]
    New,
    /// Somebody may claim it when more was said.
    Undecided(Box<Pending>),
    /// A dissector's.
    Claimed(Owner),
    /// A dissector's, and read by another thread.
    Elsewhere(Assignment),
    /// None of ours; asked again when more servers are expected than so many.
    Foreign(u64),
}

impl Classification {
    /// About how many bytes it holds.
    pub(super) fn memory(&self) -> usize {
        match self {
            Classification::New | Classification::Foreign(_) => 0,
            // As the flow table wants it.
            Classification::Elsewhere(_) => usize::MAX,
            Classification::Undecided(pending) => pending.memory(),
            Classification::Claimed(owner) => {
                owner.session.memory()
                    + owner.reclassification.as_ref().map_or(0, |reclassification| reclassification.pending.memory())
            }
        }
    }
}

/// Who reads a conversation.
pub struct Owner {
    /// The dissector's name.
    pub(super) name: &'static str,
    pub(super) session: Box<dyn Session>,
    /// Claimed by name when so many servers had been announced; a later announcement of one of its
    /// ends takes it over. `None`: recognised by what it says, which may turn.
    pub(super) generation: Option<u64>,
    /// How many bytes of each stream it has read already from what was held.
    pub(super) read: [usize; 2],
    /// What was said since it could not be read.
    pub(super) reclassification: Option<Box<Reclassification>>,
    /// What has come of it.
    pub(super) outcome: Outcome,
    /// Messages were handed on by who read it before.
    pub(super) before: bool,
}

/// What has come of a claim.
#[derive(Default)]
pub(super) struct Outcome {
    /// Messages handed on, and the first and last frame that brought one.
    pub messages: u64,
    pub frames: [u64; 2],
    /// Datagrams, or deliveries of a stream, that could be read, and that could not.
    pub good: u64,
    pub broken: u64,
    /// The bits of evidence by which it was claimed.
    pub credit: u64,
}

/// So many that could not be read are outweighed by a bit of evidence: real peers are tested with
/// nothing but broken messages, too.
const OUTWEIGHED: u64 = 3;

impl Outcome {
    /// A frame brought so many messages.
    #[inline]
    pub fn add(&mut self, frame: u64, messages: u64, broken: bool) {
        if messages > 0 {
            if self.messages == 0 {
                self.frames[0] = frame;
            }
            self.frames[1] = frame;
            self.messages += messages;
        }
        *(if broken { &mut self.broken } else { &mut self.good }) += 1;
    }

    /// Does more speak against the claim than for it?
    pub fn poor(&self) -> bool {
        self.broken > self.good + OUTWEIGHED * self.credit
    }
}

impl Owner {
    /// An owner that has read nothing yet.
    pub(super) fn new(name: &'static str, session: Box<dyn Session>, generation: Option<u64>) -> Owner {
        Owner {
            name,
            session,
            generation,
            read: [0; 2],
            reclassification: None,
            outcome: Outcome::default(),
            before: false,
        }
    }

    /// Were messages of the conversation handed on?
    pub(super) fn told(&self) -> bool {
        self.before || self.outcome.messages > 0
    }
}

/// The datagrams of a conversation from one on that was none of its protocol's messages.
#[derive(Default)]
pub struct Reclassification {
    pub(super) pending: Pending,
    /// How many of them were none.
    pub(super) broken: usize,
}

/// What an undecided conversation has said so far.
#[derive(Default)]
pub struct Pending {
    pub(super) datagrams: Vec<PendingDatagram>,
    pub(super) streams: [Vec<u8>; 2],
    /// What the streams said, in the order in which it came.
    pub(super) said: Vec<PendingEvent>,
    /// Whose first bytes the capture has lost.
    pub(super) cut: [bool; 2],
    pub(super) bytes: usize,
    /// How often its older half was let go, and how many datagrams that were.
    pub(super) rounds: u32,
    pub(super) forgotten: u64,
}

impl Pending {
    /// Lets the older half of the datagrams go.
    pub(super) fn forget(&mut self) {
        let half = self.datagrams.len().div_ceil(2);
        self.bytes -= self.datagrams.drain(..half).map(|datagram| datagram.bytes.len()).sum::<usize>();
        self.rounds += 1;
        self.forgotten += half as u64;
    }

    /// Holds a copy of a datagram.
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

    /// What dissectors are shown of it.
    pub(super) fn observation(&self, transport: Transport) -> Vec<(Side, &[u8], usize)> {
        match transport {
            Transport::Udp => self.datagrams.iter().map(|d| (d.side, &d.bytes[..], d.length)).collect(),
            Transport::Tcp => {
                let streams = Side::BOTH.iter().zip(&self.streams);
                streams.map(|(side, bytes)| (*side, &bytes[..], bytes.len())).filter(|s| s.2 > 0).collect()
            }
        }
    }

    fn memory(&self) -> usize {
        self.bytes * 2
            + self.datagrams.len() * size_of::<PendingDatagram>()
            + self.said.len() * size_of::<PendingEvent>()
    }
}

/// One event of an undecided stream.
pub(super) struct PendingEvent {
    pub side: Side,
    /// Where its bytes end in what is held of the stream.
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
    /// Where it was.
    pub fn place(&self) -> Provenance<'_> {
        let PendingDatagram { side, ref bytes, length, frame, ref frames, time } = *self;
        Provenance { side, bytes, length, frame, frames, time }
    }
}
