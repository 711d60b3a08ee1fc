//! The value types of payload schemas: Riptide's encodings (README.md, "Values in payloads").

use super::layout::ID;
use super::layout::Message::{self, *};
use super::version::Version;
use crate::codec::layout::*;
use crate::codec::schema::{Encoding, Form, Key, Keys, SchemaMessage, Schemas, words};
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{Context, EncodeError, Reader, Sampler, Scope, Stop, Value, Writer, bits};
use crate::dissect::Role;
use crate::dissect::payload::Made;
use crate::plural::Plural;

static F32: Field = f32le("value");

/// The types of a version: the bits of a bool, the length before a string, and types that only this version has.
macro_rules! of_version {
    ($bits:literal, $length:ident $($more:tt)*) => {
        words! {
            byte: u8, sbyte: i8, short: i16le, ushort: u16le, int: i32le, uint: u32le, long: i64le, ulong: u64le,
            float: f32le, double: f64le, bool: boolean($bits), string: text(Len::Prefix(&$length)),
            vector2: tuple(2, &F32), vector3: tuple(3, &F32), quaternion: tuple(4, &F32) $($more)*
        }
    };
}

static LENGTH_10: Field = u8("length");
static LENGTH_10_TEXT: Field = u16le("length");
static LENGTH_20: Field = custom("length", &Length20);
static LENGTH_21: Field = varint("length", 10);

/// Schemas are found by the message's id. Those without an id describe notifies, and the data of handshakes if they
/// have `message = "reject"` or the like.
static KEYS: Keys = Keys {
    carriers: &[
        Unreliable.name(),
        UnreliableAutoRelay.name(),
        Reliable.name(),
        ReliableAutoRelay.name(),
        Notify.name(),
        Unknown.name(),
        Connect.name(),
        Reject.name(),
        Welcome.name(),
        Disconnect.name(),
    ],
    ids: Some((0, 0xffff)),
    routes: Some(&[Notify.name()]),
    taken: &[],
};

/// The encoding of values, by version.
pub static ENCODINGS: [Encoding; 3] = [
    Encoding {
        name: "1.x",
        versions: &["1.0", "1.2"],
        form: Form::Sequence,
        keys: &KEYS,
        types: of_version!(8, LENGTH_10_TEXT),
        length: Some(&LENGTH_10),
        byte: "byte",
        array: Some(packed_bools),
        bits: false,
    },
    Encoding {
        name: "2.0",
        versions: &["2.0"],
        form: Form::Sequence,
        keys: &KEYS,
        types: of_version!(8, LENGTH_20),
        length: Some(&LENGTH_20),
        byte: "byte",
        array: Some(packed_bools),
        bits: false,
    },
    Encoding {
        name: "2.1",
        versions: &["2.1", "2.2"],
        form: Form::Sequence,
        keys: &KEYS,
        types: of_version!(1, LENGTH_21, varulong: varint(10), varlong: zigzag(10)),
        length: Some(&LENGTH_21),
        byte: "byte",
        array: None,
        bits: true,
    },
];

/// Finds the schema of a payload.
pub struct Payloads<'a> {
    /// The user's schemas.
    pub schemas: &'a Schemas,
    /// The version by which the message is read.
    pub version: Version,
    /// The message that carries the payload.
    pub message: Message,
    /// The sender.
    pub from: Role,
    /// The message id, if the field does not contain it: an id in more bytes than necessary is shown as its bits, and
    /// its number is derived.
    pub id: Option<u64>,
    /// A handshake message has application data. Without data, no schema is read.
    pub data: bool,
    /// The sources that the payload makes.
    pub made: Made,
}

impl Context for Payloads<'_> {
    fn take_source(&mut self) -> Option<(u8, Vec<u8>)> {
        self.made.take()
    }

    fn give_source(&mut self, source: u8, bytes: Vec<u8>) {
        self.made.give(source, bytes);
    }

    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, scope: &Scope) -> Option<&'static [Field]> {
        if self.schemas.is_empty() {
            return None;
        }
        let encoding = ENCODINGS.iter().position(|e| e.versions.contains(&self.version.name()))?;
        let key = match self.id.or_else(|| scope.of(&ID)) {
            Some(id) => Key::Number(id & 0xffff),
            None if matches!(self.message, Connect | Reject | Welcome | Disconnect) => {
                let own = |schema: &&SchemaMessage| self.data && schema.message == self.message.name();
                return self
                    .schemas
                    .find("riptide", self.message.name(), Key::None, self.from.name())
                    .filter(own)?
                    .fields(encoding);
            }
            None if self.message == Unknown => Key::None,
            None => Key::Word(Notify.name()),
        };
        self.schemas.find("riptide", self.message.name(), key, self.from.name())?.fields(encoding)
    }
}

/// 2.0's length: one byte up to 127, else two bytes, big-endian, with the top bit set.
#[derive(Debug)]
struct Length20;

/// A length in two bytes that fits in one.
static LONG_FORM: Field = u16be("length").hidden();

impl Custom for Length20 {
    fn like(&self) -> Option<&'static Field> {
        static NUMBER: Field = crate::codec::layout::u64le("");
        Some(&NUMBER)
    }

    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let Some(first) = reader.peek(8) else { return Err(reader.short(field, start, 8, String::new())) };
        if first < 0x80 {
            reader.skip(8);
            reader.tree().push(field, Value::UInt(first), start, 8);
            return Ok(());
        }
        let Some(both) = reader.peek(16) else {
            return Err(reader.short(field, start, 16, "two bytes of length".into()));
        };
        let length = bits::swap(both, 16) & 0x7fff;
        reader.skip(16);
        let shown = if length < 0x80 { &LONG_FORM } else { field };
        reader.tree().push(shown, Value::UInt(length), start, 16);
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        match writer.input(field).and_then(|n| n.as_u64()) {
            Some(n @ ..0x80) => writer.put(n, 8, Order::Little),
            Some(n @ ..0x8000) => writer.put(n | 0x8000, 16, Order::Big),
            _ => return Err(WriteStop::Error(writer.error("a length is at most 32767 in 2.0".into()))),
        }
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        sampler.put(0, 8, Order::Little);
        Ok(())
    }

    fn describe(&self) -> &'static str {
        "u8 up to 127, else u16be with the top bit set"
    }
}

fn packed_bools(word: &str, count: Count) -> Option<Field> {
    // One for each such field in the user's schema files.
    (word == "bool").then(|| custom("", Box::leak(Box::new(PackedBools { count }))))
}

/// Up to 2.0 an array of booleans is packed: element 0 is bit 0 of the first byte.
#[derive(Debug)]
struct PackedBools {
    count: Count,
}

static BOOL: Field = boolean("bool", 1);

impl Custom for PackedBools {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let (start, mark) = (reader.position(), reader.tree().nodes().len());
        let n = reader.count(field, &self.count)?;
        let (first, used) = (reader.position(), n.div_ceil(8).saturating_mul(8));
        if used > reader.left() as u64 || used > u32::MAX as u64 {
            let need = (first - start) as u64 + used;
            return Err(reader.short(field, start, need, Plural(n, "element").to_string()));
        }
        let (n, used) = (n as u32, used as u32);
        let padding = bits::get(reader.data(), (first + n) as usize, used - n);
        reader.skip(used);
        if reader.position() != first + used {
            return Err(reader.short(field, start, (first - start + used) as u64, String::new()));
        }
        if padding != 0 {
            // A list would lose these padding bits. The raw bits include the count, in any form.
            let bits = first + used - start;
            reader.tree().truncate(mark);
            reader.tree().push(field, Value::Raw { bit: start, bits }, start, bits);
            return Ok(());
        }
        let data = reader.data();
        let tree = reader.tree();
        let list = tree.open(field, Value::List, start);
        for k in 0..n {
            tree.push(&BOOL, Value::Bool(bits::get(data, (first + k) as usize, 1) == 1), first + k, 1);
        }
        tree.close(list, first + used);
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(value) = writer.input(field) else { return Err(writer.missing(field)) };
        if value.get("raw").is_some() {
            return writer.put_raw_form(value);
        }
        let Some(items) = value.as_array() else {
            return Err(WriteStop::Error(writer.wrong("a list of true and false", value)));
        };
        writer.put_count(field, &self.count, items.len() as u64)?;
        for item in items {
            let Some(bit) = item.as_bool() else { return Err(WriteStop::Error(writer.wrong("true or false", item))) };
            writer.put(bit as u64, 1, Order::Little);
        }
        writer.put(0, ((8 - items.len() % 8) % 8) as u32, Order::Little);
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let n = sampler.count(&self.count)?;
        for _ in 0..n {
            let bit = sampler.below(2);
            sampler.put(bit, 1, Order::Little);
        }
        sampler.put(0, ((8 - n % 8) % 8) as u32, Order::Little);
        Ok(())
    }

    fn describe(&self) -> &'static str {
        "bits, element 0 lowest, filled up to whole bytes"
    }
}
