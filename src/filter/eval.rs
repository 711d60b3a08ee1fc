//! Evaluation on the tree, without building JSON.

use super::path::{Path, Picked};
use super::plain::{Plain, equal, value_holds};
use super::{Comparison, Envelope, Expression, Literal, Number, Test, ends, related};
use crate::codec::layout::Show;
use crate::codec::{Node, Sources, Tree, Value, bits};
use crate::dissect::Message;
use std::borrow::Cow;

/// Whether the expression matches the message.
pub fn holds(expression: &Expression, message: &Message<'_>) -> bool {
    match expression {
        Expression::And(a, b) => holds(a, message) && holds(b, message),
        Expression::Or(a, b) => holds(a, message) || holds(b, message),
        Expression::Not(a) => !holds(a, message),
        Expression::Kind(proto, name) => {
            message.dissection.proto == *proto && name.is_none_or(|n| n == message.dissection.message)
        }
        Expression::Related(conditions) => related::holds(conditions, message),
        Expression::Unanswered => message.dissection.related.unanswered,
        Expression::NeverAcked => message.dissection.related.never_acked,
        Expression::Fault => message.dissection.fault.is_some(),
        Expression::Level(level) => message.dissection.notes.worst().is_some_and(|worst| worst >= *level),
        Expression::Envelope(envelope, test) => envelope_holds(*envelope, test, message),
        Expression::Field(path, test) => {
            let mut search = Search { path, test, sources: message.sources(), found: false, held: false };
            path.each(message, &mut |place, k| {
                search.value(place.of(message), k);
                search.held
            });
            search.result()
        }
    }
}

fn envelope_holds(envelope: Envelope, test: &Test, message: &Message<'_>) -> bool {
    if envelope.is_end() || envelope == Envelope::Port {
        return ends::holds(envelope, test, message);
    }
    let (dissection, place) = (message.dissection, message.place);
    let number = |n: u64| Plain::Number(Number::Whole(n as i128));
    let word = |text: &'static str| Plain::Text(Cow::Borrowed(text));
    let value = match envelope {
        Envelope::Frame => number(place.frame),
        Envelope::Time => Plain::Time(place.time),
        Envelope::Flow => number(message.flow_info.flow),
        Envelope::Length => number(place.length as u64),
        Envelope::Proto => word(dissection.proto),
        Envelope::Version => match dissection.version {
            Some(version) => word(version),
            None => return false,
        },
        Envelope::From => word(dissection.from.name()),
        Envelope::Copy => match message.dissection.delivery.copy() {
            Some(copy) => number(copy.into()),
            None => return false,
        },
        Envelope::Leg => match message.flow_info.leg {
            Some(leg) => word(leg.name()),
            None => return false,
        },
        Envelope::Transport => word(message.flow_info.transport.name()),
        // Handled above.
        Envelope::Src | Envelope::Dst | Envelope::Host | Envelope::Port => Plain::Nothing,
        Envelope::Message => word(dissection.message),
        Envelope::Note => {
            // `duplicate` also matches `riptide.duplicate` and other notes with this last part.
            let mut all =
                dissection.notes.iter().flat_map(|(n, _)| [n.code, n.code.rsplit('.').next().unwrap_or(n.code)]);
            return match test {
                Test::Compare(Comparison::Unequal, l) => !all.any(|code| code == l.text),
                _ => all.any(|code| value_holds(&Plain::Text(Cow::Borrowed(code)), test)),
            };
        }
    };
    match test {
        Test::Compare(Comparison::Unequal, literal) => !equal(&value, literal),
        _ => value_holds(&value, test),
    }
}

/// Tests the values at the end of a path.
struct Search<'a> {
    path: &'a Path,
    test: &'a Test,
    sources: Sources<'a>,
    found: bool,
    /// Whether a value fits (for `!=`: whether a value is equal).
    held: bool,
}

impl Search<'_> {
    fn result(&self) -> bool {
        match self.test {
            Test::Exists => self.found,
            Test::Compare(Comparison::Unequal, _) => self.found && !self.held,
            _ => self.held,
        }
    }

    /// Tests a value at the end of the path; for a list, every element.
    fn value(&mut self, tree: &Tree, k: usize) {
        let Some(node) = tree.nodes().get(k) else { return };
        if node.value == Value::List && !matches!(self.test, Test::Exists) {
            tree.children(Some(k)).for_each(|element| self.value(tree, element));
            return;
        }
        self.found = true;
        let some = self.path.some(node, self.sources).map(|picked| match picked {
            Picked::Byte(byte) => Plain::Number(Number::Whole(byte.into())),
            Picked::Bytes(bytes) => Plain::Hex(hex::encode(bytes)),
        });
        self.held |= match (self.test, some) {
            (Test::Exists, _) => true,
            (Test::Compare(Comparison::Unequal, literal), None) => node_equal(node, self.sources, literal),
            (Test::Compare(Comparison::Unequal, literal), Some(some)) => equal(&some, literal),
            (test, None) => node_holds(node, self.sources, test),
            (test, Some(some)) => value_holds(&some, test),
        };
    }
}

fn node_equal(node: &Node, sources: Sources<'_>, literal: &Literal) -> bool {
    if let Some(held) = named(node, literal) {
        return held;
    }
    equal(&plain(node, sources), literal)
}

/// Enumerations and flags are compared by name; flags equal each name that is set.
fn named(node: &Node, literal: &Literal) -> Option<bool> {
    let number = node.number()?;
    match node.field.show {
        Show::Enum(names) => names.iter().find(|(_, n)| *n == literal.text).map(|(v, _)| *v == number),
        Show::Flags(flags) => flags.names.iter().find(|(_, n)| *n == literal.text).map(|(mask, _)| number & mask != 0),
        _ => None,
    }
}

fn node_holds(node: &Node, sources: Sources<'_>, test: &Test) -> bool {
    match test {
        Test::Compare(Comparison::Equal, literal) => node_equal(node, sources, literal),
        Test::In(list) => list.iter().any(|literal| node_equal(node, sources, literal)),
        Test::Contains(literal) if matches!(node.field.show, Show::Flags(_)) => named(node, literal).unwrap_or(false),
        Test::Matches(regex) => match (node.field.show, node.number()) {
            (Show::Enum(names), Some(number)) => names.iter().any(|(v, n)| *v == number && regex.is_match(n)),
            _ => value_holds(&plain(node, sources), test),
        },
        _ => value_holds(&plain(node, sources), test),
    }
}

fn plain<'a>(node: &Node, sources: Sources<'a>) -> Plain<'a> {
    let data = sources.get(node.source);
    let whole = |n: i128| Plain::Number(Number::Whole(n));
    match (node.value, node.field.show) {
        (Value::UInt(n), Show::Scaled(scale)) => Plain::Number(Number::Real(scale.shown(n as f64))),
        (Value::Int(n), Show::Scaled(scale)) => Plain::Number(Number::Real(scale.shown(n as f64))),
        (value @ (Value::UInt(_) | Value::Int(_)), Show::Time { clock, .. }) => {
            Plain::Moment(clock, value.whole().unwrap_or(0))
        }
        (Value::UInt(n), _) => whole(n as i128),
        (Value::Int(n), _) => whole(n as i128),
        (Value::Bool(b), _) => Plain::Bool(b),
        (Value::F16(h), _) => Plain::Number(Number::Real(crate::codec::half_text::shortest(h))),
        // The number as printed: 0.1, not the nearest binary32 to it.
        (Value::F32(x), _) => Plain::Number(Number::Real(x.to_string().parse().unwrap_or(x as f64))),
        (Value::F64(x), _) => Plain::Number(Number::Real(x)),
        (Value::Bytes { bit, bits }, _) => Plain::Hex(hex::encode(bits::bytes(data, bit, bits))),
        (Value::Text { bit, bits } | Value::Latin1 { bit, bits }, _) => {
            let latin = matches!(node.value, Value::Latin1 { .. });
            if let (Some(bytes), false) = (node.bytes(sources), latin) {
                return Plain::Text(String::from_utf8_lossy(bytes));
            }
            let bytes = bits::bytes(data, bit, bits);
            Plain::Text(Cow::Owned(match latin {
                true => bytes.iter().copied().map(char::from).collect(),
                false => String::from_utf8_lossy(&bytes).into_owned(),
            }))
        }
        (Value::Json { start, len }, _) => json(data.get(start as usize..start as usize + len as usize).unwrap_or(&[])),
        (Value::Raw { .. } | Value::Group | Value::List | Value::Null, _) => Plain::Nothing,
    }
}

/// A JSON literal, number or string.
fn json(text: &[u8]) -> Plain<'_> {
    match serde_json::from_slice::<serde_json::Value>(text) {
        Ok(serde_json::Value::Bool(b)) => Plain::Bool(b),
        Ok(serde_json::Value::String(s)) => Plain::Text(Cow::Owned(s)),
        Ok(serde_json::Value::Number(n)) => match n.as_i128() {
            Some(n) => Plain::Number(Number::Whole(n)),
            None => n.as_f64().map_or(Plain::Nothing, |x| Plain::Number(Number::Real(x))),
        },
        _ => Plain::Nothing,
    }
}
