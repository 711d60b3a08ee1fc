//! An actor's requests, and its counts.

use crate::message::OwnedMessage;
use std::collections::VecDeque;
use std::time::Duration;

/// The counts of a session while it is played.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Our messages that the peer acknowledged.
    pub acknowledged: u64,
    /// Our resends.
    pub resent: u64,
    /// Our messages that were never acknowledged.
    pub unacknowledged: u64,
    /// Repeated messages of the peer.
    pub copies: u64,
    /// Acknowledgements, heartbeats and other answers that were made live.
    pub live: u64,
    /// Round trips, from a message to its answer, up to a cap.
    pub round_trips: Vec<RoundTrip>,
    /// The number of further ones.
    pub more_trips: u64,
}

/// The time from a message to its answer.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    /// The subject of the message: `request Room.Join`, `reliable 7`.
    pub subject: String,
    /// The time since the first transmission.
    pub took: Duration,
    /// Whether the message was sent again: it waited this long, but it is unknown which transmission was answered.
    pub resent: bool,
}

impl Counts {
    /// The cap on round trips that are kept.
    const MOST: usize = 1 << 16;

    /// Adds a round trip.
    pub fn round_trip(&mut self, subject: impl Into<String>, took: Duration, resent: bool) {
        if self.round_trips.len() < Counts::MOST {
            self.round_trips.push(RoundTrip { subject: subject.into(), took, resent });
        } else {
            self.more_trips += 1;
        }
    }
}

/// An actor's requests.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The messages to send, in order.
    pub messages: VecDeque<OwnedMessage>,
    /// The counts.
    pub counts: Counts,
    /// Remarks for the user, each once.
    pub remarks: Vec<String>,
    /// The port of our socket for datagrams beside the stream.
    pub datagram_port: Option<u16>,
    /// The peer's port for them, once the peer has named it. Our socket is to be connected to it.
    pub connect: Option<u16>,
    /// The reason why it cannot continue, if the peer did not give one: the peer has stopped answering.
    pub trouble: Option<String>,
    /// Whether a new connection to the same peer must be made before anything is sent. The old one is of no use any
    /// more.
    pub reconnect: bool,
}

impl Outbox {
    /// Sends an answer made live, which the recording does not have.
    pub fn live(&mut self, decoded: OwnedMessage) {
        self.counts.live += 1;
        self.messages.push_back(decoded);
    }

    /// Adds a remark for the user.
    pub fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.remarks.len() < 100 && !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_round_trips_are_counted() {
        let mut counts = Counts::default();
        (0..Counts::MOST + 3).for_each(|_| counts.round_trip("ping", Duration::ZERO, false));
        assert_eq!((counts.round_trips.len(), counts.more_trips), (Counts::MOST, 3));
    }
}
