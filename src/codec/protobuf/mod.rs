//! Google's protobuf, for payload schemas: fields that stand behind their numbers, in any order.
//!
//! A table lists a message's fields by number. Written they stand in the order of their numbers, as
//! the libraries write them, lists of numbers packed. Read they may stand anyhow: of a field that
//! is given twice the last one counts, lists may be packed or not. What the table does not know, or
//! knows with another wire type, is kept under `unknown`; a message whose fields alone would not
//! give its bytes back has these too, under `wire`.
//!
//! Wire types are those of <https://protobuf.dev/programming-guides/encoding/>.

mod read;
mod records;
mod write;

#[cfg(test)]
mod tests;

use super::layout::{Field, Kind, Len, array, bytes, group, varint};
use super::walk::Custom;
use super::writer::WriteStop;
use super::{EncodeError, Reader, Sampler, Stop, Writer};

/// How a value's end is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// Its last byte has no top bit.
    Varint = 0,
    /// 8 bytes.
    Fixed64 = 1,
    /// A length stands before it.
    Bytes = 2,
    /// An end with the same number; no longer in use.
    Group = 3,
    /// 4 bytes.
    Fixed32 = 5,
}

impl WireType {
    /// The wire type of a field's value.
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

/// One field's place in a message.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Its number, from 1.
    pub number: u32,
    /// The wire type of one value.
    pub wire: WireType,
    /// A list whose values stand one after the other behind one key.
    pub packed: bool,
}

/// A message: its fields, sorted by their numbers. Lists are arrays.
#[derive(Debug)]
pub struct Message {
    /// The fields. One without a name is never among them.
    pub fields: &'static [Field],
    /// The place of each.
    pub records: &'static [Record],
}

/// The largest number that a field can have.
pub const LARGEST: u64 = (1 << 29) - 1;

/// Names that no field of a message may have.
pub const TAKEN: [&str; 2] = ["unknown", "wire"];

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

/// The field in which an unknown value of that type is shown.
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

impl Custom for Message {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        read::message(self, field, reader)
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        write::message(self, field, writer)
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        write::sample(self, sampler)
    }

    fn describe(&self) -> &'static str {
        "message"
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }
}

/// The key in front of a value.
fn key(number: u64, wire: WireType) -> u64 {
    number << 3 | wire as u64
}
