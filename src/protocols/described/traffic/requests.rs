//! Requests and their answers.

use super::super::codes::Codes;
use super::path::Path;
use super::rules::Requests;
use crate::codec::{Level, Value, bits};
use crate::dissect::{Dissection, Event, Provenance, RelationKind, Target};
use crate::flow::Side;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The most requests that wait for an answer.
const WAITING: usize = 1024;
/// The bits of a key that no foreign message has by chance.
const LONG: u32 = 32;

/// The requests of a conversation that wait for an answer.
#[derive(Debug, Default)]
pub struct Questions {
    waiting: VecDeque<Question>,
    /// The last answer of each side: further parts of it are not unmatched.
    answered: [Option<&'static str>; 2],
    /// Whether an answer had the key of its request, with at least [`LONG`] bits.
    pub agrees: bool,
}

#[derive(Clone, Copy, Debug)]
struct Question {
    rule: usize,
    side: Side,
    key: u64,
    time: i64,
    message: &'static str,
    target: Target,
}

impl Questions {
    /// The number of bytes that they hold.
    pub fn memory(&self) -> usize {
        self.waiting.capacity() * size_of::<Question>()
    }

    /// Handles a line that may be a request or an answer.
    pub fn see(
        &mut self,
        (rule, requests): (usize, &Requests),
        place: &Provenance<'_>,
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        let message = dissection.message;
        let (side, now) = (place.side, place.time.near_nanos());
        let (asks, answers) = (requests.asks.contains(&message), requests.answers.contains(&message));
        if answers {
            let by = requests.by.as_ref().map(|(_, answer)| answer);
            let Some((key, long)) = identity(by, dissection, place) else { return };
            let found = self.waiting.iter().position(|q| q.rule == rule && q.side == side.other() && q.key == key);
            if let Some(question) = found.and_then(|at| self.waiting.remove(at)) {
                self.agrees |= long;
                let after = now - question.time;
                dissection.delivery.push(Event::Answer(after));
                dissection.relate(Level::Note, codes.answers, |note| {
                    note.to(RelationKind::Answers, question.target, after).text("answers the ");
                    note.text(question.message).text(" of frame ").frame().text(", after ").after();
                });
                self.answered[side.index()] = Some(message);
                return;
            }
            if !asks {
                // A further part of the same answer is not unmatched.
                if self.answered[side.index()] != Some(message) {
                    dissection.delivery.push(Event::Unmatched);
                }
                return;
            }
        }
        if asks {
            let by = requests.by.as_ref().map(|(ask, _)| ask);
            let Some((key, _)) = identity(by, dissection, place) else { return };
            let again = |q: &&Question| q.rule == rule && q.side == side && q.key == key;
            if let (Some(first), Some(_)) = (self.waiting.iter().find(again).copied(), &requests.by) {
                dissection.relate(Level::Note, codes.asked_again, |note| {
                    note.to(RelationKind::CopyOf, first.target, now - first.time).text("asks what frame ");
                    note.frame().text(" asked ").after().text(" before");
                });
                return;
            }
            self.answered[side.other().index()] = None;
            dissection.delivery.push(Event::Request);
            if self.waiting.len() >= WAITING {
                self.waiting.pop_front();
            }
            let target = dissection.target(place);
            self.waiting.push_back(Question { rule, side, key, time: now, message, target });
        }
    }
}

/// The value that a request and its answer share, 0 if there is no such field; and whether it is long and not 0.
fn identity(path: Option<&Path>, dissection: &Dissection, place: &Provenance<'_>) -> Option<(u64, bool)> {
    let Some(path) = path else { return Some((0, false)) };
    let (node, ..) = path.find(dissection.into())?;
    let mut hasher = FxHasher::default();
    match (node.number(), node.value) {
        (Some(number), _) => number.hash(&mut hasher),
        (None, Value::F32(_) | Value::F64(_) | Value::F16(_)) => {
            bits::get(place.bytes, node.bit as usize, node.bits.min(64)).hash(&mut hasher);
        }
        _ => node.bytes(dissection.sources(place.bytes))?.hash(&mut hasher),
    }
    Some((hasher.finish(), node.bits >= LONG && node.number() != Some(0)))
}
