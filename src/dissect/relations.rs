//! Relations between messages, as data: the message that this one acknowledges, answers or repeats.
//!
//! A session adds a note about another message with [`Dissection::relate`](super::Dissection::relate): the note's text
//! and the relation are made from the same target and the same time, so that they cannot differ. Facts that only later
//! messages reveal, such as a message's answer, are added by `--link`.

use super::delivery::{Event, Link};
use crate::codec::{Level, Notes};
use crate::duration::Millis;
use crate::traffic::sequence::Sent;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;

/// The relation of one message to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// The message acknowledges the other.
    Acknowledges,
    /// The other message acknowledges it.
    AckedBy,
    /// The message is a further transmission of the other.
    CopyOf,
    /// The message answers the other.
    Answers,
    /// The other message answers it.
    AnsweredBy,
    /// The message is a part; the other one completes the whole.
    FragmentOf,
    /// The message completes a whole; the other one is an earlier part of it.
    JoinedFrom,
    /// The other message opened the subject of this one.
    OpenedBy,
    /// The message closes the subject that the other opened.
    Closes,
}

impl RelationKind {
    /// All kinds, with their names and descriptions.
    pub const ALL: [(RelationKind, &'static str, &'static str); 9] = [
        (RelationKind::Acknowledges, "acknowledges", "it acknowledges that message"),
        (RelationKind::AckedBy, "acked_by", "that message acknowledges it first (--link)"),
        (RelationKind::CopyOf, "copy_of", "it is a further copy of that message, the first one seen"),
        (RelationKind::Answers, "answers", "it answers that message"),
        (RelationKind::AnsweredBy, "answered_by", "that message answers it (--link)"),
        (RelationKind::FragmentOf, "fragment_of", "it is a part of what that message completes (--link)"),
        (RelationKind::JoinedFrom, "joined_from", "it completes a message: that one is an earlier part of it"),
        (RelationKind::OpenedBy, "opened_by", "that message opened what it is about"),
        (RelationKind::Closes, "closes", "it ends what that message opened"),
    ];

    /// The name in the output: `acked_by`.
    pub const fn name(self) -> &'static str {
        RelationKind::ALL[self as usize].1
    }

    /// The opposite relation, if only a later message can reveal it.
    pub const fn inverse(self) -> Option<RelationKind> {
        match self {
            RelationKind::Acknowledges => Some(RelationKind::AckedBy),
            RelationKind::Answers => Some(RelationKind::AnsweredBy),
            RelationKind::JoinedFrom => Some(RelationKind::FragmentOf),
            _ => None,
        }
    }

    /// Whether later messages reveal it, so that it exists only with `--link`.
    pub const fn is_later(self) -> bool {
        matches!(self, RelationKind::AckedBy | RelationKind::AnsweredBy | RelationKind::FragmentOf)
    }
}

/// A reference to a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The frame, from 1; 0 if there is none, as in `dump`: nothing can refer to such a message.
    pub frame: u64,
    /// The index of the message in that frame, from 1; 0 if it is not known: a message that is cut at the end of its
    /// direction is emitted after messages of later frames.
    pub index: u32,
}

impl From<&Sent> for Target {
    fn from(sent: &Sent) -> Target {
        Target { frame: sent.frame, index: u32::from(sent.index).max(1) }
    }
}

/// A message that a part of a longer one arrived in, and its time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrival {
    pub target: Target,
    pub time: i64,
}

/// A relation of the current message to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// The kind of relation.
    pub kind: RelationKind,
    /// The other message.
    pub target: Target,
    /// Whether the other message's frame is known to contain several messages.
    pub several: bool,
    /// The nanoseconds between the two.
    pub after: Option<i64>,
}

impl Relation {
    /// The index, if the frame is known to contain several messages.
    pub fn index(&self) -> Option<u32> {
        self.several.then_some(self.target.index).filter(|index| *index > 0)
    }
}

/// The relations of one message. Cleared and reused, so that they need no allocation per message.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    list: Vec<Relation>,
    /// Messages that this one may answer in bytes that cannot be read.
    hidden: Vec<Target>,
    /// Whether nobody reads the relations, so that none are stored.
    unwanted: bool,
    /// With `--link`: whether nothing in the capture answers the message.
    pub unanswered: bool,
    /// With `--link`: whether nothing in the capture acknowledges the message.
    pub never_acked: bool,
}

impl Relations {
    /// Removes all relations, but keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.hidden.clear();
        self.unanswered = false;
        self.never_acked = false;
    }

    /// Sets whether relations are dropped from now on.
    pub(super) fn leave_out(&mut self, leave_out: bool) {
        self.unwanted = leave_out;
    }

    /// Adds a relation that no note mentions. `after` is the number of nanoseconds from that message to this one.
    pub fn add(&mut self, kind: RelationKind, target: Target, after: Option<i64>) {
        // Without a frame there is nothing to refer to.
        if target.frame > 0 && !self.unwanted {
            self.list.push(Relation { kind, target, several: target.index > 1, after });
        }
    }

    /// Relates the message at hand to those that the other parts of a longer message arrived in.
    pub(crate) fn joined_from(&mut self, parts: &[Arrival], here: Arrival) {
        for part in parts.iter().filter(|part| part.target != here.target) {
            self.add(RelationKind::JoinedFrom, part.target, Some(here.time.saturating_sub(part.time)));
        }
    }

    /// Adds one as it is.
    #[cfg(feature = "cli")]
    pub(crate) fn push(&mut self, relation: Relation) {
        self.list.push(relation);
    }

    /// Records that this message may answer that one in bytes that cannot be read, so that it does not count as
    /// unanswered.
    pub fn may_answer(&mut self, target: Target) {
        if target.frame > 0 && !self.unwanted {
            self.hidden.push(target);
        }
    }

    /// The messages that this one may answer in bytes that cannot be read.
    pub fn hidden(&self) -> &[Target] {
        &self.hidden
    }

    /// All relations, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Relation> {
        self.list.iter()
    }

    /// Whether there are no relations.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sets for each relation whether its frame contains several messages.
    #[cold]
    pub(super) fn settle(&mut self, lines: &FrameLines) {
        self.list.iter_mut().for_each(|one| one.several |= lines.several(one.target.frame));
    }
}

/// The text of a note about other messages, while it is being written.
#[derive(Debug)]
pub struct RelatedNote<'a> {
    text: &'a mut String,
    relations: &'a mut Relations,
    target: Target,
    after: Option<i64>,
}

impl<'a> RelatedNote<'a> {
    /// Adds a note whose text `write` appends, with the relations that it names.
    pub fn write(
        notes: &mut Notes,
        relations: &mut Relations,
        level: Level,
        code: &'static str,
        write: impl FnOnce(&mut RelatedNote<'_>),
    ) {
        let wanted = !notes.without_texts() || !relations.unwanted;
        notes.write(level, code, wanted, |text| {
            write(&mut RelatedNote { text, relations, target: Target::default(), after: None })
        });
    }

    /// Sets the message that the following text is about. `after` is the number of nanoseconds between the two, if it
    /// is known.
    pub fn to(&mut self, kind: RelationKind, target: Target, after: impl Into<Option<i64>>) -> &mut RelatedNote<'a> {
        let after = after.into();
        self.relations.add(kind, target, after);
        (self.target, self.after) = (target, after);
        self
    }

    /// Like [`to`](RelatedNote::to), for an existing relation.
    pub fn relation(&mut self, relation: Relation) -> &mut RelatedNote<'a> {
        if !self.relations.unwanted {
            self.relations.list.push(relation);
        }
        (self.target, self.after) = (relation.target, relation.after);
        self
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) -> &mut RelatedNote<'a> {
        self.text.push_str(text);
        self
    }

    /// Appends a number.
    pub fn number(&mut self, number: impl itoa::Integer) -> &mut RelatedNote<'a> {
        self.text.push_str(itoa::Buffer::new().format(number));
        self
    }

    /// Appends the other message's frame.
    pub fn frame(&mut self) -> &mut RelatedNote<'a> {
        self.number(self.target.frame)
    }

    /// Appends the time between the two: `10.573 ms`.
    pub fn after(&mut self) -> &mut RelatedNote<'a> {
        if let Some(after) = self.after {
            Millis(after).append(self.text);
        }
        self
    }
}

impl fmt::Write for RelatedNote<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

/// A reply from the other side that a message waits for; it may wait for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// An answer.
    Answer,
    /// An acknowledgement.
    Ack,
}

impl Expected {
    /// Both.
    pub const BOTH: [Expected; 2] = [Expected::Answer, Expected::Ack];

    /// Whether a message waits for this reply, according to the events of its session.
    pub fn is_of(self, events: &[Event]) -> bool {
        events.iter().any(|event| match (self, event) {
            (Expected::Answer, Event::Request | Event::Link(Link::Offered)) => true,
            // Acknowledgements are for all transmissions of a message.
            (Expected::Ack, Event::Sent { seen, acknowledged, .. }) => *acknowledged && seen.is_first(),
            _ => false,
        })
    }

    /// The reply that a message with this relation is.
    pub fn ended_by(kind: RelationKind) -> Option<Expected> {
        match kind {
            RelationKind::Answers | RelationKind::AnsweredBy => Some(Expected::Answer),
            RelationKind::Acknowledges | RelationKind::AckedBy => Some(Expected::Ack),
            _ => None,
        }
    }
}

/// The number of frames with several messages that a conversation remembers, to identify messages by index. A first
/// message in an older frame is referred to without `index`.
const REMEMBERED: usize = 256;

/// Counts the messages of each frame of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameLines {
    frame: u64,
    count: u32,
    /// The latest frames with several messages, ascending.
    several: VecDeque<u64>,
}

/// The index of the next message of `frame`, given the previous message's frame and the number of messages in that so
/// far.
#[inline]
pub(super) fn place(before: u64, count: u32, frame: u64) -> u32 {
    match frame.cmp(&before) {
        Ordering::Less => 0,
        Ordering::Equal => count.saturating_add(1),
        Ordering::Greater => 1,
    }
}

impl FrameLines {
    /// The frame of the previous message, and the number of messages in that frame so far.
    #[inline]
    pub(super) fn last(&self) -> (u64, u32) {
        (self.frame, self.count)
    }

    /// Counts a complete message of this frame. Returns its index, see [`Target`].
    #[inline]
    pub(super) fn emit(&mut self, frame: u64) -> u32 {
        if frame < self.frame {
            return 0;
        }
        let (before, count) = self.last();
        self.count = place(before, count, frame);
        self.frame = frame;
        if self.count == 2 {
            self.remember(frame);
        }
        self.count
    }

    fn remember(&mut self, frame: u64) {
        if self.several.len() >= REMEMBERED {
            self.several.pop_front();
        }
        self.several.push_back(frame);
    }

    /// Whether the frame is known to contain several messages.
    fn several(&self, frame: u64) -> bool {
        self.several.binary_search(&frame).is_ok()
    }

    /// The memory held, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.several.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::Dissection;

    #[test]
    fn kinds_are_in_their_order() {
        for (at, (kind, name, _)) in RelationKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, kind.name()), (at, name));
            assert!(kind.inverse().is_none_or(RelationKind::is_later));
        }
    }

    #[test]
    fn text_and_relation_are_of_one_call() {
        let mut dissection = Dissection::default();
        dissection.relate(Level::Note, "test.copy", |note| {
            note.to(RelationKind::CopyOf, Target { frame: 88, index: 2 }, 301_000);
            note.text("copy ").number(2).text(" of frame ").frame().text(", ").after().text(" later");
        });
        let (note, text) = dissection.notes.iter().next().unwrap();
        assert_eq!((note.code, text), ("test.copy", "copy 2 of frame 88, 0.301 ms later"));
        let one = *dissection.related.iter().next().unwrap();
        assert_eq!(
            (one.kind, one.target.frame, one.index(), one.after),
            (RelationKind::CopyOf, 88, Some(2), Some(301_000))
        );
        // Without frames, as in dump, there is text but no relation.
        dissection.clear();
        dissection.relate(Level::Note, "test.copy", |note| _ = note.to(RelationKind::CopyOf, Target::default(), 0));
        assert!(dissection.related.is_empty() && !dissection.notes.is_empty());
    }

    #[test]
    fn the_first_of_several_is_named_once_that_is_known() {
        let mut lines = FrameLines::default();
        assert_eq!([7, 8, 8, 9, 8, 9].map(|frame| lines.emit(frame)), [1, 1, 2, 1, 0, 2]);
        let mut relations = Relations::default();
        for frame in [7, 8, 9] {
            relations.add(RelationKind::Answers, Target { frame, index: 1 }, None);
        }
        relations.settle(&lines);
        assert_eq!(relations.iter().map(Relation::index).collect::<Vec<_>>(), [None, Some(1), Some(1)]);
        // Any number of them takes no more memory.
        (10..10_000).for_each(|frame| _ = (lines.emit(frame), lines.emit(frame)));
        assert!(lines.memory() <= 2 * REMEMBERED * 8 && !lines.several(8) && lines.several(9_999));
    }
}
