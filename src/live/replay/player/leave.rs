//! The end of a session, whatever has happened: goodbye, and the end of a stream.

use super::{Action, Phase, Player, SLICE};
use crate::live::NetError;
use crate::live::net::cancel::LEAVING;
use std::time::{Duration, Instant};

/// How long the peer may take to close a connection that we have left.
const CLOSING: Duration = Duration::from_secs(2);

impl Player<'_, '_> {
    /// The user wants to stop.
    pub fn cancel(&mut self, now: Instant) {
        self.stop(NetError::Interrupted, now);
    }

    /// It is to stop: the peer is left. That takes no longer than leaving must, for a user who waits
    /// even less.
    pub fn stop(&mut self, why: NetError, now: Instant) {
        let most = if matches!(why, NetError::Interrupted) { LEAVING } else { CLOSING };
        self.hurried = Some(self.hurried.map_or(most, |old| old.min(most)));
        match &mut self.phase {
            Phase::New | Phase::Playing | Phase::Connecting => {
                self.fail(why);
                self.leave(now);
            }
            Phase::Leaving(until, _) if *until > now + most => *until = now + most,
            Phase::Leaving(..) | Phase::Done => {}
        }
    }

    /// Says goodbye, if that was not done; waits for the end of a stream.
    pub(super) fn leave(&mut self, now: Instant) {
        // Where a new connection was to be made there is nobody to be left.
        let alone = self.phase == Phase::Connecting;
        if !self.left && !self.closed {
            self.actor.leave(&mut self.out);
        }
        self.left = true;
        if self.closed || alone {
            return self.done();
        }
        let awaits = self.actor.awaits_end();
        let most = match awaits {
            true => self.settings.timeout.max(CLOSING),
            false => CLOSING,
        };
        let most = now + self.hurried.unwrap_or(most);
        self.phase = Phase::Leaving(most, if self.settings.stream { most } else { now + SLICE });
        if self.flush(None, now).is_err() {
            self.phase = Phase::Done;
        } else if !awaits {
            self.actions.push_back(Action::Finish);
        }
    }

    /// The peer has ended it as well, or stays silent.
    pub(super) fn done(&mut self) {
        self.actions.push_back(Action::Finish);
        self.phase = Phase::Done;
    }
}
