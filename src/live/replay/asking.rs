//! A message that is sent again until something answers it: a connect, a request.

use crate::live::OwnedMessage;
use crate::live::replay::actor::Outbox;
use std::time::{Duration, Instant};

/// A question without an answer yet.
#[derive(Debug)]
pub struct Asking {
    message: OwnedMessage,
    first: Instant,
    last: Instant,
    tries: u32,
    /// So often it is sent at most.
    pub most: u32,
}

impl Asking {
    /// Sends it for the first time.
    pub fn new(message: OwnedMessage, now: Instant, out: &mut Outbox) -> Asking {
        out.say.push_back(message.clone());
        Asking { message, first: now, last: now, tries: 1, most: u32::MAX }
    }

    /// Sends a copy where the last one is `every` old. Returns when to ask again; `None`: it is
    /// given up after `patience`.
    pub fn tick(&mut self, every: Duration, patience: Duration, now: Instant, out: &mut Outbox) -> Option<Instant> {
        if now.saturating_duration_since(self.first) >= patience {
            return None;
        }
        if now.saturating_duration_since(self.last) >= every && self.tries < self.most {
            self.last = now;
            self.tries += 1;
            out.counts.resent += 1;
            out.say.push_back(self.message.clone());
        }
        let end = self.first + patience;
        Some(if self.tries < self.most { end.min(self.last + every) } else { end })
    }
}
