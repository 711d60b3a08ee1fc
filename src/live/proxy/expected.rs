//! The expected figures of impairments, to compare with the measured ones.

use super::Impairments;
use super::jitter::LONGEST_TAIL;
use std::time::Duration;

/// The figures of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The mean.
    pub mean: Duration,
    /// The median.
    pub p50: Duration,
    /// The 99th percentile.
    pub p99: Duration,
}

impl Impairments {
    /// Returns the delay with its jitter, without stalls and the wait for the rate.
    pub fn expected_delay(&self) -> Delay {
        let jitter = |means: f64| self.jitter.mul_f64(means);
        let [mean, p50, p99] = match &self.quantiles {
            Some(quantiles) => [quantiles.mean(), quantiles.at(0.5), quantiles.at(0.99)],
            None => [jitter(1.0 - (-LONGEST_TAIL).exp()), jitter(2f64.ln()), jitter(100f64.ln())],
        };
        let [mean, p50, p99] = [mean, p50, p99].map(|added| self.delay + added);
        Delay { mean, p50, p99 }
    }

    /// Returns the mean length of a loss burst.
    pub fn expected_run(&self) -> Option<f64> {
        let loss = self.loss.filter(|loss| loss.share > 0.0 && loss.share < 1.0)?;
        Some(loss.burst.unwrap_or(1.0 / (1.0 - loss.share)))
    }
}
