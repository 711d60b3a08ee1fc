//! Trees as nested JSON objects: `fields` (what was on the wire), and `derived` (known from earlier
//! messages) in the same shape.
//!
//! Both walks are loops over the flat list of nodes, so nesting uses no stack.
//!
//! ```
//! use netkit::codec::{Reader, Sources, Tree, layout::*};
//! static PING: [Field; 2] = [u8("id"), i16le("rtt")];
//! let bytes = [7, 0xff, 0xff];
//! let mut tree = Tree::default();
//! Reader::new(&bytes, &mut tree).read(&PING);
//! let mut line = Vec::new();
//! netkit::codec::json::fields_json(&tree, Sources { main: &bytes, more: &[] }, &mut line);
//! assert_eq!(line, br#"{"id":7,"rtt":-1}"#);
//! ```

use crate::codec::json::text::string;
use crate::codec::json::value::value;
use crate::codec::layout::flag;
use crate::codec::{Node, Sources, Tree, Value};
use std::ops::Range;

/// Scratch memory of the walks, for reuse.
#[derive(Debug, Default)]
pub struct Walks {
    open: Vec<(u32, bool)>,
    marks: Vec<Mark>,
    /// Also what is shown only where the message's bytes are.
    bulk: bool,
}

/// An open group or list.
#[derive(Debug)]
struct Mark {
    end: usize,
    list: bool,
    /// The length of the output before it.
    start: usize,
    /// It contains something derived.
    found: bool,
}

/// Appends `fields`: the tree as a plain object, without what is hidden or derived.
pub fn fields_json(tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    Walks::default().fields(tree, sources, out);
}

/// Appends `derived`: the shape of `fields` as far as it contains derived values, then the values
/// of the tree `beside`. Returns false, and appends nothing, if there are none.
pub fn derived_json(tree: &Tree, beside: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) -> bool {
    Walks::default().derived([tree], beside, sources, true, out)
}

impl Walks {
    /// See [`fields_json`]; the opening brace has been written already.
    #[inline]
    pub fn fields(&mut self, tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
        self.members(tree, sources, 0..tree.nodes().len(), false, false, out);
        close(b'}', out);
    }

    /// See [`derived_json`].
    pub fn derived<'t>(
        &mut self,
        trees: impl IntoIterator<Item = &'t Tree>,
        beside: &Tree,
        sources: Sources<'_>,
        bulk: bool,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = out.len();
        self.bulk = bulk;
        out.push(b'{');
        for tree in trees {
            if tree.has_derived() {
                self.derived_members(tree, sources, out);
            }
        }
        self.members(beside, sources, 0..beside.nodes().len(), false, true, out);
        if out.len() == start + 1 {
            out.truncate(start);
            return false;
        }
        close(b'}', out);
        true
    }

    /// Appends the value of one node, with all that is below it.
    #[cfg(feature = "parquet")]
    pub fn node(&mut self, tree: &Tree, at: usize, sources: Sources<'_>, derived: bool, out: &mut Vec<u8>) {
        let Some(node) = tree.nodes().get(at) else { return };
        if !node.nests() {
            return value(node, sources, out);
        }
        let list = node.value == Value::List;
        out.push(if list { b'[' } else { b'{' });
        self.members(tree, sources, at + 1..behind(node, at), list, derived, out);
        close(if list { b']' } else { b'}' }, out);
    }

    /// Members or elements, each followed by a comma.
    #[inline]
    fn members(
        &mut self,
        tree: &Tree,
        sources: Sources<'_>,
        range: Range<usize>,
        list: bool,
        derived: bool,
        out: &mut Vec<u8>,
    ) {
        let nodes = tree.nodes();
        let (mut at, mut end, mut list) = (range.start, range.end.min(nodes.len()), list);
        self.open.clear();
        loop {
            while at >= end {
                let Some((outer, in_list)) = self.open.pop() else { return };
                close(if list { b']' } else { b'}' }, out);
                out.push(b',');
                (end, list) = (outer as usize, in_list);
            }
            let node = &nodes[at];
            if node.hidden() || (!derived && node.derived()) || derived && node.field.is(flag::BULK) && !self.bulk {
                at = behind(node, at);
                continue;
            }
            if !list {
                key(tree, node, sources, out);
            }
            match node.value {
                Value::Group | Value::List => {
                    self.open.push((end as u32, list));
                    end = behind(node, at).min(end);
                    list = node.value == Value::List;
                    out.push(if list { b'[' } else { b'{' });
                }
                _ => {
                    value(node, sources, out);
                    out.push(b',');
                }
            }
            at += 1;
        }
    }

    /// Every group is written as if it contained something derived, and removed again if it did
    /// not.
    fn derived_members(&mut self, tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
        let nodes = tree.nodes();
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        let mut here = Mark { end: nodes.len(), list: false, start: 0, found: false };
        let mut at = 0;
        loop {
            while at >= here.end {
                let Some(outer) = marks.pop() else {
                    self.marks = marks;
                    return;
                };
                let inner = std::mem::replace(&mut here, outer);
                if inner.found {
                    close(if inner.list { b']' } else { b'}' }, out);
                    out.push(b',');
                    here.found = true;
                } else {
                    out.truncate(inner.start);
                    place(here.list, out);
                }
            }
            let node = &nodes[at];
            let next = behind(node, at).min(here.end).max(at + 1);
            if node.hidden() {
                at = next;
                continue;
            }
            let inside = node.nests();
            if !node.derived() && !inside {
                place(here.list, out);
                at = next;
                continue;
            }
            let start = out.len();
            if !here.list {
                key(tree, node, sources, out);
            }
            let list = node.value == Value::List;
            if inside {
                out.push(if list { b'[' } else { b'{' });
            }
            match (node.derived(), inside) {
                (false, _) => {
                    let outer = std::mem::replace(&mut here, Mark { end: next, list, start, found: false });
                    marks.push(outer);
                    at += 1;
                    continue;
                }
                (true, true) => {
                    self.members(tree, sources, at + 1..next, list, true, out);
                    close(if list { b']' } else { b'}' }, out);
                }
                (true, false) => value(node, sources, out),
            }
            out.push(b',');
            here.found = true;
            at = next;
        }
    }
}

/// An element of a list without anything derived is written as null, so that indices stay aligned.
fn place(in_list: bool, out: &mut Vec<u8>) {
    if in_list {
        out.extend_from_slice(b"{},");
    }
}

/// Writes the closing bracket over the last comma.
#[inline(always)]
fn close(bracket: u8, out: &mut Vec<u8>) {
    match out.last_mut() {
        Some(last @ b',') => *last = bracket,
        _ => out.push(bracket),
    }
}

/// The index after a node and all its descendants.
#[inline(always)]
pub(crate) fn behind(node: &Node, at: usize) -> usize {
    (node.end as usize).max(at + 1)
}

#[inline]
fn key(tree: &Tree, node: &Node, sources: Sources<'_>, out: &mut Vec<u8>) {
    if tree.name_from_traffic(node) {
        string(tree.name(node, sources).as_bytes(), out);
        out.push(b':');
    } else if !node.field.quoted.append(out) {
        string(node.field.name.as_bytes(), out);
        out.push(b':');
    }
}
