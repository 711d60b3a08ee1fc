//! Values in the form that filters compare, and the comparisons.

use super::{Comparison, Literal, Number, Test};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value in the form that filters compare.
pub enum Plain<'a> {
    Number(Number),
    Bool(bool),
    Text(Cow<'a, str>),
    /// Bytes as lowercase hex digits.
    Hex(String),
    Nothing,
}

/// Whether the value equals the literal.
pub fn equal(value: &Plain<'_>, literal: &Literal) -> bool {
    match value {
        Plain::Number(a) => literal.number.is_some_and(|b| a.compare(b) == Some(Ordering::Equal)),
        Plain::Bool(b) => literal.text == if *b { "true" } else { "false" },
        Plain::Text(text) => *text == literal.text,
        Plain::Hex(digits) => digits.eq_ignore_ascii_case(&literal.text),
        Plain::Nothing => false,
    }
}

/// Whether the value fits the test.
pub fn value_holds(value: &Plain<'_>, test: &Test) -> bool {
    match test {
        Test::Exists => true,
        Test::Compare(Comparison::Equal, literal) => equal(value, literal),
        Test::Compare(comparison, literal) => {
            let order = match value {
                Plain::Number(a) => literal.number.and_then(|b| a.compare(b)),
                // Text is not ordered relative to numbers.
                Plain::Text(text) if literal.number.is_none() => Some(text.as_ref().cmp(literal.text.as_str())),
                Plain::Text(_) => None,
                Plain::Bool(_) | Plain::Hex(_) | Plain::Nothing => None,
            };
            order.is_some_and(|order| comparison.is(order))
        }
        Test::In(list) => list.iter().any(|literal| equal(value, literal)),
        Test::Contains(literal) => match value {
            Plain::Text(text) => text.contains(&literal.text),
            Plain::Hex(digits) => digits.contains(&literal.text.to_ascii_lowercase()),
            _ => false,
        },
        Test::Matches(regex) => match value {
            Plain::Text(text) => regex.is_match(text),
            Plain::Hex(digits) => regex.is_match(digits),
            _ => false,
        },
    }
}
