//! The value types of application packets, in the connection's byte order (README.md, "Packets"). A packet's fields are
//! shown beside its id, so none may be named `id`.

use super::PROTO;
use super::layout::{ID, Message, embedded, gbool, gtime};
use crate::codec::layout::*;
use crate::codec::schema::{Encoding, Form, Key, Keys, Schemas, words};

/// The ids that schemas may describe.
const IDS: std::ops::RangeInclusive<u64> = 9..=254;

static LENGTH: Field = u8("length");

/// Schemas are found by the packet's id.
static KEYS: Keys = Keys {
    carriers: &[Message::Packets.name()],
    ids: Some((*IDS.start(), *IDS.end())),
    routes: None,
    taken: &[ID.name],
};

/// The encoding of values. There are no 64 bit integers, and no arrays with a count of their own.
pub static ENCODINGS: [Encoding; 1] = [Encoding {
    name: "gne",
    versions: &[],
    form: Form::Sequence,
    keys: &KEYS,
    types: words! {
        u8: u8, i8: i8, u16: u16c, i16: i16c, u32: u32c, i32: i32c, f32: f32c, f64: f64c, gsingle: f32c,
        gdouble: f64c, gbool: gbool, string: text(Len::Prefix(&LENGTH)), gtime: gtime, packet: embedded,
    },
    length: None,
    byte: "u8",
    array: None,
    bits: false,
}];

/// The fields of the application packet `id`, if one of the user's schemas describes it.
pub fn fields(schemas: &Schemas, id: u64, from: &str) -> Option<&'static [Field]> {
    if schemas.is_empty() || !IDS.contains(&id) {
        return None;
    }
    schemas.find(PROTO, Message::Packets.name(), Key::Number(id), from)?.fields(0)
}
