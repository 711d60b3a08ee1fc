//! Writes trees as nested JSON objects: `fields` (the values on the wire) and `derived` (the values known from earlier
//! messages), in the same shape.
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

use crate::codec::json::line::{Line, Stage};
use crate::codec::json::text::string;
use crate::codec::json::value::{name_of, value};
use crate::codec::layout::{Show, flag};
use crate::codec::{Node, Sources, Tree, Value};
use std::ops::Range;

/// Reusable scratch memory of the walks.
#[derive(Debug, Default)]
pub struct Walks {
    open: Vec<(u32, bool)>,
    marks: Vec<Mark>,
    /// Whether to include fields that are shown only together with the message's bytes.
    bulk: bool,
}

/// An open group or list.
#[derive(Debug)]
struct Mark {
    end: usize,
    list: bool,
    /// The length of the output before it.
    start: usize,
    /// Whether it contains a derived value.
    found: bool,
}

/// Appends `fields`: the tree as a plain object, without hidden and derived nodes.
pub fn fields_json(tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
    Stage::default().line(out, |line| {
        line.constant(b"{");
        Walks::default().fields(tree, sources, line);
    });
}

/// Appends `derived`: the shape of `fields` as far as it contains derived values, then the values
/// of the tree `derived`. Returns false, and appends nothing, if there are none.
pub fn derived_json(tree: &Tree, derived: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) -> bool {
    Stage::default().line(out, |line| Walks::default().derived([tree], derived, sources, true, line))
}

impl Walks {
    /// See [`fields_json`]; the opening brace has been written already.
    #[inline(always)]
    pub fn fields(&mut self, tree: &Tree, sources: Sources<'_>, line: &mut Line<'_>) {
        self.members(tree, sources, 0..tree.nodes().len(), false, false, line);
        line.close(b'}');
    }

    /// See [`derived_json`].
    pub fn derived<'t>(
        &mut self,
        trees: impl IntoIterator<Item = &'t Tree>,
        derived: &Tree,
        sources: Sources<'_>,
        bulk: bool,
        line: &mut Line<'_>,
    ) -> bool {
        let start = line.len();
        self.bulk = bulk;
        line.constant(b"{");
        for tree in trees {
            if tree.has_derived() {
                self.derived_members(tree, sources, line);
            }
        }
        self.members(derived, sources, 0..derived.nodes().len(), false, true, line);
        if line.len() == start + 1 {
            line.truncate(start);
            return false;
        }
        line.close(b'}');
        true
    }

    /// Appends the value of one node with all its descendants.
    #[cfg(feature = "parquet")]
    pub fn node(&mut self, tree: &Tree, at: usize, sources: Sources<'_>, derived: bool, out: &mut Vec<u8>) {
        let Some(node) = tree.nodes().get(at) else { return };
        if !node.nests() {
            return value(node, sources, out);
        }
        Stage::default().line(out, |line| {
            open(node, line);
            self.members(tree, sources, at + 1..after_node(node, at), node.value == Value::List, derived, line);
            close(node.value == Value::List, line);
        });
    }

    /// Appends members or elements, each followed by a comma.
    #[inline(always)]
    fn members(
        &mut self,
        tree: &Tree,
        sources: Sources<'_>,
        range: Range<usize>,
        list: bool,
        derived: bool,
        line: &mut Line<'_>,
    ) {
        let nodes = tree.nodes();
        let (mut at, mut end, mut list) = (range.start, range.end.min(nodes.len()), list);
        self.open.clear();
        loop {
            while at >= end {
                let Some((outer, in_list)) = self.open.pop() else { return };
                close(list, line);
                line.constant(b",");
                (end, list) = (outer as usize, in_list);
            }
            let node = &nodes[at];
            if node.hidden() || (!derived && node.derived()) || derived && node.field.is(flag::BULK) && !self.bulk {
                at = after_node(node, at);
                continue;
            }
            if !list {
                key(tree, node, sources, line);
            }
            match node.value {
                Value::Group | Value::List => {
                    self.open.push((end as u32, list));
                    end = after_node(node, at).min(end);
                    list = node.value == Value::List;
                    open(node, line);
                }
                _ => {
                    leaf(node, sources, line);
                    line.constant(b",");
                }
            }
            at += 1;
        }
    }

    /// Writes every group as if it contained a derived value, and removes it again if it does not.
    fn derived_members(&mut self, tree: &Tree, sources: Sources<'_>, line: &mut Line<'_>) {
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
                    close(inner.list, line);
                    line.constant(b",");
                    here.found = true;
                } else {
                    line.truncate(inner.start);
                    place(here.list, line);
                }
            }
            let node = &nodes[at];
            let next = after_node(node, at).min(here.end).max(at + 1);
            if node.hidden() {
                at = next;
                continue;
            }
            let inside = node.nests();
            if !node.derived() && !inside {
                place(here.list, line);
                at = next;
                continue;
            }
            let start = line.len();
            if !here.list {
                key(tree, node, sources, line);
            }
            let list = node.value == Value::List;
            if inside {
                open(node, line);
            }
            match (node.derived(), inside) {
                (false, _) => {
                    let outer = std::mem::replace(&mut here, Mark { end: next, list, start, found: false });
                    marks.push(outer);
                    at += 1;
                    continue;
                }
                (true, true) => {
                    self.members(tree, sources, at + 1..next, list, true, line);
                    close(list, line);
                }
                (true, false) => leaf(node, sources, line),
            }
            line.constant(b",");
            here.found = true;
            at = next;
        }
    }
}

/// Writes a list element without derived values as an empty object, so that indices stay aligned.
fn place(in_list: bool, line: &mut Line<'_>) {
    if in_list {
        line.constant(b"{},");
    }
}

#[inline(always)]
fn open(node: &Node, line: &mut Line<'_>) {
    line.constant(if node.value == Value::List { b"[" } else { b"{" });
}

#[inline(always)]
fn close(list: bool, line: &mut Line<'_>) {
    line.close(if list { b']' } else { b'}' });
}

/// Returns the index after a node and all its descendants.
#[inline(always)]
pub(crate) fn after_node(node: &Node, at: usize) -> usize {
    (node.end as usize).max(at + 1)
}

/// Appends a node's name and the colon.
#[inline(always)]
pub(crate) fn key(tree: &Tree, node: &Node, sources: Sources<'_>, line: &mut Line<'_>) {
    if tree.name_from_traffic(node) || !node.field.quoted.is_there() {
        odd_key(tree.name(node, sources), line.rest());
    } else {
        line.short(node.field.quoted.short());
    }
}

#[inline(never)]
fn odd_key(name: &str, out: &mut Vec<u8>) {
    string(name.as_bytes(), out);
    out.push(b':');
}

/// Appends the value of a leaf, with short paths for the most frequent kinds.
#[inline(always)]
pub(crate) fn leaf(node: &Node, sources: Sources<'_>, line: &mut Line<'_>) {
    match (node.value, node.field.show) {
        (Value::UInt(n), Show::Plain) => line.uint(n),
        (Value::Int(n), Show::Plain) => line.int(n),
        (Value::Bool(true), _) => line.constant(b"true"),
        (Value::Bool(false), _) => line.constant(b"false"),
        (Value::UInt(n), Show::Enum(names)) => match name_of(names, n) {
            Some(name) => {
                line.constant(b"\"");
                line.name(name);
                line.constant(b"\"");
            }
            None => line.uint(n),
        },
        (Value::Bytes { bit, bits }, _) if (bit | bits).is_multiple_of(8) => {
            let from = bit as usize / 8;
            let source = sources.get(node.source).get(from..).unwrap_or_default();
            let to = (bits as usize / 8).min(source.len());
            line.constant(b"\"");
            line.hex(source.get(..to).unwrap_or_default());
            line.constant(b"\"");
        }
        _ => value(node, sources, line.rest()),
    }
}
