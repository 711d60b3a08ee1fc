//! Fields of a line by their names: `seq`, `input.seq`, `packet.seq`.

use super::super::compile::{Compiled, statics};
use crate::codec::Tree;
use crate::codec::kinds::Choice;
use crate::codec::layout::Field;
use crate::codec::names as field_names;
use crate::codec::node::Node;
use crate::codec::schema::named::leak;
use crate::dissect::Dissection;
use crate::nearest::{hint, nearest};

/// A field of a line.
#[derive(Clone, Debug)]
pub struct Path {
    /// Only in this message; "packet": only in its headers.
    of: Option<&'static str>,
    name: &'static str,
    /// The message carries others: its fields of that name are also those of the lines inside.
    carried: &'static [&'static Field],
}

impl Path {
    /// The field, and whether it stands in the headers.
    pub fn find<'t>(&self, dissection: &'t Dissection) -> Option<(&'t Node, &'t Tree, bool)> {
        let own = || find(&dissection.tree, self.name).map(|node| (node, &dissection.tree, false));
        let around = || find(&dissection.packet, self.name).map(|node| (node, &dissection.packet, true));
        match self.of {
            Some("packet") => around().or_else(|| if dissection.message == "packet" { own() } else { None }),
            Some(message) if message != dissection.message => {
                let is = |node: &&Node| self.carried.iter().any(|field| std::ptr::eq(*field, node.field));
                let node = dissection.packet.nodes().iter().rev().find(is)?;
                Some((node, &dissection.packet, true))
            }
            Some(_) => own(),
            None => own().or_else(around),
        }
    }

    pub fn number(&self, dissection: &Dissection) -> Option<u64> {
        self.find(dissection)?.0.number()
    }
}

/// The field of that name: the innermost, which is the last one of the headers.
pub fn find<'t>(tree: &'t Tree, name: &str) -> Option<&'t Node> {
    tree.find(name).or_else(|| tree.nodes().iter().rev().find(|node| node.field.name == name))
}

/// All fields of a protocol, by the message that has them; "packet" has the headers.
pub struct Fields {
    pub all: Vec<(&'static str, &'static Field)>,
    carriers: Vec<&'static str>,
}

impl Fields {
    /// Those of a protocol.
    pub fn new(headers: &'static [Field], carried: &[(&'static str, &'static [Choice])]) -> Fields {
        let mut all = Vec::new();
        field_names::everywhere(headers, &mut |field| all.push(("packet", field)));
        for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
            let name = choice.field.name;
            field_names::everywhere(choice.layout.fields, &mut |field| all.push((name, field)));
        }
        Fields { all, carriers: carried.iter().map(|(carrier, _)| *carrier).collect() }
    }

    /// The field of that name, and its first description.
    pub fn path(&self, text: &str, line: usize, key: &str) -> Compiled<(Path, &'static Field)> {
        let (of, name) = match text.split_once('.') {
            Some((of, name)) => (Some(of), name),
            None => (None, text),
        };
        if let Some(of) = of.filter(|of| self.all.iter().all(|(message, _)| message != of)) {
            let near = hint(nearest(of, self.all.iter().map(|(message, _)| *message)));
            return Err((line, format!("{key}: no message {of:?} has fields{near}")));
        }
        let fits = |(message, field): &&(&'static str, &'static Field)| {
            field.name == name && !name.is_empty() && of.is_none_or(|of| of == *message)
        };
        match self.all.iter().find(fits) {
            Some((_, field)) => {
                let carried = match of {
                    Some(of) if self.carriers.contains(&of) => {
                        statics(self.all.iter().filter(fits).map(|(_, field)| *field).collect())
                    }
                    _ => &[],
                };
                Ok((Path { of: of.map(leak), name: leak(name), carried }, field))
            }
            None => {
                let known = self.all.iter().filter(|(message, _)| of.is_none_or(|of| of == *message));
                let near = hint(nearest(name, known.map(|(_, field)| field.name)));
                let whose = of.map_or("no message has such a field".into(), |of| format!("{of} has no such field"));
                Err((line, format!("{key}: {text}: {whose}{near}")))
            }
        }
    }
}
