//! Which of the peer's recorded messages have come this time.

use crate::protocols::replay::{Actor, Recorded};
use std::collections::HashMap;

/// Which of the expected messages have come: by what they are about, in order.
pub struct Met {
    /// Of each expected message: what it is about, how many such there must be, is it sure to come,
    /// does it end the session?
    wanted: Vec<(String, usize, bool, bool)>,
    came: HashMap<String, usize>,
    /// All before it have come, or were given up.
    front: usize,
}

impl Met {
    /// Of the peer's messages in the capture.
    pub fn new(actor: &dyn Actor, expected: &[Recorded]) -> Met {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let wanted = expected.iter().map(|m| {
            let about = actor.identity(&m.said);
            let count = counts.entry(about.clone()).or_default();
            *count += 1;
            (about, *count, actor.sure(&m.said), actor.closes(m))
        });
        Met { wanted: wanted.collect(), came: HashMap::new(), front: 0 }
    }

    /// A message about this has come.
    pub fn heard(&mut self, about: String) {
        *self.came.entry(about).or_default() += 1;
    }

    /// Have the first `after` come? Else: is what is missing sure to come?
    pub fn met(&mut self, after: usize) -> Result<(), bool> {
        while self.front < after {
            let Some((about, count, sure, _)) = self.wanted.get(self.front) else { break };
            if self.came.get(about).is_none_or(|came| came < count) {
                return Err(*sure);
            }
            self.front += 1;
        }
        Ok(())
    }

    /// Is anything still to come that is worth waiting for?
    pub fn awaits(&self) -> bool {
        let open = self.wanted.get(self.front..).unwrap_or_default();
        open.iter().any(|(about, count, sure, closes)| {
            (*sure || *closes) && self.came.get(about).is_none_or(|came| came < count)
        })
    }

    /// The first that is missing is waited for no longer.
    pub fn give_up(&mut self) {
        self.front += 1;
    }
}
