//! Finds the places where packets do not fit their description, and the expectation there.

use super::Description;
use super::expected::{expected, ids, resolve};
use super::lines::Nameless;
use crate::codec::fault::Reason;
use crate::codec::kinds::{COMPUTED, UNKNOWN};
use crate::codec::layout::flag;
use crate::codec::node::Node;
use crate::codec::reader::TRAILING;
use crate::codec::{Fault, Tree};
use crate::dissect::Message;
use crate::flow::Side;
use crate::plural::Plural;

/// The kind of a misfit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MisfitKind {
    /// A field is broken.
    Fault,
    /// No message has its number.
    Unknown,
    /// Bytes are left over.
    Trailing,
    /// A checksum is wrong.
    Checksum,
    /// The joined message that its part completed does not fit.
    Whole,
    /// The capture has only its beginning, which fits.
    Cut,
}

crate::named!(MisfitKind:
    Fault = "fault", Unknown = "unknown", Trailing = "trailing", Checksum = "checksum", Whole = "whole",
    Cut = "cut",
);

/// The place where a packet does not fit, and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The kind.
    pub kind: MisfitKind,
    /// The field: `commands[0].connect.mtu`.
    pub path: String,
    /// Its first bit in the packet; `None`: it is in unpacked bytes.
    pub bit: Option<u32>,
    /// The number of unexplained bits.
    pub bits: u64,
    /// The error: `needs 2 bytes, 1 left`.
    pub what: String,
    /// The file's expectation: `u16be`; empty if that adds nothing.
    pub expected: String,
}

/// A packet that does not fit.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Its number among the packets, from 1.
    pub number: usize,
    /// Its sender's side.
    pub side: Side,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The place and cause.
    pub misfit: Misfit,
}

/// A number of bits, in bytes if possible.
fn size(bits: u64) -> String {
    if bits.is_multiple_of(8) { Plural(bits / 8, "byte").to_string() } else { Plural(bits, "bit").to_string() }
}

/// The error, without the place.
fn what(fault: &Fault) -> String {
    let (need, have) = (size(fault.need), size(fault.have));
    let text = match fault.reason {
        Reason::Short => format!("needs {need}, {have} left"),
        Reason::Cut => format!("needs {need}, {have} captured"),
        Reason::Unterminated => format!("no end in the {have} that are left"),
        Reason::Count => format!("an impossible count, {have} left"),
        Reason::TooLong => "a number of too many bytes".into(),
        Reason::Depth => "nested too deeply".into(),
        Reason::Undefined(what) => what.into(),
    };
    if fault.limit.is_empty() { text } else { format!("{text} ({})", fault.limit) }
}

/// A place in a packet.
struct Place {
    /// The packet's bit at which the nodes' own places begin.
    before: u32,
    /// The end of the captured bytes.
    end: u32,
}

fn broken(description: &'static Description, fault: &Fault, place: &Place) -> Misfit {
    let path = fault.path.strip_prefix(description.facts.name).unwrap_or(&fault.path);
    let path = path.strip_prefix(".packet.").unwrap_or(path);
    let field = resolve(description, path);
    Misfit {
        kind: if fault.is_cut() { MisfitKind::Cut } else { MisfitKind::Fault },
        path: path.into(),
        bit: Some(fault.bit),
        bits: place.end.saturating_sub(fault.bit.max(place.before)) as u64,
        what: what(fault),
        expected: field.map(|field| expected(field, matches!(fault.reason, Reason::Undefined(_)))).unwrap_or_default(),
    }
}

/// The misfit of a number without a message. `id` and `data` are its nodes, `headers` those around it: an earlier
/// number may be the selector.
fn unknown<'t>(
    description: &'static Description,
    id: Option<&'t Node>,
    data: Option<&'t Node>,
    headers: impl DoubleEndedIterator<Item = &'t Node>,
    before: u32,
) -> Misfit {
    // A text has no number.
    let number = id.and_then(Node::number);
    let selects = |node: &&Node| node.field.is(flag::SELECTS) && node.bits > 0 && node.number() == number;
    let earlier = headers.rev().filter(|node| node.source == 0).find(selects);
    let at = id.filter(|node| node.bits > 0).or(earlier).or(data);
    Misfit {
        kind: MisfitKind::Unknown,
        path: "unknown".into(),
        bit: at.filter(|node| node.source == 0).map(|node| before + node.bit),
        bits: data.map_or(0, |node| node.bits as u64),
        what: number.map_or("no message has this id".into(), |number| format!("no message has the number {number}")),
        expected: ids(description, number.is_some()),
    }
}

fn is_trailing(node: &Node) -> bool {
    node.field.hook == u16::MAX && !std::ptr::eq(node.field, &COMPUTED) || std::ptr::eq(node.field, &TRAILING)
}

/// The misfit of left-over bytes, or of a wrong checksum.
fn left(node: &Node, path: &str, bit: Option<u32>) -> Option<Misfit> {
    let path = |name: &str| if path.is_empty() { name.into() } else { format!("{path}.{name}") };
    if std::ptr::eq(node.field, &COMPUTED) {
        let what = format!("the sum of these bytes is {:#x}", node.number().unwrap_or(0));
        return Some(Misfit {
            kind: MisfitKind::Checksum,
            path: path("checksum"),
            bit,
            bits: 0,
            what,
            expected: "a checksum equal to that sum".into(),
        });
    }
    is_trailing(node).then(|| Misfit {
        kind: MisfitKind::Trailing,
        path: path(node.field.name),
        bit,
        bits: node.bits as u64,
        what: format!("{} left", size(node.bits as u64)),
        expected: match node.field.name.strip_suffix("_trailing") {
            Some(name) => format!("the end of {name}"),
            None => "the end".into(),
        },
    })
}

/// The misfit of a packet's tree; `None`: it fits.
pub(super) fn of_packet(
    description: &'static Description,
    tree: &Tree,
    fault: Option<&Fault>,
    bytes: usize,
) -> Option<Misfit> {
    let place = Place { before: 0, end: bytes as u32 * 8 };
    if let Some(fault) = fault {
        return Some(broken(description, fault, &place));
    }
    let nodes = tree.nodes();
    let mut path = "";
    for (k, node) in nodes.iter().enumerate() {
        if std::ptr::eq(node.field, &UNKNOWN) {
            let child = |name: &str| tree.child_named(Some(k), name);
            let headers = nodes.get(..k).unwrap_or_default().iter();
            return Some(unknown(description, child("id"), child("data"), headers, 0));
        }
        if node.field.is(flag::MESSAGE) {
            path = node.field.name;
        }
        let bit = (node.source == 0).then_some(node.bit);
        if let Some(misfit) = left(node, path, bit) {
            return Some(misfit);
        }
    }
    None
}

/// The misfit of a message; `None`: it fits. `before`: the bytes of its packet before its own. The result's `bits`
/// count everything that is unexplained.
pub(super) fn of_line(description: &'static Description, message: &Message<'_>, before: usize) -> Option<Misfit> {
    let dissection = message.dissection;
    let bytes = message.place.bytes;
    let place = Place { before: before as u32 * 8, end: (before + bytes.len()) as u32 * 8 };
    let mut found: Option<Misfit> = None;
    let mut add = |misfit: Misfit| match &mut found {
        Some(first) => first.bits += misfit.bits,
        None => found = Some(misfit),
    };
    if let Some(fault) = &dissection.fault {
        add(broken(description, fault, &place));
    } else if description.nameless.named(dissection.message) == Some(Nameless::Unknown) {
        let child = |name: &str| dissection.tree.child_named(None, name);
        // The headers of a packet with several messages have the whole packet's bytes, not this message's.
        let headers = dissection.packet.nodes().iter().chain(dissection.tree.nodes());
        add(unknown(description, child("id"), child("data"), headers, place.before));
    }
    let sources = message.sources();
    // Each message of a packet shows the headers. Their bytes are then those of the whole packet.
    let last = dissection.part.is_none_or(|(part, count)| part == count);
    let own = |node: &Node| match node.source {
        0 => Some(place.before + node.bit),
        other => {
            let whole = sources.get(other).get(before..before + bytes.len()).is_some_and(|part| part == bytes);
            (dissection.part.is_some() && whole).then_some(node.bit)
        }
    };
    let headers = dissection.packet.nodes().iter().filter(|_| last).map(|node| (node, ""));
    let fields = dissection.tree.nodes().iter().map(|node| (node, dissection.message));
    for (node, path) in fields.chain(headers) {
        left(node, path, own(node)).into_iter().for_each(&mut add);
    }
    if found.is_none()
        && let Some((_, text)) = dissection.notes.iter().find(|(note, text)| {
            note.code == description.codes.trailing && text.starts_with(super::session::WHOLE_DOES_NOT_FIT)
        })
    {
        found = Some(Misfit {
            kind: MisfitKind::Whole,
            path: dissection.message.into(),
            bit: None,
            bits: 0,
            what: text.into(),
            expected: String::new(),
        });
    }
    found
}
