//! Which of the plan's steps can be made now, and what they wait for.

use super::{Phase, Player, SLICE, unsaid_step};
use crate::live::replay::actor::Recorded;
use crate::live::replay::plan::{Step, Unsaid};
use crate::live::replay::recording::between;
use crate::live::{NetError, OwnedMessage};
use std::time::{Duration, Instant};

/// The shortest.
const LEAST: Duration = Duration::from_micros(200);
/// How long an answer is waited for that may have been lost.
const UNSURE: Duration = Duration::from_millis(30);
/// How long the peer must be silent at the end, while messages of its are missing that may be lost:
/// it may wait itself for some of ours that are, one after the other.
const LAST: Duration = Duration::from_millis(500);
/// So many steps are made before what came is looked at.
const STEPS: usize = 64;

impl Player<'_, '_> {
    /// Makes the steps that can be made now, and finds out when to look again.
    pub(super) fn advance(&mut self, now: Instant) -> Result<(), NetError> {
        for _ in 0..STEPS {
            let tick = self.actor.tick(now, &mut self.out);
            self.flush(false, now)?;
            if self.phase != Phase::Playing {
                return Ok(());
            }
            self.wake = tick.map_or(now + SLICE, |at| at.min(now + SLICE));
            if self.actor.over().is_some() && !self.reopens() {
                self.leave(now);
                return Ok(());
            }
            let plan = self.plan;
            match plan.steps.get(self.next) {
                Some(_) if now < self.due => self.wake = tick.map_or(self.due, |at| at.min(self.due)),
                Some(step) => match self.step(step, now)? {
                    Turn::Sent => {
                        self.blocked = None;
                        self.next += 1;
                        let following = plan.steps.get(self.next);
                        let gap = following.map_or(Duration::ZERO, |f| between(&step.recorded, &f.recorded));
                        self.due = now + self.settings.pace.pause(gap);
                        continue;
                    }
                    Turn::GivenUp => {
                        self.blocked = None;
                        continue;
                    }
                    Turn::Blocked => _ = self.blocked.get_or_insert(now),
                },
                None if self.is_over(now) => {
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

    /// All is said: has the peer finished what it has to say?
    fn is_over(&mut self, now: Instant) -> bool {
        let complete = self.actor.settled(now) && self.met.met(self.plan.expected.len()).is_ok();
        let quiet = now.saturating_duration_since(self.last_heard.max(*self.rested.get_or_insert(now)));
        let patience = match (self.impatient, self.met.awaits()) {
            (false, true) => self.settings.timeout,
            (false, false) => LAST,
            _ => UNSURE * 4,
        };
        complete || self.actor.settled(now) && quiet >= patience
    }

    /// After the session's end: goes on where the next one begins. `false`: there is none.
    fn reopens(&mut self) -> bool {
        let rest = self.plan.steps.get(self.next..).unwrap_or_default();
        let why = self.actor.over().unwrap_or_default();
        match rest.iter().position(|step| self.actor.opens(&step.recorded)) {
            None => false,
            Some(skipped) => {
                let skipped: Vec<Unsaid> = rest.iter().take(skipped).map(|s| unsaid_step(s, &why)).collect();
                self.next += skipped.len();
                self.unsaid.extend(skipped);
                true
            }
        }
    }

    fn step(&mut self, step: &Step, now: Instant) -> Result<Turn, NetError> {
        let waited = self.blocked.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        if let Err(sure) = self.met.met(step.after) {
            let most = match (sure, self.impatient) {
                (true, false) => self.settings.timeout,
                _ => UNSURE,
            };
            if waited < most {
                return Ok(Turn::Blocked);
            }
            self.impatient |= sure;
            self.met.give_up();
            return Ok(Turn::GivenUp);
        }
        if !self.actor.ready(&step.recorded, now) {
            if waited < self.settings.timeout {
                return Ok(Turn::Blocked);
            }
            let said = &step.recorded.said;
            let why = format!("the peer did not answer within {:?}", self.settings.timeout);
            self.unsaid.push(unsaid_step(step, &why));
            self.error.get_or_insert(format!(
                "{why}: {}.{} of frame {} waits",
                said.proto, said.message, step.recorded.frame
            ));
            self.next += 1;
            return match self.actor.closes(&step.recorded) {
                // Leaving is done in any case.
                true => Ok(Turn::GivenUp),
                false => Err(NetError::NoAnswer),
            };
        }
        let before = self.out.say.len();
        match self.actor.send(&step.recorded, now, &mut self.out) {
            Ok(()) if undone(step, self.out.say.iter().skip(before)) => {
                // Nobody wrote that: it is not sent.
                self.out.say.truncate(before);
                self.unsaid.push(unsaid_step(step, "the live session would undo the edit"));
            }
            Ok(()) => {
                self.said += 1;
                self.left |= self.actor.closes(&step.recorded);
            }
            Err(why) => self.unsaid.push(unsaid_step(step, &why)),
        }
        self.flush(step.recorded.said.fault.is_some() || self.settings.allow_dangerous, now)?;
        Ok(Turn::Sent)
    }
}

/// Is a message edited, and none of those that are about to be sent as it was edited?
fn undone<'m>(step: &Step, mut sent: impl Iterator<Item = &'m OwnedMessage>) -> bool {
    let Recorded { said, changed, .. } = &step.recorded;
    let is = |m: &OwnedMessage| m.message == said.message && changed.puts.iter().all(|put| put.is_in(&m.fields));
    !changed.puts.is_empty() && !sent.any(is)
}

/// What became of a step.
enum Turn {
    Sent,
    GivenUp,
    Blocked,
}
