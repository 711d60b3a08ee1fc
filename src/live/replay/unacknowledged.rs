//! What was sent and not yet acknowledged: numbered messages that are sent again until they are.

use crate::live::OwnedMessage;
use crate::live::replay::actor::Outbox;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// One message.
#[derive(Debug)]
struct Waiting {
    number: u16,
    said: OwnedMessage,
    first: Instant,
    last: Instant,
    tries: u32,
}

/// The messages of one direction that wait for their acknowledgement, oldest first.
#[derive(Debug)]
pub struct Unacknowledged {
    waiting: VecDeque<Waiting>,
    /// How long to wait before a copy is sent.
    pub resend: Duration,
    /// After how long a message is given up.
    pub patience: Duration,
}

impl Unacknowledged {
    /// Copies after `resend`, until `patience` has passed.
    pub fn new(resend: Duration, patience: Duration) -> Unacknowledged {
        Unacknowledged { waiting: VecDeque::new(), resend, patience }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Does nothing wait?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The oldest number that waits.
    pub fn oldest(&self) -> Option<u16> {
        self.waiting.front().map(|w| w.number)
    }

    /// A message is sent for the first time.
    pub fn push(&mut self, number: u16, said: OwnedMessage, now: Instant) {
        self.waiting.push_back(Waiting { number, said, first: now, last: now, tries: 1 });
    }

    /// The peer has this one. Returns the round trip, if the message was sent but once.
    pub fn acknowledged(&mut self, number: u16, now: Instant, out: &mut Outbox) -> Option<Duration> {
        let at = self.waiting.iter().position(|w| w.number == number)?;
        let done = self.waiting.remove(at)?;
        out.counts.acknowledged += 1;
        // Of several copies nobody knows which one was acknowledged.
        (done.tries == 1).then(|| now.saturating_duration_since(done.first))
    }

    /// Sends copies of what has waited long enough; gives up what nobody acknowledges. Returns when
    /// to ask again, and whether something was given up.
    pub fn tick(&mut self, now: Instant, out: &mut Outbox) -> (Option<Instant>, bool) {
        let before = self.waiting.len();
        self.waiting.retain(|w| now.saturating_duration_since(w.first) < self.patience);
        let lost = before - self.waiting.len();
        out.counts.unacknowledged += lost as u64;
        let mut next: Option<Instant> = None;
        for waiting in &mut self.waiting {
            if now.saturating_duration_since(waiting.last) >= self.resend {
                waiting.last = now;
                waiting.tries += 1;
                out.counts.resent += 1;
                out.say.push_back(waiting.said.clone());
            }
            let due = (waiting.last + self.resend).min(waiting.first + self.patience);
            next = Some(next.map_or(due, |n| n.min(due)));
        }
        (next, lost > 0)
    }

    /// The session is over: what still waits was not delivered, as far as is known.
    pub fn abandon(&mut self, out: &mut Outbox) {
        out.counts.unacknowledged += self.waiting.len() as u64;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_until_acknowledged_or_given_up() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut sent = Unacknowledged::new(Duration::from_millis(50), Duration::from_millis(120));
        let mut out = Outbox::default();
        sent.push(1, OwnedMessage { message: "one", ..OwnedMessage::default() }, at(0));
        sent.push(2, OwnedMessage { message: "two", ..OwnedMessage::default() }, at(10));
        assert_eq!(sent.tick(at(20), &mut out), (Some(at(50)), false));
        assert_eq!(sent.acknowledged(1, at(30), &mut out), Some(Duration::from_millis(30)));
        assert_eq!(sent.acknowledged(1, at(31), &mut out), None);
        assert_eq!(sent.tick(at(60), &mut out), (Some(at(110)), false));
        assert_eq!(out.say.iter().map(|s| s.message).collect::<Vec<_>>(), ["two"]);
        assert_eq!(sent.tick(at(130), &mut out), (None, true));
        assert_eq!((out.counts.acknowledged, out.counts.resent, out.counts.unacknowledged), (1, 1, 1));
    }
}
