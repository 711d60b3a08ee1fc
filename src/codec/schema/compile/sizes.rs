//! The extent of a field: a region of the bytes, or packed bytes.

use super::lasting;
use crate::codec::kinds::{Extent, Packed, Packing, Ratio, Region};
use crate::codec::layout::{Field, Kind, Len, Name, Order, When, bytes, flag, of};
use crate::codec::schema::named::leak;
use crate::codec::schema::text::FieldText;

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

/// The first field that begins within a byte whose other bits are of the other order: its line, and the mistake.
pub(super) fn mixed(fields: &[Field], texts: &[FieldText]) -> Option<(usize, String)> {
    // The bits that are taken of a byte; `None`: the data decides.
    let (mut taken, mut before) = (Some(0), None);
    for (field, t) in fields.iter().zip(texts).filter(|(field, _)| field.kind.bits() != Some(0)) {
        let [first, last] = from_highest(field);
        let is_within = taken.is_some_and(|taken| taken > 0);
        if is_within && first.zip(before).is_some_and(|(first, before)| first != before) {
            let why = "it begins within a byte whose other bits have the other order: bits(n)be are taken from the \
                       highest bit on, all other types from the lowest";
            return Some((t.line, format!("{}: {why}", t.name)));
        }
        taken = match (field.kind.bits(), &field.kind) {
            (Some(bits), _) if bits % 8 == 0 => taken,
            (Some(bits), _) if field.bits().is_some() => taken.map(|taken| (taken + bits % 8) % 8),
            (None, Kind::Text { .. } | Kind::Bytes { .. } | Kind::VarInt { .. }) => taken,
            // Parts of a byte that may be absent, or are there several times.
            _ => None,
        };
        before = last;
    }
    None
}

/// Whether the first and the last bits of a field are taken from the highest on; `None`: its content decides.
fn from_highest(field: &Field) -> [Option<bool>; 2] {
    match &field.kind {
        Kind::Chosen(_) | Kind::Switch { .. } | Kind::Ring { .. } => [None; 2],
        Kind::Constant(constant) => from_highest(constant.of),
        Kind::Array { of, .. } => from_highest(of),
        Kind::Struct(fields) | Kind::Inline(fields) => {
            let mut some = fields.iter().filter(|field| field.kind.bits() != Some(0));
            let first = some.next();
            let last = some.next_back().or(first);
            [first.and_then(|field| from_highest(field)[0]), last.and_then(|field| from_highest(field)[1])]
        }
        Kind::Region(_) | Kind::Packed(_) => field.kind.fields().first().map_or([None; 2], from_highest),
        kind => [Some(matches!(kind.width(), Some((_, Order::HighestBit)))); 2],
    }
}
