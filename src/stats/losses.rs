//! The losses of a direction over time, and the silences of a side.

use super::timeline::{Bucket, Timeline};
use crate::traffic::sequence::Seen;

/// The length in nanoseconds of the window with most losses.
pub const WINDOW: i64 = 5_000_000_000;
/// The initial width of a step: the window remains a whole number of steps when they are doubled.
const STEP: i64 = WINDOW / 64;
/// The cap on steps: a step is as long as the window after 42 minutes.
const STEPS: usize = 512;

/// The losses of one direction over time.
#[derive(Clone, Debug)]
pub struct Losses(pub Timeline);

impl Default for Losses {
    fn default() -> Losses {
        Losses(Timeline::new(STEP, STEPS))
    }
}

impl Losses {
    /// Counts a transmission that shows a loss: a message resent before any acknowledgement, or skipped numbers.
    pub fn see(&mut self, seen: Seen, now: i64) {
        let messages = match seen {
            Seen::Copy { before } if !before.acked => 1,
            Seen::Ahead(missing) => missing.into(),
            _ => return,
        };
        self.0.add_all(now, Bucket { messages, bytes: 0 });
    }
}

/// The longest silence of a side between two of its messages, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// The time at which it began.
    pub began: i64,
    /// Its length.
    pub length: i64,
    /// The time of the side's last message.
    pub last: Option<i64>,
}

impl Silence {
    /// Records a message at `now`. `is_late`: a message of a later frame was recorded before it.
    #[inline]
    pub fn message(&mut self, now: i64, is_late: bool) {
        self.until(now);
        self.last = if is_late { self.last.max(Some(now)) } else { Some(now) };
    }

    /// Records that there was no message up to `now`.
    pub fn until(&mut self, now: i64) {
        if let Some(began) = self.last
            && now.saturating_sub(began) > self.length
        {
            (self.began, self.length) = (began, now.saturating_sub(began));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::sequence::Sent;

    #[test]
    fn skipped_numbers_and_resends_are_losses_and_duplicates_are_none() {
        let mut losses = Losses::default();
        let before = |acked| Seen::Copy { before: Sent { acked, ..Sent::default() } };
        for (seen, now) in [(Seen::Ahead(3), 0), (before(false), 1), (before(true), 2), (Seen::Late, 3)] {
            losses.see(seen, now);
        }
        assert_eq!(losses.0.most(WINDOW).map(|most| most.messages), Some(4));
    }

    #[test]
    fn the_longest_time_without_a_message() {
        let mut silence = Silence::default();
        // The third one is of an earlier frame than the second.
        for (now, is_late) in [(10, false), (30, false), (20, true), (45, false)] {
            silence.message(now, is_late);
        }
        assert_eq!((silence.began, silence.length), (10, 20));
        silence.until(70);
        assert_eq!((silence.began, silence.length), (45, 25));
    }

    /// A capture may contain any time.
    #[test]
    fn the_ends_of_time_are_no_trouble() {
        let (mut losses, mut silence) = (Losses::default(), Silence::default());
        for now in [i64::MIN, i64::MAX, 0, i64::MIN] {
            losses.see(Seen::Ahead(1), now);
            silence.message(now, false);
        }
        assert_eq!(silence.length, i64::MAX);
        assert!(losses.0.most(WINDOW).is_some_and(|most| most.from <= most.to));
        assert_eq!(losses.0.along(i64::MIN, 1 << 60, 16).iter().sum::<f64>(), 4.0);
        assert_eq!(losses.0.along(i64::MAX, 1, 16).iter().sum::<f64>(), 4.0);
    }
}
