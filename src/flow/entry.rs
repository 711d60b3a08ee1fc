//! A conversation in the table, with the reassembly of its directions.

use super::drive::{Drive, Tools};
use super::key::Key;
use super::stream::Origin;
use super::tcp::Direction;
use super::{Conversation, End, Handler, Side};
use crate::capture::{Packet, Segment, Time};

/// A conversation and what the table keeps with it.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub conversation: Conversation<S>,
    /// What its first packet had.
    pub key: Key,
    /// The directions by side, from the first TCP packet on.
    directions: Option<Box<[Direction; 2]>>,
    /// What it holds now, or [`ELSEWHERE`].
    pub buffered: usize,
    /// What it held at the end of the epoch whose reports were counted last.
    pub counted: usize,
    /// What was counted of it that others hold too.
    pub shared: Box<[u64]>,
    /// What it holds has changed in this epoch.
    pub changed: bool,
}

/// What a conversation holds is known to another thread.
pub(super) const ELSEWHERE: usize = usize::MAX;

/// What a SYN is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syn {
    /// It belongs to the conversation.
    Own,
    /// It begins another conversation with the same ports.
    Another,
}

impl<S> Entry<S> {
    pub fn new(conversation: Conversation<S>, key: Key) -> Self {
        Entry { conversation, key, directions: None, buffered: 0, counted: 0, shared: Box::default(), changed: false }
    }

    /// Counts a packet of `length` payload bytes.
    pub fn count(&mut self, from: Side, time: Time, length: usize) {
        let conversation = &mut self.conversation;
        conversation.last = time;
        let [packets, bytes] = [&mut conversation.packets, &mut conversation.bytes];
        packets[from.index()] += 1;
        bytes[from.index()] = bytes[from.index()].saturating_add(length as u64);
    }

    /// One TCP direction, with what it takes to go on with it.
    pub fn drive<'a, 'b, H>(&'a mut self, from: Side, tools: &'a mut Tools<'b, H>) -> Drive<'a, 'b, S, H> {
        let directions = self.directions.get_or_insert_default();
        let direction = &mut directions[from.index()];
        Drive { conversation: &mut self.conversation, from, direction, tools }
    }

    /// Takes a segment, what it acknowledges first: what that releases came in earlier frames than
    /// this one's bytes.
    #[inline(always)]
    pub fn segment<H: Handler<S>>(
        &mut self,
        from: Side,
        packet: &Packet<'_>,
        segment: &Segment<'_>,
        tools: &mut Tools<'_, H>,
    ) {
        if segment.has_ack && !segment.rst {
            self.drive(from.other(), tools).acknowledge(segment.ack);
        }
        let origin = Origin { frame: packet.frame, time: packet.time };
        self.drive(from, tools).segment(segment, origin);
    }

    /// Ends what has not ended, the [client's direction](Handler::first_to_end) first, and tells that
    /// it is over.
    pub fn close<H: Handler<S>>(&mut self, why: End, tools: &mut Tools<'_, H>) {
        if self.conversation.transport == super::Transport::Tcp {
            let first = tools.handler.first_to_end(&self.conversation);
            for from in [first, first.other()] {
                self.drive(from, tools).end(why);
            }
        }
        tools.handler.closed(&mut self.conversation);
    }

    /// The memory that is allocated for bytes.
    pub fn allocated(&self) -> usize {
        self.directions.iter().flat_map(|both| both.iter()).map(Direction::allocated).sum()
    }

    /// Takes a SYN or SYN-ACK of one side, unless it belongs to another conversation: then nothing
    /// changes.
    pub fn syn(&mut self, from: Side, segment: &Segment<'_>) -> Syn {
        let directions = self.directions.get_or_insert_default();
        let first = segment.seq.wrapping_add(1);
        let own = &directions[from.index()];
        let repeated = own.base() == Some(first);
        let another = if repeated {
            // Sent again; unless all was over.
            directions.iter().all(|direction| direction.ended)
        } else if segment.has_ack {
            // The SYN that it answers is not in the capture, or the table would know.
            own.has_data() || own.ended
        } else {
            directions.iter().any(|direction| direction.has_data() || direction.ended)
        };
        if another {
            return Syn::Another;
        }
        if !repeated {
            directions[from.index()].begin(first);
        }
        self.conversation.syn_seen[from.index()] = true;
        let opener = if segment.has_ack { from.other() } else { from };
        self.conversation.opener.get_or_insert(opener);
        Syn::Own
    }
}

impl<S: Default> Entry<S> {
    /// Gives the conversation away, with all that reading on takes. What stays follows it: enough to
    /// know its packets by, and a SYN that begins another one.
    pub fn leave(&mut self) -> Entry<S> {
        let Conversation { id, transport, ends, opener, syn_seen, ended, first, last, packets, bytes, .. } =
            self.conversation;
        let names = std::mem::take(&mut self.conversation.names);
        let state = std::mem::take(&mut self.conversation.state);
        let followers = self.directions.as_ref().map(|both| Box::new([0, 1].map(|side| both[side].follower())));
        let directions = std::mem::replace(&mut self.directions, followers);
        let conversation =
            Conversation { id, transport, ends, names, opener, syn_seen, ended, first, last, packets, bytes, state };
        let buffered = std::mem::replace(&mut self.buffered, ELSEWHERE);
        Entry { directions, buffered, ..Entry::new(conversation, self.key) }
    }
}
