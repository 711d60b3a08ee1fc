//! Converts the value of an assignment to the form of its field.

use crate::codec::digits;
use crate::codec::layout::{Field, Kind, Len, Show};
use crate::filter::range;
use crate::nearest::{hint, nearest};
use serde_json::Value as Json;

/// A value as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Without quotes.
    Word(String),
    /// In quotes: text, a name, hex digits.
    Quoted(String),
    /// A list, a group, or anything after `:=`.
    Json(Json),
}

impl Given {
    /// The value as text.
    pub(crate) fn text(&self) -> String {
        match self {
            Given::Word(text) | Given::Quoted(text) => text.clone(),
            Given::Json(value) => value.to_string(),
        }
    }

    /// Returns the number. In quotes, a number is text.
    fn number(&self) -> Option<Json> {
        let Given::Word(word) = self else { return None };
        whole(word).or_else(|| digits::real(word).map(Json::from))
    }
}

/// Parses a whole number that JSON can hold exactly.
fn whole(word: &str) -> Option<Json> {
    let n = digits::whole(word)?;
    u64::try_from(n).map(Json::from).or_else(|_| i64::try_from(n).map(Json::from)).ok()
}

/// Returns the value in the form that the encoder takes for this field.
///
/// # Errors
/// Returns the reason why the field never has such a value.
pub fn typed(field: &'static Field, given: &Given) -> Result<Json, String> {
    let name = field.name;
    let text = match given {
        Given::Json(value) => return Ok(value.clone()),
        Given::Word(text) | Given::Quoted(text) => text.as_str(),
    };
    let number = || given.number().ok_or_else(|| format!("{name} is a number, got {text:?}"));
    match (&field.kind, field.show) {
        (_, Show::Enum(names)) if names.iter().any(|(_, n)| *n == text) => Ok(text.into()),
        (_, Show::Enum(names)) if given.number().is_none() => Err(never(name, text, names)),
        (_, Show::Flags(flags)) => {
            let one = |word: &str| match flags.names.iter().any(|(_, n)| *n == word) {
                true => Ok(Json::from(word)),
                false => whole(word).ok_or_else(|| never(name, word, flags.names)),
            };
            text.split(['|', '+', ',']).map(str::trim).filter(|w| !w.is_empty()).map(one).collect()
        }
        (_, Show::Scaled(_)) | (Kind::Float { .. }, _) => {
            number()?.as_f64().map(Json::from).ok_or_else(|| format!("{name} is a number, got {text:?}"))
        }
        (Kind::Text { .. }, _) | (_, Show::Time { .. }) => Ok(text.into()),
        (Kind::Bytes { len }, _) => hex(name, text, *len),
        (Kind::Bool { .. }, _) => match text {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => Err(format!("{name} is true or false, got {text:?}")),
        },
        (Kind::Struct(_) | Kind::Ring { .. }, _) => {
            Err(format!("{name} is a group: set one of its fields, or give JSON"))
        }
        (Kind::Derived, _) => Err(format!("{name} is known from earlier messages, and not on the wire")),
        (Kind::Custom(_) | Kind::Switch { .. } | Kind::Array { .. } | Kind::Inline(_), _) => {
            Ok(given.number().unwrap_or_else(|| text.into()))
        }
        _ => {
            let number = number()?;
            let within = |(least, most): (i128, i128)| digits::whole(text).is_some_and(|n| (least..=most).contains(&n));
            match range(field) {
                Some(range) if !within(range) => {
                    Err(format!("{name} is a whole number from {} to {}, got {text}", range.0, range.1))
                }
                _ => Ok(number),
            }
        }
    }
}

fn never(name: &str, text: &str, names: &[(u64, &str)]) -> String {
    let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    let near = hint(nearest(text, names.iter().copied()));
    format!("{name} has no value {text:?}{near}: expected one of {}", names.join(", "))
}

fn hex(name: &str, text: &str, len: Len) -> Result<Json, String> {
    if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("{name} is bytes: expected hex digits, got {text:?}"));
    }
    match len {
        _ if !text.len().is_multiple_of(2) => Err(format!("{name} is bytes: {text:?} has an odd number of hex digits")),
        Len::Const(n) if text.len() != 2 * n as usize => {
            Err(format!("{name} is always {n} bytes long: {text:?} is not"))
        }
        _ => Ok(text.into()),
    }
}

/// Returns the value in place of another one, if no table gives the type. The types must be equal.
///
/// # Errors
/// The types differ.
pub fn alike(name: &str, old: &Json, given: &Given) -> Result<Json, String> {
    let text = given.text();
    match (old, given) {
        (_, Given::Json(value)) => Ok(value.clone()),
        (Json::String(_), _) => Ok(text.into()),
        (Json::Number(_), _) => given.number().ok_or_else(|| format!("{name} is a number, got {text:?}")),
        (Json::Bool(_), _) => match text.as_str() {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => Err(format!("{name} is true or false, got {text:?}")),
        },
        (Json::Array(_), _) => Err(format!("{name} is a list: give JSON, or one of its elements as {name}[0]")),
        (Json::Object(_), _) => Err(format!("{name} is a group: set one of its fields, or give JSON")),
        (Json::Null, _) => Ok(given.number().unwrap_or_else(|| text.into())),
    }
}
