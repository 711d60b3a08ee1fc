//! From one packet's fields to its lines: one for each innermost message, with the fields of the
//! headers around it.

use super::compile::statics;
use crate::codec::kinds::{Choice, UNKNOWN};
use crate::codec::layout::{Field, Kind, Len, bytes, flag};
use crate::codec::node::Node;
use crate::codec::reader::{TRAILING, UNPARSED};
use crate::codec::{Tree, Value};
use rustc_hash::FxHashSet;

/// The cap on lines of one packet.
const MOST: usize = 65_536;

/// One line: the node whose fields it has.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The group of the message, or of the element without one; `None`: the packet itself.
    pub node: Option<u32>,
    /// Its first byte.
    pub start: u32,
}

static FRAGMENT: [Field; 1] = [bytes("data", Len::Rest).doc("a part of a longer message")];

/// The fields of a line `fragment`, for documentation.
pub fn fragment() -> &'static [Field] {
    &FRAGMENT
}

/// The fields of a line `unknown`.
pub fn unknown() -> &'static [Field] {
    if let Kind::Struct(fields) = UNKNOWN.kind { fields } else { &[] }
}

/// The fields of all headers: what stands around messages.
pub fn headers(packet: &'static [Field], carried: &[(&'static str, &'static [Choice])]) -> &'static [Field] {
    let mut all: Vec<Field> = Vec::new();
    let mut seen = FxHashSet::default();
    outer(packet, &mut all, &mut seen);
    for (carrier, _) in carried.iter().filter(|(carrier, _)| !carrier.is_empty()) {
        let found = carried.iter().flat_map(|(_, list)| list.iter()).filter(|choice| choice.field.name == *carrier);
        found.for_each(|choice| outer(choice.layout.fields, &mut all, &mut seen));
    }
    statics(all)
}

fn outer(fields: &'static [Field], all: &mut Vec<Field>, seen: &mut FxHashSet<*const Field>) {
    for field in fields {
        if !seen.insert(std::ptr::from_ref(field)) {
            continue;
        }
        match &field.kind {
            Kind::Inline(inner) => outer(inner, all, seen),
            Kind::Struct(inner) if field.is(flag::CARRIES) => outer(inner, all, seen),
            Kind::Array { of, .. } if field.is(flag::CARRIES) => outer(std::slice::from_ref(*of), all, seen),
            Kind::Custom(codec) if field.name.is_empty() => outer(codec.fields(), all, seen),
            Kind::Custom(_) if field.is(flag::CARRIES) => {}
            _ => all.push(field.clone()),
        }
    }
}

/// Finds the innermost messages, and the elements that hold none.
pub fn find(tree: &Tree, lines: &mut Vec<Mark>) {
    lines.clear();
    let nodes = tree.nodes();
    // Where the bytes of the next line begin: where the first element behind the last line does.
    let mut next: Option<u32> = None;
    for (k, node) in nodes.iter().enumerate() {
        let (message, element) = (node.field.is(flag::MESSAGE), node.field.is(flag::ELEMENT));
        if !(message || element) || node.value != Value::Group {
            continue;
        }
        if element && lines.last().is_none_or(|last| behind(nodes, last, k)) {
            next.get_or_insert(node.bit / 8);
        }
        let mut start = None;
        while let Some(last) = lines.last()
            && !behind(nodes, last, k)
        {
            // It carries this one.
            start = Some(last.start);
            lines.pop();
        }
        if lines.len() >= MOST {
            return;
        }
        let start = if lines.is_empty() { 0 } else { start.or(next.take()).unwrap_or(node.bit / 8) };
        next = None;
        lines.push(Mark { node: Some(k as u32), start });
    }
    if lines.is_empty() {
        lines.push(Mark { node: None, start: 0 });
    }
}

/// Does node `k` stand behind a line?
fn behind(nodes: &[Node], line: &Mark, k: usize) -> bool {
    line.node.and_then(|node| nodes.get(node as usize)).is_none_or(|node| node.end as usize <= k)
}

/// Which trees a line's nodes go to, and how their places change.
pub struct Split<'a> {
    pub tree: &'a Tree,
    /// The line's message.
    pub mark: Mark,
    /// It is the last line.
    pub last: bool,
    /// The source that has the packet's bytes, where the line has only a part of them.
    pub whole: Option<u8>,
    /// The source of the packet's own bytes.
    pub own: u8,
    /// Hidden numbers are shown: no message is known, or the packet was broken.
    pub reveal: Reveal,
}

/// Which hidden fields are shown after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// None.
    Nothing,
    /// Those by which a message is found.
    Selectors,
    /// All.
    Everything,
}

/// Moves a node's ranges by so many bits.
fn shift(node: &mut Node, by: u32) {
    node.bit = node.bit.saturating_sub(by);
    node.value = match node.value {
        Value::Bytes { bit, bits } => Value::Bytes { bit: bit.saturating_sub(by), bits },
        Value::Text { bit, bits } => Value::Text { bit: bit.saturating_sub(by), bits },
        Value::Latin1 { bit, bits } => Value::Latin1 { bit: bit.saturating_sub(by), bits },
        Value::Raw { bit, bits } => Value::Raw { bit: bit.saturating_sub(by), bits },
        other => other,
    };
}

impl Split<'_> {
    /// Fills a line's trees: the headers around its message, and its fields.
    pub fn fill(&self, packet: &mut Tree, fields: &mut Tree) {
        let nodes = self.tree.nodes();
        let start = self.mark.start * 8;
        let own = self.own;
        let reveal = self.reveal;
        let shown = move |node: &mut Node| match reveal {
            // The count of a list is shown where the list broke off, and tells that.
            Reveal::Everything if node.field.is(flag::HIDDEN) => node.show(),
            Reveal::Selectors if node.field.is(flag::SELECTS) => node.show(),
            _ => {}
        };
        let inside = |node: &mut Node| {
            if node.source == own {
                shift(node, start);
            }
            shown(node);
        };
        let around = |node: &mut Node| {
            match self.whole {
                Some(whole) if node.source == own => node.source = whole,
                _ => {}
            }
            shown(node);
        };
        let Some(target) = self.mark.node.map(|node| node as usize) else {
            fields.append(self.tree, 0..nodes.len(), inside);
            return;
        };
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            let end = (node.end as usize).max(at + 1);
            if at == target {
                fields.append(self.tree, at + 1..end, inside);
            } else if at < target && target < end {
                at += 1;
                continue;
            } else if std::ptr::eq(node.field, &UNPARSED) || std::ptr::eq(node.field, &TRAILING) && at > target {
                if self.last {
                    let to = if std::ptr::eq(node.field, &UNPARSED) { &mut *fields } else { &mut *packet };
                    to.append(self.tree, at..end, inside);
                }
            } else if !(node.field.is(flag::CARRIES) && node.nests() || node.field.is(flag::MESSAGE | flag::ELEMENT)) {
                packet.append(self.tree, at..end, around);
            }
            at = end;
        }
    }
}

/// The nearest field of that name that a condition at node `k` sees: earlier siblings, then those of
/// the groups around it. `a.b` is one of an earlier group.
pub fn visible<'t>(tree: &'t Tree, k: usize, name: &str) -> Option<&'t Node> {
    let nodes = tree.nodes();
    let (group, inner) = name.split_once('.').map_or((name, None), |(group, inner)| (group, Some(inner)));
    let (mut at, mut found) = (0, None);
    while at < k
        && let Some(node) = nodes.get(at)
    {
        if node.field.name == group {
            match inner {
                None => found = Some(node),
                Some(inner) => {
                    let mut children = tree.children(Some(at));
                    let child = children.find_map(|c| nodes.get(c).filter(|n| n.field.name == inner));
                    found = child.or(found);
                }
            }
        }
        let end = (node.end as usize).max(at + 1);
        at = if end > k { at + 1 } else { end };
    }
    found
}
