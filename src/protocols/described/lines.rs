//! Splits one packet's fields into lines: one for each innermost message, with the fields of the headers around it.

use crate::codec::kinds::{By, UNKNOWN};
use crate::codec::layout::{Field, Kind, Len, Name, bytes, flag};
use crate::codec::node::Node;
use crate::codec::reader::{TRAILING, UNPARSED};
use crate::codec::schema::compile::statics;
use crate::codec::schema::known::Carried;
use crate::codec::schema::named::leak;
use crate::codec::{Tree, Value};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The cap on lines of one packet.
const MOST: usize = 65_536;

/// One line, by the node whose fields it has.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The group of the message, or of the element without one; `None`: the packet itself.
    pub node: Option<u32>,
    /// Its first byte.
    pub start: u32,
    /// The outermost list element that contains it.
    pub element: u32,
}

/// The findings of a pass over a packet's nodes.
#[derive(Debug, Default)]
pub struct Found {
    /// The lines.
    pub lines: Vec<Mark>,
    /// The nodes at which a session acts.
    pub hooked: Vec<u32>,
    /// A node marks an anomaly.
    pub odd: bool,
}

impl Found {
    /// The range of hooked nodes within a line's nodes.
    pub fn hooked_in(&self, range: &Range<usize>) -> Range<usize> {
        let before = |at: usize| self.hooked.partition_point(|k| (*k as usize) < at);
        before(range.start)..before(range.end)
    }
}

messages! {
    /// The kinds of lines without a message of the file.
    pub enum Nameless {
        Packet = "packet",
        Unknown = "unknown",
        Fragment = "fragment",
    }
}

/// The names of these lines. Where a message of the file has the same name, they include the protocol's.
#[derive(Clone, Copy, Debug)]
pub struct Names([&'static str; 3]);

impl Names {
    /// The names for a protocol with these messages.
    pub fn of(protocol: &str, carried: &[Carried]) -> Names {
        let taken = |name: &str| carried.iter().flat_map(|(_, list)| list.iter()).any(|c| c.field.name == name);
        Names([Nameless::Packet, Nameless::Unknown, Nameless::Fragment].map(|line| match taken(line.name()) {
            true => leak(&format!("{protocol}.{}", line.name())),
            false => line.name(),
        }))
    }

    /// The name of such a line.
    pub fn name(&self, line: Nameless) -> &'static str {
        self.0[line as usize]
    }

    /// The line of that name.
    pub fn named(&self, name: &str) -> Option<Nameless> {
        Nameless::ALL.iter().copied().find(|line| self.name(*line) == name)
    }
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

/// The fields of all headers around messages.
pub fn headers(packet: &'static [Field], carried: &[Carried]) -> &'static [Field] {
    let mut all: Vec<Field> = Vec::new();
    let mut seen = FxHashSet::default();
    outer(packet, &mut all, &mut seen);
    for choice in carried.iter().flat_map(|(_, list)| list.iter()).filter(|choice| choice.carries()) {
        outer(choice.layout.fields, &mut all, &mut seen);
    }
    statics(all)
}

/// The fields of one header.
pub fn header(fields: &'static [Field]) -> Vec<Field> {
    let mut all = Vec::new();
    outer(fields, &mut all, &mut FxHashSet::default());
    all
}

fn outer(fields: &'static [Field], all: &mut Vec<Field>, seen: &mut FxHashSet<*const Field>) {
    for field in fields {
        if !seen.insert(std::ptr::from_ref(field)) {
            continue;
        }
        match &field.kind {
            kind if field.is_inline() => outer(kind.fields(), all, seen),
            Kind::Struct(inner) if field.is(flag::CARRIES) => outer(inner, all, seen),
            Kind::Array { of, .. } if field.is(flag::CARRIES) => outer(std::slice::from_ref(*of), all, seen),
            // The number directly before a message is shown if the message's name does not imply it.
            Kind::Chosen(chosen) => {
                if let By::Word(number) = chosen.by {
                    all.push(number.clone());
                }
            }
            _ => all.push(field.clone()),
        }
    }
}

/// Finds the innermost messages, the elements without a message, and the hooked nodes.
pub fn find(tree: &Tree, found: &mut Found) {
    let Found { lines, hooked, odd } = found;
    lines.clear();
    hooked.clear();
    *odd = false;
    let nodes = tree.nodes();
    // The first byte of the next line: that of the first element after the last line.
    let mut next: Option<u32> = None;
    // The outermost element, and the node after it.
    let mut outermost = (0, 0);
    let mut full = false;
    for (k, node) in nodes.iter().enumerate() {
        match node.field.hook {
            0 => {}
            u16::MAX => *odd = true,
            _ => hooked.push(k as u32),
        }
        if !node.field.is(flag::MESSAGE | flag::ELEMENT) || node.value != Value::Group {
            continue;
        }
        let element = node.field.is(flag::ELEMENT);
        if element && k as u32 >= outermost.1 {
            outermost = (k as u32, node.end);
        }
        if full {
            continue;
        }
        if element && lines.last().is_none_or(|last| is_after(nodes, last, k)) {
            next.get_or_insert(node.bit / 8);
        }
        let mut start = None;
        while let Some(last) = lines.last()
            && !is_after(nodes, last, k)
        {
            // It carries this one.
            start = Some(last.start);
            lines.pop();
        }
        if lines.len() >= MOST {
            full = true;
            continue;
        }
        let start = if lines.is_empty() { 0 } else { start.or(next.take()).unwrap_or(node.bit / 8) };
        next = None;
        let element = if (k as u32) < outermost.1 { outermost.0 } else { k as u32 };
        lines.push(Mark { node: Some(k as u32), start, element });
    }
    if lines.is_empty() {
        lines.push(Mark { node: None, start: 0, element: 0 });
    }
}

/// Whether node `k` is after a line.
fn is_after(nodes: &[Node], line: &Mark, k: usize) -> bool {
    line.node.and_then(|node| nodes.get(node as usize)).is_none_or(|node| node.end as usize <= k)
}

/// Distributes a line's nodes to its trees, and moves their places.
pub struct Split<'a> {
    pub tree: &'a Tree,
    /// The line's message.
    pub mark: Mark,
    /// Whether it is the last line.
    pub last: bool,
    /// The source with the packet's bytes, if the line has only a part of them.
    pub whole: Option<u8>,
    /// The source of the packet's own bytes.
    pub own: u8,
    /// Hidden numbers are shown if no message is known, or if the packet is broken.
    pub reveal: Reveal,
}

/// The hidden fields that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// None.
    Nothing,
    /// The fields by which a message is found.
    Selectors,
    /// All.
    Everything,
}

/// Moves a node's ranges by this many bits.
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
    /// Appends the line's own fields.
    fn inside(&self, to: &mut Tree, range: Range<usize>) {
        let start = to.append(self.tree, range);
        if self.mark.start == 0 && self.reveal == Reveal::Nothing {
            return;
        }
        for node in to.nodes_mut(start) {
            if node.source == self.own {
                shift(node, self.mark.start * 8);
            }
            self.reveal(node);
        }
    }

    /// Appends fields of the headers.
    fn around(&self, to: &mut Tree, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let start = to.append(self.tree, range);
        if self.whole.is_none() && self.reveal == Reveal::Nothing {
            return;
        }
        for node in to.nodes_mut(start) {
            if let Some(whole) = self.whole
                && node.source == self.own
            {
                node.source = whole;
            }
            self.reveal(node);
        }
    }

    fn reveal(&self, node: &mut Node) {
        match self.reveal {
            // The count of a list is shown if the list broke off.
            Reveal::Everything if node.field.is(flag::HIDDEN) => node.show(),
            Reveal::Selectors if node.field.is(flag::SELECTS) => node.show(),
            _ => {}
        }
    }

    /// Fills a line's trees: the headers around its message, and its fields.
    pub fn fill(&self, packet: &mut Tree, fields: &mut Tree) {
        let nodes = self.tree.nodes();
        let Some(target) = self.mark.node.map(|node| node as usize) else { return self.inside(fields, 0..nodes.len()) };
        // The usual case: single values, then the message up to the end.
        let last = nodes.get(target).is_some_and(|node| node.end as usize == nodes.len());
        if last && nodes.iter().take(target).all(|node| !node.nests()) {
            self.around(packet, 0..target);
            return self.inside(fields, target + 1..nodes.len());
        }
        // The headers' fields from `from` up to `at` are appended together.
        let (mut from, mut at) = (0, 0);
        // The number of lists around the line, and the end of the outermost one.
        let (mut lists, mut list_end) = (0, 0);
        while let Some(node) = nodes.get(at) {
            let end = (node.end as usize).max(at + 1);
            let mut next = end;
            if at == target {
                self.around(packet, from..at);
                self.inside(fields, at + 1..end);
            } else if at < target && target < end {
                self.around(packet, from..at);
                // Other elements of a list are other lines.
                next = at + 1;
                if node.value == Value::List {
                    let element = self.mark.element as usize;
                    if lists == 0 && (next..end).contains(&element) {
                        (next, list_end) = (element, end);
                    }
                    lists += 1;
                }
            } else if std::ptr::eq(node.field, &UNPARSED) || std::ptr::eq(node.field, &TRAILING) && at > target {
                self.around(packet, from..at);
                if self.last {
                    let to = if std::ptr::eq(node.field, &UNPARSED) { &mut *fields } else { &mut *packet };
                    self.inside(to, at..end);
                }
            } else if node.field.is(flag::CARRIES) && node.nests() || node.field.is(flag::MESSAGE | flag::ELEMENT) {
                self.around(packet, from..at);
                if lists == 1 && at > target && node.field.is(flag::ELEMENT) {
                    next = next.max(list_end);
                }
            } else {
                at = end;
                continue;
            }
            (from, at) = (next, next);
        }
        self.around(packet, from..at);
    }
}

/// The nearest field with that name that a condition at node `k` can refer to: earlier siblings, then those of the
/// groups around it. `a.b` is a field of an earlier group.
pub fn visible<'t>(tree: &'t Tree, k: usize, name: &Name) -> Option<&'t Node> {
    let nodes = tree.nodes();
    let (mut at, mut found) = (0, None);
    while at < k
        && let Some(node) = nodes.get(at)
    {
        if !name.has_group() && name.is_of(node.field) {
            found = Some(node);
        } else if name.has_group() && name.is_in(Some(node.field.key)) {
            let mut children = tree.children(Some(at));
            found = children.find_map(|c| nodes.get(c).filter(|n| name.is_of(n.field))).or(found);
        }
        let end = (node.end as usize).max(at + 1);
        at = if end > k { at + 1 } else { end };
    }
    found
}
