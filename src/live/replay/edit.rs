//! `--on`: [rules](crate::live::rules) for recorded messages, applied while the capture is read.

use crate::dissect::Message;
use crate::filter::{Filter, FilterError, Names};
use crate::live::replay::actor::Recorded;
use crate::live::rules::{Counters, Rule, RuleSet, edit};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All changes.
#[derive(Debug, Default)]
pub struct Changes {
    pub(super) rules: RuleSet,
    pub(super) compared: Option<Arc<Filter>>,
}

impl Changes {
    /// Creates an empty list of changes. The seed decides which messages a `drop P%` leaves out.
    pub fn new(seed: u64) -> Changes {
        Changes { rules: RuleSet::new(Vec::new(), seed), compared: None }
    }

    /// Adds an `EXPR: [after N] [once] ACTION, ...`.
    ///
    /// # Errors
    /// Returns the mistake in it.
    pub fn edit(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        self.push(Rule::parse(text, names))
    }

    fn push(&mut self, rule: Result<Rule, FilterError>) -> Result<(), String> {
        let rule = rule.map_err(|e| e.to_string())?;
        rule.check_placeholders()?;
        self.rules.push(rule);
        Ok(())
    }

    /// Adds such a rule, or an expression alone, which leaves out the messages that match.
    ///
    /// # Errors
    /// Returns the mistake in it.
    pub fn drop(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        self.push(Rule::parse_drop(text, names))
    }

    /// Compares only the peer's messages that match.
    ///
    /// # Errors
    /// Returns the mistake in the filter.
    pub fn compare(&mut self, text: &str, names: &Names<'_>) -> Result<(), FilterError> {
        self.compared = Some(Arc::new(Filter::parse_unlinked(text, names)?));
        Ok(())
    }

    /// Applies the changes that concern a message.
    pub(super) fn make(&self, message: &Message<'_>, recorded: &mut Recorded, counters: &mut RuleCounters) {
        recorded.decoded.left_out = self.compared.as_ref().is_some_and(|filter| !filter.matches(message));
        if self.rules.is_empty() {
            return;
        }
        let options = message.flow_info.options;
        let decision = self.rules.decide(message, counters.0.entry(message.flow_info.flow).or_default());
        recorded.dropped = decision.dropped;
        recorded.changed.delay = decision.delay;
        recorded.changed.copies = decision.copies;
        if !decision.edits.is_empty() {
            let decoded = &mut recorded.decoded;
            match edit(&decision.edits, decoded, &Names::new(options)) {
                Ok((puts, changed)) => {
                    recorded.changed.puts = puts;
                    recorded.captured = Some(std::mem::replace(decoded, changed));
                    recorded.edited = true;
                }
                Err(what) => recorded.changed.wrong = Some(what),
            }
        }
        recorded.changed.rules = decision.rules;
    }
}

/// The messages of each conversation that the rules have matched.
#[derive(Debug, Default)]
pub(super) struct RuleCounters(BTreeMap<u64, Counters>);
