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
mod value;

#[cfg(test)]
mod tests;

pub use assignment::{Assignment, Put};
pub use parse::{RuleError, percent};
pub use value::Given;

use super::random::Random;
use crate::dissect::Message;
use crate::filter::{Filter, Names};
use serde_json::Value as Json;
use std::time::Duration;

/// What is done to a message.
#[derive(Clone, Debug)]
pub enum Action {
    /// It is left out, always or in this share of all cases.
    Drop(Option<f64>),
    /// It comes so much later.
    Delay(Duration),
    /// It comes twice.
    Duplicate,
    /// One of its fields gets another value.
    Set(Assignment),
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// As it was written.
    pub text: String,
    filter: Filter,
    after: u64,
    once: bool,
    actions: Vec<Action>,
}

impl Rule {
    /// Parses a rule.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str, names: &Names<'_>) -> Result<Rule, RuleError> {
        parse::parse(text, names, None)
    }

    /// The same, where an expression alone means to drop.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse_drop(text: &str, names: &Names<'_>) -> Result<Rule, RuleError> {
        parse::parse(text, names, Some(Action::Drop(None)))
    }

    /// What is done.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The kinds of messages that can fit.
    fn kinds(&self, names: &Names<'_>) -> Vec<(&'static str, &'static str)> {
        let mut kinds = Vec::new();
        for dissector in names.registry.iter() {
            for layout in dissector.tables().iter().flat_map(|table| table.layouts) {
                let of = std::iter::once(dissector.name()).chain(dissector.carriers().iter().copied());
                let fits = of.map(|proto| (proto, layout.name)).find(|(proto, name)| self.filter.can_be(proto, name));
                kinds.extend(fits.filter(|kind| !kinds.contains(kind)));
            }
        }
        kinds
    }
}

/// What becomes of one message.
#[derive(Debug, Default)]
pub struct Decision<'r> {
    /// It is left out.
    pub dropped: bool,
    /// How much later it comes.
    pub delay: Duration,
    /// How often it comes beside the first time.
    pub copies: u32,
    /// What is changed.
    pub edits: Vec<&'r Assignment>,
    /// The rules that were followed.
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
pub struct Counters(Vec<u64>);

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
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// What becomes of a message.
    pub fn decide(&self, message: &Message<'_>, counters: &mut Counters) -> Decision<'_> {
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
            if *met <= rule.after || rule.once && *met > rule.after + 1 {
                continue;
            }
            decision.rules.push(at);
            for (k, action) in rule.actions.iter().enumerate() {
                match action {
                    Action::Drop(None) => decision.dropped = true,
                    Action::Drop(Some(share)) => {
                        decision.dropped |= Random::of(self.seed, &[at as u64, k as u64, *met]).chance(*share);
                    }
                    Action::Delay(time) => decision.delay += *time,
                    Action::Duplicate => decision.copies += 1,
                    Action::Set(assignment) => decision.edits.push(assignment),
                }
            }
        }
        decision
    }
}

/// Makes all changes of a message, or none: what was put where.
///
/// # Errors
/// The field that the message does not have, or not of that type.
pub fn edit(
    edits: &[&Assignment],
    kind: (&str, &str),
    fields: &mut Json,
    names: &Names<'_>,
) -> Result<Vec<Put>, String> {
    let mut changed = fields.clone();
    let puts: Vec<Put> = edits.iter().map(|edit| edit.make(kind, &mut changed, names)).collect::<Result<_, _>>()?;
    *fields = changed;
    Ok(puts)
}
