//! What is done to messages that fit an expression: `EXPR: [after N] [once] ACTION, ...`.
//!
//! ```text
//! message == ack and from == server: drop 30%
//! message == heartbeat: delay 400ms
//! riptide.message_id == 7: after 10 once payload.hp=0, payload.name="x y"
//! message == notify: duplicate
//! ```
//!
//! The expression is a [filter](crate::filter). `drop` leaves the message out, in this share of all
//! cases; `delay` keeps it back; `duplicate` brings it twice; `FIELD=VALUE` changes it. `after 10`
//! lets the first ten pass, `once` acts on one. All rules that fit are followed, in their order; a
//! message that is dropped meets no further one. Messages are counted for each conversation.
//!
//! A rule is checked when it is parsed: names, types and ranges against the tables and schemas of
//! all messages that its expression can match.

mod assignment;
mod parse;
mod rule;
mod tally;
mod value;

#[cfg(test)]
mod tests;

use assignment::Places;
pub(crate) use assignment::{Assignment, Put};
pub use parse::RuleError;
pub(crate) use parse::percent;
pub(crate) use rule::Action;
pub use rule::Rule;
pub use tally::{Bound, Tally};

use crate::dissect::Message;
use crate::filter::Names;
use crate::message::OwnedMessage;
use crate::random::Random;
use std::time::Duration;

/// What becomes of one message.
#[derive(Debug, Default)]
pub(crate) struct Decision<'r> {
    /// It is left out.
    pub dropped: bool,
    /// How much later it comes.
    pub delay: Duration,
    /// How often it comes beside the first time.
    pub copies: u32,
    /// What is changed.
    pub edits: Vec<&'r Assignment>,
    /// The rules that fit.
    pub matched: Vec<usize>,
    /// Those that were followed.
    pub rules: Vec<usize>,
}

/// All rules of a run.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    seed: u64,
}

/// How many messages of a conversation each rule has met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters(Vec<u64>);

impl RuleSet {
    /// These rules, in this order; the seed decides about shares.
    pub fn new(rules: Vec<Rule>, seed: u64) -> RuleSet {
        RuleSet { rules, seed }
    }

    /// Adds a rule.
    pub fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> + Clone {
        self.rules.iter()
    }

    /// The rules that a message fits, whatever comes of it.
    pub fn matching(&self, message: &Message<'_>) -> Vec<usize> {
        self.rules.iter().enumerate().filter(|(_, rule)| rule.filter.matches(message)).map(|(at, _)| at).collect()
    }

    /// What becomes of a message.
    pub(crate) fn decide(&self, message: &Message<'_>, counters: &mut Counters) -> Decision<'_> {
        let mut decision = Decision::default();
        counters.0.resize(self.rules.len(), 0);
        for (at, (rule, met)) in self.rules.iter().zip(&mut counters.0).enumerate() {
            if decision.dropped {
                break;
            }
            if !rule.filter.matches(message) {
                continue;
            }
            *met += 1;
            decision.matched.push(at);
            if *met <= rule.after || rule.once && *met > rule.after + 1 {
                continue;
            }
            let mut followed = false;
            for (k, action) in rule.actions.iter().enumerate() {
                let drops = match action {
                    Action::Drop(share) => {
                        share.is_none_or(|share| Random::of(self.seed, &[at as u64, k as u64, *met]).chance(share))
                    }
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

/// Makes all changes of a message, or none: what was put where, and the message then. A change inside
/// of a payload whose bytes are a field makes it the values that were shown beside it.
///
/// # Errors
/// The field that the message does not have, or not of that type.
pub(crate) fn edit(
    edits: &[&Assignment],
    said: &OwnedMessage,
    names: &Names<'_>,
) -> Result<(Vec<Put>, OwnedMessage), String> {
    let mut places =
        Places { fields: said.to_json().clone(), packet: said.packet_json().clone(), opened: said.opened() };
    let make = |edit: &&Assignment| edit.make((said.proto, said.message), &mut places, names);
    let puts: Vec<Put> = edits.iter().map(make).collect::<Result<_, _>>()?;
    let mut changed = said.clone().with_fields(places.fields);
    if puts.iter().any(Put::in_header) {
        changed = changed.with_packet(places.packet);
    }
    Ok((puts, changed))
}
