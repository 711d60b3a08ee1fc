//! What the reading thread hands to the others: packets, and what becomes of conversations.

use super::classification::Classification;
use crate::capture::{Body, Packet, Segment, Time};
use crate::flow::{End, Moved, Side};
use std::ops::Range;

/// A batch is handed over when it is so large.
pub(super) const FULL: usize = 48 << 10;
/// Memory for larger batches is given back.
const KEPT: usize = 1 << 20;

/// Things to do in their order, with the bytes of their packets.
#[derive(Default)]
pub(super) struct Batch {
    pub items: Vec<WorkItem>,
    bytes: Vec<u8>,
    frames: Vec<u64>,
    /// When the capture's first frame came.
    pub first: Option<Time>,
    /// No later batch has anything of turns before this one.
    pub sequence: u64,
}

/// One thing to do.
pub(super) struct WorkItem {
    /// The conversation's place in the reader's table.
    pub slot: u32,
    /// Whose turn what is said of it belongs to.
    pub sequence: u64,
    pub what: Work,
}

pub(super) enum Work {
    Packet(PacketWork),
    /// A conversation comes.
    Take(Moved<Classification>),
    /// It is over.
    Close(End),
    /// The reader reads it again.
    Forget,
    /// An epoch has ended.
    Epoch,
}

/// A packet of a conversation: where its bytes are, and what is no byte.
pub(super) struct PacketWork {
    pub from: Side,
    pub frame: u64,
    pub time: Time,
    bytes: Range<u32>,
    frames: Range<u32>,
    length: u32,
    header: Option<Header>,
}

/// Of a TCP segment.
struct Header {
    seq: u32,
    ack: u32,
    has_ack: bool,
    syn: bool,
    fin: bool,
    rst: bool,
}

impl Batch {
    /// Adds a packet.
    #[inline]
    pub fn packet(&mut self, slot: u32, sequence: u64, from: Side, packet: &Packet<'_>) {
        let (payload, length, header) = match &packet.body {
            Body::Udp { payload, length } => (*payload, *length, None),
            Body::Tcp(Segment { seq, ack, has_ack, syn, fin, rst, payload, length }) => {
                let (seq, ack, has_ack, syn, fin, rst) = (*seq, *ack, *has_ack, *syn, *fin, *rst);
                (*payload, *length, Some(Header { seq, ack, has_ack, syn, fin, rst }))
            }
        };
        let (start, first) = (self.bytes.len() as u32, self.frames.len() as u32);
        self.bytes.extend_from_slice(payload);
        self.frames.extend_from_slice(packet.frames);
        let dealt = PacketWork {
            from,
            frame: packet.frame,
            time: packet.time,
            bytes: start..self.bytes.len() as u32,
            frames: first..self.frames.len() as u32,
            length: u32::try_from(length.max(payload.len())).unwrap_or(u32::MAX),
            header,
        };
        self.items.push(WorkItem { slot, sequence, what: Work::Packet(dealt) });
    }

    /// About how many bytes it has.
    #[inline]
    pub fn size(&self) -> usize {
        self.bytes.len() + self.items.len() * size_of::<WorkItem>()
    }

    /// What a packet carried, and the fragments that it came in.
    #[inline]
    pub fn body(&self, dealt: &PacketWork) -> (Body<'_>, &[u64]) {
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        let payload = self.bytes.get(range(&dealt.bytes)).unwrap_or_default();
        let frames = self.frames.get(range(&dealt.frames)).unwrap_or_default();
        let length = dealt.length as usize;
        let body = match &dealt.header {
            None => Body::Udp { payload, length },
            Some(Header { seq, ack, has_ack, syn, fin, rst }) => {
                let (seq, ack, has_ack, syn, fin, rst) = (*seq, *ack, *has_ack, *syn, *fin, *rst);
                Body::Tcp(Segment { seq, ack, has_ack, syn, fin, rst, payload, length })
            }
        };
        (body, frames)
    }

    /// Empties it, to be filled again.
    pub fn clear(&mut self) {
        self.items.clear();
        self.bytes.clear();
        self.frames.clear();
        self.items.shrink_to(KEPT / size_of::<WorkItem>());
        self.bytes.shrink_to(KEPT);
        (self.first, self.sequence) = (None, 0);
    }
}
