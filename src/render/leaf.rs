//! A leaf's value for people, in as many columns as there are.

use super::bytes::{ByteIter, Piece, Utf8};
use super::human::{human, is_decimal, plain};
use super::pen::Pen;
use crate::codec::json::text::{clip, hex_bits};
use crate::codec::layout::{Kind, Show};
use crate::codec::{Node, Sources, Value};

/// Bytes that a short form shows.
const SHORT_BYTES: u32 = 8;

/// Writes the value at length: with unit, an enumeration's number, how many bytes there are.
pub fn long(node: &Node, sources: Sources<'_>, pen: &mut Pen<'_>, room: usize) {
    let data = sources.get(node.source);
    match node.value {
        Value::Bytes { bit, bits } => bytes(ByteIter::new(data, bit, bits), pen, room),
        Value::Raw { bit, bits } => long_raw(node, sources, (bit, bits), pen, room),
        Value::UInt(_) | Value::Int(_) | Value::F16(_) | Value::F32(_) | Value::F64(_) | Value::Bool(_) => {
            pen.paint(colour(node, pen));
            let before = pen.column;
            human(node, sources, pen);
            if pen.column == before {
                // A pen takes everything.
                let _ = plain(node, pen);
            }
            pen.reset();
        }
        _ => short(node, sources, pen, room),
    }
}

/// Bits without a plain form: what they would say, and the bits themselves.
fn long_raw(node: &Node, sources: Sources<'_>, (bit, bits): (u32, u32), pen: &mut Pen<'_>, room: usize) {
    let data = sources.get(node.source);
    let mark = pen.mark();
    pen.paint(pen.palette.text);
    human(node, sources, pen);
    let said = pen.column > mark.1;
    if let Kind::Text { .. } = node.field.kind {
        pen.put("  ");
        let room = room.saturating_sub(pen.column - mark.1).max(24);
        quoted(Utf8(ByteIter::new(data, bit, bits)), bits / 8, pen, room);
        return pen.reset();
    }
    pen.put(if said { "  raw " } else { "raw " });
    first_bytes(data, bit, bits, pen);
    if !said {
        pen.put("  ");
        pen.int(clip(data, bit, bits).1);
        pen.put(" bits");
    }
    pen.reset();
    if pen.column - mark.1 > room {
        pen.back(mark);
        short(node, sources, pen, room);
    }
}

/// Writes the value in few columns: names without numbers, no units, the first bytes.
pub fn short(node: &Node, sources: Sources<'_>, pen: &mut Pen<'_>, room: usize) {
    let data = sources.get(node.source);
    pen.paint(colour(node, pen));
    match node.value {
        Value::Bytes { bit, bits } | Value::Raw { bit, bits } => first_bytes(data, bit, bits, pen),
        Value::UInt(n) if is_decimal(node) => pen.uint(n),
        Value::Text { bit, bits } => quoted(Utf8(ByteIter::new(data, bit, bits)), bits / 8, pen, room),
        Value::Latin1 { bit, bits } => {
            quoted(ByteIter::new(data, bit, bits).map(|b| Piece::Char(b as char)), bits / 8, pen, room);
        }
        Value::Json { start, len } => {
            let json = ByteIter::new(data, start.saturating_mul(8), len.saturating_mul(8));
            pen.cut(Utf8(json), room, 1, |pen| pen.put("…"));
        }
        Value::Group | Value::List => pen.put("…"),
        // A pen takes everything.
        _ => drop(plain(node, pen)),
    }
    pen.reset();
}

fn colour(node: &Node, pen: &Pen<'_>) -> &'static str {
    let palette = pen.palette;
    match (node.value, node.field.show) {
        _ if node.derived() => palette.derived,
        (_, Show::Enum(_) | Show::Flags(_)) | (Value::Bool(_) | Value::Null, _) => palette.word,
        (Value::Bytes { .. } | Value::Raw { .. } | Value::Text { .. } | Value::Latin1 { .. }, _) => palette.text,
        (Value::Json { .. }, _) => palette.text,
        _ => palette.number,
    }
}

/// `12 bytes  |what is printable|`.
fn bytes(all: ByteIter<'_>, pen: &mut Pen<'_>, room: usize) {
    let start = pen.column;
    pen.paint(pen.palette.dim);
    pen.int(all.len());
    pen.put(if all.len() == 1 { " byte" } else { " bytes" });
    pen.reset();
    let room = room.saturating_sub(pen.column - start + 4);
    if all.len() == 0 || room < 4 {
        return;
    }
    pen.put("  ");
    pen.paint(pen.palette.text);
    ascii(all, pen, room);
    pen.reset();
}

/// Bytes as hex dumps show them: `|a.b|`, cut to `room` columns within the bars.
pub fn ascii(all: ByteIter<'_>, pen: &mut Pen<'_>, room: usize) {
    let shown = if all.len() > room { room.saturating_sub(1) } else { all.len() };
    pen.put("|");
    all.take(shown).for_each(|b| pen.ascii(if matches!(b, b' '..=b'~') { b } else { b'.' }));
    pen.put(if shown < all.len() { "…" } else { "" });
    pen.put("|");
}

/// The first bytes of a range of bits, the last one filled up with zeros, and how many there are.
fn first_bytes(data: &[u8], bit: u32, bits: u32, pen: &mut Pen<'_>) {
    pen.appended(|out| hex_bits(data, bit, bits.min(SHORT_BYTES * 8), out));
    let count = clip(data, bit, bits).1.div_ceil(8);
    if count > SHORT_BYTES as usize {
        pen.put("…");
        pen.uint(count as u64);
    }
    if count == 0 {
        pen.put("-");
    }
}

/// Text in quotes; quotes and backslashes in it are escaped, so that no escape can be faked.
fn quoted(pieces: impl Iterator<Item = Piece>, bytes: u32, pen: &mut Pen<'_>, room: usize) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(bytes);
    let doubled = pieces.flat_map(|piece| {
        let slash = matches!(piece, Piece::Char('"' | '\\')).then_some(Piece::Char('\\'));
        slash.into_iter().chain([piece])
    });
    pen.put("\"");
    let whole = pen.cut(doubled, room.saturating_sub(2), digits.len() + 7, |pen| {
        pen.put("…\" ");
        pen.put(digits);
        pen.put(" bytes");
    });
    if whole {
        pen.put("\"");
    }
}

/// A list of plain numbers stands in one line.
pub fn all_numbers(elements: &[Node]) -> bool {
    elements.iter().all(|n| {
        !n.hidden()
            && matches!(
                n.value,
                Value::UInt(_) | Value::Int(_) | Value::Bool(_) | Value::F16(_) | Value::F32(_) | Value::F64(_)
            )
    }) && !elements.is_empty()
}

/// `[1, 2, 3]`, cut where the line ends.
pub fn inline(elements: &[Node], sources: Sources<'_>, pen: &mut Pen<'_>, room: usize) {
    let limit = pen.column + room;
    pen.put("[");
    for (k, element) in elements.iter().enumerate() {
        let mark = pen.mark();
        pen.put(if k > 0 { ", " } else { "" });
        short(element, sources, pen, room);
        let last = k + 1 == elements.len();
        if pen.column + if last { 1 } else { 17 } > limit {
            pen.back(mark);
            pen.put(if k > 0 { ", … " } else { "… " });
            pen.int(elements.len());
            pen.put(" elements");
            break;
        }
    }
    pen.put("]");
    if let Some(unit) = elements.first().map(|n| n.field.unit).filter(|u| !u.is_empty()) {
        pen.put(" ");
        pen.put(unit);
    }
}
