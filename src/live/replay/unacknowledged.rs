//! Numbered messages that were sent and not acknowledged yet. They are resent until they are.

use super::outbox::Outbox;
use crate::message::OwnedMessage;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// One message.
#[derive(Debug)]
struct Waiting<N> {
    number: N,
    decoded: OwnedMessage,
    first: Instant,
    last: Instant,
    tries: u32,
}

/// The messages of one direction that wait for their acknowledgement, oldest first.
#[derive(Debug)]
pub struct Unacknowledged<N = u16> {
    waiting: VecDeque<Waiting<N>>,
    /// The time before a message is resent.
    pub resend: Duration,
    /// The time after which a message is given up.
    pub patience: Duration,
    /// The most transmissions of a message, as in a library that counts them. The pauses between them grow, so that a
    /// peer's short pause does not use them up.
    pub most: u32,
}

/// The number of transmissions after which the pauses grow, if transmissions are counted.
const STEADY: u32 = 5;

impl<N: Copy + PartialEq> Unacknowledged<N> {
    /// Creates an empty list. Messages are resent after `resend`, until `patience` has passed.
    pub fn new(resend: Duration, patience: Duration) -> Unacknowledged<N> {
        Unacknowledged { waiting: VecDeque::new(), resend, patience, most: u32::MAX }
    }

    /// The number of messages that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the oldest number that waits.
    pub fn oldest(&self) -> Option<N> {
        self.waiting.front().map(|w| w.number)
    }

    /// Whether this number waits.
    pub fn waits(&self, number: N) -> bool {
        self.waiting.iter().any(|w| w.number == number)
    }

    /// Returns the messages that wait, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (N, &OwnedMessage)> {
        self.waiting.iter().map(|w| (w.number, &w.decoded))
    }

    /// Removes a message that was not sent after all.
    pub fn forget(&mut self, number: N) {
        self.waiting.retain(|w| w.number != number);
    }

    /// Returns the pause after this many transmissions.
    fn pause(&self, tries: u32) -> Duration {
        match self.most {
            u32::MAX => self.resend,
            _ => self.resend.mul_f64(1.5f64.powi(tries.saturating_sub(STEADY).min(20) as i32)),
        }
    }

    /// Adds a message that is sent for the first time.
    pub fn push(&mut self, number: N, decoded: OwnedMessage, now: Instant) {
        self.waiting.push_back(Waiting { number, decoded, first: now, last: now, tries: 1 });
    }

    /// Notes that the peer has acknowledged this number. Returns the message, the time since its first transmission, and
    /// whether there were more: then that time is no round trip (Karn's rule: it is unknown which one was acknowledged).
    pub fn acknowledged(
        &mut self,
        number: N,
        now: Instant,
        out: &mut Outbox,
    ) -> Option<(OwnedMessage, Duration, bool)> {
        let at = self.waiting.iter().position(|w| w.number == number)?;
        let done = self.waiting.remove(at)?;
        out.counts.acknowledged += 1;
        Some((done.decoded, now.saturating_duration_since(done.first), done.tries > 1))
    }

    /// Resends messages that have waited long enough, and gives up those that nobody acknowledges. Returns the time of
    /// the next call, and the first message that was given up, with the number of its transmissions.
    pub fn tick(&mut self, now: Instant, out: &mut Outbox) -> (Option<Instant>, Option<(OwnedMessage, u32)>) {
        self.tick_with(now, out, |_, _| {})
    }

    /// The same for messages that `renew` changes before each further transmission, as those that get a new number.
    pub fn tick_with(
        &mut self,
        now: Instant,
        out: &mut Outbox,
        mut renew: impl FnMut(&mut N, &mut OwnedMessage),
    ) -> (Option<Instant>, Option<(OwnedMessage, u32)>) {
        let (mut next, mut lost) = (None::<Instant>, None);
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain_mut(|w| {
            let end = w.first + self.patience;
            let due = w.last + self.pause(w.tries);
            if now >= end || now >= due && w.tries >= self.most {
                out.counts.unacknowledged += 1;
                lost.get_or_insert((w.decoded.clone(), w.tries));
                return false;
            }
            if now >= due {
                w.last = now;
                w.tries += 1;
                out.counts.resent += 1;
                renew(&mut w.number, &mut w.decoded);
                out.messages.push_back(w.decoded.clone());
            }
            let due = end.min(w.last + self.pause(w.tries));
            next = Some(next.map_or(due, |n| n.min(due)));
            true
        });
        self.waiting = waiting;
        (next, lost)
    }

    /// Ends the session: messages that still wait count as unacknowledged.
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
        let when = |sent: &mut Unacknowledged, ms, out: &mut Outbox| {
            let (next, lost) = sent.tick(at(ms), out);
            (next, lost.map(|(decoded, tries)| (decoded.message, tries)))
        };
        assert_eq!(when(&mut sent, 20, &mut out), (Some(at(50)), None));
        assert_eq!(sent.acknowledged(1, at(30), &mut out).map(|(_, took, _)| took), Some(Duration::from_millis(30)));
        assert!(sent.acknowledged(1, at(31), &mut out).is_none());
        assert_eq!(when(&mut sent, 60, &mut out), (Some(at(110)), None));
        assert_eq!(out.messages.iter().map(|s| s.message).collect::<Vec<_>>(), ["two"]);
        assert_eq!(when(&mut sent, 130, &mut out), (None, Some(("two", 2))));
        assert_eq!((out.counts.acknowledged, out.counts.resent, out.counts.unacknowledged), (1, 1, 1));
    }

    /// As many transmissions as the library makes, over a time in which a slow peer answers.
    #[test]
    fn no_more_copies_than_the_library_sends() {
        let start = Instant::now();
        let mut sent = Unacknowledged::new(Duration::from_millis(25), Duration::from_secs(5));
        sent.most = 15;
        let mut out = Outbox::default();
        sent.push(1, OwnedMessage { message: "one", ..OwnedMessage::default() }, start);
        let mut now = start;
        let lost = loop {
            match sent.tick(now, &mut out) {
                (_, Some(lost)) => break lost,
                (next, None) => now = next.expect("it waits"),
            }
        };
        assert_eq!((out.messages.len(), lost.1), (14, 15));
        let took = now - start;
        assert!(took > Duration::from_secs(2) && took < Duration::from_secs(5), "{took:?}");
    }

    /// Karn's rule: it is unknown which of several transmissions was acknowledged. The message waited since the first.
    #[test]
    fn a_resent_message_measures_no_round_trip() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut sent = Unacknowledged::new(Duration::from_millis(50), Duration::from_secs(1));
        let mut out = Outbox::default();
        sent.push(1, OwnedMessage::default(), at(0));
        sent.push(2, OwnedMessage::default(), at(30));
        sent.tick(at(50), &mut out);
        assert_eq!(out.messages.len(), 1, "the first message is resent, the second is not due");
        let mut acknowledged =
            |number| sent.acknowledged(number, at(55), &mut out).map(|(_, took, resent)| (took, resent));
        assert_eq!(acknowledged(1), Some((Duration::from_millis(55), true)));
        assert_eq!(acknowledged(2), Some((Duration::from_millis(25), false)));
        assert_eq!(out.counts.acknowledged, 2);
    }
}
