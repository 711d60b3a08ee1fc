//! The types of fields.

use super::expr::number;
use super::model::Model;
use crate::protocols::described::import::yaml::{Node, Value};

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A number of whole bytes. `big`: `None`: no byte order is known.
    Number {
        bits: u32,
        signed: bool,
        float: bool,
        big: Option<bool>,
    },
    /// `b3`: a number of bits.
    Bits(u32),
    /// `zero`: it ends with a zero (`strz`).
    Text {
        zero: bool,
    },
    Bytes,
    Type(usize),
    /// The data decides.
    Switch,
    /// A type with parameters, or one that no file has.
    Other(String),
}

/// The type of a field of this type.
pub fn shape(model: &Model<'_>, own: usize, node: &Node) -> Shape {
    match node.get("type") {
        None => Shape::Bytes,
        Some(Node { value: Value::Text { text, .. }, .. }) => named(model, own, text),
        Some(_) => Shape::Switch,
    }
}

/// The type of this name.
pub fn named(model: &Model<'_>, own: usize, text: &str) -> Shape {
    let kind = &model.types[own];
    match text {
        "str" => return Shape::Text { zero: false },
        "strz" => return Shape::Text { zero: true },
        _ => {}
    }
    let (base, big) = match (text.strip_suffix("be"), text.strip_suffix("le")) {
        (Some(base), _) => (base, Some(true)),
        (_, Some(base)) => (base, Some(false)),
        _ => (text, kind.big),
    };
    if let Some(bits) = base.strip_prefix('b').and_then(number).filter(|n| (1..=64).contains(n)) {
        // Their order is that of the type around them.
        return match (text.ends_with("le"), text.ends_with("be")) {
            (true, _) if !kind.lowest_first => Shape::Other(text.to_owned()),
            (_, true) if kind.lowest_first => Shape::Other(text.to_owned()),
            _ => Shape::Bits(bits as u32),
        };
    }
    let (letter, digits) = base.split_at_checked(1).unwrap_or_default();
    if let ("u" | "s" | "f", "1" | "2" | "4" | "8") = (letter, digits) {
        let bits = 8 * number(digits).unwrap_or(1) as u32;
        if letter != "f" || bits > 16 {
            let big = if bits == 8 { Some(true) } else { big };
            return Shape::Number { bits, signed: letter == "s", float: letter == "f", big };
        }
    }
    let path: Vec<&str> = text.split("::").map(str::trim).collect();
    if let Some(found) = model.find_type(&path, own) { Shape::Type(found) } else { Shape::Other(text.to_owned()) }
}

/// The types that a field may have.
pub fn targets(model: &Model<'_>, own: usize, node: &Node) -> Vec<usize> {
    let kind = node.get("type");
    let cases = kind.and_then(|kind| kind.get("cases")).map_or(&[][..], Node::entries);
    let texts = cases.iter().map(|(_, kind)| kind.text()).chain(kind.map(Node::text));
    let found = texts.filter_map(|text| match named(model, own, text) {
        Shape::Type(place) => Some(place),
        _ => None,
    });
    found.collect()
}
