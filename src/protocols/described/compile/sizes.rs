//! What a field takes of the bytes: how many bits, up to where, in a region or in packed bytes of its
//! own.

use super::lasting;
use crate::codec::kinds::{Extent, Packed, Packing, Region};
use crate::codec::layout::{Count, Field, Kind, Len, When, bytes, custom, flag};
use crate::codec::schema::named::leak;

/// A field in a region.
pub fn region(mut of: Field, extent: Extent, scale: (u32, u32), name: &str) -> Field {
    let when = std::mem::replace(&mut of.when, When::Always);
    let carries = of.flags & flag::CARRIES;
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut field = custom("", lasting(Region { extent, scale, fields: lasting([of, left]) }));
    field.when = when;
    field.flags |= carries;
    field
}

/// A field in packed bytes.
pub fn packed(mut of: Field, packing: Packing, most: usize, inflated: Option<&'static str>, name: &str) -> Field {
    let when = std::mem::replace(&mut of.when, When::Always);
    let carries = of.flags & flag::CARRIES;
    let masked = matches!(packing, Packing::Xor(_) | Packing::XorField(_));
    let bits = if masked { fixed(&of) } else { None };
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut kept = bytes("compressed", Len::Rest).doc("the compressed bytes, where compressing again gives others");
    kept.flags |= flag::DERIVED;
    let fields = lasting([of, left, kept]);
    let mut field = custom("", lasting(Packed { packing, bits, most, inflated, fields }));
    field.when = when;
    field.flags |= carries;
    field
}

/// Can these conditions not hold together?
pub(super) fn excludes(a: &When, b: &When) -> bool {
    let same = |a: &When, b: &When| format!("{a:?}") == format!("{b:?}");
    match (a, b) {
        (When::Not(a), b) | (b, When::Not(a)) => same(a, b),
        (When::Eq(a, m), When::Eq(b, n)) => a == b && m != n,
        (When::Bit(a, k), When::Clear(b, n)) | (When::Clear(a, k), When::Bit(b, n)) => a == b && k == n,
        (When::All(all), other) | (other, When::All(all)) => all.iter().any(|when| excludes(when, other)),
        (When::Eq(a, m), When::In(b, list)) | (When::In(b, list), When::Eq(a, m)) => a == b && !list.contains(m),
        (When::In(a, one), When::In(b, other)) => a == b && one.iter().all(|n| !other.contains(n)),
        _ => false,
    }
}

pub(super) fn is_chosen(field: &Field) -> bool {
    field.is(flag::CARRIES) && !matches!(field.kind, Kind::Array { .. })
}

/// The bits that a field always has, when it is there.
pub fn fixed(field: &Field) -> Option<u32> {
    match &field.kind {
        Kind::Custom(codec) => codec.bits(),
        Kind::Struct(fields) | Kind::Inline(fields) => {
            fields.iter().map(|f| if matches!(f.when, When::Always) { fixed(f) } else { None }).sum()
        }
        Kind::Array { count: Count::Const(n), of } => fixed(of).and_then(|bits| bits.checked_mul(*n)),
        Kind::Text { len: Len::Const(n), .. } | Kind::Bytes { len: Len::Const(n) } => n.checked_mul(8),
        Kind::UInt { bits, .. } | Kind::Int { bits, .. } | Kind::Float { bits, .. } | Kind::Bool { bits } => {
            Some(*bits as u32)
        }
        _ => None,
    }
}

/// Does it leave nothing for the fields behind it?
pub(super) fn takes_the_rest(field: &Field) -> bool {
    match &field.kind {
        Kind::Text { len: Len::Rest, .. } | Kind::Bytes { len: Len::Rest } => true,
        Kind::Array { count: Count::Rest, .. } => true,
        Kind::Array { of, .. } => takes_the_rest(of),
        Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().any(takes_the_rest),
        Kind::Custom(codec) => codec.takes_the_rest(),
        _ => false,
    }
}
