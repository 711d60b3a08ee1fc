//! The extent of a field: a region of the bytes, or packed bytes.

use super::lasting;
use crate::codec::kinds::{Extent, Packed, Packing, Ratio, Region};
use crate::codec::layout::{Field, Kind, Len, Name, When, bytes, flag, of};
use crate::codec::schema::named::leak;

/// Wraps a field in one without a name. The condition moves to the outer field.
fn wrapped(mut field: Field, wrap: impl FnOnce(Field) -> Kind) -> Field {
    let when = std::mem::replace(&mut field.when, When::Always);
    let flags = field.flags & flag::CARRIES;
    Field { when, flags, ..of("", wrap(field)) }
}

/// A field in a region.
pub fn region(field: Field, extent: Extent, name: &str) -> Field {
    padded(field, extent, Ratio::ONE, 0, 0, name)
}

/// A field in a region whose number counts `plus` more, with padding to a multiple of `align`.
pub fn padded(field: Field, extent: Extent, scale: Ratio, plus: i32, align: u32, name: &str) -> Field {
    let left = Region::left(leak(&format!("{name}_trailing")));
    let padding = bytes(leak(&format!("{name}_padding")), Len::Rest).doc("padding that is not all zeros");
    wrapped(field, |mut inner| {
        if matches!(extent, Extent::Prefix(_) | Extent::Field(_)) {
            inner.flags |= flag::SIZED;
        }
        Kind::Region(lasting(Region { extent, scale, plus, align, fields: lasting([inner, left, padding]) }))
    })
}

/// A field in packed bytes.
pub fn packed(field: Field, packing: Packing, most: usize, inflated: Option<Name>, name: &str) -> Field {
    let left = Region::left(leak(&format!("{name}_trailing")));
    let mut kept = bytes("compressed", Len::Rest).doc("the compressed bytes, where compressing again gives others");
    kept.flags |= flag::DERIVED;
    wrapped(field, |inner| {
        let masked = matches!(packing, Packing::Xor(_) | Packing::XorField(..));
        let bits = if masked { inner.kind.bits() } else { None };
        Kind::Packed(lasting(Packed { packing, bits, most, inflated, fields: lasting([inner, left, kept]) }))
    })
}

pub(super) fn is_chosen(field: &Field) -> bool {
    field.is(flag::CARRIES) && !matches!(field.kind, Kind::Array { .. })
}

/// Whether it leaves nothing for later fields.
pub fn takes_the_rest(field: &Field) -> bool {
    match &field.kind {
        Kind::Array { of, .. } if takes_the_rest(of) => true,
        Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().any(takes_the_rest),
        kind => kind.takes_the_rest(),
    }
}
