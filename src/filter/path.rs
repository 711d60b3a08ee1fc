//! Field paths: the steps of a name, and the nodes to which they lead.

use crate::codec::layout::{Field, Len, bytes as bytes_of, flag, uint};
use crate::codec::{Node, Sources, Tree, Value, bits, digits};
use crate::dissect::{Message, Wants};
use std::borrow::Cow;

/// A field path.
#[derive(Debug)]
pub struct Path {
    /// Only in this protocol.
    pub proto: Option<&'static str>,
    /// Only in this message. Of [`Part::Packet`]: also in this message, which is a packet without an inner one.
    pub message: Option<&'static str>,
    /// Restricted by the prefix `fields.`, `derived.` or `packet.`; else any of these.
    pub part: Part,
    /// The steps.
    pub steps: Vec<PathStep>,
}

/// A part of a message's line. `fields` and `packet` are what was on the wire, and `derived` is what is known from
/// other messages, in all of the message's trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Either,
    Fields,
    Derived,
    Packet,
}

impl Part {
    /// Whether a node is in this part. `derived`: the node is derived, or inside of a derived one.
    pub fn has(self, tree: &Tree, k: usize, derived: bool) -> bool {
        match self {
            Part::Either => true,
            Part::Fields | Part::Packet => !derived,
            Part::Derived => derived || holds_derived(tree, k),
        }
    }
}

/// Whether a group or list contains a derived value.
pub fn holds_derived(tree: &Tree, k: usize) -> bool {
    tree.has_derived() && tree.below(Some(k)).any(|inner| tree.nodes().get(inner).is_some_and(Node::derived))
}

/// One of a message's trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its fields.
    Own,
    /// The derived values in their own tree.
    Derived,
    /// The headers around it.
    Packet,
}

impl Place {
    /// The tree.
    pub fn of<'a>(self, message: &Message<'a>) -> &'a Tree {
        match self {
            Place::Own => &message.dissection.tree,
            Place::Derived => &message.dissection.derived,
            Place::Packet => &message.dissection.packet,
        }
    }
}

#[derive(Debug)]
pub struct PathStep {
    pub name: String,
    /// `[2]` or `[2..4]`: only these elements of a list, or these bytes.
    pub index: Option<Index>,
}

/// A selection of elements or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// `[2]`.
    One(usize),
    /// `[2..4]`, `[..4]` or `[2..]`, without the end.
    Range(usize, Option<usize>),
}

impl Index {
    /// Parses the text between the brackets; `None` if it is not an index.
    pub fn parse(text: &str) -> Option<Index> {
        let number = |text: &str| digits::unsigned(text);
        let Some((from, to)) = text.split_once("..") else { return number(text).map(Index::One) };
        let from = if from.is_empty() { 0 } else { number(from)? };
        let to = if to.is_empty() { None } else { Some(number(to)?) };
        to.is_none_or(|to| from < to).then_some(Index::Range(from, to))
    }

    /// The selected bytes as a field: a single one is a number.
    pub fn field(self) -> Field {
        match self {
            Index::One(_) => uint("", 8),
            Index::Range(from, Some(to)) => bytes_of("", Len::Const((to - from) as u32)),
            Index::Range(_, None) => bytes_of("", Len::Rest),
        }
    }

    /// Whether it selects this element.
    fn contains(self, at: usize) -> bool {
        match self {
            Index::One(one) => one == at,
            Index::Range(from, to) => from <= at && to.is_none_or(|to| at < to),
        }
    }

    /// The selected bytes; `None` if there are fewer.
    fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        match self {
            Index::One(at) => bytes.get(at..=at),
            Index::Range(from, to) => bytes.get(from..to.unwrap_or(bytes.len())),
        }
    }
}

/// The index of a vector's component in its list.
pub fn component(name: &str) -> Option<usize> {
    ["x", "y", "z", "w"].iter().position(|component| *component == name)
}

impl Path {
    /// The names of the steps.
    pub fn names(&self) -> Vec<&str> {
        self.steps.iter().map(|step| step.name.as_str()).collect()
    }

    /// The parts of messages that it reads.
    pub fn reads(&self) -> Wants {
        match self.part {
            Part::Either | Part::Derived => Wants::DERIVED,
            Part::Fields | Part::Packet => Wants::FIELDS,
        }
    }

    /// Whether the node `k`, to which the path leads, is an element of a list or inside of one: then there may be
    /// several matches.
    pub fn repeats(&self, tree: &Tree, k: usize) -> bool {
        let around = tree.nodes().iter().take(k).enumerate();
        let lists = around.filter(|(at, n)| n.value == Value::List && *at < k && k < n.end as usize).count();
        let one = self.steps.iter().filter(|step| matches!(step.index, Some(Index::One(_)))).count();
        // `position.x` is one element of a vector.
        let last = self.steps.last().is_some_and(|step| step.index.is_none() && component(&step.name).is_some());
        let bare = tree.nodes().get(k).is_some_and(|node| node.field.name != self.steps.last().map_or("", |s| &s.name));
        lists > one + (last && bare) as usize
    }

    /// The bytes of a node's value that the path selects, if it does not select the whole value.
    pub fn some<'a>(&self, node: &Node, sources: Sources<'a>) -> Option<Picked<'a>> {
        let last = self.steps.last()?;
        // An element of a list has no name of its own: the index has selected it.
        let index = last.index.filter(|_| node.field.name == last.name)?;
        let bytes = bytes(node, sources, index)?;
        Some(match index {
            Index::One(_) => Picked::Byte(*bytes.first()?),
            Index::Range(..) => Picked::Bytes(bytes),
        })
    }

    /// Returns the trees to which it may lead in the messages of this name.
    pub fn places(&self, proto: &str, message: &str) -> &'static [Place] {
        let this = self.message.is_none_or(|m| m == message);
        match self.part {
            _ if self.proto.is_some_and(|p| p != proto) => &[],
            Part::Packet if self.message.is_some() && this => &[Place::Packet, Place::Own],
            Part::Packet => &[Place::Packet],
            _ if !this => &[],
            Part::Either | Part::Derived => &[Place::Packet, Place::Own, Place::Derived],
            Part::Fields => &[Place::Own],
        }
    }

    /// Calls `each` with every node to which the path leads, and its tree, until `each` returns true. A list at the end
    /// of the path is one node; before the end, each of its elements is searched.
    pub fn each(&self, message: &Message<'_>, each: &mut dyn FnMut(Place, usize) -> bool) {
        let dissection = message.dissection;
        let sources = message.sources();
        for place in self.places(dissection.proto, dissection.message) {
            let tree = place.of(message);
            // All of the last tree is derived.
            let around = *place == Place::Derived;
            let each = &mut |k, derived| self.part.has(tree, k, derived) && each(*place, k);
            if !tree.is_empty() && (Walk { tree, sources }).steps(None, around, &self.steps, each) {
                return;
            }
        }
    }
}

/// Follows a path in a tree. `around` of its methods: what is there is inside of a derived value.
#[derive(Clone, Copy)]
struct Walk<'a> {
    tree: &'a Tree,
    sources: Sources<'a>,
}

/// Takes a node, and whether it is derived or inside of a derived value; returns whether that was enough.
type Each<'f> = &'f mut dyn FnMut(usize, bool) -> bool;

impl Walk<'_> {
    fn steps(self, parent: Option<usize>, around: bool, path: &[PathStep], each: Each<'_>) -> bool {
        let Some((step, rest)) = path.split_first() else { return false };
        let mut children = self.tree.children(parent);
        children.any(|k| {
            let named = self.tree.nodes().get(k).is_some_and(|node| {
                // A payload's content has the same name in every tree.
                let content = flag::OPENED | flag::PAYLOADS;
                let opened = node.field.is(content) && parent.is_none() && !rest.is_empty() && step.name == "payload";
                !node.hidden() && (opened || self.tree.name(node, self.sources) == step.name)
            });
            named && self.inside(k, around, step.index, rest, each)
        })
    }

    fn inside(self, k: usize, around: bool, index: Option<Index>, rest: &[PathStep], each: Each<'_>) -> bool {
        let Walk { tree, sources } = self;
        let Some(node) = tree.nodes().get(k) else { return false };
        let around = around || node.derived();
        let list = node.value == Value::List;
        if !list && index.is_some_and(|index| bytes(node, sources, index).is_none()) {
            return false;
        }
        if !list || index.is_none() && rest.is_empty() {
            return if rest.is_empty() { each(k, around) } else { self.steps(Some(k), around, rest, each) };
        }
        // The last name may be a component of a vector.
        let wanted = if let [PathStep { name, index: None }] = rest { component(name) } else { None };
        let mut elements =
            tree.children(Some(k)).enumerate().filter(|(at, _)| index.is_none_or(|index| index.contains(*at)));
        elements.any(|(at, element)| {
            let leaf = tree.nodes().get(element).is_some_and(|n| !n.nests());
            match wanted.filter(|_| leaf) {
                Some(component) => component == at && each(element, around),
                None => self.inside(element, around, None, rest, each),
            }
        })
    }
}

/// The bytes that an index selects.
#[derive(Debug)]
pub enum Picked<'a> {
    /// One byte, which is a number.
    Byte(u8),
    /// Several bytes.
    Bytes(Cow<'a, [u8]>),
}

/// The selected bytes of a value; `None` if it has fewer, or is not bytes.
fn bytes<'a>(node: &Node, sources: Sources<'a>, index: Index) -> Option<Cow<'a, [u8]>> {
    let Value::Bytes { bit, bits } = node.value else { return None };
    match bits::bytes(sources.get(node.source), bit, bits) {
        Cow::Borrowed(all) => index.of(all).map(Cow::Borrowed),
        Cow::Owned(all) => index.of(&all).map(|some| Cow::Owned(some.to_vec())),
    }
}
