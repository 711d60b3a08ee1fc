//! What conditions ask beside fields, while writing.

use super::super::Description;
use super::super::conditions;
use crate::codec::Context;
use crate::codec::digits::whole;
use crate::codec::layout::{Field, Show, When};
use serde_json::Value as Json;

/// The number of a value as it is given.
pub fn number(field: &'static Field, value: &Json) -> Option<u64> {
    match value {
        Json::Number(n) => n.as_u64().or_else(|| n.as_i64().map(|n| n as u64)),
        Json::Bool(set) => Some(*set as u64),
        Json::String(text) => match field.show {
            Show::Enum(names) => names.iter().find(|(_, name)| name == text).map(|(n, _)| *n),
            _ => None,
        }
        .or_else(|| whole(text).map(|n| n as u64)),
        _ => None,
    }
}

/// What conditions ask beside fields.
pub struct Values<'a> {
    pub description: &'static Description,
    pub memory: &'a [[u64; 2]],
    pub values: &'a [u64],
    pub from: u64,
}

impl Context for Values<'_> {
    fn known(&self, name: &str) -> Option<u64> {
        let named = |name: &str, side: usize| {
            let place = self.description.memory.iter().position(|(known, _)| *known == name)?;
            self.memory.get(place)?.get(side).copied()
        };
        named(name, if self.from == 2 { 1 } else { 0 })
            .or_else(|| self.description.remembered(name, &[], self.values))
            .or(match name {
                "from" => Some(self.from),
                _ => None,
            })
            .or_else(|| match name.split_once('.') {
                Some(("client", name)) => named(name, 0),
                Some(("server", name)) => named(name, 1),
                _ => None,
            })
    }
}

/// Does a condition hold as far as what is remembered tells? Fields are not asked.
pub fn remembered_holds(when: &When, values: &Values<'_>) -> bool {
    let names = conditions::names(when);
    match when {
        When::All(all) => all.iter().all(|when| remembered_holds(when, values)),
        _ if names.iter().any(|name| values.known(name).is_none()) => true,
        _ => conditions::holds(when, &|name| values.known(name)),
    }
}
