//! What numbered messages and their acknowledgements have to say of one another: notes and relations
//! in the same words for Riptide and for all protocols that files describe.
//!
//! The windows of DNP are a [`Sequence`], too, but what they tell is DNP's own. Of the 510 notes of its
//! fixtures 390 are about copies, holes and acknowledgements: 283 acknowledgements name the command and
//! the round trip since its last copy, 31 tell that a command is acknowledged again, 41 copies are told
//! apart by half the resend time and not by whether they were acknowledged. Only 35 holes and late ones
//! could be told here, in other words than DNP's: a table of words for these would be longer than the 14
//! lines that it would replace.

use super::message::{Dissection, Provenance};
use super::relations::{RelationKind, Target};
use crate::codec::Level;
use crate::flow::sequence::{Acked, Seen, Sent, Sequence};
use crate::plural::Plural;
use std::fmt;

/// A note names no more messages than these; their relations are there all the same.
const LISTED: usize = 20;

/// The codes of a protocol's notes.
#[derive(Clone, Copy, Debug)]
pub struct NumberedCodes {
    /// A number below the newest.
    pub late: &'static str,
    /// Numbers before it are missing.
    pub gap: &'static str,
    /// A copy before any acknowledgement.
    pub resent: &'static str,
    /// A copy after one.
    pub duplicate: &'static str,
    /// It acknowledges messages.
    pub acked_by: &'static str,
    /// It acknowledges what the capture does not have.
    pub acked_unseen: &'static str,
}

/// Says how a number relates to those before it. `newest`: the newest one before it.
#[inline]
pub fn tell_seen(
    seen: Seen,
    (sequence, extended, newest): (&Sequence, i64, Option<i64>),
    codes: &NumberedCodes,
    place: &Provenance<'_>,
    dissection: &mut Dissection,
) {
    let notes = &mut dissection.notes;
    match seen {
        Seen::Next | Seen::Forgotten => {}
        Seen::Late => {
            let newest = sequence.wire_wide(newest.unwrap_or(extended));
            notes.add(Level::Note, codes.late, format_args!("behind the newest, {newest}"));
        }
        Seen::Ahead(missing) => {
            let from = sequence.wire_wide(extended - missing as i64);
            let to = sequence.wire_wide(extended - 1);
            match missing {
                1 => notes.add(Level::Note, codes.gap, format_args!("1 message missing before it: {from}")),
                n => notes.add(
                    Level::Note,
                    codes.gap,
                    format_args!("{} missing before it: {from} to {to}", Plural(n, "message")),
                ),
            }
        }
        Seen::Copy { before } => tell_copy(&before, codes, place, dissection),
    }
}

/// Says of which message it is a copy. `before`: that message, before this copy came.
pub fn tell_copy(before: &Sent, codes: &NumberedCodes, place: &Provenance<'_>, dissection: &mut Dissection) {
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

/// What one message acknowledges. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Acknowledgement {
    /// The number, and the message: its place and its time.
    acked: Vec<(i64, Target, i64)>,
    unseen: Vec<i64>,
}

impl Acknowledgement {
    /// Of nothing yet.
    pub fn clear(&mut self) {
        self.acked.clear();
        self.unseen.clear();
    }

    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.acked.capacity() * size_of::<(i64, Target, i64)>() + self.unseen.capacity() * size_of::<i64>()
    }

    /// It names a number.
    #[inline]
    pub fn name(&mut self, extended: i64, acked: Acked) {
        match acked {
            Acked::First(sent) => self.acked.push((extended, Target::from(&sent), sent.time)),
            Acked::Unseen if !self.unseen.contains(&extended) => self.unseen.push(extended),
            _ => {}
        }
    }

    /// Brings the numbers into their order.
    pub fn sort(&mut self) {
        self.acked.sort_unstable();
        self.unseen.sort_unstable();
    }

    /// Those that no earlier acknowledgement named.
    pub fn acked(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.acked.iter().map(|(number, ..)| *number)
    }

    /// Says what it acknowledges. `unseen`: what is said behind numbers that the capture does not have.
    pub fn tell(
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
                    // Several messages may go under one number.
                    if before.replace(*number) == Some(*number) {
                        continue;
                    }
                    if listed == LISTED {
                        more += 1;
                        continue;
                    }
                    note.text(if listed == 0 { "acknowledges " } else { ", " }).number(sequence.wire_wide(*number));
                    note.text(" (frame ").frame().text(", after ").after().text(")");
                    listed += 1;
                }
                if more > 0 {
                    note.text(" and ").number(more).text(" more");
                }
            });
        }
        if !self.unseen.is_empty() {
            let numbers = Numbers(sequence, &self.unseen);
            let text = format_args!("acknowledges {numbers}, not seen in this capture: {unseen}");
            dissection.notes.add(Level::Warning, codes.acked_unseen, text);
        }
    }
}

/// Extended numbers as they are on the wire, with commas.
struct Numbers<'a>(&'a Sequence, &'a [i64]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, number) in self.1.iter().take(LISTED).enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.0.wire_wide(*number))?;
        }
        match self.1.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
