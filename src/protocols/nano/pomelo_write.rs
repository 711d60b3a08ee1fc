//! pomelo-protobuf from values: writes the bytes that [`super::pomelo`] reads.

use super::protos::{Field, Kind, Message, Protos, Rule};
use crate::codec::bits::varint;
use crate::codec::{EncodeError, digits};
use serde_json::Value as Json;

/// Writes a payload from values with the protos' names, in the order in which they are given.
///
/// # Errors
/// A value that the protos lack, or that has another type.
pub fn write(given: &Json, protos: &Protos, message: u32) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    body(given, protos, message, "payload", &mut out)?;
    Ok(out)
}

fn body(given: &Json, protos: &Protos, message: u32, path: &str, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let (Some(values), Some(table)) = (given.as_object(), protos.get(message)) else {
        return Err(EncodeError::new(path, "expected an object with the values of the protos"));
    };
    for (name, given) in values {
        let own = format!("{path}.{name}");
        let Some((tag, field)) = by_name(table, protos, name) else {
            return Err(EncodeError::new(&own, "the protos have no such field"));
        };
        let key = tag << 3 | wire(field.kind);
        match (field.rule, given) {
            (Rule::Single, _) => {
                varint(key, out);
                value(given, field.kind, protos, &own, out)?;
            }
            (Rule::Repeated, Json::Array(items)) => {
                let each = matches!(field.kind, Kind::Text | Kind::Message(_));
                if !each && !items.is_empty() {
                    varint(key, out);
                    varint(items.len() as u64, out);
                }
                for (at, item) in items.iter().enumerate() {
                    if each {
                        varint(key, out);
                    }
                    value(item, field.kind, protos, &format!("{own}[{at}]"), out)?;
                }
            }
            (Rule::Repeated, _) => return Err(EncodeError::new(&own, "expected a list")),
            (Rule::Pairs, _) => pairs(given, key, field.kind, protos, &own, out)?,
        }
    }
    Ok(())
}

fn by_name<'p>(table: &'p Message, protos: &Protos, name: &str) -> Option<(u64, &'p Field)> {
    table
        .by_tag
        .iter()
        .find(|(_, field)| protos.name(field.name.0, field.name.1) == name)
        .map(|(tag, field)| (*tag, field))
}

/// Writes a map: its key, the count, then key and value of each pair.
fn pairs(
    given: &Json,
    tag_and_wire: u64,
    kind: Kind,
    protos: &Protos,
    path: &str,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let pair = if let Kind::Message(message) = kind { protos.get(message).map(|message| message.pair) } else { None };
    let (Some([Some(key), Some(of_value)]), Some(values)) = (pair, given.as_object()) else {
        return Err(EncodeError::new(path, "expected an object, and protos with its key and value"));
    };
    varint(tag_and_wire, out);
    varint(values.len() as u64, out);
    for (name, given) in values {
        let own = format!("{path}.{name}");
        value(&Json::from(name.as_str()), key.kind, protos, &own, out)?;
        value(given, of_value.kind, protos, &own, out)?;
    }
    Ok(())
}

/// The wire type beside the tag, as pomelo's writers set it.
fn wire(kind: Kind) -> u64 {
    match kind {
        Kind::Double => 1,
        Kind::Text | Kind::Message(_) => 2,
        Kind::Float => 5,
        Kind::Unsigned | Kind::Zigzag | Kind::Bool | Kind::Missing => 0,
    }
}

fn value(given: &Json, kind: Kind, protos: &Protos, path: &str, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    if !matches!(kind, Kind::Message(_))
        && let Some(raw) = given.get("raw").and_then(Json::as_str)
    {
        let bytes = hex::decode(raw).map_err(|_| EncodeError::new(path, "expected hex digits under \"raw\""))?;
        if kind == Kind::Text {
            varint(bytes.len() as u64, out);
        }
        out.extend_from_slice(&bytes);
        return Ok(());
    }
    let expected = |what: &str| EncodeError::new(path, format!("expected {what}, got {given}"));
    let real = || match given {
        Json::String(text) => digits::real(text),
        other => other.as_f64(),
    };
    let whole = || match given {
        Json::String(text) => digits::whole(text),
        other => other.as_u64().map(i128::from).or_else(|| other.as_i64().map(i128::from)),
    };
    match kind {
        Kind::Unsigned => {
            let number = whole().and_then(|n| u64::try_from(n).ok());
            varint(number.ok_or_else(|| expected("a whole number from 0 up"))?, out);
        }
        Kind::Zigzag => {
            let number = whole().and_then(|n| i64::try_from(n).ok()).ok_or_else(|| expected("a whole number"))?;
            varint((number << 1 ^ number >> 63) as u64, out);
        }
        Kind::Bool => match given {
            Json::Bool(is) => varint(u64::from(*is), out),
            Json::String(text) if text == "true" || text == "false" => varint(u64::from(text == "true"), out),
            // A boolean that was read from a number other than 0 and 1.
            other => varint(other.as_u64().ok_or_else(|| expected("true or false"))?, out),
        },
        Kind::Float => {
            let number = real().ok_or_else(|| expected("a number"))?;
            out.extend_from_slice(&(number as f32).to_le_bytes());
        }
        Kind::Double => out.extend_from_slice(&real().ok_or_else(|| expected("a number"))?.to_le_bytes()),
        Kind::Text => {
            let text = given.as_str().ok_or_else(|| expected("text"))?;
            varint(text.len() as u64, out);
            out.extend_from_slice(text.as_bytes());
        }
        Kind::Message(message) => {
            let mut inner = Vec::new();
            body(given, protos, message, path, &mut inner)?;
            varint(inner.len() as u64, out);
            out.extend_from_slice(&inner);
        }
        Kind::Missing => return Err(EncodeError::new(path, "the protos lack this field's type")),
    }
    Ok(())
}
