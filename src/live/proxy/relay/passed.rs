//! The reports of a relay.

use super::status::Status;
use crate::capture::Time;
use crate::live::proxy::{Direction, Seen};
use crate::live::rules::RuleSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The addresses of both legs of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The client's and the server's address.
    pub ends: [SocketAddr; 2],
    /// The proxy's addresses towards the client, and towards the server.
    pub own: [SocketAddr; 2],
}

/// A datagram, or a chunk of a stream, that arrived, and its outcome.
#[derive(Debug)]
pub struct Passed<'p> {
    /// Its number among all that arrived, from 1.
    pub number: u64,
    /// The addresses of its conversation.
    pub addresses: Addresses,
    /// Its direction.
    pub direction: Direction,
    /// Whether it is a datagram.
    pub datagram: bool,
    /// Its bytes as they arrived.
    pub received: &'p [u8],
    /// The time when it arrived.
    pub time: Time,
    /// The delay before it is sent.
    pub delayed: Duration,
    /// The reason why it is not sent.
    pub lost: Option<&'static str>,
    /// The number of additional copies.
    pub copies: u32,
    /// Whether it is sent after the next one.
    pub reordered: bool,
    /// Whether one of its bits is flipped.
    pub corrupted: bool,
    /// Whether it waits for the user.
    pub held: bool,
    /// Its number among all packets that are read, from 1; 0 if packets are not read.
    pub frame: u64,
    /// The messages that were read.
    pub seen: Vec<Seen>,
}

impl Passed<'_> {
    /// Describes its outcome without the delay; empty if it passed unchanged.
    pub fn remark(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if self.copies > 0 {
            words.push(format!("sent {} times", self.copies + 1));
        }
        if self.reordered {
            words.push("after the next".into());
        }
        if self.held {
            words.push("held".into());
        }
        if self.corrupted {
            words.push("a bit flipped".into());
        }
        let edited = self.seen.iter().filter_map(|seen| seen.edited.as_ref()).filter(|edited| edited.not.is_none());
        words.extend(edited.map(|edited| format!("edited {}", edited.fields.join(", "))));
        words.join(", ")
    }
}

/// The record of an arrival until its bytes are sent.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Its number.
    pub number: u64,
    /// The time when it arrived.
    pub at: Instant,
    /// Its outcome in words, without the delay, if the output [records](RelayOutput::records) it.
    pub remark: Box<str>,
}

impl Arrival {
    pub(super) fn new(passed: &Passed<'_>, at: Instant, out: &dyn RelayOutput) -> Arrival {
        let remark = if out.records() { passed.remark().into() } else { Box::default() };
        Arrival { number: passed.number, at, remark }
    }
}

/// Bytes that were sent.
#[derive(Debug)]
pub struct Sent<'s> {
    /// The arrival of these bytes.
    pub(crate) arrival: &'s Arrival,
    /// The addresses of the conversation.
    pub addresses: Addresses,
    /// The direction.
    pub direction: Direction,
    /// Whether they are a datagram.
    pub datagram: bool,
    /// The bytes.
    pub bytes: &'s [u8],
    /// The time when they were sent.
    pub time: Time,
    /// The time since the arrival; zero if they did not wait.
    pub delayed: Duration,
}

/// A direction of a stream that ended on one leg.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// The addresses of the conversation.
    pub addresses: Addresses,
    /// The direction.
    pub direction: Direction,
    /// Whether the sender ended it. If not, the proxy ended it towards the receiver.
    pub arrived: bool,
    /// Whether it was reset.
    pub reset: bool,
    /// The time when it ended.
    pub time: Time,
}

/// The subject of a note. A flood of one does not hide the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A client that was refused because there is no slot or no socket for it.
    TurnedAway,
    /// A client that was idle for too long.
    Idle,
    /// A server that was unreachable, or refused.
    Server,
    /// Anything else.
    Other,
}

/// Takes the reports of a relay. No call may wait, because the relay stops until it returns.
pub trait RelayOutput {
    /// Whether `Arrival::remark` is needed.
    fn records(&self) -> bool {
        false
    }

    /// Reports an arrival.
    fn passed(&mut self, passed: Passed<'_>);

    /// Reports sent bytes.
    fn sent(&mut self, _: &Sent<'_>) {}

    /// Reports that an arrival that waited is not sent: the user dropped it, or its receiver is gone.
    fn dropped(&mut self, _arrival: u64) {}

    /// Reports the end of a direction of a stream.
    fn ended(&mut self, _: &Ended) {}

    /// Reports messages that were held back until their client was gone.
    fn held(&mut self, _: Vec<Seen>) {}

    /// Reports an event to the user.
    fn note(&mut self, topic: Topic, text: String);

    /// Whether the user asks for the status. Called often.
    fn asks_for_status(&mut self) -> bool {
        false
    }

    /// Reports the status that was asked for.
    fn status(&mut self, _: &Status) {}

    /// Returns new rules, if there are some since the last call. Called often.
    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        None
    }
}
