//! Decides which of the plan's steps can be made now. A step waits for its time by the recording's clock, for the
//! answers on which it depends, and for the events that the protocol needs first. It waits for nothing else from the
//! peer.

use super::expectations::Class;
use super::{Action, Phase, Player, SLICE, unsent_step};
use crate::live::NetError;
use crate::live::replay::actor::Recorded;
use crate::live::replay::plan::Step;
use crate::message::{Channel, OwnedMessage};
use std::time::{Duration, Instant};

/// The shortest wait.
const LEAST: Duration = Duration::from_micros(200);
/// The longest wait for an answer, after an earlier wait was in vain.
const IMPATIENT: Duration = Duration::from_millis(30);
/// The wait for a goodbye, as a multiple of other waits: the peer may first wait for something that does not arrive.
const GOODBYE: u32 = 4;
/// The number of steps that are made before received data is handled.
const STEPS: usize = 64;

impl<'p> Player<'p, '_> {
    /// Makes the steps that can be made now, and sets the time of the next check.
    pub(super) fn advance(&mut self, now: Instant) -> Result<(), NetError> {
        for _ in 0..STEPS {
            let tick = self.actor.tick(now, &mut self.out);
            self.flush(None, now)?;
            if self.phase != Phase::Playing {
                return Ok(());
            }
            self.send_late(now)?;
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
                            // The peer has let us wait: everything that follows is later by as much.
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

    /// Returns the time of a step by the recording's clock.
    fn due(&self, step: usize) -> Instant {
        self.clock + self.place(step)
    }

    /// Returns the time of a step after the recording's beginning; after the last step, the recording's duration.
    pub(super) fn place(&self, step: usize) -> Duration {
        self.schedule.get(step).copied().unwrap_or_default()
    }

    /// Whether the peer has finished, too, once all our steps are done.
    fn is_over(&mut self, now: Instant) -> bool {
        let rested = *self.rested.get_or_insert(now);
        let settled = self.actor.settled(now);
        let outstanding = self.expectations.outstanding(self.plan.expected.len());
        if outstanding.is_none() && settled {
            return true;
        }
        let since = rested.max(self.late.clock(self.clock) + self.place(self.plan.steps.len()));
        // A peer that keeps on sending does not hold us up.
        if now.saturating_duration_since(since) >= self.settings.timeout {
            return true;
        }
        settled && self.is_quiet(outstanding, since, now)
    }

    /// Whether no message of the capture has arrived for so long that no more will.
    fn is_quiet(&self, outstanding: Option<Class>, since: Instant, now: Instant) -> bool {
        let quiet = now.saturating_duration_since(self.last_met.max(since));
        match outstanding {
            None => true,
            Some(Class::Answer) if !self.impatient => quiet >= self.settings.timeout,
            Some(Class::Goodbye) => quiet >= self.settings.linger * GOODBYE,
            Some(_) => quiet >= self.settings.linger,
        }
    }

    /// Continues where the next session begins, after one is over. Returns false if there is none.
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
                self.unsent.extend(late.chain(rest.iter().take(skipped)).map(|step| unsent_step(step, &why)));
                self.next += skipped;
                true
            }
        }
    }

    fn step(&mut self, step: &'p Step, now: Instant) -> Result<Turn, NetError> {
        let since = self.blocked.unwrap_or(now);
        let waited = self.late.waited(since, now);
        let (timeout, frame) = (self.settings.timeout, step.recorded.frame);
        if let Some(missing) = self.expectations.missing(Class::Answer, step.after) {
            if waited < if self.impatient { IMPATIENT } else { timeout } {
                return Ok(Turn::Blocked);
            }
            if !self.impatient
                && let Some(answer) = self.plan.expected.get(missing)
            {
                let about = self.actor.identity(&answer.decoded);
                self.out.remark(format!(
                    "{about} of frame {} did not arrive within {timeout:?}; {} of frame {frame} no longer waits for it",
                    answer.frame,
                    step.name()
                ));
            }
            self.impatient = true;
            self.expectations.give_up();
            return Ok(Turn::GivenUp);
        }
        if self.is_early(step, now) {
            return Ok(Turn::Blocked);
        }
        if self.actor.closes(&step.recorded) {
            // The peer may now send the messages that it sent before the end, as long as they keep on arriving.
            let outstanding = self.expectations.outstanding(step.after);
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
                // The session is left in any case.
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

    /// Handles a step for which the protocol needs an event that did not happen in time: the step is not sent.
    pub(super) fn unanswered(&mut self, step: &Step, what: &str) -> NetError {
        let (name, frame) = (step.name(), step.recorded.frame);
        self.unsent.push(unsent_step(step, &format!("it waits for {what}")));
        let why = format!("no answer within {:?}: {name} of frame {frame} waits for {what}", self.settings.timeout);
        self.error.get_or_insert(why);
        NetError::NoAnswer
    }

    /// Sends a step. A stream has to take its bytes, so the last action that has some is marked with the step.
    pub(super) fn say(&mut self, step: &'p Step, now: Instant) -> Result<(), NetError> {
        let (before, waiting, queued) = (self.unsent.len(), self.out.messages.len(), self.actions.len());
        let recorded = step.recorded.of_client(self.settings.client);
        match self.actor.send(&recorded, now, &mut self.out) {
            Ok(()) if undone(&recorded, self.out.messages.iter().skip(waiting)) => {
                // Nobody asked for this message, so it is not sent.
                for decoded in self.out.messages.drain(waiting..) {
                    self.actor.unsendable(&decoded);
                }
                self.unsent.push(unsent_step(step, "the live session would overwrite the edit"));
            }
            Ok(()) if self.actor.closes(&step.recorded) => {
                self.left = true;
                // Goodbyes that follow the opening of the next session would end that one.
                if self.plan.steps.last().is_some_and(|last| std::ptr::eq(last, step)) {
                    self.hold_goodbyes(now);
                }
            }
            Ok(()) => self.left &= !self.actor.opens(&step.recorded),
            Err(why) => self.unsent.push(unsent_step(step, &why)),
        }
        self.flush(Some(step), now)?;
        if self.unsent.len() == before {
            self.sent += 1;
            let mut sends = self.actions.iter_mut().skip(queued).rev();
            if let Some((_, of)) = sends.find(|(action, _)| matches!(action, Action::Send(Channel::Main, _))) {
                *of = Some(step);
            }
        }
        Ok(())
    }
}

/// Whether a message is edited, and none of the messages about to be sent has the edit.
fn undone<'m>(recorded: &Recorded, mut sent: impl Iterator<Item = &'m OwnedMessage>) -> bool {
    let Recorded { decoded, changed, .. } = recorded;
    let is = |m: &OwnedMessage| m.message == decoded.message && changed.puts.iter().all(|put| put.is_in(m));
    !changed.puts.is_empty() && !sent.any(is)
}

/// The result of a step.
enum Turn {
    Made,
    GivenUp,
    Blocked,
}
