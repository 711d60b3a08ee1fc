//! What a capture tells of its network: how much later than the soonest its messages came, how many
//! were lost in a row, how many came out of order.
//!
//! All of it is from the [events](crate::dissect::Event) of numbered messages, as those of `stats
//! --delivery`. A number is lost where it is missing and comes, if at all, after more than a round
//! trip, and where it was sent again before it was acknowledged, unless the acknowledgement comes too
//! soon to be the second copy's. (One whose acknowledgement was lost looks the same.) A missing one
//! that comes sooner was out of order. Of a round trip's time above the shortest, half is each way's.

use super::{Impairments, Loss, Quantiles, Way};
use crate::dissect::{Event, Message, Role};
use crate::flow::{Acked, Seen, Side};
use crate::plural::Plural;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::Duration;

/// So many numbers, and times, are remembered.
const MOST: usize = 1 << 20;
/// Who skips more numbers has not lost them.
const SKIPPED: u32 = 1000;
/// What comes so soon after the one behind it was out of order, where no round trip is known.
const SOON: i64 = 50_000_000;
/// As many values stand for all.
const QUANTILES: usize = 33;
/// Fewer round trips say nothing of a distribution.
const FEWEST: usize = 10;

/// What became of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Came,
    /// Missing since then.
    Missing(i64),
    /// It was sent again before it was acknowledged.
    Again,
    Lost,
    Behind,
}

/// What one direction tells.
#[derive(Debug, Default)]
struct Told {
    numbers: u64,
    lost: u64,
    rows: u64,
    behind: u64,
    /// Round trips in nanoseconds, ascending.
    trips: Vec<i64>,
}

/// Reads a capture's messages.
#[derive(Debug, Default)]
pub struct Like {
    connections: FxHashMap<(u64, usize), BTreeMap<i64, Number>>,
    shortest: FxHashMap<u64, i64>,
    trips: [Vec<i64>; 2],
    count: usize,
    done: [Told; 2],
}

impl Like {
    /// The next message.
    pub fn see(&mut self, message: &Message<'_>) {
        let way = match message.dissection.from {
            Role::Client => Way::Up,
            Role::Server => Way::Down,
            Role::Unknown if message.place.side == Side::A => Way::Up,
            Role::Unknown => Way::Down,
        };
        let (flow, now) = (message.flow_info.flow, message.place.time.nanos() as i64);
        for event in message.dissection.delivery.iter() {
            match *event {
                Event::Begin => [0, 1].into_iter().for_each(|way| self.end(flow, way)),
                Event::Sent { extended, seen, .. } => self.sent(flow, way.index(), extended, seen, now),
                Event::Acked { acked: Acked::First(sent), extended } if sent.copies > 1 => {
                    let early = now - sent.last_time < self.shortest.get(&flow).copied().unwrap_or(0);
                    let number = self.connections.entry((flow, way.other().index())).or_default().get_mut(&extended);
                    if let Some(number) = number.filter(|number| early && **number == Number::Again) {
                        *number = Number::Came;
                    }
                }
                Event::Acked { acked: Acked::First(sent), .. } => {
                    let (trip, trips) = (now - sent.time, &mut self.trips[way.other().index()]);
                    if trip > 0 && trips.len() < MOST {
                        trips.push(trip);
                        let shortest = self.shortest.entry(flow).or_insert(trip);
                        *shortest = trip.min(*shortest);
                    }
                }
                _ => {}
            }
        }
    }

    fn sent(&mut self, flow: u64, way: usize, extended: i64, seen: Seen, now: i64) {
        let soon = self.shortest.get(&flow).copied().unwrap_or(SOON);
        if self.count > MOST {
            return;
        }
        let numbers = self.connections.entry((flow, way)).or_default();
        let before = numbers.len();
        match seen {
            Seen::Next => _ = numbers.insert(extended, Number::Came),
            Seen::Ahead(skipped) => {
                if skipped <= SKIPPED {
                    let missing = extended - i64::from(skipped)..extended;
                    numbers.extend(missing.map(|number| (number, Number::Missing(now))));
                }
                numbers.insert(extended, Number::Came);
            }
            Seen::Late => {
                let since = numbers.get(&extended).copied();
                let late = matches!(since, Some(Number::Missing(since)) if now - since > soon);
                numbers.insert(extended, if late { Number::Lost } else { Number::Behind });
            }
            Seen::Copy { before } if !before.acked => _ = numbers.insert(extended, Number::Again),
            Seen::Copy { .. } | Seen::Forgotten => {}
        }
        self.count += numbers.len() - before;
    }

    /// A connection's direction has ended.
    fn end(&mut self, flow: u64, way: usize) {
        let Some(numbers) = self.connections.remove(&(flow, way)) else { return };
        let told = &mut self.done[way];
        let mut row = None;
        for (at, number) in &numbers {
            told.numbers += 1;
            told.behind += u64::from(*number == Number::Behind);
            if matches!(number, Number::Again | Number::Lost | Number::Missing(_)) {
                told.lost += 1;
                told.rows += u64::from(row != Some(at - 1));
                row = Some(*at);
            }
        }
    }

    /// What holds for a direction, and in words.
    ///
    /// # Errors
    /// Why the capture tells nothing.
    pub fn finish(mut self) -> Result<[(Impairments, String); 2], String> {
        let open: Vec<_> = self.connections.keys().copied().collect();
        open.into_iter().for_each(|(flow, way)| self.end(flow, way));
        for (told, mut trips) in self.done.iter_mut().zip(self.trips) {
            trips.sort_unstable();
            told.trips = trips;
        }
        let [up, down] = &self.done;
        if up.numbers + down.numbers == 0 {
            return Err("it has no numbered messages: nothing tells what was lost, and how late".into());
        }
        // A side that says nothing numbered has the other's network.
        Ok([[up, down], [down, up]].map(|[own, other]| {
            let counts = if own.numbers > 0 { own } else { other };
            let trips = if own.trips.len() >= FEWEST { own } else { other };
            told(counts, &trips.trips)
        }))
    }
}

fn told(counts: &Told, trips: &[i64]) -> (Impairments, String) {
    let mut impairments = Impairments::default();
    let mut words = format!("of {}", Plural(counts.numbers, "number"));
    let share = counts.lost as f64 / counts.numbers.max(1) as f64;
    if counts.lost > 0 && counts.lost < counts.numbers {
        // Between two rows at least one comes.
        let row = (counts.lost as f64 / counts.rows.max(1) as f64).max(share / (1.0 - share));
        impairments.loss = Some(Loss { share, burst: Some(row) });
        words.push_str(&format!(", loss {:.2}%/{row:.1}", share * 100.0));
    }
    if counts.behind > 0 {
        impairments.reorder = counts.behind as f64 / counts.numbers as f64;
        words.push_str(&format!(", reorder {:.2}%", impairments.reorder * 100.0));
    }
    if let (Some(shortest), true) = (trips.first(), trips.len() >= FEWEST) {
        let at = |share: f64| {
            let trip = trips.get((share * (trips.len() - 1) as f64).round() as usize).unwrap_or(shortest);
            Duration::from_nanos((trip - shortest) as u64 / 2)
        };
        let ms = |share: f64| at(share).as_secs_f64() * 1e3;
        words.push_str(&format!(
            ", later than the soonest: half of all by {:.1} ms, 1 in 100 by {:.1} ms",
            ms(0.5),
            ms(0.99)
        ));
        let values = (0..QUANTILES).map(|n| at(n as f64 / (QUANTILES - 1) as f64)).collect();
        impairments.quantiles = Some(Quantiles::new(values));
    }
    (impairments, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: i64 = 1_000_000;

    #[test]
    fn counts_become_impairments() {
        let counts = Told { numbers: 200, lost: 20, rows: 5, behind: 10, ..Told::default() };
        let (impairments, words) = told(&counts, &[]);
        assert_eq!(impairments.loss, Some(Loss { share: 0.1, burst: Some(4.0) }));
        assert_eq!((impairments.reorder, impairments.quantiles), (0.05, None));
        assert_eq!(words, "of 200 numbers, loss 10.00%/4.0, reorder 5.00%");
        // Where nearly all are lost, rows are as long as the share makes them.
        let most = Told { numbers: 100, lost: 80, rows: 40, ..Told::default() };
        assert!(told(&most, &[]).0.loss.is_some_and(|loss| loss.burst.is_some_and(|row| (row - 4.0).abs() < 1e-9)));
        // None and all: a share that nobody sets.
        for lost in [0, 100] {
            let counts = Told { numbers: 100, lost, rows: 1, ..Told::default() };
            assert_eq!(told(&counts, &[]).0, Impairments::default(), "{lost}");
        }
    }

    /// Half of what a round trip took longer than the shortest one is one direction's.
    #[test]
    fn round_trips_become_delays_of_one_direction() {
        let counts = Told { numbers: 100, ..Told::default() };
        let trips: Vec<i64> = (0..=100).map(|n| (50 + 2 * n) * MILLISECOND).collect();
        let (impairments, words) = told(&counts, &trips);
        let quantiles = impairments.quantiles.expect("enough trips");
        assert_eq!([0.0, 1.0].map(|share| quantiles.at(share)), [Duration::ZERO, Duration::from_millis(100)]);
        // Four of the 33 are half a trip of 1 ms above their places: halves are rounded up.
        assert_eq!((quantiles.at(0.5), quantiles.mean().as_nanos()), (Duration::from_millis(50), 50_062_500));
        assert_eq!(words, "of 100 numbers, later than the soonest: half of all by 50.0 ms, 1 in 100 by 99.0 ms");
        assert_eq!(told(&counts, &trips[..FEWEST - 1]).0.quantiles, None, "too few say nothing");
    }
}
