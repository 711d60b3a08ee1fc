//! The constructors of tables, all `const`. Each makes a [`Field`] or a condition.

use super::{Case, Charset, Count, Field, Flags, Key, Kind, Len, Name, Order, Other, Show, Sign, When, flag};
use crate::codec::quoted::Quoted;
use crate::codec::walk::Custom;

const BLANK: Field = Field {
    name: "",
    quoted: Quoted::new(""),
    key: Key::new(""),
    doc: "",
    kind: Kind::Derived,
    when: When::Always,
    show: Show::Plain,
    unit: "",
    default: None,
    flags: 0,
    hook: 0,
};

/// A field of that kind.
pub const fn of(name: &'static str, kind: Kind) -> Field {
    // The kinds borrow only statics, so nothing is dropped here.
    Field { name, quoted: Quoted::new(name), key: Key::new(name), kind, ..BLANK }
}

macro_rules! numbers {
    ($($name:ident $kind:ident $bits:literal $order:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        pub const fn $name(name: &'static str) -> Field {
            of(name, Kind::$kind { bits: $bits, order: Order::$order })
        }
    )*};
}
numbers! {
    u8 UInt 8 Little "An unsigned byte.";
    i8 Int 8 Little "A signed byte.";
    u16le UInt 16 Little "Unsigned, 16 bits, little-endian.";
    u24le UInt 24 Little "Unsigned, 24 bits, little-endian.";
    u32le UInt 32 Little "Unsigned, 32 bits, little-endian.";
    u64le UInt 64 Little "Unsigned, 64 bits, little-endian.";
    i16le Int 16 Little "Signed, 16 bits, little-endian.";
    i24le Int 24 Little "Signed, 24 bits, little-endian.";
    i32le Int 32 Little "Signed, 32 bits, little-endian.";
    i64le Int 64 Little "Signed, 64 bits, little-endian.";
    u16be UInt 16 Big "Unsigned, 16 bits, big-endian.";
    u24be UInt 24 Big "Unsigned, 24 bits, big-endian.";
    u32be UInt 32 Big "Unsigned, 32 bits, big-endian.";
    u64be UInt 64 Big "Unsigned, 64 bits, big-endian.";
    i16be Int 16 Big "Signed, 16 bits, big-endian.";
    i32be Int 32 Big "Signed, 32 bits, big-endian.";
    i64be Int 64 Big "Signed, 64 bits, big-endian.";
    f32be Float 32 Big "IEEE 754 binary32, big-endian.";
    f64be Float 64 Big "IEEE 754 binary64, big-endian.";
    u16c UInt 16 Conversation "Unsigned, 16 bits, in the conversation's byte order.";
    u32c UInt 32 Conversation "Unsigned, 32 bits, in the conversation's byte order.";
    i16c Int 16 Conversation "Signed, 16 bits, in the conversation's byte order.";
    i32c Int 32 Conversation "Signed, 32 bits, in the conversation's byte order.";
    f16le Float 16 Little "IEEE 754 binary16, little-endian.";
    f32le Float 32 Little "IEEE 754 binary32, little-endian.";
    f64le Float 64 Little "IEEE 754 binary64, little-endian.";
    f32c Float 32 Conversation "IEEE 754 binary32, in the conversation's byte order.";
    f64c Float 64 Conversation "IEEE 754 binary64, in the conversation's byte order.";
}

/// An unsigned number of `bits` bits, least significant first.
pub const fn uint(name: &'static str, bits: u8) -> Field {
    of(name, Kind::UInt { bits, order: Order::Little })
}

/// A signed number of `bits` bits, least significant first.
pub const fn int(name: &'static str, bits: u8) -> Field {
    of(name, Kind::Int { bits, order: Order::Little })
}

/// A boolean of 1 or 8 bits.
pub const fn boolean(name: &'static str, bits: u8) -> Field {
    of(name, Kind::Bool { bits })
}

/// A little-endian base-128 number whose overlong forms are shown raw.
pub const fn varint(name: &'static str, max_groups: u16) -> Field {
    of(name, Kind::VarInt { max_groups, sign: Sign::None })
}

/// A signed base-128 number, zigzag encoded.
pub const fn zigzag(name: &'static str, max_groups: u16) -> Field {
    of(name, Kind::VarInt { max_groups, sign: Sign::Zigzag })
}

/// A signed base-128 number in two's complement of 64 bits.
pub const fn svarint(name: &'static str, max_groups: u16) -> Field {
    of(name, Kind::VarInt { max_groups, sign: Sign::Complement })
}

/// A message type or magic number. It is hidden, and encoded from the table.
pub const fn tag(name: &'static str, bits: u8, value: u64) -> Field {
    of(name, Kind::Tag { bits, order: Order::Little, value }).hidden()
}

/// UTF-8 text.
pub const fn text(name: &'static str, len: Len) -> Field {
    of(name, Kind::Text { len, charset: Charset::Utf8 })
}

/// Latin-1 text.
pub const fn latin1(name: &'static str, len: Len) -> Field {
    of(name, Kind::Text { len, charset: Charset::Latin1 })
}

/// Bytes.
pub const fn bytes(name: &'static str, len: Len) -> Field {
    of(name, Kind::Bytes { len })
}

/// The rest of the message, which belongs to the application. Payload schemas apply to it.
pub const fn payload(name: &'static str) -> Field {
    let mut field = bytes(name, Len::Rest);
    field.flags |= flag::PAYLOAD;
    field
}

/// A named group of fields.
pub const fn group(name: &'static str, fields: &'static [Field]) -> Field {
    of(name, Kind::Struct(fields))
}

/// Fields that belong to the parent's group.
pub const fn inline(name: &'static str, fields: &'static [Field]) -> Field {
    of(name, Kind::Inline(fields))
}

/// The same field several times.
pub const fn array(name: &'static str, count: Count, element: &'static Field) -> Field {
    of(name, Kind::Array { count, of: element })
}

/// A fixed number of bare values: `[x, y, z]`.
pub const fn tuple(name: &'static str, count: u32, element: &'static Field) -> Field {
    of(name, Kind::Array { count: Count::Const(count), of: element })
}

/// One of several lists of fields, selected by the value of the earlier field `on`.
pub const fn switch(on: &'static str, cases: &'static [Case], other: Other) -> Field {
    of("", Kind::Switch { on: Name::new(on), cases, other })
}

/// A value known from earlier messages.
pub const fn derived(name: &'static str) -> Field {
    let mut field = of(name, Kind::Derived);
    field.flags |= flag::DERIVED;
    field
}

/// An encoding of a single protocol.
pub const fn custom(name: &'static str, codec: &'static dyn Custom) -> Field {
    of(name, Kind::Custom(codec))
}

/// Length: given by the earlier field `name`.
pub const fn length(name: &'static str) -> Len {
    Len::Field(Name::new(name))
}

/// Count: given by the earlier field `name`.
pub const fn count(name: &'static str) -> Count {
    Count::Field(Name::new(name))
}

/// Condition: the earlier field `name` has the value.
pub const fn eq(name: &'static str, value: u64) -> When {
    When::Eq(Name::new(name), value)
}

/// Condition: bit `bit` of the earlier field `name` is set.
pub const fn bit(name: &'static str, bit: u8) -> When {
    When::Bit(Name::new(name), bit)
}

/// Condition: bit `bit` of the earlier field `name` is not set.
pub const fn clear(name: &'static str, bit: u8) -> When {
    When::Clear(Name::new(name), bit)
}

/// Condition: at least `bits` bits are left.
pub const fn left(bits: u32) -> When {
    When::Left(bits)
}

impl Field {
    const fn with(mut self, flags: u32) -> Field {
        self.flags |= flags;
        self
    }

    /// Whether both fields have the same name. Tables copy their constants, so a field has no address of its own: keys
    /// are compared first, then the texts, which are mostly the same in memory.
    #[inline(always)]
    pub fn is_named_as(&self, other: &Field) -> bool {
        self.key == other.key && (std::ptr::eq(self.name, other.name) || self.name == other.name)
    }

    /// Sets another name.
    pub const fn set_name(&mut self, name: &'static str) {
        self.name = name;
        self.quoted = Quoted::new(name);
        self.key = Key::new(name);
    }

    /// See [`Field::doc`].
    pub const fn doc(mut self, doc: &'static str) -> Field {
        self.doc = doc;
        self
    }

    /// See [`Field::unit`].
    pub const fn unit(mut self, unit: &'static str) -> Field {
        self.unit = unit;
        self
    }

    /// See [`Field::when`].
    pub const fn when(mut self, when: When) -> Field {
        self.when = when;
        self
    }

    /// See [`Field::default`].
    pub const fn default(mut self, value: i64) -> Field {
        self.default = Some(value);
        self
    }

    /// Shows the value by name; see [`Show::Enum`].
    pub const fn names(mut self, names: &'static [(u64, &'static str)]) -> Field {
        self.show = Show::Enum(names);
        self
    }

    /// Shows the value as a list of flags; see [`Show::Flags`].
    pub const fn flags(mut self, flags: &'static Flags) -> Field {
        self.show = Show::Flags(flags);
        self
    }

    /// Shows the value as another number; see [`Show::Scaled`].
    pub const fn scaled(mut self, scale: crate::codec::scale::Scale) -> Field {
        self.show = Show::Scaled(scale);
        self
    }

    /// On the wire, but not shown in JSON: type bytes, lengths, end markers.
    pub const fn hidden(self) -> Field {
        self.with(flag::HIDDEN)
    }

    /// Later fields refer to this one by name: in conditions, cases, lengths, counts.
    pub const fn referenced(self) -> Field {
        self.with(flag::REFERENCED)
    }

    /// As [`referenced`](Self::referenced), but only the user's schemas refer to it: nothing in the table does.
    pub const fn identifies(self) -> Field {
        self.with(flag::REFERENCED | flag::IDENTIFIES)
    }

    /// A hidden number whose bits mark the later fields that are present. Encoding computes it from these fields.
    /// `without` is its value without any of them.
    pub const fn presence(self, without: i64) -> Field {
        self.with(flag::PRESENCE | flag::HIDDEN | flag::REFERENCED).default(without)
    }

    /// A derived value that shows the content of the payload. Paths that begin with `payload.` also lead into it.
    pub const fn opened(self) -> Field {
        self.with(flag::OPENED)
    }

    /// A list whose elements have the fields of the application's messages. Paths that begin with `payload.` lead into
    /// the elements.
    pub const fn payloads(self) -> Field {
        self.with(flag::PAYLOADS)
    }

    /// Redaction keeps it and all in it: it belongs to the protocol.
    pub const fn public(self) -> Field {
        self.with(flag::PUBLIC)
    }

    /// Not shown if it has no bytes.
    pub const fn omit_empty(self) -> Field {
        self.with(flag::OMIT_EMPTY)
    }

    /// A group or array that is shown once it has been reached, even if none of it could be read.
    pub const fn keep_empty(self) -> Field {
        self.with(flag::KEEP_EMPTY)
    }

    /// A hidden number: the bytes that follow it up to the end of the message.
    pub const fn measures_rest(self) -> Field {
        self.with(flag::MEASURES_REST | flag::HIDDEN)
    }

    /// The rest of the message may end in padding. If its last bits do not make a whole byte and are all zero, they are
    /// not part of the value (bit-packed protocols).
    pub const fn padded(self) -> Field {
        self.with(flag::PADDED)
    }

    /// Its enumeration is closed: any other number is a fault.
    pub const fn closed(self) -> Field {
        self.with(flag::CLOSED)
    }

    /// A count larger than the bytes that are left is a fault of the count itself.
    pub const fn checked(self) -> Field {
        self.with(flag::CHECKED)
    }

    /// Whether it is on the wire, but not shown in JSON.
    pub const fn is_hidden(&self) -> bool {
        self.is(flag::HIDDEN)
    }

    /// Whether this flag is set.
    #[inline(always)]
    pub(crate) const fn is(&self, which: u32) -> bool {
        self.flags & which != 0
    }
}
