//! A conversation in the table, with the reassembly of its directions.

use super::drive::{Drive, Tools};
use super::key::Key;
use super::tcp::Direction;
use super::{Conversation, Side};
use crate::capture::{Packet, Segment};

/// A conversation and what the table keeps with it.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub conversation: Conversation<S>,
    /// What its first packet had.
    pub key: Key,
    /// The directions by side, from the first TCP packet on.
    directions: Option<Box<[Direction; 2]>>,
    /// Its part of what the table has buffered.
    pub buffered: usize,
}

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
        Entry { conversation, key, directions: None, buffered: 0 }
    }

    /// Counts a packet of `length` payload bytes.
    pub fn count(&mut self, from: Side, packet: &Packet<'_>, length: usize) {
        let conversation = &mut self.conversation;
        conversation.last = packet.time;
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
            directions[from.index()] = Direction::begun(first);
        }
        self.conversation.syn_seen[from.index()] = true;
        let opener = if segment.has_ack { from.other() } else { from };
        self.conversation.opener.get_or_insert(opener);
        Syn::Own
    }
}
