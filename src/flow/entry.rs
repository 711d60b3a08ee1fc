//! An entry of the flow table: a conversation and the reassembly of its directions.

use super::drive::{Drive, Tools};
use super::stream::Origin;
use super::tcp::Direction;
use super::{Conversation, End, Handler, Side};
use crate::capture::{Packet, Segment, Time};

/// A conversation and the table's own state for it.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub conversation: Conversation<S>,
    /// The directions by side, from the first TCP packet on.
    directions: Option<Box<[Direction; 2]>>,
    /// The bytes that the conversation's state held at the end of the last epoch with packets.
    held: usize,
    /// Whether another thread reads the conversation: only that thread knows the bytes that it holds.
    pub elsewhere: bool,
    /// The bytes that the conversation held at the end of the epoch whose reports were counted last.
    pub counted: usize,
    /// The keys of counted parts that the conversation shares with others.
    pub shared: Box<[u64]>,
    /// Whether it had packets in this epoch, so that the bytes that it holds may have changed.
    pub changed: bool,
}

/// The relation of a SYN to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syn {
    /// The SYN belongs to the conversation.
    Own,
    /// The SYN begins another conversation with the same ports.
    Another,
}

impl<S> Entry<S> {
    pub fn new(conversation: Conversation<S>) -> Self {
        Entry {
            conversation,
            directions: None,
            held: 0,
            elsewhere: false,
            counted: 0,
            shared: Box::default(),
            changed: false,
        }
    }

    /// Counts a packet of `length` payload bytes.
    pub fn count(&mut self, from: Side, time: Time, length: usize) {
        let conversation = &mut self.conversation;
        conversation.last = time;
        let [packets, bytes] = [&mut conversation.packets, &mut conversation.bytes];
        packets[from.index()] += 1;
        bytes[from.index()] = bytes[from.index()].saturating_add(length as u64);
    }

    /// One TCP direction, with everything needed to process it.
    pub fn drive<'a, 'b, H>(&'a mut self, from: Side, tools: &'a mut Tools<'b, H>) -> Drive<'a, 'b, S, H> {
        let directions = self.directions.get_or_insert_default();
        let direction = &mut directions[from.index()];
        Drive { conversation: &mut self.conversation, from, direction, tools }
    }

    /// Processes a segment. Its acknowledgement is processed first: the data that this releases are from earlier frames
    /// than the segment's own.
    #[inline(always)]
    pub fn segment<H: Handler<S>>(
        &mut self,
        from: Side,
        packet: &Packet<'_>,
        segment: &Segment<'_>,
        tools: &mut Tools<'_, H>,
    ) {
        if self.is_stale(from, segment) {
            if !segment.payload.is_empty() {
                self.drive(from, tools).ignore();
            }
            return;
        }
        if segment.has_ack && !segment.rst {
            self.drive(from.other(), tools).acknowledge(segment.ack);
        }
        let origin = Origin { frame: packet.frame, time: packet.time };
        self.drive(from, tools).segment(segment, origin);
    }

    /// Whether a segment is from an earlier connection with these ports, which only its sender still has: the other side
    /// has sent nothing but a SYN, and this does not answer it.
    #[inline]
    fn is_stale(&self, from: Side, segment: &Segment<'_>) -> bool {
        let other = from.other().index();
        self.conversation.syn_seen[other]
            && segment.has_ack
            && !segment.syn
            && !segment.rst
            && self.directions.as_ref().is_some_and(|both| {
                let (own, opener) = (&both[from.index()], &both[other]);
                own.base().is_none()
                    && !own.is_acknowledged()
                    && !opener.has_data()
                    && !opener.ended
                    && opener.base() != Some(segment.ack)
            })
    }

    /// Ends the open directions, [the client's](Handler::first_to_end) first, and reports that the
    /// conversation is closed.
    pub fn close<H: Handler<S>>(&mut self, why: End, tools: &mut Tools<'_, H>) {
        if self.conversation.transport == super::Transport::Tcp {
            let first = tools.handler.first_to_end(&self.conversation);
            for from in [first, first.other()] {
                self.drive(from, tools).end(why);
            }
        }
        tools.handler.closed(&mut self.conversation);
    }

    /// The offset of a direction's first byte that its session has not consumed yet.
    pub fn offset(&self, side: Side) -> u64 {
        self.directions.as_ref().map_or(0, |both| both[side.index()].offset())
    }

    /// Sets the bytes that the conversation's state holds; `None`: another thread reads the conversation.
    pub fn measure(&mut self, held: Option<usize>) {
        (self.held, self.elsewhere) = (held.unwrap_or(0), held.is_none());
    }

    /// The bytes that the conversation holds, if this thread reads it.
    pub fn bytes(&self) -> Option<usize> {
        (!self.elsewhere).then(|| self.held + self.allocated())
    }

    /// The memory allocated for bytes.
    fn allocated(&self) -> usize {
        self.directions.iter().flat_map(|both| both.iter()).map(Direction::allocated).sum()
    }

    /// Processes a SYN or SYN-ACK of one side, unless it belongs to another conversation: then nothing changes.
    pub fn syn(&mut self, from: Side, segment: &Segment<'_>) -> Syn {
        let directions = self.directions.get_or_insert_default();
        let first = segment.seq.wrapping_add(1);
        let own = &directions[from.index()];
        let repeated = own.base() == Some(first);
        let another = if repeated {
            // A retransmission, unless both directions have ended.
            directions.iter().all(|direction| direction.ended)
        } else if segment.has_ack {
            // The SYN that it answers is not in the capture; otherwise the table would know it.
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

    /// Whether a segment with bytes is from another connection with the same ports, whose SYN is not in the capture:
    /// both directions have ended, and its bytes are not from them.
    pub fn excludes(&self, from: Side, segment: &Segment<'_>) -> bool {
        let Some(directions) = &self.directions else { return false };
        !segment.payload.is_empty()
            && !segment.rst
            && directions.iter().all(|direction| direction.ended)
            && directions[from.index()].excludes(segment)
    }
}

impl<S: Default> Entry<S> {
    /// Moves the conversation out, with all state needed to continue reading. The rest only follows the sequence
    /// numbers: enough to recognise the conversation's packets, and a SYN that begins another one.
    pub fn leave(&mut self) -> Entry<S> {
        let Conversation {
            id,
            serial,
            resumed,
            transport,
            ends,
            leg,
            opener,
            syn_seen,
            ended,
            first_ended,
            first,
            last,
            packets,
            bytes,
            ..
        } = self.conversation;
        let names = std::mem::take(&mut self.conversation.names);
        let losses = self.conversation.losses.take();
        let state = std::mem::take(&mut self.conversation.state);
        let followers = self.directions.as_ref().map(|both| Box::new([0, 1].map(|side| both[side].follower())));
        let directions = std::mem::replace(&mut self.directions, followers);
        #[rustfmt::skip]
        let conversation = Conversation {
            id, serial, resumed, transport, ends, names, leg, opener, syn_seen, ended, first_ended, losses, first, last, packets, bytes, state,
        };
        let held = std::mem::take(&mut self.held);
        self.elsewhere = true;
        Entry { directions, held, changed: self.changed, ..Entry::new(conversation) }
    }
}
