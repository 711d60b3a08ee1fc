//! Pcapng blocks as they are in a file: constants, reading and writing.

use super::interface::{options, u32_at};
use super::record::LONGEST;

/// The header of a section; the same in both byte orders.
pub const SECTION: u32 = 0x0a0d_0d0a;
/// An interface.
pub const INTERFACE: u32 = 1;
/// A packet in the form used before 2004.
pub const OBSOLETE: u32 = 2;
/// A packet without time and options.
pub const SIMPLE: u32 = 3;
/// Statistics of an interface.
pub const STATISTICS: u32 = 5;
/// A packet.
pub const ENHANCED: u32 = 6;
/// The code of the comment option.
pub const COMMENT: u16 = 1;
/// The largest length of an option's value, in bytes.
pub const LONGEST_OPTION: usize = 65_535;
/// Type and length before a block's body.
const HEADER: usize = 8;

/// Begins a block at the end of the buffer.
pub fn begin(kind: u32, big: bool, out: &mut Vec<u8>) {
    word(kind, big, out);
    // The length is set at the end.
    word(0, big, out);
}

/// Ends the block that begins at `start`. Returns whether it is short enough to be read again.
pub fn end(start: usize, big: bool, out: &mut Vec<u8>) -> bool {
    pad(start, out);
    let length = out.len() - start + 4;
    let Ok(length) = u32::try_from(length) else { return false };
    let bytes = if big { length.to_be_bytes() } else { length.to_le_bytes() };
    if let Some(place) = out.get_mut(start + 4..start + 8) {
        place.copy_from_slice(&bytes);
    }
    out.extend_from_slice(&bytes);
    length <= LONGEST
}

/// Begins the little-endian block of a packet: everything before its options.
pub fn packet(interface: u32, ticks: u64, data: &[u8], length: u32, out: &mut Vec<u8>) {
    let start = out.len();
    let mut head = [0; HEADER + 20];
    let words = [ENHANCED, 0, interface, (ticks >> 32) as u32, ticks as u32, data.len() as u32, length];
    head.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(&head);
    out.extend_from_slice(data);
    pad(start, out);
}

/// Appends an option. A longer value is cut to [`LONGEST_OPTION`].
pub fn option(code: u16, value: &[u8], big: bool, out: &mut Vec<u8>) {
    let value = value.get(..LONGEST_OPTION).unwrap_or(value);
    for half in [code, value.len() as u16] {
        out.extend_from_slice(&if big { half.to_be_bytes() } else { half.to_le_bytes() });
    }
    let start = out.len();
    out.extend_from_slice(value);
    pad(start, out);
}

/// Pads the bytes from `start` on to a multiple of four.
pub fn pad(start: usize, out: &mut Vec<u8>) {
    let more = (out.len() - start).wrapping_neg() % 4;
    out.extend_from_slice([0; 3].get(..more).unwrap_or_default());
}

/// Appends a number of 32 bits.
pub fn word(value: u32, big: bool, block: &mut Vec<u8>) {
    block.extend_from_slice(&if big { value.to_be_bytes() } else { value.to_le_bytes() });
}

/// The byte order of a section header block, `None` if its magic is invalid.
pub fn byte_order(block: &[u8]) -> Option<bool> {
    match block.get(HEADER..HEADER + 4)? {
        [0x1a, 0x2b, 0x3c, 0x4d] => Some(true),
        [0x4d, 0x3c, 0x2b, 0x1a] => Some(false),
        _ => None,
    }
}

/// One block.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// All of the block's bytes.
    pub bytes: &'a [u8],
    /// The block type.
    pub kind: u32,
    big: bool,
}

impl<'a> Block<'a> {
    /// The block at the start of these bytes; `None` if it is incomplete or invalid. `big` is the section's byte order;
    /// a section header states its own.
    pub fn first(bytes: &'a [u8], big: bool) -> Option<Block<'a>> {
        let kind = u32_at(bytes.get(..12)?, 0, big);
        let big = if kind == SECTION { byte_order(bytes)? } else { big };
        let length = u32_at(bytes, 4, big);
        if !(12..=LONGEST).contains(&length) || !length.is_multiple_of(4) {
            return None;
        }
        let bytes = bytes.get(..length as usize)?;
        (u32_at(bytes, bytes.len() - 4, big) == length).then_some(Block { bytes, kind, big })
    }

    /// Whether the block holds a packet.
    pub fn is_packet(self) -> bool {
        matches!(self.kind, OBSOLETE | SIMPLE | ENHANCED)
    }

    /// The section's byte order.
    pub fn is_big(self) -> bool {
        self.big
    }

    /// The offset of the packet's bytes in the block.
    pub fn data(self) -> usize {
        if self.kind == SIMPLE { HEADER + 4 } else { HEADER + 20 }
    }

    /// Calls `each` with the code and value of every option after a packet of `captured` bytes. Stops at an option that
    /// does not fit.
    pub fn options(self, captured: usize, each: impl FnMut(u16, &'a [u8])) {
        if self.kind == SIMPLE {
            return;
        }
        let start = self.data() + captured.next_multiple_of(4);
        options(self.bytes.get(start..self.bytes.len() - 4).unwrap_or_default(), self.big, each);
    }
}
