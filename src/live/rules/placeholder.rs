//! `{client}` in a text of an edit: each client of a load has a number of its own.

use super::{Put, Rule};
use crate::live::rules::Action;
use crate::live::rules::value::Given;
use serde_json::Value as Json;

/// The name that is replaced by the number of the client, from 1.
const CLIENT: &str = "client";

/// A name in braces. In double braces, it is the text of the name in single ones.
struct Place<'t> {
    name: &'t str,
    literal: bool,
    /// Its place in the text, in bytes.
    from: usize,
    to: usize,
}

/// Returns the first name in braces. All other braces are text.
fn first(text: &str) -> Option<Place<'_>> {
    text.match_indices('{').find_map(|(from, _)| {
        let rest = &text[from + 1..];
        let (literal, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let (name, close) = (&rest[..length], if literal { "}}" } else { "}" });
        let is_place = name.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[length..].starts_with(close);
        is_place.then(|| Place { name, literal, from, to: from + 2 * close.len() + length })
    })
}

/// Whether a value begins with a name in braces, and is no JSON.
pub(super) fn begins(text: &str) -> bool {
    first(text).is_some_and(|place| place.from == 0)
}

/// Returns all names in braces.
fn places(mut text: &str) -> impl Iterator<Item = Place<'_>> {
    std::iter::from_fn(move || first(text).inspect(|place| text = &text[place.to..]))
}

/// Passes each text of the value to `each`.
fn texts<'v>(value: &'v Json, each: &mut dyn FnMut(&'v str)) {
    match value {
        Json::String(text) => each(text),
        Json::Array(items) => items.iter().for_each(|item| texts(item, each)),
        Json::Object(members) => members.values().for_each(|member| texts(member, each)),
        _ => {}
    }
}

/// Replaces the placeholders in all texts of the value.
fn number(value: &mut Json, client: u32) {
    match value {
        Json::String(text) => {
            let (mut whole, mut rest) = (String::new(), text.as_str());
            while let Some(Place { name, literal, from, to }) = first(rest) {
                whole.push_str(&rest[..from]);
                match literal {
                    true => whole.push_str(&rest[from + 1..to - 1]),
                    false if name == CLIENT => whole.push_str(&client.to_string()),
                    false => whole.push_str(&rest[from..to]),
                }
                rest = &rest[to..];
            }
            *text = whole + rest;
        }
        Json::Array(items) => items.iter_mut().for_each(|item| number(item, client)),
        Json::Object(members) => members.values_mut().for_each(|member| number(member, client)),
        _ => {}
    }
}

impl Put {
    /// Whether the value has placeholders.
    pub fn by_client(&self) -> bool {
        let mut found = false;
        texts(&self.value, &mut |text| found |= first(text).is_some());
        found
    }

    /// Returns the change with this client's value.
    pub fn of_client(mut self, client: u32) -> Put {
        number(&mut self.value, client);
        self
    }
}

impl Rule {
    /// Passes the name of each placeholder in the values to `each`.
    fn placeholders<'r>(&'r self, each: &mut dyn FnMut(&'r str)) {
        let mut text = |text: &'r str| places(text).filter(|place| !place.literal).for_each(|place| each(place.name));
        for action in self.actions() {
            let Action::Set(set) = action else { continue };
            match &set.value {
                Given::Word(word) | Given::Quoted(word) => text(word),
                Given::Json(value) => texts(value, &mut text),
            }
        }
    }

    /// Whether a value that it sets differs by client. Only a replay has clients.
    pub fn by_client(&self) -> bool {
        let mut found = false;
        self.placeholders(&mut |name| found |= name == CLIENT);
        found
    }

    /// Checks the placeholders of a replay's rule.
    ///
    /// # Errors
    /// Returns the unknown name, and what there is.
    pub fn check_placeholders(&self) -> Result<(), String> {
        let mut unknown = None;
        self.placeholders(&mut |name| unknown = unknown.or(Some(name).filter(|name| *name != CLIENT)));
        unknown.map_or(Ok(()), |name| {
            let text = format!("the text {{{name}}} itself is written {{{{{name}}}}}");
            Err(format!("no placeholder {{{name}}}: there is {{{CLIENT}}}, the client's number; {text}"))
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
        number(&mut value, 12);
        assert_eq!(value, json!({"name": "bot12", "list": ["1212", 1, true], "{client}": "client"}));
    }

    #[test]
    fn double_braces_are_text() {
        for (text, wanted) in [
            ("{{client}}", "{client}"),
            ("{{{client}}}", "{{client}}"),
            ("{{client} {client}}", "{7 7}"),
            ("{{x}}{client}{{x}}", "{x}7{x}"),
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#),
            ("{0} {} {-} {client", "{0} {} {-} {client"),
            ("{ü} €{client}€", "{ü} €7€"),
        ] {
            let mut value = json!(text);
            number(&mut value, 7);
            assert_eq!(value, wanted, "{text}");
        }
        assert!(begins("{client}x") && begins("{{client}}") && !begins("{\"client\":1}") && !begins("x{client}"));
    }
}
