//! Messages and bytes over time: any duration in a fixed number of equal steps.

/// Counts over time.
///
/// The width of a step starts with the caller's and is doubled whenever there would be more steps
/// than the cap.
#[derive(Clone, Debug)]
pub struct Timeline {
    start: Option<i64>,
    width: i64,
    cap: usize,
    steps: Vec<Bucket>,
}

/// The counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// How many messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Timeline {
    /// Steps of `width` nanoseconds, at most `cap` of them.
    pub fn new(width: i64, cap: usize) -> Timeline {
        Timeline { start: None, width: width.max(1), cap: cap.max(2), steps: Vec::new() }
    }

    /// Counts a message at this time, in nanoseconds since the epoch. A time before the first step
    /// counts in the first step.
    pub fn add(&mut self, time: i64, bytes: u64) {
        let start = *self.start.get_or_insert(time);
        let since = time.saturating_sub(start).max(0);
        let mut index = (since / self.width) as u64;
        while index >= self.cap as u64 {
            self.halve();
            index = (since / self.width) as u64;
        }
        let index = index as usize;
        if self.steps.len() <= index {
            self.steps.resize(index + 1, Bucket::default());
        }
        if let Some(step) = self.steps.get_mut(index) {
            step.messages += 1;
            step.bytes += bytes;
        }
    }

    fn halve(&mut self) {
        self.width = self.width.saturating_mul(2);
        let half = self.steps.len().div_ceil(2);
        for k in 0..half {
            let pair = self.steps.get(2 * k..).unwrap_or(&[]).iter().take(2);
            let sum = pair
                .fold(Bucket::default(), |a, b| Bucket { messages: a.messages + b.messages, bytes: a.bytes + b.bytes });
            if let Some(step) = self.steps.get_mut(k) {
                *step = sum;
            }
        }
        self.steps.truncate(half);
    }

    /// The width of a step in nanoseconds.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// All steps from the first message to the last.
    pub fn steps(&self) -> &[Bucket] {
        &self.steps
    }

    /// The most messages in one round step (1, 2 or 5 times a power of ten) of at least that many nanoseconds,
    /// and the step. The steps begin with the first message, and are the shortest that the line can tell apart.
    pub fn busiest(&self, least: i64) -> (u64, i64) {
        let tens = (0..19).map(|power| 10i64.pow(power));
        let mut round = tens.flat_map(|ten| [1, 2, 5].map(|times| ten.saturating_mul(times)));
        let step = round.find(|step| *step >= least && step % self.width == 0).unwrap_or(self.width);
        let together = (step / self.width).max(1) as usize;
        let sums = self.steps.chunks(together).map(|steps| steps.iter().map(|step| step.messages).sum());
        (sums.max().unwrap_or(0), step)
    }

    /// The messages in at most `columns` parts of equal length, for a chart.
    pub fn columns(&self, columns: usize) -> Vec<f64> {
        let steps = self.steps.len();
        let count = columns.clamp(1, steps.max(1));
        let mut sums = vec![0.0; count];
        for (k, step) in self.steps.iter().enumerate() {
            // A step may overlap two columns: its messages are divided between them.
            let (from, to) = (k as f64 * count as f64 / steps as f64, (k + 1) as f64 * count as f64 / steps as f64);
            let mut at = from;
            while at < to - 1e-9 {
                let end = (at.floor() + 1.0).min(to);
                if let Some(sum) = sums.get_mut(at.floor() as usize) {
                    *sum += step.messages as f64 * (end - at) / (to - from);
                }
                at = end;
            }
        }
        sums
    }
}

/// Numbers as a line of block characters, from `low` (the lowest block) to the largest (a full
/// block); NaN is a blank.
pub fn blocks(numbers: &[f64], low: f64) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let top = numbers.iter().copied().filter(|n| n.is_finite()).fold(low, f64::max);
    let block = |n: &f64| match n {
        n if !n.is_finite() => ' ',
        _ if top <= low => BLOCKS[0],
        n => BLOCKS[(((n - low) / (top - low) * 8.0).ceil() as usize).clamp(1, 8) - 1],
    };
    numbers.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_and_memory_is_the_cap(times in prop::collection::vec(0i64..1 << 40, 1..300)) {
            let mut line = Timeline::new(1000, 16);
            times.iter().for_each(|t| line.add(*t, 3));
            prop_assert!(line.steps().len() <= 16);
            prop_assert_eq!(line.steps().iter().map(|s| s.messages).sum::<u64>(), times.len() as u64);
            prop_assert_eq!(line.steps().iter().map(|s| s.bytes).sum::<u64>(), 3 * times.len() as u64);
            for width in [1, 5, 40] {
                let columns = line.columns(width);
                prop_assert!(columns.len() <= width);
                prop_assert!((columns.iter().sum::<f64>() - times.len() as f64).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_busiest_step_is_round() {
        const MS: i64 = 1_000_000;
        // 8 s with a message each 10 ms, and 30 more within 3.2 and 3.25 s: steps of 2 ms.
        let mut line = Timeline::new(MS, 4096);
        (0..800).for_each(|n| line.add(n * 10 * MS, 1));
        (0..30).for_each(|n| line.add((3200 + n) * MS, 1));
        assert_eq!(line.width(), 2 * MS);
        assert_eq!(line.busiest(8000 * MS / 100), (10 + 30, 100 * MS));
        assert_eq!(line.busiest(30 * MS), (5 + 30, 50 * MS));
        // Steps of 4 ms have none of 50.
        line.add(9_000 * MS, 1);
        assert_eq!((line.width(), line.busiest(30 * MS)), (4 * MS, (10 + 30, 100 * MS)));
        assert_eq!(Timeline::new(MS, 16).busiest(5), (0, MS));
    }

    #[test]
    fn blocks_grow_with_the_numbers() {
        assert_eq!(blocks(&[0.0, 1.0, 4.0, 8.0], 0.0), "▁▁▄█");
        assert_eq!(blocks(&[-3.0, -3.0], -3.0), "▁▁");
        assert_eq!(blocks(&[], 0.0), "");
        assert_eq!(blocks(&[f64::NAN, 2.0], 2.0), " ▁");
    }
}
