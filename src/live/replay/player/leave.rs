//! The end of a session, whatever has happened: goodbye, and the end of a stream.

use super::{Action, Phase, Player, SLICE};
use crate::live::NetError;
use crate::live::net::cancel::LEAVING;
use crate::message::OwnedMessage;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The pause between two transmissions of a goodbye: longer than a server's tick.
const BETWEEN: Duration = Duration::from_millis(100);

/// Returns the pause of this client. When many leave at once, a server without room for their datagrams loses all that
/// arrive in the same moment, so their repetitions are spread.
fn pause(client: u32) -> Duration {
    BETWEEN + Duration::from_millis(u64::from(client.saturating_sub(1) % 64))
}

/// The transmissions of a goodbye after the first one. Goodbyes are not acknowledged, so one is sent several times,
/// unless the peer leaves as well.
#[derive(Debug, Default)]
pub struct Goodbyes {
    rest: VecDeque<OwnedMessage>,
    at: Option<Instant>,
    pause: Duration,
}

impl Goodbyes {
    /// Takes all transmissions but the first, for later.
    fn hold(&mut self, messages: &mut VecDeque<OwnedMessage>, pause: Duration, now: Instant) {
        self.pause = pause;
        while let [.., before, last] = messages.make_contiguous()
            && before.message == last.message
        {
            self.rest.extend(messages.pop_back());
            self.at = Some(now + pause);
        }
    }

    /// Returns the time of the next transmission.
    pub fn wake(&self) -> Option<Instant> {
        self.at
    }

    /// Returns the transmission that is due.
    fn poll(&mut self, now: Instant) -> Option<OwnedMessage> {
        let due = self.at.is_some_and(|at| at <= now);
        let goodbye = if due { self.rest.pop_front() } else { None };
        if due {
            self.at = (!self.rest.is_empty()).then_some(now + self.pause);
        }
        goodbye
    }

    /// Sends no more: the peer has left, or nobody is there.
    pub fn clear(&mut self) {
        *self = Goodbyes::default();
    }
}

/// The longest time for the peer to close a connection that we have left.
const CLOSING: Duration = Duration::from_secs(2);

impl Player<'_, '_> {
    /// Stops the session at the user's request.
    pub fn cancel(&mut self, now: Instant) {
        self.stop(NetError::Interrupted, now);
    }

    /// Stops the session and leaves the peer, within `CLOSING`, or within `LEAVING` if a user waits.
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

    /// Says goodbye, if that was not done, and waits for the end of a stream.
    pub(super) fn leave(&mut self, now: Instant) {
        // While a new connection is being made, there is nobody to leave.
        let alone = self.phase == Phase::Connecting;
        if !self.left {
            let live = self.out.counts.live;
            self.actor.leave(&mut self.out);
            if self.closed {
                // No goodbye arrives any more. What still waits for its acknowledgement has been counted.
                self.out.messages.clear();
                self.out.counts.live = live;
            } else {
                self.mute = self.out.messages.is_empty();
                self.hold_goodbyes(now);
            }
        }
        self.left = true;
        if self.closed || alone {
            return self.done();
        }
        let awaits = self.actor.awaits_end();
        let most = now + self.hurried.or(awaits).unwrap_or(CLOSING);
        self.phase = Phase::Leaving(most, if self.settings.stream { most } else { now + SLICE });
        if self.flush(None, now).is_err() {
            self.phase = Phase::Done;
        } else if awaits.is_none() {
            self.finish();
        }
    }

    /// Closes our direction of the stream, once.
    fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            self.actions.push_back((Action::Finish, None));
        }
    }

    /// Keeps the repetitions of a goodbye for later. A stream delivers the first one.
    pub(super) fn hold_goodbyes(&mut self, now: Instant) {
        if !self.settings.stream {
            self.goodbyes.hold(&mut self.out.messages, pause(self.settings.client), now);
        }
    }

    /// Says goodbye again, if that is due.
    pub(super) fn repeat_goodbye(&mut self, now: Instant) {
        if let Some(goodbye) = self.goodbyes.poll(now) {
            match self.channels.send(&goodbye, false, now) {
                Ok(()) => self.transmit(),
                Err(_) => self.goodbyes.clear(),
            }
        }
    }

    /// Ends the session: the peer has ended it as well, or stays silent.
    pub(super) fn done(&mut self) {
        self.finish();
        self.goodbyes.clear();
        self.phase = Phase::Done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(names: &[&'static str]) -> VecDeque<OwnedMessage> {
        names.iter().map(|message| OwnedMessage { message, ..OwnedMessage::default() }).collect()
    }

    #[test]
    fn goodbyes_are_repeated_with_pauses() {
        let start = Instant::now();
        let mut goodbyes = Goodbyes::default();
        assert!(goodbyes.wake().is_none() && goodbyes.poll(start).is_none());
        let mut waiting = messages(&["ack", "ack", "close", "close", "close"]);
        goodbyes.hold(&mut waiting, BETWEEN, start);
        assert_eq!(waiting.iter().map(|m| m.message).collect::<Vec<_>>(), ["ack", "ack", "close"]);
        for n in 1..=2 {
            let due = start + BETWEEN * n;
            assert_eq!(goodbyes.wake(), Some(due));
            assert!(goodbyes.poll(due - Duration::from_millis(1)).is_none());
            assert_eq!(goodbyes.poll(due).map(|m| m.message), Some("close"));
            assert!(goodbyes.poll(due).is_none());
        }
        assert_eq!(goodbyes.wake(), None);
        goodbyes.hold(&mut messages(&["close", "close"]), BETWEEN, start);
        goodbyes.clear();
        assert!(goodbyes.wake().is_none() && goodbyes.poll(start + BETWEEN).is_none(), "the peer has left as well");
    }
    /// The repetitions of many clients that leave in the same moment are spread over time; those of one are not late.
    #[test]
    fn many_clients_repeat_their_goodbyes_at_different_times() {
        let pauses: std::collections::BTreeSet<Duration> = (1..=100).map(pause).collect();
        assert_eq!((pauses.len(), pauses.first().copied()), (64, Some(BETWEEN)));
        assert_eq!(pause(1), BETWEEN);
        assert!(pauses.last().is_some_and(|last| *last < 2 * BETWEEN));
    }
}
