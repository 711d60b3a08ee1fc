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
    fn blocks_grow_with_the_numbers() {
        assert_eq!(blocks(&[0.0, 1.0, 4.0, 8.0], 0.0), "▁▁▄█");
        assert_eq!(blocks(&[-3.0, -3.0], -3.0), "▁▁");
        assert_eq!(blocks(&[], 0.0), "");
        assert_eq!(blocks(&[f64::NAN, 2.0], 2.0), " ▁");
    }
}
