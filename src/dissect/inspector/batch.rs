//! Batches: packets and conversations that the reader of a capture passes to a shard.

use super::classification::Classification;
use crate::capture::{Body, Packet, Segment, Time};
use crate::flow::{End, Moved, Side};
use std::ops::Range;

/// The size of a round, for each shard.
pub(super) const ROUND: usize = 48 << 10;
/// The size above which the memory of a batch is freed.
const RETAINED: usize = 1 << 20;

/// Work items in order, with the bytes of their packets.
#[derive(Default)]
pub(super) struct Batch {
    pub items: Vec<WorkItem>,
    pub contents: Contents,
    /// The index of the first item that has not been read.
    pub next: usize,
    /// The time of the capture's first frame.
    pub first: Option<Time>,
    /// The smallest sequence number of its items.
    pub since: u64,
    /// The smallest sequence number of the items in later batches.
    pub sequence: u64,
}

/// The payloads of packets, and the numbers of their fragments' frames.
#[derive(Default)]
pub(super) struct Contents {
    bytes: Vec<u8>,
    frames: Vec<u64>,
}

/// One item of work.
pub(super) struct WorkItem {
    /// The conversation's slot in the reader's table.
    pub slot: u32,
    /// The sequence number of the messages that result from it.
    pub sequence: u64,
    pub what: Work,
}

pub(super) enum Work {
    Packet(PacketWork),
    /// Receive a conversation; `None` when that is done.
    Take(Option<Moved<Classification>>),
    /// If the conversation is of this protocol, this side is its server.
    Server(Side, &'static str),
    /// Close the conversation.
    Close(End),
    /// Forget the conversation: the reader of the capture reads it again.
    Forget,
    /// End an epoch.
    Epoch,
}

/// A packet of a conversation: the range of its bytes, and its header fields.
pub(super) struct PacketWork {
    pub from: Side,
    pub frame: u64,
    pub time: Time,
    bytes: Range<u32>,
    frames: Range<u32>,
    length: u32,
    header: Option<Header>,
}

/// The header fields of a TCP segment.
struct Header {
    seq: u32,
    ack: u32,
    has_ack: bool,
    syn: bool,
    fin: bool,
    rst: bool,
}

impl Batch {
    /// An empty batch with memory for a round.
    pub fn empty() -> Batch {
        let items = Vec::with_capacity(ROUND / size_of::<WorkItem>());
        let contents = Contents { bytes: Vec::with_capacity(ROUND), frames: Vec::new() };
        Batch { items, contents, ..Batch::default() }
    }

    /// Adds a packet. Returns its size.
    #[inline]
    pub fn packet(&mut self, slot: u32, sequence: u64, from: Side, packet: &Packet<'_>) -> usize {
        let (payload, length, header) = match &packet.body {
            Body::Udp { payload, length } => (*payload, *length, None),
            Body::Tcp(Segment { seq, ack, has_ack, syn, fin, rst, payload, length }) => {
                let (seq, ack, has_ack, syn, fin, rst) = (*seq, *ack, *has_ack, *syn, *fin, *rst);
                (*payload, *length, Some(Header { seq, ack, has_ack, syn, fin, rst }))
            }
        };
        let Contents { bytes, frames } = &mut self.contents;
        let (start, first) = (bytes.len() as u32, frames.len() as u32);
        bytes.extend_from_slice(payload);
        if !packet.frames.is_empty() {
            frames.extend_from_slice(packet.frames);
        }
        let work = PacketWork {
            from,
            frame: packet.frame,
            time: packet.time,
            bytes: start..bytes.len() as u32,
            frames: first..frames.len() as u32,
            length: u32::try_from(length.max(payload.len())).unwrap_or(u32::MAX),
            header,
        };
        self.items.push(WorkItem { slot, sequence, what: Work::Packet(work) });
        payload.len() + size_of::<WorkItem>()
    }

    /// The approximate size in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        self.contents.bytes.len() + self.items.len() * size_of::<WorkItem>()
    }

    /// Clears the batch for reuse.
    pub fn clear(&mut self) {
        self.items.clear();
        self.contents.bytes.clear();
        self.contents.frames.clear();
        self.items.shrink_to(RETAINED / size_of::<WorkItem>());
        self.contents.bytes.shrink_to(RETAINED);
        (self.next, self.first, self.since, self.sequence) = (0, None, 0, 0);
    }
}

impl Contents {
    /// A packet's payload, and the numbers of its IP fragments' frames.
    #[inline]
    pub fn body(&self, work: &PacketWork) -> (Body<'_>, &[u64]) {
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        let payload = self.bytes.get(range(&work.bytes)).unwrap_or_default();
        let frames = self.frames.get(range(&work.frames)).unwrap_or_default();
        let length = work.length as usize;
        let body = match &work.header {
            None => Body::Udp { payload, length },
            Some(Header { seq, ack, has_ack, syn, fin, rst }) => {
                let (seq, ack, has_ack, syn, fin, rst) = (*seq, *ack, *has_ack, *syn, *fin, *rst);
                Body::Tcp(Segment { seq, ack, has_ack, syn, fin, rst, payload, length })
            }
        };
        (body, frames)
    }
}
