//! The left part of a tree's line: the field's offset and its bytes.

use super::bytes::ByteIter;
use super::leaf;
use super::line_writer::LineWriter;
use crate::codec::{Node, Sources, bits};

/// The column widths of one message's gutter.
#[derive(Clone, Copy, Debug)]
pub struct Gutter {
    /// The number of bytes in a line.
    row: usize,
    /// The number of digits of an offset.
    digits: usize,
}

impl Gutter {
    /// Creates a gutter with `row` bytes per line for a message of `length` bytes.
    pub fn new(row: usize, length: usize) -> Gutter {
        let digits = match length {
            0..=0x100 => 2,
            0x101..=0x10000 => 4,
            _ => 8,
        };
        Gutter { row, digits }
    }

    /// Returns the column after the offset.
    fn middle(self) -> usize {
        2 + 2 + self.digits + 3
    }

    /// Returns the column after the gutter. A byte shown as bits takes nine columns.
    fn right(self) -> usize {
        self.middle() + (self.row * 3).max(10) + 1
    }

    /// Writes the gutter of a field that is not on the wire.
    pub fn derived(self, line: &mut LineWriter<'_>) {
        line.pad(self.middle());
        line.painted(line.palette.derived, "derived");
        line.pad(self.right());
    }

    /// Writes the offset, and the first bytes if `bytes` is set.
    pub fn line(self, node: &Node, bytes: bool, sources: Sources<'_>, line: &mut LineWriter<'_>) {
        let palette = line.palette;
        self.offset(node.source, node.bit as usize / 8, line);
        if !node.bit.is_multiple_of(8) {
            line.paint(palette.dim).put(".").int(node.bit % 8).reset();
        }
        line.pad(self.middle());
        if bytes && node.bits > 0 {
            line.paint(if node.hidden() { palette.dim } else { palette.hex });
            self.first_bytes(node, sources.get(node.source), line);
            line.reset();
        }
        line.pad(self.right());
    }

    /// Writes the bytes of a field as a hex dump, if they do not fit into one line, up to `most` bytes of text.
    pub fn dump(self, node: &Node, sources: Sources<'_>, most: usize, line: &mut LineWriter<'_>) {
        let mut all = touched(node, sources.get(node.source));
        if all.len() <= self.row {
            return;
        }
        // Each byte takes two digits, a blank and a character.
        all = all.start(all.len().min(most.saturating_sub(line.mark().len) / 4));
        let mut byte = node.bit as usize / 8;
        while all.len() > 0 {
            self.offset(node.source, byte, line);
            line.pad(self.middle());
            let row = all.start(self.row);
            line.paint(line.palette.hex);
            spaced(row, line);
            line.reset().pad(self.right());
            line.paint(line.palette.dim);
            leaf::ascii(row, line, self.row);
            line.reset().newline();
            (all, byte) = (all.skipped(self.row), byte + self.row);
        }
    }

    fn offset(self, source: u8, byte: usize, line: &mut LineWriter<'_>) {
        line.put("  ");
        line.paint(line.palette.dim);
        _ = if source == 0 { line.put("0x") } else { line.int(source).put(":") };
        // A reassembled or inflated source may be longer than the message.
        let digits = if byte >= 1 << (4 * self.digits) { 8 } else { self.digits };
        (byte as u32).to_be_bytes()[4 - digits / 2..].iter().for_each(|b| _ = line.hex(*b));
        line.reset();
    }

    /// Writes parts of bytes as bits, and anything else in hex, up to the width of the line.
    fn first_bytes(self, node: &Node, data: &[u8], line: &mut LineWriter<'_>) {
        let (bit, count) = (node.bit % 8, node.bits);
        if count < 8 && bit + count <= 8 {
            let byte = bits::get(data, node.bit as usize / 8 * 8, 8);
            for place in (0..8).rev() {
                let its = place >= bit && place < bit + count;
                line.ascii(if its { b'0' + (byte >> place & 1) as u8 } else { b'.' });
                line.put(if place == 4 { " " } else { "" });
            }
            return;
        }
        let all = touched(node, data);
        if all.len() <= self.row {
            spaced(all, line);
        } else {
            spaced(all.start(self.row - 1), line);
            line.put(" …");
        }
    }
}

fn spaced(bytes: ByteIter<'_>, line: &mut LineWriter<'_>) {
    for (k, byte) in bytes.enumerate() {
        line.put(if k > 0 { " " } else { "" }).hex(byte);
    }
}

/// Returns all bytes that contain bits of the field.
fn touched<'a>(node: &Node, data: &'a [u8]) -> ByteIter<'a> {
    let start = node.bit / 8 * 8;
    let end = (node.bit as u64 + node.bits as u64).div_ceil(8) * 8;
    ByteIter::new(data, start, (end - start as u64).min(u32::MAX as u64 / 8 * 8) as u32)
}
