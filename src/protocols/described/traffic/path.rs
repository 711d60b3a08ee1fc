//! Finds fields of a line by their names: `seq`, `input.seq`, `packet.seq`.

use super::super::lines::{Nameless, Names};
use crate::codec::layout::{Field, Name};
use crate::codec::node::Node;
use crate::codec::schema::compile::{Compiled, statics};
use crate::codec::schema::known::Carried;
use crate::codec::schema::named::leak;
use crate::codec::{Tree, names as field_names};
use crate::dissect::Dissection;
use crate::nearest::{hint, nearest};
use rustc_hash::FxHashSet;

/// The name of a line, and the trees of its fields and of the headers around it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'t> {
    pub message: &'static str,
    pub tree: &'t Tree,
    pub packet: &'t Tree,
}

impl<'t> From<&'t Dissection> for Shown<'t> {
    fn from(dissection: &'t Dissection) -> Shown<'t> {
        Shown { message: dissection.message, tree: &dissection.tree, packet: &dissection.packet }
    }
}

/// A field of a line.
#[derive(Clone, Debug)]
pub struct Path {
    /// Only in this message; "packet": only in its headers.
    of: Option<&'static str>,
    name: Name,
    /// If the message carries others: its fields with that name, which the inner lines also show.
    carried: &'static [&'static Field],
    /// The messages that have a field of that name.
    messages: &'static [&'static str],
    /// Whether headers have a field with that name.
    headers: bool,
    /// The names of lines without a message.
    lines: Names,
}

impl Path {
    /// The field, its tree, and whether it is in the headers.
    pub fn find<'t>(&self, line: Shown<'t>) -> Option<(&'t Node, &'t Tree, bool)> {
        let Shown { message, tree, packet } = line;
        let own = || {
            let found = if self.may_be_in(message) { find(tree, &self.name) } else { None };
            found.map(|node| (node, tree, false))
        };
        let around = || {
            let found = if self.headers { find(packet, &self.name) } else { None };
            found.map(|node| (node, packet, true))
        };
        match self.of {
            // A message may be named "packet" too.
            Some("packet") => around().or_else(|| match self.lines.named(message) {
                Some(Nameless::Packet) => own(),
                _ if message == "packet" => own(),
                _ => None,
            }),
            Some(of) if of != message => {
                let is = |node: &&Node| self.carried.iter().any(|field| std::ptr::eq(*field, node.field));
                let node = packet.nodes().iter().rev().find(is)?;
                Some((node, packet, true))
            }
            Some(_) => own(),
            None => own().or_else(around),
        }
    }

    /// Whether a line with this name may have the field. Lines without a message have their packet's fields.
    fn may_be_in(&self, message: &'static str) -> bool {
        self.messages.iter().any(|name| std::ptr::eq(*name, message)) || self.lines.named(message).is_some()
    }

    /// The field's number.
    pub fn number(&self, line: Shown<'_>) -> Option<u64> {
        self.find(line)?.0.number()
    }

    /// The message, "packet", or a carrier that has the field; `None`: any. And its name.
    pub fn names(&self) -> (Option<&'static str>, &'static str) {
        (self.of, self.name.text)
    }

    /// Whether the field may be a message's own, and whether it may be in the headers around it.
    pub fn places(&self, message: &str) -> [bool; 2] {
        match self.of {
            Some(of) => [of == message, of == "packet" || of != message && !self.carried.is_empty()],
            None => [true; 2],
        }
    }
}

/// The field with that name: the innermost, which is the last one of the headers.
fn find<'t>(tree: &'t Tree, name: &Name) -> Option<&'t Node> {
    tree.child_called(None, name).or_else(|| tree.nodes().iter().rev().find(|node| name.is_of(node.field)))
}

/// All fields of a protocol, by the message that has them; "packet" has the headers.
pub struct Fields {
    pub all: Vec<(&'static str, &'static Field)>,
    carriers: Vec<&'static str>,
    /// The names of all fields that may be around a message.
    around: FxHashSet<&'static str>,
    lines: Names,
}

impl Fields {
    /// The fields of a protocol: of its packet, its headers and its messages.
    pub fn new((packet, headers): (&'static [Field], &'static [Field]), carried: &[Carried], lines: Names) -> Fields {
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

    /// The messages that have a field with that name, once for each address of their name; and whether headers have
    /// one.
    fn places(&self, name: &str) -> (&'static [&'static str], bool) {
        let mut messages: Vec<&'static str> = Vec::new();
        for (message, _) in self.all.iter().filter(|(_, field)| field.name == name) {
            if !messages.iter().any(|known| std::ptr::eq(*known, *message)) {
                messages.push(message);
            }
        }
        (statics(messages), self.around.contains(name))
    }

    /// A field in a condition, in any message.
    pub fn asked(&self, name: &'static str) -> Path {
        let last = name.rsplit('.').next().unwrap_or(name);
        let (messages, headers) = self.places(last);
        Path { of: None, name: Name::new(leak(last)), carried: &[], messages, headers, lines: self.lines }
    }

    /// The field with that name, and its first definition.
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
