//! Merges the lines of one packet.

use super::error;
use crate::codec::EncodeError;
use serde_json::Value as Json;

/// Adds the elements of another line of the same packet.
pub fn merge(root: &mut Json, more: Json, path: &str) -> Result<(), EncodeError> {
    let (Json::Object(map), Json::Object(more)) = (root, more) else { return Ok(()) };
    for (name, value) in more {
        match (map.get_mut(&name), value) {
            (None, value) => _ = map.insert(name, value),
            (Some(Json::Array(list)), Json::Array(elements))
                if elements.iter().any(holds_fields) || list.iter().any(holds_fields) =>
            {
                list.extend(elements);
            }
            (Some(known @ Json::Object(_)), value @ Json::Object(_)) => merge(known, value, &format!("{path}{name}."))?,
            (Some(known), value) if *known == value => {}
            (Some(_), _) if name == "unparsed" => {}
            _ => return Err(error(&format!("{path}{name}"), "differs from that of the packet's other parts")),
        }
    }
    Ok(())
}

/// Whether it is an element with fields.
fn holds_fields(value: &Json) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty())
}
