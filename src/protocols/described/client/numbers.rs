//! The numbers of a live session, by the file's `[numbers]`: ours are assigned and resent, the peer's are acknowledged.

use super::super::key::Key;
use super::super::traffic::{Named, Numbers, Shown, What, key};
use super::values::{Draft, value};
use crate::live::replay::actor::Outbox;
use crate::live::replay::{Arrival, Received, Unacknowledged};
use crate::message::OwnedMessage;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The time before a message is resent.
const RESEND: Duration = Duration::from_millis(300);
/// The most messages in flight.
const FLYING: usize = 32;
/// The most number spaces of the peer. Messages of further ones are taken as new, and get no acknowledgement.
const SPACES: usize = 256;

/// A number space: the place of its rule in the file, and the values of its key.
pub type SpaceId = (usize, Key);

/// A message, by its space and its number.
pub type NumberId = (SpaceId, i64);

/// All numbers of a session.
#[derive(Debug)]
pub struct Live {
    rules: &'static [Numbers],
    /// Our next number of each space.
    next: FxHashMap<SpaceId, i64>,
    /// The first recorded number of the peer in each space.
    first: FxHashMap<SpaceId, i64>,
    /// The peer's numbers of each space, and the number of the message before.
    received: FxHashMap<SpaceId, (Received, Option<i64>)>,
    sent: Unacknowledged<NumberId>,
    /// The time of the peer's last numbered message.
    last_numbered: Option<Instant>,
    named: Vec<i64>,
    /// Whether the transport may lose messages.
    lossy: bool,
}

impl Live {
    /// Creates the numbers of a session that has not begun. Messages are given up after `patience`.
    pub fn new(rules: &'static [Numbers], lossy: bool, patience: Duration) -> Live {
        Live {
            rules,
            next: FxHashMap::default(),
            first: FxHashMap::default(),
            received: FxHashMap::default(),
            sent: Unacknowledged::new(RESEND, patience),
            last_numbered: None,
            named: Vec::new(),
            lossy,
        }
    }

    /// The spaces of a line, with its numbers.
    fn spaces<'r>(&self, line: Shown<'r>) -> impl Iterator<Item = (SpaceId, i64, bool)> + use<'r> {
        self.rules.iter().enumerate().filter_map(move |(at, rule)| {
            let (node, _, around) =
                Some(line).filter(|line| rule.when.holds(*line)).and_then(|l| rule.number.find(l))?;
            Some(((at, key(&rule.per, line)), node.number()? as i64, around))
        })
    }

    /// Whether a line has a number.
    pub fn is_numbered(&self, line: Shown<'_>) -> bool {
        self.spaces(line).next().is_some()
    }

    /// Whether a line does nothing but acknowledge.
    pub fn is_ack(&mut self, line: Shown<'_>) -> bool {
        if self.is_numbered(line) {
            return false;
        }
        let mut list = std::mem::take(&mut self.named);
        let is = |rule| Named::of(rule, line, &|_| false, &mut list).is_some_and(|named| named.own);
        let any = self.rules.iter().any(is);
        self.named = list;
        any
    }

    /// Notes the numbers of a recorded message of the peer: its live numbers begin with the same ones.
    pub fn expect(&mut self, line: Shown<'_>) {
        for (space, number, _) in self.spaces(line) {
            self.first.entry(space).or_insert(number);
        }
    }

    /// The first number of a space: the recorded one, or that of another space of the same rule.
    fn first_of(&self, space: &SpaceId) -> Option<i64> {
        let others = || self.first.iter().filter(|(one, _)| one.0 == space.0).map(|(_, first)| *first).min();
        self.first.get(space).copied().or_else(others)
    }

    /// Whether the peer has room for another message of ours.
    pub fn has_room(&self) -> bool {
        self.sent.len() < FLYING
    }

    /// Gives a message of ours its number: the first one of a space keeps the recorded number, each other one has the
    /// number after the one before. `line`: the message as it was recorded.
    pub fn number(&mut self, line: Shown<'_>, draft: &mut Draft) -> Vec<NumberId> {
        let mut given = Vec::new();
        for (space, recorded, _) in self.spaces(line) {
            let Some(rule) = self.rules.get(space.0) else { continue };
            let next = self.next.entry(space).or_insert(recorded);
            let number = *next;
            *next = number.wrapping_add(1).rem_euclid(rule.modulus);
            draft.put(&rule.number, number);
            given.push((space, number));
        }
        given
    }

    /// Gives a message that was not recorded the next number of its space.
    pub fn number_unrecorded(&mut self, message: OwnedMessage) -> OwnedMessage {
        let mut draft = Draft::of(&message);
        for (at, rule) in self.rules.iter().enumerate() {
            let mut key = Key::default();
            rule.per.iter().for_each(|path| key.push(value(&message, path).and_then(Json::as_u64)));
            if let Some(next) = self.next.get_mut(&(at, key)) {
                draft.put(&rule.number, *next);
                *next = next.wrapping_add(1).rem_euclid(rule.modulus);
            }
        }
        draft.done(&|_| false)
    }

    /// Keeps a message that was sent with these numbers until it is acknowledged.
    pub fn keep(&mut self, given: &[NumberId], message: &OwnedMessage, now: Instant) {
        let acked = |one: &&NumberId| self.rules.get(one.0.0).is_some_and(|rule| !rule.acks.is_empty());
        for one in given.iter().filter(acked).filter(|_| self.lossy) {
            self.sent.push(*one, message.clone(), now);
        }
    }

    /// Sets the fields of a message of ours that acknowledge what has arrived: in every message that has them.
    pub fn acknowledge(&self, line: Shown<'_>, draft: &mut Draft) {
        for (at, rule) in self.rules.iter().enumerate() {
            let space = (at, key(&rule.per, line));
            // What was recorded would acknowledge messages that have not arrived.
            let none = self.first_of(&space).map(|first| Received::from(first, rule.modulus));
            let arrived = self.received.get(&space).map(|(received, _)| received);
            let Some(received) = arrived.or(none.as_ref()) else { continue };
            for ack in rule.acks.iter().filter(|ack| ack.when.holds(line)) {
                match ack.what {
                    What::One => draft.put(&ack.field, received.newest()),
                    What::Below => draft.put(&ack.field, received.next()),
                    What::Bits => {
                        let bits = ack.bits.min(32);
                        let set = received.bits(bits);
                        match ack.signed && bits == ack.bits {
                            true => draft.put(&ack.field, crate::codec::bits::signed(set, bits)),
                            false => draft.put(&ack.field, set),
                        }
                    }
                    What::Ranges | What::Lacks => {}
                }
            }
        }
    }

    /// Takes a message of the peer: its acknowledgements, and its numbers. Returns whether it arrived before, and the
    /// numbers that are to be acknowledged.
    pub fn recv(&mut self, line: Shown<'_>, further: bool, now: Instant, out: &mut Outbox) -> (bool, Vec<NumberId>) {
        self.acknowledged(line, now, out);
        let (mut again, mut numbers) = (false, Vec::new());
        for (space, number, around) in self.spaces(line) {
            let Some(rule) = self.rules.get(space.0) else { continue };
            if self.received.len() >= SPACES && !self.received.contains_key(&space) {
                continue;
            }
            let first = self.first.get(&space).copied().unwrap_or(number);
            let none = || (Received::from(first, rule.modulus), None);
            let (received, last) = self.received.entry(space).or_insert_with(none);
            // Several messages of a datagram share the number of its header.
            if last.replace(number) == Some(number) && further && around {
                continue;
            }
            let arrival = received.take(number);
            let is_copy = arrival != Arrival::New;
            again |= is_copy;
            out.counts.copies += u64::from(is_copy);
            if arrival != Arrival::Ignored {
                self.last_numbered = Some(now);
                numbers.push((space, number));
            }
        }
        (again, numbers)
    }

    fn acknowledged(&mut self, line: Shown<'_>, now: Instant, out: &mut Outbox) {
        let mut list = std::mem::take(&mut self.named);
        for (at, rule) in self.rules.iter().enumerate() {
            let Some(named) = Named::of(rule, line, &|_| false, &mut list) else { continue };
            let space = (at, key(&rule.per, line));
            let below = |number: i64| {
                named.below.is_some_and(|below| {
                    below.wrapping_sub(1).wrapping_sub(number).rem_euclid(rule.modulus) < rule.modulus / 2
                })
            };
            let is = |one: &NumberId| one.0 == space && (list.contains(&one.1) || below(one.1));
            let done: Vec<NumberId> = self.sent.iter().map(|(one, _)| one).filter(is).collect();
            self.done(&done, now, out);
        }
        self.named = list;
    }

    /// Takes messages that were answered as acknowledged: in some protocols nothing else acknowledges them.
    pub fn answered(&mut self, asks: &[&str], now: Instant, out: &mut Outbox) {
        let is = |(_, message): &(NumberId, &OwnedMessage)| asks.contains(&message.message);
        let done: Vec<NumberId> = self.sent.iter().filter(is).map(|(one, _)| one).collect();
        self.done(&done, now, out);
    }

    fn done(&mut self, list: &[NumberId], now: Instant, out: &mut Outbox) {
        for one in list {
            if let Some((message, took, resent)) = self.sent.acknowledged(*one, now, out) {
                out.counts.round_trip(message.message, took, resent);
            }
        }
    }

    /// Resends messages that have waited long enough. Returns the time of the next call, and the message that nobody
    /// acknowledged in time, with the number of its transmissions.
    pub fn tick(&mut self, now: Instant, out: &mut Outbox) -> (Option<Instant>, Option<(OwnedMessage, u32)>) {
        let (rules, next) = (self.rules, &mut self.next);
        self.sent.tick_with(now, out, |(space, number), message| {
            // To the peer's numbers, a transmission with a number of its own is another message.
            let rule = rules.get(space.0).filter(|rule| rule.resent_as.is_some());
            if let Some((rule, next)) = rule.zip(next.get_mut(space)) {
                *number = *next;
                *next = next.wrapping_add(1).rem_euclid(rule.modulus);
                let mut draft = Draft::of(message);
                draft.put(&rule.number, *number);
                *message = draft.done(&|_| false);
            }
        })
    }

    /// Whether everything is acknowledged, and the peer is at rest.
    pub fn is_settled(&self, now: Instant) -> bool {
        self.sent.is_empty() && self.last_numbered.is_none_or(|at| now.saturating_duration_since(at) >= RESEND)
    }

    /// Forgets the messages that wait.
    pub fn abandon(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
    }

    /// Begins another session.
    pub fn restart(&mut self, out: &mut Outbox) {
        self.abandon(out);
        self.next.clear();
        self.received.clear();
        self.last_numbered = None;
    }
}
