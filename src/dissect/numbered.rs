//! Notes and relations of numbered messages and their acknowledgements, in the same words for Riptide and for all
//! protocols that files describe.
//!
//! The windows of DNP are a [`Sequence`], too, but DNP writes its own notes. Of the 510 notes of its fixtures 390 are
//! about duplicates, gaps and acknowledgements: 283 acknowledgements name the command and the round trip since its last
//! transmission, 31 state that a command is acknowledged again, 41 repeated commands are classified by half the resend
//! time and not by whether they were acknowledged. Only 35 gaps and late messages could be written here, in other words
//! than DNP's. A table for these words would be longer than the 14 lines that it would replace.

use super::message::{Dissection, Provenance};
use super::relations::{RelationKind, Target};
use crate::codec::Level;
use crate::plural::Plural;
use crate::traffic::sequence::{Acked, Seen, Sent, Sequence};
use std::fmt;

/// The number of messages that a note names at most; their relations are complete.
const LISTED: usize = 20;

/// The addition to a note that messages were never acknowledged, if only their side was captured.
pub const ONE_SIDE: &str = "; nothing of the other side was captured";

/// The codes of a protocol's notes.
#[derive(Clone, Copy, Debug)]
pub struct NumberedCodes {
    /// A number is below the newest.
    pub late: &'static str,
    /// Numbers before the message are missing.
    pub gap: &'static str,
    /// A further transmission, before any acknowledgement.
    pub resent: &'static str,
    /// A further transmission, after an acknowledgement.
    pub duplicate: &'static str,
    /// The message acknowledges others.
    pub acked_by: &'static str,
    /// The message acknowledges numbers that are not in the capture.
    pub acked_unseen: &'static str,
}

/// Adds a note on the relation of a number to those before it. `newest` is the newest one before it.
#[inline]
pub fn note_seen(
    seen: Seen,
    sequence: &Sequence,
    extended: i64,
    newest: Option<i64>,
    codes: &NumberedCodes,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
) {
    let notes = &mut dissection.notes;
    match seen {
        Seen::Next | Seen::Forgotten => {}
        Seen::Late => {
            let newest = sequence.wire(newest.unwrap_or(extended));
            notes.note(codes.late, format_args!("below the newest, {newest}"));
        }
        Seen::Ahead(missing) => {
            let from = sequence.wire(extended - missing as i64);
            let to = sequence.wire(extended - 1);
            match missing {
                1 => notes.note(codes.gap, format_args!("1 message missing before it: {from}")),
                n => notes.note(codes.gap, format_args!("{} missing before it: {from} to {to}", Plural(n, "message"))),
            }
        }
        Seen::Copy { before } => note_copy(&before, codes, place, dissection),
    }
}

/// Adds a note on the message of which this is a further transmission. `before` is the state before it.
pub fn note_copy(before: &Sent, codes: &NumberedCodes, place: &Provenance<'_>, dissection: &mut Dissection) {
    let copy = before.copies + 1;
    let passed = place.time.near_nanos() - before.time;
    let code = if before.acked { codes.duplicate } else { codes.resent };
    dissection.relate(Level::Note, code, |note| {
        note.to(RelationKind::CopyOf, Target::from(before), passed).text("copy ").number(copy);
        match before.acked {
            false => note.text(", ").after().text(" after the first in frame ").frame(),
            true => {
                note.text(" of frame ").frame().text(", ").after();
                note.text(" later; it was acknowledged already")
            }
        };
    });
}

/// The numbers that one message acknowledges. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Acknowledgement {
    /// The number, the message, and its time.
    acked: Vec<(i64, Target, i64)>,
    unseen: Vec<i64>,
}

impl Acknowledgement {
    /// Clears the numbers.
    pub fn clear(&mut self) {
        self.acked.clear();
        self.unseen.clear();
    }

    /// The memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.acked.capacity() * size_of::<(i64, Target, i64)>() + self.unseen.capacity() * size_of::<i64>()
    }

    /// Adds a number.
    #[inline]
    pub fn name(&mut self, extended: i64, acked: Acked) {
        match acked {
            Acked::First(sent) => self.acked.push((extended, Target::from(&sent), sent.time)),
            Acked::Unseen if !self.unseen.contains(&extended) => self.unseen.push(extended),
            _ => {}
        }
    }

    /// Sorts the numbers.
    pub fn sort(&mut self) {
        self.acked.sort_unstable();
        self.unseen.sort_unstable();
    }

    /// The numbers that no earlier acknowledgement named.
    pub fn acked(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.acked.iter().map(|(number, ..)| *number)
    }

    /// Adds notes on the numbers. `unseen` is the text after numbers that the capture does not have.
    pub fn note(
        &self,
        sequence: &Sequence,
        codes: &NumberedCodes,
        unseen: &str,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        if !self.acked.is_empty() {
            let now = place.time.near_nanos();
            dissection.relate(Level::Note, codes.acked_by, |note| {
                let (mut listed, mut more) = (0, 0);
                let mut before = None;
                for (number, target, time) in &self.acked {
                    note.to(RelationKind::Acknowledges, *target, now - time);
                    // Several messages may have the same number.
                    if before.replace(*number) == Some(*number) {
                        continue;
                    }
                    if listed == LISTED {
                        more += 1;
                        continue;
                    }
                    note.text(if listed == 0 { "acknowledges " } else { ", " }).number(sequence.wire(*number));
                    note.text(" (frame ").frame().text(", after ").after().text(")");
                    listed += 1;
                }
                if more > 0 {
                    note.text(" and ").number(more).text(" more");
                }
            });
        }
        if !self.unseen.is_empty() {
            let numbers = Listed::of(sequence, self.unseen.iter().copied());
            let text = format_args!("acknowledges {numbers}, not seen in this capture: {unseen}");
            dissection.notes.warn(codes.acked_unseen, text);
        }
    }
}

/// Prints extended numbers as they are on the wire, with commas: the first ones, and how many more there are.
#[derive(Clone, Debug)]
pub struct Listed<'a, I> {
    sequence: &'a Sequence,
    numbers: I,
    more: u64,
}

impl<'a, I: Iterator<Item = i64> + Clone> Listed<'a, I> {
    /// Prints these numbers.
    pub fn of(sequence: &'a Sequence, numbers: I) -> Listed<'a, I> {
        Listed { sequence, numbers, more: 0 }
    }

    /// Counts further numbers that are not known.
    pub fn and(self, more: u64) -> Listed<'a, I> {
        Listed { more, ..self }
    }
}

impl<I: Iterator<Item = i64> + Clone> fmt::Display for Listed<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.numbers.clone();
        for (k, number) in numbers.by_ref().take(LISTED).enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.sequence.wire(number))?;
        }
        match self.more + numbers.count() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
