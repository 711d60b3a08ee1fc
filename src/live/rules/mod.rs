//! Rules for messages that match an expression: `EXPR: [after N] [once] ACTION, ...`.
//!
//! ```text
//! message == ack and from == server: drop 30%
//! message == heartbeat: delay 400ms
//! riptide.message_id == 7: after 10 once payload.hp=0, payload.name="x y"
//! message == notify: duplicate
//! ```
//!
//! The expression is a [filter](crate::filter). `drop` leaves the message out, in this share of all cases. `delay`
//! delays it. `duplicate` sends it twice. `FIELD=VALUE` changes it. `after 10` lets the first ten messages pass, and
//! `once` acts on one only; all transmissions of a message count as one. All rules that match are applied, in their
//! order; no further rule is applied to a dropped message. Messages are counted per conversation.
//!
//! In a replay, `{client}` in a text is replaced by the number of the client.
//!
//! A rule is checked when it is parsed: names, types and ranges are compared with the tables and schemas of all
//! messages that its expression can match.

mod assignment;
#[cfg(feature = "cli")]
pub(crate) mod file;
mod matches;
mod parse;
mod placeholder;
mod rule;
#[cfg(feature = "cli")]
mod tally;
mod value;

#[cfg(test)]
mod tests;

use assignment::Places;
pub(crate) use assignment::{Assignment, Put};
use matches::Matches;
#[cfg(feature = "cli")]
pub(crate) use parse::{assignments, percent};
pub(crate) use rule::Action;
pub use rule::Rule;
#[cfg(feature = "cli")]
pub(crate) use tally::{Bound, Tally};

use crate::dissect::Message;
use crate::filter::Names;
use crate::message::OwnedMessage;
use crate::random::Random;
use std::time::Duration;

/// The result of all rules for one message.
#[derive(Debug, Default)]
pub(crate) struct Decision<'r> {
    /// Whether it is left out.
    pub dropped: bool,
    /// Its delay.
    pub delay: Duration,
    /// The number of copies that are sent in addition.
    pub copies: u32,
    /// The changes.
    pub edits: Vec<&'r Assignment>,
    /// The rules that match.
    pub matched: Vec<usize>,
    /// The rules that were applied.
    pub rules: Vec<usize>,
}

/// All rules of a run.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    seed: u64,
}

/// The messages of a conversation that each rule has matched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters(Vec<Matches>);

impl RuleSet {
    /// Creates a list of these rules, in this order. The seed decides about shares.
    pub fn new(rules: Vec<Rule>, seed: u64) -> RuleSet {
        RuleSet { rules, seed }
    }

    /// Adds a rule.
    pub fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the rules.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> + Clone {
        self.rules.iter()
    }

    /// Returns the rules that match a message, whether or not they are applied.
    pub fn matching(&self, message: &Message<'_>) -> Vec<usize> {
        self.rules.iter().enumerate().filter(|(_, rule)| rule.filter.matches(message)).map(|(at, _)| at).collect()
    }

    /// Decides what happens to a message.
    pub(crate) fn decide(&self, message: &Message<'_>, counters: &mut Counters) -> Decision<'_> {
        let mut decision = Decision::default();
        counters.0.resize_with(self.rules.len(), Matches::default);
        for (at, (rule, matches)) in self.rules.iter().zip(&mut counters.0).enumerate() {
            if decision.dropped {
                break;
            }
            if !rule.filter.matches(message) {
                continue;
            }
            matches.transmissions += 1;
            decision.matched.push(at);
            if (rule.after > 0 || rule.once) && !matches.selects(rule, message) {
                continue;
            }
            let mut followed = false;
            for (k, action) in rule.actions.iter().enumerate() {
                let drops = match action {
                    Action::Drop(share) => share.is_none_or(|share| {
                        Random::of(self.seed, &[at as u64, k as u64, matches.transmissions]).chance(share)
                    }),
                    _ => false,
                };
                followed |= drops || !matches!(action, Action::Drop(_));
                match action {
                    Action::Drop(_) => decision.dropped |= drops,
                    Action::Delay(time) => decision.delay += *time,
                    Action::Duplicate => decision.copies += 1,
                    Action::Set(assignment) => decision.edits.push(assignment),
                }
            }
            if followed {
                decision.rules.push(at);
            }
        }
        decision
    }
}

/// Makes all changes of a message, or none. Returns the values with their places, and the changed message. A change
/// inside a payload that is a field of bytes replaces the bytes by the values that were shown beside them.
///
/// # Errors
/// Returns the field that the message does not have, or that has another type.
pub(crate) fn edit(
    edits: &[&Assignment],
    decoded: &OwnedMessage,
    names: &Names<'_>,
) -> Result<(Vec<Put>, OwnedMessage), String> {
    let mut places =
        Places { fields: decoded.to_json().clone(), packet: decoded.packet_json().clone(), opened: decoded.opened() };
    let make = |edit: &&Assignment| edit.make(decoded.proto, decoded.message, &mut places, names);
    let mut puts: Vec<Put> = edits.iter().map(make).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    // A later change may be at the same place, inside it, or around it.
    puts.retain_mut(|put| {
        let fields = if put.in_header() { &places.packet } else { &places.fields };
        fields.pointer(&put.pointer).map(|value| put.value = value.clone()).is_some()
    });
    let mut changed = decoded.clone().with_fields(places.fields);
    if puts.iter().any(Put::in_header) {
        changed = changed.with_packet(places.packet);
    }
    Ok((puts, changed))
}
