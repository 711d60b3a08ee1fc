//! The left side of a tree's line: where the field stands, and the bytes it came from.

use super::bytes::ByteIter;
use super::leaf;
use super::pen::Pen;
use crate::codec::{Node, Sources, bits};

/// The measures of one message's gutter.
#[derive(Clone, Copy, Debug)]
pub struct Gutter {
    /// How many bytes stand in one line.
    row: usize,
    /// Digits of an offset.
    digits: usize,
}

impl Gutter {
    /// A gutter for `row` bytes a line of a message of `length` bytes.
    pub fn new(row: usize, length: usize) -> Gutter {
        let digits = match length {
            0..=0x100 => 2,
            0x101..=0x10000 => 4,
            _ => 8,
        };
        Gutter { row, digits }
    }

    /// The column behind the offset.
    fn middle(self) -> usize {
        2 + 2 + self.digits + 3
    }

    /// The column behind the gutter. A byte shown bit by bit takes nine columns.
    fn right(self) -> usize {
        self.middle() + (self.row * 3).max(10) + 1
    }

    /// The gutter of a field that is not on the wire.
    pub fn derived(self, pen: &mut Pen<'_>) {
        pen.pad(self.middle());
        pen.painted(pen.palette.derived, "derived");
        pen.pad(self.right());
    }

    /// The offset, and the first bytes where `bytes` is set.
    pub fn line(self, node: &Node, bytes: bool, sources: Sources<'_>, pen: &mut Pen<'_>) {
        let palette = pen.palette;
        self.offset(node.source, node.bit as usize / 8, pen);
        if !node.bit.is_multiple_of(8) {
            pen.paint(palette.dim);
            pen.put(".");
            pen.int(node.bit % 8);
            pen.reset();
        }
        pen.pad(self.middle());
        if bytes && node.bits > 0 {
            pen.paint(if node.hidden() { palette.dim } else { palette.hex });
            self.first_bytes(node, sources.get(node.source), pen);
            pen.reset();
        }
        pen.pad(self.right());
    }

    /// All bytes of a field that are too many for its line, as a hex dump.
    pub fn dump(self, node: &Node, sources: Sources<'_>, pen: &mut Pen<'_>) {
        let mut all = touched(node, sources.get(node.source));
        if all.len() <= self.row {
            return;
        }
        let mut byte = node.bit as usize / 8;
        while all.len() > 0 {
            self.offset(node.source, byte, pen);
            pen.pad(self.middle());
            let line = all.start(self.row);
            pen.paint(pen.palette.hex);
            spaced(line, pen);
            pen.reset();
            pen.pad(self.right());
            pen.paint(pen.palette.dim);
            leaf::ascii(line, pen, self.row);
            pen.reset();
            pen.newline();
            (all, byte) = (all.behind(self.row), byte + self.row);
        }
    }

    fn offset(self, source: u8, byte: usize, pen: &mut Pen<'_>) {
        pen.put("  ");
        pen.paint(pen.palette.dim);
        match source {
            0 => pen.put("0x"),
            n => {
                pen.int(n);
                pen.put(":");
            }
        }
        // A joined or inflated source may be longer than the message.
        let digits = if byte >= 1 << (4 * self.digits) { 8 } else { self.digits };
        (byte as u32).to_be_bytes()[4 - digits / 2..].iter().for_each(|b| pen.hex(*b));
        pen.reset();
    }

    /// A part of a byte bit by bit, anything else in hex, as far as the line goes.
    fn first_bytes(self, node: &Node, data: &[u8], pen: &mut Pen<'_>) {
        let (bit, count) = (node.bit % 8, node.bits);
        if count < 8 && bit + count <= 8 {
            let byte = bits::get(data, node.bit as usize / 8 * 8, 8);
            for place in (0..8).rev() {
                let its = place >= bit && place < bit + count;
                pen.ascii(if its { b'0' + (byte >> place & 1) as u8 } else { b'.' });
                pen.put(if place == 4 { " " } else { "" });
            }
            return;
        }
        let all = touched(node, data);
        if all.len() <= self.row {
            spaced(all, pen);
        } else {
            spaced(all.start(self.row - 1), pen);
            pen.put(" …");
        }
    }
}

fn spaced(bytes: ByteIter<'_>, pen: &mut Pen<'_>) {
    for (k, byte) in bytes.enumerate() {
        pen.put(if k > 0 { " " } else { "" });
        pen.hex(byte);
    }
}

/// The bytes that a field's bits stand in, whole.
fn touched<'a>(node: &Node, data: &'a [u8]) -> ByteIter<'a> {
    let start = node.bit / 8 * 8;
    let end = (node.bit as u64 + node.bits as u64).div_ceil(8) * 8;
    ByteIter::new(data, start, (end - start as u64).min(u32::MAX as u64 / 8 * 8) as u32)
}
