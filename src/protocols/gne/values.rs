//! The words for the application's packets: GNE's value types, in the connection's byte order
//! (README.md, "Packets"). The fields of a packet stand beside its id, so none may be called `id`.

use super::PROTO;
use super::layout::{ID, Message};
use super::layout::{embedded, gbool, gtime};
use crate::codec::layout::*;
use crate::codec::schema::{Encoding, Form, Key, Keys, Schemas};

/// The ids for which schemas may have layouts.
const IDS: std::ops::RangeInclusive<u64> = 9..=254;

static LENGTH: Field = u8("length");

/// Found by the packet's id.
static KEYS: Keys = Keys {
    carriers: &[Message::Packets.name()],
    ids: Some((*IDS.start(), *IDS.end())),
    routes: None,
    taken: &[ID.name],
};

/// How values are encoded. There are no 64 bit integers, and no arrays with a count of their own.
pub static ENCODINGS: [Encoding; 1] = [Encoding {
    name: "gne",
    versions: &[],
    form: Form::Sequence,
    keys: &KEYS,
    types: &[
        ("u8", u8("u8")),
        ("i8", i8("i8")),
        ("u16", u16c("u16")),
        ("i16", i16c("i16")),
        ("u32", u32c("u32")),
        ("i32", i32c("i32")),
        ("f32", f32c("f32")),
        ("f64", f64c("f64")),
        ("gsingle", f32c("gsingle")),
        ("gdouble", f64c("gdouble")),
        ("gbool", gbool("gbool")),
        ("string", text("string", Len::Prefix(&LENGTH))),
        ("gtime", gtime("gtime")),
        ("packet", embedded("packet")),
    ],
    length: None,
    byte: "u8",
    array: None,
    bits: false,
}];

/// The fields of the application's packet `id`, if a schema of the user's has it.
pub fn fields(schemas: &Schemas, id: u64, from: &str) -> Option<&'static [Field]> {
    if schemas.is_empty() || !IDS.contains(&id) {
        return None;
    }
    schemas.find(PROTO, Message::Packets.name(), Key::Number(id), from)?.fields(0)
}
