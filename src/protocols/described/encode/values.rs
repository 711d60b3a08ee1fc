//! Values for conditions while encoding.

use super::super::conditions;
use super::super::state::State;
use crate::codec::Context;
use crate::codec::digits::whole;
use crate::codec::layout::{Field, Kind, Show, When};
use serde_json::Value as Json;

/// The number of a given value.
pub fn number(field: &'static Field, value: &Json) -> Option<u64> {
    match value {
        Json::Number(n) => n.as_u64().or_else(|| n.as_i64().map(|n| n as u64)),
        Json::Bool(set) => Some(*set as u64),
        Json::String(text) if matches!(field.kind, Kind::Text { .. }) => Some(field.text_id(text.chars())),
        Json::String(text) => match field.show {
            Show::Enum(names) => names.iter().find(|(_, name)| name == text).map(|(n, _)| *n),
            Show::Time { clock, .. } => clock.number(text).map(|n| n as u64),
            _ => None,
        }
        .or_else(|| whole(text).map(|n| n as u64)),
        _ => None,
    }
}

impl Context for State<'_> {
    fn value(&self, slot: u16) -> Option<u64> {
        State::value(self, slot)
    }
}

/// Whether a condition may hold, judged by remembered values alone.
pub fn remembered_holds(when: &When, state: &State<'_>) -> bool {
    match when {
        When::All(all) => all.iter().all(|when| remembered_holds(when, state)),
        _ if when.names().iter().any(|name| state.named(name).is_none()) => true,
        _ => conditions::holds(when, &|name| state.named(name)),
    }
}
