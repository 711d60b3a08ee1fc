//! Encodings on the wire: of numbers, text, groups and lists, with their lengths and counts.

use super::{Field, Name, Show, When};
use crate::codec::bits;
use crate::codec::kinds::{
    Address, Checksum, Chosen, Constant, Extended, Numeral, Packed, Parts, Region, Ring, Settled,
};
use crate::codec::protobuf;
use crate::codec::walk::Custom;

/// Byte order of a number of whole bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first. Also the order of bit fields.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
    /// The order found for this conversation; the reader gets it from its [`Context`](crate::codec::Context).
    Conversation,
    /// Most significant bit first, from the highest bit of each byte on. Any number of bits is possible.
    HighestBit,
}

impl Order {
    /// Returns the order, or the conversation's order for [`Order::Conversation`].
    #[inline]
    pub(crate) fn within(self, conversation: Order) -> Order {
        if self == Order::Conversation { conversation } else { self }
    }
}

/// The encoding of negative numbers in a [`Kind::VarInt`].
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
    /// Returns the number that a varint's 64 bits mean.
    #[inline]
    pub const fn read(self, v: u64) -> i128 {
        match self {
            Sign::None => v as i128,
            Sign::Zigzag => ((v >> 1) as i64 ^ -((v & 1) as i64)) as i128,
            Sign::Complement => v as i64 as i128,
            Sign::Complement32 => v as u32 as i32 as i128,
        }
    }

    /// Returns the 64 bits of a varint for a number; `None` if it is out of range.
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
        /// The number of bits, at most 64.
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
    /// Groups of seven bits, the least significant first; bit 7 is set if more follow. A form
    /// longer than necessary, or a value above 64 bits, is shown raw.
    VarInt {
        /// The maximum number of groups. Longer forms are refused.
        max_groups: u16,
        /// The encoding of negative numbers.
        sign: Sign,
    },
    /// Text. Bytes that are not valid in its charset are shown raw.
    Text {
        /// Its length or end.
        len: Len,
        /// Its charset.
        charset: Charset,
    },
    /// Bytes that are opaque to the protocol.
    Bytes {
        /// Their length or end.
        len: Len,
    },
    /// A named group of fields.
    Struct(&'static [Field]),
    /// A group that contains itself.
    Ring {
        /// The fields, if it is the outermost one. In itself it has none, so that walks over the tables end.
        fields: &'static [Field],
        /// The fields of all levels.
        ring: &'static Ring,
    },
    /// Fields that belong to the parent's group.
    Inline(&'static [Field]),
    /// The same field several times.
    Array {
        /// The number of elements.
        count: Count,
        /// One element. A [`Kind::Struct`] is shown as an object.
        of: &'static Field,
    },
    /// One of several lists of fields, selected by an earlier field's value; they belong to the
    /// parent's group.
    Switch {
        /// The earlier field's name.
        on: Name,
        /// Value and fields, every value once.
        cases: &'static [Case],
        /// The handling of an unlisted value.
        other: Other,
    },
    /// A value known from earlier messages, from [`recall`](crate::codec::Context::recall).
    Derived,
    /// The bits of a number as fields.
    Parts(&'static Parts),
    /// A value that is always the same, or a mark that may be missing.
    Constant(&'static Constant),
    /// A field in a given number of bytes.
    Region(&'static Region),
    /// A field whose bytes are compressed or masked.
    Packed(&'static Packed),
    /// A CRC over other bytes of the packet.
    Checksum(&'static Checksum),
    /// A message chosen by an earlier number.
    Chosen(&'static Chosen),
    /// A number of which some values announce a longer form.
    Extended(&'static Extended),
    /// A number in text.
    Numeral(&'static Numeral),
    /// Bytes with a notation of their own: an IPv4 address, a UUID.
    Address(Address),
    /// Fields preceded by their numbers, in any order, up to the end.
    Protobuf(&'static protobuf::Message),
    /// A note on what encoding would write for a hidden number. It takes no bytes.
    Settled(&'static Settled),
    /// An encoding of a single protocol. One codec serves all directions.
    Custom(&'static dyn Custom),
}

impl Kind {
    /// Width and order, if it is a number of fixed width.
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

    /// The smallest and the largest value, if it is a whole number.
    pub(crate) fn range(&self) -> Option<(i128, i128)> {
        Some(match self {
            Kind::UInt { bits, .. } | Kind::Tag { bits, .. } => (0, bits::mask((*bits).into()).into()),
            Kind::Int { bits, .. } => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            Kind::VarInt { sign, .. } => sign.range(),
            Kind::Extended(extended) => (0, extended.most().into()),
            Kind::Numeral(numeral) => (numeral.radix.range().0, numeral.most().into()),
            _ => return None,
        })
    }

    /// Whether its values may be below zero.
    pub(crate) fn is_signed(&self) -> bool {
        self.range().is_some_and(|(least, _)| least < 0)
    }

    /// The fields of a group, or of a field that wraps others.
    pub const fn fields(&self) -> &'static [Field] {
        match self {
            Kind::Struct(fields) | Kind::Inline(fields) | Kind::Ring { fields, .. } => fields,
            Kind::Parts(parts) => parts.fields,
            Kind::Region(region) => region.fields,
            Kind::Packed(packed) => packed.fields,
            Kind::Protobuf(message) => message.fields,
            _ => &[],
        }
    }

    /// Whether it takes everything up to the end of the message or its region.
    pub(crate) fn takes_the_rest(&self) -> bool {
        match self {
            Kind::Text { len: Len::Rest, .. } | Kind::Bytes { len: Len::Rest } => true,
            Kind::Array { count: Count::Rest, .. } | Kind::Chosen(_) | Kind::Protobuf(_) => true,
            Kind::Numeral(numeral) => matches!(numeral.len, Len::Rest),
            Kind::Packed(packed) => packed.bits.is_none(),
            _ => false,
        }
    }

    /// The number of bits, if it is always the same.
    pub(crate) fn bits(&self) -> Option<u32> {
        match self {
            Kind::Text { len: Len::Const(n) | Len::Padded(n), .. } | Kind::Bytes { len: Len::Const(n) } => {
                n.checked_mul(8)
            }
            Kind::Bytes { len: Len::Bits(n) } => Some(*n),
            Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().map(Field::bits).sum(),
            Kind::Array { count: Count::Const(n), of } => of.bits().and_then(|bits| bits.checked_mul(*n)),
            Kind::Derived | Kind::Settled(_) => Some(0),
            Kind::Parts(parts) => Some(parts.bits()),
            Kind::Constant(constant) => (!constant.optional).then_some(constant.bits),
            Kind::Region(region) => region.bits(),
            Kind::Packed(packed) => packed.bits,
            Kind::Checksum(checksum) => Some(checksum.bits()),
            Kind::Address(address) => Some(address.bits()),
            Kind::Extended(extended) => extended.bits(),
            Kind::Numeral(numeral) => numeral.bits(),
            other => other.width().map(|(bits, _)| bits),
        }
    }

    /// Whether later fields may refer to it as a number.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. } | Kind::Float { .. } | Kind::Bool { .. }
        )
    }
}

impl Field {
    /// Whether its fields belong to its parent's group, so that it has no name of its own there.
    pub fn is_inline(&self) -> bool {
        match self.kind {
            Kind::Inline(_) | Kind::Settled(_) => true,
            Kind::Parts(_) | Kind::Region(_) | Kind::Packed(_) | Kind::Protobuf(_) => self.name.is_empty(),
            _ => false,
        }
    }

    /// Returns the number that represents a text of this field in conditions and ids: its position, from 1, among the
    /// texts they compare with; 0 if it is not one of them. The byte that ends the text does not count.
    pub(crate) fn text_id(&self, chars: impl DoubleEndedIterator<Item = char> + Clone) -> u64 {
        let Show::Asked(texts) = self.show else { return 0 };
        let place = |chars: &dyn Fn(&str) -> std::cmp::Ordering| match texts.binary_search_by(|text| chars(text)) {
            Ok(place) => place as u64 + 1,
            Err(_) => 0,
        };
        let mut bare = chars.clone();
        match (&self.kind, bare.next_back()) {
            (Kind::Text { len: Len::Through(ends), .. }, Some(last)) if ends.any.iter().any(|b| *b as char == last) => {
                place(&|text| text.chars().cmp(bare.clone()))
            }
            _ => place(&|text| text.chars().cmp(chars.clone())),
        }
    }

    /// Whether the form in which a number is shown converts back to it.
    #[inline]
    pub(crate) fn survives(&self, number: i128) -> bool {
        if let Show::Scaled(scale) = self.show { scale.survives(number) } else { true }
    }

    /// The number of bits, if the field is always present and its size is always the same.
    pub fn bits(&self) -> Option<u32> {
        if let When::Always = self.when { self.kind.bits() } else { None }
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

/// The handling of a value that no case of a [`Kind::Switch`] lists.
#[derive(Clone, Copy, Debug)]
pub enum Other {
    /// Its length is unknown: a fault with this reason.
    Fault(&'static str),
    /// These fields.
    Fields(&'static [Field]),
    /// The fields come from [`layout`](crate::codec::Context::layout). If it has none either, reading ends there
    /// without a fault.
    Ask,
}

/// The length or the end of text or bytes.
#[derive(Clone, Copy, Debug)]
pub enum Len {
    /// This many bytes.
    Const(u32),
    /// A number before them gives the length in bytes; it is part of the field.
    Prefix(&'static Field),
    /// An earlier [referenced](Field::referenced) field gives the length in bytes.
    Field(Name),
    /// Up to this byte, which is part of the field but not shown.
    Until(u8),
    /// Up to the first of several bytes, which is shown, or up to one byte or the end of the message.
    Through(&'static Ends),
    /// The rest of the message.
    Rest,
    /// This many bytes; text ends at the first zero byte and only zeros may follow it.
    Padded(u32),
    /// This many bits.
    Bits(u32),
}

/// The bytes that end a [`Len::Through`]. The first one found counts.
#[derive(Debug)]
pub struct Ends {
    /// The bytes.
    pub any: &'static [u8],
    /// Whether the content may also end with the message.
    pub or_end: bool,
}

impl Ends {
    /// Returns the byte that ends the content if more follows. It is the only such byte, so it need not be shown.
    pub(crate) fn between(&self) -> Option<u8> {
        if let ([end], true) = (self.any, self.or_end) { Some(*end) } else { None }
    }

    /// Returns the length of the content at the start of these bytes, and the length of its shown part; `None` if the
    /// content does not end.
    pub(crate) fn length(&self, mut bytes: impl ExactSizeIterator<Item = u8>) -> Option<(usize, usize)> {
        let all = bytes.len();
        let end = bytes.position(|byte| self.any.contains(&byte)).map(|at| at + 1);
        let length = end.or(self.or_end.then_some(all))?;
        let hides = end.is_some() && length < all && self.between().is_some();
        Some((length, length - usize::from(hides)))
    }

    /// Whether these bytes are exactly one such content.
    pub(crate) fn fit(&self, bytes: &[u8]) -> bool {
        self.length(bytes.iter().copied()).is_some_and(|(length, _)| length == bytes.len())
    }
}

/// The number of elements of an array.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// This many.
    Const(u32),
    /// A number before them gives the count. It is shown, by its name, only if the array could not
    /// be read to its end.
    Prefix(&'static Field),
    /// An earlier [referenced](Field::referenced) field gives the count.
    Field(Name),
    /// Up to this byte where the next element would start.
    Until(u8),
    /// Up to the end, or up to the constant that is this field's default, where the next element would start. The field
    /// is shown if nothing follows the constant.
    UntilOrEnd(&'static Field),
    /// As long as this holds for the newest element. There is at least one element.
    While(&'static When),
    /// Up to the end of the message.
    Rest,
}

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// Latin-1: every byte is one character.
    Latin1,
    /// UTF-16 in this byte order.
    Utf16(Order),
}
