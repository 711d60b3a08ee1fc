//! The flow table: assigns packets to conversations.

use super::drive::Common;
use super::entry::{Entry, Syn};
use super::epoch::{Due, Ledger, Report};
use super::key::{Hasher, Key};
use super::partition::Moved;
use super::slots::Slots;
use super::{Caps, Conversation, End, Handler, Side, Statistics, Transport};
use crate::capture::{Body, Packet, Segment};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

/// All conversations of a capture, with the [`Handler`]'s state `S` for each.
#[derive(Debug)]
pub struct Table<S> {
    slots: Slots<Entry<S>>,
    hasher: Hasher,
    /// The numbers of evicted conversations, by the hash of their keys, so that they keep them if they come back. The hash
    /// has 64 bits and a random key: among a million of each, an evicted and a new one are confused once in ten million
    /// captures.
    evicted: FxHashMap<u64, u64>,
    common: Common,
    ledger: Ledger,
}

impl<S: Default> Table<S> {
    /// A table without conversations.
    pub fn new(caps: Caps) -> Self {
        Table {
            slots: Slots::new(),
            hasher: Hasher::new(),
            evicted: FxHashMap::default(),
            common: Common::new(caps),
            ledger: Ledger::new(caps.buffered_bytes),
        }
    }

    /// The counters so far.
    pub fn statistics(&self) -> Statistics {
        self.common.statistics
    }

    /// The number of current conversations.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no conversations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the conversations that this thread reads, see [`Caps::buffered_bytes`]: those in streams, and those
    /// in states as at the end of the last epoch.
    pub fn buffered(&self) -> usize {
        self.slots.iter().filter_map(|(_, entry)| entry.bytes()).sum()
    }

    /// Processes the next packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>, handler: &mut impl Handler<S>) {
        match &packet.body {
            Body::Udp { payload, length } => {
                let length = payload.len().max(*length);
                let (index, from) = self.locate(Transport::Udp, packet, handler);
                if let Some(entry) = self.slots.get_mut(index) {
                    entry.count(from, packet.time, length);
                    handler.datagram(&mut entry.conversation, from, packet, payload, length);
                    let due = self.ledger.packet(index, entry, payload.len(), handler);
                    self.after(index, due, handler);
                }
            }
            Body::Tcp(segment) => self.segment(packet, segment, handler),
        }
    }

    /// Takes the steps that are due after a packet of a conversation.
    #[inline(always)]
    fn after(&mut self, index: u32, due: Due, handler: &mut impl Handler<S>) {
        if due.leaves {
            self.leave(index, handler);
        }
        if due.epoch {
            self.settle(index, handler);
        }
    }

    /// Closes all conversations at the end of the capture, in the order of their first packets.
    ///
    /// In a TCP conversation, [the client's direction](Handler::first_to_end) ends first.
    pub fn finish(&mut self, handler: &mut impl Handler<S>) {
        let entries = self.slots.iter();
        let mut order: Vec<_> = entries.map(|(index, e)| (e.conversation.id, index)).collect();
        order.sort_unstable();
        for (_, index) in &order {
            if let Some(entry) = self.slots.get_mut(*index) {
                handler.ending(&mut entry.conversation);
            }
        }
        for (_, index) in order {
            self.close(index, End::Capture, handler);
        }
    }

    /// Processes a TCP packet.
    fn segment(&mut self, packet: &Packet<'_>, segment: &Segment<'_>, handler: &mut impl Handler<S>) {
        let (mut index, mut from) = self.locate(Transport::Tcp, packet, handler);
        let opens = segment.syn && !segment.rst;
        if let Some(entry) = self.slots.get_mut(index)
            && (if opens { entry.syn(from, segment) == Syn::Another } else { entry.excludes(from, segment) })
        {
            self.common.statistics.reused += 1;
            self.close(index, End::Reused, handler);
            (index, from) = self.locate(Transport::Tcp, packet, handler);
            if opens && let Some(entry) = self.slots.get_mut(index) {
                entry.syn(from, segment);
            }
        }
        let Some(entry) = self.slots.get_mut(index) else { return };
        entry.count(from, packet.time, segment.length.max(segment.payload.len()));
        if entry.elsewhere {
            // The thread that reads the conversation counts its ignored and missing bytes.
            let uncounted = &mut Statistics::default();
            entry.segment(from, packet, segment, &mut self.common.uncounted(uncounted, handler));
            handler.segment(&mut entry.conversation, from, packet);
        } else {
            entry.segment(from, packet, segment, &mut self.common.tools(handler));
        }
        let due = self.ledger.packet(index, entry, segment.payload.len(), handler);
        self.after(index, due, handler);
    }

    /// The slot of a packet's conversation, which is created if there is none, and the sender's side.
    #[inline(always)]
    fn locate(&mut self, transport: Transport, packet: &Packet<'_>, handler: &mut impl Handler<S>) -> (u32, Side) {
        let key = Key { transport, src: &packet.src, dst: &packet.dst };
        let hash = self.hasher.hash(&key);
        match self.slots.find(hash, |entry: &Entry<S>| key.sender(&entry.conversation)) {
            Some(found) => found,
            None => (self.begin(transport, hash, packet, handler), Side::A),
        }
    }

    /// The current conversation between these endpoints, if there is one.
    pub fn find(&mut self, transport: Transport, ends: &[SocketAddr; 2]) -> Option<&Conversation<S>> {
        self.entry(&Key { transport, src: &ends[0], dst: &ends[1] }).map(|entry| &entry.conversation)
    }

    /// Closes the conversation between these endpoints, as at the capture's end. Returns its number, if there was one.
    pub fn end(&mut self, transport: Transport, ends: &[SocketAddr; 2], handler: &mut impl Handler<S>) -> Option<u64> {
        let key = Key { transport, src: &ends[0], dst: &ends[1] };
        let hash = self.hasher.hash(&key);
        let (index, _) = self.slots.find(hash, |entry: &Entry<S>| key.sender(&entry.conversation))?;
        let id = self.slots.get_mut(index)?.conversation.id;
        self.close(index, End::Capture, handler);
        Some(id)
    }

    /// Passes all current conversations to `then`, in the order of their first packets.
    pub fn each(&mut self, mut then: impl FnMut(&mut Conversation<S>)) {
        let mut order: Vec<_> = self.slots.iter().map(|(index, entry)| (entry.conversation.id, index)).collect();
        order.sort_unstable();
        for (_, index) in order {
            if let Some(entry) = self.slots.get_mut(index) {
                then(&mut entry.conversation);
            }
        }
    }

    /// The conversation of a packet with this key.
    pub(super) fn entry(&mut self, key: &Key<'_>) -> Option<&mut Entry<S>> {
        let hash = self.hasher.hash(key);
        let (index, _) = self.slots.find(hash, |entry: &Entry<S>| key.sender(&entry.conversation))?;
        self.slots.get_mut(index)
    }

    /// Creates a conversation.
    #[cold]
    fn begin(&mut self, transport: Transport, hash: u64, packet: &Packet<'_>, handler: &mut impl Handler<S>) -> u32 {
        let most = self.common.caps.conversations.clamp(1, u32::MAX as usize - 1);
        while self.slots.len() >= most
            && let Some(oldest) = self.slots.oldest()
        {
            self.evict(oldest, handler);
        }
        // A SYN begins another connection between the same endpoints.
        let kept = self.evicted.remove(&hash);
        let kept = kept.filter(|_| !matches!(&packet.body, Body::Tcp(segment) if segment.syn && !segment.has_ack));
        let id = kept.unwrap_or_else(|| {
            self.common.statistics.conversations += 1;
            self.common.statistics.conversations
        });
        let mut conversation = Conversation::new(id, transport, packet.src, packet.dst, packet.time, packet.leg);
        conversation.resumed = kept.is_some();
        self.slots.insert(hash, Entry::new(conversation))
    }

    /// Hands a conversation over to the thread that reads it from now on.
    #[cold]
    fn leave(&mut self, index: u32, handler: &mut impl Handler<S>) {
        let Some(entry) = self.slots.get_mut(index) else { return };
        let moved = Moved(Box::new(entry.leave()));
        handler.take(&mut entry.conversation, index, moved);
    }

    /// Ends an epoch: counts the bytes that conversations held at the end of an earlier one, and evicts conversations
    /// other than the `current` one while the sum is above the cap.
    #[cold]
    fn settle(&mut self, current: u32, handler: &mut impl Handler<S>) {
        let slots = &mut self.slots;
        self.ledger.end(|slot, serial| {
            let entry = slots.get_mut(slot).filter(|entry| entry.conversation.serial == serial)?;
            entry.changed = false;
            entry.measure(handler.memory(&entry.conversation));
            entry.bytes().map(|bytes| Report::of(slot, &entry.conversation, bytes, handler))
        });
        handler.epoch();
        let Some(reports) = self.ledger.due() else { return };
        for report in &reports {
            self.count(report);
        }
        self.ledger.used(reports);
        handler.reports(&mut |report| self.count(report));
        while self.ledger.counted > self.common.caps.buffered_bytes
            && let Some(oldest) = self.slots.oldest()
            && oldest != current
        {
            self.common.statistics.evicted_by_bytes += 1;
            self.evict(oldest, handler);
        }
    }

    /// Counts the bytes that a conversation held, if it still exists.
    fn count(&mut self, report: &Report) {
        if let Some(entry) = self.slots.get_mut(report.slot)
            && entry.conversation.serial == report.serial
        {
            self.ledger.count(entry, report);
        }
    }

    /// Removes a conversation because a cap was reached, and keeps its number.
    fn evict(&mut self, index: u32, handler: &mut impl Handler<S>) {
        let Some(Entry { conversation, .. }) = self.slots.get_mut(index) else { return };
        let Conversation { id, transport, ends: [src, dst], resumed, .. } = conversation;
        let hash = self.hasher.hash(&Key { transport: *transport, src, dst });
        let statistics = &mut self.common.statistics;
        statistics.evicted += 1;
        statistics.evicted_again += u64::from(*resumed);
        if self.evicted.len() < self.common.caps.returning {
            self.evicted.insert(hash, *id);
        } else {
            statistics.forgotten += 1;
        }
        self.close(index, End::Evicted, handler);
    }

    /// Removes a conversation from the table, and reports that to the handler.
    fn close(&mut self, index: u32, why: End, handler: &mut impl Handler<S>) {
        let Some(mut entry) = self.slots.remove(index) else { return };
        self.ledger.discount(&mut entry);
        if handler.memory(&entry.conversation).is_none() {
            handler.close(&mut entry.conversation, why);
            return;
        }
        entry.close(why, &mut self.common.tools(handler));
    }
}
