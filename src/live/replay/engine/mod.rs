//! The loop: says the plan's messages in time, listens, lets the actor answer, and leaves.

mod leave;
mod met;
mod peer;
mod settings;

pub use peer::Peer;
pub use settings::{Pace, Progress, Settings};

use super::compare::compare;
use super::plan::{Plan, Step, Unsaid};
use super::recording::between;
use super::report::Report;
use crate::live::OwnedMessage;
use crate::live::net::Trouble;
use crate::live::replay::actor::{Actor, Heed, Outbox};
use met::Met;
use std::time::{Duration, Instant};

/// The longest wait without looking around.
const SLICE: Duration = Duration::from_millis(10);
/// How long an answer is waited for that may have been lost.
const UNSURE: Duration = Duration::from_millis(30);
/// How long the peer must be silent at the end, while messages of its are missing that may be lost:
/// it may wait itself for some of ours that are, one after the other.
const LAST: Duration = Duration::from_millis(500);
/// How many of the peer's messages are kept for the comparison.
const KEPT: usize = 1 << 20;

/// One session.
struct Playing<'p> {
    plan: &'p Plan,
    actor: &'p mut dyn Actor,
    peer: &'p mut dyn Peer,
    settings: &'p Settings,
    out: Outbox,
    heard: Vec<OwnedMessage>,
    met: Met,
    /// The next step.
    next: usize,
    said: u64,
    unsaid: Vec<Unsaid>,
    trouble: Option<String>,
    left: bool,
    closed: bool,
    /// The peer has let us wait in vain: from now on it is waited for but shortly, until it is in
    /// step again.
    impatient: bool,
    last_heard: Instant,
}

/// Plays a plan to a peer.
pub fn play(
    plan: &Plan,
    actor: &mut dyn Actor,
    peer: &mut dyn Peer,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress),
) -> Report {
    let begin = Instant::now();
    let met = Met::new(actor, &plan.expected);
    let mut playing = Playing {
        plan,
        actor,
        peer,
        settings,
        out: Outbox::default(),
        heard: Vec::new(),
        met,
        next: 0,
        said: 0,
        unsaid: Vec::new(),
        trouble: None,
        left: false,
        closed: false,
        impatient: false,
        last_heard: begin,
    };
    if let Err(trouble) = playing.run(begin, progress) {
        playing.fail(trouble);
    }
    playing.leave();
    let Playing { out, heard, said, mut unsaid, trouble, next, .. } = playing;
    for step in plan.steps.get(next..).unwrap_or_default() {
        unsaid.push(unsaid_step(step, trouble.as_deref().unwrap_or("the session was over")));
    }
    let divergences = compare(actor, &plan.expected, &heard);
    Report {
        steps: plan.steps.len() as u64,
        said,
        expected: plan.expected.len() as u64,
        heard: heard.len() as u64,
        unsaid,
        refused: plan.refused.clone(),
        live: plan.live.clone(),
        dropped: plan.dropped,
        unknown: plan.unknown,
        counts: out.counts,
        remarks: out.remarks,
        ended: actor.over(),
        trouble,
        divergences,
        took: begin.elapsed(),
    }
}

fn unsaid_step(step: &Step, why: &str) -> Unsaid {
    let said = &step.recorded.said;
    Unsaid { frame: step.recorded.frame, message: format!("{}.{}", said.proto, said.message), why: why.into() }
}

impl Playing<'_> {
    fn fail(&mut self, trouble: Trouble) {
        match trouble {
            // The peer has ended the stream: no trouble where nothing is left to be said.
            Trouble::Closed { .. } if self.next >= self.plan.steps.len() => self.closed = true,
            // Who has left closes the socket: what was still under way meets nobody.
            Trouble::Refused if self.left || self.actor.over().is_some() => {}
            Trouble::Closed { .. } if self.actor.over().is_some() => self.closed = true,
            other => {
                self.closed |= matches!(other, Trouble::Closed { .. });
                self.trouble.get_or_insert(other.to_string());
            }
        }
    }

    fn progress(&self) -> Progress {
        let (said, all) = (self.next, self.plan.steps.len());
        Progress { said, all, heard: self.heard.len(), expected: self.plan.expected.len() }
    }

    fn run(&mut self, begin: Instant, progress: &mut dyn FnMut(&Progress)) -> Result<(), Trouble> {
        if self.settings.beside {
            self.out.beside = Some(self.peer.open_beside()?);
        }
        self.actor.begin(begin, &mut self.out);
        let mut due = begin;
        let mut blocked: Option<Instant> = None;
        let mut rested: Option<Instant> = None;
        loop {
            let now = Instant::now();
            let tick = self.actor.tick(now, &mut self.out);
            self.flush(false)?;
            progress(&self.progress());
            if self.settings.stop.is_set() {
                return Err(Trouble::Interrupted);
            }
            let plan = self.plan;
            let mut wait = tick.map_or(SLICE, |at| at.saturating_duration_since(now).min(SLICE));
            if self.actor.over().is_some() && !self.reopens() {
                return Ok(());
            }
            match plan.steps.get(self.next) {
                Some(step) if now < due => {
                    let _ = step;
                    wait = wait.min(due.saturating_duration_since(now));
                }
                Some(step) => match self.step(step, now, blocked)? {
                    Turn::Sent => {
                        blocked = None;
                        self.next += 1;
                        let following = plan.steps.get(self.next);
                        let gap = following.map_or(Duration::ZERO, |f| between(&step.recorded, &f.recorded));
                        due = now + self.settings.pace.pause(gap);
                        continue;
                    }
                    Turn::GivenUp => {
                        blocked = None;
                        continue;
                    }
                    Turn::Blocked => {
                        blocked.get_or_insert(now);
                    }
                },
                None => {
                    // All is said: now the peer may finish what it has to say.
                    let complete = self.actor.settled(now) && self.met.met(plan.expected.len()).is_ok();
                    let quiet = now.saturating_duration_since(self.last_heard.max(*rested.get_or_insert(now)));
                    let patience = match (self.impatient, self.met.awaits()) {
                        (false, true) => self.settings.timeout,
                        (false, false) => LAST,
                        _ => UNSURE * 4,
                    };
                    if complete || self.actor.settled(now) && quiet >= patience {
                        return Ok(());
                    }
                }
            }
            self.listen(wait.max(Duration::from_micros(200)))?;
        }
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

    fn step(&mut self, step: &Step, now: Instant, blocked: Option<Instant>) -> Result<Turn, Trouble> {
        let waited = blocked.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
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
            self.trouble.get_or_insert(format!(
                "{why}: {}.{} of frame {} waits",
                said.proto, said.message, step.recorded.frame
            ));
            self.next += 1;
            return match self.actor.closes(&step.recorded) {
                // Leaving is done in any case.
                true => Ok(Turn::GivenUp),
                false => Err(Trouble::NoAnswer),
            };
        }
        match self.actor.say(&step.recorded, now, &mut self.out) {
            Ok(()) => {
                self.said += 1;
                self.left |= self.actor.closes(&step.recorded);
            }
            Err(why) => self.unsaid.push(unsaid_step(step, &why)),
        }
        self.flush(step.recorded.said.fault.is_some() || self.settings.allow_dangerous)?;
        Ok(Turn::Sent)
    }

    /// Says what the actor wants said.
    fn flush(&mut self, dangerous: bool) -> Result<(), Trouble> {
        if std::mem::take(&mut self.out.reconnect) {
            self.peer.reconnect()?;
        }
        while let Some(said) = self.out.say.pop_front() {
            match self.peer.say(&said, dangerous && self.settings.allow_dangerous) {
                Ok(()) => {}
                Err(trouble @ (Trouble::Gate(_) | Trouble::Encode(_))) => {
                    self.out.remark(format!("{}.{}: {trouble}", said.proto, said.message));
                    self.unsaid.push(Unsaid {
                        frame: 0,
                        message: format!("{}.{}", said.proto, said.message),
                        why: trouble.to_string(),
                    });
                }
                Err(Trouble::Refused) if self.left => {}
                Err(trouble) => return Err(trouble),
            }
        }
        if let Some(port) = self.out.connect.take() {
            self.peer.connect_beside(port)?;
        }
        Ok(())
    }

    /// Takes in what has come.
    fn listen(&mut self, wait: Duration) -> Result<(), Trouble> {
        let mut wait = wait;
        loop {
            let heard = match self.peer.hear(wait) {
                Ok(Some(said)) => said,
                Ok(None) => return Ok(()),
                Err(Trouble::Refused) if self.left => return Ok(()),
                Err(trouble) => return Err(trouble),
            };
            wait = Duration::ZERO;
            let now = Instant::now();
            if self.actor.heard(&heard, now, &mut self.out) == Heed::New {
                self.last_heard = now;
                self.met.heard(self.actor, &heard);
                if self.heard.len() < KEPT {
                    self.heard.push(heard);
                }
            }
            self.flush(false)?;
        }
    }
}

enum Turn {
    Sent,
    GivenUp,
    Blocked,
}
