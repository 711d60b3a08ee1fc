//! One field of a message as read: the field, its value, and the bits it was read from.

use super::layout::Field;

/// The byte buffers that ranges refer to: the message itself, and bytes that were reassembled, unmasked or inflated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Source 0: the message's own bytes.
    pub main: &'a [u8],
    /// Sources 1 and up.
    pub more: &'a [Vec<u8>],
}

impl<'a> Sources<'a> {
    /// Returns the bytes of source `index`; empty if there is no such source.
    #[inline]
    pub fn get(&self, index: u8) -> &'a [u8] {
        match index {
            0 => self.main,
            n => self.more.get(n as usize - 1).map_or(&[], |v| v),
        }
    }
}

/// A node's value. Ranges are bits from the start of the node's source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A group of named fields, which are the nodes below it.
    Group,
    /// A list of elements, which are the nodes below it.
    List,
    /// JSON null, present on the wire.
    Null,
    /// True or false.
    Bool(bool),
    /// An unsigned number, before [`super::layout::Show`] is applied.
    UInt(u64),
    /// A signed number, before [`super::layout::Show`] is applied.
    Int(i64),
    /// A binary16 number, as its bits.
    F16(u16),
    /// A binary32 number; finite.
    F32(f32),
    /// A binary64 number; finite.
    F64(f64),
    /// Whole bytes, at any bit offset.
    Bytes {
        /// First bit.
        bit: u32,
        /// The number of bits, a multiple of 8.
        bits: u32,
    },
    /// Valid UTF-8 text.
    Text {
        /// First bit.
        bit: u32,
        /// The number of bits, a multiple of 8.
        bits: u32,
    },
    /// Latin-1 text: every byte is one character.
    Latin1 {
        /// First bit.
        bit: u32,
        /// The number of bits, a multiple of 8.
        bits: u32,
    },
    /// A number, string or literal that is valid JSON text as it is.
    Json {
        /// First byte.
        start: u32,
        /// The number of bytes.
        len: u32,
    },
    /// Bits that the field's normal form would not reproduce: `{"raw":hex,"bits":n}`.
    Raw {
        /// First bit.
        bit: u32,
        /// The number of bits.
        bits: u32,
    },
}

impl Value {
    /// The number, if it is one. Signed numbers are in two's complement.
    #[inline]
    pub fn number(&self) -> Option<u64> {
        match *self {
            Value::UInt(n) => Some(n),
            Value::Int(n) => Some(n as u64),
            Value::Bool(b) => Some(b as u64),
            _ => None,
        }
    }

    /// The number with its sign, if it is one.
    pub fn whole(&self) -> Option<i128> {
        match *self {
            Value::UInt(n) => Some(n.into()),
            Value::Int(n) => Some(n.into()),
            _ => None,
        }
    }
}

/// One field of one message.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The field in the table.
    pub field: &'static Field,
    /// The value.
    pub value: Value,
    /// Its first bit in its source.
    pub bit: u32,
    /// Its size in bits; 0 if it is derived.
    pub bits: u32,
    /// The index of the first node after this one and all its descendants.
    pub end: u32,
    /// The name, if the table has none (JSON members, schemas announced in handshakes). 0: the table's name, else see
    /// [`Tree::name`](super::Tree::name).
    pub(super) key: u32,
    /// Index into the [`Sources`].
    pub source: u8,
    pub(super) flags: u8,
}

pub(super) const HIDDEN: u8 = 1;
pub(super) const DERIVED: u8 = 2;

impl Node {
    /// Whether it is on the wire, but not shown in JSON.
    #[inline]
    pub fn hidden(&self) -> bool {
        self.flags & HIDDEN != 0
    }

    /// Shows a hidden node.
    pub(crate) fn show(&mut self) {
        self.flags &= !HIDDEN;
    }

    /// Whether it is known from earlier messages, and not in this message's bytes.
    #[inline]
    pub fn derived(&self) -> bool {
        self.flags & DERIVED != 0
    }

    /// Whether it is a group or list, whose values are nodes of their own.
    #[inline]
    pub fn nests(&self) -> bool {
        matches!(self.value, Value::Group | Value::List)
    }

    /// The number, if it is one. Signed numbers are in two's complement.
    #[inline]
    pub fn number(&self) -> Option<u64> {
        self.value.number()
    }

    /// Its bytes, if it is text or bytes at a byte boundary.
    pub fn bytes<'a>(&self, sources: Sources<'a>) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes { bit, bits }
            | Value::Text { bit, bits }
            | Value::Latin1 { bit, bits }
            | Value::Raw { bit, bits }
                if bit % 8 == 0 && bits % 8 == 0 =>
            {
                sources.get(self.source).get(bit as usize / 8..(bit + bits) as usize / 8)
            }
            _ => None,
        }
    }
}
