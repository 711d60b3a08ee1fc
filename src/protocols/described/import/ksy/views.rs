//! Instances that are bits of an earlier number: parts of a view on it.

use super::forms::Bits;
use super::model::{Model, free};
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

/// The views of each type, and a resolver that knows them. `without`: views that do not load, by struct and key.
pub fn views<'m, 'a>(
    model: &'m Model<'a>,
    without: &dyn Fn(&str, &str) -> bool,
) -> (Resolver<'m, 'a>, Vec<Vec<View<'a>>>) {
    let plain = Resolver::new(model);
    let mut all: Vec<Vec<View<'a>>> = Vec::new();
    for (own, kind) in model.types.iter().enumerate() {
        let mut views: Vec<View<'a>> = Vec::new();
        let instances = kind.node.and_then(|node| node.get("instances")).map_or(&[][..], Node::entries);
        for (id, node) in instances {
            let Some(value) = node.get("value").filter(|_| node.get("if").is_none()) else { continue };
            let Ok(value) = plain.value(value.text(), &Place::of(own)) else { continue };
            let Some((bits, (high, low))) = Bits::of(&value).and_then(|bits| Some((bits.clone(), bits.range()?))) else {
                continue;
            };
            if kind.seq.iter().any(|attr| attr.name == free(id.text())) {
                continue;
            }
            let part = Part { id: id.text(), node, high, low };
            let apart = |other: &Part<'_>| other.high < low || other.low > high;
            match views.iter_mut().find(|view| view.of == bits.path && view.parts.iter().all(apart)) {
                Some(view) => view.parts.push(part),
                None => {
                    let mut key = format!("{}_view", free(id.text()));
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
    for (own, views) in all.iter().enumerate() {
        for part in views.iter().flat_map(|view| &view.parts) {
            let names = part.node.text_of("enum");
            let names = model.find_enum(&names.split("::").collect::<Vec<_>>(), own);
            let bits = part.high - part.low + 1;
            let path = Path { text: free(part.id), bits, signed: false, is_text: false, names };
            resolver.view(own, part.id, path);
        }
    }
    (resolver, all)
}
