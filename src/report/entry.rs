//! One message as the page stores it: its line, its tree and its bytes.

use crate::capture::Time;
use crate::codec::json::fields::after_node;
use crate::codec::json::line::Stage;
use crate::codec::json::text::string;
use crate::codec::{Level, Node, Sources, Tree, Value};
use crate::dissect::{Message, Relation, RelationKind, Role, Target};
use crate::plural::Plural;
use crate::render::json::type_word;
use crate::render::leaf;
use crate::render::line_writer::LineWriter;
use std::sync::Arc;

/// The most columns of a value, a name or a note's text.
const COLUMNS: usize = 240;
/// The most fields of a message.
const FIELDS: usize = 2_000;
/// The most bytes of a message, and of each further source of its fields.
const BYTES: usize = 4_096;
/// The most further sources: reassembled, unmasked or inflated bytes.
const SOURCES: usize = 4;
/// The most notes of a message.
const NOTES: usize = 64;
/// The most relations to earlier messages.
const RELATIONS: usize = 256;

/// One message.
#[derive(Debug)]
pub struct Entry {
    /// Its number in the capture, from 1.
    pub order: u64,
    /// Its number in its conversation, counted from the first message that is held.
    pub nth: u64,
    /// Its frame, and its number in that frame.
    pub own: Target,
    /// The number of frames that carry it.
    pub frames: usize,
    /// Its time.
    pub time: Time,
    /// Its conversation.
    pub flow: u64,
    /// The index of its protocol, version and message in the list of kinds.
    pub kind: usize,
    /// The sender's role; if that is `unknown`, `side` distinguishes the senders.
    pub from: Role,
    /// The sender: 0 or 1.
    pub side: usize,
    /// Its length on the wire.
    pub length: usize,
    /// The number of its bytes that were captured.
    pub captured: usize,
    /// The highest level of its notes; a fault is an error.
    pub worst: Option<Level>,
    /// The code of its first warning, or `fault`; empty if it has neither.
    pub mark: &'static str,
    /// Whether it is near a message with a warning in the same conversation.
    pub near: bool,
    /// Its fields without their values, a line each, see [`node`]. Messages of the same form share it.
    pub shape: Arc<str>,
    /// The fields' values, a line each.
    pub values: Box<str>,
    /// The bytes of all its sources, concatenated.
    pub bytes: Box<[u8]>,
    /// The number of bytes of each source.
    pub parts: Box<[u32]>,
    /// Its notes, as members of a JSON array.
    pub notes: Box<[u8]>,
    /// Its relations to earlier messages.
    pub related: Box<[Relation]>,
}

impl Entry {
    /// Returns the memory that it takes, without the shared shape.
    pub fn weight(&self) -> usize {
        size_of::<Entry>()
            + self.values.len()
            + self.bytes.len()
            + self.notes.len()
            + self.parts.len() * 4
            + size_of_val(&*self.related)
    }

    /// Returns the id that links to it use.
    pub fn place(&self) -> String {
        match self.own.index {
            0 | 1 => format!("frame-{}", self.own.frame),
            index => format!("frame-{}-{index}", self.own.frame),
        }
    }

    /// Whether it has a warning or a fault.
    pub fn warned(&self) -> bool {
        self.worst >= Some(Level::Warning)
    }

    /// Returns `name=value` of its fields that are not groups, up to `longest`.
    pub fn summary(&self, longest: usize) -> String {
        let mut text = String::new();
        for (field, value) in self.shape.lines().zip(self.values.lines()) {
            let mut parts = field.split('\t');
            let (depth, name, flags) = (parts.next(), parts.next().unwrap_or(""), parts.nth(3));
            let shown = depth == Some("0") && matches!(flags, Some("0" | "2")) && !value.is_empty();
            if !shown {
                continue;
            }
            if text.chars().count() + name.chars().count() + value.chars().count() + 2 > longest {
                text.push_str(" …");
                break;
            }
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(name);
            text.push('=');
            text.push_str(value);
        }
        text
    }

    /// Whether it is a copy of an earlier message.
    pub fn copy(&self) -> bool {
        self.related.iter().any(|one| one.kind == RelationKind::CopyOf)
    }

    /// Returns the messages that it is joined from.
    pub fn joined(&self) -> impl Iterator<Item = Target> {
        self.related.iter().filter(|one| one.kind == RelationKind::JoinedFrom).map(|one| one.target)
    }
}

/// Buffers that are reused to build entries.
#[derive(Debug, Default)]
pub struct Builder {
    shape: Vec<u8>,
    values: Vec<u8>,
    notes: Vec<u8>,
    stage: Stage,
}

/// The texts of a message, built by a [`Builder`].
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// [`Entry::shape`].
    pub shape: &'a str,
    /// [`Entry::values`].
    pub values: &'a str,
    /// [`Entry::notes`].
    pub notes: &'a [u8],
}

impl Builder {
    /// Builds the texts of a message.
    pub fn texts(&mut self, message: &Message<'_>) -> Made<'_> {
        let (dissection, sources) = (message.dissection, message.sources());
        self.shape.clear();
        self.values.clear();
        self.notes.clear();
        let mut left = FIELDS;
        for (tree, derived) in [(&dissection.packet, false), (&dissection.tree, false), (&dissection.derived, true)] {
            self.tree(tree, sources, derived, &mut left);
        }
        self.notes(message);
        // Both are valid UTF-8: a LineWriter wrote them.
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or("");
        Made { shape: text(&self.shape), values: text(&self.values), notes: &self.notes }
    }

    fn tree(&mut self, tree: &Tree, sources: Sources<'_>, derived: bool, left: &mut usize) {
        // The ends of the open groups and lists; for a list also the next element's index.
        let mut open: Vec<(usize, Option<u32>)> = Vec::new();
        let nodes = tree.nodes();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            while open.last().is_some_and(|(end, _)| at >= *end) {
                open.pop();
            }
            if *left == 0 {
                return;
            }
            *left -= 1;
            let end = after_node(node, at).min(open.last().map_or(nodes.len(), |(end, _)| *end)).max(at + 1);
            let numbers = node.value == Value::List && leaf::all_numbers(nodes.get(at + 1..end).unwrap_or_default());
            let element = open.last_mut().and_then(|(_, next)| next.as_mut());
            let index = element.map(|next| std::mem::replace(next, *next + 1));
            let depth = open.len();
            self.name(tree, node, sources, index, depth);
            let flags = u8::from(node.hidden())
                | u8::from(derived || node.derived()) << 1
                | u8::from(node.nests() && !numbers) << 2
                | u8::from(in_the_bytes(node, sources)) << 3;
            self.stage.line(&mut self.shape, |line| {
                line.constant(b"\t");
                type_word(node, line);
                for number in [u64::from(node.bit), u64::from(node.bits), u64::from(flags), u64::from(node.source)] {
                    line.constant(b"\t");
                    line.uint(number);
                }
                line.constant(b"\n");
            });
            let mut line = LineWriter::new(&mut self.values, false);
            match node.value {
                _ if numbers => leaf::inline(&nodes[at + 1..end], sources, &mut line, COLUMNS),
                Value::Group => {}
                _ if in_the_bytes(node, sources) => {}
                Value::List => {
                    let count = tree.children(Some(at)).count();
                    line.int(count);
                    line.put(if count == 1 { " element" } else { " elements" });
                }
                _ => leaf::long(node, sources, &mut line, COLUMNS),
            }
            line.newline();
            if node.nests() && !numbers {
                open.push((end, (node.value == Value::List).then_some(0)));
                at += 1;
            } else {
                at = end;
            }
        }
    }

    /// Writes depth and name; `[2]` in a list.
    fn name(&mut self, tree: &Tree, node: &Node, sources: Sources<'_>, index: Option<u32>, depth: usize) {
        let mut line = LineWriter::new(&mut self.shape, false);
        line.int(depth);
        line.put("\t");
        match index {
            Some(index) => {
                line.put("[");
                line.int(index);
                line.put("]");
            }
            None => line.untrusted_cut(tree.name(node, sources), COLUMNS / 4),
        }
    }

    /// Writes `["warning","tcp.gap","text"],..`; the code of a fault is `fault`.
    fn notes(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        if let Some(fault) = &dissection.fault {
            self.note("error", "fault", &fault.to_string());
        }
        for (note, text) in dissection.notes.iter().take(NOTES) {
            self.note(note.level.name(), note.code, text);
        }
        let lists = [
            (dissection.notes.iter().count(), NOTES, "note"),
            (dissection.related.iter().count(), RELATIONS, "relation"),
        ];
        for (all, most, what) in lists.into_iter().filter(|(all, most, _)| all > most) {
            let left_out = Plural((all - most) as u64, what);
            self.note("note", "report.cut", &format!("{left_out} left out of this page: netkit decode prints them"));
        }
    }

    fn note(&mut self, level: &str, code: &str, text: &str) {
        self.notes.extend_from_slice(if self.notes.is_empty() { b"[\"" } else { b",[\"" });
        for word in [level, code] {
            self.notes.extend_from_slice(word.as_bytes());
            self.notes.extend_from_slice(b"\",\"");
        }
        self.notes.pop();
        let mut shown = Vec::new();
        LineWriter::new(&mut shown, false).untrusted_cut(text, 2 * COLUMNS);
        string(&shown, &mut self.notes);
        self.notes.push(b']');
    }
}

/// Whether the page holds all of these bytes anyway. Then the script formats them, and they are not stored twice.
fn in_the_bytes(node: &Node, sources: Sources<'_>) -> bool {
    let Value::Bytes { bit, bits } = node.value else { return false };
    let (bit, bits) = (bit as usize, bits as usize);
    let shown = sources.get(node.source).len().min(BYTES);
    let whole = bit % 8 == 0 && bits % 8 == 0 && (bit + bits) / 8 <= shown;
    whole && bit == node.bit as usize && bits == node.bits as usize && usize::from(node.source) <= SOURCES
}

/// Returns the bytes of a message's sources, and the number of bytes of each.
pub fn bytes(message: &Message<'_>) -> (Box<[u8]>, Box<[u32]>) {
    let sources = message.sources();
    let all = std::iter::once(sources.main).chain(sources.more.iter().take(SOURCES).map(|more| &more[..]));
    let cut = all.map(|bytes| bytes.get(..BYTES).unwrap_or(bytes));
    let parts = cut.clone().map(|bytes| bytes.len() as u32).collect();
    (cut.collect::<Vec<_>>().concat().into(), parts)
}

/// Returns the code of the first warning of a message, or `fault`.
pub fn mark(message: &Message<'_>) -> &'static str {
    let dissection = message.dissection;
    let warning = dissection.notes.iter().find(|(note, _)| note.level >= Level::Warning);
    match (&dissection.fault, warning) {
        (_, Some((note, _))) => note.code,
        (Some(_), None) => "fault",
        (None, None) => "",
    }
}

/// Returns the relations of a message to earlier ones.
pub fn relations(message: &Message<'_>) -> Box<[Relation]> {
    message.dissection.related.iter().take(RELATIONS).copied().collect()
}
