//! `--edit 'EXPR: FIELD=VALUE'` and `--drop EXPR`: changes to recorded messages on their way.

use crate::codec::layout::Layout;
use crate::dissect::Message;
use crate::encode::Assignments;
use crate::filter::{Filter, Names};
use crate::live::replay::actor::Recorded;
use serde_json::Value as Json;

/// One `--edit`.
#[derive(Debug)]
struct Edit {
    filter: Filter,
    assignment: String,
}

/// All changes.
#[derive(Debug, Default)]
pub struct Changes {
    edits: Vec<Edit>,
    drops: Vec<Filter>,
}

impl Changes {
    /// Adds an `EXPR: FIELD=VALUE`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn edit(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        let (expression, assignment) = split(text).ok_or("expected 'EXPR: FIELD=VALUE'")?;
        if !assignment.contains('=') {
            return Err(format!("{assignment:?}: expected FIELD=VALUE"));
        }
        let filter = Filter::parse_unlinked(expression, names).map_err(|e| e.to_string())?;
        self.edits.push(Edit { filter, assignment: assignment.into() });
        Ok(())
    }

    /// Adds an expression: messages that fit are left out.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn drop(&mut self, text: &str, names: &Names<'_>) -> Result<(), String> {
        self.drops.push(Filter::parse_unlinked(text, names).map_err(|e| e.to_string())?);
        Ok(())
    }

    /// Makes the changes that concern a message.
    ///
    /// # Errors
    /// A field that the message does not have.
    pub(super) fn make(&self, message: &Message<'_>, recorded: &mut Recorded) -> Result<(), String> {
        recorded.dropped = self.drops.iter().any(|filter| filter.matches(message));
        for edit in self.edits.iter().filter(|edit| edit.filter.matches(message)) {
            let said = &mut recorded.said;
            let wrong =
                |what: String| format!("--edit of {}.{} in frame {}: {what}", said.proto, said.message, recorded.frame);
            let tables = message.flow_info.options.registry.for_line(said.proto).map_or(&[][..], |d| d.tables());
            let layouts: Vec<&Layout> =
                tables.iter().flat_map(|t| t.layouts).filter(|l| l.name == said.message).collect();
            let mut given = Assignments::new(&layouts);
            given.add(&edit.assignment).map_err(|e| wrong(e.to_string()))?;
            let (fields, derived) = given.finish();
            if derived.is_some() {
                return Err(wrong("derived values are not on the wire".into()));
            }
            let captured = said.fields.clone();
            let result = put(&mut said.fields, &fields);
            result.map_err(wrong)?;
            recorded.captured.get_or_insert(captured);
            recorded.edited = true;
        }
        Ok(())
    }
}

/// At the first `: ` outside of quotes.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ':' if !quoted && text.get(at + 1..)?.starts_with(' ') => {
                return Some((text.get(..at)?.trim(), text.get(at + 1..)?.trim()));
            }
            _ => {}
        }
    }
    None
}

/// Puts what was given into a message's fields; a name that is not there may be the payload's.
fn put(fields: &mut Json, given: &Json) -> Result<(), String> {
    let Json::Object(given) = given else { return Ok(()) };
    for (name, value) in given {
        let own = fields.get(name).is_some();
        let within = fields.get("payload").is_some_and(|payload| payload.get(name).is_some());
        let place = match (own, within) {
            (true, _) => fields.get_mut(name),
            (false, true) => fields.get_mut("payload").and_then(|payload| payload.get_mut(name)),
            // A field that is on the wire only where it is given: bytes behind a header, a reason.
            (false, false) => None,
        };
        match place {
            Some(place) => replace(place, value, name)?,
            None => {
                let known = fields.as_object().into_iter().flat_map(|map| map.keys());
                let inner = fields.get("payload").and_then(Json::as_object).into_iter().flat_map(|map| map.keys());
                let all: Vec<&str> = known.chain(inner).map(String::as_str).collect();
                let near = crate::nearest::nearest(name, all.iter().copied());
                return Err(format!("no field {name:?}{}: there are {}", crate::nearest::hint(near), all.join(", ")));
            }
        }
    }
    Ok(())
}

/// Objects are entered, everything else is replaced. A list takes an object or list by index.
fn replace(place: &mut Json, value: &Json, path: &str) -> Result<(), String> {
    match (place, value) {
        (Json::Object(old), Json::Object(new)) if !old.contains_key("raw") && !new.contains_key("raw") => {
            for (name, value) in new {
                match old.get_mut(name) {
                    Some(place) => replace(place, value, name)?,
                    None => return Err(format!("no field {name:?} in {path}")),
                }
            }
            Ok(())
        }
        (place, value) => {
            *place = value.clone();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn where_the_expression_ends() {
        assert_eq!(split("a==1: b=2"), Some(("a==1", "b=2")));
        assert_eq!(split("route ~ \"x: y\": b=a: b"), Some(("route ~ \"x: y\"", "b=a: b")));
        assert_eq!(split("a==1"), None);
    }

    #[test]
    fn fields_of_messages_and_of_their_payloads() {
        let mut fields = json!({"id": 1, "payload": {"position": {"x": 1, "y": 2}}});
        put(&mut fields, &json!({"position": {"x": "10"}})).unwrap();
        put(&mut fields, &json!({"id": "7"})).unwrap();
        assert_eq!(fields, json!({"id": "7", "payload": {"position": {"x": "10", "y": 2}}}));
        assert!(put(&mut fields, &json!({"positon": 1})).unwrap_err().contains("did you mean \"position\""));
        assert!(put(&mut fields, &json!({"position": {"z": 1}})).unwrap_err().contains("no field \"z\""));
        put(&mut fields, &json!({"payload": "00"})).unwrap();
        assert_eq!(fields["payload"], "00");
    }
}
