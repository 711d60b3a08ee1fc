//! A part of a table's conversations, read by another thread.

use super::drive::Common;
use super::entry::Entry;
use super::epoch::Report;
use super::{Caps, Conversation, End, Handler, Side, Statistics};
use crate::capture::{Body, Packet, Time};

/// A packet whose conversation is known, without its endpoints.
#[derive(Debug)]
pub(crate) struct Carried<'a> {
    /// The frame that completed it.
    pub frame: u64,
    /// The frames that carried it.
    pub frames: &'a [u64],
    /// The time of its frame.
    pub time: Time,
    /// Its content.
    pub body: Body<'a>,
}

/// A conversation that is handed over from a [`Table`](super::Table) to a [`Partition`].
#[derive(Debug)]
pub struct Moved<S>(pub(super) Box<Entry<S>>);

impl<S> Moved<S> {
    /// The conversation.
    pub fn conversation(&mut self) -> &mut Conversation<S> {
        &mut self.0.conversation
    }
}

/// The conversations of a [`Table`](super::Table) that one other thread reads. The table decides which packets belong
/// to which conversation, and when it is closed; this processes their contents.
#[derive(Debug)]
pub(crate) struct Partition<S> {
    /// The conversations, indexed by their slots in the table.
    entries: Vec<Option<Box<Entry<S>>>>,
    common: Common,
    changed: Vec<u32>,
}

impl<S> Partition<S> {
    /// A partition without conversations.
    pub fn new(caps: Caps) -> Partition<S> {
        Partition { entries: Vec::new(), common: Common::new(caps), changed: Vec::new() }
    }

    /// The counters so far.
    pub fn statistics(&self) -> Statistics {
        self.common.statistics
    }

    /// Receives a conversation that [leaves](Handler::leaves) the table.
    pub fn take(&mut self, slot: u32, moved: Moved<S>) {
        let index = slot as usize;
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, || None);
        }
        let Moved(entry) = moved;
        if let Some(place) = self.entries.get_mut(index) {
            // Only conversations that had packets in this epoch are reported, as if the table still read them.
            if entry.changed {
                self.changed.push(slot);
            }
            *place = Some(entry);
        }
    }

    /// The conversation in a slot.
    #[inline]
    pub fn conversation(&self, slot: u32) -> Option<&Conversation<S>> {
        Some(&self.entries.get(slot as usize)?.as_deref()?.conversation)
    }

    /// The conversation in a slot, to change its state.
    pub fn conversation_mut(&mut self, slot: u32) -> Option<&mut Conversation<S>> {
        Some(&mut self.entries.get_mut(slot as usize)?.as_deref_mut()?.conversation)
    }

    /// Processes a packet of a conversation, sent by `from`.
    pub fn packet(&mut self, slot: u32, from: Side, carried: Carried<'_>, handler: &mut impl Handler<S>) {
        let Carried { frame, frames, time, body } = carried;
        let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::as_deref_mut) else { return };
        let ends = &entry.conversation.ends;
        let (src, dst) = (ends[from.index()], ends[from.other().index()]);
        let packet = Packet { frame, frames, time, src, dst, leg: None, body };
        match &packet.body {
            Body::Udp { payload, length } => {
                entry.count(from, time, *length);
                handler.datagram(&mut entry.conversation, from, &packet, payload, *length);
            }
            Body::Tcp(segment) => {
                if segment.syn && !segment.rst {
                    // The table has checked that the segment belongs to this conversation.
                    entry.syn(from, segment);
                }
                entry.count(from, time, segment.length.max(segment.payload.len()));
                entry.segment(from, &packet, segment, &mut self.common.tools(handler));
            }
        }
        // What it holds is asked for once an epoch.
        if !std::mem::replace(&mut entry.changed, true) {
            self.changed.push(slot);
        }
    }

    /// The bytes that all conversations hold now.
    #[cfg(test)]
    pub(super) fn buffered(&self) -> usize {
        self.entries.iter().flatten().filter_map(|entry| entry.bytes()).sum()
    }

    /// Closes a conversation.
    pub fn close(&mut self, slot: u32, why: End, handler: &mut impl Handler<S>) {
        let Some(mut entry) = self.entries.get_mut(slot as usize).and_then(Option::take) else { return };
        entry.close(why, &mut self.common.tools(handler));
    }

    /// Forgets a conversation that the table reads again.
    pub fn forget(&mut self, slot: u32) {
        if let Some(place) = self.entries.get_mut(slot as usize) {
            *place = None;
        }
    }

    /// Ends an epoch: reports the bytes of the conversations that had packets.
    pub fn report(&mut self, reports: &mut Vec<Report>, handler: &impl Handler<S>) {
        for slot in self.changed.drain(..) {
            // If the slot was reused since then, it is listed twice; its new conversation is reported once.
            if let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::as_deref_mut)
                && std::mem::take(&mut entry.changed)
            {
                entry.measure(handler.memory(&entry.conversation));
                reports.extend(entry.bytes().map(|bytes| Report::of(slot, &entry.conversation, bytes, handler)));
            }
        }
    }
}
