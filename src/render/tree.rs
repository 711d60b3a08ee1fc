//! The form for people: every field with the bytes it came from.
//!
//! ```text
//! #14  +0.120034  server → client  dnp link_update  8 bytes
//!   0x00   04                 type        4
//!   0x02                      links       1 element
//!   0x02   01 00              └ [0]
//! ```
//! On the left the offset (`0x04.4`: bit 4 of byte 4; `1:04`: byte 4 of the first joined, unmasked
//! or inflated source) and the bytes, on the right the tree.

use super::bytes::ByteIter;
use super::json_fields::behind;
use super::leaf;
use super::pen::Pen;
use super::renderer::Style;
use super::tree_text::{Clock, fault, header, notes};
use crate::codec::reader::UNPARSED;
use crate::codec::{Node, Sources, Tree, Value, bits};
use crate::protocols::Message;

/// The width where output is no terminal.
const WIDTH: usize = 120;
/// Names longer than this do not push their siblings' values further right.
const NAME: usize = 20;
/// Levels deeper than this are told by number: nesting has no bound that a screen could follow.
const GUIDES: usize = 12;

/// Draws trees.
#[derive(Debug)]
pub struct Trees {
    style: Style,
    width: usize,
    /// How many bytes stand in one line.
    row: usize,
    clock: Clock,
    open: Vec<Level>,
}

/// The siblings being drawn.
#[derive(Clone, Copy, Debug)]
struct Level {
    end: usize,
    /// The next element's index, in a list.
    next: Option<u32>,
    /// How wide the widest name is.
    names: usize,
    /// Does the group or list itself have later siblings?
    more: bool,
}

/// One message's measures.
#[derive(Clone, Copy)]
struct Page<'a> {
    tree: &'a Tree,
    sources: Sources<'a>,
    /// Digits of an offset.
    digits: usize,
    /// Where the tree begins.
    left: usize,
}

impl Trees {
    /// Trees for this terminal.
    pub fn new(style: Style) -> Trees {
        let width = style.width.unwrap_or(WIDTH).max(40);
        let row = match width {
            ..72 => 4,
            72..100 => 6,
            100..140 => 8,
            _ => 12,
        };
        Trees { style, width, row, clock: Clock::default(), open: Vec::new() }
    }

    /// Appends one message.
    pub fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let mut pen = Pen::new(out, self.style.colour);
        header(message, &mut self.clock, self.width, self.style.verbose, &mut pen);
        let draft = message.draft;
        let digits = match message.place.bytes.len() {
            ..=0x100 => 2,
            ..=0x10000 => 4,
            _ => 8,
        };
        let left = 2 + 2 + digits + 3 + (self.row * 3).max(9) + 1;
        let page = Page { tree: &draft.tree, sources: message.sources(), digits, left };
        let told = self.fields(page, message, &mut pen);
        if !draft.derived.is_empty() {
            self.fields(Page { tree: &draft.derived, ..page }, message, &mut pen);
        }
        if !told {
            fault(message, self.width, &mut pen);
        }
        notes(message, self.width, &mut pen);
        pen.newline();
    }

    /// Draws a tree. Returns whether the fault has been told.
    fn fields(&mut self, page: Page<'_>, message: &Message<'_>, pen: &mut Pen<'_>) -> bool {
        let nodes = page.tree.nodes();
        let beside = std::ptr::eq(page.tree, &message.draft.derived);
        let mut here = level(page, 0, nodes.len(), false, false);
        let (mut at, mut told) = (0, false);
        self.open.clear();
        loop {
            while at >= here.end {
                let Some(outer) = self.open.pop() else { return told };
                here = outer;
            }
            let node = &nodes[at];
            let next = behind(node, at).min(here.end);
            let inside = matches!(node.value, Value::Group | Value::List);
            let numbers = node.value == Value::List && !self.style.verbose && all_numbers(&nodes[at + 1..next]);
            self.gutter(node, (beside || node.derived(), numbers || !inside), page, pen);
            self.guides(here.more, next < here.end, pen);
            let start = pen.column;
            pen.paint(if node.hidden() { pen.palette.dim } else { pen.palette.name });
            if std::ptr::eq(node.field, &UNPARSED) {
                pen.paint(pen.palette.error);
            }
            match &mut here.next {
                Some(index) => {
                    pen.put("[");
                    pen.int(*index);
                    pen.put("]");
                    *index += 1;
                }
                None if page.tree.foreign_name(node) => {
                    pen.foreign_cut(page.tree.name(node, page.sources), self.width / 4);
                }
                None => pen.foreign_cut(node.field.name, self.width / 3),
            }
            pen.reset();
            if !inside || node.value == Value::List {
                pen.pad(start + here.names);
                pen.put("  ");
            }
            let room = self.width.saturating_sub(pen.column).max(12);
            match node.value {
                _ if numbers => inline(&nodes[at + 1..next], page.sources, pen, room),
                Value::List => {
                    let count = page.tree.children(Some(at)).count();
                    pen.paint(pen.palette.dim);
                    pen.int(count);
                    pen.put(if count == 1 { " element" } else { " elements" });
                    pen.reset();
                }
                Value::Group => {}
                _ => leaf::long(node, page.sources, pen, room),
            }
            self.doc(node, pen);
            pen.newline();
            if !inside && self.style.verbose {
                self.rest_of_bytes(node, page, pen);
            }
            if std::ptr::eq(node.field, &UNPARSED) && !told {
                fault(message, self.width, pen);
                told = true;
            }
            at = if inside && !numbers { at + 1 } else { next };
            if inside && !numbers {
                self.open.push(here);
                here = level(page, at, next, node.value == Value::List, next < here.end);
            }
        }
    }

    /// The offset, and the first bytes.
    fn gutter(&self, node: &Node, (derived, bytes): (bool, bool), page: Page<'_>, pen: &mut Pen<'_>) {
        let palette = pen.palette;
        pen.put("  ");
        if derived {
            pen.pad(2 + 2 + page.digits + 3);
            pen.painted(palette.derived, "derived");
            pen.pad(page.left);
            return;
        }
        pen.paint(palette.dim);
        self.offset(node.source, node.bit as usize / 8, page.digits, pen);
        if node.bit % 8 != 0 {
            pen.put(".");
            pen.int(node.bit % 8);
        }
        pen.reset();
        pen.pad(2 + 2 + page.digits + 3);
        if bytes && node.bits > 0 {
            pen.paint(if node.hidden() { palette.dim } else { palette.hex });
            self.some_bytes(node, page.sources, pen);
            pen.reset();
        }
        pen.pad(page.left);
    }

    fn offset(&self, source: u8, byte: usize, digits: usize, pen: &mut Pen<'_>) {
        match source {
            0 => pen.put("0x"),
            n => {
                pen.int(n);
                pen.put(":");
            }
        }
        let all = (byte as u32).to_be_bytes();
        all[4 - digits / 2..].iter().for_each(|b| pen.hex(*b));
    }

    /// A part of a byte bit by bit, the others as hex, as far as the line goes.
    fn some_bytes(&self, node: &Node, sources: Sources<'_>, pen: &mut Pen<'_>) {
        let data = sources.get(node.source);
        let (bit, count) = (node.bit % 8, node.bits);
        if bit + count <= 8 && count < 8 {
            let byte = bits::get(data, node.bit as usize / 8 * 8, 8);
            for place in (0..8).rev() {
                let its = place >= bit && place < bit + count;
                pen.ascii(if !its { b'.' } else { b'0' + (byte >> place & 1) as u8 });
                pen.put(if place == 4 { " " } else { "" });
            }
            return;
        }
        let all = touched(node, data);
        let shown = if all.len() > self.row { self.row - 1 } else { all.len() };
        for (k, byte) in all.take(shown).enumerate() {
            pen.put(if k > 0 { " " } else { "" });
            pen.hex(byte);
        }
        pen.put(if shown < all.len() { " …" } else { "" });
    }

    /// All bytes of a field too long for the line, as a hex dump.
    fn rest_of_bytes(&self, node: &Node, page: Page<'_>, pen: &mut Pen<'_>) {
        let all = touched(node, page.sources.get(node.source));
        if all.len() <= self.row || node.derived() {
            return;
        }
        let (mut ahead, mut byte) = (all, node.bit as usize / 8);
        while ahead.len() > 0 {
            pen.put("  ");
            pen.paint(pen.palette.dim);
            self.offset(node.source, byte, page.digits, pen);
            pen.reset();
            pen.pad(2 + 2 + page.digits + 3);
            let line = ahead.start(self.row);
            pen.paint(pen.palette.hex);
            for (k, b) in line.enumerate() {
                pen.put(if k > 0 { " " } else { "" });
                pen.hex(b);
            }
            pen.reset();
            pen.pad(page.left);
            pen.paint(pen.palette.dim);
            leaf::ascii(line, pen, self.row);
            pen.reset();
            pen.newline();
            ahead = ahead.behind(self.row);
            byte += self.row;
        }
    }

    /// The lines that lead from a group to its fields.
    fn guides(&self, parent_more: bool, more: bool, pen: &mut Pen<'_>) {
        let depth = self.open.len();
        if depth == 0 {
            return;
        }
        pen.paint(pen.palette.dim);
        let skipped = depth.saturating_sub(GUIDES);
        if skipped > 0 {
            pen.put("⋮");
            pen.int(skipped);
            pen.put(" ");
        }
        // A level's line goes on while the group above it has later siblings; the first has none.
        for level in self.open.iter().skip(2 + skipped) {
            pen.put(if level.more { "│ " } else { "  " });
        }
        if depth > 1 {
            pen.put(if parent_more { "│ " } else { "  " });
        }
        pen.put(if more { "├ " } else { "└ " });
        pen.reset();
    }

    /// What the field is for, where there is room for it.
    fn doc(&self, node: &Node, pen: &mut Pen<'_>) {
        let doc = node.field.doc;
        let room = self.width.saturating_sub(pen.column + 3);
        if doc.is_empty() || !(self.style.verbose || self.style.width.is_some_and(|w| w >= 120)) {
            return;
        }
        if doc.chars().count() <= room || self.style.verbose {
            pen.put("   ");
            pen.paint(pen.palette.dim);
            pen.foreign(doc);
            pen.reset();
        }
    }
}

/// The bytes that a field's bits stand in, whole.
fn touched<'a>(node: &Node, data: &'a [u8]) -> ByteIter<'a> {
    let start = node.bit / 8 * 8;
    let end = (node.bit as u64 + node.bits as u64).div_ceil(8) * 8;
    ByteIter::new(data, start, (end - start as u64).min(u32::MAX as u64 / 8 * 8) as u32)
}

/// A list of plain numbers stands in one line.
fn all_numbers(elements: &[Node]) -> bool {
    elements.iter().all(|n| {
        !n.hidden()
            && matches!(
                n.value,
                Value::UInt(_) | Value::Int(_) | Value::Bool(_) | Value::F16(_) | Value::F32(_) | Value::F64(_)
            )
    }) && !elements.is_empty()
}

/// `[1, 2, 3]`, cut where the line ends.
fn inline(elements: &[Node], sources: Sources<'_>, pen: &mut Pen<'_>, room: usize) {
    let limit = pen.column + room;
    pen.put("[");
    for (k, element) in elements.iter().enumerate() {
        let mark = pen.mark();
        pen.put(if k > 0 { ", " } else { "" });
        leaf::short(element, sources, pen, room);
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

/// The level whose nodes stand between `at` and `end`.
fn level(page: Page<'_>, at: usize, end: usize, list: bool, more: bool) -> Level {
    let nodes = page.tree.nodes();
    let (mut k, mut count, mut names) = (at, 0u32, 0);
    while k < end {
        let node = &nodes[k];
        if !list && !matches!(node.value, Value::Group) {
            let name = page.tree.name(node, page.sources);
            names = names.max(name.chars().take(NAME).count());
        }
        count += 1;
        k = behind(node, k);
    }
    if list {
        names = 2 + itoa::Buffer::new().format(count.saturating_sub(1)).len();
    }
    Level { end, next: list.then_some(0), names, more }
}
