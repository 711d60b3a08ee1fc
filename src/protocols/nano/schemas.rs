//! Payloads by the user's schemas, found by route and by the message that carries them. The encoding of payloads is not
//! on the wire, so a schema also has the encoding.

use super::members;
use crate::codec::EncodeError;
use crate::codec::layout::*;
use crate::codec::schema::{Encoding, Form, Key, Keys, SchemaMessage, Schemas, words};
use crate::dissect::payload;
use serde_json::Value as Json;

static KEYS: Keys =
    Keys { carriers: &["request", "response", "notify", "push"], ids: None, routes: Some(&[]), taken: &[] };

static LENGTH_8: Field = u8("length");
static LENGTH_16_LE: Field = u16le("length");
static LENGTH_16_BE: Field = u16be("length");
static LENGTH_32_LE: Field = u32le("length");
static LENGTH_32_BE: Field = u32be("length");

const fn encoding(name: &'static str, form: Form, types: &'static [(&'static str, Field)]) -> Encoding {
    Encoding { name, versions: &[], form, keys: &KEYS, types, length: None, byte: "", array: None, bits: false }
}

/// Numbers in the default byte order, and numbers with an explicit one.
macro_rules! scalars {
    ($($own:tt)*) => {
        words! {
            u8: u8, i8: i8, bool: boolean(8), u16le: u16le, i16le: i16le, u32le: u32le, i32le: i32le, u64le: u64le,
            i64le: i64le, f32le: f32le, f64le: f64le, u16be: u16be, i16be: i16be, u32be: u32be, i32be: i32be,
            u64be: u64be, i64be: i64be, f32be: f32be, f64be: f64be, varint: varint(10), zigzag: zigzag(10),
            string8: text(Len::Prefix(&LENGTH_8)), cstring: text(Len::Until(0)), text: text(Len::Rest),
            bytes: bytes(Len::Rest),
            $($own)*
        }
    };
}

/// The place of JSON in [`ENCODINGS`].
const JSON: usize = 0;

/// The encodings of payloads. A schema names one of them.
pub static ENCODINGS: [Encoding; 5] = [
    encoding(
        "json",
        Form::Members,
        words! {
            string: text(Len::Rest), number: f64le, integer: i64le, int: i64le, bool: boolean(8), any: bytes(Len::Rest),
        },
    ),
    encoding("protobuf", Form::Tagged, crate::codec::protobuf::WORDS),
    Encoding {
        byte: "u8",
        ..encoding(
            "le",
            Form::Sequence,
            scalars! {
                u16: u16le, i16: i16le, u32: u32le, i32: i32le, int: i32le, integer: i32le, u64: u64le, i64: i64le, f32: f32le, f64: f64le,
                string16: text(Len::Prefix(&LENGTH_16_LE)), string32: text(Len::Prefix(&LENGTH_32_LE)),
            },
        )
    },
    Encoding {
        byte: "u8",
        ..encoding(
            "be",
            Form::Sequence,
            scalars! {
                u16: u16be, i16: i16be, u32: u32be, i32: i32be, int: i32be, integer: i32be, u64: u64be, i64: i64be, f32: f32be, f64: f64be,
                string16: text(Len::Prefix(&LENGTH_16_BE)), string32: text(Len::Prefix(&LENGTH_32_BE)),
            },
        )
    },
    encoding("text", Form::Sequence, words! { line: text(Len::Until(b'\n')), text: text(Len::Rest) }),
];

/// The reading of a payload.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// A JSON object with these members.
    Members(&'static [Field]),
    /// Fields of the tables.
    Fields(&'static [Field]),
}

fn how(schema: &SchemaMessage) -> Option<How> {
    let place = schema.fields.iter().position(Option::is_some)?;
    let fields = schema.fields(place)?;
    Some(if place == JSON { How::Members(fields) } else { How::Fields(fields) })
}

/// The schema of a payload. An unknown route fits only `*`.
pub fn find<'a>(
    schemas: &'a Schemas,
    message: &str,
    route: Option<&[u8]>,
    from: &str,
) -> Option<(&'a SchemaMessage, How)> {
    if schemas.is_empty() {
        return None;
    }
    let word = route.and_then(|r| std::str::from_utf8(r).ok()).unwrap_or("");
    let schema = schemas.find(super::NAME, message, Key::Word(word), from)?;
    Some((schema, how(schema)?))
}

/// A payload's bytes from its schema's fields. Without a route every schema of such messages is tried.
///
/// # Errors
/// There is no schema, or the fields do not fit it.
pub fn write(
    schemas: &Schemas,
    message: &str,
    route: Option<&str>,
    from: &str,
    given: &Json,
) -> Result<Vec<u8>, EncodeError> {
    let one = |how| match how {
        How::Members(fields) => members::write(given, fields),
        How::Fields(fields) => payload::write(given, fields),
    };
    if let Some((_, how)) = route.and_then(|route| find(schemas, message, Some(route.as_bytes()), from)) {
        return one(how);
    }
    let fits = |m: &&SchemaMessage| {
        route.is_none()
            && (m.message.is_empty() || m.message == message)
            && (m.from.is_empty() || from == "unknown" || m.from == from)
    };
    let mut first = None;
    for how in schemas.messages(super::NAME).iter().filter(fits).filter_map(how) {
        match one(how) {
            Ok(bytes) => return Ok(bytes),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let what = "expected hex: no schema has such a payload";
    Err(first.unwrap_or_else(|| EncodeError::new("payload", what)))
}
