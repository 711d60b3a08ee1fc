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

/// The most sources of a message, of which trees know the numbers.
const MOST: usize = 250;

/// The sources that a reader makes: converted, inflated and unmasked bytes. They follow those that the message has.
#[derive(Debug, Default)]
pub struct Made {
    before: usize,
    all: Vec<Vec<u8>>,
}

impl Made {
    /// None so far, for this message.
    pub fn of(dissection: &Dissection) -> Made {
        Made { before: dissection.sources(&[]).more.len(), all: Vec::new() }
    }

    /// As [`Context::take_source`].
    pub fn take(&mut self) -> Option<(u8, Vec<u8>)> {
        let number = self.before + self.all.len() + 1;
        let number = u8::try_from(number).ok().filter(|number| usize::from(*number) <= MOST)?;
        self.all.push(Vec::new());
        Some((number, Vec::new()))
    }

    /// As [`Context::give_source`].
    pub fn give(&mut self, source: u8, bytes: Vec<u8>) {
        let place = usize::from(source).checked_sub(self.before + 1);
        if let Some(own) = place.and_then(|place| self.all.get_mut(place)) {
            *own = bytes;
        }
    }

    /// Moves them to the message.
    pub fn keep(self, dissection: &mut Dissection) {
        self.all.into_iter().for_each(|bytes| *dissection.source().1 = bytes);
    }
}

/// A context with a fixed layout.
struct Fixed(&'static [Field], Made);

impl Context for Fixed {
    fn take_source(&mut self) -> Option<(u8, Vec<u8>)> {
        self.1.take()
    }

    fn give_source(&mut self, source: u8, bytes: Vec<u8>) {
        self.1.give(source, bytes);
    }

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
    let mut context = Fixed(fields, Made::of(dissection));
    let mut tree = std::mem::take(&mut dissection.derived);
    tree.set_source(source);
    let data = dissection.sources(main).get(source);
    let data = data.get(..range.end).unwrap_or(data);
    let outcome = Reader::new(data, &mut tree)
        .named(dissection.proto, dissection.message)
        .starting_at(range.start.min(data.len()) as u32 * 8)
        .context(&mut context)
        .read(&PAYLOAD);
    dissection.derived = tree;
    context.1.keep(dissection);
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
    crate::codec::Writer::new(&outer).context(&mut Fixed(fields, Made::default())).write(&PAYLOAD)
}
