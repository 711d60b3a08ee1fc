//! Limits how fast a live peer is answered. Libraries read and answer in ticks. Without a limit, a peer that answers
//! each answer would be sent as much as the machine can send.

use std::time::{Duration, Instant};

/// The average time from one answer to the next: shorter than any library's ticks.
const EVERY: Duration = Duration::from_micros(500);
/// The number of answers without a pause, such as a busy session's acknowledgements of a moment.
const AT_ONCE: u32 = 1024;

/// Limits the answers made to one peer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// The time at which all answers so far would have been made, one after the other.
    due: Option<Instant>,
}

impl Pacer {
    /// Counts answers.
    pub fn answered(&mut self, count: u64, now: Instant) {
        if count > 0 {
            let from = self.due.map_or(now, |due| due.max(now));
            self.due = Some(from + EVERY * u32::try_from(count).unwrap_or(u32::MAX / 2));
        }
    }

    /// Returns the time for which nothing more is taken from the peer.
    pub fn hold(&self, now: Instant) -> Duration {
        let ahead = self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(now));
        ahead.saturating_sub(EVERY * AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_a_rate() {
        let (start, mut pacer) = (Instant::now(), Pacer::default());
        pacer.answered(u64::from(AT_ONCE), start);
        assert_eq!(pacer.hold(start), Duration::ZERO);
        pacer.answered(1, start);
        assert_eq!((pacer.hold(start), pacer.hold(start + EVERY)), (EVERY, Duration::ZERO));
        // Ten seconds with a peer that answers each answer.
        let (mut now, mut answers) = (start, 0);
        while now < start + Duration::from_secs(10) {
            pacer.answered(1, now);
            answers += 1;
            now += pacer.hold(now).max(Duration::from_micros(10));
        }
        assert!((19_000..22_000).contains(&answers), "{answers}");
        // After a silence, a burst is allowed again.
        pacer.answered(1, now + Duration::from_secs(10));
        assert_eq!(pacer.hold(now + Duration::from_secs(10)), Duration::ZERO);
    }
}
