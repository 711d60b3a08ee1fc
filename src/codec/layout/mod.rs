//! The vocabulary in which message layouts are written: plain `const` data, no closures, no macros.
//!
//! A layout reads like the specification it comes from. Everything about a field is stated here, so
//! that decoding, encoding, documentation, random samples and the users' payload schemas all use
//! the same table.
//!
//! ```
//! use netkit::codec::layout::*;
//! static LINK: [Field; 2] = [u16le("link_id"), array("values", Count::Prefix(&VALUE_COUNT), &VALUE)];
//! static VALUE_COUNT: Field = u8("value_count");
//! static VALUE: Field = u16le("value");
//! ```

mod words;

pub use words::*;

use super::quoted::Quoted;
use super::walk::Custom;

/// One message of a protocol: its name and its fields in wire order.
#[derive(Debug)]
pub struct Layout {
    /// The message's name, in snake_case: `link_update`.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// The fields, in wire order.
    pub fields: &'static [Field],
}

/// One field: its name, its encoding on the wire, when it is present, how it is shown.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name shown: the specification's, in snake_case.
    pub name: &'static str,
    /// The name as JSON writes it; [`Field::set_name`] keeps both in step.
    pub(crate) quoted: Quoted,
    /// One line of documentation; empty where the name suffices.
    pub doc: &'static str,
    /// The encoding on the wire.
    pub kind: Kind,
    /// When the field is present.
    pub when: When,
    /// How the value is shown.
    pub show: Show,
    /// The unit, shown in text output: `ms`, `bytes/s`; or empty.
    pub unit: &'static str,
    /// The value encoded if none is given. `None`: the field must be given.
    pub default: Option<i64>,
    /// A set of the constants in [`flag`].
    pub flags: u16,
    /// What a session does at this field: an index into a list of its own; 0: nothing.
    pub hook: u16,
}

/// The particularities of a [`Field`].
pub mod flag {
    /// On the wire, but not among the fields shown in JSON: type bytes, lengths, end markers.
    pub const HIDDEN: u16 = 1;
    /// Later fields refer to this one by name: in conditions, cases, lengths, counts.
    pub const REFERENCED: u16 = 2;
    /// Not shown when it has no bytes.
    pub const OMIT_EMPTY: u16 = 4;
    /// A group or array that is shown once it has been reached, even if nothing of it could be
    /// read.
    pub const KEEP_EMPTY: u16 = 8;
    /// A hidden number that says how many bytes follow it up to the end of the message.
    pub const MEASURES_REST: u16 = 16;
    /// The rest of the message may end in padding: if the last bits do not make a whole byte and
    /// are all zero, they are not part of the value (bit-packed protocols).
    pub const PADDED: u16 = 32;
    /// A payload for which the user may have a schema.
    pub const PAYLOAD: u16 = 64;
    /// Known from earlier messages, not in this message's bytes.
    pub const DERIVED: u16 = 128;
    /// A group that is a message of its own: the fields around it are its headers.
    pub const MESSAGE: u16 = 256;
    /// A [message](MESSAGE) may stand in it.
    pub const CARRIES: u16 = 1024;
    /// An element of a list, in which a [message](MESSAGE) may stand.
    pub const ELEMENT: u16 = 4096;
    /// Not shown where the message's name tells it; shown where no message is known.
    pub const SELECTS: u16 = 8192;
    /// Its enumeration is closed: any other number is a fault.
    pub const CLOSED: u16 = 16384;
    /// Shown only where the message's bytes are.
    pub const BULK: u16 = 32768;
    /// A count larger than the bytes that are left is a fault of the count itself.
    pub const CHECKED: u16 = 512;
    /// A number whose bits tell which later fields are present, computed from these when encoding.
    /// Its default is the value without any of them.
    pub const PRESENCE: u16 = 2048;
}

/// Byte order of a number of whole bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first. Also the order of bit fields.
    Little,
    /// Most significant byte first.
    Big,
    /// As found for this conversation; the reader asks its [`Context`](super::Context).
    Conversation,
}

/// How a [`Kind::VarInt`] encodes negative numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Unsigned.
    None,
    /// Zigzag: 0, -1, 1, -2, ..
    Zigzag,
    /// Two's complement of 64 bits: negative numbers take ten groups.
    Complement,
    /// Two's complement of 32 bits: negative numbers take five groups.
    Complement32,
}

impl Sign {
    /// The number that a varint's 64 bits mean.
    #[inline]
    pub const fn read(self, v: u64) -> i128 {
        match self {
            Sign::None => v as i128,
            Sign::Zigzag => ((v >> 1) as i64 ^ -((v & 1) as i64)) as i128,
            Sign::Complement => v as i64 as i128,
            Sign::Complement32 => v as u32 as i32 as i128,
        }
    }

    /// The 64 bits of a varint for a number; `None`: it is out of range.
    pub fn write(self, n: i128) -> Option<u64> {
        match self {
            Sign::None => u64::try_from(n).ok(),
            Sign::Zigzag => i64::try_from(n).ok().map(|n| (n << 1 ^ n >> 63) as u64),
            Sign::Complement => i64::try_from(n).ok().map(|n| n as u64),
            Sign::Complement32 => i32::try_from(n).ok().map(|n| n as u32 as u64),
        }
    }

    /// The smallest and the largest number.
    pub const fn range(self) -> (i128, i128) {
        match self {
            Sign::None => (0, u64::MAX as i128),
            Sign::Zigzag | Sign::Complement => (i64::MIN as i128, i64::MAX as i128),
            Sign::Complement32 => (i32::MIN as i128, i32::MAX as i128),
        }
    }
}

/// A field's encoding on the wire.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Bits of a fixed value: a message type, a magic number. Never required when encoding.
    Tag {
        /// How many bits, at most 64.
        bits: u8,
        /// Byte order, for whole bytes.
        order: Order,
        /// The fixed value.
        value: u64,
    },
    /// An unsigned number of `bits` bits, at any bit offset.
    UInt {
        /// 1 to 64.
        bits: u8,
        /// Byte order, for whole bytes.
        order: Order,
    },
    /// A two's complement number of `bits` bits.
    Int {
        /// 1 to 64.
        bits: u8,
        /// Byte order, for whole bytes.
        order: Order,
    },
    /// An IEEE 754 number of 16, 32 or 64 bits.
    Float {
        /// 16, 32 or 64.
        bits: u8,
        /// Byte order.
        order: Order,
    },
    /// 0 is false, 1 is true; any other value is shown raw.
    Bool {
        /// 1 or 8.
        bits: u8,
    },
    /// Groups of seven bits, the least significant first; bit 7 tells that more follow. A form
    /// longer than necessary, or a value above 64 bits, is shown raw.
    VarInt {
        /// Longer forms are refused.
        max_groups: u16,
        /// How negative numbers are written.
        sign: Sign,
    },
    /// Text; bytes that are not valid in that charset are shown raw.
    Text {
        /// Where it ends.
        len: Len,
        /// How its bytes are decoded.
        charset: Charset,
    },
    /// Bytes that are opaque to the protocol.
    Bytes {
        /// Where they end.
        len: Len,
    },
    /// A named group of fields.
    Struct(&'static [Field]),
    /// Fields that belong to the parent's group.
    Inline(&'static [Field]),
    /// The same field several times.
    Array {
        /// How many.
        count: Count,
        /// One element. A [`Kind::Struct`] is shown as an object.
        of: &'static Field,
    },
    /// One of several lists of fields, selected by an earlier field's value; they belong to the
    /// parent's group.
    Switch {
        /// The earlier field's name.
        on: &'static str,
        /// Value and fields, every value once.
        cases: &'static [Case],
        /// What an unlisted value means.
        other: Other,
    },
    /// A value known from earlier messages: [`super::Context::recall`] is asked for it.
    Derived,
    /// An encoding that the vocabulary cannot express: one codec for all directions.
    Custom(&'static dyn Custom),
}

impl Kind {
    /// Width and order, where it is a number of fixed width.
    pub(crate) const fn width(&self) -> Option<(u32, Order)> {
        match self {
            Kind::UInt { bits, order }
            | Kind::Int { bits, order }
            | Kind::Float { bits, order }
            | Kind::Tag { bits, order, .. } => Some((*bits as u32, *order)),
            Kind::Bool { bits } => Some((*bits as u32, Order::Little)),
            _ => None,
        }
    }
}

/// One case of a [`Kind::Switch`].
#[derive(Debug)]
pub struct Case {
    /// The value that selects it.
    pub value: u64,
    /// Its fields.
    pub fields: &'static [Field],
}

/// How a value is handled that no case of a [`Kind::Switch`] lists.
#[derive(Clone, Copy, Debug)]
pub enum Other {
    /// Its length cannot be known: a fault, with this reason.
    Fault(&'static str),
    /// These fields.
    Fields(&'static [Field]),
    /// [`super::Context::layout`] is asked; if it does not know either, reading ends there without
    /// a fault.
    Ask,
}

/// Where text or bytes end.
#[derive(Clone, Copy, Debug)]
pub enum Len {
    /// This many bytes.
    Const(u32),
    /// A number before them gives the length in bytes; it is part of the field.
    Prefix(&'static Field),
    /// An earlier [referenced](Field::referenced) field gives the length in bytes.
    Field(&'static str),
    /// Up to this byte, which is part of the field but not shown.
    Until(u8),
    /// The rest of the message.
    Rest,
    /// This many bytes; text ends at the first zero byte and only zeros may follow it.
    Padded(u32),
    /// This many bits.
    Bits(u32),
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// This many.
    Const(u32),
    /// A number before them gives the count. It is shown, by its name, only if the array could not
    /// be read to its end.
    Prefix(&'static Field),
    /// An earlier [referenced](Field::referenced) field gives the count.
    Field(&'static str),
    /// Up to this byte where the next element would start.
    Until(u8),
    /// Up to the end of the message.
    Rest,
}

/// How the bytes of a text are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// Latin-1: every byte is one character.
    Latin1,
}

/// When a field is present. When encoding, a conditional field is present if it is given.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Always.
    Always,
    /// An earlier field has this bit set; encoding a field sets the bit.
    Bit(&'static str, u8),
    /// An earlier field does not have this bit set.
    Clear(&'static str, u8),
    /// An earlier field has this value.
    Eq(&'static str, u64),
    /// An earlier field has one of these values.
    In(&'static str, &'static [u64]),
    /// At least this many bits are left.
    Left(u32),
    /// One of these conditions holds.
    Any(&'static [When]),
    /// All of these conditions hold.
    All(&'static [When]),
    /// This condition does not hold.
    Not(&'static When),
    /// An earlier field, or a value of the conversation, is below this number.
    Below(&'static str, i64),
    /// An earlier field, or a value of the conversation, has one of the bits of this mask.
    Mask(&'static str, u64),
    /// An earlier field, or a value of the conversation, is not zero.
    Set(&'static str),
    /// A setting of the conversation has this value, see [`super::Context::setting`].
    Setting(&'static str, u64),
}

/// How a value is shown, and given when encoding.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    /// As it is.
    Plain,
    /// By its name; a value without a name is shown as its number.
    Enum(&'static [(u64, &'static str)]),
    /// As a list of the names of the set bits, from the lowest up; a bit without a name is shown as
    /// its mask.
    Flags(&'static Flags),
    /// As another number, see [`Scale`](super::scale::Scale).
    Scaled(super::scale::Scale),
}

/// The bits of a [`Show::Flags`].
#[derive(Debug)]
pub struct Flags {
    /// Mask of one bit, and its name.
    pub names: &'static [(u64, &'static str)],
    /// An unknown bit is shown as its mask shifted left by this.
    pub shift: u8,
    /// Bits that are not flags: not shown.
    pub fixed_mask: u64,
    /// The value written to the bits of `fixed_mask`.
    pub fixed: u64,
}
