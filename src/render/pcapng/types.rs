//! The types that fields have in Wireshark.

use crate::codec::layout::{Field, Kind, Show, Sign};

/// A field's type in Wireshark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    U32,
    U64,
    I32,
    I64,
    Float,
    Bool,
    Bytes,
    Group,
    /// Text, and values whose type differs between versions or is not known in advance.
    Text,
}

crate::named!(Type:
    U32 = "u32", U64 = "u64", I32 = "i32", I64 = "i64", Float = "f", Bool = "b", Bytes = "x", Group = "n",
    Text = "s",
);

impl Type {
    /// Returns a type for the values of both.
    pub fn with(self, other: Type) -> Type {
        let (low, high) = (self.min(other), self.max(other));
        match (low, high) {
            _ if low == high => low,
            (Type::U32, Type::U64 | Type::I64) | (Type::I32, Type::I64) => high,
            (Type::U32, Type::I32) => Type::I64,
            (Type::U32 | Type::I32, Type::Float) => Type::Float,
            _ => Type::Text,
        }
    }

    fn number(bits: u32, signed: bool) -> Type {
        match (bits, signed) {
            (..=32, false) => Type::U32,
            (_, false) => Type::U64,
            (..=32, true) => Type::I32,
            (_, true) => Type::I64,
        }
    }

    /// Returns the type of the values that a field reads.
    pub fn of(field: &Field) -> Type {
        if let Show::Scaled(_) = field.show {
            return Type::Float;
        }
        if let Show::Time { .. } = field.show {
            return Type::Text;
        }
        let named = matches!(field.show, Show::Enum(_) | Show::Flags(_));
        match &field.kind {
            Kind::Tag { bits, .. } | Kind::UInt { bits, .. } => Type::number((*bits).into(), false),
            Kind::Int { bits, .. } => Type::number((*bits).into(), true),
            Kind::VarInt { sign, .. } => Type::number(64, *sign != Sign::None),
            Kind::Float { .. } => Type::Float,
            Kind::Bool { .. } => Type::Bool,
            Kind::Text { .. } | Kind::Address(_) | Kind::Chosen(_) => Type::Text,
            Kind::Bytes { .. } => Type::Bytes,
            Kind::Struct(_) | Kind::Ring { .. } | Kind::Inline(_) | Kind::Switch { .. } | Kind::Settled(_) => {
                Type::Group
            }
            Kind::Array { of, .. } => Type::of(of),
            Kind::Derived if named => Type::U64,
            Kind::Derived => Type::Text,
            Kind::Parts(_) | Kind::Region(_) | Kind::Packed(_) | Kind::Protobuf(_) => Type::Group,
            Kind::Checksum(_) | Kind::Extended(_) => Type::U64,
            Kind::Numeral(_) => Type::I64,
            Kind::Constant(constant) => Type::of(constant.of),
            Kind::Custom(_) if named => Type::U64,
            Kind::Custom(codec) => codec.like().map_or(Type::Text, Type::of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_differ() {
        assert_eq!(Type::U32.with(Type::U64), Type::U64);
        assert_eq!(Type::I32.with(Type::U32), Type::I64);
        assert_eq!(Type::U64.with(Type::I64), Type::Text);
        assert_eq!(Type::Bytes.with(Type::Group), Type::Text);
        assert_eq!(Type::Bool.with(Type::Bool), Type::Bool);
    }
}
