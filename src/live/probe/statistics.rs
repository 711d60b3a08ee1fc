//! Statistics of round trips.

use crate::live::probe::Sample;
use std::time::Duration;

/// The statistics of some round trips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The number of requests.
    pub sent: usize,
    /// The number of answers.
    pub received: usize,
    /// The figures of the answers; `None` without answers.
    pub rtt: Option<Rtt>,
}

/// Figures in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rtt {
    /// The shortest.
    pub min: f64,
    /// The middle one; for an even number the mean of the two in the middle.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// The longest.
    pub max: f64,
    /// The mean difference between consecutive answers; `None` for a single one.
    pub jitter: Option<f64>,
}

impl Statistics {
    /// Computes the statistics of these samples.
    pub fn of(samples: &[Sample]) -> Statistics {
        let times: Vec<f64> = samples.iter().filter_map(|s| s.rtt.map(milliseconds)).collect();
        Statistics { sent: samples.len(), received: times.len(), rtt: rtt(&times) }
    }

    /// The share of lost answers, from 0 to 1; `None` without requests.
    pub fn loss(&self) -> Option<f64> {
        (self.sent > 0).then(|| (self.sent - self.received) as f64 / self.sent as f64)
    }
}

/// Converts a time to milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn rtt(times: &[f64]) -> Option<Rtt> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let count = sorted.len();
    let at = |k: usize| sorted.get(k).copied().unwrap_or(min);
    let median = if count % 2 == 1 { at(count / 2) } else { (at(count / 2 - 1) + at(count / 2)) / 2.0 };
    let steps: Vec<f64> = times.iter().zip(times.iter().skip(1)).map(|(a, b)| (b - a).abs()).collect();
    let jitter = (!steps.is_empty()).then(|| steps.iter().sum::<f64>() / steps.len() as f64);
    let rounded = |x: f64| (x * 1e3).round() / 1e3;
    let mean = rounded(times.iter().sum::<f64>() / count as f64);
    Some(Rtt { min, median: rounded(median), mean, max, jitter: jitter.map(rounded) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(times: &[Option<u64>]) -> Vec<Sample> {
        let sample = |(k, time): (usize, &Option<u64>)| Sample {
            number: k as u32 + 1,
            method: "test",
            rtt: time.map(Duration::from_millis),
        };
        times.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn figures() {
        let all = Statistics::of(&samples(&[Some(10), None, Some(14), Some(12), Some(30)]));
        assert_eq!((all.sent, all.received, all.loss()), (5, 4, Some(0.2)));
        // Differences 4, 2, 18.
        assert_eq!(all.rtt, Some(Rtt { min: 10.0, median: 13.0, mean: 16.5, max: 30.0, jitter: Some(8.0) }));
        let one = Statistics::of(&samples(&[Some(7)])).rtt.unwrap();
        assert_eq!((one.min, one.median, one.jitter), (7.0, 7.0, None));
        let lost = Statistics::of(&samples(&[None, None]));
        assert_eq!((lost.rtt, lost.loss()), (None, Some(1.0)));
        assert_eq!(Statistics::of(&[]).loss(), None, "nothing was asked, so nothing was lost");
    }
}
