//! Google's protobuf, for payload schemas. Each field is preceded by its number, in any order.
//!
//! A table lists a message's fields by number. Fields are written in the order of their numbers, and lists of numbers
//! packed, as the libraries do. When reading, any order is accepted, and lists may be packed or not. If a field occurs
//! twice, the last value counts. Records that the table lacks, or has with another wire type, are shown under
//! `unknown`. If the fields alone would not reproduce a message's bytes, those bytes are shown under `wire`.
//!
//! Wire types are those of <https://protobuf.dev/programming-guides/encoding/>.

mod read;
mod records;
mod write;

#[cfg(test)]
mod tests;

use super::layout::*;
use super::writer::WriteStop;
use super::{EncodeError, Reader, Sampler, Stop, Writer};

/// The form of a value, which determines its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// The last byte has its top bit clear.
    Varint = 0,
    /// 8 bytes.
    Fixed64 = 1,
    /// A length precedes it.
    Bytes = 2,
    /// Ended by an end key of the same number; deprecated.
    Group = 3,
    /// 4 bytes.
    Fixed32 = 5,
}

impl WireType {
    /// The wire type of a field's values.
    pub fn of(kind: &Kind) -> WireType {
        match kind {
            Kind::VarInt { .. } | Kind::Bool { .. } => WireType::Varint,
            Kind::UInt { bits: 64, .. } | Kind::Int { bits: 64, .. } | Kind::Float { bits: 64, .. } => {
                WireType::Fixed64
            }
            Kind::UInt { .. } | Kind::Int { .. } | Kind::Float { .. } => WireType::Fixed32,
            _ => WireType::Bytes,
        }
    }
}

/// The encoding of a field in a message.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Its number, from 1.
    pub number: u32,
    /// The wire type of one value.
    pub wire: WireType,
    /// Whether it is a list whose values follow one another after a single key.
    pub packed: bool,
}

/// A message: its fields, sorted by their numbers. Lists are arrays.
#[derive(Debug)]
pub struct Message {
    /// The fields. All of them have names.
    pub fields: &'static [Field],
    /// The record of each field.
    pub records: &'static [Record],
}

/// The largest field number.
pub const LARGEST: u64 = (1 << 29) - 1;

/// Names reserved for this module's own fields.
pub const TAKEN: [&str; 2] = ["unknown", "wire"];

/// The types of fields, by the names that `.proto` files have for them.
pub static WORDS: &[(&str, Field)] = type_words! {
    int32: svarint(10), int64: svarint(10), uint32: varint(10), uint64: varint(10), sint32: zigzag(10),
    sint64: zigzag(10), bool: boolean(8), fixed32: u32le, fixed64: u64le, sfixed32: i32le, sfixed64: i64le,
    int: svarint(10), integer: svarint(10), float: f32le, double: f64le, string: text(Len::Rest), bytes: bytes(Len::Rest),
};

static UNKNOWN: Field = array("unknown", super::layout::Count::Rest, &OTHER).doc("fields that the schema lacks");
static OTHER: Field = group("field", &OTHERS);
static OTHERS: [Field; 6] = [
    varint("number", 10).doc("the field's number"),
    varint("varint", 10).doc("its value"),
    bytes("fixed64", Len::Const(8)).doc("its value"),
    bytes("bytes", Len::Rest).doc("its value: text, bytes, a message or a packed list"),
    bytes("group", Len::Rest).doc("its value, the end included"),
    bytes("fixed32", Len::Const(4)).doc("its value"),
];
static WIRE: Field = bytes("wire", Len::Rest).doc("all bytes: the fields alone would not give them back");

/// Returns the field that shows an unknown value of that type.
fn other(wire: WireType) -> &'static Field {
    let [_, varint, fixed64, bytes, group, fixed32] = &OTHERS;
    match wire {
        WireType::Varint => varint,
        WireType::Fixed64 => fixed64,
        WireType::Bytes => bytes,
        WireType::Group => group,
        WireType::Fixed32 => fixed32,
    }
}

impl Message {
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        read::message(self, field, reader)
    }

    pub(in crate::codec) fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        write::message(self, field, writer)
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        write::sample(self, sampler)
    }
}

/// Returns the key that precedes a value.
fn key(number: u64, wire: WireType) -> u64 {
    number << 3 | wire as u64
}
