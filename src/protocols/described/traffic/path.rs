//! Fields of a line by their names: `seq`, `input.seq`, `packet.seq`.

use super::super::compile::{Compiled, statics};
use super::super::lines::{Nameless, Names};
use crate::codec::Tree;
use crate::codec::kinds::Choice;
use crate::codec::layout::{Field, Name};
use crate::codec::names as field_names;
use crate::codec::node::Node;
use crate::codec::schema::named::leak;
use crate::dissect::Dissection;
use crate::nearest::{hint, nearest};
use rustc_hash::FxHashSet;

/// A field of a line.
#[derive(Clone, Debug)]
pub struct Path {
    /// Only in this message; "packet": only in its headers.
    of: Option<&'static str>,
    name: Name,
    /// The message carries others: its fields of that name are also those of the lines inside.
    carried: &'static [&'static Field],
    /// The messages that have a field of that name.
    messages: &'static [&'static str],
    /// Headers have one.
    headers: bool,
    /// What lines of no message are called.
    lines: Names,
}

impl Path {
    /// The field, and whether it stands in the headers.
    pub fn find<'t>(&self, dissection: &'t Dissection) -> Option<(&'t Node, &'t Tree, bool)> {
        let own = || {
            let found = if self.may_be_in(dissection.message) { find(&dissection.tree, &self.name) } else { None };
            found.map(|node| (node, &dissection.tree, false))
        };
        let around = || {
            let found = if self.headers { find(&dissection.packet, &self.name) } else { None };
            found.map(|node| (node, &dissection.packet, true))
        };
        match self.of {
            // A message may have that name, too.
            Some("packet") => around().or_else(|| match self.lines.named(dissection.message) {
                Some(Nameless::Packet) => own(),
                _ if dissection.message == "packet" => own(),
                _ => None,
            }),
            Some(message) if message != dissection.message => {
                let is = |node: &&Node| self.carried.iter().any(|field| std::ptr::eq(*field, node.field));
                let node = dissection.packet.nodes().iter().rev().find(is)?;
                Some((node, &dissection.packet, true))
            }
            Some(_) => own(),
            None => own().or_else(around),
        }
    }

    /// May a line of this name have the field? Those that are no message have what their packet has.
    fn may_be_in(&self, message: &'static str) -> bool {
        self.messages.iter().any(|name| std::ptr::eq(*name, message)) || self.lines.named(message).is_some()
    }

    /// Its number.
    pub fn number(&self, dissection: &Dissection) -> Option<u64> {
        self.find(dissection)?.0.number()
    }
}

/// The field of that name: the innermost, which is the last one of the headers.
fn find<'t>(tree: &'t Tree, name: &Name) -> Option<&'t Node> {
    tree.child_called(None, name).or_else(|| tree.nodes().iter().rev().find(|node| name.is_of(node.field)))
}

/// All fields of a protocol, by the message that has them; "packet" has the headers.
pub struct Fields {
    pub all: Vec<(&'static str, &'static Field)>,
    carriers: Vec<&'static str>,
    /// The names of all fields that may stand around a message.
    around: FxHashSet<&'static str>,
    lines: Names,
}

impl Fields {
    /// Those of a protocol: of its packet, its headers and its messages.
    pub fn new(
        (packet, headers): (&'static [Field], &'static [Field]),
        carried: &[(&'static str, &'static [Choice])],
        lines: Names,
    ) -> Fields {
        let (mut all, mut around) = (Vec::new(), FxHashSet::default());
        let carriers: Vec<&'static str> = carried.iter().map(|(carrier, _)| *carrier).collect();
        field_names::everywhere(packet, &mut |field| _ = around.insert(field.name));
        field_names::everywhere(headers, &mut |field| all.push(("packet", field)));
        for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
            let name = choice.field.name;
            let carries = carriers.contains(&name);
            field_names::everywhere(choice.layout.fields, &mut |field| {
                all.push((name, field));
                if carries {
                    around.insert(field.name);
                }
            });
        }
        Fields { all, carriers, around, lines }
    }

    /// The messages that have a field of that name, once for each place of their name in memory; and
    /// whether headers have one.
    fn places(&self, name: &str) -> (&'static [&'static str], bool) {
        let mut messages: Vec<&'static str> = Vec::new();
        for (message, _) in self.all.iter().filter(|(_, field)| field.name == name) {
            if !messages.iter().any(|known| std::ptr::eq(*known, *message)) {
                messages.push(message);
            }
        }
        (statics(messages), self.around.contains(name))
    }

    /// A field that a condition asks for, in whatever message.
    pub fn asked(&self, name: &'static str) -> Path {
        let last = name.rsplit('.').next().unwrap_or(name);
        let (messages, headers) = self.places(last);
        Path { of: None, name: Name::new(leak(last)), carried: &[], messages, headers, lines: self.lines }
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
                let (messages, headers) = self.places(name);
                Ok((
                    Path {
                        of: of.map(leak),
                        name: Name::new(field.name),
                        carried,
                        messages,
                        headers,
                        lines: self.lines,
                    },
                    field,
                ))
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
