//! Delivery events: the common form in which every protocol reports sequence numbers, acknowledgements, requests and
//! links to the statistics.
//!
//! Sessions push [`Event`]s to [`Dissection::delivery`](super::Dissection); they are evaluated once
//! for all protocols, in [`crate::stats`]. Numbers are those of
//! [`Sequence`](crate::traffic::sequence::Sequence): extended over the wrap.

use crate::flow::Side;
pub use crate::traffic::life::Step;
pub use crate::traffic::path::{Arrivals, Report};
use crate::traffic::sequence::{Acked, Seen};
use std::ops::Deref;

/// One delivery event of a message. `Copy`, so that a message costs no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new connection begins in this conversation: numbering restarts in both directions.
    Begin,
    /// The message has a sequence number.
    Sent {
        /// The number on the wire.
        number: u64,
        /// The number without wrap.
        extended: i64,
        /// The relation of the number to those before it.
        seen: Seen,
        /// The application's number for the content, if it has one.
        message_id: Option<u64>,
        /// Whether this is the sender's last attempt: without an acknowledgement it gives up now.
        last_try: bool,
        /// Whether this transmission passes the receiver's filter, if the filter is known.
        handled: Option<Handled>,
        /// Whether the protocol acknowledges such messages; if not, nothing shows which of them arrived.
        acknowledged: bool,
        /// Whether the first transmission had other bytes; false if the protocol does not compare them.
        changed: bool,
    },
    /// The message acknowledges one of the opposite direction.
    Acked {
        /// The number without wrap.
        extended: i64,
        /// The relation of the acknowledgement to that message.
        acked: Acked,
    },
    /// The message answers one transmission of the opposite direction: every transmission that arrives is answered like
    /// this.
    Report(Report),
    /// The message lists which of the opposite direction's messages have arrived, and has a number itself.
    Arrivals(Arrivals),
    /// The message is a request.
    Request,
    /// The message answers a request of the opposite direction, this many nanoseconds after it.
    Answer(i64),
    /// The message is an answer, but its request was not seen.
    Unmatched,
    /// The message is a request, and the capture has its answer before it.
    AnsweredBefore,
    /// In this message or before it are bytes that cannot be read, which may contain the answer to a request of the
    /// opposite direction: it is unknown whether that request was answered.
    HiddenAnswer,
    /// Withdraws an earlier [`HiddenAnswer`](Event::HiddenAnswer): this message answers that request.
    ShownAnswer,
    /// The message is a ping or a heartbeat: it keeps or measures the connection, and is not a request.
    Ping,
    /// The message answers a ping of the opposite direction, this many nanoseconds after it.
    Pong(i64),
    /// The message answers a ping in another conversation of the same connection, such as datagrams with a stream.
    CrossFlowPong {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent the ping, in that conversation.
        side: Side,
        /// The nanoseconds between ping and pong.
        after: i64,
    },
    /// The message is a pong, but its ping was not seen.
    StrayPong,
    /// The message may contain the answer to a ping in bytes that cannot be read: it is unknown whether that ping was
    /// answered.
    HiddenPong {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent the ping, in that conversation.
        side: Side,
    },
    /// Withdraws an earlier [`HiddenPong`](Event::HiddenPong): this message answers that ping.
    ShownPong {
        /// The ping's conversation.
        flow: u64,
        /// The side that sent the ping, in that conversation.
        side: Side,
    },
    /// An event of something with a lifetime, such as a link of shared state.
    Link(Link),
    /// The message begins, keeps or ends its connection.
    Step(Step),
}

impl Event {
    /// Whether it is a duplicate: the same bytes again after an acknowledgement of the message was seen. Any other
    /// further transmission is a resend.
    pub fn is_duplicate(&self) -> bool {
        matches!(self, Event::Sent { seen: Seen::Copy { before }, changed: false, .. } if before.acked)
    }
}

/// The delivery events of one message. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
    /// Whether nobody reads the events, so that none are stored.
    unwanted: bool,
}

impl Events {
    /// The number of this transmission among those of its message, from 2. `None` for the first one, and for messages
    /// that are not numbered.
    pub fn copy(&self) -> Option<u32> {
        self.iter().find_map(|event| match event {
            Event::Sent { seen: Seen::Copy { before }, .. } => Some(before.copies.saturating_add(1)),
            _ => None,
        })
    }

    /// Removes all events, but keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds an event, if events are wanted.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if !self.unwanted {
            self.list.push(event);
        }
    }

    /// Sets whether events are dropped from now on.
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

/// Whether a transmission of a message passes the receiver's filter to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handled {
    /// Whether this transmission passes.
    pub now: bool,
    /// The number of earlier transmissions that passed.
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
    /// It ends, this many nanoseconds after its acceptance.
    Ended(i64),
}
