//! Which of the peer's recorded messages have come this time.

use crate::live::replay::actor::{Actor, Cause, Recorded};
use crate::message::OwnedMessage;
use std::collections::{HashMap, VecDeque};

/// What is awaited of the peer, and how much depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Answers: what we said next rests on them.
    Answer,
    /// The peer's goodbye: it may wait for something itself before it.
    Goodbye,
    /// What the transport brings for sure.
    Sure,
    /// What may be lost, or never be said.
    Unsure,
}

/// Which of the expected messages have come. A message stands for the recorded one that says the
/// same, else for the next one that is about the same: so one that is lost does not make those
/// behind it wait.
pub struct Expectations {
    came: Vec<bool>,
    /// Those of each class in order, and how many of these have come or were given up.
    lists: [(Vec<usize>, usize); 4],
    /// By what they are about and say: those that may still come.
    same: HashMap<(String, String), VecDeque<usize>>,
    /// By what they are about alone.
    alike: HashMap<String, VecDeque<usize>>,
}

impl Expectations {
    /// Of the peer's messages in the capture. `asap`: there is no clock that tells when others would
    /// have said theirs, so the end waits for them as for what may be lost.
    pub fn new(actor: &dyn Actor, expected: &[Recorded], asap: bool) -> Expectations {
        let mut met = Expectations {
            came: vec![false; expected.len()],
            lists: Default::default(),
            same: HashMap::new(),
            alike: HashMap::new(),
        };
        for (at, message) in expected.iter().enumerate() {
            let (about, content) = key(actor, &message.said);
            met.alike.entry(about.clone()).or_default().push_back(at);
            met.same.entry((about, content)).or_default().push_back(at);
            let class = match actor.cause(&message.said) {
                Cause::Others(_) if asap => Class::Unsure,
                Cause::Others(_) => continue,
                Cause::Answer => Class::Answer,
                Cause::Application if actor.closes(message) => Class::Goodbye,
                Cause::Application if actor.sure(&message.said) => Class::Sure,
                Cause::Application => Class::Unsure,
            };
            met.lists[class as usize].0.push(at);
        }
        met
    }

    /// A message has come. `true`: it was expected.
    pub fn recv(&mut self, actor: &dyn Actor, said: &OwnedMessage) -> bool {
        let key = key(actor, said);
        if let Some(same) = self.same.get_mut(&key) {
            match same.pop_front() {
                // As often as the capture has it: what comes once more was doubled on the way.
                None => return false,
                Some(at) if self.come(at) => return true,
                // Another one stands in its place.
                Some(_) => {}
            }
        }
        while let Some(at) = self.alike.get_mut(&key.0).and_then(VecDeque::pop_front) {
            if self.come(at) {
                return true;
            }
        }
        false
    }

    /// `false`: it had come already.
    fn come(&mut self, at: usize) -> bool {
        self.came.get_mut(at).is_some_and(|came| !std::mem::replace(came, true))
    }

    /// Has this one come?
    pub fn came(&self, at: usize) -> bool {
        self.came.get(at).is_some_and(|came| *came)
    }

    /// The first of a class among the first `before` that has not come.
    pub fn missing(&mut self, class: Class, before: usize) -> Option<usize> {
        let (list, front) = &mut self.lists[class as usize];
        while list.get(*front).is_some_and(|at| self.came.get(*at).is_none_or(|came| *came)) {
            *front += 1;
        }
        list.get(*front).copied().filter(|at| *at < before)
    }

    /// The class on which most depends of which something is missing among the first `before`.
    pub fn outstanding(&mut self, before: usize) -> Option<Class> {
        let all = [Class::Answer, Class::Goodbye, Class::Sure, Class::Unsure];
        all.into_iter().find(|class| self.missing(*class, before).is_some())
    }

    /// The first answer that is missing is waited for no longer.
    pub fn give_up(&mut self) {
        self.lists[Class::Answer as usize].1 += 1;
    }
}

fn key(actor: &dyn Actor, said: &OwnedMessage) -> (String, String) {
    (actor.identity(said), actor.content(said).to_string())
}
