//! Sequence ids: those of our own messages, which begin anew, and those of the peer, which are
//! acknowledged.

use super::super::layout::{ACKS, FOR_SEQ, IS_EXTRA, LAST, Message, SEQUENCE};
use super::super::version::Version;
use super::RiptideActor;
use crate::live::replay::actor::Outbox;
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// It never waits less than 10 ms; a tool that is not in a hurry waits a little longer.
const RESEND_LEAST: Duration = Duration::from_millis(25);
/// How many sequence ids are remembered: the library looks back 80.
const REMEMBERED: usize = 4096;

/// The sequence ids received in one direction.
#[derive(Debug, Default)]
pub struct Received {
    newest: i64,
    seen: BTreeSet<i64>,
}

impl Received {
    /// Takes a message in: `true`, if it was not there before.
    pub fn take(&mut self, number: u16) -> bool {
        let near = (number as i64 - self.newest).rem_euclid(65536);
        let extended = self.newest + if near < 32768 { near } else { near - 65536 };
        self.newest = self.newest.max(extended);
        let new = self.seen.insert(extended);
        while self.seen.len() > REMEMBERED {
            self.seen.pop_first();
        }
        new
    }

    /// The newest, and which of the ids before it are there. The id 0, before the first message,
    /// counts as received, as in the library.
    pub fn field(&self, width: u32) -> (u16, u64) {
        let there = |id: i64| id == 0 || self.seen.contains(&id);
        let bits = (0..width).filter(|i| there(self.newest - 1 - *i as i64)).fold(0, |bits, i| bits | 1 << i);
        (self.newest.rem_euclid(65536) as u16, bits)
    }
}

impl RiptideActor {
    /// Takes in a numbered message of the peer, and acknowledges it: `true`, if it is new.
    pub(super) fn take(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> bool {
        let Some(number) = said.number(&SEQUENCE) else { return true };
        let number = number as u16;
        let new = self.received.take(number);
        if !self.numbers.heard(number, new, now, out) {
            return false;
        }
        let (last, bits) = self.received.field(16);
        let mut fields = Map::new();
        fields.insert(LAST.name.into(), last.into());
        fields.insert(ACKS.name.into(), bits.into());
        // A probe tells the newest and the sixteen before it: all that it waits for.
        let extra = last != number && !self.life.probe;
        let message = match self.version {
            Version::V21 | Version::V22 => {
                fields.insert(IS_EXTRA.name.into(), extra.into());
                if extra || self.version == Version::V21 {
                    fields.insert(FOR_SEQ.name.into(), number.into());
                }
                Message::Ack
            }
            _ if extra => {
                fields.insert(FOR_SEQ.name.into(), number.into());
                Message::AckExtra
            }
            _ => Message::Ack,
        };
        let ack = self.message(message, Json::Object(fields));
        out.live(ack);
        new
    }

    /// The peer acknowledges.
    pub(super) fn acknowledged(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) {
        let Some(last) = said.number(&LAST) else { return };
        let bits = said.number(&ACKS).unwrap_or(0);
        let by_bits = (0..16u16).filter(|i| bits >> i & 1 == 1).map(|i| (last as u16).wrapping_sub(1 + i));
        let named = std::iter::once(last as u16).chain(said.number(&FOR_SEQ).map(|id| id as u16)).chain(by_bits);
        for id in named {
            if let Some(trip) = self.numbers.sent.acknowledged(id, now, out) {
                self.round_trip(trip, out);
            }
        }
    }

    /// The library's own smoothing of round trips, and its wait before a copy: 1.2 times the smoothed one.
    pub(super) fn round_trip(&mut self, trip: Duration, out: &mut Outbox) {
        out.counts.round_trip(trip);
        let smooth = self.smooth.map_or(trip, |old| old.mul_f64(0.7) + trip.mul_f64(0.3));
        self.smooth = Some(smooth);
        self.numbers.sent.resend = smooth.mul_f64(1.2).max(RESEND_LEAST);
    }
}
