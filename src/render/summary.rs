//! One line per message, as in tcpdump: sender, receiver, message, and the fields that fit.

use super::form::Form;
use super::leaf;
use super::line_writer::LineWriter;
use super::style::Style;
use super::times::{Clock, NARROW, TimeForm};
use super::tree_text::{level, name};
use crate::capture::Time;
use crate::codec::json::fields::after_node;
use crate::codec::layout::{Show, flag};
use crate::codec::{Level, Note, Sources, Tree, Value};
use crate::dissect::{Message, Role, Wants};

/// The maximum number of elements that are shown of a list.
const ELEMENTS: usize = 4;
/// The depth from which groups are only indicated.
const DEPTH: usize = 6;
/// The maximum width of one field or derived value with all its members, in columns.
const VALUE: usize = 400;
/// The maximum width of the fields of a remark, in columns.
const REMARK: usize = 600;
/// The maximum width of one text, in columns.
const TEXT: usize = 40;

/// Writes one line per message.
#[derive(Debug)]
pub struct Summaries {
    style: Style,
    clock: Clock,
}

impl Summaries {
    /// Creates a writer for this terminal.
    pub fn new(style: Style) -> Summaries {
        Summaries { style, clock: Clock::default() }
    }
}

impl Form for Summaries {
    /// Of the notes, only the codes are printed.
    fn reads(&self) -> Wants {
        Wants::DERIVED
    }

    fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.style.heading {
            heading(self.style, out);
        }
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        line(message, self.style, &mut self.clock, out);
    }

    fn divide(&mut self) -> bool {
        self.style.divides()
    }
}

/// Appends one message's line.
pub fn line(message: &Message<'_>, style: Style, clock: &mut Clock, out: &mut Vec<u8>) {
    let mut line = LineWriter::new(out, style.colour);
    head(message, style, clock, &mut line);
    let limit = |least| style.width.map_or(usize::MAX, |w| w.saturating_sub(marks_width(message, least)));
    let mark = line.mark();
    let mut least = Level::Note;
    if fields(message, limit(least), &mut line) == Some(0) {
        // Notes of the lowest level are reduced to a sign, to make room for at least one field.
        least = Level::Warning;
        line.back(mark);
        fields(message, limit(least), &mut line);
    }
    if message.dissection.fault.is_some() || !message.dissection.notes.is_empty() {
        marks_of(message, least, &mut line);
    }
    line.newline();
}

/// Appends what a message says, as far as it fits into the style's width: its name, fields and marks. Marks without
/// room are reduced to a sign.
#[cfg(feature = "cli")]
pub fn label(message: &Message<'_>, style: Style, out: &mut Vec<u8>) {
    let mut line = LineWriter::new(out, style.colour);
    line.painted(line.palette.title, message.dissection.message);
    let (width, marks) = (style.width.unwrap_or(usize::MAX), marks_width(message, Level::Warning));
    if line.column() + marks <= width {
        fields(message, width - marks, &mut line);
        return marks_of(message, Level::Warning, &mut line);
    }
    fields(message, width.saturating_sub(2), &mut line);
    let worst = message.dissection.fault.as_ref().map(|_| Level::Error).or(message.dissection.notes.worst());
    let (colour, sign) = level(worst.unwrap_or(Level::Note), &line);
    line.put(" ").painted(colour, sign);
}

/// Writes the beginning of a message's line if its frame is already known: protocol, message, sender.
pub(super) fn remark_head(message: &Message<'_>, line: &mut LineWriter<'_>) {
    name(message, line);
    if message.dissection.from != Role::Unknown {
        line.put(" (").put(message.dissection.from.name()).put(")");
    }
}

/// Writes the rest of that line: fields and signs.
pub(super) fn remark(message: &Message<'_>, line: &mut LineWriter<'_>) {
    fields(message, REMARK, line);
    marks_of(message, Level::Note, line);
}

/// Appends the line that names the columns of the lines below it.
fn heading(style: Style, out: &mut Vec<u8>) {
    let mut line = LineWriter::new(out, style.colour);
    line.paint(line.palette.dim);
    // Times have the digits of the capture, which are usually microseconds.
    let (time, width) = match style.time.unwrap_or(TimeForm::usual(style.width)) {
        TimeForm::Relative => ("time", 9),
        TimeForm::Delta => ("delta", 9),
        TimeForm::Epoch => ("time", 17),
        TimeForm::Utc => ("time (UTC)", 27),
        #[cfg(feature = "cli")]
        TimeForm::Local => ("time (local)", 32),
    };
    line.put("frame ").put(time).pad(6 + width);
    line.put(if addresses(style) { " flow source > destination" } else { " flow, sender" }).put(", message, fields");
    line.reset().newline();
}

/// Whether lines have addresses. The terminal alone decides, so that all have the same parts.
fn addresses(style: Style) -> bool {
    style.verbose || style.width.is_none_or(|width| width >= NARROW)
}

/// Writes frame, time, conversation, endpoints and message.
fn head(message: &Message<'_>, style: Style, times: &mut Clock, line: &mut LineWriter<'_>) {
    let place = message.place;
    if place.frame > 0 {
        let blanks = [9, 99, 999, 9999].iter().filter(|most| place.frame <= **most).count();
        line.name("    ".get(..blanks).unwrap_or_default());
        line.paint(line.palette.dim).uint(place.frame).put(" ");
        times.show(style.time.unwrap_or(TimeForm::usual(style.width)), place.time, line);
        line.reset().put(" ");
    }
    if message.flow_info.flow > 0 && style.width.is_some() {
        // The conversation's number distinguishes clients.
        line.paint(line.palette.dim).uint(message.flow_info.flow).reset().put(" ");
    }
    if !addresses(style) && message.dissection.from != Role::Unknown {
        let from = message.dissection.from;
        line.painted(if from == Role::Server { line.palette.server } else { line.palette.client }, from.name());
        line.put(" ");
    } else if message.flow_info.ends.is_some() {
        let (src, dst) = match message.dissection.from {
            Role::Client => (line.palette.client, line.palette.server),
            Role::Server => (line.palette.server, line.palette.client),
            Role::Unknown => ("", ""),
        };
        line.paint(src).name(message.src()).reset().put(" > ");
        line.paint(dst).name(message.dst()).reset().put(" ");
    } else if message.dissection.from != Role::Unknown {
        line.put(message.dissection.from.name()).put(" ");
    }
    name(message, line);
}

fn marked<'a>(message: &Message<'a>, least: Level) -> impl Iterator<Item = &'a Note> + use<'a> {
    message.dissection.notes.iter().map(|(note, _)| note).filter(move |note| note.level >= least)
}

/// Whether there are notes that are only indicated by a sign.
fn unmarked(message: &Message<'_>, least: Level) -> bool {
    message.dissection.notes.iter().any(|(note, _)| note.level < least)
}

/// Returns the width of the signs that must not be cut off at the line's end.
pub(super) fn marks_width(message: &Message<'_>, least: Level) -> usize {
    let notes: usize = marked(message, least).map(|note| note.code.len() + 3).sum();
    let notes = notes + if unmarked(message, least) { 2 } else { 0 };
    notes + message.dissection.fault.as_ref().map_or(0, |fault| fault.path.chars().count() + 3)
}

pub(super) fn marks_of(message: &Message<'_>, least: Level, line: &mut LineWriter<'_>) {
    for note in marked(message, least) {
        let (colour, _) = level(note.level, line);
        line.put(" ").paint(colour).put("[").put(note.code).put("]");
        line.reset();
    }
    if unmarked(message, least) {
        let (colour, sign) = level(Level::Note, line);
        line.put(" ").painted(colour, sign);
    }
    if let Some(fault) = &message.dissection.fault {
        line.put(" ");
        line.paint(line.palette.error);
        line.put("✗ ").untrusted(&fault.path).reset();
    }
}

/// Writes the fields in order, then derived values, then bytes, which mean little to people, and last the flags that
/// determine which fields are present. Fields that do not fit are left out, which a sign indicates. Returns the number
/// of fields other than bytes that are shown; `None` if there are none.
pub(super) fn fields(message: &Message<'_>, limit: usize, line: &mut LineWriter<'_>) -> Option<usize> {
    let sources = message.sources();
    let dissection = message.dissection;
    let (mut all, mut shown, mut whole) = (0, 0, true);
    // The first node of each turn.
    let mut first = [0, usize::MAX, usize::MAX, usize::MAX];
    let passes = [(&dissection.tree, 0), (&dissection.derived, 0), (&dissection.tree, 1), (&dissection.tree, 2)];
    for (k, &(tree, turn)) in passes.iter().enumerate() {
        let mut at = first[turn];
        while let Some(node) = tree.nodes().get(at) {
            // Turn 3 never comes: the field is hidden, or says nothing.
            let own = match (node.value, node.field.show) {
                _ if node.hidden() => 3,
                (Value::Bytes { .. }, _) => 1,
                (_, Show::Flags(_)) if node.number() == Some(0) => 3,
                (_, Show::Flags(_)) if node.field.is(flag::REFERENCED) => 2,
                _ => 0,
            };
            if own == turn {
                let fits = pair(tree, at, sources, limit, line);
                whole &= fits;
                (all, shown) = (all + (own != 1) as usize, shown + (fits && own != 1) as usize);
            } else if k == 0 {
                first[own] = first[own].min(at);
            }
            at = after_node(node, at);
        }
    }
    // The headers around the message come after its own fields.
    let packet = &dissection.packet;
    let mut at = 0;
    while let Some(node) = packet.nodes().get(at) {
        if !node.hidden() {
            whole &= pair(packet, at, sources, limit, line);
        }
        at = after_node(node, at);
    }
    if !whole {
        line.put(" …");
    }
    (all > 0).then_some(shown)
}

/// Writes ` name=value`. Returns whether it fitted.
fn pair(tree: &Tree, at: usize, sources: Sources<'_>, limit: usize, line: &mut LineWriter<'_>) -> bool {
    let mark = line.mark();
    line.put(" ");
    // One value is limited even on a wide line: a handshake may contain whole tables.
    let own = limit.min(line.column().saturating_add(VALUE));
    member(tree, at, sources, 0, own, line);
    // Two columns are reserved for the sign of omitted fields.
    let fits = line.column().saturating_add(2) <= limit;
    if !fits {
        line.back(mark);
    }
    fits
}

fn member(tree: &Tree, at: usize, sources: Sources<'_>, depth: usize, limit: usize, line: &mut LineWriter<'_>) {
    let node = &tree.nodes()[at];
    line.paint(line.palette.dim);
    if tree.name_from_traffic(node) {
        line.untrusted_cut(tree.name(node, sources), TEXT);
    } else if node.field.quoted.is_there() {
        line.name(node.field.name);
    } else {
        line.untrusted(node.field.name);
    }
    line.put("=").reset();
    any(tree, at, sources, depth, limit, line);
}

/// Writes a value.
#[inline(always)]
pub(super) fn any(tree: &Tree, at: usize, sources: Sources<'_>, depth: usize, limit: usize, line: &mut LineWriter<'_>) {
    let node = &tree.nodes()[at];
    if node.nests() {
        return below(tree, at, sources, depth, limit, line);
    }
    leaf::short(node, sources, line, TEXT.min(limit.saturating_sub(line.column() + 1)).max(12));
}

/// Writes a group or list. The recursion ends at [`DEPTH`], and at the end of the line.
fn below(tree: &Tree, at: usize, sources: Sources<'_>, depth: usize, limit: usize, line: &mut LineWriter<'_>) {
    let node = &tree.nodes()[at];
    let (open, closed) = if node.value == Value::List { ("[", "]") } else { ("{", "}") };
    line.put(open);
    if depth >= DEPTH || line.column() > limit {
        line.put("…").put(closed);
        return;
    }
    let (mut k, end, mut count) = (at + 1, after_node(node, at), 0);
    while k < end {
        let child = &tree.nodes()[k];
        if !child.hidden() {
            if node.value == Value::List && count == ELEMENTS {
                let mark = line.mark();
                line.put(" … ").int(tree.children(Some(at)).count());
                if line.column().saturating_add(4 + depth) > limit {
                    line.back(mark);
                    line.put("…");
                }
                break;
            }
            let mark = line.mark();
            line.put(if count > 0 { " " } else { "" });
            match node.value {
                Value::List => any(tree, k, sources, depth + 1, limit, line),
                _ => member(tree, k, sources, depth + 1, limit, line),
            }
            count += 1;
            // Reserves columns for the sign, the closing brackets, and the line's own sign.
            if line.column().saturating_add(4 + depth) > limit {
                line.back(mark);
                line.put("…");
                break;
            }
        }
        k = after_node(child, k);
    }
    line.put(closed);
}
