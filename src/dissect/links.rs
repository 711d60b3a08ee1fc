//! Facts about a message that only later messages reveal: its answer, its acknowledgement, or that there is none. A
//! first reading [collects](Links) them, a second one [adds](Linked) them to the messages.

use super::message::{Dissection, Message, Sink};
use super::relations::{Expected, Relation, RelationKind, Target};
use super::wants::Wants;
use crate::codec::Level;
use crate::flow::{Closing, End, Side};
use rustc_hash::FxHashSet;

/// The notes that linking adds.
pub(crate) const NOTES: [(&str, &str); 5] = [
    ("link.answered_by", "which message answers it, and after how long"),
    ("link.acked_by", "which message acknowledges it first, and after how long"),
    ("link.fragment_of", "which message completes what it is a part of"),
    ("link.unanswered", "nothing in the capture answers it"),
    ("link.never_acked", "nothing in the capture acknowledges it"),
];

/// Collects the relations of a capture by the message that they concern.
#[derive(Debug)]
pub struct Links {
    /// A message, and the relation of a later one to it.
    later: Vec<(Target, Relation)>,
    waiting: FxHashSet<(Target, Expected)>,
    /// The cap on the entries of both together.
    limit: usize,
    lost: u64,
}

impl Links {
    /// An empty collection; at most `limit` entries are stored.
    pub fn new(limit: usize) -> Links {
        Links { later: Vec::new(), waiting: FxHashSet::default(), limit, lost: 0 }
    }

    fn full(&mut self) -> bool {
        let full = self.later.len() + self.waiting.len() >= self.limit;
        self.lost += full as u64;
        full
    }

    /// The parts of messages that are needed.
    pub const READS: Wants = Wants { relations: true, ..Wants::DELIVERY };

    /// Adds what another worker has collected, of other conversations.
    #[cfg(feature = "cli")]
    pub(crate) fn merge(&mut self, other: Links) {
        self.later.extend(other.later);
        self.waiting.extend(other.waiting);
        self.lost += other.lost;
    }

    /// Ends the first reading. `whole`: the capture was read to its end, so that messages that were not seen do not
    /// exist.
    pub fn finish(mut self, whole: bool) -> Linked {
        if !whole {
            self.waiting.clear();
        }
        self.later.sort_by_key(|(target, one)| (*target, one.kind));
        // Only the first acknowledgement counts.
        self.later.dedup_by(|one, before| {
            one.0 == before.0 && one.1.kind == RelationKind::AckedBy && before.1.kind == RelationKind::AckedBy
        });
        Linked { later: self.later, waiting: self.waiting, lost: self.lost, dissection: Dissection::default() }
    }
}

impl Sink for Links {
    fn message(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        let own = Target { frame: message.place.frame, index: dissection.index };
        // Also of a message without an index: one that is cut is emitted late.
        for hidden in dissection.related.hidden() {
            self.waiting.remove(&(*hidden, Expected::Answer));
        }
        if own.frame == 0 || own.index == 0 {
            return;
        }
        if own.index == 2 {
            // Only now it is known that the frame contains several messages.
            let first = self.later.iter_mut().rev().take_while(|(_, one)| one.target.frame == own.frame);
            first.for_each(|(_, one)| one.several = true);
        }
        for expected in Expected::BOTH.into_iter().filter(|one| one.is_of(&dissection.delivery)) {
            if !self.full() {
                self.waiting.insert((own, expected));
            }
        }
        for relation in dissection.related.iter() {
            if let Some(expected) = Expected::ended_by(relation.kind) {
                self.waiting.remove(&(relation.target, expected));
            }
            if let Some(kind) = relation.kind.inverse()
                && !self.full()
            {
                let inverse = Relation { kind, target: own, several: own.index > 1, after: relation.after };
                self.later.push((relation.target, inverse));
            }
        }
    }
}

/// The relations of a capture, which are added to its messages when they are read again.
#[derive(Debug, Default)]
pub struct Linked {
    later: Vec<(Target, Relation)>,
    waiting: FxHashSet<(Target, Expected)>,
    lost: u64,
    /// Memory for a message with its additions.
    dissection: Dissection,
}

impl Linked {
    /// The number of relations that were not stored, because there were too many.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Passes the message on, with the relations from later messages.
    pub fn message(&mut self, message: &Message<'_>, to: &mut impl Sink) {
        let own = Target { frame: message.place.frame, index: message.dissection.index };
        let start = self.later.partition_point(|(target, _)| *target < own);
        let about = self.later.get(start..).unwrap_or(&[]).iter().take_while(|(target, _)| *target == own);
        let waits = Expected::BOTH.map(|one| self.waiting.contains(&(own, one)));
        if own.index == 0 || waits == [false; 2] && about.clone().next().is_none() {
            return to.message(message);
        }
        self.dissection.clone_from(message.dissection);
        for (_, relation) in about {
            add(*relation, &mut self.dissection);
        }
        let Dissection { related, notes, .. } = &mut self.dissection;
        [related.unanswered, related.never_acked] = waits;
        if related.unanswered {
            notes.note("link.unanswered", format_args!("nothing in this capture answers it"));
        }
        if related.never_acked {
            notes.note("link.never_acked", format_args!("nothing in this capture acknowledges it"));
        }
        to.message(&Message { dissection: &self.dissection, ..*message });
    }
}

fn add(relation: Relation, dissection: &mut Dissection) {
    let (code, text) = match relation.kind {
        RelationKind::AnsweredBy => ("link.answered_by", "answered by frame "),
        RelationKind::AckedBy => ("link.acked_by", "acknowledged by frame "),
        _ => ("link.fragment_of", "a part of what frame "),
    };
    dissection.relate(Level::Note, code, |note| {
        note.relation(relation).text(text).frame();
        match relation.kind {
            RelationKind::AnsweredBy | RelationKind::AckedBy => note.text(", after ").after(),
            _ => note.text(" completes"),
        };
    });
}

/// A sink that passes messages on with the relations from later messages.
#[derive(Debug)]
pub struct LinkedSink<'a, S> {
    /// The sink that receives the messages.
    pub sink: &'a mut S,
    /// The relations that are added.
    pub linked: Linked,
}

impl<S: Sink> Sink for LinkedSink<'_, S> {
    fn message(&mut self, message: &Message<'_>) {
        self.linked.message(message, self.sink);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.sink.ended(flow, how);
    }

    fn gap(&mut self, flow: u64, side: Side, missing: u64) {
        self.sink.gap(flow, side, missing);
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        self.sink.direction_ended(flow, side, why);
    }

    fn sequence(&mut self, sequence: u64) {
        self.sink.sequence(sequence);
    }

    fn full(&self) -> bool {
        self.sink.full()
    }

    fn hand_over(&mut self) {
        self.sink.hand_over();
    }
}
