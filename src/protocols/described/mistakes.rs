//! All mistakes of a file that can be told apart: those of its text, each; else the first of each
//! message that stands alone.

use super::load::build;
use super::parse;
use super::text::{File, MessageText};
use crate::codec::schema::SchemaError;

/// So many are told.
const MOST: usize = 16;

/// The mistakes of a protocol file, by line; none: it loads.
pub fn mistakes(name: &str, text: &str) -> Vec<SchemaError> {
    let mut parsed = match parse::parse_all(name, text) {
        Ok(parsed) => parsed,
        Err(mut all) => {
            all.truncate(MOST);
            return all;
        }
    };
    let mut all = Vec::new();
    while let Err((line, reason)) = build(&parsed, text) {
        all.push(SchemaError { file: name.into(), line, reason });
        // Without the message, others may have mistakes of their own.
        let wrong = parsed.messages.iter().position(|m| spans(m).contains(&line));
        let Some(wrong) = wrong.filter(|wrong| all.len() < MOST && stands_alone(&parsed, *wrong)) else { break };
        parsed.messages.remove(wrong);
    }
    all.sort_by_key(|mistake| mistake.line);
    all
}

/// The lines of a message.
fn spans(m: &MessageText) -> std::ops::RangeInclusive<usize> {
    let fields = m.fields.iter().flat_map(|field| {
        let parts = field.bits.iter().map(|part| part.line);
        parts.chain([field.line])
    });
    m.line..=fields.max().unwrap_or(m.line).max(m.lines.last())
}

/// Does nothing refer to the message, so that nothing else is wrong without it?
fn stands_alone(file: &File, place: usize) -> bool {
    let Some(own) = file.messages.get(place) else { return false };
    let name = own.name.as_str();
    if file.messages.len() < 2 || name.is_empty() {
        return false;
    }
    let carries = file.messages.iter().any(|m| m.message == name);
    let alone = file.messages.iter().filter(|m| m.message == own.message).count() < 2;
    let spoken = !file.numbers.is_empty() || !file.requests.is_empty() || file.probe.is_some();
    let joins = file.fields().filter_map(|field| field.join.as_ref()).any(|join| join.is.as_deref() == Some(name));
    !(carries || alone || spoken || joins)
}
