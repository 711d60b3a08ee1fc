//! Joined messages, as `derived.joined` shows them.

use super::super::join::Whole;
use super::super::lines::{self, Mark, Nameless, Reveal, Split};
use super::super::reader::{Known, Work, read};
use super::super::shown::{
    FRAME, FRAMES, JOINED, JOINED_BULK, JOINED_BYTES, JOINED_FIELDS, JOINED_LENGTH, JOINED_NAME, JOINED_PACKET,
};
use super::super::state::{State, sender};
use super::DescribedSession;
use crate::codec::Value;
use crate::codec::kinds::UNKNOWN;
use crate::codec::layout::{Name, flag};
use crate::codec::node::Node;
use crate::codec::schema::compile::Join;
use crate::dissect::{Arrival, Dissection, Provenance};

/// The first words of the note on a joined message that does not fit.
pub const WHOLE_DOES_NOT_FIT: &str = "the whole of these parts does not fit";

impl DescribedSession {
    /// Shows the joined messages that a line's parts complete.
    pub(super) fn joined(&mut self, mark: Mark, work: &mut Work, place: &Provenance<'_>, dissection: &mut Dissection) {
        if !self.description.joins() {
            return;
        }
        let nodes = work.tree.nodes();
        let range = match mark.node {
            Some(node) => node as usize..nodes.get(node as usize).map_or(0, |n| n.end as usize),
            None => 0..nodes.len(),
        };
        let hooked = work.found.hooked_in(&range);
        if hooked.is_empty() {
            return;
        }
        let tree = std::mem::take(&mut work.tree);
        let here = Arrival { target: dissection.target(place), time: place.time.near_nanos() };
        for at in hooked {
            let Some(k) = work.found.hooked.get(at).map(|k| *k as usize) else { break };
            let Some(node) = tree.nodes().get(k) else { break };
            let Some(join) = self.description.hook(node).and_then(|hook| hook.join) else { continue };
            let Some((source, buffer)) = work.source() else { break };
            let mut whole = Whole { bytes: std::mem::take(buffer), from: std::mem::take(&mut work.from) };
            whole.from.clear();
            let sources = crate::codec::Sources { main: place.bytes, more: &work.sources };
            // A name without a side refers to the client's value.
            let state = State { memory: &self.memory, values: &self.values, from: 0, likely: 0 };
            let known = |name: &Name| state.named(name);
            let arrived = node.bytes(sources).and_then(|bytes| join.arrived(&tree, k, bytes, here, &known));
            let done = arrived.is_some_and(|arrived| self.parts[place.side.index()].take(join, arrived, &mut whole));
            let Whole { bytes, from: parts } = whole;
            if let Some(buffer) = work.sources.get_mut(source as usize - 1) {
                *buffer = bytes;
            }
            match done {
                true => {
                    dissection.related.joined_from(&parts, here);
                    self.whole(join, source, &parts, work, place, dissection);
                }
                false => work.used -= 1,
            }
            work.from = parts;
        }
        work.tree = tree;
    }

    /// Shows a joined message: its frames, its length, its content.
    fn whole(
        &self,
        join: &Join,
        source: u8,
        parts: &[Arrival],
        work: &mut Work,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        let length = work.sources.get(source as usize - 1).map_or(0, Vec::len);
        let fields = match join.whole.get() {
            Some(fields) => Some(*fields),
            None if join.is_packet => Some(self.description.packet),
            None => None,
        };
        let mut tree = std::mem::take(&mut work.whole);
        let mut fault = None;
        if let Some(fields) = fields {
            let from = sender(self.role(place.side));
            let bytes = work.sources.get_mut(source as usize - 1).map(std::mem::take).unwrap_or_default();
            let state = State { memory: &self.memory, values: &self.values, from, likely: from };
            let mut known = Known::new(self.description, state, &mut work.sources, &mut work.used);
            fault = read(fields, &bytes, bytes.len(), source, &mut known, &mut tree);
            if let Some(place) = work.sources.get_mut(source as usize - 1) {
                *place = bytes;
            }
        }
        let derived = &mut dissection.derived;
        let group = derived.open(&JOINED, Value::Group, 0);
        let list = derived.open(&FRAMES, Value::List, 0);
        let mut before = None;
        for Arrival { target, .. } in parts {
            if before.replace(target.frame) != Some(target.frame) {
                derived.push(&FRAME, Value::UInt(target.frame), 0, 0);
            }
        }
        derived.close(list, 0);
        derived.push(&JOINED_LENGTH, Value::UInt(length as u64), 0, 0);
        let value = Value::Bytes { bit: 0, bits: length as u32 * 8 };
        if fields.is_none() || fault.is_some() {
            derived.push_from(source, &JOINED_BYTES, value, 0, length as u32 * 8);
            derived.close(group, 0);
            work.whole = tree;
            if let Some(fault) = fault
                && dissection.fault.is_none()
            {
                let text = format_args!("{WHOLE_DOES_NOT_FIT}: {fault}");
                dissection.notes.warn(self.description.codes.trailing, text);
            }
            return;
        }
        let mut found = std::mem::take(&mut work.whole_found);
        lines::find(&tree, &mut found);
        // Further messages in the joined bytes are shown only as bytes.
        if let Some(mark) = found.lines.first() {
            let (mut packet, mut fields) =
                (std::mem::take(&mut work.whole_packet), std::mem::take(&mut work.whole_fields));
            packet.clear();
            fields.clear();
            let mark = Mark { start: 0, ..*mark };
            let last = found.lines.len() == 1;
            let node = mark.node.and_then(|node| tree.nodes().get(node as usize));
            let name = match node.filter(|n| n.field.is(flag::MESSAGE)) {
                Some(node) if std::ptr::eq(node.field, &UNKNOWN) => self.description.nameless.name(Nameless::Unknown),
                Some(node) => node.field.name,
                None => self.description.nameless.name(Nameless::Packet),
            };
            let split = Split { tree: &tree, mark, last, whole: None, own: source, reveal: Reveal::Nothing };
            split.fill(&mut packet, &mut fields);
            let derived = &mut dissection.derived;
            if let Some((text, buffer)) = work.source() {
                buffer.extend_from_slice(name.as_bytes());
                derived.push_from(text, &JOINED_NAME, Value::Text { bit: 0, bits: name.len() as u32 * 8 }, 0, 0);
            }
            for (field, tree) in [(&JOINED_PACKET, &packet), (&JOINED_FIELDS, &fields)] {
                if tree.nodes().iter().all(Node::hidden) && std::ptr::eq(field, &JOINED_PACKET) {
                    continue;
                }
                let inner = derived.open(field, Value::Group, 0);
                derived.append(tree, 0..tree.nodes().len());
                derived.close(inner, 0);
            }
            (work.whole_packet, work.whole_fields) = (packet, fields);
        }
        work.whole_found = found;
        let derived = &mut dissection.derived;
        derived.push_from(source, &JOINED_BULK, value, 0, length as u32 * 8);
        derived.close(group, 0);
        work.whole = tree;
    }
}
