//! Converts bytes to a tree of annotated fields.

mod list;
#[cfg(test)]
mod tests;
mod value;
mod wire;

use crate::codec::context::Context;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Len, Order};
use crate::codec::tree::Tree;
use crate::codec::{bits, walk};
pub(super) use list::least_bits;
pub(super) use value::raw_or_bytes;

/// The bytes from a broken field on. It is the last key of `fields`.
pub static UNPARSED: Field = super::layout::bytes("unparsed", Len::Rest).doc("what could not be read");

/// Marks content that breaks off before its end mark or terminator.
pub(in crate::codec) static UNENDED: Field =
    super::layout::boolean("unended", 1).doc("what ends the list was not read");

/// The bytes of a payload after its schema's fields.
pub static TRAILING: Field = {
    let mut field = super::layout::bytes("trailing", Len::Rest).doc("what is left over").omit_empty().padded();
    field.hook = u16::MAX;
    field
};

/// The longest message, in bytes. The number of its bits fits into 32 bits.
pub const LONGEST: usize = (u32::MAX / 8) as usize;

/// The cap on nodes of one message, because a payload of megabytes may be a single list of bits.
pub const MOST_NODES: usize = 1 << 19;

/// The number of open lists from which on the end of the message is not known. Lists are never nested as deeply.
const OPEN_ENDED: u32 = 1 << 16;

/// The cap on nesting. GNE's embedded packets need 512 levels, and their lists two more.
pub const MAX_DEPTH: usize = 514;

/// The result of reading a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of bits that were read, without unparsed ones.
    pub bits: u32,
    /// The reason why reading ended early, if it did.
    pub stop: Option<Stop>,
}

impl Outcome {
    /// The fault, if there is one.
    pub fn fault(self) -> Option<Fault> {
        if let Some(Stop::Fault(fault)) = self.stop { Some(fault) } else { None }
    }
}

/// Reads one message's bytes into a tree.
///
/// Never panics, and never allocates according to a length that it has read. When a field is
/// broken, the fields before it stay in the tree, and the bits from the broken field on become
/// `unparsed`.
pub struct Reader<'a> {
    pub(super) data: &'a [u8],
    /// The number of captured bits.
    pub(super) end: u32,
    /// The number of bits on the wire: more than `end` if the capture cut the frame.
    pub(super) wire_end: u32,
    /// Whether the capture cut the whole message: a region of it may still be complete.
    pub(super) cut: bool,
    pub(super) at: u32,
    pub(super) order: Order,
    pub(super) proto: &'a str,
    pub(super) message: &'a str,
    pub(super) depth: usize,
    pub(super) max_depth: usize,
    pub(super) tree: &'a mut Tree,
    pub(super) context: Option<&'a mut dyn Context>,
    unparsed: bool,
    /// The number of open lists. Bytes that one element leaves belong to the next one.
    pub(super) listed: u32,
    /// Whether an element of the current list has a length or count in a form that cannot be shown inside a list.
    odd: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader of at most `LONGEST` bytes of `data`, which appends to `tree`.
    #[inline(always)]
    pub fn new(data: &'a [u8], tree: &'a mut Tree) -> Reader<'a> {
        let data = data.get(..LONGEST).unwrap_or(data);
        let end = data.len() as u32 * 8;
        Reader {
            data,
            end,
            wire_end: end,
            cut: false,
            at: 0,
            order: Order::Little,
            proto: "",
            message: "",
            depth: 0,
            max_depth: MAX_DEPTH,
            tree,
            context: None,
            unparsed: false,
            listed: 0,
            odd: false,
        }
    }

    /// Sets the protocol's and the message's name for the paths of faults: `riptide`, `reliable`.
    #[inline(always)]
    pub fn named(mut self, proto: &'a str, message: &'a str) -> Self {
        (self.proto, self.message) = (proto, message);
        self
    }

    /// Sets the message's length on the wire, in bytes. The capture may hold fewer.
    #[inline(always)]
    pub fn wire_length(mut self, length: usize) -> Self {
        self.wire_end = (length.min(LONGEST) as u32 * 8).max(self.end);
        self.cut = self.wire_end > self.end;
        self
    }

    /// Reads a message whose end only its fields show: other messages may follow it.
    pub fn open_ended(mut self) -> Self {
        self.wire_end = (LONGEST as u32 * 8).max(self.end);
        self.cut = self.wire_end > self.end;
        self.listed = OPEN_ENDED;
        self
    }

    /// Whether the end is not known, here.
    pub(super) fn is_open_ended(&self) -> bool {
        self.listed >= OPEN_ENDED
    }

    /// Starts at this bit.
    pub fn starting_at(mut self, bit: u32) -> Self {
        self.at = bit.min(self.end);
        self
    }

    /// Rejects groups nested deeper than this.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets the conversation's state.
    pub fn context(mut self, context: &'a mut dyn Context) -> Self {
        self.order = context.order();
        self.context = Some(context);
        self
    }

    /// Walks the table. After a fault, the fields read so far stay, and the rest becomes `unparsed`.
    #[inline]
    pub fn read(mut self, fields: &'static [Field]) -> Outcome {
        match walk::walk(fields, &mut self) {
            Ok(()) => Outcome { bits: self.at, stop: None },
            Err(stop) => self.stopped(stop),
        }
    }

    #[cold]
    fn stopped(mut self, stop: Stop) -> Outcome {
        let bit = match &stop {
            Stop::Fault(fault) => fault.bit,
            Stop::Unknown { bit } => *bit,
        };
        if !self.unparsed {
            self.at = bit;
            self.rest(&UNPARSED);
        }
        Outcome { bits: bit, stop: Some(stop) }
    }

    /// Makes one node of everything from here to the end, unless nothing is left.
    pub(super) fn rest(&mut self, field: &'static Field) {
        let (bit, bits) = (self.at, self.end - self.at.min(self.end));
        if bits > 0 {
            self.tree.push(field, raw_or_bytes(bit, bits), bit, bits);
            self.at = self.end;
        }
    }

    /// The next bit to be read.
    pub fn position(&self) -> u32 {
        self.at
    }

    /// The number of bits left on the wire.
    pub fn left(&self) -> u32 {
        self.wire_end - self.at.min(self.wire_end)
    }

    /// Whether more bytes follow on the wire than are there.
    pub(super) fn is_cut(&self) -> bool {
        self.wire_end > self.end
    }

    /// The bit after the last captured one.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Moves to this bit.
    pub(super) fn seek(&mut self, bit: u32) {
        self.at = bit.min(self.end);
    }

    /// Reads the bits from `from` up to `to` as if they were the whole message, and moves to their end.
    pub(super) fn within(
        &mut self,
        from: u32,
        to: u32,
        read: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (end, wire_end) = (self.end, self.wire_end);
        let listed = std::mem::take(&mut self.listed);
        let limit = to.min(end);
        (self.at, self.end, self.wire_end) = (from.min(limit), limit, limit);
        let done = read(self);
        (self.end, self.wire_end) = (end, wire_end);
        self.listed = listed;
        if done.is_ok() {
            self.at = limit;
        }
        done
    }

    /// Rejects lists with more elements than the cap on nodes allows.
    pub(super) fn room(&mut self, field: &'static Field) -> Result<(), Stop> {
        if self.tree.nodes().len() < MOST_NODES {
            return Ok(());
        }
        let have = (self.end - self.at) as u64;
        let limit = format!("more than {MOST_NODES} values");
        Err(self.broken(field, Fault { limit, ..Fault::new(Reason::Count, self.at, 0, have) }))
    }

    /// The number of open groups.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The tree being built.
    pub fn tree(&mut self) -> &mut Tree {
        self.tree
    }

    /// The bytes being read.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Returns the next `count` (at most 64) bits without moving; `None` if fewer are left.
    #[inline]
    pub fn peek(&self, count: u32) -> Option<u64> {
        (self.end - self.at >= count).then(|| bits::get(self.data, self.at as usize, count))
    }

    /// Skips bits that [`Reader::peek`] has seen.
    pub fn skip(&mut self, count: u32) {
        self.at = (self.at + count).min(self.end);
    }

    /// Creates the fault for a `field` that began at bit `start` and needs `need` bits.
    #[cold]
    pub fn short(&mut self, field: &'static Field, start: u32, need: u64, limit: String) -> Stop {
        let have = (self.end - start.min(self.end)) as u64;
        let reason = if self.wire_end > self.end && need <= (self.wire_end - start) as u64 {
            Reason::Cut
        } else {
            Reason::Short
        };
        self.broken(field, Fault { limit, ..Fault::new(reason, start, need, have) })
    }

    /// Adds the path to a fault, and moves back to the start of the field.
    #[cold]
    pub fn broken(&mut self, field: &'static Field, mut fault: Fault) -> Stop {
        self.at = fault.bit;
        fault.path = self.tree.path(self.proto, self.message, field.name);
        Stop::Fault(fault)
    }
}
