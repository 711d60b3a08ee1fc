//! What a message says about delivery: the one vocabulary in which every protocol with numbers,
//! acknowledgements, requests or links of its own tells the statistics about them.
//!
//! Sessions push [`Event`]s to [`Dissection::delivery`](super::Dissection); what they mean is worked out once
//! for all protocols, in [`crate::stats`]. Numbers are those of [`Sequence`](crate::flow::sequence::Sequence):
//! extended over the wrap.

use crate::flow::Side;
use crate::flow::sequence::{Acked, Seen};

/// One thing that a message says. `Copy`, so that a message costs no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection begins in this conversation: numbers start afresh, both ways.
    Begin,
    /// The message is numbered; its sender expects an acknowledgement.
    Sent {
        /// The number on the wire.
        number: u16,
        /// The number without wrap.
        extended: i64,
        /// What the number says.
        seen: Seen,
        /// The application's number for what is sent, where there is one.
        message_id: Option<u64>,
        /// The sender's last try: without an acknowledgement it gives up now.
        last_try: bool,
        /// What the receiver makes of this copy, where its filter is known.
        handled: Option<Handled>,
    },
    /// The message acknowledges one of the other side.
    Acked {
        /// The number without wrap.
        extended: i64,
        /// What that means.
        acked: Acked,
    },
    /// The message asks for an answer.
    Request,
    /// The message answers a request of the other side, so many nanoseconds after it.
    Answer(i64),
    /// The message answers a request of another conversation of the same connection: datagrams
    /// beside a stream.
    AnswerElsewhere {
        /// The request's conversation.
        flow: u64,
        /// Who asked, there.
        side: Side,
        /// So many nanoseconds after it.
        after: i64,
    },
    /// The message answers nothing that was seen.
    Unmatched,
    /// Something with a life of its own, such as a link of shared state.
    Link(Link),
}

/// Whether a copy of a message gets through the receiver's filter to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handled {
    /// Does this copy?
    pub now: bool,
    /// How many of the copies before it did.
    pub before: u32,
}

/// What becomes of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// This side offers it.
    Offered,
    /// This side accepts the other's offer.
    Accepted,
    /// This side refuses the other's offer.
    Refused,
    /// It ends, so many nanoseconds after it was accepted.
    Ended(i64),
}
