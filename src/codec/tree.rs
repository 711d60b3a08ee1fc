//! The arena tree: a message's fields, each with its value and the bits it was read from.
//!
//! Nodes are in pre-order in one vector that is cleared and reused: no allocation per message in
//! the steady state, no `String` per field. Values are numbers or ranges into the [`Sources`].

use super::context::Scope;
use super::layout::{Field, Name, flag};
use super::node::{DERIVED, HIDDEN, Node, Sources, Value};

/// The place of a name that was read from the traffic: its source, first byte and length.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NamePlace {
    pub source: u8,
    pub start: u32,
    pub len: u32,
}

/// The fields of one message. A tree can be cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The names that are not in a table.
    pub(super) keys: Vec<NamePlace>,
    /// Whether some node is derived. Renderers look for derived nodes only then.
    pub(super) has_derived: bool,
    /// The source that new nodes refer to.
    source: u8,
    /// Whether the tags at the top are left out, because nobody reads them.
    pub(crate) without_tags: bool,
    /// The reader's scratch memory, kept here for reuse.
    pub(super) scope: Scope,
    pub(super) open: Vec<u32>,
}

impl Tree {
    /// Removes everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.has_derived = false;
        self.source = 0;
        self.scope.clear();
        self.open.clear();
    }

    /// Returns a copy that takes no more memory than its nodes.
    pub(crate) fn detached(&self) -> Tree {
        let Tree { nodes, keys, has_derived, source, .. } = self;
        Tree { nodes: nodes.clone(), keys: keys.clone(), has_derived: *has_derived, source: *source, ..Tree::default() }
    }

    /// The approximate memory of its nodes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.keys.capacity() * size_of::<NamePlace>()
    }

    /// Returns all nodes in pre-order. Following [`Node::end`] leads from one top-level node to the next.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether some node is derived.
    pub fn has_derived(&self) -> bool {
        self.has_derived
    }

    /// Returns the indices of the top-level nodes (`None`), or of the direct children of a node.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let std::ops::Range { start: mut at, end } = self.below(parent);
        std::iter::from_fn(move || {
            let here = at;
            // A node not closed yet has no end, so only the node itself is skipped.
            at = (self.nodes.get(here)?.end as usize).max(here + 1);
            (here < end).then_some(here)
        })
    }

    /// Returns the indices of all nodes (`None`), or of those in a node, at any depth.
    pub(crate) fn below(&self, parent: Option<usize>) -> std::ops::Range<usize> {
        if let Some(p) = parent { p + 1..self.nodes.get(p).map_or(0, |n| n.end as usize) } else { 0..self.nodes.len() }
    }

    /// Returns the top-level node of a field of that name.
    #[inline]
    pub fn find(&self, field: &Field) -> Option<&Node> {
        self.child(None, field)
    }

    /// Returns the direct child of `parent`, or the top-level node, of a field of that name.
    #[inline]
    pub fn child(&self, parent: Option<usize>, field: &Field) -> Option<&Node> {
        self.child_if(parent, |node| node.field.is_named_as(field))
    }

    /// As [`Tree::child`], by the name in a table.
    #[inline]
    pub(crate) fn child_called(&self, parent: Option<usize>, name: &Name) -> Option<&Node> {
        self.child_if(parent, |node| name.is_of(node.field))
    }

    /// As [`Tree::child`], by a name that a user or a file has given.
    pub fn child_named(&self, parent: Option<usize>, name: &str) -> Option<&Node> {
        self.child_if(parent, |node| node.field.name == name)
    }

    #[inline(always)]
    fn child_if(&self, parent: Option<usize>, is_it: impl Fn(&Node) -> bool) -> Option<&Node> {
        let (mut at, end) = match parent {
            Some(p) => (p + 1, self.nodes.get(p)?.end as usize),
            None => (0, self.nodes.len()),
        };
        let below = self.nodes.get(..end)?;
        while let Some(node) = below.get(at) {
            if is_it(node) {
                return Some(node);
            }
            // A node not closed yet has no end, so only the node itself is skipped.
            at = (node.end as usize).max(at + 1);
        }
        None
    }

    /// Returns the number in the top-level node of a field of that name.
    #[inline]
    pub fn number(&self, field: &Field) -> Option<u64> {
        self.find(field)?.number()
    }

    /// Returns a node's name: the table's, or one read from the traffic.
    #[inline]
    pub fn name<'a>(&self, node: &Node, sources: Sources<'a>) -> &'a str {
        match node.key {
            0 => node.field.name,
            k => {
                let NamePlace { source, start, len } = self.keys.get(k as usize - 1).copied().unwrap_or_default();
                let range = start as usize..start as usize + len as usize;
                sources.get(source).get(range).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("")
            }
        }
    }

    /// Returns the place of a name that was read from the traffic.
    pub(crate) fn name_place(&self, node: &Node) -> Option<NamePlace> {
        self.keys.get((node.key as usize).checked_sub(1)?).copied()
    }

    /// Whether the node's name was read from the traffic. It may then contain any character.
    #[inline]
    pub fn name_from_traffic(&self, node: &Node) -> bool {
        node.key != 0
    }

    /// Sets the source that new nodes refer to.
    pub fn set_source(&mut self, source: u8) {
        self.source = source;
    }

    /// Appends a leaf.
    #[inline]
    pub fn push(&mut self, field: &'static Field, value: Value, bit: u32, bits: u32) -> usize {
        let index = self.nodes.len();
        let mut flags = 0;
        if field.flags & (flag::HIDDEN | flag::DERIVED) != 0 {
            flags = if field.is(flag::HIDDEN) { HIDDEN } else { 0 };
            if field.is(flag::DERIVED) {
                flags |= DERIVED;
                self.has_derived = true;
            }
        }
        self.nodes.push(Node { field, value, bit, bits, end: index as u32 + 1, key: 0, source: self.source, flags });
        index
    }

    /// Appends a leaf whose value is in another source. Its own bits are in the current one.
    pub(crate) fn push_from(&mut self, source: u8, field: &'static Field, value: Value, bit: u32, bits: u32) -> usize {
        let here = std::mem::replace(&mut self.source, source);
        let index = self.push(field, value, bit, bits);
        self.source = here;
        index
    }

    /// The source that new nodes refer to.
    pub(crate) fn current_source(&self) -> u8 {
        self.source
    }

    /// Appends the nodes `range` of another tree, without names of their own. Returns the index of the first.
    #[inline]
    pub(crate) fn append(&mut self, other: &Tree, range: std::ops::Range<usize>) -> usize {
        let (start, by) = (self.nodes.len(), (self.nodes.len() as u32).wrapping_sub(range.start as u32));
        self.nodes.extend_from_slice(other.nodes.get(range).unwrap_or_default());
        for node in self.nodes.iter_mut().skip(start) {
            node.end = node.end.wrapping_add(by);
        }
        self.has_derived |= other.has_derived && self.nodes.iter().skip(start).any(Node::derived);
        start
    }

    /// Returns the nodes from `start` on.
    pub(crate) fn nodes_mut(&mut self, start: usize) -> &mut [Node] {
        self.nodes.get_mut(start..).unwrap_or_default()
    }

    /// Gives the latest leaf a name that was read from the traffic.
    pub(crate) fn name_latest(&mut self, name: NamePlace) {
        self.keys.push(name);
        self.nodes.last_mut().into_iter().for_each(|node| node.key = self.keys.len() as u32);
    }

    /// Opens a group or list, which [`Tree::close`] closes.
    #[inline]
    pub fn open(&mut self, field: &'static Field, value: Value, bit: u32) -> usize {
        self.push(field, value, bit, 0)
    }

    /// Closes a group or list. Everything appended since it was opened belongs to it.
    #[inline]
    pub fn close(&mut self, index: usize, end_bit: u32) {
        let end = self.nodes.len() as u32;
        if let Some(node) = self.nodes.get_mut(index) {
            node.end = end;
            node.bits = end_bit.saturating_sub(node.bit);
        }
    }

    /// Extends a node's range to its key and length, if only its value was read.
    pub(super) fn cover(&mut self, index: usize, start: u32, end: u32) {
        if let Some(node) = self.nodes.get_mut(index) {
            (node.bit, node.bits) = (start, end.saturating_sub(start));
        }
    }

    /// Drops the nodes from `index` on.
    pub fn truncate(&mut self, index: usize) {
        let keyed = self.nodes.get(index..).unwrap_or_default().iter().find(|node| node.key != 0);
        if let Some(first) = keyed {
            self.keys.truncate(first.key as usize - 1);
        }
        self.nodes.truncate(index);
    }

    /// Shows a hidden node.
    pub fn reveal(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.flags &= !HIDDEN;
        }
    }

    /// Shows the newest node of a field of that name, because encoding would write another form.
    pub(crate) fn reveal_named(&mut self, name: &Name) {
        let found = self.nodes.iter().rposition(|node| node.field.name == name.last());
        found.into_iter().for_each(|node| self.reveal(node));
    }

    /// Shows the newest node of this field that begins in a range of bits.
    pub(super) fn reveal_field(&mut self, field: &'static Field, bits: std::ops::RangeInclusive<u32>) {
        let found = self.nodes.iter().rposition(|node| std::ptr::eq(node.field, field) && bits.contains(&node.bit));
        found.into_iter().for_each(|node| self.reveal(node));
    }

    /// Shows all nodes of hidden fields from `index` on.
    pub(super) fn reveal_from(&mut self, index: usize) {
        let nodes = self.nodes.iter_mut().skip(index);
        nodes.filter(|node| node.field.is(flag::HIDDEN)).for_each(|node| node.flags &= !HIDDEN);
    }

    /// Hides a node.
    pub fn hide(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.flags |= HIDDEN;
        }
    }

    /// Returns the path of a fault: `riptide.reliable`, and the names of the open groups.
    pub(super) fn path(&self, proto: &str, message: &str, last: &str) -> String {
        let mut path = format!("{proto}.{message}");
        for (k, open) in self.open.iter().enumerate() {
            let node = &self.nodes[*open as usize];
            let in_list = k > 0 && self.nodes[self.open[k - 1] as usize].value == Value::List;
            match in_list {
                true => {
                    let list = self.open[k - 1] as usize;
                    let place = self.elements_before(list, *open as usize);
                    path += &format!("[{place}]");
                }
                false => path += &format!(".{}", node.field.name),
            }
        }
        match self.open.last() {
            Some(list) if self.nodes[*list as usize].value == Value::List => {
                path + &format!("[{}]", self.elements_before(*list as usize, self.nodes.len()))
            }
            _ if last.is_empty() => path,
            _ => path + "." + last,
        }
    }

    /// The number of elements of an open list before the node `end`. An open node's own end is not known yet, so
    /// [`Tree::children`] would yield none.
    fn elements_before(&self, list: usize, end: usize) -> usize {
        let (mut at, mut count) = (list + 1, 0);
        while at < end {
            at = self.nodes.get(at).map_or(end, |node| (node.end as usize).max(at + 1));
            count += 1;
        }
        count
    }
}
