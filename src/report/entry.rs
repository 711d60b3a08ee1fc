//! One message as the page holds it: what its line, its tree and its bytes show.

use crate::capture::Time;
use crate::codec::json::fields::behind;
use crate::codec::json::line::Stage;
use crate::codec::json::text::string;
use crate::codec::{Level, Node, Sources, Tree, Value};
use crate::dissect::{Message, Relation, RelationKind, Role, Target};
use crate::render::json::type_word;
use crate::render::leaf;
use crate::render::line_writer::LineWriter;
use std::sync::Arc;

/// So many columns of a value, a name or a note's text are shown.
const COLUMNS: usize = 240;
/// So many fields of a message are shown.
const FIELDS: usize = 2_000;
/// So many bytes of a message, and of each further source of its fields, are shown.
const BYTES: usize = 4_096;
/// So many further sources: reassembled, unmasked or inflated bytes.
const SOURCES: usize = 4;
/// So many notes of a message are shown.
const NOTES: usize = 64;
/// So many relations to earlier messages.
const RELATIONS: usize = 256;

/// One message.
#[derive(Debug)]
pub struct Entry {
    /// Which message of the capture it is, from 1.
    pub order: u64,
    /// Which of its conversation, counted from the first one that is held.
    pub nth: u64,
    /// Its frame and which message of that it is.
    pub own: Target,
    /// In how many frames it came.
    pub frames: usize,
    /// When.
    pub time: Time,
    /// Its conversation.
    pub flow: u64,
    /// Protocol, version and message: the place in the list of kinds.
    pub kind: usize,
    /// The sender's role; of `unknown` ones `side` tells them apart.
    pub from: Role,
    /// The sender: 0 or 1.
    pub side: usize,
    /// Its length on the wire.
    pub length: usize,
    /// How many of its bytes were captured.
    pub captured: usize,
    /// The worst that is said of it; a fault is an error.
    pub worst: Option<Level>,
    /// The code of its first warning, or `fault`; empty where it has neither.
    pub mark: &'static str,
    /// It is close to a message with a warning, in the same conversation.
    pub near: bool,
    /// The fields without their values: a line each, see [`node`]. Messages of the same form share it.
    pub shape: Arc<str>,
    /// The fields' values, a line each.
    pub values: Box<str>,
    /// The bytes of the sources, one behind the other.
    pub bytes: Box<[u8]>,
    /// How many of the bytes are of each source.
    pub parts: Box<[u32]>,
    /// Its notes, as members of a JSON array.
    pub notes: Box<[u8]>,
    /// How it relates to earlier messages.
    pub related: Box<[Relation]>,
}

impl Entry {
    /// The memory that it takes, without a shape that others share.
    pub fn weight(&self) -> usize {
        size_of::<Entry>()
            + self.values.len()
            + self.bytes.len()
            + self.notes.len()
            + self.parts.len() * 4
            + size_of_val(&*self.related)
    }

    /// The place that links to it name.
    pub fn place(&self) -> String {
        match self.own.index {
            0 | 1 => format!("frame-{}", self.own.frame),
            index => format!("frame-{}-{index}", self.own.frame),
        }
    }

    /// Is a warning or a fault in it?
    pub fn warned(&self) -> bool {
        self.worst >= Some(Level::Warning)
    }

    /// `name=value` of its fields that are no groups, as far as there is room.
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

    /// Is it a further copy of a message?
    pub fn copy(&self) -> bool {
        self.related.iter().any(|one| one.kind == RelationKind::CopyOf)
    }

    /// The messages that it is joined from.
    pub fn joined(&self) -> impl Iterator<Item = Target> {
        self.related.iter().filter(|one| one.kind == RelationKind::JoinedFrom).map(|one| one.target)
    }
}

/// Memory to make entries with.
#[derive(Debug, Default)]
pub struct Maker {
    shape: Vec<u8>,
    values: Vec<u8>,
    notes: Vec<u8>,
    stage: Stage,
}

/// What of a message is text, made by a [`Maker`].
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// [`Entry::shape`].
    pub shape: &'a str,
    /// [`Entry::values`].
    pub values: &'a str,
    /// [`Entry::notes`].
    pub notes: &'a [u8],
}

impl Maker {
    /// The texts of a message.
    pub fn texts(&mut self, message: &Message<'_>) -> Made<'_> {
        let (dissection, sources) = (message.dissection, message.sources());
        self.shape.clear();
        self.values.clear();
        self.notes.clear();
        let mut left = FIELDS;
        for (tree, beside) in [(&dissection.packet, false), (&dissection.tree, false), (&dissection.derived, true)] {
            self.tree(tree, sources, beside, &mut left);
        }
        self.notes(message);
        // Both are written by a LineWriter: text.
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or("");
        Made { shape: text(&self.shape), values: text(&self.values), notes: &self.notes }
    }

    fn tree(&mut self, tree: &Tree, sources: Sources<'_>, beside: bool, left: &mut usize) {
        // The ends of the open groups and lists, and for a list the next element's index.
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
            let end = behind(node, at).min(open.last().map_or(nodes.len(), |(end, _)| *end)).max(at + 1);
            let numbers = node.value == Value::List && leaf::all_numbers(nodes.get(at + 1..end).unwrap_or_default());
            let element = open.last_mut().and_then(|(_, next)| next.as_mut());
            let index = element.map(|next| std::mem::replace(next, *next + 1));
            let depth = open.len();
            self.name(tree, node, sources, index, depth);
            let flags = u8::from(node.hidden())
                | u8::from(beside || node.derived()) << 1
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

    /// Depth and name: `[2]` in a list.
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

    /// `["warning","tcp.gap","text"],..`; of a fault the code is its place.
    fn notes(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        if let Some(fault) = &dissection.fault {
            self.note("error", "fault", &fault.to_string());
        }
        for (note, text) in dissection.notes.iter().take(NOTES) {
            self.note(note.level.name(), note.code, text);
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

/// Are these bytes shown whole anyway? Then the script makes their text of them, and they are not
/// there twice.
fn in_the_bytes(node: &Node, sources: Sources<'_>) -> bool {
    let Value::Bytes { bit, bits } = node.value else { return false };
    let (bit, bits) = (bit as usize, bits as usize);
    let shown = sources.get(node.source).len().min(BYTES);
    let whole = bit % 8 == 0 && bits % 8 == 0 && (bit + bits) / 8 <= shown;
    whole && bit == node.bit as usize && bits == node.bits as usize && usize::from(node.source) <= SOURCES
}

/// The bytes of a message's sources, and how many are of each.
pub fn bytes(message: &Message<'_>) -> (Box<[u8]>, Box<[u32]>) {
    let sources = message.sources();
    let all = std::iter::once(sources.main).chain(sources.more.iter().take(SOURCES).map(|more| &more[..]));
    let cut = all.map(|bytes| bytes.get(..BYTES).unwrap_or(bytes));
    let parts = cut.clone().map(|bytes| bytes.len() as u32).collect();
    (cut.collect::<Vec<_>>().concat().into(), parts)
}

/// The code of the first warning of a message, or `fault`.
pub fn mark(message: &Message<'_>) -> &'static str {
    let dissection = message.dissection;
    let warning = dissection.notes.iter().find(|(note, _)| note.level >= Level::Warning);
    match (&dissection.fault, warning) {
        (_, Some((note, _))) => note.code,
        (Some(_), None) => "fault",
        (None, None) => "",
    }
}

/// The relations of a message to earlier ones.
pub fn relations(message: &Message<'_>) -> Box<[Relation]> {
    message.dissection.related.iter().take(RELATIONS).copied().collect()
}
