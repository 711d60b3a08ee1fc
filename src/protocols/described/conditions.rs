//! Conditions on fields that may stand anywhere in a packet.

use super::compile::{Compiled, Compiler};
use super::text::FieldText;
use crate::codec::layout::{Field, Show, When};
use crate::codec::schema::reading::FieldHead;

/// The names that a condition asks.
pub fn names(when: &When) -> Vec<&'static str> {
    match when {
        When::Bit(name, _) | When::Clear(name, _) | When::Eq(name, _) | When::In(name, _) => vec![name],
        When::Below(name, _) | When::Mask(name, _) | When::Set(name) => vec![name],
        When::Any(all) | When::All(all) => all.iter().flat_map(names).collect(),
        When::Not(when) => names(when),
        When::Always | When::Left(_) | When::Setting(..) => Vec::new(),
    }
}

/// Does a condition hold for these values?
pub fn holds(when: &When, value: &dyn Fn(&str) -> Option<u64>) -> bool {
    match when {
        When::Always => true,
        When::Bit(name, bit) => value(name).is_some_and(|v| v >> bit & 1 == 1),
        When::Clear(name, bit) => value(name).is_some_and(|v| v >> bit & 1 == 0),
        When::Eq(name, n) => value(name) == Some(*n),
        When::In(name, list) => value(name).is_some_and(|v| list.contains(&v)),
        When::Left(_) | When::Setting(..) => false,
        When::Any(any) => any.iter().any(|when| holds(when, value)),
        When::All(all) => all.iter().all(|when| holds(when, value)),
        When::Not(when) => !holds(when, value),
        When::Below(name, than) => (value(name).unwrap_or(0) as i64) < *than,
        When::Mask(name, mask) => value(name).is_some_and(|v| v & mask != 0),
        When::Set(name) => value(name).is_some_and(|v| v != 0),
    }
}

/// A condition on fields that may stand anywhere.
pub fn condition(
    text: &str,
    line: usize,
    key: &str,
    compiler: &Compiler<'_>,
    fields: impl Iterator<Item = &'static Field>,
) -> Compiled<When> {
    let mut other = Compiler::new(compiler.text);
    for field in fields.filter(|field| !field.name.is_empty()) {
        let names = match field.show {
            Show::Enum(names) => names.to_vec(),
            Show::Flags(flags) => flags.names.to_vec(),
            _ => Vec::new(),
        };
        let head = FieldHead { line, ..FieldHead::default() };
        let t = FieldText { head, ..FieldText::default() };
        other.know(&t, field.name, (true, names), false);
    }
    // A name may be said with its message's.
    let plain: Vec<String> = text.split(' ').map(|word| word.rsplit('.').next().unwrap_or(word).to_owned()).collect();
    let plain = if text.contains("0x") || !text.contains('.') { text.to_owned() } else { plain.join(" ") };
    Ok(other.condition(&plain, line, key)?.when)
}
