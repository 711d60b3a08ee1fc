//! Rejects comparisons that can never hold, such as `u8 == 300`: they are mistakes, and would silently match nothing.

use super::names::NamedFields;
use super::{Comparison, Envelope, Literal, Number, Test};
use crate::codec::layout::{Field, Kind, Len, Show};

/// The reason why a test can hold for none of the fields that a name denotes. Literals of the wrong type have been
/// reported by [`super::literal::fits`].
pub fn wrong(found: &NamedFields<'_>, name: &str, test: &Test) -> Option<String> {
    if found.open || found.fields.is_empty() {
        return None;
    }
    if found.fields.iter().all(|field| field.is_hidden()) && !matches!(test, Test::Exists) {
        return Some(format!(
            "{name} is hidden: messages have it only where it is wrong, and {name} alone finds these"
        ));
    }
    if found.fields.iter().any(|field| can(field, test)) {
        return None;
    }
    let ranges: Vec<(i128, i128)> = found.fields.iter().filter_map(|field| range(field)).collect();
    let range = ranges.iter().copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let field = found.fields.first()?;
    Some(match (test, &field.kind, field.show) {
        (Test::Contains(literal), _, Show::Flags(_)) => format!("{name} has no flag {:?}", literal.text),
        (Test::Matches(_), _, Show::Flags(_)) => format!("{name} is a list of flags: use contains FLAG"),
        (Test::Contains(_) | Test::Matches(_), Kind::Bool { .. }, _) => {
            format!("{name} is true or false: compare it with ==")
        }
        (Test::Contains(_) | Test::Matches(_), Kind::Struct(_) | Kind::Ring { .. }, _) => {
            format!("{name} is a group: compare one of its fields")
        }
        (Test::Matches(_), _, Show::Enum(_)) => format!("no value of {name} matches"),
        (Test::Contains(_), _, Show::Enum(_)) => {
            format!("{name} is a named value: compare it with ==, or match its name with ~")
        }
        (Test::Contains(literal), Kind::Bytes { .. }, _) if !is_hex(literal) => {
            format!("{name} is bytes: expected hex, got {:?}", literal.text)
        }
        (Test::Contains(literal), Kind::Bytes { .. }, _) => half_a_byte(name, literal),
        (Test::Contains(_) | Test::Matches(_), ..) => number_not_text(name),
        (Test::Compare(comparison, _), Kind::Bytes { .. } | Kind::Bool { .. }, _) if comparison.orders() => {
            format!("{name} cannot be ordered: use == or !=")
        }
        (Test::Compare(comparison, literal), ..) if comparison.orders() && literal.number.is_none() => {
            format!("{name} is ordered by number, not by name: expected a number, got {:?}", literal.text)
        }
        (Test::Compare(comparison, literal), Kind::Text { .. }, _) if comparison.orders() => {
            format!("{name} is text: to compare it as text, quote the value: \"{}\"", literal.text)
        }
        (Test::Compare(_, literal), Kind::Bytes { len }, _) => match len {
            Len::Const(n) if literal.text.len().is_multiple_of(2) => {
                format!("{name} is always {n} bytes long: {:?} is not", literal.text)
            }
            _ => half_a_byte(name, literal),
        },
        _ => match range {
            Some((least, most)) => out_of_range(name, least, most),
            None => format!("{name} never has this value"),
        },
    })
}

/// The reason why a test of the envelope can hold for no message.
pub fn wrong_around(envelope: Envelope, test: &Test, name: &str) -> Option<String> {
    let number = envelope.is_number() || envelope == Envelope::Port;
    match (test, envelope.range()) {
        (Test::Contains(_) | Test::Matches(_), _) if number => Some(number_not_text(name)),
        (_, Some((least, most))) if !number_can(test, least, most) => Some(out_of_range(name, least, most)),
        (Test::Compare(comparison, _), _) if comparison.orders() && !number => {
            Some(format!("{name} cannot be ordered: use == or in"))
        }
        _ => None,
    }
}

/// The error for `contains` and `~` on a number.
pub fn number_not_text(name: &str) -> String {
    format!("{name} is a number: compare it with ==, <, > or in")
}

fn half_a_byte(name: &str, literal: &Literal) -> String {
    format!("{name} is bytes: {:?} has an odd number of hex digits", literal.text)
}

/// The error for a number out of range.
pub fn out_of_range(name: &str, least: i128, most: i128) -> String {
    format!("{name} is a whole number from {least} to {most}, so this never matches")
}

/// Whether the test can hold for some value of the field.
fn can(field: &Field, test: &Test) -> bool {
    if let Test::In(list) = test {
        return list.iter().all(|literal| equals(field, literal));
    }
    match (test, &field.kind, field.show) {
        (Test::Exists | Test::In(_), ..) => true,
        // Some value is always unequal.
        (Test::Compare(Comparison::Unequal, _), ..) => true,
        (Test::Compare(Comparison::Equal, literal), ..) => equals(field, literal),
        (_, Kind::Struct([]) | Kind::Derived | Kind::Switch { .. }, _) => true,
        (_, Kind::Constant(_) | Kind::Chosen(_) | Kind::Address(_) | Kind::Custom(_), _) => true,
        (_, Kind::Struct(_) | Kind::Ring { .. }, _) => false,
        (Test::Contains(_) | Test::Matches(_), _, Show::Time { .. }) => true,
        (Test::Compare(..), _, Show::Time { .. }) => {
            literal(test).is_some_and(|literal| super::literal::field_fits(field, literal))
        }
        (Test::Contains(literal), _, Show::Flags(flags)) => flags.names.iter().any(|(_, name)| *name == literal.text),
        (Test::Matches(regex), _, Show::Enum(names)) => names.iter().any(|(_, name)| regex.is_match(name)),
        (Test::Contains(literal), Kind::Bytes { .. }, _) => is_whole_bytes(literal),
        (Test::Contains(_) | Test::Matches(_), Kind::Text { .. } | Kind::Bytes { .. }, _) => true,
        (Test::Contains(_) | Test::Matches(_), ..) => false,
        (Test::Compare(..), Kind::Text { .. }, _) => literal(test).is_some_and(|literal| literal.number.is_none()),
        (Test::Compare(..), Kind::Bytes { .. } | Kind::Bool { .. }, _) => false,
        (Test::Compare(comparison, literal), ..) => match (literal.number, range(field)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(number), Some((least, most))) => ordered(*comparison, number, least, most),
        },
    }
}

/// Whether a number in the range can compare like that. The limits of the range decide.
fn ordered(comparison: Comparison, number: Number, least: i128, most: i128) -> bool {
    let ends = [least, most].map(|n| Number::Whole(n).compare(number));
    ends.into_iter().flatten().any(|order| comparison.is(order))
}

/// Whether the test can hold for a whole number in that range.
fn number_can(test: &Test, least: i128, most: i128) -> bool {
    let equals = |literal: &Literal| within(literal, least, most);
    match test {
        Test::Exists | Test::Compare(Comparison::Unequal, _) => true,
        Test::Compare(Comparison::Equal, literal) => equals(literal),
        Test::Compare(comparison, literal) => literal.number.is_some_and(|n| ordered(*comparison, n, least, most)),
        Test::In(list) => list.iter().all(equals),
        Test::Contains(_) | Test::Matches(_) => false,
    }
}

/// Whether it is a whole number in that range.
pub fn within(literal: &Literal, least: i128, most: i128) -> bool {
    match literal.number {
        Some(Number::Whole(n)) => (least..=most).contains(&n),
        Some(Number::Real(x)) => x.fract() == 0.0 && (least as f64..=most as f64).contains(&x),
        None => false,
    }
}

fn is_hex(literal: &Literal) -> bool {
    literal.text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_whole_bytes(literal: &Literal) -> bool {
    is_hex(literal) && literal.text.len().is_multiple_of(2)
}

fn literal(test: &Test) -> Option<&Literal> {
    if let Test::Compare(_, literal) | Test::Contains(literal) = test { Some(literal) } else { None }
}

/// Whether the field can be equal to the literal.
fn equals(field: &Field, literal: &Literal) -> bool {
    let named = |names: &[(u64, &str)]| names.iter().any(|(_, name)| *name == literal.text);
    match (&field.kind, field.show) {
        (_, Show::Enum(names)) if named(names) => true,
        (_, Show::Flags(flags)) if named(flags.names) => true,
        (Kind::Bytes { len }, _) => {
            is_whole_bytes(literal) && !matches!(len, Len::Const(n) if literal.text.len() != 2 * *n as usize)
        }
        _ => match range(field) {
            Some((least, most)) if literal.number.is_some() => within(literal, least, most),
            // `fits` decides about the other fields.
            _ => super::literal::field_fits(field, literal),
        },
    }
}

/// The smallest and the largest value of a whole-number field.
pub fn range(field: &Field) -> Option<(i128, i128)> {
    if matches!(field.show, Show::Scaled(_) | Show::Time { .. }) {
        return None;
    }
    field.kind.range()
}
