//! What only later messages tell of a message: who answers it, who acknowledges it, or that nobody
//! does. A first reading [collects](Links) it, a second one [adds](Linked) it to the messages.

use super::message::{Dissection, Message, Sink};
use super::relations::{Expected, Relation, RelationKind, Target};
use super::wants::Wants;
use crate::codec::Level;
use crate::flow::Closing;
use rustc_hash::FxHashMap;

/// The notes that linking adds.
pub const NOTES: [(&str, &str); 5] = [
    ("link.answered_by", "which message answers it, and after how long"),
    ("link.acked_by", "which message acknowledges it first, and after how long"),
    ("link.fragment_of", "which message completes what it is a part of"),
    ("link.unanswered", "nothing in the capture answers it"),
    ("link.never_acked", "nothing in the capture acknowledges it"),
];

/// Collects the relations of a capture by the message that they are about.
#[derive(Debug)]
pub struct Links {
    /// The message, and how another one relates to it.
    later: Vec<(Target, Relation)>,
    waiting: FxHashMap<Target, Expected>,
    /// How many may be remembered of both together.
    limit: usize,
    lost: u64,
}

impl Links {
    /// Without relations; at most `limit` are remembered.
    pub fn new(limit: usize) -> Links {
        Links { later: Vec::new(), waiting: FxHashMap::default(), limit, lost: 0 }
    }

    fn full(&mut self) -> bool {
        let full = self.later.len() + self.waiting.len() >= self.limit;
        self.lost += full as u64;
        full
    }

    /// What is read of messages.
    pub const READS: Wants = Wants { relations: true, ..Wants::DELIVERY };

    /// The capture has been read. `whole`: to its end, so that what was not seen is not there.
    pub fn finish(mut self, whole: bool) -> Linked {
        if !whole {
            self.waiting.clear();
        }
        self.later.sort_by_key(|(target, one)| (*target, one.kind));
        // Later acknowledgements say nothing new.
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
        if own.frame == 0 || own.index == 0 {
            return;
        }
        if own.index == 2 {
            // Now it is known that the frame holds several.
            let first = self.later.iter_mut().rev().take_while(|(_, one)| one.target.frame == own.frame);
            first.for_each(|(_, one)| one.several = true);
        }
        if let Some(expected) = Expected::of(&dissection.delivery)
            && !self.full()
        {
            self.waiting.insert(own, expected);
        }
        for hidden in dissection.related.hidden() {
            if self.waiting.get(hidden) == Some(&Expected::Answer) {
                self.waiting.remove(hidden);
            }
        }
        for relation in dissection.related.iter() {
            if self.waiting.get(&relation.target).is_some_and(|expected| expected.is(relation.kind)) {
                self.waiting.remove(&relation.target);
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

/// The relations of a capture, to be added to its messages when they are read again.
#[derive(Debug, Default)]
pub struct Linked {
    later: Vec<(Target, Relation)>,
    waiting: FxHashMap<Target, Expected>,
    lost: u64,
    /// Memory for the message with what is added.
    dissection: Dissection,
}

impl Linked {
    /// How many relations were not remembered, because there were too many.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Passes the message on, with what later messages tell of it.
    pub fn message(&mut self, message: &Message<'_>, to: &mut impl Sink) {
        let own = Target { frame: message.place.frame, index: message.dissection.index };
        let start = self.later.partition_point(|(target, _)| *target < own);
        let about = self.later.get(start..).unwrap_or(&[]).iter().take_while(|(target, _)| *target == own);
        let expected = self.waiting.get(&own);
        if own.index == 0 || expected.is_none() && about.clone().next().is_none() {
            return to.message(message);
        }
        self.dissection.clone_from(message.dissection);
        for (_, relation) in about {
            add(*relation, &mut self.dissection);
        }
        let related = &mut self.dissection.related;
        match expected {
            Some(Expected::Answer) => {
                related.unanswered = true;
                let text = format_args!("nothing in this capture answers it");
                self.dissection.notes.add(Level::Note, "link.unanswered", text);
            }
            Some(Expected::Ack) => {
                related.never_acked = true;
                let text = format_args!("nothing in this capture acknowledges it");
                self.dissection.notes.add(Level::Note, "link.never_acked", text);
            }
            None => {}
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

/// A sink of messages that gets them with what later ones tell.
#[derive(Debug)]
pub struct LinkedSink<'a, S> {
    /// Where they go.
    pub sink: &'a mut S,
    /// What is added.
    pub linked: Linked,
}

impl<S: Sink> Sink for LinkedSink<'_, S> {
    fn message(&mut self, message: &Message<'_>) {
        self.linked.message(message, self.sink);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.sink.ended(flow, how);
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
