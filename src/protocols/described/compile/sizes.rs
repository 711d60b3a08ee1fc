//! What a field takes of the bytes: how many bits, up to where, in a region or in packed bytes of its
//! own.

use super::lasting;
use crate::codec::kinds::{Extent, Packed, Packing, Region};
use crate::codec::layout::{Field, Kind, Len, Name, When, bytes, flag, of};
use crate::codec::schema::named::leak;

/// A field in another, which has no name of its own; `wrap` gets it without its condition.
fn wrapped(mut field: Field, wrap: impl FnOnce(Field) -> Kind) -> Field {
    let when = std::mem::replace(&mut field.when, When::Always);
    let flags = field.flags & flag::CARRIES;
    Field { when, flags, ..of("", wrap(field)) }
}

/// A field in a region.
pub fn region(field: Field, extent: Extent, scale: (u32, u32), name: &str) -> Field {
    let left = Region::left(leak(&format!("{name}_trailing")));
    wrapped(field, |inner| Kind::Region(lasting(Region { extent, scale, fields: lasting([inner, left]) })))
}

/// A field in packed bytes.
pub fn packed(field: Field, packing: Packing, most: usize, inflated: Option<Name>, name: &str) -> Field {
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut kept = bytes("compressed", Len::Rest).doc("the compressed bytes, where compressing again gives others");
    kept.flags |= flag::DERIVED;
    wrapped(field, |inner| {
        let masked = matches!(packing, Packing::Xor(_) | Packing::XorField(_));
        let bits = if masked { inner.kind.bits() } else { None };
        Kind::Packed(lasting(Packed { packing, bits, most, inflated, fields: lasting([inner, left, kept]) }))
    })
}

/// Can these conditions not hold together?
pub(super) fn excludes(a: &When, b: &When) -> bool {
    let same = |a: &When, b: &When| format!("{a:?}") == format!("{b:?}");
    match (a, b) {
        (When::Not(a), b) | (b, When::Not(a)) => same(a, b),
        (When::Is(a, m), When::Is(b, n)) => a.text == b.text && m != n,
        (When::Eq(a, m), When::Eq(b, n)) => a.text == b.text && m != n,
        (When::Bit(a, k), When::Clear(b, n)) | (When::Clear(a, k), When::Bit(b, n)) => a.text == b.text && k == n,
        (When::All(all), other) | (other, When::All(all)) => all.iter().any(|when| excludes(when, other)),
        (When::Eq(a, m), When::In(b, list)) | (When::In(b, list), When::Eq(a, m)) => {
            a.text == b.text && !list.contains(m)
        }
        (When::In(a, one), When::In(b, other)) => a.text == b.text && one.iter().all(|n| !other.contains(n)),
        _ => false,
    }
}

pub(super) fn is_chosen(field: &Field) -> bool {
    field.is(flag::CARRIES) && !matches!(field.kind, Kind::Array { .. })
}

/// Does it leave nothing for the fields behind it?
pub(super) fn takes_the_rest(field: &Field) -> bool {
    match &field.kind {
        Kind::Array { of, .. } if takes_the_rest(of) => true,
        Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().any(takes_the_rest),
        kind => kind.takes_the_rest(),
    }
}
