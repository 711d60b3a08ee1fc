//! Sequence ids: our own messages are numbered anew, the peer's are acknowledged.

use super::super::layout::{ACKS, FOR_SEQ, IS_EXTRA, LAST, Message, SEQUENCE};
use super::super::version::Version;
use super::RiptideActor;
use crate::live::replay::actor::{Actor, Outbox};
use crate::live::replay::{Arrival, Received};
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json};
use std::time::{Duration, Instant};

/// The shortest wait before a resend. The library's is 10 ms; ours is a little longer.
const RESEND_LEAST: Duration = Duration::from_millis(25);
/// The peer's sequence ids. Id 0, before the first message, counts as received, as in the library.
pub(super) fn peer_ids() -> Received {
    let mut ids = Received::from(0, 1 << 16);
    ids.take(0);
    ids
}

impl RiptideActor {
    /// Records a numbered message of the peer and acknowledges it. `true`: it is new.
    pub(super) fn take(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> bool {
        let Some(number) = decoded.number(&SEQUENCE) else { return true };
        let number = number as i64;
        let arrival = self.numbers.received(number, now, out);
        if arrival == Arrival::Ignored {
            return false;
        }
        let last = self.numbers.peer.newest();
        let mut fields = Map::new();
        fields.insert(LAST.name.into(), last.into());
        fields.insert(ACKS.name.into(), self.numbers.peer.bits(16).into());
        // A probe acknowledges only the newest id and the sixteen before it: it needs no others.
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
        arrival == Arrival::New
    }

    /// Handles the peer's ack.
    pub(super) fn acknowledged(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) {
        let Some(last) = decoded.number(&LAST) else { return };
        let bits = decoded.number(&ACKS).unwrap_or(0);
        let by_bits = (0..16u16).filter(|i| bits >> i & 1 == 1).map(|i| (last as u16).wrapping_sub(1 + i));
        let named = std::iter::once(last as u16).chain(decoded.number(&FOR_SEQ).map(|id| id as u16)).chain(by_bits);
        for id in named {
            if let Some((message, took, resent)) = self.numbers.sent.acknowledged(id, now, out) {
                out.counts.round_trip(self.identity(&message), took, resent);
                if !resent {
                    self.smooths(took);
                }
            }
        }
    }

    /// Smooths round trips as the library does. A resend waits 1.2 times the smoothed round trip.
    pub(super) fn smooths(&mut self, trip: Duration) {
        let smooth = self.smooth.map_or(trip, |old| old.mul_f64(0.7) + trip.mul_f64(0.3));
        self.smooth = Some(smooth);
        self.numbers.sent.resend = smooth.mul_f64(1.2).max(RESEND_LEAST);
    }
}
