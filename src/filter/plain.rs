//! Values in the form that filters compare, and the comparisons.

use super::{Comparison, Literal, Number, Test};
use crate::capture::Time;
use crate::codec::{Clock, digits};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value in the form that filters compare.
pub enum Plain<'a> {
    Number(Number),
    Time(Time),
    /// A point in time: the number of a clock.
    Moment(Clock, i128),
    Bool(bool),
    Text(Cow<'a, str>),
    /// Bytes as lowercase hex digits.
    Hex(String),
    Nothing,
}

/// The order of a number or a time and the literal.
fn order(value: &Plain<'_>, literal: &Literal) -> Option<Ordering> {
    match (value, literal.attos) {
        (Plain::Moment(clock, number), _) => moment(*clock, *number, &literal.text),
        (Plain::Number(a), _) => a.compare(literal.number?),
        (Plain::Time(time), Some(attos)) => Some(time.attos().cmp(&attos)),
        // Another form of a number, such as `0x5`, or one beyond all times.
        (Plain::Time(time), None) => Number::Real(time.attos() as f64 / 1e18).compare(literal.number?),
        _ => None,
    }
}

/// The order of a clock's number and a literal: a time in UTC, or the number. A number that means no time has no order.
fn moment(clock: Clock, number: i128, text: &str) -> Option<Ordering> {
    let other = digits::whole(text).or_else(|| clock.number(text))?;
    match (clock.time(number), clock.time(other)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => (number == other).then_some(Ordering::Equal),
    }
}

/// Whether the value equals the literal.
pub fn equal(value: &Plain<'_>, literal: &Literal) -> bool {
    match value {
        Plain::Number(_) | Plain::Time(_) | Plain::Moment(..) => order(value, literal) == Some(Ordering::Equal),
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
                Plain::Number(_) | Plain::Time(_) | Plain::Moment(..) => order(value, literal),
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
            Plain::Moment(clock, number) => clock.text(*number).contains(&literal.text),
            Plain::Hex(digits) => bytes_contain(digits, &literal.text.to_ascii_lowercase()),
            _ => false,
        },
        Test::Matches(regex) => match value {
            Plain::Text(text) => regex.is_match(text),
            Plain::Moment(clock, number) => regex.is_match(&clock.text(*number)),
            // As in the other comparisons, digits of both cases are equal.
            Plain::Hex(digits) => regex.is_match(digits) || regex.is_match(&digits.to_ascii_uppercase()),
            _ => false,
        },
    }
}

/// Whether bytes contain other bytes, both as hex digits: a match begins and ends between two bytes.
fn bytes_contain(digits: &str, wanted: &str) -> bool {
    let last = digits.len().checked_sub(wanted.len()).filter(|_| wanted.len().is_multiple_of(2));
    let starts = |at: usize| digits.get(at..).is_some_and(|rest| rest.starts_with(wanted));
    last.is_some_and(|last| (0..=last).step_by(2).any(starts))
}
