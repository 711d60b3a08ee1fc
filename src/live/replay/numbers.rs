//! Numbered messages of both sides. Ours wait in a window for their acknowledgement and are resent. The peer's are
//! acknowledged as often as they arrive.

use super::outbox::Outbox;
use super::received::{Arrival, Received};
use super::unacknowledged::Unacknowledged;
use crate::codec::layout::Field;
use crate::message::OwnedMessage;
use std::time::{Duration, Instant};

/// The limit on messages in flight.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// At most this many unacknowledged messages.
    Count(usize),
    /// At most this many numbers, from the oldest unacknowledged one on.
    Span(u32),
}

/// The numbering of a protocol's messages.
#[derive(Debug)]
pub struct Numbering {
    /// The field that has the number.
    pub field: &'static Field,
    /// Whether messages of this name have one.
    pub numbered: fn(&str) -> bool,
    /// The first number.
    pub first: u16,
    /// Numbers count modulo this.
    pub modulus: u32,
    /// The limit on messages in flight.
    pub window: Window,
    /// The event that a message waits for while the window is full.
    pub full: &'static str,
    /// The time after which a peer that keeps on sending is left.
    pub patience: Duration,
}

/// The numbers of one session.
#[derive(Debug)]
pub struct Numbers {
    by: &'static Numbering,
    next: u16,
    /// Messages that wait for their acknowledgement.
    pub sent: Unacknowledged,
    /// The peer's numbers, which begin with the same one.
    pub(crate) peer: Received,
    /// The time for which the peer must have been at rest before it is left: its resends may still arrive.
    pub rest: Duration,
    /// The time of the peer's last message that had to be acknowledged.
    last_numbered: Option<Instant>,
    /// The time from which on the goodbye has been waiting.
    leaving_since: Option<Instant>,
    asap: bool,
}

impl Numbers {
    /// Creates the numbers of a session. `asap`: no recorded clock sets the time of a goodbye.
    pub fn new(by: &'static Numbering, sent: Unacknowledged, rest: Duration, asap: bool) -> Numbers {
        let peer = Received::from(by.first.into(), by.modulus.into());
        Numbers { by, next: by.first, sent, peer, rest, last_numbered: None, leaving_since: None, asap }
    }

    /// Begins another session.
    pub fn restart(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        self.peer = Received::from(self.by.first.into(), self.by.modulus.into());
        (self.next, self.leaving_since) = (self.by.first, None);
    }

    /// The number of our next message.
    pub fn next(&self) -> u16 {
        self.next
    }

    fn after(&self, number: u16) -> u16 {
        ((u32::from(number) + 1) % self.by.modulus) as u16
    }

    /// Sends a message with the next number.
    pub fn send(&mut self, decoded: OwnedMessage, now: Instant, out: &mut Outbox) {
        let decoded = decoded.with(self.by.field, self.next);
        out.messages.push_back(decoded.clone());
        self.sent.push(self.next, decoded, now);
        self.next = self.after(self.next);
    }

    /// Takes back the number of a message that was not sent. The peer waits for it, so the next message gets it.
    pub fn unsendable(&mut self, decoded: &OwnedMessage) {
        if let Some(number) = decoded.number(self.by.field).filter(|_| (self.by.numbered)(decoded.message)) {
            let number = number as u16;
            self.sent.forget(number);
            if self.after(number) == self.next {
                self.next = number;
            }
        }
    }

    /// Returns the event that a message waits for, if no more may be in flight.
    pub fn full(&self) -> Option<&'static str> {
        let modulus = self.by.modulus;
        let room = match self.by.window {
            Window::Count(most) => self.sent.len() < most,
            Window::Span(most) => {
                let span = |oldest| (u32::from(self.next) + modulus - u32::from(oldest)) % modulus;
                self.sent.oldest().is_none_or(|oldest| span(oldest) < most)
            }
        };
        (!room).then_some(self.by.full)
    }

    /// Takes a number of the peer. It is acknowledged, unless it is ignored.
    pub fn received(&mut self, number: i64, now: Instant, out: &mut Outbox) -> Arrival {
        let arrival = self.peer.take(number);
        out.counts.copies += u64::from(arrival != Arrival::New);
        if arrival != Arrival::Ignored {
            self.last_numbered = Some(now);
        }
        arrival
    }

    /// Whether everything is acknowledged, and the peer is at rest.
    pub fn settled(&self, now: Instant) -> bool {
        self.sent.is_empty() && self.last_numbered.is_none_or(|at| now.saturating_duration_since(at) >= self.rest)
    }

    /// Returns the event that a goodbye still waits for. A peer that keeps on sending has no rest, and is left anyway.
    pub fn rests(&mut self, now: Instant) -> Option<&'static str> {
        let since = *self.leaving_since.get_or_insert(now);
        match self.sent.is_empty() {
            false => Some("the last acknowledgements"),
            // By the recording's clock, the goodbye has its own time.
            true if !self.asap || self.settled(now) || now.saturating_duration_since(since) >= self.by.patience => None,
            true => Some("the peer's last copies"),
        }
    }
}
