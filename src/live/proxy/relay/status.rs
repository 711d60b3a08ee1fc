//! The state of a running relay, for a user who asks for it.

use super::counts::Counts;
use crate::live::proxy::MessageCounts;
use std::time::{Duration, Instant};

/// The state of a running relay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// The time since the relay began.
    pub elapsed: Duration,
    /// The clients that send datagrams now.
    pub datagram_clients: usize,
    /// The streams that are open now.
    pub streams: usize,
    /// The datagrams that wait.
    pub queued: usize,
    /// The memory that they take, in bytes.
    pub queued_bytes: usize,
    /// The bytes of streams that wait.
    pub stream_bytes: usize,
    /// The counts so far.
    pub counts: Counts,
    /// The counts of the messages in each direction, if messages are read.
    pub messages: Option<[MessageCounts; 2]>,
    /// The traffic of the last one to two seconds in each direction.
    pub rates: [DirectionRates; 2],
}

/// The traffic of a direction, each second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DirectionRates {
    /// Packets that arrived.
    pub arrived: f64,
    /// Their bytes.
    pub bytes: f64,
    /// Packets that were sent.
    pub passed: f64,
}

/// The counts of the last two whole seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Samples([(Instant, Counts); 2]);

impl Samples {
    /// Begins with no counts.
    pub fn new(now: Instant) -> Samples {
        Samples([(now, Counts::default()); 2])
    }

    /// Adds the counts after another second.
    pub fn add(&mut self, now: Instant, counts: &Counts) {
        self.0 = [self.0[1], (now, *counts)];
    }

    /// The rates since the sample before the last one, so that they cover at least a second, if it ran that long.
    pub fn rates(&self, now: Instant, counts: &Counts) -> [DirectionRates; 2] {
        let (since, before) = &self.0[0];
        let seconds = now.saturating_duration_since(*since).as_secs_f64();
        let rate = |now: u64, before: u64| match seconds > 0.0 {
            true => now.saturating_sub(before) as f64 / seconds,
            false => 0.0,
        };
        [0, 1].map(|direction| {
            let (now, before) = (&counts.directions[direction], &before.directions[direction]);
            DirectionRates {
                arrived: rate(now.arrived, before.arrived),
                bytes: rate(now.bytes, before.bytes),
                passed: rate(now.passed, before.passed),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_cover_the_last_seconds() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let counts = |arrived, passed| {
            let mut counts = Counts::default();
            (counts.directions[0].arrived, counts.directions[0].bytes, counts.directions[0].passed) =
                (arrived, arrived * 10, passed);
            counts
        };
        let mut samples = Samples::new(begun);
        assert_eq!(samples.rates(begun, &counts(0, 0)), [DirectionRates::default(); 2]);
        for second in 1..=5 {
            samples.add(at(second), &counts(second * 100, second * 50));
        }
        // 100 packets a second until the fifth, then 300 in half a second: since the fourth.
        let rates = samples.rates(at(5) + Duration::from_millis(500), &counts(800, 400));
        let want = DirectionRates { arrived: 400.0 / 1.5, bytes: 4000.0 / 1.5, passed: 200.0 / 1.5 };
        assert_eq!(rates, [want, DirectionRates::default()]);
        // Silence has the rate 0 after two seconds.
        samples.add(at(6), &counts(800, 400));
        samples.add(at(7), &counts(800, 400));
        assert_eq!(samples.rates(at(8), &counts(800, 400))[0], DirectionRates::default());
    }
}
