//! The link messages: offers, answers, updates.

use super::layout::{LAYOUTS, LINK_ID, LINKS, Message, OUT_OF_RANGE, VALUES};
use super::links::{Answered, Ended, Recall, State, index_of};
use super::session::{DnpSession, ReadFindings};
use crate::codec::{Level, Node, Reader};
use crate::dissect::delivery::{Event, Link};
use crate::dissect::{Dissection, Provenance, RelatedNote, RelationKind, Target};
use crate::plural::Plural;
use std::fmt::{self, Write};

/// The most values of a link that an update can hold.
const MOST_VALUES: usize = 255;

impl DnpSession {
    /// Handles a whole link_state, or the part that completes a long one.
    pub(super) fn offer(
        &mut self,
        types: Box<[u8]>,
        read_only: bool,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        let Some(id) = dissection.tree.number(&LINK_ID).map(|id| id as u16) else { return };
        if let Some((_, state)) = self.links.in_force(id) {
            let state = Shown(state);
            dissection
                .notes
                .warn("dnp.link_id_in_use", format_args!("link {id} is in force: {state}; receivers do not answer"));
        }
        if let Some(state) = self.links.offered(place.side.other(), id) {
            let frame = state.target.frame;
            dissection.notes.warn(
                "dnp.link_id_collision",
                format_args!("the other side offers link {id} itself, in frame {frame}: neither is answered"),
            );
        }
        dissection.delivery.push(Event::Link(Link::Offered));
        let (target, offered) = (dissection.target(place), place.time.near_nanos());
        self.links.offer(place.side, id, State { types, read_only, target, offered, since: 0 });
    }

    /// Handles a link_up or link_down.
    pub(super) fn link_answer(&mut self, up: bool, place: &Provenance<'_>, dissection: &mut Dissection) {
        let (side, now) = (place.side, place.time.near_nanos());
        let Some(id) = dissection.tree.number(&LINK_ID).map(|id| id as u16) else { return };
        if up {
            match self.links.up(side, id, now) {
                Answered::Accepted(state) => {
                    dissection.delivery.push(Event::Link(Link::Accepted));
                    about(state, RelationKind::Answers, "dnp.link_accepted", now, dissection);
                }
                Answered::Already => {}
                Answered::Unknown => {
                    dissection.notes.warn("dnp.link_unknown", format_args!("the other side has not offered link {id}"))
                }
            }
            return;
        }
        match self.links.down(side, id) {
            Ended::Refused(state) => {
                dissection.delivery.push(Event::Link(Link::Refused));
                about(&state, RelationKind::Answers, "dnp.link_refused", now, dissection);
            }
            Ended::Down(state) => {
                dissection.delivery.push(Event::Link(Link::Ended(now - state.since)));
                about(&state, RelationKind::Closes, "dnp.link_ended", now, dissection);
            }
            Ended::Unknown => dissection
                .notes
                .warn("dnp.link_unknown", format_args!("link {id} is neither offered by the other side nor in force")),
        }
    }

    /// Adds the notes of a link_update. `found` has the findings of its reading.
    pub(super) fn update(&self, found: &ReadFindings, place: &Provenance<'_>, dissection: &mut Dissection) {
        if self.as_specified(found, place, dissection) {
            dissection.notes.note(
                "dnp.specification_layout",
                format_args!("ends exactly as the specification has it: see -s dnp.link_update=specification"),
            );
        }
        if let Some((id, offer)) = found.not_in_force {
            dissection.relate(Level::Warning, "dnp.link_up_missing", |note| {
                note.to(RelationKind::OpenedBy, offer, None).text("read by the link_state of frame ").frame();
                note.text(" for link ").number(id).text(", which no link_up has accepted");
            });
        }
        let Dissection { tree, notes, related, .. } = dissection;
        if let Some(id) = found.unknown {
            notes.warn(
                "dnp.unknown_types",
                format_args!("no link_state is known for link {id}: give its types with -s dnp.types={id}:..."),
            );
        }
        if let Some((id, index, count)) = found.out_of_range.filter(|_| found.cause == Some(OUT_OF_RANGE)) {
            notes.error(
                "dnp.index_out_of_range",
                format_args!("index {index} of link {id}, which has {}", Plural(count, "value")),
            );
        }
        let Some(list) = index_of(tree, None, &LINKS) else { return };
        for link in tree.children(Some(list)) {
            let Some(id) = tree.child(Some(link), &LINK_ID).and_then(Node::number) else { continue };
            let Some(values) = index_of(tree, Some(link), &VALUES) else {
                notes.note(
                    "dnp.bare_link_id",
                    format_args!("the sender's state object was destroyed with a change pending"),
                );
                continue;
            };
            let count = tree.children(Some(values)).take(MOST_VALUES).count();
            if count > 0
                && let Some((by, state)) = self.links.in_force(id as u16)
                && state.read_only
                && *by != place.side
                && !notes.has("dnp.read_only_update")
            {
                let after = place.time.near_nanos() - state.offered;
                RelatedNote::write(notes, related, Level::Warning, "dnp.read_only_update", |note| {
                    note.to(RelationKind::OpenedBy, state.target, after).text("link ").number(id);
                    note.text(" of frame ").frame().text(" is read-only: forbidden, but the programs apply it");
                });
            }
            if count == MOST_VALUES && !self.specification && !notes.has("dnp.values_lost") {
                notes.warn(
                    "dnp.values_lost",
                    format_args!("{MOST_VALUES} values of link {id}: the C++ library never sends further ones"),
                );
            }
        }
    }

    /// Whether an update that does not fit the programs' layout ends exactly as the specification's layout.
    fn as_specified(&self, found: &ReadFindings, place: &Provenance<'_>, dissection: &mut Dissection) -> bool {
        if self.specification || !found.broken && found.trailing == 0 || place.length > place.bytes.len() {
            return false;
        }
        let mut specified = Recall::new(&self.links, &self.set, true);
        let fields = LAYOUTS[Message::LinkUpdate as usize].fields;
        // This message derives nothing, so its derived tree is free for a trial.
        let outcome = Reader::new(place.bytes, &mut dissection.derived).context(&mut specified).read(fields);
        dissection.derived.clear();
        outcome.stop.is_none() && outcome.bits as usize == place.bytes.len() * 8
    }
}

/// Notes the link_state that is accepted, refused or ended.
fn about(state: &State, kind: RelationKind, code: &'static str, now: i64, dissection: &mut Dissection) {
    dissection.relate(Level::Note, code, |note| {
        note.to(kind, state.target, now.saturating_sub(state.offered));
        _ = write!(note, "{}", Shown(state));
    });
}

/// Shows a state as `link_state of frame 4: 12 values, read-only`.
struct Shown<'a>(&'a State);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { types, read_only, target: Target { frame, .. }, .. } = self.0;
        let count = types.len();
        let end = if *read_only { ", read-only" } else { "" };
        match count {
            1 => write!(f, "link_state of frame {frame}: 1 value{end}"),
            _ => write!(f, "link_state of frame {frame}: {}{end}", Plural(count, "value")),
        }
    }
}
