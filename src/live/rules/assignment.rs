//! `FIELD=VALUE` of a rule. It is checked against the tables of all messages that the rule's filter can match, then put
//! into the fields of one.

use super::value::{Given, alike, typed};
use crate::codec::layout::{Field, Kind, Show};
use crate::encode::{PathStep, steps, words};
use crate::filter::{Deepest, Names};
use crate::message::OwnedMessage;
use crate::nearest::{hint, nearest};
use serde_json::Value as Json;

/// One `FIELD=VALUE`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The field's path, as written.
    pub path: String,
    /// The value, as written.
    pub value: Given,
}

/// The reason why an assignment fits no message.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is no such field.
    Path(String),
    /// The field never has that value.
    Value(String),
}

/// Kinds of messages: each has a protocol and a name.
pub type Kinds<'k> = &'k [(&'static str, &'static str)];

impl Assignment {
    /// Checks it against all kinds of messages to which it may be applied: one must have the field, and the field must
    /// be able to have the value.
    ///
    /// # Errors
    /// Returns the mistake.
    pub fn check(&self, kinds: Kinds<'_>, names: &Names<'_>) -> Result<(), Misfit> {
        let path = self.steps().map_err(Misfit::Path)?;
        let (mut wrong, mut near): (Option<String>, Option<(usize, Vec<&str>)>) = (None, None);
        for (proto, message) in kinds {
            match fields_of(proto, message, &path, names) {
                // Messages of other protocols that would accept any name do not count.
                Ok(found) if found.guessed() && names.proto != Some(proto) && kinds.iter().any(|(p, _)| p != proto) => {
                }
                Ok(found) if found.open => return Ok(()),
                Ok(found) => match first(&found.fields, &self.value) {
                    Ok(_) => return Ok(()),
                    Err(what) => _ = wrong.get_or_insert(what),
                },
                Err(Deepest { step, names: known }) => match &mut near {
                    Some((best, all)) if *best == step => all.extend(known),
                    Some((best, _)) if *best > step => {}
                    _ => near = Some((step, known)),
                },
            }
        }
        if let Some(what) = wrong {
            return Err(Misfit::Value(what));
        }
        let (step, known) = near.unwrap_or_default();
        let name = path.get(step).copied().unwrap_or(&self.path);
        let inside = |(proto, message): &(&str, &str)| names.inside(Some(proto), Some(message), name, &known);
        let inside = kinds.iter().filter(|_| step == 0).find_map(inside);
        let near = hint(inside.as_deref().or_else(|| nearest(name, known)));
        let whose = match kinds {
            [] => return Err(Misfit::Path("no message matches the condition".into())),
            [(proto, message)] => format!("{proto}.{message} has"),
            _ => "no matching message has".into(),
        };
        let no = if kinds.len() == 1 { "no field" } else { "a field" };
        let advice = match path.first() {
            Some(&"payload") if step == 1 && names.schemas.is_empty() => "; --schema FILE describes payloads",
            _ => "",
        };
        Err(Misfit::Path(format!("{whose} {no} {name:?}{near}{advice}")))
    }

    /// Puts the value into the fields of a message of this protocol and name. Returns the value and its places: several
    /// if several payloads of the message have the field.
    ///
    /// # Errors
    /// The message has no such field, or the field has another type.
    pub fn make(
        &self,
        proto: &str,
        message: &str,
        places: &mut Places<'_>,
        names: &Names<'_>,
    ) -> Result<Vec<Put>, String> {
        let path = steps(self.path()).map_err(|what| format!("{:?}: {what}", self.path))?;
        let Some(list) = names.payloads(proto, message) else {
            return Ok(vec![self.put(path, proto, message, places, names)?]);
        };
        let own = present(&places.fields, &path) || present(&places.packet, &path);
        let inner = match path.first() {
            Some(PathStep::Name("payload")) => &path[1..],
            _ => &path[..],
        };
        let all = places.fields.get(list).and_then(Json::as_array).filter(|_| !own).into_iter().flatten().enumerate();
        let having: Vec<usize> = all.filter(|(_, payload)| present(payload, inner)).map(|(at, _)| at).collect();
        if having.is_empty() {
            let none = |what: String| match path.first() {
                Some(PathStep::Name("payload")) if !own => {
                    format!("no packet has a field {:?}", words(inner).join("."))
                }
                _ => what,
            };
            return Ok(vec![self.put(path.clone(), proto, message, places, names).map_err(none)?]);
        }
        let of = |at: usize| [PathStep::Name(list), PathStep::Index(at)].into_iter().chain(inner.iter().copied());
        having.into_iter().map(|at| self.put(of(at).collect(), proto, message, places, names)).collect()
    }

    /// Puts the value at one path.
    fn put(
        &self,
        mut full: Vec<PathStep<'_>>,
        proto: &str,
        message: &str,
        places: &mut Places<'_>,
        names: &Names<'_>,
    ) -> Result<Put, String> {
        let Places { fields, packet, opened } = places;
        let header = full.first() == Some(&PathStep::Name("packet")) && full.len() > 1;
        if header {
            full.remove(0);
        }
        let header = header || !present(fields, &full) && present(packet, &full);
        if !header && !present(fields, &full) {
            let payload = PathStep::Name("payload");
            match opened {
                Some(_) if full.first() == Some(&payload) => {}
                Some((name, _)) if full.first() == Some(&PathStep::Name(name)) => full[0] = payload,
                Some(_) => full.insert(0, payload),
                None if fields.get("payload").is_some_and(Json::is_object) => full.insert(0, payload),
                None => {}
            }
        }
        if let (false, Some((_, values)), [PathStep::Name("payload"), _, ..]) = (header, opened, &full[..])
            && fields.get("payload").is_none_or(Json::is_string)
        {
            fields["payload"] = values.clone();
        }
        let found = fields_of(proto, message, &words(&full), names).ok();
        let (place, pointer) = place(if header { packet } else { fields }, &full)?;
        let name = self.path.as_str();
        let known = found.filter(|found| !found.fields.is_empty()).map(|found| found.fields);
        let value = match (&known, &*place) {
            (Some(fields), old) => {
                let list = old.is_array() && !fields.iter().any(|f| matches!(f.show, Show::Flags(_)));
                let group = old.is_object() && old.get("raw").is_none() && !fields.iter().any(is_bytes);
                match &self.value {
                    Given::Word(_) | Given::Quoted(_) if list || group => alike(name, old, &self.value)?,
                    given => first(fields, given)?,
                }
            }
            (None, old) => alike(name, old, &self.value)?,
        };
        *place = value.clone();
        Ok(Put { name: self.path.clone(), pointer, value, header })
    }

    fn path(&self) -> &str {
        self.path.strip_prefix("fields.").unwrap_or(&self.path)
    }

    /// Returns the names of the path, without the indexes.
    fn steps(&self) -> Result<Vec<&str>, String> {
        if self.path.starts_with("derived.") {
            return Err("derived values are not on the wire".into());
        }
        let path = self.path();
        Ok(words(&steps(path.strip_prefix("packet.").unwrap_or(path))?))
    }
}

/// The parts of a message that edits change.
pub struct Places<'m> {
    /// The message's fields.
    pub fields: Json,
    /// The fields of the headers around it.
    pub packet: Json,
    /// The derived value that shows the content of the payload, with its name.
    pub opened: Option<(&'static str, &'m Json)>,
}

/// A value that was put, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    /// The field, as the user named it.
    pub name: String,
    /// The JSON pointer of its place among the fields.
    pub pointer: String,
    /// The value.
    pub value: Json,
    /// Whether its place is among the fields of the headers around the message.
    header: bool,
}

impl Put {
    /// Returns the fields that were changed, as the user named them: each once.
    pub fn names(puts: &[Put]) -> Vec<String> {
        let mut names: Vec<String> = puts.iter().map(|put| put.name.clone()).collect();
        names.dedup();
        names
    }

    /// Whether it is in a header around the message.
    pub fn in_header(&self) -> bool {
        self.header
    }

    /// Whether its place is this one, or inside it.
    pub fn at(&self, pointer: &str) -> bool {
        self.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the path from the message's fields, without indexes: `links.link_id`.
    pub fn plain(&self) -> String {
        let names = self.pointer.split('/').filter(|step| !step.bytes().all(|b| b.is_ascii_digit()));
        names.collect::<Vec<_>>().join(".")
    }

    /// Whether this message still has the value.
    pub fn is_in(&self, decoded: &OwnedMessage) -> bool {
        let fields = if self.header { decoded.packet_json() } else { decoded.to_json() };
        fields.pointer(&self.pointer) == Some(&self.value)
    }

    /// Puts the value into its place in a message that has one.
    pub fn put_into(&self, message: OwnedMessage) -> OwnedMessage {
        let mut fields = if self.header { message.packet_json() } else { message.to_json() }.clone();
        if let Some(place) = fields.pointer_mut(&self.pointer) {
            *place = self.value.clone();
        }
        if self.header { message.with_packet(fields) } else { message.with_fields(fields) }
    }
}

fn is_bytes(field: &&'static Field) -> bool {
    matches!(field.kind, Kind::Bytes { .. } | Kind::Text { .. })
}

type Lookup = Result<crate::filter::NamedFields<'static>, Deepest>;

/// Returns the fields that a path means in a kind of message: its own, or those of its payload.
fn fields_of(proto: &str, message: &str, path: &[&str], names: &Names<'_>) -> Lookup {
    let own = names.find(Some(proto), Some(message), path);
    own.or_else(|Deepest { step, names: mut known }| {
        let inner: Vec<&str> = std::iter::once("payload").chain(path.iter().copied()).collect();
        let found = names.find(Some(proto), Some(message), &inner);
        if found.is_ok() && step == 0 && names.in_payload(proto, message, path).is_none() {
            return Err(Deepest { step, names: known });
        }
        found.map_err(|Deepest { step: inside, names: more }| match inside.saturating_sub(1) {
            // Both lead equally far, so either may be meant.
            deep if deep == step && inside > 0 => {
                known.extend(more);
                Deepest { step, names: known }
            }
            deep if deep > step => Deepest { step: deep, names: more },
            _ => Deepest { step, names: known },
        })
    })
}

/// Returns the value for the first field that accepts it.
fn first(fields: &[&'static Field], given: &Given) -> Result<Json, String> {
    let mut wrong = None;
    for field in fields {
        match typed(field, given) {
            Ok(value) => return Ok(value),
            Err(what) => _ = wrong.get_or_insert(what),
        }
    }
    Err(wrong.unwrap_or_else(|| "there is no such field".into()))
}

fn present(fields: &Json, path: &[PathStep<'_>]) -> bool {
    matches!(path.first(), Some(PathStep::Name(name)) if fields.get(*name).is_some())
}

/// Returns the place that a path leads to, and its JSON pointer.
fn place<'j>(fields: &'j mut Json, path: &[PathStep<'_>]) -> Result<(&'j mut Json, String), String> {
    let (mut place, mut before, mut pointer) = (fields, String::new(), String::new());
    for step in path {
        let known: Vec<String> = place.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
        let (shown, text) = match step {
            PathStep::Name(name) => (format!("field {name:?}"), name.to_string()),
            PathStep::Index(at) => (format!("[{at}]"), at.to_string()),
        };
        let component = ["x", "y", "z", "w"].iter().position(|c| *c == text);
        let (key, next) = match (step, &mut *place) {
            (PathStep::Name(_), Json::Array(items)) => {
                (component.unwrap_or_default().to_string(), component.and_then(|at| items.get_mut(at)))
            }
            (PathStep::Name(name), group) => (text.clone(), group.get_mut(*name)),
            (PathStep::Index(at), list) => (text.clone(), list.get_mut(*at)),
        };
        pointer = format!("{pointer}/{key}");
        place = next.ok_or_else(|| {
            let near = hint(nearest(&text, known.iter().map(String::as_str)));
            let there = if known.is_empty() { String::new() } else { format!(": there are {}", known.join(", ")) };
            let inside = if before.is_empty() { String::new() } else { format!(" in {before}") };
            format!("no {shown}{inside}{near}{there}")
        })?;
        before = text;
    }
    Ok((place, pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_what_is_inside_them() {
        let put = Put { name: "hp".into(), pointer: "/links/0/hp".into(), value: Json::Null, header: false };
        for (place, is) in [("/links/0/hp", true), ("/links", true), ("", true), ("/links/0/h", false), ("/hp", false)]
        {
            assert_eq!(put.at(place), is, "{place}");
        }
    }
}
