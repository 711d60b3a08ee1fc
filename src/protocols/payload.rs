//! Payloads by the user's schema, shown beside the fields: for protocols whose payload stays hex in
//! `fields`, because it is one of several parts, or was inflated first.

use super::message::Draft;
use crate::codec::layout::{Field, payload};
use crate::codec::{Context, Reader, Scope};
use std::ops::Range;

static PAYLOAD: [Field; 1] = [payload("payload").doc("the payload, by your schema")];

/// The field under which a payload is shown, for documentation.
pub static SHOWN: &Field = &PAYLOAD[0];

/// Always the same layout.
struct Fixed(&'static [Field]);

impl Context for Fixed {
    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        Some(self.0)
    }
}

/// Reads the bytes `range` of a source (0: `main`, the message) by a schema's fields, as derived
/// `payload`. What does not fit is the message's fault, if it has none yet.
pub fn show(
    draft: &mut Draft,
    main: &[u8],
    source: u8,
    range: Range<usize>,
    names: (&str, &str),
    fields: &'static [Field],
) {
    let mut tree = std::mem::take(&mut draft.derived);
    tree.set_source(source);
    let data = draft.sources(main).get(source);
    let data = data.get(..range.end).unwrap_or(data);
    let outcome = Reader::new(data, &mut tree)
        .named(names.0, names.1)
        .starting_at(range.start.min(data.len()) as u32 * 8)
        .context(&mut Fixed(fields))
        .read(&PAYLOAD);
    draft.derived = tree;
    if draft.fault.is_none() {
        draft.fault = outcome.fault();
    }
}

/// Writes a payload given by its schema's fields.
///
/// # Errors
/// As [`crate::codec::Writer::write`].
pub fn write(value: &serde_json::Value, fields: &'static [Field]) -> Result<Vec<u8>, crate::codec::EncodeError> {
    let outer = serde_json::json!({ "payload": value });
    crate::codec::Writer::new(&outer).context(&mut Fixed(fields)).write(&PAYLOAD)
}
