//! What an actor wants done, and what is counted on the way.

use crate::message::OwnedMessage;
use std::collections::VecDeque;
use std::time::Duration;

/// What is counted while a session is played.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Messages of ours that the peer acknowledged.
    pub acknowledged: u64,
    /// Copies of ours that were sent again.
    pub resent: u64,
    /// Messages of ours that were never acknowledged.
    pub unacknowledged: u64,
    /// Copies of the peer's.
    pub copies: u64,
    /// Acknowledgements, heartbeats and other answers that were made live.
    pub live: u64,
    /// Round trips, from a message to what answers it.
    pub round_trips: Vec<Duration>,
}

impl Counts {
    /// How many round trips are kept.
    const MOST: usize = 1 << 16;

    /// Adds a round trip.
    pub fn round_trip(&mut self, took: Duration) {
        if self.round_trips.len() < Counts::MOST {
            self.round_trips.push(took);
        }
    }
}

/// What an actor wants done.
#[derive(Debug, Default)]
pub struct Outbox {
    /// What is to be said, in order.
    pub say: VecDeque<OwnedMessage>,
    /// What was counted.
    pub counts: Counts,
    /// What the user should know, each told once.
    pub remarks: Vec<String>,
    /// The port of our socket for datagrams beside the stream.
    pub beside: Option<u16>,
    /// The peer's port for them, as soon as it has named it: to be connected.
    pub connect: Option<u16>,
    /// Why it cannot go on, where that is not the peer's word: it has stopped answering.
    pub trouble: Option<String>,
    /// The connection is of no use any more: a new one to the same peer, before anything is said.
    pub reconnect: bool,
}

impl Outbox {
    /// Something to be said that the recording does not have: an answer made live.
    pub fn live(&mut self, said: OwnedMessage) {
        self.counts.live += 1;
        self.say.push_back(said);
    }

    /// Something the user should know.
    pub fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.remarks.len() < 100 && !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }
}
