//! The messages that a rule with `after N` or `once` has matched in a conversation. All transmissions of a message count
//! as one.

use super::Rule;
use crate::dissect::{Event, Message, Target};
use crate::traffic::sequence::Seen;
use std::collections::BTreeSet;

/// The number of skipped messages that are remembered for their resends: the latest ones. Protocols remember fewer.
const REMEMBERED: usize = 4096;

/// The messages that a rule has matched.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// The number of transmissions.
    pub transmissions: u64,
    /// The number of messages, until the rule skips no more.
    messages: u64,
    /// The numbered messages that were skipped by `after`, by their first transmission.
    skipped: BTreeSet<Target>,
    /// The numbered message of `once`, by its first transmission.
    once: Option<Target>,
}

impl Matches {
    /// Counts a message that matches, and returns whether the rule is applied to it.
    pub fn selects(&mut self, rule: &Rule, message: &Message<'_>) -> bool {
        let numbered = first_transmission(message);
        if numbered.is_some() && self.once == numbered {
            return true;
        }
        if numbered.is_some_and(|target| self.skipped.contains(&target)) {
            return false;
        }
        // The number of messages is not needed any more.
        if self.messages > rule.after {
            return !rule.once;
        }
        self.messages += 1;
        let applies = self.messages > rule.after;
        match numbered {
            Some(target) if !applies => {
                if self.skipped.len() >= REMEMBERED {
                    self.skipped.pop_first();
                }
                self.skipped.insert(target);
            }
            Some(_) if rule.once => self.once = numbered,
            _ => {}
        }
        applies
    }
}

/// Returns the place of the first transmission of a numbered message.
fn first_transmission(message: &Message<'_>) -> Option<Target> {
    let seen = message.dissection.delivery.iter().find_map(|event| match event {
        Event::Sent { seen, .. } => Some(*seen),
        _ => None,
    })?;
    Some(match seen {
        Seen::Copy { before } => Target::from(&before),
        _ => Target { frame: message.place.frame, index: message.dissection.index.max(1) },
    })
}
