//! What impairments should come to, so that it can be held against what was measured.

use super::Impairments;
use super::jitter::LONGEST_TAIL;
use std::time::Duration;

/// Figures of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The mean.
    pub mean: Duration,
    /// Half of all are not above it.
    pub p50: Duration,
    /// 99 of 100 are not above it.
    pub p99: Duration,
}

impl Impairments {
    /// The delay with its jitter; not what waits for the rate, and no stalls.
    pub fn expected_delay(&self) -> Delay {
        let jitter = |means: f64| self.jitter.mul_f64(means);
        let [mean, p50, p99] = match &self.quantiles {
            Some(quantiles) => [quantiles.mean(), quantiles.at(0.5), quantiles.at(0.99)],
            None => [jitter(1.0 - (-LONGEST_TAIL).exp()), jitter(2f64.ln()), jitter(100f64.ln())],
        };
        let [mean, p50, p99] = [mean, p50, p99].map(|added| self.delay + added);
        Delay { mean, p50, p99 }
    }

    /// The mean length of a row of losses.
    pub fn expected_run(&self) -> Option<f64> {
        let loss = self.loss.filter(|loss| loss.share > 0.0 && loss.share < 1.0)?;
        Some(loss.burst.unwrap_or(1.0 / (1.0 - loss.share)))
    }
}
