//! Finds fields of a line by their names: `seq`, `input.seq`, `packet.seq`, `input.id.seq`.

use super::super::lines::{Nameless, Names};
use crate::codec::Fault;
use crate::codec::layout::{Field, Kind, Name};
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
    /// Whether the capture has only its beginning: a field that is not in it may have been on the wire.
    pub cut: bool,
}

impl<'t> From<&'t Dissection> for Shown<'t> {
    fn from(dissection: &'t Dissection) -> Shown<'t> {
        let cut = dissection.fault.as_ref().is_some_and(Fault::is_cut);
        Shown { message: dissection.message, tree: &dissection.tree, packet: &dissection.packet, cut }
    }
}

/// A field of a line.
#[derive(Clone, Debug)]
pub struct Path {
    /// Only in this message; "packet": only in its headers.
    of: Option<&'static str>,
    /// The groups that contain it, from the outermost on.
    groups: &'static [Name],
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
    /// Whether any message, or a header, has a field with that name.
    pub fn is_known(&self) -> bool {
        self.headers || !self.messages.is_empty()
    }

    /// The field, its tree, and whether it is in the headers.
    pub fn find<'t>(&self, line: Shown<'t>) -> Option<(&'t Node, &'t Tree, bool)> {
        let Shown { message, tree, packet, .. } = line;
        let own = || {
            let found = if self.may_be_in(message) { self.find_in(tree) } else { None };
            found.map(|node| (node, tree, false))
        };
        let around = || {
            let found = if self.headers { self.find_in(packet) } else { None };
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

    /// The field with that name: the innermost, which is the last one of the headers.
    fn find_in<'t>(&self, tree: &'t Tree) -> Option<&'t Node> {
        if self.groups.is_empty() {
            let last = || tree.nodes().iter().rev().find(|node| self.name.is_of(node.field));
            return tree.child_called(None, &self.name).or_else(last);
        }
        let mut at = None;
        for name in self.groups.iter().chain([&self.name]) {
            let is = |at: &usize| tree.nodes().get(*at).is_some_and(|node| name.is_of(node.field));
            at = Some(tree.children(at).find(is).or_else(|| tree.below(at).rev().find(is))?);
        }
        tree.nodes().get(at?)
    }

    /// The names of the groups that contain the field, and its own.
    pub fn names(&self) -> (&'static [Name], &'static str) {
        (self.groups, self.name.text)
    }

    /// Whether the field may be a message's own, and whether it may be in the headers around it.
    pub fn places(&self, message: &str) -> [bool; 2] {
        match self.of {
            Some(of) => [of == message, of == "packet" || of != message && !self.carried.is_empty()],
            None => [true; 2],
        }
    }

    /// Whether a message of this name may have the field, or a header around it.
    pub fn may_be_of(&self, message: &str) -> bool {
        let [own, around] = self.places(message);
        own && (self.messages.contains(&message) || self.lines.named(message).is_some())
            || around && (self.headers || !self.carried.is_empty())
    }
}

/// The fields of a group, or of a list's elements.
fn inner(field: &'static Field) -> &'static [Field] {
    if let Kind::Array { of, .. } = &field.kind { inner(of) } else { field.kind.fields() }
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
    pub fn new(packet: &'static [Field], headers: &'static [Field], carried: &[Carried], lines: Names) -> Fields {
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
        let name = Name::new(leak(last));
        Path { of: None, groups: &[], name, carried: &[], messages, headers, lines: self.lines }
    }

    /// The field with that name, and its first definition. A name may begin with a message, and with the groups that
    /// contain the field.
    pub fn path(&self, text: &str, line: usize, key: &str) -> Compiled<(Path, &'static Field)> {
        let fail = |why: String| Err((line, format!("{key}: {why}")));
        let is_message = |of: &str| self.all.iter().any(|(message, _)| *message == of);
        let (of, rest) = match text.split_once('.') {
            Some((of, rest)) if is_message(of) => (Some(of), rest),
            _ => (None, text),
        };
        let mut names = rest.split('.');
        let first = names.next().unwrap_or_default();
        let whose =
            || self.all.iter().filter(|(message, _)| of.is_none_or(|of| of == *message)).map(|(_, field)| *field);
        let mut found: Vec<&'static Field> = whose().filter(|field| field.name == first && !first.is_empty()).collect();
        if found.is_empty() && of.is_none() && first != text {
            let near = hint(nearest(first, self.all.iter().map(|(message, _)| *message)));
            return fail(format!("no message {first:?} has fields{near}"));
        }
        if found.is_empty() {
            let near = hint(nearest(first, whose().map(|field| field.name)));
            let whose = of.map_or("no message has such a field".into(), |of| format!("{of} has no such field"));
            return fail(format!("{text}: {whose}{near}"));
        }
        let (mut groups, mut last) = (Vec::new(), first);
        for name in names {
            groups.push(Name::new(leak(last)));
            let (mut own, mut known) = (Vec::new(), Vec::new());
            for group in found {
                field_names::in_group(inner(group), &mut |field| match field.name == name {
                    true => own.push(field),
                    false => known.push(field.name),
                });
            }
            if own.is_empty() {
                return fail(format!("{text}: {last} has no field {name:?}{}", hint(nearest(name, known))));
            }
            (found, last) = (own, name);
        }
        let Some(field) = found.first().copied() else { return fail(format!("{text}: no such field")) };
        let (messages, headers) = self.places(last);
        let carried = if of.is_some_and(|of| self.carriers.contains(&of)) { statics(found) } else { &[] };
        let name = Name::new(field.name);
        Ok((
            Path { of: of.map(leak), groups: statics(groups), name, carried, messages, headers, lines: self.lines },
            field,
        ))
    }
}
