//! The interface between the flow layer and the layer above.

use super::{Conversation, End, Moved, Report, Side, Stream};
use crate::capture::{Packet, Time};

/// New bytes at the end of a [`Stream`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Delivery<'a> {
    /// The frame that delivered them: their own, or the one that filled the gap before them. Bytes held after a gap
    /// that was given up have their own frame.
    pub frame: u64,
    /// The capture time of that frame.
    pub time: Time,
    /// The number of new bytes at the end of the stream; at least 1.
    pub new: usize,
    /// The positions in the new bytes at which TCP segments begin, ascending. There is no entry 0 if the first new
    /// bytes are the rest of a segment that partly repeats earlier bytes.
    pub segments: &'a [usize],
}

/// Missing or dropped bytes of a direction.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Gap {
    /// The number of missing bytes; 0 for `GapCause::Unread`.
    pub missing: u64,
    /// The frame with the first bytes after the gap.
    pub frame: u64,
    /// The capture time of that frame.
    pub time: Time,
    /// The reason for giving them up.
    pub cause: GapCause,
}

/// The reasons for which missing bytes are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GapCause {
    /// The receiver acknowledged bytes after them: it has them, the capture does not.
    Acknowledged,
    /// The capture's snap length cut them off.
    Cut,
    /// Too many bytes are held after them.
    Cap,
    /// The direction ended.
    End,
    /// Nothing is missing, but too many bytes were left unread: the stream's bytes are dropped.
    Unread,
}

/// Receives the contents of the conversations of a [`Table`](super::Table).
///
/// For each TCP direction the calls are: `data` and `gap`, in stream order; then `end`, exactly
/// once, also for a direction without bytes. `closed` is the last call for each conversation.
pub trait Handler<S> {
    /// Receives a UDP datagram of `length` bytes, of which `payload` was captured.
    fn datagram(
        &mut self,
        conversation: &mut Conversation<S>,
        from: Side,
        packet: &Packet<'_>,
        payload: &[u8],
        length: usize,
    );

    /// Receives new bytes at the end of `stream`, after those left unread before.
    ///
    /// The handler must [consume](Stream::consume) the bytes that it has processed; the rest is kept, up to a cap. A
    /// handler without interest in the stream consumes everything.
    fn data(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, delivery: &Delivery<'_>);

    /// Is called if bytes are missing after those in `stream`. After the call the stream is cleared, and the next
    /// `data` starts with the first bytes after the gap.
    fn gap(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, gap: &Gap);

    /// Is called when the direction ends; `stream` holds the unread bytes. `missing`: the number of bytes that were
    /// sent after them and are not in the capture, as far as the capture shows it.
    ///
    /// Not called for UDP.
    fn end(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, why: End, missing: u64);

    /// Is called for each conversation at the end of the capture, before the first one is closed.
    fn ending(&mut self, _conversation: &mut Conversation<S>) {}

    /// Is called when the conversation leaves the table: its ports were reused, a cap was reached, or the capture
    /// ended. A conversation whose two directions have ended stays in the table until then.
    fn closed(&mut self, conversation: &mut Conversation<S>);

    /// The number of bytes in the conversation's `state` that grow with its traffic. They count against
    /// [`Caps::buffered_bytes`](super::Caps::buffered_bytes). `None`: another thread reads the conversation, and counts
    /// them. Called once an epoch, and when the conversation is closed.
    fn memory(&self, _conversation: &Conversation<S>) -> Option<usize> {
        Some(0)
    }

    /// The parts of the conversation's `state` that are shared with other conversations: key and bytes. Equal keys are
    /// the same part, which is counted once. Called with [`memory`](Self::memory).
    fn shared(&self, _conversation: &Conversation<S>, _each: &mut dyn FnMut(u64, usize)) {}

    /// The direction that ends first if both end at once: the client's.
    ///
    /// By default that is the opener, else [`Side::A`]. A handler that knows the client from the
    /// messages can do better.
    fn first_to_end(&self, conversation: &Conversation<S>) -> Side {
        conversation.opener.unwrap_or(Side::A)
    }

    /// Whether another thread reads the conversation from now on. Called after each packet until then. A handler that
    /// returns true implements all methods below.
    fn leaves(&self, _conversation: &Conversation<S>) -> bool {
        false
    }

    /// Receives a conversation that is handed over to a partition. `conversation` keeps its
    /// number and endpoints; `slot` is its slot in the table, unique until it is closed.
    ///
    /// Its datagrams still arrive here, with a state by which the handler recognises them. Their
    /// [`memory`](Self::memory) is `None`, since the other thread counts it.
    fn take(&mut self, _conversation: &mut Conversation<S>, _slot: u32, _moved: Moved<S>) {}

    /// Receives a TCP segment of a conversation that was handed over.
    fn segment(&mut self, _conversation: &mut Conversation<S>, _from: Side, _packet: &Packet<'_>) {}

    /// Is called when a conversation that was handed over is closed.
    fn close(&mut self, _conversation: &mut Conversation<S>, _why: End) {}

    /// Is called at the end of an epoch: every partition has to report.
    fn epoch(&mut self) {}

    /// Passes on the reports of the oldest epoch not yet passed on.
    fn reports(&mut self, _each: &mut dyn FnMut(&Report)) {}
}
