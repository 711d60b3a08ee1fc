//! Messages that wait for the user, between the relay and the screen.
//!
//! The relay adds a message that matches, and the screen lists it, changes it, passes it or drops it. Both hold the lock
//! for the time of a few assignments only: the relay never waits for the screen.

use super::datagram_ports::PortField;
use crate::dissect::{Message, Target};
use crate::filter::Filter;
use crate::live::rules::Assignment;
use crate::message::OwnedMessage;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of messages whose outcome is remembered.
const OUTCOMES: usize = 4096;

/// The decision about a message.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// It passes, with these changes.
    Pass(Vec<Assignment>),
    /// It is left out.
    Drop,
}

/// A message that has waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waited {
    /// Its number among all that have waited.
    pub id: u64,
    /// Its place among the messages.
    pub target: Target,
}

/// A message that waits for the user.
pub(super) struct Waits {
    pub id: u64,
    pub decoded: OwnedMessage,
    /// The changes by rules, before the user's.
    pub edits: Vec<Assignment>,
    /// The field that names a port.
    pub named: Option<PortField>,
    pub bytes: Vec<u8>,
}

/// The outcome of a message that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldOutcome {
    /// It passed as it was.
    Passed,
    /// It passed with changes.
    Edited,
    /// It was left out.
    Dropped,
    /// Nobody decided in time, and it passed as it was.
    Late,
    /// It passed as it was, because its frame cannot be written otherwise.
    Refused,
    /// Its connection ended before the decision.
    Gone,
}

/// A message that waits.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// Its number among all that have waited.
    pub id: u64,
    /// Its place among the messages.
    pub target: Target,
    /// Its protocol and name.
    pub kind: (&'static str, &'static str),
    /// The time when it passes, if nobody decides.
    pub until: Instant,
    /// The reason why the last changes could not be made.
    pub failed: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    filter: Option<(String, Arc<Filter>)>,
    /// Whether messages were ever to wait.
    begun: bool,
    number: u64,
    held: Vec<Held>,
    choices: Vec<(u64, Choice)>,
    outcomes: BTreeMap<(u64, u32), HeldOutcome>,
    /// Messages that matched while as many waited as may.
    full: u64,
    /// The reason of the last refusal.
    refused: Option<String>,
}

/// The messages that wait for the user.
pub struct Holds {
    state: Mutex<State>,
    most: usize,
    time: Duration,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holds").field("most", &self.most).field("time", &self.time).finish_non_exhaustive()
    }
}

impl Holds {
    /// Creates an empty list of at most `most` messages, which wait at most `time` each. `wake` is called
    /// when there is something to see.
    pub fn new(most: usize, time: Duration, wake: impl Fn() + Send + Sync + 'static) -> Holds {
        Holds { state: Mutex::default(), most, time, wake: Box::new(wake) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Selects the messages that wait from now on; `None`: none.
    pub fn hold(&self, filter: Option<(String, Filter)>) {
        let mut state = self.state();
        state.begun |= filter.is_some();
        state.filter = filter.map(|(text, filter)| (text, Arc::new(filter)));
    }

    /// The expression of the messages that wait.
    pub fn expression(&self) -> Option<String> {
        self.state().filter.as_ref().map(|(text, _)| text.clone())
    }

    /// The messages that wait, in the order in which they arrived.
    pub(crate) fn list(&self) -> Vec<Held> {
        self.state().held.clone()
    }

    /// Whether some message waits.
    pub fn any(&self) -> bool {
        !self.state().held.is_empty()
    }

    /// Returns the outcome of a message that has waited, if it is remembered.
    pub(crate) fn outcome(&self, target: Target) -> Option<HeldOutcome> {
        self.state().outcomes.get(&(target.frame, target.index)).copied()
    }

    /// The number of messages that matched while too many waited.
    pub fn full(&self) -> u64 {
        self.state().full
    }

    /// Passes or drops a message. The relay does so as soon as it can.
    pub(crate) fn choose(&self, id: u64, choice: Choice) {
        let mut state = self.state();
        if let Some(held) = state.held.iter_mut().find(|held| held.id == id) {
            held.failed = None;
            state.choices.push((id, choice));
        }
    }

    /// Whether whole messages are needed from now on, because one may have to wait.
    pub(super) fn begun(&self) -> bool {
        self.state().begun
    }

    /// Returns the number of a message that has to wait from now on. The relay asks for each message.
    pub fn wants(&self, message: &Message<'_>) -> Option<u64> {
        let filter = self.state().filter.as_ref().map(|(_, filter)| Arc::clone(filter))?;
        if !filter.matches(message) {
            return None;
        }
        let mut state = self.state();
        if state.held.len() >= self.most {
            state.full += 1;
            return None;
        }
        state.number += 1;
        let id = state.number;
        let target = Target { frame: message.place.frame, index: message.dissection.index };
        let kind = (message.dissection.proto, message.dissection.message);
        state.held.push(Held { id, target, kind, until: Instant::now() + self.time, failed: None });
        drop(state);
        (self.wake)();
        Some(id)
    }

    /// Takes the user's decisions, and passes the messages that nobody decided in time.
    pub(super) fn choices(&self, now: Instant) -> Vec<(u64, Choice, HeldOutcome)> {
        let mut state = self.state();
        let mut choices = Vec::new();
        for (id, choice) in std::mem::take(&mut state.choices) {
            let outcome = match &choice {
                Choice::Pass(edits) if edits.is_empty() => HeldOutcome::Passed,
                Choice::Pass(_) => HeldOutcome::Edited,
                Choice::Drop => HeldOutcome::Dropped,
            };
            choices.push((id, choice, outcome));
        }
        let late = state.held.iter().filter(|held| held.until <= now);
        let late: Vec<u64> = late.map(|held| held.id).filter(|id| !choices.iter().any(|(one, ..)| one == id)).collect();
        choices.extend(late.into_iter().map(|id| (id, Choice::Pass(Vec::new()), HeldOutcome::Late)));
        choices
    }

    /// Notes that a message no longer waits.
    pub(super) fn done(&self, id: u64, outcome: HeldOutcome) {
        let mut state = self.state();
        let Some(at) = state.held.iter().position(|held| held.id == id) else { return };
        let target = state.held.remove(at).target;
        state.outcomes.insert((target.frame, target.index), outcome);
        if state.outcomes.len() > OUTCOMES {
            state.outcomes.pop_first();
        }
        drop(state);
        (self.wake)();
    }

    /// Notes that a decision had no effect: the message has passed as it was.
    pub(super) fn refuse(&self, waited: Waited, why: &str) {
        let Waited { id, target } = waited;
        let mut state = self.state();
        state.held.retain(|held| held.id != id);
        state.outcomes.insert((target.frame, target.index), HeldOutcome::Refused);
        state.refused = Some(format!("frame {} passed as it was: {why}", target.frame));
        drop(state);
        (self.wake)();
    }

    /// Takes the reason of the last refusal.
    pub fn refused(&self) -> Option<String> {
        self.state().refused.take()
    }

    /// Notes that the changes of a message could not be made: it goes on waiting.
    pub(super) fn failed(&self, id: u64, why: String) {
        let mut state = self.state();
        if let Some(held) = state.held.iter_mut().find(|held| held.id == id) {
            held.failed = Some(why);
        }
        drop(state);
        (self.wake)();
    }
}
