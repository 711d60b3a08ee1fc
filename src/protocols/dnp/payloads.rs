//! Application messages in the user's schemas. A schema is found by the message's name, and by the first byte if the
//! schema has one. The types are those of the library's message reader (README.md, "Words for schemas"), by short names
//! and as the specification names them.

use super::joined::MESSAGE;
use super::layout::Message::{self, *};
use super::layout::{CONTENT, DATA};
use super::varuint::VarUInt;
use crate::codec::layout::*;
use crate::codec::schema::{Encoding, Form, Key, Keys, Schemas, words};
use crate::codec::{Node, Tree};
use crate::dissect::{Dissection, payload};

static LENGTH_8: Field = u8("length");
static LENGTH_16: Field = u16le("length");
static LENGTH_32: Field = u32le("length");
static LENGTH_VAR: Field = custom("length", &VarUInt);
static F32: Field = f32le("value");
static F64: Field = f64le("value");
static I32: Field = i32le("value");

/// Schemas are found by the message that carries the payload, and by the first byte.
static KEYS: Keys = Keys {
    carriers: &[
        UnreliableMessage.name(),
        ReliableMessage.name(),
        LinkState.name(),
        LongMessage.name(),
        LongLinkState.name(),
    ],
    ids: Some((0, 255)),
    routes: None,
    taken: &[],
};

/// The encoding of values.
pub static ENCODINGS: [Encoding; 1] = [Encoding {
    name: "dnp",
    versions: &[],
    form: Form::Sequence,
    keys: &KEYS,
    types: words! {
        i8: i8, u8: u8, i16: i16le, u16: u16le, i32: i32le, u32: u32le, i64: i64le, u64: u64le, f32: f32le,
        f64: f64le, char: i8, byte: u8, short: i16le, ushort: u16le, int: i32le, uint: u32le, long: i64le,
        ulong: u64le, float: f32le, double: f64le, string8: text(Len::Prefix(&LENGTH_8)),
        string16: text(Len::Prefix(&LENGTH_16)), string32: text(Len::Prefix(&LENGTH_32)),
        varstring: text(Len::Prefix(&LENGTH_VAR)), varuint: custom(&VarUInt), vector2: tuple(2, &F32),
        vector: tuple(3, &F32), quaternion: tuple(4, &F32), point: tuple(2, &I32), point3: tuple(3, &I32),
        dvector: tuple(3, &F64), color: tuple(4, &F32), color3: tuple(3, &F32), bytes: bytes(Len::Rest),
    },
    length: None,
    byte: "u8",
    array: None,
    bits: false,
}];

/// Shows the payload of the current message, if a schema describes it.
pub fn show(schemas: &Schemas, message: Message, main: &[u8], dissection: &mut Dissection) {
    if schemas.is_empty() {
        return;
    }
    let from = dissection.from.name();
    let found = match message {
        UnreliableMessage | ReliableMessage => content(&dissection.tree, &DATA),
        LinkState => content(&dissection.tree, &CONTENT),
        // Long messages are shown once, joined.
        LongMessage | LongLinkState => content(&dissection.derived, &MESSAGE),
        _ => None,
    };
    let Some((node, start, end)) = found else { return };
    let first = dissection.sources(main).get(node.source).get(start).filter(|_| start < end);
    let key = first.map_or(Key::None, |b| Key::Number(*b as u64));
    let found = schemas.find("dnp", message.name(), key, from);
    if let Some((schema, fields)) = found.and_then(|schema| Some((schema, schema.fields(0)?))) {
        payload::show(dissection, main, node.source, start..end, schema, fields);
    }
}

/// The place of a field's bytes in its source.
fn content(tree: &Tree, field: &Field) -> Option<(Node, usize, usize)> {
    let node = tree.find(field)?;
    match node.value {
        crate::codec::Value::Bytes { bit, bits } => Some((*node, bit as usize / 8, (bit + bits) as usize / 8)),
        _ => None,
    }
}
