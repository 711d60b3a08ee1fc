//! What a relay reports.

use crate::capture::Time;
use crate::live::proxy::{Seen, Way};
use crate::live::rules::RuleSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The addresses of both legs of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The client's and the server's.
    pub ends: [SocketAddr; 2],
    /// The proxy's towards the client, and towards the server.
    pub own: [SocketAddr; 2],
}

/// A datagram, or a piece of a stream, that arrived, and what becomes of it.
#[derive(Debug)]
pub struct Passed<'p> {
    /// Its number among all that arrived, from 1.
    pub number: u64,
    /// Of its conversation.
    pub addresses: Addresses,
    /// Its direction.
    pub way: Way,
    /// Whether it is a datagram.
    pub datagram: bool,
    /// Its bytes as they arrived.
    pub came: &'p [u8],
    /// When it arrived.
    pub time: Time,
    /// How much later it is sent.
    pub delayed: Duration,
    /// Why it is not sent.
    pub lost: Option<&'static str>,
    /// How often it is sent besides the first time.
    pub copies: u32,
    /// It is sent after the one that follows.
    pub behind: bool,
    /// One of its bits is flipped.
    pub corrupted: bool,
    /// Its number among all packets that are read, from 1; 0 if nobody reads.
    pub frame: u64,
    /// The messages that were read.
    pub seen: Vec<Seen>,
}

impl Passed<'_> {
    /// Returns what was done to it besides its delay, in words; nothing where nothing was.
    pub fn remark(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if self.copies > 0 {
            words.push(format!("sent {} times", self.copies + 1));
        }
        if self.behind {
            words.push("after the next".into());
        }
        if self.corrupted {
            words.push("a bit flipped".into());
        }
        let edited = self.seen.iter().filter_map(|seen| seen.edited.as_ref()).filter(|edited| edited.not.is_none());
        words.extend(edited.map(|edited| format!("edited {}", edited.fields.join(", "))));
        words.join(", ")
    }
}

/// What is remembered of an arrival until its bytes are sent.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Its number.
    pub number: u64,
    /// When it came.
    pub at: Instant,
    /// What was done to it besides its delay, in words, if the output [records](Output::records).
    pub remark: Box<str>,
}

impl Arrival {
    pub(super) fn new(passed: &Passed<'_>, at: Instant, out: &dyn Output) -> Arrival {
        let remark = if out.records() { passed.remark().into() } else { Box::default() };
        Arrival { number: passed.number, at, remark }
    }
}

/// Bytes that were sent.
#[derive(Debug)]
pub struct Sent<'s> {
    /// The arrival that they are of.
    pub arrival: &'s Arrival,
    /// Of the conversation.
    pub addresses: Addresses,
    /// The direction.
    pub way: Way,
    /// Whether they are a datagram.
    pub datagram: bool,
    /// The bytes.
    pub bytes: &'s [u8],
    /// When they were sent.
    pub time: Time,
    /// How long after the arrival; zero if they did not wait.
    pub delayed: Duration,
}

/// A direction of a stream that ended on one of its legs.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Of the conversation.
    pub addresses: Addresses,
    /// The direction.
    pub way: Way,
    /// Whether the sender ended it; else the proxy, towards the receiver.
    pub arrived: bool,
    /// Whether by a reset.
    pub reset: bool,
    /// When.
    pub time: Time,
}

/// The subject of a note. A flood of one does not hide the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A client for which there is no place, or no socket.
    TurnedAway,
    /// A client that was silent for too long.
    Idle,
    /// A server that was not reached, or refused.
    Server,
    /// Anything else.
    Other,
}

/// Takes what a relay reports. No call may wait: the relay does not run until it returns.
pub trait Output {
    /// Whether [`Arrival::remark`] is wanted.
    fn records(&self) -> bool {
        false
    }

    /// Something arrived.
    fn passed(&mut self, passed: Passed<'_>);

    /// Something was sent.
    fn sent(&mut self, _: &Sent<'_>) {}

    /// A direction of a stream ended.
    fn ended(&mut self, _: &Ended) {}

    /// Messages that were held back until their client had gone.
    fn held(&mut self, _: Vec<Seen>) {}

    /// Something that the user should know.
    fn note(&mut self, topic: Topic, text: String);

    /// Returns other rules, if there are some since the last call. Called often.
    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        None
    }
}
