//! Some successive frames, in the form that they will have in the file.
//!
//! Most comments belong to the latest frame. Its block is therefore kept without its end, and comments are appended to
//! it in place; all bytes of the chunk are then written at once. Comments of earlier frames are kept separately, and
//! their blocks are rebuilt when the chunk is written.

use super::options::{is_own, split, taken};
use crate::capture::LONGEST;
use crate::capture::block::{self, Block, ENHANCED, SIMPLE};
use std::ops::Range;

/// The place of the transport's payload in a frame.
#[derive(Clone, Debug)]
pub struct PayloadRange {
    pub range: Range<usize>,
    /// Whether it is a datagram.
    pub datagram: bool,
}

/// The number of bytes, and of frames, at which a chunk takes no further frame.
pub const BYTES: usize = 256 << 10;
pub const FRAMES: usize = 512;
/// The most memory that is kept for other frames.
const RETAINED: usize = 2 * BYTES;
/// The size of the ends of options and block, and of the head that a simple packet gets.
const ENDS: usize = 64;

/// A frame.
#[derive(Debug)]
struct Held {
    /// The start and the end of its block in the chunk.
    start: usize,
    end: usize,
    big: bool,
    /// The start of the packet's bytes in the block, and their number.
    data: usize,
    captured: usize,
    payload: Option<PayloadRange>,
    /// The size of its late comments.
    late: usize,
}

/// The state of the latest block's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tail {
    /// The block is complete.
    #[default]
    Whole,
    /// The block ends after its packet, without options so far.
    Bare,
    /// The block ends after an option.
    Options,
}

/// Frames, and the other blocks before each of them.
#[derive(Debug, Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    /// The number of the first frame.
    first: u64,
    frames: Vec<Held>,
    tail: Tail,
    /// Comments of frames before the latest one: the frame, and the range of the text.
    late: Vec<(usize, Range<usize>)>,
    texts: Vec<u8>,
}

impl Chunk {
    /// Whether the next frame needs another chunk.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= BYTES || self.frames.len() >= FRAMES
    }

    /// Returns the number of its frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the memory that its frames take.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.texts.len()
    }

    /// Returns the index of the frame with this number, if it is in this chunk.
    pub fn index(&self, number: u64) -> Option<usize> {
        number.checked_sub(self.first).map(|at| at as usize).filter(|at| *at < self.frames.len())
    }

    /// Appends blocks that are not frames.
    pub fn before(&mut self, blocks: &[u8]) {
        self.bytes.extend_from_slice(blocks);
    }

    /// Returns the memory to which the next frame's block is appended, for [`Chunk::begun`].
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Adds the next frame. Its block was started at `start`, without options and end.
    pub fn begun(&mut self, number: u64, start: usize, captured: usize, payload: Option<PayloadRange>) {
        let data = ENHANCED_DATA;
        self.hold(number, Held { start, end: 0, big: false, data, captured, payload, late: 0 });
        self.tail = Tail::Bare;
    }

    /// Adds the next frame: its block as it is, without comments that netkit wrote earlier.
    pub fn whole(&mut self, number: u64, block: Block<'_>, captured: usize, payload: Option<PayloadRange>) {
        let (start, big) = (self.bytes.len(), block.is_big());
        let mut own = false;
        block.options(captured, |code, value| own |= is_own(code, value));
        let held = Held { start, end: 0, big, data: block.data(), captured, payload, late: 0 };
        if !own {
            self.bytes.extend_from_slice(block.bytes);
            self.hold(number, held);
            self.tail = Tail::Whole;
            return;
        }
        let packet = block.data() + captured;
        self.bytes.extend_from_slice(block.bytes.get(..packet).unwrap_or_default());
        block::pad(start, &mut self.bytes);
        let bare = self.bytes.len();
        block.options(captured, |code, value| {
            if !is_own(code, value) {
                block::option(code, value, big, &mut self.bytes);
            }
        });
        self.tail = if self.bytes.len() > bare { Tail::Options } else { Tail::Bare };
        self.hold(number, held);
    }

    fn hold(&mut self, number: u64, held: Held) {
        if self.frames.is_empty() {
            self.first = number;
        }
        self.frames.push(held);
    }

    /// Ends the latest block, if it has no end.
    pub fn end(&mut self) {
        if let Some(held) = self.frames.last_mut() {
            ended(held.start, held.big, std::mem::take(&mut self.tail), &mut self.bytes);
            held.end = self.bytes.len();
        }
    }

    /// Returns the start of the transport's payload in the frame, its bytes, and whether it is a datagram.
    pub fn payload(&self, index: usize) -> Option<(usize, &[u8], bool)> {
        let held = self.frames.get(index)?;
        let PayloadRange { range, datagram } = held.payload.clone()?;
        let data = held.start + held.data;
        Some((range.start, self.bytes.get(data + range.start..data + range.end)?, datagram))
    }

    /// Returns the number of bytes by which the block of a frame may grow.
    pub fn room(&self, index: usize) -> usize {
        let Some(held) = self.frames.get(index) else { return 0 };
        let latest = index + 1 == self.frames.len();
        let end = if latest { self.bytes.len() } else { held.end };
        (LONGEST as usize).saturating_sub(end - held.start + held.late + ENDS)
    }

    /// Adds a comment to a frame. It must fit into the [room](Chunk::room).
    pub fn comment(&mut self, index: usize, text: &[u8]) {
        let latest = index + 1 == self.frames.len();
        match self.frames.last_mut() {
            Some(held) if latest => {
                if self.tail == Tail::Whole && !reopen(held, &mut self.bytes) {
                    return;
                }
                split(text, held.big, &mut self.bytes);
                self.tail = Tail::Options;
            }
            _ => {
                let start = self.texts.len();
                self.texts.extend_from_slice(text);
                self.late.push((index, start..self.texts.len()));
                if let Some(held) = self.frames.get_mut(index) {
                    held.late += taken(text);
                }
            }
        }
    }

    /// Passes all of it to `out`, in parts.
    pub fn write(&mut self, mut out: impl FnMut(&[u8])) {
        self.end();
        // A stable sort keeps the comments of one frame in order.
        self.late.sort_by_key(|(frame, _)| *frame);
        let mut from = 0;
        let mut anew = Vec::new();
        for late in self.late.chunk_by(|(a, _), (b, _)| a == b) {
            let Some(held) = late.first().and_then(|(frame, _)| self.frames.get_mut(*frame)) else { continue };
            out(self.bytes.get(from..held.start).unwrap_or_default());
            from = held.end;
            anew.clear();
            anew.extend_from_slice(self.bytes.get(held.start..held.end).unwrap_or_default());
            held.start = 0;
            if reopen(held, &mut anew) {
                for (_, text) in late {
                    split(self.texts.get(text.clone()).unwrap_or_default(), held.big, &mut anew);
                }
                ended(0, held.big, Tail::Options, &mut anew);
            }
            out(&anew);
        }
        out(self.bytes.get(from..).unwrap_or_default());
    }

    /// Removes everything, but keeps some of the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(RETAINED);
        self.texts.clear();
        self.texts.shrink_to(RETAINED);
        self.late.clear();
        self.late.shrink_to(FRAMES);
        self.frames.clear();
        self.tail = Tail::Whole;
    }
}

/// The start of the packet in the blocks that are made here.
const ENHANCED_DATA: usize = 28;

/// Writes the end of a block.
fn ended(start: usize, big: bool, tail: Tail, bytes: &mut Vec<u8>) {
    if tail == Tail::Options {
        block::option(0, &[], big, bytes);
    }
    if tail != Tail::Whole {
        block::end(start, big, bytes);
    }
}

/// Removes the end of a whole block, the last one in these bytes, so that options can be appended. A simple packet
/// cannot have options, and has no time, so it becomes an enhanced one.
fn reopen(held: &mut Held, bytes: &mut Vec<u8>) -> bool {
    let Some(block) = Block::first(bytes.get(held.start..).unwrap_or_default(), held.big) else { return false };
    let mut after = block.data() + held.captured.next_multiple_of(4);
    block.options(held.captured, |_, value| after += 4 + value.len().next_multiple_of(4));
    let simple = block.kind == SIMPLE;
    bytes.truncate(held.start + after);
    if simple {
        let mut head = Vec::with_capacity(ENHANCED_DATA);
        block::begin(ENHANCED, held.big, &mut head);
        [0, 0, 0, held.captured as u32].into_iter().for_each(|word| block::word(word, held.big, &mut head));
        // The length on the wire stays where it is.
        bytes.splice(held.start..held.start + 8, head);
        held.data = ENHANCED_DATA;
    }
    true
}
