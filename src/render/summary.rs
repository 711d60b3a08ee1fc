//! One line a message, as tcpdump has them: who, whom, what, and the fields that fit.

use super::envelope::fraction;
use super::leaf;
use super::pen::Pen;
use super::renderer::Style;
use super::tree_text::{Clock, TimeForm, level, name};
use crate::capture::Time;
use crate::codec::json::fields::behind;
use crate::codec::json::numbers::time_of_day;
use crate::codec::layout::Show;
use crate::codec::{Level, Node, Note, Sources, Tree, Value};
use crate::dissect::{Message, Role};

/// Elements of a list that are shown.
const ELEMENTS: usize = 4;
/// On a narrower terminal addresses would take half of the line.
pub(super) const NARROW: usize = 132;
/// Groups deeper than this are only hinted at.
const DEPTH: usize = 6;
/// Columns that one text may take.
const TEXT: usize = 40;

/// Appends one message's line.
pub fn line(message: &Message<'_>, style: Style, clock: &mut Clock, out: &mut Vec<u8>) {
    let mut pen = Pen::new(out, style.colour);
    let narrow = style.width.is_some_and(|width| width < NARROW) && !style.verbose;
    head(message, narrow, style.time, clock, &mut pen);
    let limit = |least| style.width.map_or(usize::MAX, |w| w.saturating_sub(marks_width(message, least)));
    let mark = pen.mark();
    let mut least = Level::Note;
    if fields(message, limit(least), &mut pen) == Some(0) {
        // Before a line says nothing but a note, that becomes a mere sign.
        least = Level::Warning;
        pen.back(mark);
        fields(message, limit(least), &mut pen);
    }
    marks_of(message, least, &mut pen);
    pen.newline();
}

fn head(message: &Message<'_>, narrow: bool, form: Option<TimeForm>, times: &mut Clock, pen: &mut Pen<'_>) {
    let place = message.place;
    if place.frame > 0 {
        pen.pad(4usize.saturating_sub(place.frame.ilog10() as usize));
        pen.paint(pen.palette.dim);
        pen.uint(place.frame);
        pen.put(" ");
        // A clock time has its day. Where that would take a third of the line, times are relative.
        let usual = if narrow { TimeForm::Relative } else { TimeForm::Utc };
        times.show(form.unwrap_or(usual), place.time, pen);
        pen.reset();
        pen.put(" ");
    }
    if message.talk.flow > 0 && narrow && message.draft.from != Role::Unknown {
        // Who sent it; the conversation's number tells clients apart.
        pen.paint(pen.palette.dim);
        pen.uint(message.talk.flow);
        pen.reset();
        pen.put(" ");
        let from = message.draft.from;
        pen.painted(if from == Role::Server { pen.palette.server } else { pen.palette.client }, from.name());
        pen.put(" ");
    } else if message.talk.ends.is_some() {
        let (src, dst) = match message.draft.from {
            Role::Client => (pen.palette.client, pen.palette.server),
            Role::Server => (pen.palette.server, pen.palette.client),
            Role::Unknown => ("", ""),
        };
        for (colour, end, behind) in [(src, message.src(), " > "), (dst, message.dst(), " ")] {
            pen.paint(colour);
            pen.name(end);
            pen.reset();
            pen.put(behind);
        }
    } else if message.draft.from != Role::Unknown {
        pen.put(message.draft.from.name());
        pen.put(" ");
    }
    name(message, pen);
}

/// The time of day, UTC.
pub(super) fn clock(time: Time, pen: &mut Pen<'_>) {
    let day = time.secs.rem_euclid(86_400) as u64;
    pen.appended(|out| {
        time_of_day(day / 3600, day / 60 % 60, day % 60, out);
        if time.digits > 0 {
            out.push(b'.');
            fraction(time, out);
        }
    });
}

fn marked<'a>(message: &Message<'a>, least: Level) -> impl Iterator<Item = &'a Note> + use<'a> {
    message.draft.notes.iter().map(|(note, _)| note).filter(move |note| note.level >= least)
}

/// Are there notes that only a sign tells of?
fn unmarked(message: &Message<'_>, least: Level) -> bool {
    message.draft.notes.iter().any(|(note, _)| note.level < least)
}

/// What must not be cut off at the line's end.
fn marks_width(message: &Message<'_>, least: Level) -> usize {
    let notes: usize = marked(message, least).map(|note| note.code.len() + 3).sum();
    let notes = notes + if unmarked(message, least) { 2 } else { 0 };
    notes + message.draft.fault.as_ref().map_or(0, |fault| fault.path.chars().count() + 3)
}

fn marks_of(message: &Message<'_>, least: Level, pen: &mut Pen<'_>) {
    for note in marked(message, least) {
        let (colour, _) = level(note.level, pen);
        pen.put(" ");
        pen.paint(colour);
        pen.put("[");
        pen.put(note.code);
        pen.put("]");
        pen.reset();
    }
    if unmarked(message, least) {
        let (colour, sign) = level(Level::Note, pen);
        pen.put(" ");
        pen.painted(colour, sign);
    }
    if let Some(fault) = &message.draft.fault {
        pen.put(" ");
        pen.paint(pen.palette.error);
        pen.put("✗ ");
        pen.foreign(&fault.path);
        pen.reset();
    }
}

/// The fields in order, then what is derived; last bytes, which say least. What has no room is left
/// out, and a sign says so. Returns how many are shown that are no bytes; `None`: there are none.
fn fields(message: &Message<'_>, limit: usize, pen: &mut Pen<'_>) -> Option<usize> {
    let sources = message.sources();
    let draft = message.draft;
    let (mut all, mut shown, mut whole, mut put_off) = (0, 0, true, false);
    for (tree, last) in [(&draft.tree, false), (&draft.derived, false), (&draft.tree, true)] {
        let mut at = 0;
        if last && !put_off {
            break;
        }
        while let Some(node) = tree.nodes().get(at) {
            let bytes = matches!(node.value, Value::Bytes { .. });
            let empty = matches!(node.field.show, Show::Flags(_)) && node.number() == Some(0);
            put_off |= bytes;
            if !node.hidden() && !empty && bytes == last {
                let fits = pair(tree, at, sources, limit, pen);
                whole &= fits;
                (all, shown) = (all + !bytes as usize, shown + (fits && !bytes) as usize);
            }
            at = behind(node, at);
        }
    }
    if !whole {
        pen.put(" …");
    }
    (all > 0).then_some(shown)
}

/// ` name=value`. Returns whether it had room.
fn pair(tree: &Tree, at: usize, sources: Sources<'_>, limit: usize, pen: &mut Pen<'_>) -> bool {
    let mark = pen.mark();
    pen.put(" ");
    member(tree, at, sources, 0, limit, pen);
    // Two columns stay free for the sign that says there is more.
    let fits = pen.column.saturating_add(2) <= limit;
    if !fits {
        pen.back(mark);
    }
    fits
}

fn member(tree: &Tree, at: usize, sources: Sources<'_>, depth: usize, limit: usize, pen: &mut Pen<'_>) {
    let node = &tree.nodes()[at];
    pen.paint(pen.palette.dim);
    if tree.foreign_name(node) {
        pen.foreign_cut(tree.name(node, sources), TEXT);
    } else if node.field.quoted.is_there() {
        pen.name(node.field.name);
    } else {
        pen.foreign(node.field.name);
    }
    pen.put("=");
    pen.reset();
    any(tree, at, sources, depth, limit, pen);
}

/// A value: the recursion ends at [`DEPTH`], and where the line does.
pub(super) fn any(tree: &Tree, at: usize, sources: Sources<'_>, depth: usize, limit: usize, pen: &mut Pen<'_>) {
    let node: &Node = &tree.nodes()[at];
    let (open, closed) = match node.value {
        Value::Group => ("{", "}"),
        Value::List => ("[", "]"),
        _ => return leaf::short(node, sources, pen, TEXT.min(limit.saturating_sub(pen.column + 2)).max(12)),
    };
    pen.put(open);
    if depth >= DEPTH || pen.column > limit {
        pen.put("…");
        return pen.put(closed);
    }
    let (mut k, end, mut count) = (at + 1, behind(node, at), 0);
    while k < end {
        let child = &tree.nodes()[k];
        if !child.hidden() {
            if node.value == Value::List && count == ELEMENTS {
                let mark = pen.mark();
                pen.put(" … ");
                pen.int(tree.children(Some(at)).count());
                if pen.column.saturating_add(4 + depth) > limit {
                    pen.back(mark);
                    pen.put("…");
                }
                break;
            }
            let mark = pen.mark();
            pen.put(if count > 0 { " " } else { "" });
            match node.value {
                Value::List => any(tree, k, sources, depth + 1, limit, pen),
                _ => member(tree, k, sources, depth + 1, limit, pen),
            }
            count += 1;
            // Room for the sign, this bracket and those around it, and the sign of the line.
            if pen.column.saturating_add(4 + depth) > limit {
                pen.back(mark);
                pen.put("…");
                break;
            }
        }
        k = behind(child, k);
    }
    pen.put(closed);
}
