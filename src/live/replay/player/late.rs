//! Messages that an edit delays. Each is sent when its time has come, while the others go on. Everything that depends
//! on one of them waits for it.

use super::{Player, SLICE};
use crate::live::NetError;
use crate::live::replay::plan::Step;
use std::time::{Duration, Instant};

/// The steps that wait for the end of their delay.
#[derive(Debug, Default)]
pub struct Late {
    /// The time at which each is sent, and its number in the plan.
    waiting: Vec<(Instant, usize)>,
    /// The time when the last one was sent.
    last_sent: Option<Instant>,
    /// The recording's beginning, moved so that everything after a delayed message still follows it.
    clock: Option<Instant>,
}

impl Late {
    /// Whether no step waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a step that is sent at this time.
    pub fn hold(&mut self, at: Instant, step: usize) {
        let after = self.waiting.partition_point(|(due, _)| *due <= at);
        self.waiting.insert(after, (at, step));
    }

    /// Returns the time of the next check.
    pub fn wake(&self, now: Instant) -> Option<Instant> {
        // A step that is due and was not sent waits for the peer.
        self.waiting.first().map(|(at, _)| if *at <= now { now + SLICE } else { *at })
    }

    /// Returns the time for which the peer has let us wait since then. While a delayed message waits, that is zero: the
    /// peer may be waiting for it.
    pub fn waited(&self, since: Instant, now: Instant) -> Duration {
        match self.is_empty() {
            true => now.saturating_duration_since(self.last_sent.map_or(since, |at| at.max(since))),
            false => Duration::ZERO,
        }
    }

    /// Returns the recording's beginning, by its clock or by delayed messages. It sets the time of goodbye and end.
    pub fn clock(&self, clock: Instant) -> Instant {
        self.clock.map_or(clock, |late| late.max(clock))
    }

    /// Removes the steps that will not be sent, and returns their numbers.
    pub fn abandon(&mut self) -> impl Iterator<Item = usize> + use<> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, step)| step)
    }
}

impl Player<'_, '_> {
    /// Sends the delayed messages that are due.
    pub(super) fn send_late(&mut self, now: Instant) -> Result<(), NetError> {
        let due = self.late.waiting.partition_point(|(at, _)| *at <= now);
        let due: Vec<(Instant, usize)> = self.late.waiting.drain(..due).collect();
        for (at, number) in due {
            let plan = self.plan;
            let Some(step) = plan.steps.get(number) else { continue };
            match self.actor.waits(&step.recorded, now) {
                Some(what) if now.saturating_duration_since(at) >= self.settings.timeout => {
                    return Err(self.unanswered(step, what));
                }
                Some(_) => self.late.hold(at, number),
                None => {
                    let clock = now.checked_sub(self.place(number)).map(|clock| self.late.clock(clock));
                    (self.late.last_sent, self.late.clock) = (Some(now), clock);
                    self.say(step, now)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a delayed message begins the session. Nothing can be sent before it.
    pub(super) fn opens_late(&self) -> bool {
        let steps = self.late.waiting.iter().filter_map(|(_, number)| self.plan.steps.get(*number));
        steps.into_iter().any(|step| self.actor.opens(&step.recorded))
    }

    /// Whether the next step has to wait for delayed messages: the session's end, and the beginning of the next
    /// session, follow the whole session.
    pub(super) fn is_early(&self, step: &Step, now: Instant) -> bool {
        let (opens, closes) = (self.actor.opens(&step.recorded), self.actor.closes(&step.recorded));
        let late = || now < self.late.clock(self.clock) + self.place(self.next);
        !self.late.is_empty() && (opens || closes || self.opens_late()) || closes && late()
    }
}
