//! The tree format: every field with the bytes it was read from.
//!
//! ```text
//! #14  +0.120034  server → client  dnp link_update  8 bytes
//!   0x00   04                 type        4
//!   0x02                      links       1 element
//!   0x02   01 00              └ [0]
//! ```
//! On the left are the offset (`0x04.4`: bit 4 of byte 4; `1:04`: byte 4 of the first reassembled, unmasked or inflated
//! source) and the bytes, on the right the tree.

use super::form::Form;
use super::gutter::Gutter;
use super::leaf;
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, TimeForm};
use super::tree_text::{fault, header, notes};
use crate::capture::Time;
use crate::codec::json::fields::after_node;
use crate::codec::reader::UNPARSED;
use crate::codec::{Node, Sources, Tree, Value};
use crate::dissect::{Message, Wants};
use rustc_hash::FxHashSet;

/// The width if output is not a terminal.
const WIDTH: usize = 120;
/// The longest name that moves its siblings' values to the right.
const NAME: usize = 20;
/// The columns that names from the application leave to their values.
const VALUE: usize = 14;
/// The number of the tree of derived values.
const DERIVED: u8 = 2;
/// The deepest level with guides. Deeper ones are shown as a number, because nesting may exceed any screen.
const GUIDES: usize = 12;

/// Draws trees.
#[derive(Debug)]
pub struct Trees {
    style: Style,
    width: usize,
    /// The number of bytes in a line.
    row: usize,
    pub(super) clock: Clock,
    /// The most bytes of output after this message.
    most: usize,
    open: Vec<Level>,
    /// The places of the lines, for a screen.
    pub places: Places,
}

/// A node: which of the message's trees has it (headers, fields, derived values), and its index there.
pub type Place = (u8, u32);

/// The places of a tree's lines, for a screen.
#[derive(Debug, Default)]
pub struct Places {
    /// There is one, which shows the bytes itself.
    pub screen: bool,
    /// Groups and lists whose nodes are left out.
    pub folded: FxHashSet<Place>,
    /// The beginning of each node's line in the output.
    pub lines: Vec<(usize, Place)>,
}

/// The state of one level of siblings.
#[derive(Clone, Copy, Debug)]
struct Level {
    end: usize,
    /// The next element's index, for a list.
    next: Option<u32>,
    /// The width of the widest name.
    names: usize,
    /// Whether the group or list itself has later siblings.
    more: bool,
    /// The element of a list that these fields belong to: its index precedes the first field.
    element: Option<Element>,
}

/// The index of a group in a list. The group has no line of its own; its fields follow the index.
#[derive(Clone, Copy, Debug)]
struct Element {
    index: u32,
    /// The width of the list's widest index, with its brackets.
    width: usize,
    /// Whether no field has been drawn yet.
    first: bool,
}

/// One of a message's trees.
#[derive(Clone, Copy)]
struct Page<'a> {
    tree: &'a Tree,
    sources: Sources<'a>,
    gutter: Gutter,
    /// The tree of the message: of the headers, of the fields, or of the derived values, which have no
    /// bytes on the wire.
    which: u8,
}

impl Trees {
    /// Creates a writer for this terminal.
    pub fn new(style: Style) -> Trees {
        let width = style.width.unwrap_or(WIDTH).max(40);
        let row = match width {
            ..72 => 4,
            72..100 => 6,
            100..140 => 8,
            _ => 12,
        };
        Trees {
            style,
            width,
            row,
            clock: Clock::default(),
            most: usize::MAX,
            open: Vec::new(),
            places: Places::default(),
        }
    }
}

impl Form for Trees {
    fn reads(&self) -> Wants {
        Wants::PRINTED
    }

    fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    fn divide(&mut self) -> bool {
        self.style.divides()
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        self.most = self.style.most.map_or(usize::MAX, |most| out.len().saturating_add(most));
        let mut line = LineWriter::new(out, self.style.colour);
        header(
            message,
            self.style.time.unwrap_or(TimeForm::Relative),
            &mut self.clock,
            self.width,
            self.style.verbose,
            &mut line,
        );
        let dissection = message.dissection;
        let gutter = Gutter::new(self.row, message.place.bytes.len());
        let page = Page { tree: &dissection.tree, sources: message.sources(), gutter, which: 1 };
        if !dissection.packet.is_empty() {
            self.fields(Page { tree: &dissection.packet, which: 0, ..page }, message, &mut line);
        }
        let fault_shown = self.fields(page, message, &mut line);
        if !dissection.derived.is_empty() {
            self.fields(Page { tree: &dissection.derived, which: DERIVED, ..page }, message, &mut line);
        }
        if !fault_shown {
            fault(message, self.width, &mut line);
        }
        notes(message, self.width, &mut line);
        line.newline();
    }
}

impl Trees {
    /// Draws a tree. Returns whether it included the fault.
    fn fields(&mut self, page: Page<'_>, message: &Message<'_>, line: &mut LineWriter<'_>) -> bool {
        let nodes = page.tree.nodes();
        let mut here = level(page, 0, nodes.len(), false, false);
        let (mut at, mut fault_shown) = (0, false);
        self.open.clear();
        loop {
            while at >= here.end {
                let Some(outer) = self.open.pop() else { return fault_shown };
                here = outer;
            }
            let node = &nodes[at];
            let next = after_node(node, at).min(here.end);
            if let (Value::Group, Some(index), true) = (node.value, here.next, next > at + 1) {
                here.next = Some(index + 1);
                self.open.push(here);
                let element = Element { index, width: here.names, first: true };
                here = Level { element: Some(element), ..level(page, at + 1, next, false, next < here.end) };
                at += 1;
                continue;
            }
            let inside = node.nests();
            let numbers = node.value == Value::List && !self.style.verbose && leaf::all_numbers(&nodes[at + 1..next]);
            let place = (page.which, at as u32);
            let folded = self.places.folded.contains(&place);
            if self.places.screen {
                self.places.lines.push((line.mark().len, place));
            }
            match page.which == DERIVED || node.derived() {
                _ if self.places.screen => {}
                true => page.gutter.derived(line),
                false => page.gutter.line(node, numbers || !inside, page.sources, line),
            }
            let more = next < here.end;
            self.guides(&mut here, more, line);
            let start = line.column();
            line.paint(if node.hidden() { line.palette.dim } else { line.palette.name });
            if std::ptr::eq(node.field, &UNPARSED) {
                line.paint(line.palette.error);
            }
            match &mut here.next {
                Some(index) => {
                    line.put("[").int(*index).put("]");
                    *index += 1;
                }
                None if page.tree.name_from_traffic(node) => {
                    let room = self.width.saturating_sub(line.column() + VALUE).max(NAME);
                    line.untrusted_cut(page.tree.name(node, page.sources), room);
                }
                None => line.untrusted_cut(node.field.name, self.width / 3),
            }
            line.reset();
            if !inside || node.value == Value::List {
                line.pad(start + here.names).put("  ");
            }
            let room = self.width.saturating_sub(line.column()).max(12);
            match node.value {
                _ if numbers => leaf::inline(&nodes[at + 1..next], page.sources, line, room),
                Value::List => {
                    let count = page.tree.children(Some(at)).count();
                    line.paint(line.palette.dim);
                    line.int(count).put(if count == 1 { " element" } else { " elements" }).reset();
                }
                Value::Group => {}
                _ => leaf::long(node, page.sources, line, room),
            }
            self.doc(node, line);
            line.put(if folded { " …" } else { "" }).newline();
            if !inside && self.style.verbose && page.which != DERIVED && !node.derived() {
                if line.mark().len >= self.most {
                    return fault_shown;
                }
                page.gutter.dump(node, page.sources, self.most, line);
            }
            if std::ptr::eq(node.field, &UNPARSED) && !fault_shown {
                fault(message, self.width, line);
                fault_shown = true;
            }
            let opened = inside && !numbers && !folded;
            at = if opened { at + 1 } else { next };
            if opened {
                self.open.push(here);
                here = level(page, at, next, node.value == Value::List, next < here.end);
            }
        }
    }

    /// Draws the guides from a group to its fields, and an element's index.
    fn guides(&self, here: &mut Level, more: bool, line: &mut LineWriter<'_>) {
        let depth = self.open.len();
        line.paint(line.palette.dim);
        let skipped = depth.saturating_sub(GUIDES);
        if skipped > 0 {
            line.put("⋮").int(skipped).put(" ");
        }
        for k in 1 + skipped..=depth {
            let (above, level) = (&self.open[k - 1], self.open.get(k).unwrap_or(here));
            let first = k == depth && level.element.is_some_and(|e| e.first);
            // The top level and the fields of an element have no guides of their own.
            if k > 1 && above.element.is_none() {
                line.put(match (first, level.more) {
                    (true, true) => "├ ",
                    (true, false) => "└ ",
                    (false, true) => "│ ",
                    (false, false) => "  ",
                });
            } else if level.element.is_some() {
                line.put(if first { "" } else { "  " });
            }
            if let Some(element) = level.element {
                let start = line.column();
                if first {
                    line.put("[").int(element.index).put("]");
                }
                line.pad(start + element.width + 1);
            }
        }
        if depth > 0 && here.element.is_none() {
            line.put(if more { "├ " } else { "└ " });
        }
        if let Some(element) = &mut here.element {
            element.first = false;
        }
        line.reset();
    }

    /// Writes the field's documentation, if it fits.
    fn doc(&self, node: &Node, line: &mut LineWriter<'_>) {
        let doc = node.field.doc;
        let room = self.width.saturating_sub(line.column() + 3);
        if doc.is_empty() || !(self.style.verbose || self.style.width.is_some_and(|w| w >= 120)) {
            return;
        }
        if doc.chars().count() <= room || self.style.verbose {
            line.put("   ");
            line.paint(line.palette.dim);
            line.untrusted(doc).reset();
        }
    }
}

/// Returns the state of the level with the nodes from `at` to `end`.
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
        k = after_node(node, k);
    }
    if list {
        names = 2 + itoa::Buffer::new().format(count.saturating_sub(1)).len();
    }
    Level { end, next: list.then_some(0), names, more, element: None }
}
