//! Literals: the numbers they denote, and the fields that can have their values.

use super::names::NamedFields;
use super::{Literal, Number};
use crate::codec::digits;
use crate::codec::layout::{Field, Kind, Show};
use crate::nearest::{hint, nearest};

/// The number denoted by a word, decimal or hex.
pub fn number(text: &str) -> Option<Number> {
    let whole = digits::whole(text).map(Number::Whole);
    // "inf" and "nan" are not numbers here.
    whole.or_else(|| digits::real(text).map(Number::Real))
}

/// Checks that one of the fields can have such a value.
pub fn fits(found: &NamedFields<'_>, name: &str, literal: &Literal) -> Result<(), String> {
    if found.open || found.fields.iter().any(|f| field_fits(f, literal)) {
        return Ok(());
    }
    let names = found.value_names();
    let text = &literal.text;
    Err(match (names.is_empty(), found.fields.first().map(|f| &f.kind)) {
        (false, _) => format!(
            "{name} has no value {text:?}{}: expected one of {}",
            hint(nearest(text, names.iter().copied())),
            names.join(", ")
        ),
        (true, Some(Kind::Bytes { .. })) => format!("{name} is bytes: expected hex, got {text:?}"),
        (true, Some(Kind::Bool { .. })) => format!("{name} is true or false, got {text:?}"),
        (true, Some(Kind::Struct(_) | Kind::Ring { .. })) => format!("{name} is a group: compare one of its fields"),
        _ if found.fields.first().is_some_and(|field| matches!(field.show, Show::Time { .. })) => {
            format!("{name} is a time, such as 2026-11-24T14:00:53Z, or its number, got {text:?}")
        }
        _ => match found.fields.first().map_or("", |field| field.unit) {
            "" => format!("{name} is a number, got {text:?}"),
            unit => format!("{name} is a number (in {unit}), got {text:?}"),
        },
    })
}

/// Whether the literal has a type that the field can have.
pub fn field_fits(field: &Field, literal: &Literal) -> bool {
    let named = |names: &[(u64, &str)]| names.iter().any(|(_, n)| *n == literal.text);
    match (&field.kind, field.show) {
        (_, Show::Enum(names)) => literal.number.is_some() || named(names),
        (_, Show::Flags(flags)) => literal.number.is_some() || named(flags.names),
        (Kind::Text { .. }, _) => true,
        (_, Show::Time { clock, .. }) => {
            digits::whole(&literal.text).is_some() || clock.number(&literal.text).is_some()
        }
        (Kind::Bool { .. }, _) => ["true", "false"].contains(&literal.text.as_str()),
        (Kind::Bytes { .. }, _) => literal.text.bytes().all(|b| b.is_ascii_hexdigit()),
        (Kind::Struct(_) | Kind::Ring { .. }, _) => false,
        (Kind::Derived | Kind::Switch { .. }, _) => true,
        (Kind::Constant(_) | Kind::Chosen(_) | Kind::Address(_) | Kind::Custom(_), _) => true,
        _ => literal.number.is_some(),
    }
}
