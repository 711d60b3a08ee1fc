//! Matches acknowledgements with numbered commands, and finds commands that were never acknowledged.
//!
//! An acknowledgement carries one number and acknowledges that command alone.

use super::reliable::{Direction, MODULUS, Tag, WINDOW};
use crate::codec::Level;
use crate::dissect::delivery::{Event, Report};
use crate::dissect::numbered::Listed;
use crate::dissect::{Dissection, RelationKind, Target};
use crate::duration::Millis;
use crate::traffic::sequence::{Acked, Sent};
use std::fmt::{self, Write};

impl Direction {
    /// Handles an acknowledgement of one of this direction's commands. A broken acknowledgement has no `result`.
    pub fn acknowledged(&mut self, number: u16, result: Option<u64>, now: i64, dissection: &mut Dissection) {
        let extended = self.sequence.extend(number);
        let seen = if number == MODULUS { None } else { self.sequence.get_mut(extended) };
        let Some(sent) = seen else {
            if result.is_some() {
                let notes = &mut dissection.notes;
                notes.note("dnp.acknowledge_unknown", format_args!("no command {number} was seen"));
            }
            return;
        };
        let (name, to) = (Tag(sent.tag).name(), Target::from(&*sent));
        // The round trip is from the last transmission; the relation, like all relations, is to the first.
        let after = now.saturating_sub(sent.time);
        let since = Millis(now.saturating_sub(sent.last_time));
        match result {
            Some(0) => {}
            Some(1) => {
                sent.tag |= Tag::FAILED;
                dissection.relate(Level::Warning, "dnp.acknowledge_failed", |note| {
                    note.to(RelationKind::Answers, to, after).text(name).text(" of frame ").frame();
                    _ = write!(note, ", {since} before: the sender resends at once");
                });
                return;
            }
            _ => return,
        }
        // Receivers accept numbers that are less than the window past the lowest one that they lack.
        self.arrived = self.arrived.max(extended - (WINDOW - 1));
        dissection.delivery.push(Event::Report(Report { of: extended, base: extended, bits: 0, width: 0 }));
        let acked = self.sequence.acknowledged(extended);
        dissection.delivery.push(Event::Acked { extended, acked });
        match acked {
            Acked::First(Sent { copies, .. }) => dissection.relate(Level::Note, "dnp.acknowledges", |note| {
                note.to(RelationKind::Acknowledges, to, after).text(name).text(" of frame ").frame();
                _ = match copies {
                    1 => write!(note, ", round trip {since}"),
                    _ => write!(note, ", sent {copies} times, the last time {since} before"),
                };
            }),
            // The first one has acknowledged it: this is no relation.
            Acked::Again => dissection.notes.note(
                "dnp.acknowledge_repeated",
                format_args!("{name} of frame {} was acknowledged before; {since} since its last copy", to.frame),
            ),
            Acked::Unseen | Acked::Unknown => {}
        }
    }

    /// The time that a command has waited for its acknowledgement, if the sender closes at `now` for that reason. It
    /// resends such a command until the end: one that it no longer resends was acknowledged, which the capture lacks.
    /// Captures have other times than the sender, which a part of the timeout allows for.
    pub fn gave_up(&self, now: i64, resend: i64, timeout: i64) -> Option<i64> {
        let since = |time: i64| now.saturating_sub(time);
        let waiting = self.sequence.unacknowledged().filter(|(_, sent)| {
            since(sent.time) >= timeout.saturating_sub((resend / 2).min(timeout / 10))
                && since(sent.last_time) <= resend.saturating_add(resend / 2)
        });
        waiting.map(|(_, sent)| since(sent.time)).max()
    }

    /// The numbers that were never acknowledged; `None`: there are none.
    pub fn unacknowledged(&self) -> Option<impl fmt::Display + '_> {
        let (numbers, forgotten) = (self.sequence.unacknowledged(), self.sequence.forgotten_unacknowledged);
        let any = forgotten > 0 || numbers.clone().next().is_some();
        any.then(|| Listed::of(&self.sequence, numbers.map(|(number, _)| number)).and(forgotten))
    }
}
