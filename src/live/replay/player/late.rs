//! Messages that an edit delays: each is said when its time has come, while the others go on. What
//! rests on one of them waits for as long as that takes.

use super::{Player, SLICE};
use crate::live::NetError;
use crate::live::replay::plan::Step;
use std::time::{Duration, Instant};

/// The steps that wait for the end of their delay.
#[derive(Debug, Default)]
pub struct Late {
    /// When each is said, and its number in the plan.
    waiting: Vec<(Instant, usize)>,
    /// When the last one was said.
    said: Option<Instant>,
    /// When the recording would have begun by that: what followed a message follows it still.
    clock: Option<Instant>,
}

impl Late {
    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// A step is said after its delay.
    pub fn hold(&mut self, at: Instant, step: usize) {
        let behind = self.waiting.partition_point(|(due, _)| *due <= at);
        self.waiting.insert(behind, (at, step));
    }

    /// When to look at them again.
    pub fn wake(&self, now: Instant) -> Option<Instant> {
        // One that is due and was not said waits for the peer.
        self.waiting.first().map(|(at, _)| if *at <= now { now + SLICE } else { *at })
    }

    /// How long the peer has let us wait since then: as long as a delayed message is still to be
    /// said, that may be what it waits for.
    pub fn waited(&self, since: Instant, now: Instant) -> Duration {
        match self.is_empty() {
            true => now.saturating_duration_since(self.said.map_or(since, |said| said.max(since))),
            false => Duration::ZERO,
        }
    }

    /// When the recording has begun, by its clock or by what was said late: what goodbye and end go by.
    pub fn clock(&self, clock: Instant) -> Instant {
        self.clock.map_or(clock, |late| late.max(clock))
    }

    /// The steps that will not be said, by their numbers.
    pub fn abandon(&mut self) -> impl Iterator<Item = usize> + use<> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, step)| step)
    }
}

impl Player<'_, '_> {
    /// Says the delayed messages whose time has come.
    pub(super) fn say_late(&mut self, now: Instant) -> Result<(), NetError> {
        let due = self.late.waiting.partition_point(|(at, _)| *at <= now);
        let due: Vec<(Instant, usize)> = self.late.waiting.drain(..due).collect();
        for (at, number) in due {
            let Some(step) = self.plan.steps.get(number) else { continue };
            match self.actor.waits(&step.recorded, now) {
                Some(what) if now.saturating_duration_since(at) >= self.settings.timeout => {
                    return Err(self.unanswered(step, what));
                }
                Some(_) => self.late.hold(at, number),
                None => {
                    let clock = now.checked_sub(self.place(number)).map(|clock| self.late.clock(clock));
                    (self.late.said, self.late.clock) = (Some(now), clock);
                    self.say(step, now)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a delayed message begins the session: nothing can be said before it.
    pub(super) fn opens_late(&self) -> bool {
        let steps = self.late.waiting.iter().filter_map(|(_, number)| self.plan.steps.get(*number));
        steps.into_iter().any(|step| self.actor.opens(&step.recorded))
    }

    /// Whether the next step is out of place while delayed messages are to be said: the session's end,
    /// and what begins the next one, come after all of the session.
    pub(super) fn is_early(&self, step: &Step, now: Instant) -> bool {
        let (opens, closes) = (self.actor.opens(&step.recorded), self.actor.closes(&step.recorded));
        let late = || now < self.late.clock(self.clock) + self.place(self.next);
        !self.late.is_empty() && (opens || closes || self.opens_late()) || closes && late()
    }
}
