//! Numbered commands: messages, link_states, and the parts of long ones.

use super::joined::{Chain, JoinedKind};
use super::layout::Message::{self, *};
use super::layout::{CONTENT, DATA, FLAGS, NUMBER, PART_BITS, READ_ONLY, TYPE, VALUES};
use super::links::{index_of, types};
use super::reliable::{Fresh, Numbered};
use super::session::DnpSession;
use crate::codec::Node;
use crate::codec::layout::Field;
use crate::dissect::{Arrival, Dissection, Provenance};

impl DnpSession {
    /// A numbered command: 4, 5, 10 or 11.
    pub(super) fn numbered(
        &mut self,
        message: Message,
        broken: bool,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        let flags = dissection.tree.number(&FLAGS).unwrap_or(0);
        if message == LinkState {
            state_notes(flags, broken, dissection);
        }
        let Some(number) = dissection.tree.number(&NUMBER) else { return };
        let kind = JoinedKind::of(message);
        let part = kind.filter(|_| !broken).map(|kind| {
            let (first, last) = PART_BITS[kind as usize];
            (flags & first != 0, flags & last != 0)
        });
        let direction = &mut self.directions[place.side.index()];
        let numbered = Numbered { message, number: number as u16, part };
        let fresh = direction.command(numbered, place, self.resend, dissection);
        let read_only = flags & READ_ONLY != 0;
        match (fresh, kind) {
            (Fresh::New(number, Some(chain)), Some(kind)) => {
                self.part(number, chain, kind, read_only, place, dissection);
            }
            (Fresh::New(..) | Fresh::Uncounted, None) if message == LinkState && !broken => {
                if let Some(types) = types(&dissection.tree) {
                    self.offer(types, read_only, place, dissection);
                }
            }
            (Fresh::New(number, _), None) if message == ReliableMessage && direction.old.part(number, place) => {
                dissection.notes.note(
                    "dnp.old_long_message",
                    format_args!("the last part of a long message as the engine sent it from 1.24 to 1.32.2"),
                )
            }
            _ => {}
        }
    }

    fn part(
        &mut self,
        number: i64,
        chain: Chain,
        kind: JoinedKind,
        read_only: bool,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        let content =
            |field: &Field| dissection.tree.find(field).and_then(|node| node.bytes(dissection.sources(place.bytes)));
        let (message, data) = match kind {
            JoinedKind::Message => (content(&DATA).unwrap_or(&[]), &[][..]),
            JoinedKind::LinkState => (content(&CONTENT).unwrap_or(&[]), content(&DATA).unwrap_or(&[])),
        };
        let parts = &mut self.directions[place.side.index()].parts[kind as usize];
        let here = Arrival { target: dissection.target(place), time: place.time.near_nanos() };
        parts.keep(number, message, data, read_only, here);
        let Chain::Whole(begin, end) = chain else { return };
        if !self.joined.take(parts, begin, end) {
            return;
        }
        self.joined.relate(here, dissection);
        let readable = self.joined.show(kind, dissection);
        if kind == JoinedKind::Message {
            return;
        }
        match types(&dissection.derived).filter(|_| readable) {
            Some(types) => self.offer(types, self.joined.read_only, place, dissection),
            None => dissection.notes.warn(
                "dnp.values_unreadable",
                format_args!("the joined data is not one count and values, nor is that of each part"),
            ),
        }
    }
}

/// Notes the particularities of a link_state that show which program sent it.
fn state_notes(flags: u64, broken: bool, dissection: &mut Dissection) {
    if flags & !READ_ONLY != 0 {
        dissection.notes.note(
            "dnp.flags_ignored",
            format_args!("flags {flags:#04x} are not just read_only: receivers take the link as read-write"),
        );
    }
    let tree = &dissection.tree;
    let mut types = index_of(tree, None, &VALUES)
        .into_iter()
        .flat_map(|values| tree.children(Some(values)))
        .filter_map(|value| tree.child(Some(value), &TYPE).and_then(Node::number));
    if broken && types.any(|kind| (8..=10).contains(&kind)) {
        dissection.notes.note(
            "dnp.python_vectors",
            format_args!("the Python library writes float16 to float64 for vectors, and all their components"),
        );
    }
}

/// A long message of the engine 1.24 to 1.32.2: reliable messages, all but the last of the same length, with the part's
/// flags before the data.
#[derive(Clone, Copy, Debug, Default)]
pub struct OldLong(Option<i64>);

/// The size of a whole datagram with such a part: command, number, flags, 1357 bytes.
const OLD_PART: usize = 1361;

impl OldLong {
    /// Whether this new reliable message is the last part of one.
    fn part(&mut self, number: i64, place: &Provenance<'_>) -> bool {
        let expected = self.0 == Some(number);
        match (place.bytes.get(3), place.length) {
            (Some(1), OLD_PART) => self.0 = Some(number + 1),
            (Some(0), OLD_PART) if expected => self.0 = Some(number + 1),
            (Some(2), ..=OLD_PART) if expected => {
                self.0 = None;
                return true;
            }
            _ if expected => self.0 = None,
            _ => {}
        }
        false
    }
}
