//! One rule: the messages that it matches, and its actions.

use super::assignment::Assignment;
use crate::filter::{Filter, Names};
use std::time::Duration;

/// An action on a message.
#[derive(Clone, Debug)]
pub enum Action {
    /// It is left out, always or in this share of all cases.
    Drop(Option<f64>),
    /// It is delayed by this time.
    Delay(Duration),
    /// It is sent twice.
    Duplicate,
    /// One of its fields gets another value.
    Set(Assignment),
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// The text, as written.
    pub text: String,
    pub(super) filter: Filter,
    pub(super) after: u64,
    pub(super) once: bool,
    pub(super) actions: Vec<Action>,
}

impl Rule {
    /// Returns the actions.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Returns the kinds of messages that it can match.
    pub(super) fn kinds(&self, names: &Names<'_>) -> Vec<(&'static str, &'static str)> {
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
