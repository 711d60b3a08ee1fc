//! `FIELD=VALUE` of a command line as a JSON object of fields.
//!
//! `a.b[2].c=5` and `a.b.2.c=5` address nested fields; `derived.x=1` sets a derived value, and `packet.x=1` a field of the
//! headers around the message. A value that starts like a list or an object and is valid JSON is JSON, any other is text,
//! which the encoder converts according to the field; `FIELD:=JSON` is always JSON.

use crate::codec::layout::{Field, Kind, Layout, flag};
use crate::codec::{digits, names};
use crate::plural::Plural;
use crate::printable::Printable;
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// The cap on the length of lists given by elements.
const LONGEST_LIST: usize = 65_536;

/// An invalid `FIELD=VALUE`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: {}", Printable(.text), Printable(.what))]
pub struct AssignError {
    /// The text as given.
    pub text: String,
    /// The mistake, and the expected form.
    pub what: String,
}

/// The fields of one message, given as single assignments.
pub struct Assignments<'a> {
    layouts: &'a [&'static Layout],
    in_payload: Option<InPayload<'a>>,
    fields: Json,
    derived: Json,
    packet: Json,
}

/// Whether the names of a path, with or without `payload`, are those of the payload: `Some(true)` if any name would be.
type InPayload<'a> = &'a dyn Fn(&[&str]) -> Option<bool>;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep<'a> {
    /// A field of a group.
    Name(&'a str),
    /// An element of a list.
    Index(usize),
}

impl<'a> Assignments<'a> {
    /// The assignments of a message with these layouts (one per version): the value of a text field stays text.
    pub fn new(layouts: &'a [&'static Layout]) -> Assignments<'a> {
        let [fields, derived, packet] = [(); 3].map(|()| Json::Object(Map::new()));
        Assignments { layouts, in_payload: None, fields, derived, packet }
    }

    /// Adds the lookup of names in payloads: these need no `payload.` before them.
    pub fn scoped(self, in_payload: InPayload<'a>) -> Assignments<'a> {
        Assignments { in_payload: Some(in_payload), ..self }
    }

    /// Adds one `FIELD=VALUE` or `FIELD:=JSON`.
    ///
    /// # Errors
    /// The mistake: no `=`, invalid JSON, given twice, an index past the list's end.
    pub fn add(&mut self, text: &str) -> Result<(), AssignError> {
        self.try_add(text).map_err(|what| AssignError { text: text.into(), what })
    }

    fn try_add(&mut self, text: &str) -> Result<(), String> {
        let (path, value) = text.split_once('=').ok_or("expected FIELD=VALUE")?;
        let within;
        let rooted = path.starts_with("payload.") || path.starts_with("derived.");
        let path = match !rooted && self.in_payload(path).is_some() {
            true => {
                within = format!("payload.{path}");
                &within
            }
            false => path,
        };
        let listed;
        let path = match (path.strip_prefix("payload."), self.payloads()) {
            (Some(rest), Some(list)) => {
                listed = format!("{list}[0].{rest}");
                &listed
            }
            _ => path,
        };
        let (path, value) = match path.strip_suffix(':') {
            Some(path) => (path, super::bounded(value)?),
            None => (path, self.guess(path, value)),
        };
        let is_own = self.layouts.iter().any(|layout| names::has("packet", layout.fields));
        let (root, path) = match (path.strip_prefix("derived."), path.strip_prefix("packet.")) {
            (Some(path), _) => (&mut self.derived, path),
            (_, Some(path)) if !is_own => (&mut self.packet, path),
            _ => (&mut self.fields, path),
        };
        put(root, &steps(path)?, value)
    }

    /// The list whose first element has the fields that `payload.X` names.
    fn payloads(&self) -> Option<&'static str> {
        let fields = self.layouts.iter().flat_map(|layout| layout.fields);
        fields.into_iter().find(|field| field.is(flag::PAYLOADS)).map(|list| list.name)
    }

    /// See [`InPayload`].
    fn in_payload(&self, path: &str) -> Option<bool> {
        self.in_payload.and_then(|is| is(&words(&steps(path.trim_end_matches(':')).ok()?)))
    }

    /// Returns the fields, the derived values, and the fields of the headers around the message.
    pub fn finish(self) -> (Json, Option<Json>, Option<Json>) {
        let given = |group: Json| Some(group).filter(|group| group.as_object().is_some_and(|map| !map.is_empty()));
        (self.fields, given(self.derived), given(self.packet))
    }

    /// The value as text or JSON, if it is not explicitly JSON.
    fn guess(&self, path: &str, value: &str) -> Json {
        if !path.starts_with("derived.") && self.in_payload(path) == Some(true) {
            let literal = super::bounded(value).ok().filter(|value| !value.is_string());
            return literal.unwrap_or_else(|| value.into());
        }
        let steps = steps(path).unwrap_or_default();
        let name = words(&steps).last().copied();
        let (mut text, mut other, mut codec) = (false, false, false);
        let mut kind = |field: &'static Field| {
            if Some(field.name) == name {
                match field.kind {
                    Kind::Text { .. } => text = true,
                    // Hex digits stay text, even if they look like a number.
                    Kind::Bytes { .. } => {}
                    Kind::Custom(_) => codec = true,
                    _ => other = true,
                }
            }
        };
        self.layouts.iter().for_each(|layout| names::everywhere(layout.fields, &mut kind));
        // Tables accept numbers as text; a custom codec may accept only JSON numbers.
        let word = codec && !text && !other;
        let json = value.trim_start().starts_with(['[', '{']) && (!text || other || value.contains("\"raw\""));
        match json || word {
            true => super::bounded(value).ok().filter(|v| json || !v.is_string()).unwrap_or_else(|| value.into()),
            false => value.into(),
        }
    }
}

/// The names of a path, without its indexes.
pub(crate) fn words<'a>(path: &[PathStep<'a>]) -> Vec<&'a str> {
    let name = |step: &PathStep<'a>| match step {
        PathStep::Name(name) => Some(*name),
        PathStep::Index(_) => None,
    };
    path.iter().filter_map(name).collect()
}

/// Splits `a.b[2].c` into path steps.
pub(crate) fn steps(path: &str) -> Result<Vec<PathStep<'_>>, String> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        match digits::unsigned(name) {
            Some(index) if !steps.is_empty() => steps.push(PathStep::Index(index)),
            _ if name.is_empty() => return Err("a field's name is missing".into()),
            _ => steps.push(PathStep::Name(name)),
        }
        while !rest.is_empty() {
            let (index, after) = rest
                .strip_prefix('[')
                .and_then(|r| r.split_once(']'))
                .ok_or_else(|| format!("{part:?}: expected NAME[INDEX]"))?;
            let number = digits::unsigned(index).ok_or_else(|| format!("expected an index, got {index:?}"))?;
            steps.push(PathStep::Index(number));
            rest = after;
        }
    }
    Ok(steps)
}

fn put(root: &mut Json, steps: &[PathStep<'_>], value: Json) -> Result<(), String> {
    let mut place = root;
    for step in steps {
        place = match step {
            PathStep::Name(name) => {
                if place.is_null() {
                    *place = Json::Object(Map::new());
                }
                let map =
                    place.as_object_mut().ok_or_else(|| format!("{name:?}: the value before it is not a group"))?;
                map.entry(*name).or_insert(Json::Null)
            }
            PathStep::Index(index) => {
                if place.is_null() {
                    *place = Json::Array(Vec::new());
                }
                let list =
                    place.as_array_mut().ok_or_else(|| format!("[{index}]: the value before it is not a list"))?;
                if *index == list.len() && list.len() < LONGEST_LIST {
                    list.push(Json::Null);
                }
                let length = list.len();
                list.get_mut(*index)
                    .ok_or_else(|| format!("[{index}] skips elements: the list has {}", Plural(length, "element")))?
            }
        };
    }
    if !place.is_null() {
        return Err("given twice".into());
    }
    *place = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::layout::*;
    use serde_json::json;

    static LAYOUT: Layout =
        Layout::new("test", "", &[u8("id"), latin1("title", Len::Rest), group("t2", &[u32le("sec"), u32le("usec")])]);

    fn fields(list: &[&str]) -> Result<(Json, Option<Json>), String> {
        let layouts = [&LAYOUT];
        let mut all = Assignments::new(&layouts);
        list.iter().try_for_each(|text| all.add(text)).map_err(|e| e.to_string())?;
        let (fields, derived, _) = all.finish();
        Ok((fields, derived))
    }

    #[test]
    fn paths_lists_and_json() {
        let got = fields(&["id=3", "t2.sec=5", "t2.usec=6", "links[0].id=1", "links.1.id=2", "v=[{\"a\":1}]"]).unwrap();
        let want =
            json!({"id": "3", "t2": {"sec": "5", "usec": "6"}, "links": [{"id": "1"}, {"id": "2"}], "v": [{"a": 1}]});
        assert_eq!(got, (want, None));
        assert_eq!(fields(&["derived.route=x", "a:=7"]).unwrap(), (json!({"a": 7}), Some(json!({"route": "x"}))));
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(fields(&["title=[1]"]).unwrap().0, json!({"title": "[1]"}));
        assert_eq!(fields(&["title=a=b"]).unwrap().0, json!({"title": "a=b"}));
        assert_eq!(
            fields(&["title={\"raw\":\"00\",\"bits\":8}"]).unwrap().0,
            json!({"title": {"raw": "00", "bits": 8}})
        );
    }

    #[test]
    fn invalid_assignments() {
        assert_eq!(fields(&["id"]).unwrap_err(), "id: expected FIELD=VALUE");
        assert_eq!(fields(&["id=1", "id=2"]).unwrap_err(), "id=2: given twice");
        assert!(fields(&["a[1]=2"]).unwrap_err().contains("skips elements"));
        assert!(fields(&["a=1", "a.b=2"]).unwrap_err().contains("not a group"));
        assert!(fields(&["a:={"]).unwrap_err().contains("invalid JSON"));
        assert!(fields(&["=1"]).unwrap_err().contains("missing"));
        assert!(fields(&["a[x]=1"]).unwrap_err().contains("expected an index"));
    }
}
