//! `{client}` in a text of an edit: each client of a load has a number of its own.

use super::{Put, Rule};
use crate::live::rules::Action;
use crate::live::rules::value::Given;
use serde_json::Value as Json;

/// Replaced by the number of the client, from 1.
pub(super) const CLIENT: &str = "{client}";

/// Whether a text of the value has the placeholder.
fn has(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains(CLIENT),
        Json::Array(items) => items.iter().any(has),
        Json::Object(members) => members.values().any(has),
        _ => false,
    }
}

/// Replaces the placeholder in all texts of the value.
fn number(value: &mut Json, client: u32) {
    match value {
        Json::String(text) => *text = text.replace(CLIENT, &client.to_string()),
        Json::Array(items) => items.iter_mut().for_each(|item| number(item, client)),
        Json::Object(members) => members.values_mut().for_each(|member| number(member, client)),
        _ => {}
    }
}

impl Put {
    /// Whether the value differs by client.
    pub fn by_client(&self) -> bool {
        has(&self.value)
    }

    /// Returns the change with this client's value.
    #[must_use]
    pub fn of_client(mut self, client: u32) -> Put {
        number(&mut self.value, client);
        self
    }
}

impl Rule {
    /// Whether a value that it sets differs by client. Only a replay has clients.
    pub fn by_client(&self) -> bool {
        self.actions().iter().any(|action| match action {
            Action::Set(set) => match &set.value {
                Given::Word(text) | Given::Quoted(text) => text.contains(CLIENT),
                Given::Json(value) => has(value),
            },
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_alone_have_the_number() {
        let mut value = json!({"name": "bot{client}", "list": ["{client}{client}", 1, true], "{client}": "client"});
        assert!(has(&value));
        number(&mut value, 12);
        assert_eq!(value, json!({"name": "bot12", "list": ["1212", 1, true], "{client}": "client"}));
        assert!(!has(&value));
    }
}
