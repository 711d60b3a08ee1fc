//! The measured figures of impairments, taken when packets are sent, to compare with the requested ones.

use crate::live::proxy::Delay;
use crate::stats::histogram::Delays;
use std::time::Duration;

/// The measured figures of one direction.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    delays: Delays,
    sum: Duration,
    /// The highest bits per second of a conversation, on the wire or as payload, as the rate counts them.
    rate: f64,
}

impl Measured {
    /// Adds the delay of a packet that was sent.
    pub(super) fn delay(&mut self, delay: Duration) {
        self.delays.add(i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX));
        self.sum = self.sum.saturating_add(delay);
    }

    /// Adds the bits per second of one conversation.
    pub(super) fn rate(&mut self, bits: f64) {
        self.rate = self.rate.max(bits);
    }

    /// Returns the measured delays.
    pub fn delays(&self) -> Option<Delay> {
        let at = |percent| Some(Duration::from_nanos(self.delays.percentile(percent)?.max(0) as u64));
        let mean = Duration::from_secs_f64(self.sum.as_secs_f64() / self.delays.count().max(1) as f64);
        Some(Delay { mean, p50: at(50.0)?, p99: at(99.0)? })
    }

    /// Returns the bits of the busiest second of a conversation, if one lasted that long.
    pub fn busiest(&self) -> Option<f64> {
        (self.rate > 0.0).then_some(self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_second_counts() {
        let mut measured = Measured::default();
        assert_eq!(measured.busiest(), None);
        [1e3, 3e3, 2e3].into_iter().for_each(|bits| measured.rate(bits));
        assert_eq!(measured.busiest(), Some(3e3));
    }
}
