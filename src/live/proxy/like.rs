//! Estimates a capture's network from its messages: their delay above the shortest one, the bursts of losses, the share
//! that arrived out of order.
//!
//! The losses are [estimated](crate::traffic::path) as for `stats --delivery`. Half of a round trip's time above the
//! shortest belongs to each direction.

use super::{Direction, Impairments, Loss, Quantiles};
use crate::dissect::{Event, Message, Role};
use crate::flow::Side;
use crate::plural::Plural;
use crate::traffic::histogram::Delays;
use crate::traffic::path::estimate::{Estimate, Numbered, estimate};
use crate::traffic::path::{Counts, Path};
use crate::traffic::sequence::{Acked, Seen};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// The number of round trips kept.
const MOST: usize = 1 << 20;
/// The number of connections followed.
const CONNECTIONS: usize = 1 << 12;
/// The number of values that represent all.
const QUANTILES: usize = 33;
/// The minimum number of round trips for a distribution.
const FEWEST: usize = 10;

/// The protocol of a conversation: each numbers its own messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    flow: u64,
    proto: &'static str,
}

/// Reads a capture's messages. Arrays are indexed by [`Direction`].
#[derive(Debug, Default)]
pub struct Like {
    connections: FxHashMap<Key, Path>,
    counts: [Counts; 2],
    messages: [u64; 2],
    delays: [Delays; 2],
    /// Round trips in nanoseconds.
    trips: [Vec<i64>; 2],
}

impl Like {
    /// Adds the next message.
    pub fn see(&mut self, message: &Message<'_>) {
        let direction = match message.dissection.from {
            Role::Client => Direction::Up,
            Role::Server => Direction::Down,
            Role::Unknown if message.place.side == Side::A => Direction::Up,
            Role::Unknown => Direction::Down,
        };
        let (own, other) = (direction.index(), direction.other().index());
        self.messages[own] += 1;
        let key = Key { flow: message.flow_info.flow, proto: message.dissection.proto };
        let now = message.place.time.near_nanos();
        for event in message.dissection.delivery.iter() {
            if *event == Event::Begin {
                self.end(key);
            }
            if self.connections.len() >= CONNECTIONS && !self.connections.contains_key(&key) {
                continue;
            }
            let path = self.connections.entry(key).or_default();
            match event {
                Event::Sent { seen: Seen::Forgotten, .. } => {}
                Event::Sent { extended, .. } => path.sent(own, *extended, now),
                Event::Report(report) => path.report(other, report, now),
                Event::Arrivals(arrivals) => path.arrivals(own, arrivals),
                Event::Acked { extended, acked: Acked::First(sent) } => {
                    let trip = Some(now - sent.time).filter(|trip| sent.copies == 1 && *trip > 0);
                    path.acked(other, *extended, trip);
                    if let Some(trip) = trip.filter(|_| self.trips[other].len() < MOST) {
                        self.trips[other].push(trip);
                        self.delays[other].add(trip);
                    }
                }
                Event::Ping => path.ping(own),
                Event::Pong(_) => path.pong(other),
                _ => {}
            }
        }
    }

    /// Ends a connection.
    fn end(&mut self, key: Key) {
        let Some(path) = self.connections.remove(&key) else { return };
        self.counts.iter_mut().zip([0, 1]).for_each(|(counts, direction)| counts.add(&path.counts(direction)));
    }

    /// Returns the impairments of each direction, and their description.
    ///
    /// # Errors
    /// Returns the reason why nothing can be estimated.
    pub fn finish(mut self) -> Result<[(Impairments, String); 2], String> {
        let open: Vec<_> = self.connections.keys().copied().collect();
        open.into_iter().for_each(|key| self.end(key));
        let Like { counts, messages, delays, mut trips, .. } = self;
        trips.iter_mut().for_each(|trips| trips.sort_unstable());
        let of = |direction: usize| Numbered {
            counts: &counts[direction],
            trips: &delays[direction],
            messages: messages[direction],
        };
        let estimates = [estimate(of(0), of(1)), estimate(of(1), of(0))];
        if estimates.iter().all(|one| one.loss.is_none()) && trips.iter().all(|trips| trips.len() < FEWEST) {
            let few = "the capture has too few numbered messages or acknowledgements";
            return Err(format!("losses and delays cannot be estimated: {few}"));
        }
        // The direction with the longer times reflects the network.
        let spread = |trips: &[i64]| trips.get(trips.len() * 9 / 10).zip(trips.first()).map(|(late, soon)| late - soon);
        let [up, down] = &trips;
        let trips = if spread(up) >= spread(down) { up } else { down };
        // A direction without an estimate gets that of the other one.
        let [up, down] = &estimates;
        Ok([[up, down], [down, up]].map(|[own, other]| describe(if own.loss.is_some() { own } else { other }, trips)))
    }
}

fn describe(estimate: &Estimate, trips: &[i64]) -> (Impairments, String) {
    let mut impairments = Impairments::default();
    let mut words = match estimate.loss {
        Some([_, low, high]) => format!("loss from {:.1}% to {:.1}%", low * 100.0, high * 100.0),
        None => "loss unknown".into(),
    };
    if let Some([share, ..]) = estimate.loss.filter(|[share, ..]| (0.0..1.0).contains(share) && *share > 0.0) {
        impairments.loss = Some(Loss { share, burst: estimate.burst });
        let burst = estimate.burst.map_or(" (bursts unknown)".into(), |burst| format!("/{burst:.1}"));
        words.push_str(&format!(", used {:.2}%{burst}", share * 100.0));
    }
    if estimate.reorder > 0.0 {
        impairments.reorder = estimate.reorder;
        words.push_str(&format!(", reorder {:.2}%", impairments.reorder * 100.0));
    }
    if let (Some(shortest), true) = (trips.first(), trips.len() >= FEWEST) {
        let at = |share: f64| {
            let trip = trips.get((share * (trips.len() - 1) as f64).round() as usize).unwrap_or(shortest);
            Duration::from_nanos((trip - shortest) as u64 / 2)
        };
        let ms = |share: f64| at(share).as_secs_f64() * 1e3;
        words.push_str(&format!(
            ", delay above the shortest (of {}): median {:.1} ms, p99 {:.1} ms",
            Plural(trips.len() as u64, "round trip"),
            ms(0.5),
            ms(0.99)
        ));
        let steps = (QUANTILES - 1) as f64;
        let mut values: Vec<Duration> = (0..QUANTILES).map(|n| at(n as f64 / steps)).collect();
        // The longest round trip is one of many: the last step leads through the 99th percentile.
        if let [.., before, last] = &mut values[..] {
            let part = 1.0 - (1.0 - 0.99) * steps;
            *last = (*before + at(0.99).saturating_sub(*before).mul_f64(1.0 / part)).min(*last);
        }
        impairments.quantiles = Some(Quantiles::new(values.into()));
    }
    (impairments, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: i64 = 1_000_000;

    #[test]
    fn estimates_become_impairments() {
        let estimate =
            Estimate { loss: Some([0.1, 0.08, 0.12]), burst: Some(4.0), reorder: 0.05, ..Estimate::default() };
        let (impairments, words) = describe(&estimate, &[]);
        assert_eq!(impairments.loss, Some(Loss { share: 0.1, burst: Some(4.0) }));
        assert_eq!((impairments.reorder, impairments.quantiles), (0.05, None));
        assert_eq!(words, "loss from 8.0% to 12.0%, used 10.00%/4.0, reorder 5.00%");
        // Neither an unknown loss nor one of zero is set.
        for loss in [None, Some([0.0, 0.0, 0.1])] {
            let estimate = Estimate { loss, ..Estimate::default() };
            assert_eq!(describe(&estimate, &[]).0, Impairments::default(), "{loss:?}");
        }
    }

    /// Half of a round trip's time above the shortest one belongs to one direction.
    #[test]
    fn round_trips_become_delays_of_one_direction() {
        let estimate = Estimate::default();
        let trips: Vec<i64> = (0..=100).map(|n| (50 + 2 * n) * MILLISECOND).collect();
        let (impairments, words) = describe(&estimate, &trips);
        let quantiles = impairments.quantiles.expect("enough trips");
        let millis = |share: f64| quantiles.at(share).as_secs_f64() * 1e3;
        assert_eq!((quantiles.at(0.0), quantiles.at(0.5)), (Duration::ZERO, Duration::from_millis(50)));
        // Four of the 33 are half a trip of 1 ms above their places: halves are rounded up.
        assert!((millis(0.99) - 99.0).abs() < 0.001 && (99.0..100.0).contains(&millis(1.0)), "{}", millis(0.99));
        assert!((50.0..50.1).contains(&(quantiles.mean().as_secs_f64() * 1e3)));
        let want = "loss unknown, delay above the shortest (of 101 round trips): median 50.0 ms, p99 99.0 ms";
        assert_eq!(words, want);
        assert_eq!(describe(&estimate, &trips[..FEWEST - 1]).0.quantiles, None, "too few say nothing");
    }
}
