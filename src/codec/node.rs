//! One field of a message as it was read: which one, what it says, and which bits say it.

use super::layout::Field;

/// The bytes that ranges refer to: the message itself, and what was joined, unmasked or inflated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Source 0: the message's own bytes.
    pub main: &'a [u8],
    /// Sources 1 and up.
    pub more: &'a [Vec<u8>],
}

impl<'a> Sources<'a> {
    /// The bytes of source `index`; empty where there is none.
    #[inline]
    pub fn get(&self, index: u8) -> &'a [u8] {
        match index {
            0 => self.main,
            n => self.more.get(n as usize - 1).map_or(&[], |v| v),
        }
    }
}

/// What a node says. Ranges are bits from the start of the node's source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A group of named fields: the nodes below.
    Group,
    /// A list of elements: the nodes below.
    List,
    /// Nothing, on purpose.
    Null,
    /// True or false.
    Bool(bool),
    /// An unsigned number, before [`super::layout::Show`].
    UInt(u64),
    /// A signed number, before [`super::layout::Show`].
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
        /// How many; a multiple of 8.
        bits: u32,
    },
    /// Text that is valid UTF-8.
    Text {
        /// First bit.
        bit: u32,
        /// How many; a multiple of 8.
        bits: u32,
    },
    /// Latin-1 text: every byte a character.
    Latin1 {
        /// First bit.
        bit: u32,
        /// How many; a multiple of 8.
        bits: u32,
    },
    /// A number, string or word that is valid JSON text as it stands.
    Json {
        /// First byte.
        start: u32,
        /// How many bytes.
        len: u32,
    },
    /// Bits whose plain form would not give them back: `{"raw":hex,"bits":n}`.
    Raw {
        /// First bit.
        bit: u32,
        /// How many.
        bits: u32,
    },
}

/// One field of one message.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What the field is.
    pub field: &'static Field,
    /// What it says.
    pub value: Value,
    /// Its first bit in its source.
    pub bit: u32,
    /// How many bits it takes; 0 where it is derived.
    pub bits: u32,
    /// Index of the first node behind this one and everything below it.
    pub end: u32,
    /// The name where the table has none (JSON members, schemas of handshakes): 0 for the table's
    /// name, else see [`Tree::name`](super::Tree::name).
    pub(super) key: u32,
    /// Which of the [`Sources`].
    pub source: u8,
    pub(super) flags: u8,
}

pub(super) const HIDDEN: u8 = 1;
pub(super) const DERIVED: u8 = 2;

impl Node {
    /// On the wire, but not shown in JSON.
    #[inline]
    pub fn hidden(&self) -> bool {
        self.flags & HIDDEN != 0
    }

    /// Known from earlier messages, not on this message's wire.
    #[inline]
    pub fn derived(&self) -> bool {
        self.flags & DERIVED != 0
    }

    /// A group or a list: its values are nodes of their own.
    #[inline]
    pub fn nests(&self) -> bool {
        matches!(self.value, Value::Group | Value::List)
    }

    /// The number, where it is one; signed ones in two's complement.
    #[inline]
    pub fn number(&self) -> Option<u64> {
        match self.value {
            Value::UInt(n) => Some(n),
            Value::Int(n) => Some(n as u64),
            Value::Bool(b) => Some(b as u64),
            _ => None,
        }
    }

    /// Its bytes, where it is text or bytes at a byte boundary.
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
