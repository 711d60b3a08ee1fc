//! A leaf's value for text output, within a given number of columns.

use super::bytes::{ByteIter, Decoded, Utf8};
use super::human::{human, is_decimal, plain};
use super::line_writer::LineWriter;
use crate::codec::json::fields::after_node;
use crate::codec::json::text::{clip, hex_bits};
use crate::codec::layout::{Kind, Show};
use crate::codec::{Node, Sources, Tree, Value};

/// The number of bytes in a short form.
const SHORT_BYTES: u32 = 8;

/// Writes the long form: with the unit, an enumeration's number, the number of bytes.
pub fn long(node: &Node, sources: Sources<'_>, line: &mut LineWriter<'_>, room: usize) {
    let data = sources.get(node.source);
    match node.value {
        Value::Bytes { bit, bits } => bytes(ByteIter::new(data, bit, bits), line, room),
        Value::Raw { bit, bits } => long_raw(node, sources, bit, bits, line, room),
        Value::UInt(_) | Value::Int(_) | Value::F16(_) | Value::F32(_) | Value::F64(_) | Value::Bool(_) => {
            line.paint(colour(node, line));
            let before = line.column();
            human(node, sources, line);
            if line.column() == before {
                // A LineWriter cannot fail.
                let _ = plain(node, line);
            }
            line.reset();
        }
        _ => short(node, sources, line, room),
    }
}

/// Writes the meaning of bits without a plain form, and the bits themselves.
fn long_raw(node: &Node, sources: Sources<'_>, bit: u32, bits: u32, line: &mut LineWriter<'_>, room: usize) {
    let data = sources.get(node.source);
    let (mark, start) = (line.mark(), line.column());
    line.paint(line.palette.text);
    human(node, sources, line);
    let explained = line.column() > start;
    if let Kind::Text { .. } = node.field.kind {
        line.put("  ");
        let room = room.saturating_sub(line.column() - start).max(24);
        quoted(Utf8(ByteIter::new(data, bit, bits)), bits / 8, line, room);
        line.reset();
        return;
    }
    line.put(if explained { "  raw " } else { "raw " });
    first_bytes(data, bit, bits, line);
    if !explained {
        line.put("  ").int(clip(data, bit, bits).1).put(" bits");
    }
    line.reset();
    if line.column() - start > room {
        line.back(mark);
        short(node, sources, line, room);
    }
}

/// Writes the short form: names without numbers, no units, the first bytes.
pub fn short(node: &Node, sources: Sources<'_>, line: &mut LineWriter<'_>, room: usize) {
    let data = sources.get(node.source);
    line.paint(colour(node, line));
    match node.value {
        Value::Bytes { bit, bits } | Value::Raw { bit, bits } => first_bytes(data, bit, bits, line),
        Value::UInt(n) if is_decimal(node) => _ = line.uint(n),
        Value::Text { bit, bits } => quoted(Utf8(ByteIter::new(data, bit, bits)), bits / 8, line, room),
        Value::Latin1 { bit, bits } => {
            quoted(ByteIter::new(data, bit, bits).map(|b| Decoded::Char(b as char)), bits / 8, line, room);
        }
        Value::Json { start, len } => {
            let json = ByteIter::new(data, start.saturating_mul(8), len.saturating_mul(8));
            line.cut(Utf8(json), room, 1, |line| _ = line.put("…"));
        }
        Value::Group | Value::List => _ = line.put("…"),
        // A LineWriter cannot fail.
        _ => drop(plain(node, line)),
    }
    line.reset();
}

/// Appends a node's path: `fields.links[0].value`.
pub(crate) fn path(root: &str, tree: &Tree, sources: Sources<'_>, to: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(root.as_bytes());
    let (mut at, mut index, mut list) = (0, 0, false);
    while at <= to {
        let node = &tree.nodes()[at];
        let next = after_node(node, at);
        if next <= to {
            at = next;
            index += usize::from(!node.hidden());
            continue;
        }
        if list {
            out.extend_from_slice(format!("[{index}]").as_bytes());
        } else {
            out.push(b'.');
            out.extend_from_slice(tree.name(node, sources).as_bytes());
        }
        (list, index) = (node.value == Value::List, 0);
        at += 1;
    }
}

fn colour(node: &Node, line: &LineWriter<'_>) -> &'static str {
    let palette = line.palette;
    match (node.value, node.field.show) {
        _ if palette.reset.is_empty() => "",
        _ if node.derived() => palette.derived,
        (_, Show::Enum(_) | Show::Flags(_)) | (Value::Bool(_) | Value::Null, _) => palette.word,
        (Value::Bytes { .. } | Value::Raw { .. } | Value::Text { .. } | Value::Latin1 { .. }, _) => palette.text,
        (Value::Json { .. }, _) => palette.text,
        _ => palette.number,
    }
}

/// Writes `12 bytes  |printable characters|`.
fn bytes(all: ByteIter<'_>, line: &mut LineWriter<'_>, room: usize) {
    let start = line.column();
    line.paint(line.palette.dim);
    line.int(all.len()).put(if all.len() == 1 { " byte" } else { " bytes" }).reset();
    let room = room.saturating_sub(line.column() - start + 4);
    if all.len() == 0 || room < 4 {
        return;
    }
    line.put("  ");
    line.paint(line.palette.text);
    ascii(all, line, room);
    line.reset();
}

/// Writes bytes as in hex dumps: `|a.b|`, cut to `room` columns between the bars.
pub fn ascii(all: ByteIter<'_>, line: &mut LineWriter<'_>, room: usize) {
    let shown = if all.len() > room { room.saturating_sub(1) } else { all.len() };
    line.put("|");
    all.take(shown).for_each(|b| _ = line.ascii(if matches!(b, b' '..=b'~') { b } else { b'.' }));
    line.put(if shown < all.len() { "…" } else { "" }).put("|");
}

/// Writes the first bytes of a range of bits, the last one padded with zeros, and the number of bytes.
fn first_bytes(data: &[u8], bit: u32, bits: u32, line: &mut LineWriter<'_>) {
    line.appended(|out| hex_bits(data, bit, bits.min(SHORT_BYTES * 8), out));
    let count = clip(data, bit, bits).1.div_ceil(8);
    if count > SHORT_BYTES as usize {
        line.put("…").uint(count as u64);
    }
    if count == 0 {
        line.put("-");
    }
}

/// Writes text in quotes. Quotes and backslashes in it are escaped, so that escapes cannot be forged.
fn quoted(decoded: impl Iterator<Item = Decoded>, bytes: u32, line: &mut LineWriter<'_>, room: usize) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(bytes);
    let doubled = decoded.flat_map(|decoded| {
        let slash = matches!(decoded, Decoded::Char('"' | '\\')).then_some(Decoded::Char('\\'));
        slash.into_iter().chain([decoded])
    });
    line.put("\"");
    let whole = line.cut(doubled, room.saturating_sub(2), digits.len() + 8, |line| {
        line.put("…\" ").put(digits).put(" bytes");
    });
    if whole {
        line.put("\"");
    }
}

/// Whether a list has only plain numbers, and is therefore shown in one line.
pub fn all_numbers(elements: &[Node]) -> bool {
    let is_float = |value| matches!(value, Value::F16(_) | Value::F32(_) | Value::F64(_));
    elements.iter().all(|n| !n.hidden() && (n.number().is_some() || is_float(n.value))) && !elements.is_empty()
}

/// Writes `[1, 2, 3]`, cut at the end of the line.
pub fn inline(elements: &[Node], sources: Sources<'_>, line: &mut LineWriter<'_>, room: usize) {
    let limit = line.column() + room;
    line.put("[");
    for (k, element) in elements.iter().enumerate() {
        let mark = line.mark();
        line.put(if k > 0 { ", " } else { "" });
        short(element, sources, line, room);
        let last = k + 1 == elements.len();
        if line.column() + if last { 1 } else { 17 } > limit {
            line.back(mark);
            line.put(if k > 0 { ", … " } else { "… " }).int(elements.len()).put(" elements");
            break;
        }
    }
    line.put("]");
    if let Some(unit) = elements.first().map(|n| n.field.unit).filter(|u| !u.is_empty()) {
        line.put(" ").put(unit);
    }
}
