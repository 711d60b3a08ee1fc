//! Numbered messages of both sides: ours wait in a window for their acknowledgement and are sent
//! again, the peer's are acknowledged as often as they come.

use super::copies::Copies;
use super::outbox::Outbox;
use super::unacknowledged::Unacknowledged;
use crate::codec::layout::Field;
use crate::message::OwnedMessage;
use std::time::{Duration, Instant};

/// How many messages may be on their way.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// At most this many that are not acknowledged.
    Count(usize),
    /// At most this many numbers from the oldest that is not acknowledged.
    Span(u32),
}

/// How a protocol numbers its messages.
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
    /// How many may be on their way.
    pub window: Window,
    /// What a message waits for while the window is full.
    pub full: &'static str,
    /// A peer that goes on talking is left after this time.
    pub patience: Duration,
}

/// The numbers of one session.
#[derive(Debug)]
pub struct Numbers {
    by: &'static Numbering,
    next: u16,
    /// What waits for its acknowledgement.
    pub sent: Unacknowledged,
    /// How long the peer must have been at rest before it is left: its copies may still come.
    pub rest: Duration,
    copies: Copies,
    /// When the peer last said something that had to be acknowledged.
    stirred: Option<Instant>,
    /// Since when the goodbye waits for its time.
    parting: Option<Instant>,
    asap: bool,
}

impl Numbers {
    /// None was sent yet. `asap`: there is no clock by which a goodbye has its time.
    pub fn new(by: &'static Numbering, sent: Unacknowledged, rest: Duration, asap: bool) -> Numbers {
        Numbers { by, next: by.first, sent, rest, copies: Copies::default(), stirred: None, parting: None, asap }
    }

    /// Another session begins.
    pub fn afresh(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        (self.next, self.copies, self.parting) = (self.by.first, Copies::default(), None);
    }

    /// The number of our next message.
    pub fn next(&self) -> u16 {
        self.next
    }

    fn after(&self, number: u16) -> u16 {
        ((u32::from(number) + 1) % self.by.modulus) as u16
    }

    /// Sends a message with the next number.
    pub fn send(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let said = said.with(self.by.field, self.next);
        out.say.push_back(said.clone());
        self.sent.push(self.next, said, now);
        self.next = self.after(self.next);
    }

    /// A message was not sent after all: the peer waits for its number, so the next one gets it.
    pub fn unsendable(&mut self, said: &OwnedMessage) {
        if let Some(number) = said.number(self.by.field).filter(|_| (self.by.numbered)(said.message)) {
            let number = number as u16;
            self.sent.forget(number);
            if self.after(number) == self.next {
                self.next = number;
            }
        }
    }

    /// What a message waits for, if no more may be on their way.
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

    /// The peer has sent a number, or a copy of one. `false`: it has had its answers.
    pub fn heard(&mut self, number: u16, new: bool, now: Instant, out: &mut Outbox) -> bool {
        out.counts.copies += !new as u64;
        if new {
            self.copies.begin(number);
        } else if !self.copies.again(number) {
            return false;
        }
        self.stirred = Some(now);
        true
    }

    /// Is everything acknowledged, and the peer at rest?
    pub fn settled(&self, now: Instant) -> bool {
        self.sent.is_empty() && self.stirred.is_none_or(|at| now.saturating_duration_since(at) >= self.rest)
    }

    /// What a goodbye still waits for. A peer that goes on talking has no rest: it is left all the
    /// same.
    pub fn rests(&mut self, now: Instant) -> Option<&'static str> {
        let since = *self.parting.get_or_insert(now);
        match self.sent.is_empty() {
            false => Some("the last acknowledgements"),
            // By the recording's clock the goodbye has its time.
            true if !self.asap || self.settled(now) || now.saturating_duration_since(since) >= self.by.patience => None,
            true => Some("the peer's last copies"),
        }
    }
}
