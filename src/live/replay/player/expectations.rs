//! Tracks which of the peer's recorded messages have arrived this time.

use crate::live::replay::actor::{Actor, Cause, Recorded};
use crate::message::OwnedMessage;
use std::collections::{HashMap, VecDeque};

/// The classes of expected messages, by what depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Answers: our next messages depend on them.
    Answer,
    /// The peer's goodbye. The peer may wait for something before it.
    Goodbye,
    /// Messages that the transport delivers reliably.
    Reliable,
    /// Messages that may be lost, or never be sent.
    Unreliable,
}

/// The expected messages, and whether they have arrived. A received message counts as the recorded one with the same
/// content, else as the next one with the same subject. So later messages do not have to wait for a lost one.
pub struct Expectations {
    arrived: Vec<bool>,
    /// The messages of each class in order, and the number of these that have arrived or were given up.
    lists: [(Vec<usize>, usize); 4],
    /// The messages that may still arrive, by subject and content.
    same: HashMap<(String, String), VecDeque<usize>>,
    /// The messages that may still arrive, by subject alone.
    alike: HashMap<String, VecDeque<usize>>,
}

impl Expectations {
    /// Creates the expectations from the peer's messages in the capture. `asap`: no clock decides when others would
    /// have sent theirs, so the end waits for them as for messages that may be lost.
    pub fn new(actor: &dyn Actor, expected: &[Recorded], asap: bool) -> Expectations {
        let mut expectations = Expectations {
            arrived: vec![false; expected.len()],
            lists: Default::default(),
            same: HashMap::new(),
            alike: HashMap::new(),
        };
        for (at, message) in expected.iter().enumerate() {
            let (about, content) = key(actor, &message.decoded);
            expectations.alike.entry(about.clone()).or_default().push_back(at);
            expectations.same.entry((about, content)).or_default().push_back(at);
            let class = match actor.cause(&message.decoded) {
                Cause::Others(_) if asap => Class::Unreliable,
                Cause::Others(_) => continue,
                Cause::Answer => Class::Answer,
                Cause::Application if actor.closes(message) => Class::Goodbye,
                Cause::Application if actor.is_reliable(&message.decoded) => Class::Reliable,
                Cause::Application => Class::Unreliable,
            };
            expectations.lists[class as usize].0.push(at);
        }
        expectations
    }

    /// Takes a received message. Returns whether it was expected.
    pub fn recv(&mut self, actor: &dyn Actor, decoded: &OwnedMessage) -> bool {
        let key = key(actor, decoded);
        if let Some(same) = self.same.get_mut(&key) {
            match same.pop_front() {
                // It has arrived as often as in the capture. This one was duplicated in transit.
                None => return false,
                Some(at) if self.arrive(at) => return true,
                // Another message has taken its place.
                Some(_) => {}
            }
        }
        while let Some(at) = self.alike.get_mut(&key.0).and_then(VecDeque::pop_front) {
            if self.arrive(at) {
                return true;
            }
        }
        false
    }

    /// Marks a message as arrived. Returns false if it had arrived already.
    fn arrive(&mut self, at: usize) -> bool {
        self.arrived.get_mut(at).is_some_and(|arrived| !std::mem::replace(arrived, true))
    }

    /// Whether this message has arrived.
    pub fn arrived(&self, at: usize) -> bool {
        self.arrived.get(at).is_some_and(|arrived| *arrived)
    }

    /// Returns the first message of a class, among the first `before`, that has not arrived.
    pub fn missing(&mut self, class: Class, before: usize) -> Option<usize> {
        let (list, front) = &mut self.lists[class as usize];
        while list.get(*front).is_some_and(|at| self.arrived.get(*at).is_none_or(|arrived| *arrived)) {
            *front += 1;
        }
        list.get(*front).copied().filter(|at| *at < before)
    }

    /// Returns the most important class of which a message is missing, among the first `before`.
    pub fn outstanding(&mut self, before: usize) -> Option<Class> {
        let all = [Class::Answer, Class::Goodbye, Class::Reliable, Class::Unreliable];
        all.into_iter().find(|class| self.missing(*class, before).is_some())
    }

    /// The number of missing answers among the first `before`, or among those that were given up.
    #[cfg(feature = "cli")]
    pub fn unanswered(&self, before: Option<usize>) -> usize {
        let (answers, front) = &self.lists[Class::Answer as usize];
        let over = |(place, at): (usize, &usize)| before.map_or(place < *front, |before| *at < before);
        answers.iter().enumerate().filter(|(place, at)| over((*place, at)) && !self.arrived(**at)).count()
    }

    /// Stops waiting for the first missing answer.
    pub fn give_up(&mut self) {
        self.lists[Class::Answer as usize].1 += 1;
    }
}

fn key(actor: &dyn Actor, decoded: &OwnedMessage) -> (String, String) {
    (actor.identity(decoded), actor.content(decoded).to_string())
}
