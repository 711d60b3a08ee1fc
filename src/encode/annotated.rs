//! Converts the annotated form of `decode -f json`, in which `fields` is a list of
//! `{"name","value",..}`, to the plain one.

use serde_json::{Map, Value as Json};

/// A list of annotated fields as a plain object, and the derived values among them.
///
/// # Errors
/// The path of an element that is not an annotated field, and the expected form.
pub fn plain(fields: &[Json]) -> Result<(Json, Option<Json>), String> {
    let mut both = Both::default();
    for (k, field) in fields.iter().enumerate() {
        let place = format!("fields[{k}]");
        let name = field.get("name").and_then(Json::as_str).ok_or_else(|| no_field(&place))?;
        let one = value(field, &place, is(field, "derived"))?;
        both.insert(name, one);
    }
    Ok((Json::Object(both.fields), (!both.derived.is_empty()).then_some(Json::Object(both.derived))))
}

fn no_field(place: &str) -> String {
    format!("{place}: expected {{\"name\":..,\"value\":..}}, as decode -f json prints them")
}

fn is(field: &Json, what: &str) -> bool {
    field.get(what) == Some(&Json::Bool(true))
}

/// An annotated field's value on the wire and its derived value; it has one of them or both.
#[derive(Default)]
struct One {
    field: Option<Json>,
    derived: Option<Json>,
}

#[derive(Default)]
struct Both {
    fields: Map<String, Json>,
    derived: Map<String, Json>,
}

impl Both {
    fn insert(&mut self, name: &str, one: One) {
        if let Some(field) = one.field {
            self.fields.insert(name.into(), field);
        }
        if let Some(derived) = one.derived {
            self.derived.insert(name.into(), derived);
        }
    }
}

/// Converts a field. `derived`: whether it is inside a derived value, so that all its parts are derived.
fn value(field: &Json, place: &str, derived: bool) -> Result<One, String> {
    // Hidden fields are never given: they come from the table, or are computed.
    if is(field, "hidden") {
        return Ok(One::default());
    }
    let leaf = |value: Json| match derived {
        true => One { field: None, derived: Some(value) },
        false => One { field: Some(value), derived: None },
    };
    let Some(below) = field.get("fields") else {
        return field.get("value").map(|v| leaf(v.clone())).ok_or_else(|| no_field(place));
    };
    let items = below.as_array().ok_or_else(|| format!("{place}.fields: expected a list"))?;
    if is_list(field) {
        let (mut list, mut derived_list, mut some) = (Vec::new(), Vec::new(), false);
        for (k, item) in items.iter().enumerate() {
            let one = value(item, &format!("{place}.fields[{k}]"), derived || is(item, "derived"))?;
            list.extend(one.field);
            some |= one.derived.is_some();
            derived_list.push(one.derived.unwrap_or_else(|| Json::Object(Map::new())));
        }
        return Ok(match derived {
            true => leaf(Json::Array(derived_list)),
            false => One { field: Some(Json::Array(list)), derived: some.then_some(Json::Array(derived_list)) },
        });
    }
    let mut both = Both::default();
    for (k, item) in items.iter().enumerate() {
        let place = format!("{place}.fields[{k}]");
        let name = item.get("name").and_then(Json::as_str).ok_or_else(|| no_field(&place))?;
        let one = value(item, &place, derived || is(item, "derived"))?;
        both.insert(name, one);
    }
    Ok(match derived {
        true => leaf(Json::Object(both.derived)),
        false => One {
            field: Some(Json::Object(both.fields)),
            derived: (!both.derived.is_empty()).then_some(Json::Object(both.derived)),
        },
    })
}

/// The elements of a list are named by their index; anything else nested is a group.
fn is_list(field: &Json) -> bool {
    field.get("type").and_then(Json::as_str) == Some("list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_groups_and_what_is_derived() {
        let annotated = json!([
            {"name": "type", "value": 9, "type": "u8", "hidden": true},
            {"name": "links", "type": "list", "fields": [
                {"name": "[0]", "type": "group", "fields": [
                    {"name": "id", "value": 4, "type": "u16le"},
                    {"name": "type", "value": "uint8", "type": "derived", "derived": true}]},
                {"name": "[1]", "type": "group", "fields": [{"name": "id", "value": 5, "type": "u16le"}]}]},
            {"name": "route", "value": 7, "derived": true},
        ]);
        let (fields, derived) = plain(annotated.as_array().unwrap()).unwrap();
        assert_eq!(fields, json!({"links": [{"id": 4}, {"id": 5}]}));
        assert_eq!(derived, Some(json!({"links": [{"type": "uint8"}, {}], "route": 7})));
    }

    #[test]
    fn errors_name_the_place() {
        let annotated = json!([{"name": "a", "value": 1}, {"name": "b", "type": "group", "fields": [{"value": 1}]}]);
        assert!(plain(annotated.as_array().unwrap()).unwrap_err().starts_with("fields[1].fields[0]: expected"));
    }
}
