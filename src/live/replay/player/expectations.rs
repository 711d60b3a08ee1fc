//! Which of the peer's recorded messages have come this time.

use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Recorded};
use std::collections::{HashMap, VecDeque};

/// What is awaited of the peer: one message of the capture.
struct Wanted {
    /// The transport brings it for sure.
    sure: bool,
    /// It ends the session.
    closes: bool,
    came: bool,
}

/// Which of the expected messages have come. A message stands for the recorded one that says the
/// same, else for the next one that is about the same: so one that is lost does not make those
/// behind it wait.
pub struct Expectations {
    wanted: Vec<Wanted>,
    /// By what they are about and say: those that may still come.
    same: HashMap<(String, String), VecDeque<usize>>,
    /// By what they are about alone.
    alike: HashMap<String, VecDeque<usize>>,
    /// All before it have come, or were given up.
    front: usize,
}

impl Expectations {
    /// Of the peer's messages in the capture.
    pub fn new(actor: &dyn Actor, expected: &[Recorded]) -> Expectations {
        let mut met = Expectations { wanted: Vec::new(), same: HashMap::new(), alike: HashMap::new(), front: 0 };
        for (at, message) in expected.iter().enumerate() {
            let (about, content) = key(actor, &message.said);
            met.alike.entry(about.clone()).or_default().push_back(at);
            met.same.entry((about, content)).or_default().push_back(at);
            met.wanted.push(Wanted { sure: actor.sure(&message.said), closes: actor.closes(message), came: false });
        }
        met
    }

    /// A message has come.
    pub fn recv(&mut self, actor: &dyn Actor, said: &OwnedMessage) {
        let key = key(actor, said);
        if let Some(same) = self.same.get_mut(&key) {
            match same.pop_front() {
                // As often as the capture has it: what comes once more was doubled on the way.
                None => return,
                Some(at) if self.come(at) => return,
                // Another one stands in its place.
                Some(_) => {}
            }
        }
        while let Some(at) = self.alike.get_mut(&key.0).and_then(VecDeque::pop_front) {
            if self.come(at) {
                return;
            }
        }
    }

    /// `false`: it had come already.
    fn come(&mut self, at: usize) -> bool {
        self.wanted.get_mut(at).is_some_and(|wanted| !std::mem::replace(&mut wanted.came, true))
    }

    /// Has this one come?
    pub fn came(&self, at: usize) -> bool {
        self.wanted.get(at).is_some_and(|wanted| wanted.came)
    }

    /// Have the first `after` come? Else: is what is missing sure to come?
    pub fn met(&mut self, after: usize) -> Result<(), bool> {
        while self.front < after {
            match self.wanted.get(self.front) {
                Some(wanted) if !wanted.came => return Err(wanted.sure),
                Some(_) => self.front += 1,
                None => break,
            }
        }
        Ok(())
    }

    /// Is anything still to come that is worth waiting for?
    pub fn awaits(&self) -> bool {
        let open = self.wanted.get(self.front..).unwrap_or_default();
        open.iter().any(|wanted| (wanted.sure || wanted.closes) && !wanted.came)
    }

    /// The first that is missing is waited for no longer.
    pub fn give_up(&mut self) {
        self.front += 1;
    }
}

fn key(actor: &dyn Actor, said: &OwnedMessage) -> (String, String) {
    (actor.identity(said), actor.content(said).to_string())
}
