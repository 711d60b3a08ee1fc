//! The variation of delays: random, with a known distribution, in the order of the packets.
//!
//! The delay follows a level that falls exponentially with time and rises by random amounts at random moments, like a
//! queue that other traffic fills (shot noise; a gamma Ornstein-Uhlenbeck process of shape 1). Rises have a mean of 1,
//! and there is one in each `memory` on average. The level is then exponential with mean 1 at every moment, and its
//! correlation falls by a factor of e in each `memory`. A delay that never falls faster than time passes lets no packet
//! overtake another, which determines the length of the memory. The level depends on time, not on packets, so the
//! distribution is the same at ten packets a second and at thousands.

use crate::random::Random;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The largest jitter, in means. One delay of 3,000 is cut.
pub(super) const LONGEST_TAIL: f64 = 8.0;
/// The number of memories after which the level is independent of the previous one.
const FORGOTTEN: f64 = 40.0;

/// The level of one direction.
#[derive(Clone, Debug)]
pub(super) struct Jitter {
    random: Random,
    level: f64,
    /// The time until the next rise, in memories.
    rise: f64,
    at: Option<Instant>,
}

impl Jitter {
    pub(super) fn new(random: Random) -> Jitter {
        let mut jitter = Jitter { random, level: 0.0, rise: 0.0, at: None };
        jitter.begin();
        jitter
    }

    /// Draws a level as at any moment.
    fn begin(&mut self) {
        (self.level, self.rise) = (exponential(self.random.unit()), exponential(self.random.unit()));
    }

    /// Returns the level at a moment, which must not be before that of the previous call.
    pub(super) fn level(&mut self, memory: Duration, now: Instant) -> f64 {
        let since = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.at = self.at.map_or(Some(now), |at| Some(at.max(now)));
        if memory.is_zero() {
            return self.level;
        }
        let mut left = since.as_secs_f64() / memory.as_secs_f64();
        if left > FORGOTTEN {
            self.begin();
            return self.level;
        }
        while left >= self.rise {
            left -= self.rise;
            self.level = self.level * (-self.rise).exp() + exponential(self.random.unit());
            self.rise = exponential(self.random.unit());
        }
        self.level *= (-left).exp();
        self.rise -= left;
        self.level
    }
}

/// Returns the value of an exponential distribution with mean 1 that is above this share of all values.
pub(super) fn exponential(share: f64) -> f64 {
    -(1.0 - share).ln()
}

/// A distribution of delays: quantiles at equal steps, with linear interpolation between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles {
    values: Arc<[Duration]>,
    memory: Duration,
}

impl Quantiles {
    /// Creates the distribution of these values, in ascending order.
    pub fn new(values: Arc<[Duration]>) -> Quantiles {
        let steps = values.len().saturating_sub(1) as f64;
        let fastest = values.windows(2).zip(0..).map(|(pair, n)| {
            let [low, high] = [pair[0], pair[1]].map(|value| value.as_secs_f64());
            // The share 1 - exp(-x) of all values is below the level x. If x falls by x in a memory, the share falls by
            // x exp(-x), which has its maximum at x = 1.
            let falls = |share: f64| (1.0 - share) * exponential(share.min(1.0 - f64::EPSILON));
            let [from, to] = [f64::from(n) / steps, f64::from(n + 1) / steps];
            let peak = (1.0 - (-1.0f64).exp()).clamp(from, to);
            (high - low) * steps * falls(peak)
        });
        let memory = Duration::from_secs_f64(fastest.fold(0.0, f64::max));
        Quantiles { values, memory }
    }

    /// Returns the value that is above this share of all values.
    pub fn at(&self, share: f64) -> Duration {
        let place = share * self.values.len().saturating_sub(1) as f64;
        let (below, part) = (place as usize, place.fract());
        let at = |n: usize| self.values.get(n).or(self.values.last()).copied().unwrap_or_default();
        at(below) + at(below + 1).saturating_sub(at(below)).mul_f64(part)
    }

    /// Returns the mean.
    pub fn mean(&self) -> Duration {
        let between = self.values.windows(2).map(|pair| (pair[0] + pair[1]) / 2).sum::<Duration>();
        between / (self.values.len().saturating_sub(1)).max(1) as u32
    }

    /// Returns the memory that keeps packets in order.
    pub(super) fn memory(&self) -> Duration {
        self.memory
    }

    /// Returns the delay at a level.
    pub(super) fn delay(&self, level: f64) -> Duration {
        self.at(1.0 - (-level).exp())
    }
}
