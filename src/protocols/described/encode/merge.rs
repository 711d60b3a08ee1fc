//! Merges the lines of one packet.

use super::super::Description;
use super::error;
use crate::codec::EncodeError;
use crate::codec::layout::{Field, Kind, flag};
use crate::codec::names::everywhere;
use serde_json::Value as Json;

/// Adds the elements of another line of the same packet. `lists`: the names of the lists that carry messages.
pub fn merge(root: &mut Json, more: Json, path: &str, lists: &[&str]) -> Result<(), EncodeError> {
    let (Json::Object(map), Json::Object(more)) = (root, more) else { return Ok(()) };
    for (name, value) in more {
        match (map.get_mut(&name), value) {
            (None, value) => _ = map.insert(name, value),
            (Some(Json::Array(list)), Json::Array(elements)) if lists.contains(&name.as_str()) => list.extend(elements),
            (Some(known @ Json::Object(_)), value @ Json::Object(_)) => {
                merge(known, value, &format!("{path}{name}."), lists)?;
            }
            (Some(known), value) if *known == value => {}
            (Some(_), _) if name == "unparsed" => {}
            _ => return Err(error(&format!("{path}{name}"), "differs from that of the packet's other parts")),
        }
    }
    Ok(())
}

/// The names of the lists that carry messages.
pub fn lists(description: &'static Description) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut one = |field: &'static Field| {
        if field.is(flag::CARRIES) && matches!(field.kind, Kind::Array { .. }) {
            names.push(field.name);
        }
    };
    everywhere(description.packet, &mut one);
    description.choices().for_each(|choice| everywhere(choice.layout.fields, &mut one));
    names
}
