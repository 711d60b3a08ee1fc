//! The flow table: which conversation a packet belongs to.

use super::drive::Tools;
use super::entry::{Entry, Syn};
use super::key::{Hasher, Key};
use super::slots::Slots;
use super::stream::Origin;
use super::tcp::Scratch;
use super::{Caps, Conversation, End, Handler, Side, Statistics, Transport};
use crate::capture::{Body, Packet, Segment};

/// All conversations of a capture, with the state `S` that a [`Handler`] keeps for each.
#[derive(Debug)]
pub struct Table<S> {
    slots: Slots<Entry<S>>,
    hasher: Hasher,
    caps: Caps,
    statistics: Statistics,
    scratch: Scratch,
    /// Memory allocated for bytes, in all directions.
    buffered: usize,
}

impl<S: Default> Table<S> {
    /// A table without conversations.
    pub fn new(caps: Caps) -> Self {
        Table {
            slots: Slots::new(),
            hasher: Hasher::new(),
            caps,
            statistics: Statistics::default(),
            scratch: Scratch::default(),
            buffered: 0,
        }
    }

    /// What was counted up to now.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How many conversations are kept now.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether no conversation is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes are allocated now for the bytes of streams; see [`Caps::buffered_bytes`].
    pub fn buffered(&self) -> usize {
        self.buffered
    }

    /// Takes the next packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>, handler: &mut impl Handler<S>) {
        match &packet.body {
            Body::Udp { payload, length } => {
                let length = payload.len().max(*length);
                let (index, from) = self.locate(Transport::Udp, packet, handler);
                if let Some(entry) = self.slots.get_mut(index) {
                    entry.count(from, packet, length);
                    handler.datagram(&mut entry.conversation, from, packet, payload, length);
                    let now = handler.memory(&entry.conversation);
                    if now != entry.buffered {
                        self.buffered = self.buffered - entry.buffered + now;
                        entry.buffered = now;
                        self.limit(index, handler);
                    }
                }
            }
            Body::Tcp(segment) => self.segment(packet, segment, handler),
        }
    }

    /// The capture has ended: ends all conversations, in the order of their first packets.
    ///
    /// Of a TCP conversation, [the client's direction](Handler::first_to_end) ends first.
    pub fn finish(&mut self, handler: &mut impl Handler<S>) {
        let entries = self.slots.iter();
        let mut order: Vec<_> = entries.map(|(index, e)| (e.conversation.id, index)).collect();
        order.sort_unstable();
        for (_, index) in order {
            self.close(index, End::Capture, handler);
        }
    }

    /// Takes a TCP packet.
    fn segment(&mut self, packet: &Packet<'_>, segment: &Segment<'_>, handler: &mut impl Handler<S>) {
        let (mut index, mut from) = self.locate(Transport::Tcp, packet, handler);
        if segment.syn
            && !segment.rst
            && let Some(entry) = self.slots.get_mut(index)
            && entry.syn(from, segment) == Syn::Another
        {
            self.statistics.reused += 1;
            self.close(index, End::Reused, handler);
            (index, from) = self.locate(Transport::Tcp, packet, handler);
            if let Some(entry) = self.slots.get_mut(index) {
                entry.syn(from, segment);
            }
        }
        let Some(entry) = self.slots.get_mut(index) else {
            return;
        };
        entry.count(from, packet, segment.length.max(segment.payload.len()));
        let mut tools = Tools {
            handler: &mut *handler,
            caps: &self.caps,
            statistics: &mut self.statistics,
            scratch: &mut self.scratch,
        };
        // What the acknowledgement releases came in earlier frames than this one's bytes.
        if segment.has_ack && !segment.rst {
            entry.drive(from.other(), &mut tools).acknowledge(segment.ack);
        }
        let origin = Origin { frame: packet.frame, time: packet.time };
        entry.drive(from, &mut tools).segment(segment, origin);
        let before = entry.buffered;
        entry.buffered = entry.allocated() + handler.memory(&entry.conversation);
        self.buffered = self.buffered - before + entry.buffered;
        self.limit(index, handler);
    }

    /// The slot of a packet's conversation, which begins now if there is none, and who sent it.
    #[inline(always)]
    fn locate(&mut self, transport: Transport, packet: &Packet<'_>, handler: &mut impl Handler<S>) -> (u32, Side) {
        let key = Key::new(transport, &packet.src, &packet.dst);
        let hash = self.hasher.hash(&key);
        match self.slots.find(hash, |entry: &Entry<S>| entry.key.sender(&key)) {
            Some(found) => found,
            None => (self.begin(key, hash, packet, handler), Side::A),
        }
    }

    /// Begins a conversation.
    #[cold]
    fn begin(&mut self, key: Key, hash: u64, packet: &Packet<'_>, handler: &mut impl Handler<S>) -> u32 {
        let most = self.caps.conversations.clamp(1, u32::MAX as usize - 1);
        while self.slots.len() >= most
            && let Some(oldest) = self.slots.oldest()
        {
            self.statistics.evicted += 1;
            self.close(oldest, End::Evicted, handler);
        }
        self.statistics.conversations += 1;
        let id = self.statistics.conversations;
        let conversation = Conversation::new(id, key.transport, packet.src, packet.dst, packet.time);
        self.slots.insert(hash, Entry::new(conversation, key))
    }

    /// Evicts conversations other than the `current` one while too much is buffered.
    fn limit(&mut self, current: u32, handler: &mut impl Handler<S>) {
        while self.buffered > self.caps.buffered_bytes
            && let Some(oldest) = self.slots.oldest()
            && oldest != current
        {
            self.statistics.evicted += 1;
            self.close(oldest, End::Evicted, handler);
        }
    }

    /// Takes a conversation out of the table and tells so.
    fn close(&mut self, index: u32, why: End, handler: &mut impl Handler<S>) {
        let Some(mut entry) = self.slots.remove(index) else {
            return;
        };
        self.buffered -= entry.buffered;
        if entry.conversation.transport == Transport::Tcp {
            let first = handler.first_to_end(&entry.conversation);
            let mut tools = Tools {
                handler: &mut *handler,
                caps: &self.caps,
                statistics: &mut self.statistics,
                scratch: &mut self.scratch,
            };
            for from in [first, first.other()] {
                entry.drive(from, &mut tools).end(why);
            }
        }
        handler.closed(&mut entry.conversation);
    }
}
