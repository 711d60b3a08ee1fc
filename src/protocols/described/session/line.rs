//! Makes a line of a packet: its trees, and the notes that follow from its fields.

use super::super::join::holds;
use super::super::lines::{Mark, Nameless, Reveal, Split};
use super::super::shown::MEMORY;
use super::super::state::State;
use super::DescribedSession;
use crate::codec::kinds::{COMPUTED, UNKNOWN};
use crate::codec::layout::{Name, flag};
use crate::codec::node::Node;
use crate::codec::reader::TRAILING;
use crate::codec::{Tree, Value};
use crate::dissect::{Dissection, Role};
use crate::plural::Plural;

impl DescribedSession {
    /// The name of a line, and how its trees are filled.
    pub(super) fn line<'t>(
        &self,
        tree: &'t Tree,
        mark: Mark,
        last: bool,
        whole: Option<u8>,
        broken: bool,
    ) -> (&'static str, Split<'t>) {
        let node = mark.node.and_then(|node| tree.nodes().get(node as usize));
        let name = match node {
            Some(node) if std::ptr::eq(node.field, &UNKNOWN) => self.description.nameless.name(Nameless::Unknown),
            Some(node) if node.field.is(flag::MESSAGE) => node.field.name,
            _ => {
                let range = match (mark.node, node) {
                    (Some(k), Some(node)) => k as usize + 1..node.end as usize,
                    _ => 0..tree.nodes().len(),
                };
                let state = State { memory: &self.memory, values: &self.values, from: 0, likely: 0 };
                let known = |name: &Name| state.named(name);
                let part = range.into_iter().any(|k| {
                    let join = tree.nodes().get(k).and_then(|node| self.description.hook(node)?.join.as_ref());
                    join.is_some_and(|join| join.when.as_ref().is_none_or(|when| holds(when, tree, k, &known)))
                });
                self.description.nameless.name(if part { Nameless::Fragment } else { Nameless::Packet })
            }
        };
        let known = node.is_some_and(|node| node.field.is(flag::MESSAGE) && !std::ptr::eq(node.field, &UNKNOWN));
        let reveal = match (broken, known) {
            (true, _) => Reveal::Everything,
            (false, false) => Reveal::Selectors,
            (false, true) => Reveal::Nothing,
        };
        (name, Split { tree, mark, last, whole, own: 0, reveal })
    }

    /// Shows hidden presence bits that encoding would derive differently.
    pub(super) fn derive_presence(&self, tree: &mut Tree, hooked: &[u32]) {
        let hook = |node: &Node| self.description.hook(node).and_then(|hook| hook.presence.as_ref());
        for k in hooked.iter().map(|k| *k as usize) {
            let Some(node) = tree.nodes().get(k).filter(|node| node.hidden()) else { continue };
            if hook(node).zip(node.number()).is_some_and(|(presence, number)| presence.differs(number)) {
                tree.reveal(k);
            }
        }
    }

    /// Adds notes on anomalies that the fields show. `odd`: a field of the packet shows one.
    pub(super) fn notes(&self, odd: bool, dissection: &mut Dissection) {
        let unknown = self.description.nameless.named(dissection.message) == Some(Nameless::Unknown);
        if !odd && !unknown {
            return;
        }
        let codes = self.description.codes;
        let Dissection { tree, packet, notes, .. } = dissection;
        if unknown {
            match tree.child_named(None, "id").and_then(Node::number) {
                Some(id) => notes.note(codes.unknown_id, format_args!("no message has the number {id}")),
                None => notes.note(codes.unknown_id, format_args!("no message has this id")),
            }
        }
        for node in packet.nodes().iter().chain(tree.nodes()) {
            if std::ptr::eq(node.field, &COMPUTED) {
                let computed = node.number().unwrap_or(0);
                notes.warn(codes.checksum, format_args!("checksum mismatch: the sum of these bytes is {computed:#x}"));
            } else if node.field.hook == u16::MAX || std::ptr::eq(node.field, &TRAILING) {
                let bytes = Plural(node.bits.div_ceil(8), "byte");
                notes.note(codes.trailing, format_args!("{bytes} after the last described field"));
            }
        }
    }

    /// Shows the remembered values that this reading used.
    pub(super) fn remembered(&self, used: u64, dissection: &mut Dissection) {
        if used == 0 {
            return;
        }
        let own = if dissection.from == Role::Server { 1 } else { 0 };
        let group = dissection.derived.open(&MEMORY, Value::Group, 0);
        for (k, field) in self.description.memory_fields.iter().enumerate() {
            if used >> k & 1 == 1
                && let Some(value) = self.memory.get(k).and_then(|sides| sides.get(own))
            {
                dissection.derived.push(field, Value::UInt(*value), 0, 0);
            }
        }
        dissection.derived.close(group, 0);
    }
}
