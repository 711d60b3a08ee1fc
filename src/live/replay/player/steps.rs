//! Which of the plan's steps can be made now, and what they wait for: their time by the recording's
//! clock, the answers on which they rest, and what the protocol needs first. Nothing else of the
//! peer is waited for.

use super::expectations::Class;
use super::{Phase, Player, SLICE, unsaid_step};
use crate::live::NetError;
use crate::live::replay::actor::Recorded;
use crate::live::replay::plan::Step;
use crate::message::OwnedMessage;
use std::time::{Duration, Instant};

/// The shortest.
const LEAST: Duration = Duration::from_micros(200);
/// How long an answer is waited for by one who has waited in vain.
const IMPATIENT: Duration = Duration::from_millis(30);
/// So many times as long a goodbye is waited for: who says it may wait first for what does not come.
const GOODBYE: u32 = 4;
/// So many steps are made before what came is looked at.
const STEPS: usize = 64;

impl Player<'_, '_> {
    /// Makes the steps that can be made now, and finds out when to look again.
    pub(super) fn advance(&mut self, now: Instant) -> Result<(), NetError> {
        for _ in 0..STEPS {
            let tick = self.actor.tick(now, &mut self.out);
            self.flush(None, now)?;
            if self.phase != Phase::Playing {
                return Ok(());
            }
            self.say_late(now)?;
            let soon = tick.into_iter().chain(self.late.wake(now)).min();
            self.wake = soon.map_or(now + SLICE, |at| at.min(now + SLICE));
            if self.actor.over().is_some() && !self.reopens() {
                self.leave(now);
                return Ok(());
            }
            let (plan, due) = (self.plan, self.due(self.next));
            match plan.steps.get(self.next) {
                Some(_) if now < due => self.wake = soon.map_or(due, |at| at.min(due)),
                Some(step) => match self.step(step, now)? {
                    Turn::Made => {
                        if self.blocked.take().is_some() {
                            // The peer has let us wait: all that follows is later by as much.
                            self.clock += now.saturating_duration_since(due);
                        }
                        self.next += 1;
                        continue;
                    }
                    Turn::GivenUp => continue,
                    Turn::Blocked => _ = self.blocked.get_or_insert(now),
                },
                None if self.late.is_empty() && self.is_over(now) => {
                    self.leave(now);
                    return Ok(());
                }
                None => {}
            }
            self.wake = self.wake.max(now + LEAST);
            return Ok(());
        }
        self.wake = now;
        Ok(())
    }

    /// When a step is made by the recording's clock.
    fn due(&self, step: usize) -> Instant {
        self.clock + self.place(step)
    }

    /// How long after its beginning the recording has a step; behind the last one: how long it is.
    pub(super) fn place(&self, step: usize) -> Duration {
        self.schedule.get(step).copied().unwrap_or_default()
    }

    /// All is said: has the peer finished what it has to say?
    fn is_over(&mut self, now: Instant) -> bool {
        let rested = *self.rested.get_or_insert(now);
        let settled = self.actor.settled(now);
        let outstanding = self.met.outstanding(self.plan.expected.len());
        if outstanding.is_none() && settled {
            return true;
        }
        let since = rested.max(self.late.clock(self.clock) + self.place(self.plan.steps.len()));
        // Whoever keeps talking does not keep us.
        if now.saturating_duration_since(since) >= self.settings.timeout {
            return true;
        }
        settled && self.is_quiet(outstanding, since, now)
    }

    /// Has nothing come that the capture has, for so long that no more will?
    fn is_quiet(&self, outstanding: Option<Class>, since: Instant, now: Instant) -> bool {
        let quiet = now.saturating_duration_since(self.last_met.max(since));
        match outstanding {
            None => true,
            Some(Class::Answer) if !self.impatient => quiet >= self.settings.timeout,
            Some(Class::Goodbye) => quiet >= self.settings.linger * GOODBYE,
            Some(_) => quiet >= self.settings.linger,
        }
    }

    /// After the session's end: goes on where the next one begins. `false`: there is none.
    fn reopens(&mut self) -> bool {
        if self.opens_late() {
            return true;
        }
        let rest = self.plan.steps.get(self.next..).unwrap_or_default();
        let why = self.actor.over().unwrap_or_default();
        match rest.iter().position(|step| self.actor.opens(&step.recorded)) {
            None => false,
            Some(skipped) => {
                let late = self.late.abandon().filter_map(|number| self.plan.steps.get(number));
                self.unsaid.extend(late.chain(rest.iter().take(skipped)).map(|step| unsaid_step(step, &why)));
                self.next += skipped;
                true
            }
        }
    }

    fn step(&mut self, step: &Step, now: Instant) -> Result<Turn, NetError> {
        let since = self.blocked.unwrap_or(now);
        let waited = self.late.waited(since, now);
        let (timeout, frame) = (self.settings.timeout, step.recorded.frame);
        if let Some(missing) = self.met.missing(Class::Answer, step.after) {
            if waited < if self.impatient { IMPATIENT } else { timeout } {
                return Ok(Turn::Blocked);
            }
            if !self.impatient
                && let Some(answer) = self.plan.expected.get(missing)
            {
                let about = self.actor.identity(&answer.said);
                self.out.remark(format!(
                    "{about} of frame {} did not come within {timeout:?}: {} of frame {frame} waited for it",
                    answer.frame,
                    step.name()
                ));
            }
            self.impatient = true;
            self.met.give_up();
            return Ok(Turn::GivenUp);
        }
        if self.is_early(step, now) {
            return Ok(Turn::Blocked);
        }
        if self.actor.closes(&step.recorded) {
            // What the peer said before the end it may say now, as long as it goes on saying it.
            let outstanding = self.met.outstanding(step.after);
            if waited < timeout && !self.is_quiet(outstanding, since, now) {
                return Ok(Turn::Blocked);
            }
        }
        if let Some(what) = self.actor.waits(&step.recorded, now) {
            if waited < timeout {
                return Ok(Turn::Blocked);
            }
            let error = self.unanswered(step, what);
            self.next += 1;
            return match self.actor.closes(&step.recorded) {
                // Leaving is done in any case.
                true => Ok(Turn::GivenUp),
                false => Err(error),
            };
        }
        match step.recorded.changed.delay {
            Duration::ZERO => self.say(step, now)?,
            delay => self.late.hold(now + delay, self.next),
        }
        Ok(Turn::Made)
    }

    /// What the protocol needs before a step has not come in time: it is not said.
    pub(super) fn unanswered(&mut self, step: &Step, what: &str) -> NetError {
        let (name, frame) = (step.name(), step.recorded.frame);
        self.unsaid.push(unsaid_step(step, &format!("it waits for {what}")));
        let why = format!("no answer within {:?}: {name} of frame {frame} waits for {what}", self.settings.timeout);
        self.error.get_or_insert(why);
        NetError::NoAnswer
    }

    /// Says a step.
    pub(super) fn say(&mut self, step: &Step, now: Instant) -> Result<(), NetError> {
        let (before, waiting) = (self.unsaid.len(), self.out.say.len());
        match self.actor.send(&step.recorded, now, &mut self.out) {
            Ok(()) if undone(step, self.out.say.iter().skip(waiting)) => {
                // Nobody wrote that: it is not sent.
                for said in self.out.say.drain(waiting..) {
                    self.actor.unsendable(&said);
                }
                self.unsaid.push(unsaid_step(step, "the live session would undo the edit"));
            }
            Ok(()) => self.left |= self.actor.closes(&step.recorded),
            Err(why) => self.unsaid.push(unsaid_step(step, &why)),
        }
        self.flush(Some(step), now)?;
        self.said += (self.unsaid.len() == before) as u64;
        Ok(())
    }
}

/// Is a message edited, and none of those that are about to be sent as it was edited?
fn undone<'m>(step: &Step, mut sent: impl Iterator<Item = &'m OwnedMessage>) -> bool {
    let Recorded { said, changed, .. } = &step.recorded;
    let is = |m: &OwnedMessage| m.message == said.message && changed.puts.iter().all(|put| put.is_in(m));
    !changed.puts.is_empty() && !sent.any(is)
}

/// What became of a step.
enum Turn {
    Made,
    GivenUp,
    Blocked,
}
