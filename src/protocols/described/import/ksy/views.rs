//! Instances that are bits of an earlier number: parts of a view on it.

use super::condition::Condition;
use super::forms::Bits;
use super::model::{Model, field};
use super::shape::{Shape, shape};
use super::value::{Path, Place, Resolver};
use crate::protocols::described::import::yaml::Node;

/// A view on a number: some of its bits, each a field.
#[derive(Debug)]
pub struct View<'a> {
    /// The key of the view in its struct.
    pub key: String,
    pub of: Path,
    pub parts: Vec<Part<'a>>,
}

/// One instance: its place in the number.
#[derive(Debug)]
pub struct Part<'a> {
    pub id: &'a str,
    pub node: &'a Node,
    pub high: u32,
    pub low: u32,
}

/// A type that an instance at its beginning (`pos: 0`) reads as one number: its fields are parts of that number.
#[derive(Debug)]
pub struct Whole {
    /// The instance, and the key of the number.
    pub id: String,
    pub key: String,
    pub bits: u32,
    /// The fields by their index and their bits: those that are always there, then others with their conditions.
    pub parts: Vec<(Condition, Vec<(usize, (u32, u32))>)>,
}

/// A type as one number, if it is one.
fn whole(plain: &Resolver<'_, '_>, own: usize) -> Option<Whole> {
    let model = plain.model;
    let kind = model.types.get(own)?;
    let reads = |node: &Node| {
        let alone = node.entries().iter().all(|(key, _)| matches!(key.text(), "pos" | "type" | "doc" | "doc-ref"));
        match shape(model, own, node) {
            Shape::Number { bits, signed: false, float: false, big: Some(true) }
                if alone && node.text_of("pos") == "0" =>
            {
                Some(bits)
            }
            _ => None,
        }
    };
    let instances = kind.node?.get("instances")?.entries().iter();
    let (id, bits) = instances.filter_map(|(id, node)| Some((id.text(), reads(node)?))).next()?;
    let key = field(id);
    let mut parts: Vec<(Condition, Vec<(usize, (u32, u32))>)> = vec![(Condition::Always, Vec::new())];
    let (mut left, mut open) = (bits, None::<(Condition, u32)>);
    for (k, attr) in kind.seq.iter().enumerate() {
        let width = match shape(model, own, attr.node) {
            _ if attr.node.get("repeat").is_some() || attr.name == key => return None,
            Shape::Number { bits, signed: false, float: false, big: Some(true) } => bits,
            Shape::Bits(bits) if !kind.lowest_first => bits,
            _ => return None,
        };
        let condition = match attr.node.get("if") {
            Some(text) => Condition::of(&plain.value(text.text(), &Place::of(own)).ok()?, model).ok()?,
            None => Condition::Always,
        };
        // Of two fields in one place, one is there.
        let second = match open.take() {
            Some((other, bits)) if bits == width && other == condition.clone().not() => true,
            Some(_) => return None,
            None => false,
        };
        if !second {
            left = left.checked_sub(width)?;
        }
        let range = (left + width - 1, left);
        match condition {
            Condition::Always => parts.first_mut()?.1.push((k, range)),
            condition => {
                parts.push((condition.clone(), vec![(k, range)]));
                open = (!second).then_some((condition, width));
            }
        }
    }
    parts.retain(|(_, list)| !list.is_empty());
    (left == 0 && open.is_none() && !parts.is_empty()).then(|| Whole { id: id.to_owned(), key, bits, parts })
}

/// The views of each type, a resolver that knows them, and the types that are numbers. `without`: views and numbers that
/// do not load, by struct and key.
pub fn views<'m, 'a>(
    model: &'m Model<'a>,
    without: &dyn Fn(&str, &str) -> bool,
) -> (Resolver<'m, 'a>, Vec<Vec<View<'a>>>, Vec<Option<Whole>>) {
    let plain = Resolver::new(model);
    let broken = |own: usize, whole: &Whole| {
        let name = &model.types[own].name;
        // The number, or one of the views on it.
        without(name, &whole.key)
            || (1..=1 + whole.parts.len()).any(|k| without(name, &format!("{}_view{k}", whole.key)))
    };
    let numbers: Vec<Option<Whole>> =
        (0..model.types.len()).map(|own| whole(&plain, own).filter(|whole| !broken(own, whole))).collect();
    let mut all: Vec<Vec<View<'a>>> = Vec::new();
    for (own, kind) in model.types.iter().enumerate() {
        let mut views: Vec<View<'a>> = Vec::new();
        let instances = kind.node.and_then(|node| node.get("instances")).map_or(&[][..], Node::entries);
        for (id, node) in instances {
            let Some(value) = node.get("value").filter(|_| node.get("if").is_none()) else { continue };
            let Ok(value) = plain.value(value.text(), &Place::of(own)) else { continue };
            let Some((bits, (high, low))) = Bits::of(&value).and_then(|bits| Some((bits.clone(), bits.range()?)))
            else {
                continue;
            };
            if kind.seq.iter().any(|attr| attr.name == field(id.text())) {
                continue;
            }
            let part = Part { id: id.text(), node, high, low };
            let apart = |other: &Part<'_>| other.high < low || other.low > high;
            match views.iter_mut().find(|view| view.of == bits.path && view.parts.iter().all(apart)) {
                Some(view) => view.parts.push(part),
                None => {
                    let mut key = format!("{}_view", field(id.text()));
                    while kind.seq.iter().any(|attr| attr.name == key) {
                        key.push('_');
                    }
                    views.push(View { key, of: bits.path, parts: vec![part] });
                }
            }
        }
        views.retain(|view| !without(&kind.name, &view.key));
        all.push(views);
    }
    let mut resolver = plain;
    for (own, whole) in numbers.iter().enumerate().filter_map(|(own, whole)| Some((own, whole.as_ref()?))) {
        let path = Path { text: whole.key.clone(), bits: whole.bits, signed: false, is_text: false, names: None };
        resolver.view(own, &whole.id, path);
    }
    for (own, views) in all.iter().enumerate() {
        for part in views.iter().flat_map(|view| &view.parts) {
            let names = part.node.text_of("enum");
            let names = model.find_enum(&names.split("::").collect::<Vec<_>>(), own);
            let bits = part.high - part.low + 1;
            let path = Path { text: field(part.id), bits, signed: false, is_text: false, names };
            resolver.view(own, part.id, path);
        }
    }
    (resolver, all, numbers)
}
