//! The end of a session, whatever has happened: goodbye, and the end of a stream.

use super::{Playing, SLICE};
use crate::live::replay::actor::Heed;
use std::time::{Duration, Instant};

/// How long the peer may take to close a connection that we have left.
const CLOSING: Duration = Duration::from_secs(2);

impl Playing<'_> {
    /// Says goodbye, if that was not done; waits for the end of a stream.
    pub(super) fn leave(&mut self) {
        self.peer.leave();
        if !self.left && !self.closed {
            self.actor.leave(&mut self.out);
        }
        self.left = true;
        if self.closed {
            return;
        }
        let awaits = self.actor.awaits_end();
        if self.flush(false).is_err() {
            return;
        }
        if !awaits {
            self.peer.finish();
        }
        let until = Instant::now() + if awaits { self.settings.timeout.max(CLOSING) } else { CLOSING };
        while Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            match self.peer.hear(left.min(SLICE)) {
                Ok(Some(heard)) => {
                    if self.actor.heard(&heard, Instant::now(), &mut self.out) == Heed::New {
                        self.heard.push(heard);
                    }
                    if self.flush(false).is_err() {
                        break;
                    }
                }
                // Datagrams have no end.
                Ok(None) if !self.settings.stream => break,
                Ok(None) => {}
                Err(_) => break,
            }
        }
        self.peer.finish();
    }
}
