//! Messages and bytes over time: a fixed number of equal steps for any duration.

use std::cmp::Reverse;

/// The most steps of a capture's course in text and in reports: finer ones would be too narrow to see.
pub const STEPS: usize = 180;

/// Counts over time.
///
/// A step has the caller's width at first. If there are more steps than the cap, they are merged: in pairs, so that at
/// least half of the cap remain, or to the next round width.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    start: Option<i64>,
    width: i64,
    /// Whether widths are round: 1, 2, 10, 20, 100 ms, and so on.
    round: bool,
    cap: usize,
    steps: Vec<Bucket>,
}

/// The counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// The number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The part of a timeline with the most messages. Times are nanoseconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// The number of messages.
    pub messages: u64,
    /// The start of the part.
    pub from: i64,
    /// The end of the part.
    pub to: i64,
}

/// Round numbers of nanoseconds, ascending: 1, 2 or 5 times a power of ten.
fn round() -> impl Iterator<Item = i64> {
    let tens = (0..19).map(|power| 10i64.pow(power));
    tens.flat_map(|ten| [1, 2, 5].map(|times| ten.saturating_mul(times)))
}

/// The shortest round step that is a multiple of `unit`, and of which at most `most` cover `nanos`.
pub fn round_step(nanos: i64, most: usize, unit: i64) -> i64 {
    let most = most.max(1) as i64;
    round().find(|step| step % unit.max(1) == 0 && columns(nanos, *step) as i64 <= most).unwrap_or(i64::MAX)
}

/// The number of steps that cover `nanos`, at least one.
pub fn columns(nanos: i64, step: i64) -> usize {
    (nanos.max(1).saturating_sub(1) / step.max(1) + 1) as usize
}

/// The number of round steps that make up the next longer round one: 1, 2, 10, 20, 100, and so on.
pub fn widening(step: i64) -> usize {
    if step.to_string().starts_with('2') { 5 } else { 2 }
}

/// A step of time with its unit: `2 s`, `500 ms`.
pub fn step_text(nanos: i64) -> String {
    let (unit, size) = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)]
        .into_iter()
        .find(|(_, size)| nanos % size == 0)
        .unwrap_or(("ns", 1));
    format!("{} {unit}", nanos / size)
}

impl Timeline {
    /// A timeline with steps of `width` nanoseconds, at most `cap` of them.
    pub fn new(width: i64, cap: usize) -> Timeline {
        Timeline { start: None, width: width.max(1), round: false, cap: cap.max(2), steps: Vec::new() }
    }

    /// A timeline with steps of round widths, at most `cap` of them; at first they are 1 ms.
    pub fn round(cap: usize) -> Timeline {
        Timeline { round: true, ..Timeline::new(1_000_000, cap) }
    }

    /// Counts a message at this time, in nanoseconds since the epoch. A time before the first step
    /// counts in the first step.
    pub fn add(&mut self, time: i64, bytes: u64) {
        self.add_all(time, Bucket { messages: 1, bytes });
    }

    /// Counts several messages at this time.
    pub fn add_all(&mut self, time: i64, more: Bucket) {
        let start = *self.start.get_or_insert(time);
        let since = time.saturating_sub(start).max(0);
        let mut index = (since / self.width) as u64;
        while index >= self.cap as u64 {
            self.widen();
            index = (since / self.width) as u64;
        }
        let index = index as usize;
        if self.steps.len() <= index {
            self.steps.resize(index + 1, Bucket::default());
        }
        if let Some(step) = self.steps.get_mut(index) {
            step.messages += more.messages;
            step.bytes += more.bytes;
        }
    }

    /// Merges neighbouring steps.
    fn widen(&mut self) {
        let together = if self.round { widening(self.width) } else { 2 };
        self.width = self.width.saturating_mul(together as i64);
        let sum = |some: &[Bucket]| {
            some.iter()
                .fold(Bucket::default(), |a, b| Bucket { messages: a.messages + b.messages, bytes: a.bytes + b.bytes })
        };
        self.steps = self.steps.chunks(together).map(sum).collect();
    }

    /// The width of a step in nanoseconds.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// All steps from the first message to the last.
    pub fn steps(&self) -> &[Bucket] {
        &self.steps
    }

    /// The largest number of messages in one round step, and the length of the step: the shortest of which at most
    /// `most` cover the timeline. They begin with the first message.
    pub fn busiest(&self, most: usize) -> (u64, i64) {
        let step = round_step(self.width.saturating_mul(self.steps.len().max(1) as i64), most, self.width);
        let together = (step / self.width).max(1) as usize;
        let sums = self.steps.chunks(together).map(|steps| steps.iter().map(|step| step.messages).sum());
        (sums.max().unwrap_or(0), step)
    }

    /// The part of `window` nanoseconds, or of one step if steps are longer, with the most messages. It begins with a
    /// step that has messages, and is the first if there are several. `None` without messages.
    pub fn most(&self, window: i64) -> Option<Most> {
        let start = self.start?;
        let count = (window / self.width).max(1);
        let sum = |at: usize| self.steps.iter().skip(at).take(count as usize).map(|step| step.messages).sum::<u64>();
        let starts = (0..self.steps.len()).filter(|at| self.steps[*at].messages > 0);
        let (messages, at) = starts.map(|at| (sum(at), at)).max_by_key(|(n, at)| (*n, Reverse(*at)))?;
        let from = self.begin(start, at);
        Some(Most { messages, from, to: from.saturating_add(count.saturating_mul(self.width)) })
    }

    /// The start of a step.
    fn begin(&self, start: i64, step: usize) -> i64 {
        start.saturating_add((step as i64).saturating_mul(self.width))
    }

    /// The messages in each of `count` columns of `step` nanoseconds, the first of which begins at `from`.
    pub fn along(&self, from: i64, step: i64, count: usize) -> Vec<f64> {
        let mut sums = vec![0.0; count];
        for (k, bucket) in self.steps.iter().enumerate() {
            let since = self.begin(self.start.unwrap_or(from), k).saturating_sub(from);
            let at = (since.max(0) / step.max(1)) as usize;
            if let Some(sum) = sums.get_mut(at.min(count.saturating_sub(1))) {
                *sum += bucket.messages as f64;
            }
        }
        sums
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
        let mut line = Timeline::round(4096);
        (0..800).for_each(|n| line.add(n * 10 * MS, 1));
        (0..30).for_each(|n| line.add((3200 + n) * MS, 1));
        assert_eq!(line.width(), 2 * MS);
        assert_eq!(line.busiest(100), (10 + 30, 100 * MS));
        assert_eq!(line.busiest(180), (5 + 30, 50 * MS));
        line.add(9_000 * MS, 1);
        assert_eq!((line.width(), line.busiest(181)), (10 * MS, (5 + 30, 50 * MS)));
        assert_eq!(Timeline::round(16).busiest(5), (0, MS));
    }

    #[test]
    fn the_worst_part_and_the_columns_are_of_the_same_messages() {
        const S: i64 = 1_000_000_000;
        let mut line = Timeline::new(5 * S / 64, 512);
        assert_eq!(line.most(5 * S), None);
        // 3 messages at 100 s, 4 from 114 to 117 s, 4 again at 130 s.
        for at in [100, 100, 100, 114, 115, 116, 117, 130, 130, 130, 130] {
            line.add(at * S, 1);
        }
        let most = line.most(5 * S).unwrap();
        let step = line.width();
        assert_eq!(most.messages, 4);
        assert!((114 * S - step..=114 * S).contains(&most.from) && most.to - most.from == 5 * S, "{most:?}");
        assert_eq!([round_step(40 * S, 50, 1), round_step(40 * S, 10, 1), round_step(0, 10, 1)], [S, 5 * S, 1]);
        assert_eq!(round_step(40 * S, 10, 2 * S), 10 * S);
        assert_eq!([columns(40 * S, 5 * S), columns(40 * S + 1, 5 * S), columns(0, 5)], [8, 9, 1]);
        let mut long = line.clone();
        long.add((100 + 2559) * S, 1);
        assert_eq!((long.width(), long.most(5 * S).map(|most| most.to - most.from)), (5 * S, Some(5 * S)));
        let mut step = 1_000_000;
        let widths: Vec<i64> = (0..5).map(|_| (step, step *= widening(step) as i64).0).collect();
        assert_eq!(widths, [1, 2, 10, 20, 100].map(|ms| ms * 1_000_000));
        let columns = line.along(90 * S, 5 * S, 9);
        assert_eq!(columns, [0.0, 0.0, 3.0, 0.0, 1.0, 3.0, 0.0, 0.0, 4.0]);
        assert_eq!(
            [step_text(2 * S), step_text(S / 2), step_text(20_000), step_text(3)],
            ["2 s", "500 ms", "20 us", "3 ns"]
        );
    }

    #[test]
    fn blocks_grow_with_the_numbers() {
        assert_eq!(blocks(&[0.0, 1.0, 4.0, 8.0], 0.0), "▁▁▄█");
        assert_eq!(blocks(&[-3.0, -3.0], -3.0), "▁▁");
        assert_eq!(blocks(&[], 0.0), "");
        assert_eq!(blocks(&[f64::NAN, 2.0], 2.0), " ▁");
    }
}
