//! Delay statistics: percentiles of any number of values in a fixed amount of memory.

/// The number of equal buckets per power of two, as a power of two.
const SUB_BITS: u32 = 5;
const SUB: usize = 1 << SUB_BITS;
/// Delays of 2^42 ns (73 minutes) and more share the last bucket.
const TOP_BITS: u32 = 42;
const BUCKETS: usize = (TOP_BITS - SUB_BITS + 1) as usize * SUB;

/// Delays in nanoseconds: exact count, extremes and mean, percentiles within 1/64 of their value,
/// and jitter. At most 5 KB.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    count: u64,
    /// The number of negative delays, which all other figures leave out.
    negative: u64,
    min: i64,
    max: i64,
    last: Option<i64>,
    /// The differences between a delay and the one before it: their number, and their sum.
    steps: u64,
    differences: i128,
    buckets: Vec<u32>,
}

impl Delays {
    /// Adds a delay. A negative one is left out: the capture's clock was set back.
    pub fn add(&mut self, nanos: i64) {
        if nanos < 0 {
            self.negative += 1;
            return;
        }
        (self.min, self.max) = match self.count {
            0 => (nanos, nanos),
            _ => (self.min.min(nanos), self.max.max(nanos)),
        };
        self.count += 1;
        if let Some(last) = self.last.replace(nanos) {
            self.steps += 1;
            self.differences += (nanos as i128 - last as i128).abs();
        }
        let at = bucket(nanos);
        if self.buckets.len() <= at {
            self.buckets.resize(at + 1, 0);
        }
        if let Some(bucket) = self.buckets.get_mut(at) {
            *bucket = bucket.saturating_add(1);
        }
    }

    /// Adds the delays of another connection. The step from one connection to the other does not count as jitter.
    pub fn merge(&mut self, other: &Delays) {
        self.negative += other.negative;
        if other.count == 0 {
            return;
        }
        (self.min, self.max) = match self.count {
            0 => (other.min, other.max),
            _ => (self.min.min(other.min), self.max.max(other.max)),
        };
        self.count += other.count;
        self.steps += other.steps;
        self.differences += other.differences;
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(own, n)| *own = own.saturating_add(*n));
    }

    /// The number of delays.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of delays, negative ones included.
    pub fn all(&self) -> u64 {
        self.count + self.negative
    }

    /// The shortest delay.
    pub fn min(&self) -> Option<i64> {
        (self.count > 0).then_some(self.min)
    }

    /// The longest delay.
    pub fn max(&self) -> Option<i64> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean difference between one delay and the next, in nanoseconds.
    pub fn jitter(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.differences as f64 / self.steps as f64)
    }

    /// The delay that `percent` of all delays do not exceed: the middle of its bucket.
    pub fn percentile(&self, percent: f64) -> Option<i64> {
        let rank = ((percent / 100.0 * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let index = self.buckets.iter().position(|n| {
            seen += *n as u64;
            seen >= rank
        })?;
        Some(middle(index).clamp(self.min, self.max))
    }
}

/// The index of a delay's bucket.
fn bucket(nanos: i64) -> usize {
    let n = nanos.max(0) as u64;
    if n < SUB as u64 {
        return n as usize;
    }
    let power = 63 - n.leading_zeros();
    if power >= TOP_BITS {
        return BUCKETS - 1;
    }
    let shift = power - SUB_BITS;
    (shift as usize + 1) * SUB + ((n >> shift) as usize - SUB)
}

/// The middle of a bucket.
fn middle(index: usize) -> i64 {
    match index / SUB {
        0 => index as i64,
        shift => {
            let shift = shift as u32 - 1;
            (((index % SUB + SUB) as i64) << shift) + ((1i64 << shift) >> 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_near_the_exact_ones(
            mut delays in prop::collection::vec(prop_oneof![0i64..100, 0i64..5_000_000, 0i64..1 << 41], 1..400),
            percent in 0.0f64..100.0,
        ) {
            let mut all = Delays::default();
            delays.iter().for_each(|d| all.add(*d));
            let jitter = delays.windows(2).map(|w| (w[1] - w[0]).abs() as f64).sum::<f64>();
            delays.sort_unstable();
            let rank = ((percent / 100.0 * delays.len() as f64).ceil() as usize).max(1);
            let (exact, got) = (delays[rank - 1], all.percentile(percent).unwrap());
            prop_assert!((got - exact).abs() <= exact / 64 + 1, "{got} for {exact}");
            prop_assert_eq!((all.count(), all.max()), (delays.len() as u64, delays.last().copied()));
            if let Some(got) = all.jitter() {
                let jitter = jitter / (delays.len() - 1) as f64;
                prop_assert!((got - jitter).abs() <= 1e-6 * jitter.max(1.0));
            }
        }
    }

    #[test]
    fn merged_delays_are_those_of_both() {
        let (mut a, mut b, mut all) = (Delays::default(), Delays::default(), Delays::default());
        for n in 0..1000i64 {
            if n % 3 == 0 { &mut a } else { &mut b }.add(n * n * 1000);
            all.add(n * n * 1000);
        }
        a.merge(&b);
        a.merge(&Delays::default());
        for percent in [1.0, 50.0, 90.0, 99.0, 100.0] {
            assert_eq!(a.percentile(percent), all.percentile(percent));
        }
        assert_eq!((a.count(), a.max()), (1000, all.max()));
        // Of 2 and 3 delays: 1 and 2 differences.
        let [mut a, b] = [&[10, 20][..], &[5, 9, 1]].map(|delays| {
            let mut all = Delays::default();
            delays.iter().for_each(|delay| all.add(*delay));
            all
        });
        a.merge(&b);
        assert_eq!(a.jitter(), Some((10.0 + 4.0 + 8.0) / 3.0));
    }

    #[test]
    fn memory_is_fixed_and_extremes_do_no_harm() {
        let mut all = Delays::default();
        assert_eq!((all.percentile(50.0), all.jitter()), (None, None));
        for delay in [i64::MIN, -1, 0, 1, i64::MAX] {
            all.add(delay);
        }
        assert_eq!(all.buckets.len(), BUCKETS);
        // Negative ones are left out.
        assert_eq!((all.count(), all.min(), all.percentile(50.0)), (3, Some(0), Some(1)));
        assert_eq!(all.all(), 5);
    }
}
