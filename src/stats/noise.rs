//! The variation of figures within one capture: a difference between two captures is notable if it is clearly larger
//! than that.

use super::histogram::Delays;
use super::timeline::{Bucket, Timeline};

/// The number of standard errors above which a difference is not chance.
const CLEAR: f64 = 3.0;
/// The relative difference below which a figure with any variation counts as equal.
const SMALL: f64 = 0.05;
/// The number of parts of a capture whose counts are compared with each other.
const PARTS: usize = 16;
/// The factor by which bursts increase the variance: losses and resends are not independent.
const BURSTS: f64 = 2.0;

/// A figure of one capture, and its standard error.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    value: f64,
    error: f64,
    /// The extent of the sample: values, or seconds.
    extent: f64,
    /// The amount of which a change of [`SMALL`] is still small.
    scale: f64,
}

impl Spread {
    /// Whether the two differ by more than their own variation. A short sample that varies less than the longer one
    /// implies does so by chance.
    pub fn differs(self, other: Spread) -> bool {
        let least = |own: Spread, longer: Spread| match own.extent < longer.extent {
            true => own.error.max(longer.error * (longer.extent / own.extent).sqrt()),
            false => own.error,
        };
        let (change, error) = ((self.value - other.value).abs(), least(self, other).hypot(least(other, self)));
        let small = SMALL * self.scale.max(other.scale);
        change > CLEAR * error && (error == 0.0 || change > small)
    }
}

/// The number by which a count can fall below the expected one by chance.
pub fn of_count(expected: f64) -> f64 {
    CLEAR * expected.sqrt()
}

/// The counts of the parts of a capture of `seconds` seconds, each with its share of the time.
fn parts(course: &Timeline, seconds: f64) -> Vec<(Bucket, f64)> {
    let (steps, width) = (course.steps(), course.width() as f64);
    let whole = (seconds * 1e9).max(steps.len().saturating_sub(1) as f64 * width).max(1.0);
    let together = (whole / width / PARTS as f64).ceil().max(1.0);
    let part = together * width;
    let mut parts: Vec<_> = (0..(whole / part).ceil() as usize)
        .map(|k| (Bucket::default(), ((whole - k as f64 * part) / whole).min(part / whole)))
        .collect();
    for (k, step) in steps.iter().enumerate() {
        let at = ((k as f64 / together) as usize).min(parts.len() - 1);
        if let Some((part, _)) = parts.get_mut(at) {
            part.messages += step.messages;
            part.bytes += step.bytes;
        }
    }
    parts
}

/// The standard error of a sum, from the distances of its parts from their mean.
fn error_of_sum(distances: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = distances.len() as f64;
    let squares: f64 = distances.map(|distance| distance * distance).sum();
    (squares * count / (count - 1.0).max(1.0)).sqrt()
}

/// The messages per second; `None` without a duration.
pub fn rate(messages: u64, course: Option<&Timeline>, seconds: f64) -> Option<Spread> {
    let count = messages as f64;
    let error = match course.map(|course| parts(course, seconds)) {
        Some(parts) if parts.len() > 1 => {
            error_of_sum(parts.iter().map(|(part, share)| part.messages as f64 - count * share))
        }
        _ => count.sqrt(),
    };
    // One message more or less at the edges is not a difference.
    let value = count / seconds;
    (seconds > 0.0).then(|| Spread { value, error: error.max(1.0) / seconds, extent: seconds, scale: value })
}

/// The bytes of a message; `None` without a message.
pub fn size(messages: u64, bytes: u64, course: Option<&Timeline>, seconds: f64) -> Option<Spread> {
    let mean = bytes as f64 / messages.max(1) as f64;
    let distance = |(part, _): &(Bucket, f64)| part.bytes as f64 - mean * part.messages as f64;
    let error = course.map_or(0.0, |course| error_of_sum(parts(course, seconds).iter().map(distance)));
    (messages > 0).then(|| Spread { value: mean, error: error / messages as f64, extent: messages as f64, scale: mean })
}

/// An estimate and its 95 % interval: two standard deviations in each direction.
pub fn interval([value, low, high]: [f64; 3]) -> Spread {
    Spread { value, error: (high - low) / 4.0, extent: 1.0, scale: value }
}

/// The share of `hits` in `all`, as the angle whose standard error does not depend on the share (the arcsine
/// transformation of a proportion). So two shares, of which one is 0, have comparable errors.
pub fn share(hits: u64, all: u64) -> Spread {
    let all = all.max(1) as f64;
    let value = 2.0 * (hits as f64 / all).clamp(0.0, 1.0).sqrt().asin();
    // Of a small share the angle changes half as much as the share, in relation to it.
    Spread { value, error: (BURSTS / all).sqrt(), extent: all, scale: value / 2.0 }
}

/// The logarithm of a percentile in nanoseconds: the error of a delay grows with the delay. `None` for fewer than two
/// values. If there are so few that it is the largest of them, it may be anything.
pub fn percentile(delays: &Delays, percent: f64) -> Option<Spread> {
    let count = delays.count() as f64;
    let part = percent / 100.0;
    // Within this distance, and clearly within `CLEAR` times this distance, every rank may be the true percentile.
    let around = (BURSTS * part * (1.0 - part) / count.max(1.0)).sqrt() * 100.0;
    let at = |percent: f64| delays.percentile(percent.clamp(0.0, 100.0)).map(|nanos| (nanos as f64).max(1.0).ln());
    let half = |times: f64| Some((at(percent + times * around)? - at(percent - times * around)?) / 2.0 / times);
    // Percentiles are accurate to a bucket.
    let (value, error) = (at(percent)?, half(1.0)?.max(half(CLEAR)?).max(1.0 / 64.0));
    let error = if count * (1.0 - part) < 0.999 { f64::INFINITY } else { error };
    (count >= 2.0).then_some(Spread { value, error, extent: count, scale: 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages at these milliseconds, of these sizes.
    fn course(messages: impl Iterator<Item = (i64, u64)>) -> (u64, u64, Timeline) {
        let (mut count, mut bytes, mut line) = (0, 0, Timeline::new(1_000_000, 64));
        for (at, size) in messages {
            line.add(at * 1_000_000, size);
            (count, bytes) = (count + 1, bytes + size);
        }
        (count, bytes, line)
    }

    fn rate_of(messages: impl Iterator<Item = i64>, seconds: f64) -> Spread {
        let (count, _, line) = course(messages.map(|at| (at, 10)));
        rate(count, Some(&line), seconds).expect("a rate")
    }

    #[test]
    fn a_part_of_a_capture_has_the_same_rates() {
        let whole = rate_of((0..2400).map(|k| k * 25), 60.0);
        assert!(!whole.differs(rate_of((0..1200).map(|k| k * 25), 30.0)));
        assert!(whole.differs(rate_of((0..2800).map(|k| k * 21), 60.0)), "regular, and a sixth more");
        // All messages in the first half.
        let first = (0..1200).map(|k| k * 25);
        assert!(!rate_of(first.clone(), 60.0).differs(rate_of(first, 30.0)));
        // Bursts of 100 messages every ten seconds.
        let bursts = |count: i64| (0..count).flat_map(|burst| (0..100).map(move |k| burst * 10_000 + k * 5));
        assert!(!rate_of(bursts(6), 60.0).differs(rate_of(bursts(4), 30.0)));
        // One message at the end of a capture is no evidence about its first half.
        let once = rate_of([59_000].into_iter(), 60.0);
        assert!(!once.differs(rate(0, None, 30.0).expect("a rate")));
    }

    #[test]
    fn sizes_and_shares() {
        let of = |size: fn(i64) -> u64| {
            let (count, bytes, line) = course((0..600).map(|k| (k * 100, size(k))));
            size_of(count, bytes, &line)
        };
        fn size_of(count: u64, bytes: u64, line: &Timeline) -> Spread {
            size(count, bytes, Some(line), 60.0).expect("a size")
        }
        let (constant, longer) = (of(|_| 100), of(|_| 101));
        assert!(constant.differs(longer), "sizes that never vary");
        assert!(!of(|k| 50 + (k * 7919 % 101) as u64).differs(of(|k| 52 + (k * 104_729 % 101) as u64)));
        // Three equal sizes are no evidence if the other capture's sizes vary.
        let (count, bytes, line) = course((0..3).map(|k| (k * 100, 85)));
        let few = size(count, bytes, Some(&line), 30.0).expect("a size");
        assert!(!of(|k| 50 + (k * k % 101) as u64).differs(few) && constant.differs(few));
        assert!(!share(1, 10).differs(share(0, 10)));
        assert!(share(60, 1000).differs(share(10, 1000)));
        assert!(!share(12, 1000).differs(share(10, 1000)));
    }

    #[test]
    fn percentiles_of_few_values_say_little() {
        let delays = |list: &[i64]| {
            let mut all = Delays::default();
            list.iter().for_each(|n| all.add(*n * 1_000_000));
            all
        };
        assert!(percentile(&delays(&[40]), 50.0).is_none());
        let of = |each: i64, count: usize| percentile(&delays(&vec![each; count]), 90.0).expect("some");
        assert!(!of(40, 9).differs(of(80, 99)) && of(40, 10).differs(of(80, 99)));
        let few = percentile(&delays(&[10, 90]), 50.0).expect("two");
        assert!(!few.differs(percentile(&delays(&[30, 200]), 50.0).expect("two")));
        let many = |first: i64| delays(&(0..400).map(|k| first + k % 9).collect::<Vec<_>>());
        let [a, b] = [many(40), many(80)].map(|all| percentile(&all, 90.0).expect("many"));
        assert!(a.differs(b) && !a.differs(a));
    }
}
