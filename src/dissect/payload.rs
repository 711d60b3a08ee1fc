//! Payloads that are read by the user's schema and printed in addition to the fields: for protocols whose payload stays
//! hex in `fields`, because it is one of several parts, or was inflated.

use super::NoteDoc;
use super::dissector::warning;
use super::message::Dissection;
use crate::codec::layout::{Field, payload};
use crate::codec::schema::SchemaMessage;
use crate::codec::{Context, Notes, Reader, Scope, Tree, reader};
use crate::plural::Plural;
use std::ops::Range;

static PAYLOAD: [Field; 1] = [payload("payload").opened().doc("the payload, by your schema")];

/// The field that contains a payload, for documentation.
pub static SHOWN: &Field = &PAYLOAD[0];

/// The note on bytes after the fields of a payload's schema.
pub const TRAILING: NoteDoc = warning("schema.trailing", "a payload has bytes after its schema's fields");

/// A context with a fixed layout.
struct Fixed(&'static [Field]);

impl Context for Fixed {
    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        Some(self.0)
    }
}

/// Reads the bytes `range` of a source (0: `main`, the message) by a schema's `fields`, as derived `payload`. A
/// mismatch becomes the message's fault, if it has none yet.
pub fn show(
    dissection: &mut Dissection,
    main: &[u8],
    source: u8,
    range: Range<usize>,
    schema: &SchemaMessage,
    fields: &'static [Field],
) {
    dissection.schema = Some(schema.name);
    let mut tree = std::mem::take(&mut dissection.derived);
    tree.set_source(source);
    let data = dissection.sources(main).get(source);
    let data = data.get(..range.end).unwrap_or(data);
    let outcome = Reader::new(data, &mut tree)
        .named(dissection.proto, dissection.message)
        .starting_at(range.start.min(data.len()) as u32 * 8)
        .context(&mut Fixed(fields))
        .read(&PAYLOAD);
    dissection.derived = tree;
    trailing(&dissection.derived, &mut dissection.notes);
    if dissection.fault.is_none() {
        dissection.fault = outcome.fault();
    }
}

/// Adds a note if a tree ends with bytes after a schema's fields.
pub fn trailing(tree: &Tree, notes: &mut Notes) {
    let left = tree.nodes().last().filter(|node| std::ptr::eq(node.field, &reader::TRAILING));
    if let Some(bytes) = left.map(|node| Plural(node.bits.div_ceil(8), "byte")) {
        let text = format_args!("{bytes} after the schema's fields");
        notes.warn(TRAILING.code, text);
    }
}

/// Encodes a payload given by its schema's fields.
///
/// # Errors
/// Those of [`crate::codec::Writer::write`].
pub fn write(value: &serde_json::Value, fields: &'static [Field]) -> Result<Vec<u8>, crate::codec::EncodeError> {
    let outer = serde_json::json!({ "payload": value });
    crate::codec::Writer::new(&outer).context(&mut Fixed(fields)).write(&PAYLOAD)
}
