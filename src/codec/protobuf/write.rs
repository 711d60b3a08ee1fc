//! Converts a message's fields to records, in the order of their numbers, and makes random messages.

use super::{Message, OTHERS, Record, UNKNOWN, WIRE, WireType, key, other, read};
use crate::codec::bits::varint;
use crate::codec::json::{fields_json, value_of};
use crate::codec::layout::{Count, Field, Kind};
use crate::codec::walk::{self, Wire};
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Sources, Tree, Writer};
use serde_json::Value as Json;

/// Writes the message from the current object, or from the one that the field names.
pub fn message(message: &Message, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
    if field.name.is_empty() {
        return body(message, writer);
    }
    let group = writer.enter(field)?;
    writer.describe_group(message.fields);
    let done = body(message, writer);
    writer.leave(field, group, done.is_ok());
    done
}

fn body(message: &Message, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
    let unknown = others(writer)?;
    let Some(wire) = writer.input(&WIRE) else { return records(message, &unknown, writer) };
    let at = writer.position();
    writer.put_raw_form(wire)?;
    let original = writer.out.split_off(at).into_bytes();
    // The original form counts if it has the values of the fields.
    let values = values(message, &original).unwrap_or_default();
    // All are looked up, so that none counts as unknown.
    let all = message.fields.iter().chain([&UNKNOWN]);
    let changed = all.filter(|field| !alike(writer.input(field), values.get(field.name))).count();
    if changed == 0 {
        writer.put_bytes(&original);
        return Ok(());
    }
    records(message, &unknown, writer)
}

/// Whether two values are the same. Tools write 1.0 as 1.
fn alike(one: Option<&Json>, other: Option<&Json>) -> bool {
    match (one, other) {
        (Some(Json::Number(a)), Some(Json::Number(b))) if a.is_f64() || b.is_f64() => {
            a.as_f64().map(f64::to_bits) == b.as_f64().map(f64::to_bits)
        }
        (Some(Json::Array(a)), Some(Json::Array(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(Some(a), Some(b)))
        }
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            a.len() == b.len() && a.iter().all(|(name, value)| alike(Some(value), b.get(name)))
        }
        _ => one == other,
    }
}

/// Returns the fields that these bytes have, as lines show them.
fn values(message: &Message, bytes: &[u8]) -> Option<Json> {
    let mut tree = Tree::default();
    read::body(message, &UNKNOWN, &mut Reader::new(bytes, &mut tree)).ok()?;
    Some(value_of(|out| fields_json(&tree, Sources { main: bytes, more: &[] }, out)))
}

/// Writes the records, in the order of their numbers.
fn records(message: &Message, unknown: &[(u64, Vec<u8>)], writer: &mut Writer<'_>) -> Result<(), WriteStop> {
    let mut unknown = unknown.iter().peekable();
    for (record, field) in message.records.iter().zip(message.fields) {
        while let Some((_, bytes)) = unknown.next_if(|(number, _)| *number < record.number as u64) {
            writer.put_bytes(bytes);
        }
        if writer.has(field) {
            match field.kind {
                Kind::Array { of, .. } => list(record, field, of, writer)?,
                _ => value(record, field, writer)?,
            }
        }
    }
    unknown.for_each(|(_, bytes)| writer.put_bytes(bytes));
    Ok(())
}

fn put_key(record: &Record, wire: WireType, writer: &mut Writer<'_>) {
    writer.put_varint(key(record.number as u64, wire));
}

/// Writes one value, preceded by its key.
fn value(record: &Record, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
    put_key(record, record.wire, writer);
    match record.wire {
        WireType::Bytes => writer.delimited(|writer| walk::field(field, writer)),
        _ => walk::field(field, writer),
    }
}

fn list(record: &Record, field: &'static Field, of: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
    let mut list = writer.begin(field, &Count::Rest, of)?;
    let done = match record.packed {
        true if list.is_empty() => Ok(()),
        true => {
            put_key(record, WireType::Bytes, writer);
            writer.delimited(|writer| {
                while writer.more(field, &mut list)? {
                    walk::field(of, writer)?;
                }
                Ok(())
            })
        }
        false => loop {
            match writer.more(field, &mut list) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(stop) => break Err(stop),
            }
            if let Err(stop) = value(record, of, writer) {
                break Err(stop);
            }
        },
    };
    let ended = writer.finish(field, list, done.is_ok());
    done.and(ended)
}

/// Returns the records given under `unknown`, sorted by number.
fn others(writer: &mut Writer<'_>) -> Result<Vec<(u64, Vec<u8>)>, WriteStop> {
    let Some(given) = writer.input(&UNKNOWN) else { return Ok(Vec::new()) };
    let Some(items) = given.as_array() else { return Err(WriteStop::Error(writer.wrong("a list of fields", given))) };
    let wires = [WireType::Varint, WireType::Fixed64, WireType::Bytes, WireType::Group, WireType::Fixed32];
    let mut all = Vec::with_capacity(items.len());
    for item in items {
        let number = item.get(OTHERS[0].name).and_then(Json::as_u64).filter(|n| (1..=super::LARGEST).contains(n));
        let found = wires.iter().find_map(|wire| Some((*wire, item.get(other(*wire).name)?)));
        let (Some(number), Some((wire, value))) = (number, found) else {
            let expected = "a number, and one of varint, fixed32, fixed64, bytes, group";
            return Err(WriteStop::Error(writer.wrong(expected, item)));
        };
        let content = serde_json::json!({ (other(wire).name): value });
        let place =
            |error: EncodeError| WriteStop::Error(EncodeError { path: format!("unknown.{}", error.path), ..error });
        let content = Writer::new(&content).write(std::slice::from_ref(other(wire))).map_err(place)?;
        let mut bytes = Vec::new();
        varint(key(number, wire), &mut bytes);
        if wire == WireType::Bytes {
            varint(content.len() as u64, &mut bytes);
        }
        bytes.extend_from_slice(&content);
        all.push((number, bytes));
    }
    all.sort_by_key(|(number, _)| *number);
    Ok(all)
}

/// Makes a random message, in which each field is present or not.
pub fn sample(message: &Message, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
    for (record, field) in message.records.iter().zip(message.fields) {
        if sampler.below(3) == 0 {
            continue;
        }
        let Kind::Array { of, .. } = field.kind else {
            one(record, field, sampler)?;
            continue;
        };
        let n = sampler.count(&Count::Rest)?;
        if record.packed && n > 0 {
            sampler.out.put_varint(key(record.number as u64, WireType::Bytes));
            sampler.delimited(|sampler| (0..n).try_for_each(|_| walk::field(of, sampler)))?;
        }
        for _ in 0..if record.packed { 0 } else { n } {
            one(record, of, sampler)?;
        }
    }
    Ok(())
}

fn one(record: &Record, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
    sampler.out.put_varint(key(record.number as u64, record.wire));
    match record.wire {
        WireType::Bytes => sampler.delimited(|sampler| walk::field(field, sampler)),
        _ => walk::field(field, sampler),
    }
}
