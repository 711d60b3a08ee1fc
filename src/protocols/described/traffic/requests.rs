//! Requests and their answers.

use super::super::codes::Codes;
use super::path::{Path, Shown};
use super::rules::Requests;
use crate::codec::node::Node;
use crate::codec::{Level, Sources, Value, bits};
use crate::dissect::{Dissection, Event, Provenance, RelationKind, Target};
use crate::flow::Side;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The most requests that wait for an answer.
const WAITING: usize = 1024;
/// The bits of a key that no foreign message has by chance.
const LONG: u32 = 32;
/// The time, in nanoseconds, after which a side that asks again has given up its last request, if no response time is
/// known. It is less than a second, at which many ask; requests in shorter steps may wait for a slow server.
const UNKNOWN: i64 = 750_000_000;
/// If one is known: the time by which a response may be later than usual.
const SPARE: i64 = 250_000_000;

/// The time, in nanoseconds, in which a request is resent for the first time, and the multiple of the pause before in
/// which it is resent again: the pauses usually double.
const RESENT: i64 = 10_000_000_000;
const PAUSES: i64 = 3;

/// The most bits of evidence in a key, and in one that is short or at the same place of request and answer: others echo
/// bytes and count, too.
const EVIDENCE: u32 = 32;
const ECHOED: u32 = 8;

/// The requests of a conversation that wait for an answer.
#[derive(Debug, Default)]
pub struct Questions {
    waiting: VecDeque<Question>,
    /// Whether the transport may lose them.
    lossy: bool,
    /// By rule and by the side that asks.
    paces: Vec<[Pace; 2]>,
    /// The last answers of each side since the other one asked: further parts of them are not unmatched.
    answered: [Answered; 2],
    /// Whether an answer had the key of its request, with at least [`LONG`] bits.
    pub agrees: bool,
    /// The bits of evidence in the key of that answer.
    pub bits: u32,
}

/// The last two answers of a side, as hashes of message and key; 0: there is none. Small, because every conversation has
/// it, also while it is being recognised.
#[derive(Debug, Default)]
struct Answered([u64; 2]);

impl Answered {
    fn of(message: &'static str, key: u64) -> u64 {
        let mut hasher = FxHasher::default();
        (message, key).hash(&mut hasher);
        hasher.finish().max(1)
    }

    fn add(&mut self, message: &'static str, key: u64) {
        self.0 = [Answered::of(message, key), self.0[0]];
    }

    fn has(&self, message: &'static str, key: u64) -> bool {
        self.0.contains(&Answered::of(message, key))
    }
}

/// The pace at which the requests of a side are answered.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// The shortest response time in nanoseconds.
    shortest: Option<i64>,
    /// Whether the next response is the first one since a request: after a pause, many may arrive at once.
    first: bool,
    /// The number of requests.
    asked: u64,
    /// The key of the last one that was answered.
    answered: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Question {
    rule: usize,
    side: Side,
    key: u64,
    /// Its number among the requests of its side, from 1.
    number: u64,
    /// The place of the key's field, and the length of the message.
    bit: u32,
    length: usize,
    time: i64,
    /// The time of the last transmission, and the time between it and the one before.
    last: i64,
    pause: i64,
    message: &'static str,
    target: Target,
}

impl Question {
    /// Whether its side still waits for the answer when it asks with the same key, of this many bits.
    fn is_resent(&self, pace: &Pace, bits: u32, now: i64) -> bool {
        let in_time = now - self.last < self.pause.saturating_mul(PAUSES).max(RESENT);
        let gone_round = (1..LONG).contains(&bits) && pace.asked - self.number >= 1 << (bits - 1);
        in_time && !gone_round
    }
}

impl Questions {
    /// No requests so far. `lossy`: whether the transport may lose them.
    pub fn new(lossy: bool) -> Questions {
        Questions { lossy, ..Questions::default() }
    }

    /// The number of bytes that they hold.
    pub fn memory(&self) -> usize {
        self.waiting.capacity() * size_of::<Question>() + self.paces.capacity() * size_of::<[Pace; 2]>()
    }

    /// Begins another session, which answers no request of the one before.
    pub fn begin(&mut self) {
        *self = Questions { agrees: self.agrees, bits: self.bits, ..Questions::new(self.lossy) };
    }

    fn pace(&mut self, rule: usize, side: Side) -> &mut Pace {
        if self.paces.len() <= rule {
            self.paces.resize(rule + 1, Default::default());
        }
        &mut self.paces[rule][side.index()]
    }

    /// Gives up requests of a side that asks again. Responses are matched in order: one that is lost would otherwise
    /// shift all later ones.
    fn give_up(&mut self, rule: usize, side: Side, key: u64, now: i64) {
        let is = |q: &Question| (q.rule, q.side, q.key) == (rule, side, key);
        let mut times = self.waiting.iter().filter(|q| is(q)).map(|q| q.time);
        let Some(oldest) = times.next() else { return };
        let newest = times.next_back().unwrap_or(oldest);
        // Younger requests may be answered yet.
        let usual = match self.pace(rule, side).shortest.map(|shortest| shortest.saturating_add(shortest / 4)) {
            Some(usual) if now - oldest >= usual.saturating_add(SPARE) => usual,
            None if now - newest >= UNKNOWN => 0,
            _ => return,
        };
        self.waiting.retain(|q| !is(q) || now - q.time < usual);
    }

    /// Handles a line that may be a request or an answer. `copy_of`: the frame of the first transmission, if its number
    /// shows that it is a further one.
    pub fn see(
        &mut self,
        rule: usize,
        requests: &Requests,
        place: &Provenance<'_>,
        copy_of: Option<u64>,
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        let message = dissection.message;
        let (mut asks, mut answers) = (requests.asks.contains(&message), requests.answers.contains(&message));
        if let Some(answer) = &requests.answer {
            answers &= answer.holds(Shown::from(&*dissection));
            asks &= !answers;
        }
        if answers {
            let by = requests.by.as_ref().map(|(_, answer)| answer);
            let Some(key) = identity(by, dissection, place) else { return };
            if self.answer(rule, key, place, codes, dissection) {
                return;
            }
            if !asks {
                // A further part of the same answer is not unmatched.
                if !self.answered[place.side.index()].has(message, key.0) {
                    dissection.delivery.push(Event::Unmatched);
                }
                return;
            }
        }
        if asks {
            let by = requests.by.as_ref().map(|(ask, _)| ask);
            let Some(key) = identity(by, dissection, place) else { return };
            self.ask(rule, key, place, copy_of, codes, dissection);
        }
    }

    /// Matches an answer with the request that waits for it. False: none does.
    fn answer(
        &mut self,
        rule: usize,
        (key, node): (u64, Option<Node>),
        place: &Provenance<'_>,
        codes: &Codes,
        dissection: &mut Dissection,
    ) -> bool {
        let asker = place.side.other();
        let found = self.waiting.iter().position(|q| (q.rule, q.side, q.key) == (rule, asker, key));
        let Some(question) = found.and_then(|at| self.waiting.remove(at)) else { return false };
        if !self.agrees
            && let Some(node) = node
        {
            let bits = rich(&node, dissection.sources(place.bytes));
            let long = node.bits >= LONG;
            self.agrees = long && node.number() != Some(0);
            // A short key in an answer of the same length may be the echo of a whole message.
            let most = match (node.bit == question.bit, long) {
                (false, true) => EVIDENCE,
                (_, false) if place.length == question.length => 0,
                _ => ECHOED,
            };
            self.bits = self.bits.max(bits.min(most));
        }
        let after = place.time.near_nanos() - question.time;
        let pace = self.pace(rule, asker);
        pace.answered = Some(key);
        // A negative time is one of a clock that was set back.
        if std::mem::take(&mut pace.first) && after >= 0 {
            pace.shortest = Some(pace.shortest.map_or(after, |shortest| shortest.min(after)));
        }
        dissection.delivery.push(Event::Answer(after));
        dissection.relate(Level::Note, codes.answers, |note| {
            note.to(RelationKind::Answers, question.target, after).text("answers the ");
            note.text(question.message).text(" of frame ").frame().text(", after ").after();
        });
        self.answered[place.side.index()].add(dissection.message, key);
        true
    }

    /// Counts a request, unless it is one that waits, resent.
    fn ask(
        &mut self,
        rule: usize,
        (key, node): (u64, Option<Node>),
        place: &Provenance<'_>,
        copy_of: Option<u64>,
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        let (side, now, message) = (place.side, place.time.near_nanos(), dissection.message);
        let pace = *self.pace(rule, side);
        // A key that the last answer had, too, does not distinguish requests.
        let in_order = node.is_none() || pace.answered == Some(key);
        let same = |q: &Question| (q.rule, q.side, q.key) == (rule, side, key);
        let known = if in_order { None } else { self.waiting.iter().position(same) };
        if let Some(first) = known.and_then(|at| self.waiting.get_mut(at))
            && first.is_resent(&pace, node.map_or(0, |node| node.bits), now)
        {
            (first.pause, first.last) = (now - first.last, now);
            let first = *first;
            dissection.relate(Level::Note, codes.asked_again, |note| {
                note.to(RelationKind::CopyOf, first.target, now - first.time).text("asks what frame ");
                note.frame().text(" asked ").after().text(" before");
            });
            return;
        }
        // The number's note is about this transmission.
        let is_first = |q: &Question| (q.rule, q.side, q.message) == (rule, side, message);
        if copy_of.is_some_and(|frame| self.waiting.iter().any(|q| is_first(q) && q.target.frame == frame)) {
            return;
        }
        match known {
            _ if !self.lossy => {}
            Some(at) => _ = self.waiting.remove(at),
            None if in_order => self.give_up(rule, side, key, now),
            None => {}
        }
        let pace = self.pace(rule, side);
        (pace.first, pace.asked) = (true, pace.asked + 1);
        let number = pace.asked;
        self.answered[side.other().index()] = Answered::default();
        dissection.delivery.push(Event::Request);
        if self.waiting.len() >= WAITING {
            self.waiting.pop_front();
        }
        let target = dissection.target(place);
        self.waiting.push_back(Question {
            rule,
            side,
            key,
            number,
            bit: node.map_or(0, |node| node.bit),
            length: place.length,
            time: now,
            last: now,
            pause: 0,
            message,
            target,
        });
    }
}

/// The bits of a key that differ by chance: zeros before a number and repeated bytes are fillers. A short key may count,
/// so that its lowest byte is none.
#[cold]
#[inline(never)]
fn rich(node: &Node, sources: Sources<'_>) -> u32 {
    let number;
    let bytes = match node.number() {
        Some(value) => {
            number = value.to_be_bytes();
            &number[value.leading_zeros() as usize / 8..]
        }
        None => node.bytes(sources).unwrap_or_default(),
    };
    let mut seen = [false; 256];
    let distinct = bytes.iter().filter(|byte| !std::mem::replace(&mut seen[**byte as usize], true)).count();
    8 * (distinct as u32).saturating_sub(u32::from(node.bits < LONG))
}

/// The hash of the value that a request and its answer share, and its field; 0 if there is no such field.
fn identity(path: Option<&Path>, dissection: &Dissection, place: &Provenance<'_>) -> Option<(u64, Option<Node>)> {
    let Some(path) = path else { return Some((0, None)) };
    let (node, ..) = path.find(dissection.into())?;
    let mut hasher = FxHasher::default();
    match (node.number(), node.value) {
        (Some(number), _) => number.hash(&mut hasher),
        (None, Value::F32(_) | Value::F64(_) | Value::F16(_)) => {
            bits::get(place.bytes, node.bit as usize, node.bits.min(64)).hash(&mut hasher);
        }
        _ => node.bytes(dissection.sources(place.bytes))?.hash(&mut hasher),
    }
    Some((hasher.finish(), Some(*node)))
}
