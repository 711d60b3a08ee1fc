//! Splits a tree's values into columns.

use super::super::leaf::path;
use super::column::{Column, LEVEL, Leaf};
use super::plan::{Group, List, Plan};
use crate::codec::json::fields::{Walks, after_node};
use crate::codec::json::value::{append_bytes, each_byte, flags, name_of};
use crate::codec::layout::Show;
use crate::codec::{Node, Sources, Tree, Value, half_text};
use std::ops::Range;

/// Values without a column of their own: their field's type cannot hold them, or the tables do not have their field.
#[derive(Debug, Default)]
pub struct Others {
    /// Paths and JSON texts, alternating.
    text: Vec<u8>,
    /// The end of each text.
    ends: Vec<usize>,
}

impl Others {
    /// Removes all of them.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Returns the path and JSON text of each.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.chunks_exact(2).map(move |ends| {
            let pair = (&self.text[start..ends[0]], &self.text[ends[0]..ends[1]]);
            start = ends[1];
            pair
        })
    }

    fn add(&mut self, path: impl FnOnce(&mut Vec<u8>), json: impl FnOnce(&mut Vec<u8>)) {
        path(&mut self.text);
        self.ends.push(self.text.len());
        json(&mut self.text);
        self.ends.push(self.text.len());
    }
}

/// Puts the values of one tree into their columns.
pub struct Shredder<'a> {
    /// The columns of the message's table.
    pub columns: &'a mut [Column],
    /// The row of the message.
    pub row: usize,
    /// The tree.
    pub tree: &'a Tree,
    /// The bytes that its ranges refer to.
    pub sources: Sources<'a>,
    /// The values without a column.
    pub others: &'a mut Others,
    /// The number of bytes that were added to columns of bytes and text.
    pub bytes: usize,
    /// The first step of all paths: `packet`, `fields` or `derived`.
    pub root: &'static str,
    /// Whether values that are known from earlier messages are shown, too.
    pub derived: bool,
    /// Scratch memory: which members were found, for all open groups.
    pub seen: &'a mut Vec<bool>,
    /// Scratch memory for JSON.
    pub walks: &'a mut Walks,
}

impl Shredder<'_> {
    /// Adds the values that the tree has from earlier messages to the others, since no table has columns for them.
    pub fn derived_nodes(&mut self) {
        let mut at = 0;
        while let Some(node) = self.tree.nodes().get(at) {
            if node.derived() && !node.hidden() {
                self.other(at);
            }
            at = if node.derived() || node.hidden() { after_node(node, at) } else { at + 1 };
        }
    }

    /// Adds the top level, in columns of definition level 0.
    pub fn top(&mut self, group: &Group) {
        self.members(group, 0..self.tree.nodes().len(), 0, 0);
    }

    /// Whether the node is one of the values that are shown.
    fn shown(&self, node: &Node) -> bool {
        !node.hidden() && (self.derived || !node.derived())
    }

    /// Adds the members of a group: the nodes of a range.
    fn members(&mut self, group: &Group, range: Range<usize>, definition: i16, repetition: i16) {
        let (first, tree) = (self.seen.len(), self.tree);
        self.seen.resize(first + group.members.len(), false);
        let (mut at, mut next) = (range.start, 0);
        while at < range.end {
            let node = &tree.nodes()[at];
            if self.shown(node) {
                let found = group.find(tree, node, self.sources, next);
                // Payloads without a schema have a column after the payload's fields.
                let found = found.map(|k| match (&group.members[k].plan, node.value) {
                    (Plan::Group(_), Value::Bytes { .. }) => (k + 1).min(group.members.len() - 1),
                    _ => k,
                });
                match found {
                    Some(k) if !self.seen[first + k] => {
                        self.seen[first + k] = true;
                        next = k + 1;
                        self.value(&group.members[k].plan, at, definition, repetition);
                    }
                    _ => self.other(at),
                }
            }
            at = after_node(node, at);
        }
        for k in 0..group.members.len() {
            if !self.seen[first + k] {
                self.missing(group.members[k].plan.columns(), definition, repetition);
            }
        }
        self.seen.truncate(first);
    }

    /// Adds one value, group or list.
    fn value(&mut self, plan: &Plan, at: usize, definition: i16, repetition: i16) {
        let node = &self.tree.nodes()[at];
        match (plan, node.value) {
            (Plan::Leaf(leaf, column), _) => match self.leaf(*leaf, *column, at) {
                true => self.columns[*column].level(self.row, definition + 1, repetition),
                false => {
                    self.columns[*column].level(self.row, definition, repetition);
                    if node.value != Value::Null {
                        self.other(at);
                    }
                }
            },
            (Plan::Group(group), Value::Group) => {
                self.members(group, at + 1..after_node(node, at), definition + 1, repetition);
            }
            (Plan::List(list, of), Value::List) => self.elements(list, of, at, definition, repetition),
            (Plan::Flags(list, column), Value::UInt(n)) => {
                let Show::Flags(table) = node.field.show else { return self.wrong(plan, at, definition, repetition) };
                let (mut level, mut digits) = (repetition, itoa::Buffer::new());
                flags(table, n, |flag| {
                    let text = match &flag {
                        Ok(name) => name.as_bytes(),
                        Err(mask) => digits.format(*mask).as_bytes(),
                    };
                    let column = &mut self.columns[*column];
                    self.bytes += column.bytes(|out| out.extend_from_slice(text));
                    column.level(self.row, definition + 3, level);
                    level = list.level;
                });
                // The first element has the level of an outer list.
                if level == repetition {
                    self.columns[*column].level(self.row, definition + 1, repetition);
                }
            }
            _ => self.wrong(plan, at, definition, repetition),
        }
    }

    /// Adds a value whose form does not match its field's.
    #[cold]
    fn wrong(&mut self, plan: &Plan, at: usize, definition: i16, repetition: i16) {
        self.missing(plan.columns(), definition, repetition);
        if self.tree.nodes()[at].value != Value::Null {
            self.other(at);
        }
    }

    fn elements(&mut self, list: &List, of: &Plan, at: usize, definition: i16, repetition: i16) {
        let tree = self.tree;
        let end = after_node(&tree.nodes()[at], at);
        let (mut inner, mut level) = (at + 1, repetition);
        while inner < end {
            let node = &tree.nodes()[inner];
            if self.shown(node) {
                self.value(of, inner, definition + 2, level);
                level = list.level;
            }
            inner = after_node(node, inner);
        }
        if level == repetition {
            self.missing(list.columns.clone(), definition + 1, repetition);
        }
    }

    #[inline]
    fn missing(&mut self, columns: Range<usize>, definition: i16, repetition: i16) {
        // Values that are missing from the top level on are the usual case. The columns add their levels.
        if (definition, repetition) != (0, 0) {
            let row = self.row;
            self.columns[columns].iter_mut().for_each(|column| column.level(row, definition, repetition));
        }
    }

    /// Puts a leaf into its column. Returns false if the leaf does not fit.
    #[inline]
    fn leaf(&mut self, leaf: Leaf, column: usize, at: usize) -> bool {
        let (node, column) = (&self.tree.nodes()[at], &mut self.columns[column]);
        self.bytes += LEVEL;
        let source = || self.sources.get(node.source);
        match (leaf, node.value, node.field.show) {
            (Leaf::Int, Value::UInt(n), Show::Plain) => match i64::try_from(n) {
                Ok(n) => column.int(n),
                Err(_) => return false,
            },
            (Leaf::Int, Value::Int(n), Show::Plain) => column.int(n),
            (Leaf::UInt, Value::UInt(n), Show::Plain) => column.int(n as i64),
            (Leaf::UInt, Value::Int(n @ 0..), Show::Plain) => column.int(n),
            (Leaf::Bool, Value::Bool(b), _) => column.bool(b),
            (Leaf::F32, Value::F32(v), _) => column.f32(v),
            (Leaf::F64, Value::F64(v), _) => column.f64(v),
            (Leaf::F64, Value::F16(bits), _) => column.f64(half_text::shortest(bits)),
            // As it is shown: the shortest digits that identify this 32-bit number.
            (Leaf::F64, Value::F32(v), _) => column.f64(v.to_string().parse().unwrap_or(v.into())),
            (Leaf::F64, Value::UInt(n), Show::Scaled(scale)) => column.f64(scale.shown(n as f64)),
            (Leaf::F64, Value::Int(n), Show::Scaled(scale)) => column.f64(scale.shown(n as f64)),
            (Leaf::F64, Value::UInt(n), Show::Plain) => column.f64(n as f64),
            (Leaf::F64, Value::Int(n), Show::Plain) => column.f64(n as f64),
            (Leaf::F64, Value::Json { start, len }, _) => match number(source(), start, len) {
                Some(v) => column.f64(v),
                None => return false,
            },
            (Leaf::Text, value @ (Value::UInt(_) | Value::Int(_)), Show::Time { clock, .. }) => {
                self.bytes += column.bytes(|out| clock.show(value.whole().unwrap_or(0), out));
            }
            (Leaf::Text, Value::UInt(n), Show::Enum(names)) => self.bytes += named(column, names, n, n),
            (Leaf::Text, Value::Int(n), Show::Enum(names)) => self.bytes += named(column, names, n as u64, n),
            (Leaf::Text, Value::Text { bit, bits }, _) | (Leaf::Bytes, Value::Bytes { bit, bits }, _) => {
                self.bytes += column.bytes(|out| append_bytes(source(), bit, bits, out));
            }
            (Leaf::Text, Value::Latin1 { bit, bits }, _) => {
                let utf8 = |out: &mut Vec<u8>| {
                    let mut four = [0; 4];
                    each_byte(source(), bit, bits, |byte| {
                        out.extend_from_slice((byte as char).encode_utf8(&mut four).as_bytes());
                    });
                };
                self.bytes += column.bytes(utf8);
            }
            (Leaf::Json, _, _) if node.value != Value::Null => {
                self.bytes += column.bytes(|out| self.walks.node(self.tree, at, self.sources, self.derived, out));
            }
            _ => return false,
        }
        true
    }

    /// Adds a value without a column.
    #[cold]
    fn other(&mut self, at: usize) {
        let (root, tree, sources, derived) = (self.root, self.tree, self.sources, self.derived);
        let walks = &mut *self.walks;
        self.others.add(|out| path(root, tree, sources, at, out), |out| walks.node(tree, at, sources, derived, out));
    }
}

fn named(column: &mut Column, names: &'static [(u64, &'static str)], n: u64, shown: impl itoa::Integer) -> usize {
    column.bytes(|out| match name_of(names, n) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => out.extend_from_slice(itoa::Buffer::new().format(shown).as_bytes()),
    })
}

/// Returns the number that is written as JSON.
fn number(source: &[u8], start: u32, len: u32) -> Option<f64> {
    let text = source.get(start as usize..start as usize + len as usize)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}
