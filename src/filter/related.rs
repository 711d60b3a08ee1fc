//! Conditions on a message's relations: `related.kind == answers and related.after_ms > 200`.
//!
//! Conditions joined by `and` are about one relation: here, an answer that took that long.

use super::plain::{Plain, value_holds};
use super::{Comparison, Expression, Literal, Number, Test};
use crate::codec::json::text::string;
use crate::dissect::{Message, Relation, RelationKind};
use crate::nearest::{hint, nearest};
use std::borrow::Cow;

/// A part of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedField {
    /// The existence of a relation.
    Any,
    Kind,
    Frame,
    Index,
    AfterMs,
}

impl RelatedField {
    /// The names, with their descriptions.
    pub const ALL: [(&'static str, RelatedField, &'static str); 5] = [
        ("related", RelatedField::Any, "it has a relation to another message"),
        ("related.kind", RelatedField::Kind, "what the relation is: acknowledges, answers, copy_of, .."),
        ("related.frame", RelatedField::Frame, "the other message's frame"),
        ("related.index", RelatedField::Index, "which message of that frame, where it holds several"),
        ("related.after_ms", RelatedField::AfterMs, "the milliseconds between the two"),
    ];

    /// The error for a value of a relation itself.
    pub(super) const NO_VALUE: &'static str = "related is not a value: compare related.kind, related.after_ms, ..";

    /// The part of this name.
    pub fn by_name(name: &str) -> Option<RelatedField> {
        RelatedField::ALL.iter().find(|(n, ..)| *n == name).map(|(_, field, _)| *field)
    }

    /// The error for an unsuitable comparison.
    pub(super) fn wrong(self, test: &Test, literal: &Literal) -> Option<String> {
        let text = &literal.text;
        match (self, test) {
            (_, Test::Matches(_) | Test::Exists) => None,
            (RelatedField::Any, _) => Some(RelatedField::NO_VALUE.into()),
            (RelatedField::Kind, Test::Compare(..) | Test::In(_)) => {
                let names = RelationKind::ALL.map(|(_, name, _)| name);
                let near = hint(nearest(text, names));
                (!names.contains(&text.as_str()))
                    .then(|| format!("related.kind is never {text:?}{near}: there are {}", names.join(", ")))
            }
            (_, Test::Contains(_)) => None,
            _ => literal.number.is_none().then(|| format!("expected a number, got {text:?}")),
        }
    }

    /// Appends its value as JSON.
    pub(crate) fn json(self, relation: &Relation, out: &mut Vec<u8>) {
        let number = |n: u64, out: &mut Vec<u8>| out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
        match self {
            RelatedField::Kind => string(relation.kind.name().as_bytes(), out),
            RelatedField::Frame => number(relation.target.frame, out),
            RelatedField::Index if relation.index().is_some() => number(relation.target.index.into(), out),
            RelatedField::AfterMs if relation.after.is_some() => {
                let millis = relation.after.unwrap_or_default() as f64 / 1e6;
                out.extend_from_slice(millis.to_string().as_bytes());
            }
            _ => out.extend_from_slice(b"null"),
        }
    }

    fn plain(self, relation: &Relation) -> Option<Plain<'static>> {
        let number = |n: u64| Plain::Number(Number::Whole(n as i128));
        Some(match self {
            RelatedField::Any => Plain::Nothing,
            RelatedField::Kind => Plain::Text(Cow::Borrowed(relation.kind.name())),
            RelatedField::Frame => number(relation.target.frame),
            RelatedField::Index => number(relation.index()?.into()),
            RelatedField::AfterMs => Plain::Number(Number::Real(relation.after? as f64 / 1e6)),
        })
    }
}

/// A test of a relation's field.
#[derive(Debug)]
pub struct Condition {
    pub field: RelatedField,
    pub test: Test,
}

/// Whether one relation of the message fits all conditions.
pub fn holds(conditions: &[Condition], message: &Message<'_>) -> bool {
    let related = &message.dissection.related;
    // As for every field: `!=` holds if none is equal.
    if let [Condition { field, test: Test::Compare(Comparison::Unequal, literal) }] = conditions {
        let equal = Test::Compare(Comparison::Equal, literal.clone());
        let mut values = related.iter().filter_map(|one| field.plain(one)).peekable();
        return values.peek().is_some() && !values.any(|value| value_holds(&value, &equal));
    }
    related.iter().any(|one| conditions.iter().all(|Condition { field, test }| fits(*field, test, one)))
}

fn fits(field: RelatedField, test: &Test, relation: &Relation) -> bool {
    let Some(value) = field.plain(relation) else { return false };
    match test {
        Test::Compare(Comparison::Unequal, literal) => {
            !value_holds(&value, &Test::Compare(Comparison::Equal, literal.clone()))
        }
        _ => value_holds(&value, test),
    }
}

/// Joins two expressions, with their conditions on relations as one.
pub fn both(left: Expression, right: Expression) -> Expression {
    let (mut conditions, mut rest) = (Vec::new(), None);
    for side in [left, right] {
        collect(side, &mut conditions, &mut rest);
    }
    match (conditions.is_empty(), rest) {
        (true, Some(rest)) => rest,
        (_, None) => Expression::Related(conditions),
        (false, Some(rest)) => Expression::And(Box::new(rest), Box::new(Expression::Related(conditions))),
    }
}

fn collect(expression: Expression, conditions: &mut Vec<Condition>, rest: &mut Option<Expression>) {
    match expression {
        Expression::Related(more) => conditions.extend(more),
        Expression::And(a, b) => {
            collect(*a, conditions, rest);
            collect(*b, conditions, rest);
        }
        other => {
            *rest = Some(match rest.take() {
                Some(before) => Expression::And(Box::new(before), Box::new(other)),
                None => other,
            });
        }
    }
}

/// The name of the part of the expression that only later messages reveal.
pub fn later(expression: &Expression) -> Option<&'static str> {
    match expression {
        Expression::And(a, b) | Expression::Or(a, b) => later(a).or_else(|| later(b)),
        Expression::Not(a) => later(a),
        Expression::Unanswered => Some("unanswered"),
        Expression::NeverAcked => Some("never_acked"),
        Expression::Related(conditions) => {
            conditions.iter().find_map(|Condition { field, test }| match (field, test) {
                (RelatedField::Kind, Test::Compare(_, literal)) => of_kind(&|name| name == literal.text),
                (RelatedField::Kind, Test::In(list)) => {
                    of_kind(&|name| list.iter().any(|literal| name == literal.text))
                }
                (RelatedField::Kind, Test::Contains(literal)) => of_kind(&|name| name.contains(literal.text.as_str())),
                (RelatedField::Kind, Test::Matches(regex)) => of_kind(&|name| regex.is_match(name)),
                _ => None,
            })
        }
        _ => None,
    }
}

fn of_kind(fits: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    RelationKind::ALL.iter().find(|(kind, name, _)| kind.is_later() && fits(name)).map(|(_, name, _)| *name)
}
