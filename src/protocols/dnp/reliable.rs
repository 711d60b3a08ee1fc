//! Numbered commands of one direction: repeats, gaps, acknowledgements.
//!
//! Commands 4, 5, 10 and 11 share one count, modulo 65535: 65535 itself is never used. Receivers accept numbers up to 9
//! past the lowest missing one, and drop others silently.

use super::commands::OldLong;
use super::joined::{Chain, JoinedKind, Parts, follow};
use super::layout;
use super::layout::Message;
use super::runs::{KINDS, Mark, Marks, Runs};
use crate::codec::Level;
use crate::dissect::delivery::Event;
use crate::dissect::{Dissection, Provenance, RelationKind, Target};
use crate::duration::Millis;
use crate::plural::Plural;
use crate::traffic::sequence::{Seen, Sent, Sequence};
use std::fmt::Write;
use std::hash::Hasher;

/// Numbers run from 0 to one below this.
pub const MODULUS: u16 = 65535;
/// The most numbers below the highest that are remembered. Wire numbers are extended to the nearest value, so half of
/// the count is unambiguous.
const REMEMBERED: usize = 32768;
/// The size of the receivers' window, which begins at the lowest missing number.
pub(super) const WINDOW: i64 = 10;

/// The effect of a numbered command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// New: its extended number, and for a part the state of its message.
    New(i64, Option<Chain>),
    /// A repeat: it changes nothing.
    Copy,
    /// Its number is outside the count, so it is not a repeat either.
    Uncounted,
}

/// A numbered command that was read.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// Its message.
    pub message: Message,
    /// Its number.
    pub number: u16,
    /// `first` and `last` of a complete part; `None`: not a part, or a broken one.
    pub part: Option<(bool, bool)>,
}

impl Numbered {
    fn marks(&self, number: i64) -> [Marks; KINDS] {
        let mut marks = [Marks::default(); KINDS];
        if let Some(kind) = JoinedKind::of(self.message) {
            marks[kind as usize] = self.part.map_or(Marks::WALL, |(first, last)| Marks::part(number, first, last));
        }
        marks
    }
}

/// Facts about a command in one number: a hash of its bytes, whether a failed acknowledgement was seen, and the command
/// code.
#[derive(Clone, Copy)]
pub(super) struct Tag(pub(super) u64);

impl Tag {
    pub(super) const FAILED: u64 = 0x80;

    fn of(place: &Provenance<'_>) -> Tag {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(place.bytes);
        hasher.write_usize(place.length);
        let command = place.bytes.first().copied().unwrap_or(0) & 0x7f;
        Tag(hasher.finish() << 8 | command as u64)
    }

    fn same(self, other: Tag) -> bool {
        self.0 >> 8 == other.0 >> 8
    }

    fn failed(self) -> bool {
        self.0 & Tag::FAILED != 0
    }

    pub(super) fn name(self) -> &'static str {
        layout::by_command(Some(self.0 as u8 & 0x7f)).name
    }
}

/// One direction.
#[derive(Debug)]
pub struct Direction {
    pub(super) sequence: Sequence,
    runs: Runs,
    /// Parts of long messages, by [`JoinedKind`].
    pub parts: [Parts; KINDS],
    /// The state of long messages in the form of old engines.
    pub old: OldLong,
    /// All numbers below have arrived, as acknowledgements show.
    pub(super) arrived: i64,
}

impl Default for Direction {
    fn default() -> Direction {
        let sequence = Sequence::new(MODULUS as u32, REMEMBERED);
        let (runs, parts, old) = Default::default();
        Direction { sequence, runs, parts, old, arrived: i64::MIN }
    }
}

impl Direction {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.sequence.memory() + self.runs.memory() + self.parts.iter().map(Parts::memory).sum::<usize>()
    }

    /// Begins a connection: the next number is 0.
    pub fn begin(&mut self) {
        self.sequence.clear();
        self.sequence.start_at(0);
        self.runs = Runs::default();
        self.parts.iter_mut().for_each(Parts::clear);
        self.old = OldLong::default();
        self.arrived = i64::MIN;
    }

    /// Handles a numbered command, complete or not.
    pub fn command(
        &mut self,
        command: Numbered,
        place: &Provenance<'_>,
        resend: i64,
        dissection: &mut Dissection,
    ) -> Fresh {
        let index = dissection.target(place).index;
        let notes = &mut dissection.notes;
        if command.number == MODULUS {
            notes.warn("dnp.number_65535", format_args!("65535 is not in the count, which goes from 65534 to 0"));
            return Fresh::Uncounted;
        }
        let number = self.sequence.extend(command.number);
        let now = place.time.near_nanos();
        let (highest, tag) = (self.sequence.newest(), Tag::of(place));
        let seen = self.sequence.sent(number, place.frame, index, now);
        dissection.delivery.push(Event::Sent {
            number: command.number.into(),
            extended: number,
            seen,
            message_id: None,
            last_try: false,
            handled: None,
            acknowledged: true,
            changed: matches!(seen, Seen::Copy { before } if !Tag(before.tag).same(tag)),
        });
        match seen {
            Seen::Copy { before } => {
                copy(before, tag, now, resend, dissection);
                return Fresh::Copy;
            }
            Seen::Forgotten => return Fresh::Copy,
            Seen::Ahead(missing) => {
                let (from, to) = (self.sequence.wire(number - missing as i64), self.sequence.wire(number - 1));
                match missing {
                    1 => notes.note("dnp.gap", format_args!("{from} is missing before it")),
                    _ => notes.note(
                        "dnp.gap",
                        format_args!("{} missing before it: {from} to {to}", Plural(missing, "number")),
                    ),
                }
            }
            Seen::Late => {
                let highest = self.sequence.wire(highest.unwrap_or(number));
                notes.note("dnp.out_of_order", format_args!("comes after {highest}"));
            }
            Seen::Next => {}
        }
        if let Some(sent) = self.sequence.get_mut(number) {
            sent.tag = tag.0;
        }
        let (origin, floor) = (self.sequence.first(), self.floor());
        let missing = self.runs.missing(origin.max(floor).max(self.arrived));
        if number >= missing + WINDOW {
            let missing = self.sequence.wire(missing);
            notes.warn(
                "dnp.out_of_window",
                format_args!(
                    "{WINDOW} or more past {missing}, which the capture lacks: a receiver that lacks it, too, drops this \
                     unacknowledged"
                ),
            );
        }
        let around = self.runs.insert(number, command.marks(number));
        self.runs.forget(floor);
        let Some((kind, (first, last))) = JoinedKind::of(command.message).zip(command.part) else {
            return Fresh::New(number, None);
        };
        self.parts[kind as usize].forget(floor);
        let chain = follow(number, first, last, kind, &around, origin);
        if chain == Chain::Orphan {
            notes.note(
                "dnp.orphan_part",
                format_args!("no first part before it: a receiver without one acknowledges and drops it"),
            );
        }
        if first
            && let Some((_, run)) = around.before
            && let Mark::First(begun) = run.marks[kind as usize].tail
        {
            let begun = self.sequence.wire(begun);
            notes.warn(
                "dnp.long_message_dropped",
                format_args!("a new message begins before the last part of the one that began with {begun}"),
            );
        }
        Fresh::New(number, Some(chain))
    }

    /// The lowest number that is remembered.
    fn floor(&self) -> i64 {
        self.sequence.newest().map_or(i64::MIN, |newest| newest - REMEMBERED as i64 + 1)
    }
}

/// Notes a repeated command. `before` is its state before.
fn copy(before: Sent, tag: Tag, now: i64, resend: i64, dissection: &mut Dissection) {
    let (copy, frame) = (before.copies.saturating_add(1), before.frame);
    let (first, since) = (before, now.saturating_sub(before.last_time));
    let (before, shown) = (Tag(before.tag), Millis(since));
    if !before.same(tag) {
        let name = before.name();
        dissection.notes.warn(
            "dnp.changed_copy",
            format_args!("the number of {name} of frame {frame}, but other bytes: receivers keep the first"),
        );
        return;
    }
    let soon = since.saturating_mul(2) < resend && !before.failed();
    let code = if soon { "dnp.duplicate" } else { "dnp.retransmission" };
    dissection.relate(Level::Note, code, |note| {
        // The relation has the time since the first transmission; the text has the time since the last, for the resend
        // time.
        note.to(RelationKind::CopyOf, Target::from(&first), now.saturating_sub(first.time));
        note.text("copy ").number(copy).text(" of frame ").frame().text(", ");
        _ = write!(note, "{shown} after the last");
    });
}
