//! A field path outside of a filter: the field's values in a message.

use super::path::{Part, Path, Picked, Place, holds_derived};
use super::{Envelope, Expression, FilterError, Names, Test, lexer, parser};
use crate::codec::json::numbers::uint;
use crate::codec::json::text::string;
use crate::codec::json::value::value;
use crate::codec::{Notes, Sources, Tree, Value};
use crate::dissect::{Message, Wants};

/// A field path as in filters: `acknex.update2.position`, `payload.hp`, `flow`.
#[derive(Debug)]
pub struct FieldPath(Wanted);

#[derive(Debug)]
enum Wanted {
    Field(Path),
    Envelope(Envelope),
}

/// The place of one value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldMatch {
    /// A node of one of the message's trees.
    Node(Place, usize),
    /// A value of the envelope.
    Envelope,
}

impl FieldPath {
    /// A field of the envelope.
    pub fn envelope(name: &str) -> Option<FieldPath> {
        let (_, envelope, _) = Envelope::ALL.iter().find(|(n, ..)| *n == name)?;
        Some(FieldPath(Wanted::Envelope(*envelope)))
    }

    /// Looks up a path.
    ///
    /// # Errors
    /// An unknown field, with its position in the text and the nearest name.
    pub fn parse(text: &str, names: &Names<'_>) -> Result<FieldPath, FilterError> {
        if let Some(path) = FieldPath::envelope(text.trim()) {
            return Ok(path);
        }
        let tokens = lexer::tokens(text)?;
        match (parser::parse(text, &tokens, names)?, tokens.len()) {
            (Expression::Field(path, Test::Exists), 1) => Ok(FieldPath(Wanted::Field(path))),
            _ => {
                let (what, len) = ("expected a field's name".into(), text.chars().count());
                Err(FilterError { what, text: text.into(), at: 0, len })
            }
        }
    }

    /// Whether the value is the same for all messages of one side of a conversation, in one protocol and version.
    pub fn is_of_side(&self) -> bool {
        use Envelope::{Dst, Flow, From, Host, Leg, Port, Proto, Src, Transport, Version};
        matches!(self.0, Wanted::Envelope(Flow | Proto | Version | From | Transport | Src | Dst | Host | Port | Leg))
    }

    /// The parts of messages that it reads.
    pub fn reads(&self) -> Wants {
        match &self.0 {
            Wanted::Field(path) => path.reads(),
            Wanted::Envelope(envelope) => envelope.reads(),
        }
    }

    /// Whether it is a field whose path names no protocol.
    pub fn any_protocol(&self) -> bool {
        matches!(&self.0, Wanted::Field(path) if path.proto.is_none())
    }

    /// Calls `each` with every match. A list is one value; with `[2]` or further names after it, each of its elements
    /// may match.
    pub(crate) fn each(&self, message: &Message<'_>, mut each: impl FnMut(FieldMatch)) {
        let path = match &self.0 {
            Wanted::Envelope(Envelope::Copy) if message.dissection.delivery.copy().is_none() => return,
            Wanted::Envelope(Envelope::Leg) if message.flow_info.leg.is_none() => return,
            Wanted::Envelope(_) => return each(FieldMatch::Envelope),
            Wanted::Field(path) => path,
        };
        path.each(message, &mut |place, k| {
            each(FieldMatch::Node(place, k));
            false
        });
    }

    /// Whether a message may contain several matches, of which this is the first: the path leads through the elements
    /// of a list.
    pub(crate) fn repeats(&self, found: FieldMatch, message: &Message<'_>) -> bool {
        match (found, &self.0) {
            (FieldMatch::Node(place, k), Wanted::Field(path)) => path.repeats(place.of(message), k),
            _ => false,
        }
    }

    /// Appends a value as JSON.
    pub(crate) fn json(&self, found: FieldMatch, message: &Message<'_>, out: &mut Vec<u8>) {
        let (dissection, place) = (message.dissection, message.place);
        match (found, &self.0) {
            (FieldMatch::Node(place, k), wanted) => {
                let (tree, sources) = (place.of(message), message.sources());
                let (part, picked) = match (wanted, tree.nodes().get(k)) {
                    (Wanted::Field(path), Some(one)) => (path.part, path.some(one, sources)),
                    _ => (Part::Either, None),
                };
                // All of the third tree is derived, and all of a derived value.
                let part = match part {
                    Part::Derived if place == Place::Derived || !holds_derived(tree, k) => Part::Either,
                    part => part,
                };
                match picked {
                    Some(Picked::Byte(byte)) => uint(byte.into(), out),
                    Some(Picked::Bytes(bytes)) => string(hex::encode(bytes).as_bytes(), out),
                    None => node(tree, k, part, sources, out),
                }
            }
            (FieldMatch::Envelope, Wanted::Envelope(envelope)) => match envelope {
                Envelope::Frame => uint(place.frame, out),
                Envelope::Flow => uint(message.flow_info.flow, out),
                Envelope::Length => uint(place.length as u64, out),
                Envelope::Time => out.extend_from_slice(place.time.to_string().as_bytes()),
                Envelope::Proto => string(dissection.proto.as_bytes(), out),
                Envelope::Version => string(dissection.version.unwrap_or("").as_bytes(), out),
                Envelope::From => string(dissection.from.name().as_bytes(), out),
                Envelope::Copy => uint(message.dissection.delivery.copy().unwrap_or_default().into(), out),
                Envelope::Leg => string(message.flow_info.leg.map_or("", |leg| leg.name()).as_bytes(), out),
                Envelope::Transport => string(message.flow_info.transport.name().as_bytes(), out),
                Envelope::Src => string(message.src().as_bytes(), out),
                Envelope::Dst => string(message.dst().as_bytes(), out),
                Envelope::Host | Envelope::Port => ends(*envelope, message, out),
                Envelope::Message => string(dissection.message.as_bytes(), out),
                Envelope::Note => codes(&dissection.notes, out),
            },
            (FieldMatch::Envelope, Wanted::Field(_)) => out.extend_from_slice(b"null"),
        }
    }
}

/// Appends the code of the note, an array if there are several, or an empty text.
fn codes(notes: &Notes, out: &mut Vec<u8>) {
    let several = notes.iter().nth(1).is_some();
    if notes.is_empty() {
        string(b"", out);
    }
    for (k, (note, _)) in notes.iter().enumerate() {
        match k {
            0 => out.extend(several.then_some(b'[')),
            _ => out.push(b','),
        }
        string(note.code.as_bytes(), out);
    }
    out.extend(several.then_some(b']'));
}

/// Appends the addresses or ports of both endpoints, the sender's first.
fn ends(envelope: Envelope, message: &Message<'_>, out: &mut Vec<u8>) {
    let Some(ends) = message.flow_info.ends else { return out.extend_from_slice(b"null") };
    let side = message.place.side;
    for (k, end) in [ends[side.index()], ends[side.other().index()]].into_iter().enumerate() {
        out.push(if k == 0 { b'[' } else { b',' });
        match envelope {
            Envelope::Port => out.extend_from_slice(end.port().to_string().as_bytes()),
            _ => string(end.ip().to_string().as_bytes(), out),
        }
    }
    out.push(b']');
}

/// Appends a leaf, or a list or group of leaves, as far as they are in the part of the line.
fn node(tree: &Tree, k: usize, part: Part, sources: Sources<'_>, out: &mut Vec<u8>) {
    let Some(one) = tree.nodes().get(k) else { return };
    // All of a derived value is derived.
    let part = if one.derived() { Part::Either } else { part };
    let (open, close) = match one.value {
        Value::List => (b'[', b']'),
        Value::Group => (b'{', b'}'),
        _ => return value(one, sources, out),
    };
    out.push(open);
    let mut comma = false;
    for child in tree.children(Some(k)) {
        let Some(inner) = tree.nodes().get(child).filter(|n| !n.hidden()) else { continue };
        let here = part.has(tree, child, inner.derived());
        // An element without derived values is an empty object, so that indices stay aligned.
        let empty = !here && part == Part::Derived && open == b'[';
        if !here && !empty {
            continue;
        }
        if std::mem::replace(&mut comma, true) {
            out.push(b',');
        }
        if open == b'{' {
            string(tree.name(inner, sources).as_bytes(), out);
            out.push(b':');
        }
        match empty {
            true => out.extend_from_slice(b"{}"),
            false => node(tree, child, part, sources, out),
        }
    }
    out.push(close);
}
