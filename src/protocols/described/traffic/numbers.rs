//! Numbers of messages, and their acknowledgements.

use super::super::codes::Codes;
use super::super::key::Key;
use super::identified::Identified;
use super::path::Shown;
use super::rules::{Numbers, RangeEnds, What};
use super::{shared, whole_key};
use crate::codec::Tree;
use crate::codec::node::Node;
use crate::dissect::numbered::{Acknowledgement, note_copy, note_seen};
use crate::dissect::{Dissection, Event, Provenance};
use crate::flow::Side;
use crate::plural::Plural;
use crate::traffic::sequence::{Acked, Seen, Sequence};

/// The most messages that a direction remembers in each number space; `SPACES`: the most spaces.
const WINDOW: usize = 2048;
const SPACES: usize = 256;
/// The most numbers in the ranges of one acknowledgement.
const NAMED: u64 = 4096;
/// Statistics identify a message by one number: the space's number in the high bits, the message's in the low ones.
/// Messages with a number of their own are separate from those that another field identifies.
const SPACE: u32 = 50;
const IDENTIFIED: i64 = 1 << 49;
/// The tag of a message that is identified by its number.
const BY_NUMBER: u64 = 1;

/// The space of a number in the statistics, with its kind.
pub fn space(extended: i64) -> i64 {
    extended / IDENTIFIED
}

/// The number spaces of a conversation.
#[derive(Debug, Default)]
pub struct Spaces {
    all: Vec<Space>,
    /// The number of spaces so far.
    count: i64,
    /// The number of look-ups so far.
    clock: u64,
    /// The numbers in the current message's acknowledgements.
    named: Vec<i64>,
    acknowledgement: Acknowledgement,
}

/// The numbers of one side in one space.
#[derive(Debug)]
struct Space {
    rule: usize,
    side: Side,
    key: Key,
    /// Its own number.
    number: i64,
    /// The time of its last use, in look-ups.
    used: u64,
    sequence: Sequence,
    /// All numbers below are acknowledged.
    below: i64,
    identified: Identified,
}

impl Space {
    /// The number of a message in the statistics.
    fn known(&self, number: i64) -> i64 {
        number + (self.number << SPACE)
    }
}

impl Spaces {
    /// The number of bytes that they hold.
    pub fn memory(&self) -> usize {
        let one = |space: &Space| space.sequence.memory() + space.identified.memory();
        self.all.iter().map(one).sum::<usize>()
            + self.all.capacity() * size_of::<Space>()
            + self.named.capacity() * size_of::<i64>()
            + self.acknowledgement.memory()
    }

    /// The side, the number in the statistics, and the key of each space.
    pub fn keys(&self) -> impl Iterator<Item = (Side, i64, Key)> + '_ {
        self.all.iter().map(|one| (one.side, space(one.known(0)), one.key))
    }

    /// The space of a side; `None`: there is none, and none is to be created.
    fn space(&mut self, rule: usize, side: Side, key: Key, modulus: Option<i64>) -> Option<usize> {
        self.clock += 1;
        let same = |s: &Space| s.rule == rule && s.side == side && s.key == key;
        if let Some(at) = self.all.iter().position(same) {
            self.all[at].used = self.clock;
            return Some(at);
        }
        let modulus = modulus?;
        // Statistics have room for this many spaces.
        self.count = (self.count + 1) & 0xfff;
        let space = Space {
            rule,
            side,
            key,
            number: self.count,
            used: self.clock,
            sequence: Sequence::new(modulus, WINDOW),
            below: i64::MAX,
            identified: Identified::default(),
        };
        if self.all.len() < SPACES {
            self.all.push(space);
            return Some(self.all.len() - 1);
        }
        // The space that was unused for longest.
        let oldest = (0..self.all.len()).min_by_key(|at| self.all[*at].used)?;
        self.all[oldest] = space;
        Some(oldest)
    }

    /// Handles a line that may have a number. Returns the frame of the first transmission, if this is a further one.
    pub fn numbered(
        &mut self,
        rule: usize,
        numbers: &Numbers,
        place: &Provenance<'_>,
        start: u32,
        codes: &Codes,
        dissection: &mut Dissection,
    ) -> Option<u64> {
        let line = Shown::from(&*dissection);
        if !numbers.when.holds(line) {
            return None;
        }
        let (node, _, around) = numbers.number.find(line)?;
        let number = node.number()?;
        let again = around && shared(node, start, dissection);
        let identity = numbers.resent_as.as_ref().and_then(|path| path.find(line));
        // A header's field that was already counted with another part does not count again.
        let identity = identity.filter(|(node, _, around)| !(*around && shared(node, start, dissection)));
        let identity = identity.and_then(|(node, ..)| node.number());
        let key = whole_key(&numbers.per, line)?;
        let counted = again && identity.is_none();
        let at = self.space(rule, place.side, key, (!counted).then_some(numbers.modulus))?;
        let space = &mut self.all[at];
        let sequence = &mut space.sequence;
        let newest = sequence.newest();
        let (extended, now) = (sequence.extend(number as i64), place.time.near_nanos());
        if counted {
            return sequence.get_mut(extended).filter(|sent| sent.copies > 1).map(|sent| sent.frame);
        }
        let target = dissection.target(place);
        let seen = match again {
            // It was counted with the first part of its packet.
            true => Seen::Next,
            false => {
                // A number that is sent after its acknowledgement is acknowledged by the next one.
                space.below = space.below.min(extended);
                sequence.sent(extended, place.frame, target.index, now)
            }
        };
        if let (None, Some(sent)) = (identity, space.sequence.get_mut(extended)) {
            sent.tag = BY_NUMBER;
        }
        let (mut reported, mut as_seen) = (space.known(extended), seen);
        if let Some(identity) = identity {
            let (serial, seen) = space.identified.sent(identity, extended, seen, target, now);
            (reported, as_seen) = (space.known(serial) | IDENTIFIED, seen);
        }
        dissection.delivery.push(Event::Sent {
            number: identity.unwrap_or(number),
            extended: reported,
            seen: as_seen,
            message_id: None,
            last_try: false,
            handled: None,
            acknowledged: numbers.acks.iter().any(|ack| ack.what != What::Lacks),
            changed: false,
        });
        match (as_seen, identity) {
            // Its number may still show that others are missing.
            (Seen::Copy { before }, Some(_)) => {
                if !matches!(seen, Seen::Copy { .. }) {
                    note_seen(seen, &space.sequence, extended, newest, &codes.numbered, place, dissection);
                }
                note_copy(&before, &codes.numbered, place, dissection);
            }
            _ => note_seen(as_seen, &space.sequence, extended, newest, &codes.numbered, place, dissection),
        }
        if let Seen::Copy { before } = as_seen { Some(before.frame) } else { None }
    }

    /// Handles a line that may acknowledge numbers of the other side.
    pub fn acknowledged(
        &mut self,
        rule: usize,
        numbers: &Numbers,
        place: &Provenance<'_>,
        start: u32,
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        let line = Shown::from(&*dissection);
        let counted = |node: &Node| shared(node, start, dissection);
        let Some(Named { below, lacks, .. }) = Named::of(numbers, line, &counted, &mut self.named) else { return };
        let Some(key) = whole_key(&numbers.per, line) else { return };
        // The list may go on after the cut.
        if lacks > 0 && !line.cut {
            let text = format_args!("the other side lacks {}", Plural(lacks, "message"));
            dissection.notes.note(codes.nack, text);
        }
        if self.named.is_empty() && below.is_none() {
            return;
        }
        let Some(at) = self.space(rule, place.side.other(), key, None) else { return };
        let Spaces { all, named, acknowledgement, .. } = self;
        let space = &mut all[at];
        named.iter_mut().for_each(|number| *number = space.sequence.extend(*number));
        if let Some(below) = below {
            let below = space.sequence.extend(below);
            if space.below < below {
                named.extend(space.sequence.unacknowledged_in(space.below..below));
                space.below = below;
            }
        }
        acknowledgement.clear();
        for number in named.iter().copied() {
            let acked = space.sequence.acknowledged(number);
            let known = space.number << SPACE;
            let events = &mut dissection.delivery;
            let inside = space.identified.acknowledged(number, |serial, acked| {
                events.push(Event::Acked { extended: (serial + known) | IDENTIFIED, acked });
                acknowledgement.name(number, acked);
            });
            // Messages that only another field identifies are reported already.
            if !inside || matches!(acked, Acked::First(sent) if sent.tag == BY_NUMBER) {
                if !matches!(acked, Acked::Unknown) {
                    events.push(Event::Acked { extended: number + known, acked });
                }
                acknowledgement.name(number, acked);
            }
        }
        acknowledgement.sort();
        let unseen = "lost by the capture, sent before it began, in a message with a fault, or never sent";
        acknowledgement.note(&space.sequence, &codes.numbered, unseen, place, dissection);
    }
}

/// The acknowledgements in a line, besides the list of the numbers that they name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    /// All numbers below are acknowledged.
    pub below: Option<i64>,
    /// The number of messages that the other side lacks.
    pub lacks: u64,
    /// Whether a field of the message itself acknowledges, or a condition selects such messages.
    pub own: bool,
}

impl Named {
    /// Reads a line's acknowledgements, and lists the numbers in them. `counted`: a header's field was read with an
    /// earlier line. `None`: there are none.
    pub fn of(
        numbers: &Numbers,
        line: Shown<'_>,
        counted: &dyn Fn(&Node) -> bool,
        list: &mut Vec<i64>,
    ) -> Option<Named> {
        let (mut named, mut base, mut any) = (Named::default(), None, false);
        list.clear();
        for ack in &numbers.acks {
            if !ack.when.holds(line) {
                continue;
            }
            let Some((node, tree, around)) = ack.field.find(line) else { continue };
            if around && counted(node) {
                continue;
            }
            any = true;
            named.own |= ack.what != What::Below && (!around || !ack.when.is_always());
            match (ack.what, node.number()) {
                (What::One, Some(number)) => {
                    base = Some(number as i64);
                    list.push(number as i64);
                }
                (What::Below, Some(number)) => named.below = Some(number as i64),
                (What::Bits, Some(set)) => {
                    let Some(base) = base else { continue };
                    let bits = (0..i64::from(ack.bits)).filter(|k| set >> k & 1 == 1);
                    list.extend(bits.map(|k| base.wrapping_sub(1 + k).rem_euclid(numbers.modulus)));
                }
                (What::Lacks, Some(_)) => named.lacks += 1,
                (What::Ranges | What::Lacks, None) => {
                    let mut left = NAMED;
                    let count_of =
                        |(from, to): (i64, i64)| to.wrapping_sub(from).rem_euclid(numbers.modulus) as u64 + 1;
                    let all = || ranges(tree, node, ack.range);
                    let sum = all().map(count_of).fold(0, u64::saturating_add);
                    // Of too many, those of the newest ranges count. They may be the last ones.
                    let ends = all().next().zip(all().last());
                    let is_rising = ends.is_some_and(|((_, first), (_, last))| {
                        last.wrapping_sub(first).rem_euclid(numbers.modulus) < numbers.modulus / 2
                    });
                    let mut too_many = if is_rising { sum.saturating_sub(NAMED) } else { 0 };
                    for (from, to) in all() {
                        let count = count_of((from, to));
                        if ack.what == What::Lacks {
                            named.lacks = named.lacks.saturating_add(count);
                            continue;
                        }
                        // The newest count: older numbers are forgotten.
                        let oldest = count.min(too_many);
                        too_many -= oldest;
                        let skipped = oldest.max(count - count.min(left));
                        left -= count - skipped;
                        let each = skipped as i64..count as i64;
                        list.extend(each.map(|k| from.wrapping_add(k).rem_euclid(numbers.modulus)));
                    }
                }
                _ => {}
            }
        }
        any.then_some(named)
    }
}

/// The ranges of a list: each element's first and last number.
fn ranges<'t>(tree: &'t Tree, list: &'t Node, ends: Option<RangeEnds>) -> impl Iterator<Item = (i64, i64)> + 't {
    let at = tree.nodes().iter().position(|node| std::ptr::eq(node, list));
    let element = move |k: usize| {
        let RangeEnds { from, to } = ends?;
        let named = |name: &str| tree.child_named(Some(k), name).and_then(Node::number).map(|n| n as i64);
        let first = named(from)?;
        Some((first, named(to).unwrap_or(first)))
    };
    at.into_iter().flat_map(|at| tree.children(Some(at))).filter_map(element).take(NAMED as usize)
}
