//! A message that is sent again until something answers it: a connect, a request.

use super::outbox::Outbox;
use crate::message::OwnedMessage;
use std::time::{Duration, Instant};

/// The schedule by which a question is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Repeats {
    /// The time from one transmission to the next.
    pub every: Duration,
    /// The time after which the question is given up.
    pub patience: Duration,
    /// The most transmissions.
    pub most: u32,
}

/// A question without an answer yet.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    message: OwnedMessage,
    repeats: Repeats,
    first: Instant,
    last: Instant,
    tries: u32,
}

impl Asking {
    /// Sends a question for the first time.
    pub fn new(message: OwnedMessage, repeats: Repeats, now: Instant, out: &mut Outbox) -> Asking {
        out.messages.push_back(message.clone());
        Asking { message, repeats, first: now, last: now, tries: 1 }
    }

    /// Resends the question if the last transmission is old enough. Returns the time of the next call; `None`: the
    /// question is given up.
    pub fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let Repeats { every, patience, most } = self.repeats;
        if now.saturating_duration_since(self.first) >= patience {
            return None;
        }
        if now.saturating_duration_since(self.last) >= every && self.tries < most {
            self.last = now;
            self.tries += 1;
            out.counts.resent += 1;
            out.messages.push_back(self.message.clone());
        }
        let end = self.first + patience;
        Some(if self.tries < most { end.min(self.last + every) } else { end })
    }
}
