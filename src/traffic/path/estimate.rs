//! An estimate of each direction's path, with its interval.
//!
//! A transmission in the capture reaches the other side with probability `1 - p`. Its acknowledgement, like every other
//! packet of that side, reaches the capture point with probability `1 - q`. The estimates of both are the most likely
//! values for the capture; an interval contains the values that are not much less likely. If only the product of the
//! two is known, the intervals are as wide as that implies. The loss of a direction combines the losses before and
//! after the capture point.

use super::Counts;
use crate::traffic::histogram::Delays;

/// The difference of the log-likelihood at the limits of a 95 % interval.
const LESS_LIKELY: f64 = 1.92;
/// A wider interval is not reported.
const WIDEST: f64 = 0.5;
/// Below this loss no burst is reported.
const SOME: f64 = 0.0005;
/// The share by which an interval is widened: a delayed packet, or one that was resent too soon, looks like a lost one.
const MISTAKEN: f64 = 0.005;
/// The memory that is assumed if fewer than `FEWEST_LOSSES` losses indicate it.
const MEMORY: f64 = 0.33;
const FEWEST_LOSSES: u64 = 10;
/// The smallest memory that is assumed if runs of losses are not completely visible.
const HIDDEN: f64 = 0.6;
/// The share of the losses by which the upper limit is raised if they come in a row, for numbers of both sides and of
/// one.
const UNSEEN: [f64; 2] = [0.25, 0.4];
/// The memory above which losses come in a row.
const IN_A_ROW: f64 = 0.25;
/// The share of messages that are resent too soon from which intervals are wider, and how much wider.
const EARLY: f64 = 0.3;
const UNSURE: f64 = 6.0;
/// A smaller memory of the losses after the capture point is none: single losses of resent messages look like it.
const SINGLE: f64 = 0.15;
/// The number of transmissions below which the absence of losses proves nothing.
const FEW: u64 = 30;
/// The loss is unknown if the missing numbers in long gaps, times this, are more than those in short ones.
const LONG: u64 = 2;
/// A round trip this many times shorter than that of the other side does not cross the network.
const NEARER: i64 = 5;
/// The number of steps of a search: the limits of an interval are exact to a millionth.
const STEPS: usize = 20;
/// The most rounds of a fit.
const ROUNDS: usize = 200;
/// A fit has converged if it changes by less than this.
const SETTLED: f64 = 1e-7;

/// The estimate for one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The share of its packets that are lost: most likely value, lower limit, upper limit.
    pub loss: Option<[f64; 3]>,
    /// The mean number of packets lost in a row, if any are lost.
    pub burst: Option<f64>,
    /// The median of the delays above the shortest, in nanoseconds.
    pub delay: Option<f64>,
    /// The mean difference between consecutive delays, in nanoseconds.
    pub jitter: Option<f64>,
    /// The share of numbers that were overtaken.
    pub reorder: f64,
}

/// One side of one or more connections.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'a> {
    /// The counts of its numbers.
    pub counts: &'a Counts,
    /// The delays of acknowledgements for messages sent only once.
    pub trips: &'a Delays,
    /// The number of messages that it sent, numbered or not.
    pub messages: u64,
}

/// The observations that determine `p` and `q`.
#[derive(Clone, Copy, Debug, Default)]
struct Loop<'a> {
    lost: f64,
    arrived: f64,
    acked: f64,
    unknown: f64,
    skipped: f64,
    numbers: f64,
    /// Acknowledgements sent in the direction of `p`: the number that arrived, and the number that did not.
    heeded: [f64; 2],
    /// The counts of the numbers sent in the direction of `q`, if both sides number their messages.
    resent: Option<&'a Counts>,
}

impl<'a> Loop<'a> {
    /// The observations from the numbers of `from`, and from what `to` sends back.
    fn of(from: Numbered<'_>, to: Numbered<'a>, both_number: bool) -> Loop<'a> {
        let (own, other) = (from.counts, to.counts);
        let (skipped, numbers) = (other.skipped as f64, other.numbers as f64);
        let both = Loop { skipped, numbers, heeded: other.heeded.map(|count| count as f64), ..Loop::default() };
        if own.reports > 0 {
            let [lost, arrived, acked, unknown] =
                [own.lost, own.arrived, own.acked, own.unknown].map(|count| count as f64);
            let gaps = match both_number {
                true => Loop { heeded: both.heeded, resent: Some(other), ..Loop::default() },
                false => both,
            };
            return Loop { lost, arrived, acked, unknown, ..gaps };
        }
        // One acknowledgement may be for several transmissions: of those of an acknowledged number one has arrived,
        // provided that nothing was resent too soon. Gaps do not show which of the two was lost.
        match (own.acks, own.pings) {
            (1.., _) => {
                // If acknowledgements name the newest number alone, others are left out without a loss.
                let names_all = own.acks > to.messages || to.messages >= own.seen;
                let unknown = (if names_all { own.unacked } else { own.again }) as f64;
                let known = own.transmissions().saturating_sub(if names_all { own.on_its_way } else { 0 });
                Loop { acked: known as f64 - unknown, unknown, ..Loop::default() }
            }
            (0, 1..) if own.pongs > 0 => {
                let (pings, pongs) = (own.pings as f64, own.pongs as f64);
                Loop { acked: pongs, unknown: (pings - pongs).max(0.0), ..Loop::default() }
            }
            _ => both,
        }
    }

    fn transmissions(&self) -> f64 {
        self.lost + self.arrived + self.acked + self.unknown
    }

    /// The transmissions in the direction of `q` that are in the capture, if they show what was lost before it.
    fn seen(&self) -> f64 {
        self.resent.map_or(0.0, |counts| counts.transmissions() as f64)
    }

    /// The most likely `[p, q]`, either of which may be given, and their log-likelihood.
    fn fit(&self, given: [Option<f64>; 2]) -> ([f64; 2], f64) {
        let [mut p, mut q] = given.map(|given| given.unwrap_or(0.05));
        let all = self.transmissions() + self.heeded[0] + self.heeded[1];
        let all_q = self.numbers + self.acked + self.arrived + self.seen();
        let missing = |q: f64| self.resent.map_or([0.0, 1.0], |counts| missing(counts, q));
        let mut resent = missing(q);
        for _ in 0..ROUNDS {
            let before = [p, q];
            let missed = p + (1.0 - p) * q;
            let lost = if missed > 0.0 { self.unknown * p / missed } else { 0.0 };
            let silent = self.unknown - lost;
            let [gone, shown] = resent;
            let known = all_q + silent + gone;
            if given[0].is_none() && all > 0.0 {
                p = ((self.lost + self.heeded[1] / shown + lost) / all).min(1.0);
            }
            if given[1].is_none() && known > 0.0 {
                q = (self.skipped + self.arrived + silent + gone) / known;
                resent = missing(q);
            }
            if (p - before[0]).abs() + (q - before[1]).abs() < SETTLED {
                break;
            }
        }
        let times = |count: f64, share: f64| if count > 0.0 { count * share.max(1e-12).ln() } else { 0.0 };
        let missed = self.resent.map_or(0.0, |counts| counts.missed[1] as f64);
        let likely = times(self.lost + self.heeded[1], p)
            + times(self.arrived + self.acked + self.heeded[0], 1.0 - p)
            + times(self.arrived + self.skipped + missed, q)
            + times(self.acked + self.numbers - self.skipped + self.seen(), 1.0 - q)
            + times(self.unknown, p + (1.0 - p) * q);
        ([p, q], likely)
    }

    /// The most likely value of `p` (0) or `q` (1), and the limits of its interval.
    fn interval(&self, which: usize, wider: f64) -> Option<[f64; 3]> {
        let known = match which {
            0 => self.transmissions() + self.heeded[0] + self.heeded[1],
            _ => self.numbers + self.acked + self.arrived + self.unknown + self.seen(),
        };
        if known == 0.0 {
            return None;
        }
        let (best, likely) = self.fit([None; 2]);
        let given = |value: f64| if which == 0 { [Some(value), None] } else { [None, Some(value)] };
        let end = |mut inside: f64, mut outside: f64| {
            for _ in 0..STEPS {
                let middle = (inside + outside) / 2.0;
                match self.fit(given(middle)).1 >= likely - LESS_LIKELY * wider {
                    true => inside = middle,
                    false => outside = middle,
                }
            }
            inside
        };
        let best = best[which];
        let low = if self.fit(given(0.0)).1 >= likely - LESS_LIKELY * wider { 0.0 } else { end(best, 0.0) };
        Some([best, low, end(best, 1.0)])
    }
}

/// The number of transmissions lost before the capture if they are lost with probability `q`, and the share of the
/// messages resent after a lost acknowledgement of which this is seen.
fn missing(counts: &Counts, q: f64) -> [f64; 2] {
    let [numbers, again, between, pauses] =
        [counts.seen.max(1), counts.again, counts.between, counts.pauses].map(|count| count as f64);
    let power = |k: u8| q.powi(k.into());
    let hidden = (1..)
        .zip(counts.paused)
        .filter(|(_, count)| *count > 0)
        .map(|(k, count)| f64::from(k) * count as f64 * power(k) / (0..=k).map(power).sum::<f64>())
        .sum::<f64>();
    // The first transmission of a missing number follows the number before as others do: so the time since then shows,
    // in the mean, how many were lost. If these times are long, it is not precise.
    let [missed, least, most] = counts.missed.map(|count| count as f64);
    let mean = (most - missed * (pauses - hidden) / numbers).clamp(least, most);
    let first = least + (mean - least) * (numbers / pauses.max(1.0)).min(1.0);
    // If a message is resent after a lost acknowledgement, and that is lost, a later acknowledgement may hide both.
    let last = (again * q / (1.0 - q).max(0.1) - between).max(0.0);
    let known = (again + between).max(1.0);
    [first + hidden + between + last, known / (known + last)]
}

/// The increase in the probability of a loss after a loss: 0 if there is none. `None` if too few losses show it.
fn memory([again, not]: [u64; 2], loss: f64) -> Option<f64> {
    let stays = again as f64 / (again + not).max(1) as f64;
    (again + not >= FEWEST_LOSSES && loss < 1.0).then(|| ((stays - loss) / (1.0 - loss)).clamp(0.0, 0.9))
}

/// The combined loss of two independent stages, one after the other.
fn both(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let loss = |a: f64, b: f64| 1.0 - (1.0 - a) * (1.0 - b);
    let best = loss(a[0], b[0]);
    let end = |k: usize| {
        let [x, y] = [loss(a[k], b[0]) - best, loss(a[0], b[k]) - best];
        x.hypot(y)
    };
    [best, (best - end(1) - MISTAKEN).max(0.0), (best + end(2) + MISTAKEN).min(1.0)]
}

/// Estimates the direction from `own` to `other`.
pub fn estimate(own: Numbered<'_>, other: Numbered<'_>) -> Estimate {
    let (mine, theirs) = (own.counts, other.counts);
    let share = |part: u64, all: u64| if all > 0 { part as f64 / all as f64 } else { 0.0 };
    let memories = [
        memory(mine.skipped_in_a_row, share(mine.skipped, mine.numbers)),
        memory(mine.lost_in_a_row, share(mine.lost, mine.transmissions())),
        memory(theirs.lost_in_a_row, share(theirs.lost, theirs.transmissions())),
        memory(theirs.skipped_in_a_row, share(theirs.skipped, theirs.numbers)),
        memory(mine.listed_in_a_row, share(mine.listed[1], mine.listed[0] + mine.listed[1])),
    ];
    // Losses in a row carry less information, so the interval is wider.
    let shown = memories.into_iter().flatten().reduce(f64::max);
    let memory = shown.unwrap_or(MEMORY);
    let in_a_row = memory > IN_A_ROW;
    // If only one side numbers its messages, whole runs of losses leave no trace.
    let [least, most] = [mine.numbers.min(theirs.numbers), mine.numbers.max(theirs.numbers)];
    let one_sided = least < FEW && most > 0;
    let memory = if one_sided && in_a_row { memory.max(HIDDEN) } else { memory };
    // Nor is it known which transmissions arrived if most were resent before an acknowledgement could arrive.
    let early = share(mine.early + theirs.early, mine.seen + theirs.seen) > EARLY;
    let wider = (1.0 + memory) / (1.0 - memory) * if early { UNSURE } else { 1.0 };
    let both_number = mine.seen.min(theirs.seen) >= FEW && !early;
    // With several spaces of numbers nothing is known.
    let known = mine.jumps + theirs.jumps == 0;
    let mut after = known.then(|| Loop::of(own, other, both_number).interval(0, wider)).flatten();
    if mine.transmissions() + theirs.heeded[0] < FEW && is_near(own.trips, other.trips) {
        after = Some([0.0; 3]);
    }
    let before = match theirs.reports + mine.seen {
        0 => None,
        _ if !known => None,
        _ if theirs.transmissions() < FEW && mine.skipped == 0 && is_near(other.trips, own.trips) => Some([0.0; 3]),
        // Long runs hide in resent messages, so that the gaps show only the short ones.
        _ if theirs.transmissions() < FEW && mine.apart * LONG > mine.skipped => None,
        _ if theirs.reports > 0 => Loop::of(other, own, both_number).interval(1, wider),
        _ => {
            let gaps = Loop { skipped: mine.skipped as f64, numbers: mine.numbers as f64, ..Loop::default() };
            gaps.interval(1, wider)
        }
    };
    // Pings alone measure both directions together.
    let before = before.or((mine.pings > 0 && mine.seen == 0).then_some([0.0; 3]));
    let listed = listed(mine, theirs, wider);
    // Runs of losses that leave no trace raise the upper limit.
    let unseen =
        UNSEEN[usize::from(one_sided)] * (shown.unwrap_or(if both_number { MEMORY } else { 0.0 }) / IN_A_ROW).min(1.0);
    let seen = after.zip(before).filter(|_| known).map(|(a, b)| both(a, b));
    let loss = listed.or(seen.map(|[best, low, high]| [best, low, (high + unseen * best).min(1.0)]));
    let loss = loss.filter(|[_, low, high]| high - low <= WIDEST);
    let burst = loss.filter(|[loss, ..]| *loss >= SOME).and_then(|[loss, ..]| {
        // Only some packets of a direction are numbered.
        let (memory, numbers) = match listed {
            Some(_) => (memories[4], mine.listed[0] + mine.listed[1]),
            None if mine.skipped > mine.lost => (memories[0], mine.transmissions()),
            None => (memories[1].map(|memory| if memory < SINGLE { 0.0 } else { memory }), mine.transmissions()),
        };
        // Too few losses do not show whether they are in a row.
        let memory = memory?;
        let part = share(numbers, own.messages.max(numbers));
        // 0 to the power of 0 is 1.
        let run = if memory > 0.0 { 1.0 / (1.0 - memory.powf(part)) } else { 1.0 };
        Some(run.max(1.0 / (1.0 - loss).max(0.01)))
    });
    // The longer of the two legs crosses the network; half of its delay counts for each direction.
    let spread = |trips: &Delays| Some(trips.percentile(90.0)? - trips.min()?);
    let trips = if spread(own.trips) >= spread(other.trips) { own.trips } else { other.trips };
    let above = trips.percentile(50.0).zip(trips.min()).map(|(half, least)| (half - least) as f64 / 2.0);
    Estimate {
        loss,
        burst,
        delay: above.filter(|_| trips.count() > 1),
        jitter: trips.jitter().map(|jitter| jitter / 2.0),
        reorder: share(mine.overtaken, mine.seen),
    }
}

/// The loss of the direction of which the receiver lists what has arrived. Numbers that no list covers may all have
/// been lost, or none of them; so may those that arrived out of order, which the receiver drops.
fn listed(mine: &Counts, theirs: &Counts, wider: f64) -> Option<[f64; 3]> {
    let all = mine.listed[0] + mine.listed[1];
    if all < FEW.max(mine.seen).max(mine.pings) {
        return None;
    }
    let lists = Loop { heeded: mine.listed.map(|count| count as f64), ..Loop::default() };
    let [best, low, high] = lists.interval(0, wider)?;
    let unlisted = mine.unlisted as f64 / (all + mine.unlisted) as f64;
    let [messages, late] = [0, 1].map(|k| mine.lists[k] + theirs.lists[k]);
    let late = late as f64 / messages.max(1) as f64;
    let whole = both([best, low, high], [0.0; 3]);
    Some([best, (whole[1] - late).max(0.0) * (1.0 - unlisted), whole[2] * (1.0 - unlisted) + unlisted])
}

/// Whether the capture was made next to the receiver of the packets with the round trips `own`, so that nothing is lost
/// between.
fn is_near(own: &Delays, other: &Delays) -> bool {
    own.min().zip(other.min()).is_some_and(|(own, other)| own <= other / NEARER)
}
