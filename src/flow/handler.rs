//! What the flow layer tells the layer above.

use super::{Conversation, End, Moved, Report, Side, Stream};
use crate::capture::{Packet, Time};

/// New bytes at the end of a [`Stream`].
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// The frame that delivered them: their own, or the one that brought the missing bytes before
    /// them. Bytes that were held behind a gap that was given up have their own frame.
    pub frame: u64,
    /// When that frame was captured.
    pub time: Time,
    /// How many bytes at the end of the stream are new; at least 1.
    pub new: usize,
    /// Where TCP segments begin in the new bytes, ascending. Without an entry 0 where the first
    /// new bytes are the rest of a segment that repeats what was there.
    pub segments: &'a [usize],
}

/// Bytes of a direction that never came, or were dropped.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// How many bytes are missing; 0 for [`GapCause::Unread`].
    pub missing: u64,
    /// The frame that has the first bytes behind the gap.
    pub frame: u64,
    /// When that frame was captured.
    pub time: Time,
    /// Why they are not waited for any longer.
    pub cause: GapCause,
}

/// Why missing bytes were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GapCause {
    /// The receiver acknowledged bytes behind them: it has them, the capture lost them.
    Acknowledged,
    /// The capture's snap length cut them off.
    Cut,
    /// Too much is held behind them.
    Cap,
    /// The direction ended.
    End,
    /// Nothing is missing, but too much was left unread: what the stream holds is dropped.
    Unread,
}

/// Reads the conversations of a [`Table`](super::Table).
///
/// For each TCP direction the calls are: `data`, and `gap` between, in stream order; then `end`,
/// exactly once, also for a direction that never had a byte. `closed` is the last call for each
/// conversation.
pub trait Handler<S> {
    /// A UDP datagram of `length` bytes, of which the capture has `payload`.
    fn datagram(
        &mut self,
        conversation: &mut Conversation<S>,
        from: Side,
        packet: &Packet<'_>,
        payload: &[u8],
        length: usize,
    );

    /// New bytes are at the end of `stream`, behind what was left unread before.
    ///
    /// What the handler understands it must [consume](Stream::consume); the rest stays, up to a
    /// cap. A handler that does not want the stream consumes all.
    fn data(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, delivery: &Delivery<'_>);

    /// Bytes are missing behind what `stream` holds. After the call that is cleared, and the next
    /// `data` has the first bytes behind the gap.
    fn gap(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, gap: &Gap);

    /// The direction ended; `stream` holds what was left unread.
    ///
    /// Not called for UDP.
    fn end(&mut self, conversation: &mut Conversation<S>, from: Side, stream: &mut Stream, why: End);

    /// The conversation leaves the table: its ports were used again, a cap was reached, or the
    /// capture ended. One whose two directions have ended stays until then.
    fn closed(&mut self, conversation: &mut Conversation<S>);

    /// How many bytes the conversation's `state` holds that grow with what was said. They count
    /// against [`Caps::buffered_bytes`](super::Caps::buffered_bytes), so it is asked after every
    /// packet and should answer at once.
    fn memory(&self, _conversation: &Conversation<S>) -> usize {
        0
    }

    /// What the conversation's `state` holds together with others: what each part is known by, and its
    /// bytes. Equal keys are the same part, which is counted once. Asked when
    /// [`memory`](Self::memory) has changed, which it must where this does.
    fn shared(&self, _conversation: &Conversation<S>, _each: &mut dyn FnMut(u64, usize)) {}

    /// Which direction is ended first when both end at once: the client's.
    ///
    /// Without a change that is the opener, else [`Side::A`]. A handler that knows the client from
    /// what was said can do better.
    fn first_to_end(&self, conversation: &Conversation<S>) -> Side {
        conversation.opener.unwrap_or(Side::A)
    }

    /// Is the conversation read by another thread from now on? Asked after each packet of one that is
    /// not yet. Who says so implements everything below.
    fn leaves(&self, _conversation: &Conversation<S>) -> bool {
        false
    }

    /// Takes a conversation that leaves, for a [`Partition`](super::Partition). What stays in `conversation` is its
    /// number and ends; `slot` is its place in the table, and no other's before it is closed.
    ///
    /// Its datagrams come as before, with a state by which the handler knows that it is gone; of
    /// these, [`memory`](Self::memory) is `usize::MAX`: read elsewhere.
    fn take(&mut self, _conversation: &mut Conversation<S>, _slot: u32, _moved: Moved<S>) {}

    /// A TCP segment of a conversation that has left.
    fn segment(&mut self, _conversation: &mut Conversation<S>, _from: Side, _packet: &Packet<'_>) {}

    /// A conversation that has left is over.
    fn close(&mut self, _conversation: &mut Conversation<S>, _why: End) {}

    /// An epoch has ended: every partition has to [report](super::Partition::report).
    fn epoch(&mut self) {}

    /// Tells the reports of the first epoch whose reports it has not told yet.
    fn reports(&mut self, _each: &mut dyn FnMut(&Report)) {}
}
