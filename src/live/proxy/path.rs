//! What becomes of each packet of one direction.

use super::impairments::{Impairments, Rate};
use crate::live::random::Random;
use std::time::{Duration, Instant};

/// The longest that jitter adds, in means: one of 3,000 is cut.
const LONGEST_TAIL: f64 = 8.0;

/// Why a packet does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// As the loss asks.
    Chance,
    /// More waited than the rate's queue holds.
    QueueFull,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// It does not come.
    pub lost: Option<Lost>,
    /// When it comes.
    pub due: Instant,
    /// It comes twice.
    pub twice: bool,
    /// It comes behind the one that follows.
    pub behind: bool,
}

/// One direction of one conversation.
#[derive(Clone, Debug)]
pub struct Path {
    purpose: [u64; 3],
    seed: u64,
    /// How many packets there were.
    count: u64,
    losing: Option<bool>,
    /// Nothing comes before what was sent before it.
    last: Option<Instant>,
    /// When the rate has passed on all that waits.
    free: Option<Instant>,
}

impl Path {
    /// The direction `way` (0 or 1) of the conversation of that number.
    pub fn new(seed: u64, conversation: u64, way: usize) -> Path {
        Path { purpose: [conversation, way as u64, 0], seed, count: 0, losing: None, last: None, free: None }
    }

    /// The next datagram, of so many bytes.
    pub fn datagram(&mut self, impairments: &Impairments, length: usize, now: Instant) -> Fate {
        let mut random = self.random();
        // Always the same number of draws in the same order: what one impairment does is the same
        // with and without the others.
        let [loss, twice, behind, tail] = std::array::from_fn(|_| random.unit());
        let lost = impairments.loss.is_some_and(|model| {
            let [after_one, after_lost] = model.transitions();
            let before = self.losing.map_or(model.share, |losing| if losing { after_lost } else { after_one });
            loss < before
        });
        self.losing = impairments.loss.map(|_| lost);
        let mut fate = Fate {
            lost: lost.then_some(Lost::Chance),
            due: now,
            twice: twice < impairments.duplicate,
            behind: behind < impairments.reorder,
        };
        if !lost {
            match self.due(impairments, length, tail, now) {
                Some(due) => fate.due = due,
                None => fate.lost = Some(Lost::QueueFull),
            }
        }
        fate
    }

    /// When the next piece of a stream comes: all of it does. `None`: it resets the connection.
    pub fn piece(&mut self, impairments: &Impairments, length: usize, now: Instant) -> Option<Instant> {
        let mut random = self.random();
        let [tail, stall, reset] = std::array::from_fn(|_| random.unit());
        if reset < impairments.reset {
            return None;
        }
        let unbounded =
            Impairments { rate: impairments.rate.map(|rate| Rate { queue: u64::MAX, ..rate }), ..impairments.clone() };
        let mut due = self.due(&unbounded, length, tail, now).unwrap_or(now);
        if let Some(still) = impairments.stall.filter(|still| stall < still.share) {
            due += still.time;
            self.last = Some(due);
        }
        Some(due)
    }

    /// The numbers of the next packet.
    fn random(&mut self) -> Random {
        self.count += 1;
        self.purpose[2] = self.count;
        Random::of(self.seed, &self.purpose)
    }

    fn due(&mut self, impairments: &Impairments, length: usize, tail: f64, now: Instant) -> Option<Instant> {
        let mut due = now;
        if let Some(rate) = impairments.rate {
            let free = self.free.map_or(now, |free| free.max(now));
            let waiting = free.saturating_duration_since(now).as_secs_f64() * rate.bits as f64 / 8.0;
            if waiting + length as f64 > rate.queue as f64 {
                return None;
            }
            due = free + Duration::from_secs_f64(length as f64 * 8.0 / rate.bits as f64);
            self.free = Some(due);
        }
        due += impairments.delay;
        if let Some(quantiles) = &impairments.quantiles {
            due += between(quantiles, tail);
        } else if impairments.jitter > Duration::ZERO {
            // An exponential tail: most come soon, a few much later, none before the base.
            due += impairments.jitter.mul_f64((-(1.0 - tail).ln()).min(LONGEST_TAIL));
        }
        due = self.last.map_or(due, |last| due.max(last));
        self.last = Some(due);
        Some(due)
    }
}

/// The value at a share of all, between two known ones where it falls there.
fn between(quantiles: &[Duration], share: f64) -> Duration {
    let place = share * quantiles.len().saturating_sub(1) as f64;
    let (below, part) = (place as usize, place.fract());
    let at = |n: usize| quantiles.get(n).or(quantiles.last()).copied().unwrap_or_default();
    at(below) + at(below + 1).saturating_sub(at(below)).mul_f64(part)
}
