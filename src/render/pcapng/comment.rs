//! The text of a message's comment.

use super::heads::Heads;
use super::options::OWN;
use super::tree::TreeLine;
use crate::codec::json::line::{Line, Stage};
use crate::codec::json::numbers::uint;
use crate::codec::json::text::hex;
use crate::dissect::{Message, Relations};
use crate::render::envelope::millis;
use crate::render::line_writer::LineWriter;
use crate::render::summary;
use std::fmt::Write;

/// The contents of a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Lines for people, and the tree for the script.
    #[default]
    Tree,
    /// Lines for people only.
    Plain,
}

/// The place and length of some bytes in a frame.
pub(super) type Found = Option<(usize, usize)>;

/// Makes comments. Its only state is reusable memory.
#[derive(Debug, Default)]
pub struct Commenter {
    detail: Detail,
    /// Also writes fields that are shown only together with the message's bytes.
    bulk: bool,
    tree: TreeLine,
    heads: Heads,
}

impl Commenter {
    /// Creates a writer of comments with this detail. `bulk`: also writes fields that are shown only together with the
    /// message's bytes.
    pub fn new(detail: Detail, bulk: bool) -> Commenter {
        Commenter { detail, bulk, ..Commenter::default() }
    }

    /// Appends a message's comment. `other_frame`: the comment belongs to another frame than the message. `find`
    /// returns the place of some bytes in the comment's frame.
    pub(super) fn comment(
        &mut self,
        message: &Message<'_>,
        other_frame: bool,
        find: impl FnMut(&[u8]) -> Found,
        out: &mut Vec<u8>,
    ) {
        let Commenter { detail, bulk, tree, heads } = self;
        let head = heads.of(message);
        out.extend_from_slice(OWN.as_bytes());
        if other_frame && *detail == Detail::Plain {
            out.extend_from_slice(b"frame ");
            uint(message.place.frame, out);
            out.extend_from_slice(b": ");
        }
        out.extend_from_slice(head.first.get(OWN.len()..).unwrap_or_default());
        let mut line = LineWriter::new(out, false);
        line.set_column(head.columns);
        summary::remark(message, &mut line);
        line.newline();
        for (note, text) in message.dissection.notes.iter() {
            line.name(note.level.name()).put(" ").name(note.code).put(": ").untrusted(text);
            line.newline();
        }
        if let Some(fault) = &message.dissection.fault {
            line.put("fault: ");
            // A LineWriter cannot fail.
            let _ = write!(line, "{fault}");
            line.newline();
        }
        match detail {
            Detail::Tree => {
                out.extend_from_slice(&head.last);
                tree.message(message, *bulk, other_frame, find, out);
            }
            // Removes the last line feed.
            Detail::Plain => _ = out.pop(),
        }
    }
}

impl TreeLine {
    /// Appends the last line of a comment after its head: the message's place, its relations and its tree. `bulk` as
    /// in [`TreeLine::nodes`].
    fn message(
        &mut self,
        message: &Message<'_>,
        bulk: bool,
        other_frame: bool,
        mut find: impl FnMut(&[u8]) -> Found,
        out: &mut Vec<u8>,
    ) {
        let (dissection, place, sources) = (message.dissection, message.place, message.sources());
        if message.flow_info.flow > 0 {
            out.extend_from_slice(b" c=");
            uint(message.flow_info.flow, out);
        }
        out.extend_from_slice(b" l=");
        uint(place.length as u64, out);
        if let Some((part, parts)) = dissection.part {
            out.extend_from_slice(b" i=");
            uint(part.into(), out);
            out.push(b'/');
            uint(parts.into(), out);
        }
        if other_frame {
            out.extend_from_slice(b" n=");
            uint(place.frame, out);
        }
        let about = &dissection.related;
        if !about.is_empty() || about.unanswered || about.never_acked {
            Stage::default().line(out, |line| related(about, line));
        }
        let mut found = |number: u8, bytes: &[u8], out: &mut Vec<u8>| {
            let whole = find(bytes);
            if bytes.is_empty() && whole.is_none() {
                return;
            }
            out.extend_from_slice(if whole.is_some() { b" b" } else { b" h" });
            if number > 0 {
                uint(number.into(), out);
            }
            out.push(b'=');
            match whole {
                Some((at, length)) => {
                    uint(at as u64, out);
                    out.push(b'+');
                    uint(length as u64, out);
                }
                None => hex(bytes, out),
            }
        };
        found(0, sources.main, out);
        // The sources are written before the nodes, but only the nodes determine which sources are used.
        self.used = [0; 4];
        let mark = out.len();
        let sections = [(":f", &dissection.tree), (":p", &dissection.packet), (":d", &dissection.derived)];
        for (name, tree) in sections.into_iter().filter(|(_, tree)| !tree.is_empty()) {
            out.push(b' ');
            out.extend_from_slice(name.as_bytes());
            self.nodes(tree, sources, bulk, name == ":d", out);
        }
        if self.used != [0; 4] {
            let nodes = out.len() - mark;
            for number in (1..=255).filter(|number| self.uses(*number)) {
                found(number, sources.get(number), out);
            }
            out[mark..].rotate_left(nodes);
        }
    }
}

fn related(related: &Relations, line: &mut Line<'_>) {
    for relation in related.iter() {
        line.constant(b" r=");
        line.name(relation.kind.name());
        line.constant(b",");
        line.uint(relation.target.frame);
        line.constant(b",");
        if let Some(index) = relation.index() {
            line.uint(index.into());
        }
        line.constant(b",");
        if let Some(after) = relation.after {
            millis(after, line);
        }
    }
    let states = [(related.unanswered, "unanswered"), (related.never_acked, "never_acked")];
    for (k, (_, state)) in states.into_iter().filter(|(is, _)| *is).enumerate() {
        line.text(if k == 0 { b" q=" } else { b"," });
        line.name(state);
    }
}
