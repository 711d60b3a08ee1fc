//! Delivery events: the common vocabulary in which every protocol with sequence numbers,
//! acknowledgements, requests or links reports them to the statistics.
//!
//! Sessions push [`Event`]s to [`Dissection::delivery`](super::Dissection); they are evaluated once
//! for all protocols, in [`crate::stats`]. Numbers are those of
//! [`Sequence`](crate::flow::sequence::Sequence): extended over the wrap.

use crate::flow::Side;
use crate::flow::sequence::{Acked, Seen};
pub use crate::traffic::life::Step;
pub use crate::traffic::path::Report;
use std::ops::Deref;

/// One delivery event of a message. `Copy`, so that a message costs no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection begins in this conversation: numbering starts again, in both directions.
    Begin,
    /// The message is numbered.
    Sent {
        /// The number on the wire.
        number: u64,
        /// The number without wrap.
        extended: i64,
        /// How the number relates to those before it.
        seen: Seen,
        /// The application's number of the content, if it has one.
        message_id: Option<u64>,
        /// The sender's last attempt: without an acknowledgement it gives up now.
        last_try: bool,
        /// Whether the receiver's filter passes this copy, if its filter is known.
        handled: Option<Handled>,
        /// The protocol acknowledges such messages; else nothing says which of them arrived.
        acknowledged: bool,
    },
    /// The message acknowledges one of the opposite direction.
    Acked {
        /// The number without wrap.
        extended: i64,
        /// What that means.
        acked: Acked,
    },
    /// The message answers one transmission of the opposite direction: each that arrives has such an
    /// answer.
    Report(Report),
    /// The message is a request.
    Request,
    /// The message answers a request of the opposite direction, this many nanoseconds after it.
    Answer(i64),
    /// The message is an answer, but its request was not seen.
    Unmatched,
    /// The message is a ping or a heartbeat: it asks for nothing, and keeps or measures the connection.
    Ping,
    /// The message answers a ping of the opposite direction, this many nanoseconds after it.
    Pong(i64),
    /// The message answers a ping in another conversation of the same connection: datagrams beside a
    /// stream.
    CrossFlowPong {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent it, there.
        side: Side,
        /// The nanoseconds between them.
        after: i64,
    },
    /// The message is a pong, but its ping was not seen.
    StrayPong,
    /// The message may answer a ping, in bytes of it that cannot be read: nobody knows whether that
    /// ping has an answer.
    Hidden {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent it, there.
        side: Side,
    },
    /// It has not: the ping so told is answered by this message.
    Shown {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent it, there.
        side: Side,
    },
    /// An event of something with a lifetime, such as a link of shared state.
    Link(Link),
    /// The message begins, keeps or ends its connection.
    Step(Step),
}

/// The delivery events of one message. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
    /// Nobody reads them.
    unwanted: bool,
}

impl Events {
    /// Removes all, keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds one, if they are wanted.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if !self.unwanted {
            self.list.push(event);
        }
    }

    /// Leaves out all from now on, or not.
    pub(super) fn leave_out(&mut self, leave_out: bool) {
        self.unwanted = leave_out;
    }
}

impl Deref for Events {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        &self.list
    }
}

/// Whether a copy of a message passes the receiver's filter to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handled {
    /// Does this copy pass?
    pub now: bool,
    /// How many of the copies before it passed.
    pub before: u32,
}

/// The life cycle of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// This side offers it.
    Offered,
    /// This side accepts the other's offer.
    Accepted,
    /// This side refuses the other's offer.
    Refused,
    /// It ends, this many nanoseconds after it was accepted.
    Ended(i64),
}
