//! The notes and faults of a capture's messages by kind, and the messages that are evidence for a verdict.

use super::Verdict;
use crate::codec::Level;
use crate::dissect::delivery::{Event, Handled};
use crate::dissect::{Message, Target};
use crate::flow::Side;
use crate::traffic::sequence::Seen;
use std::collections::BTreeMap;

/// The number of messages of each kind that are listed, from the first one.
pub const NAMED: usize = 6;
/// The cap on kinds of faults, and on subjects with evidence.
const KINDS: usize = 8192;

/// The number of occurrences, and the first ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// The number of occurrences.
    pub count: u64,
    /// The first occurrences.
    pub first: Vec<Target>,
}

impl Places {
    /// Adds an occurrence.
    pub fn add(&mut self, target: Target) {
        self.count += 1;
        // Without a frame there is nothing to refer to; one message may have several occurrences of a kind.
        if target.frame > 0 && self.first.len() < NAMED && self.first.last() != Some(&target) {
            self.first.push(target);
        }
    }
}

/// The messages that are evidence for a verdict, and their notes.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The messages.
    pub messages: Places,
    /// The codes of their notes, with the number of each.
    pub codes: BTreeMap<&'static str, u64>,
}

/// A rule's name, the conversation, the connection in it, the protocol, the side.
type Subject = (&'static str, u64, u32, &'static str, usize);

/// Notes, faults and evidence.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    notes: BTreeMap<(std::cmp::Reverse<Level>, &'static str), Places>,
    faults: BTreeMap<(&'static str, &'static str), Places>,
    evidence: BTreeMap<Subject, Evidence>,
}

impl Noted {
    /// Records a message on the connection `connection` of its conversation.
    pub fn message(&mut self, message: &Message<'_>, connection: u32) {
        let dissection = message.dissection;
        let own = Target { frame: message.place.frame, index: dissection.index };
        for (note, _) in dissection.notes.iter() {
            self.notes.entry((std::cmp::Reverse(note.level), note.code)).or_default().add(own);
        }
        let name = (dissection.proto, dissection.message);
        if dissection.fault.is_some() && (self.faults.len() < KINDS || self.faults.contains_key(&name)) {
            self.faults.entry(name).or_default().add(own);
        }
        for rule in dissection.delivery.iter().flat_map(rules).flatten() {
            let subject = (rule, message.flow_info.flow, connection, dissection.proto, message.place.side.index());
            if self.evidence.len() >= KINDS && !self.evidence.contains_key(&subject) {
                continue;
            }
            let evidence = self.evidence.entry(subject).or_default();
            evidence.messages.add(own);
            for (note, _) in dissection.notes.iter() {
                *evidence.codes.entry(note.code).or_default() += 1;
            }
        }
    }

    /// The notes, worst first: level, code, occurrences.
    pub fn notes(&self) -> impl Iterator<Item = (Level, &'static str, &Places)> {
        self.notes.iter().map(|((level, code), places)| (level.0, *code, places))
    }

    /// The faults: protocol, message, occurrences.
    pub fn faults(&self) -> impl Iterator<Item = (&'static str, &'static str, &Places)> {
        self.faults.iter().map(|((proto, name), places)| (*proto, *name, places))
    }

    /// The evidence for a verdict about this side's messages.
    pub fn evidence(&self, verdict: &Verdict, side: Side) -> Option<&Evidence> {
        let Verdict { rule, flow, connection, proto, .. } = *verdict;
        self.evidence.get(&(rule, flow, connection, proto, side.index()))
    }
}

/// The rules of [`super::RULES`] that an event triggers.
pub(crate) fn rules(event: &Event) -> [Option<&'static str>; 2] {
    let Event::Sent { seen, handled, .. } = event else { return [None; 2] };
    let of_order = match seen {
        Seen::Copy { .. } => Some("resends"),
        Seen::Ahead(_) => Some("lost"),
        _ => None,
    };
    let copy = matches!(seen, Seen::Copy { .. });
    let of_filter = match handled {
        Some(Handled { now: true, before: 1 }) => Some("handled_twice"),
        Some(Handled { now: false, before: 0 }) if !copy => Some("never_handled"),
        _ => None,
    };
    [of_order, of_filter]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_places_are_named_and_all_are_counted() {
        let mut places = Places::default();
        for frame in [0, 3, 3, 4, 5, 6, 7, 8, 9] {
            places.add(Target { frame, index: 1 });
        }
        assert_eq!(places.count, 9);
        assert_eq!(places.first.iter().map(|target| target.frame).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn rules_are_those_of_the_verdicts() {
        let known: Vec<&str> = super::super::RULES.map(|(rule, _)| rule).to_vec();
        let sent = |seen, handled| Event::Sent {
            number: 1,
            extended: 1,
            seen,
            message_id: None,
            last_try: false,
            handled,
            acknowledged: true,
            changed: false,
        };
        let twice = Some(Handled { now: true, before: 1 });
        assert_eq!(rules(&sent(Seen::Ahead(2), twice)), [Some("lost"), Some("handled_twice")]);
        let never = Some(Handled { now: false, before: 0 });
        assert_eq!(rules(&sent(Seen::Late, never)), [None, Some("never_handled")]);
        for rule in ["resends", "lost", "handled_twice", "never_handled", "never_acked", "unanswered"] {
            assert!(known.contains(&rule), "{rule}");
        }
    }
}
