//! Comparison of two captures at message level: new, missing and changed messages, and the limits that a user sets for
//! these.

#[cfg(test)]
mod tests;

use super::connections::{NUMBERED, PATHS, PINGS, REQUESTS};
use super::directions::{Sender, summed_with_losses};
use super::ends::ends;
use super::figure::{Figure, Measure};
use super::histogram::Delays;
use super::limits::Bound;
pub use super::limits::Limit;
pub(crate) use super::metric::Unit;
use super::metric::{OF_MESSAGES, OF_SIDES};
use super::noise::{self, Spread};
use super::tables::{Counted, TRAFFIC};
use super::{Kind, SENDERS, Stats};
use std::collections::{BTreeMap, BTreeSet};

/// A rate, mean or delay whose relative difference is smaller counts as equal: no two captures have the same duration.
const UNCHANGED: f64 = 0.001;
/// Captures whose durations have a larger relative difference are compared by rates.
const AS_LONG: f64 = 0.05;
/// The error of a sum of shares.
const DUST: f64 = 1e-9;
/// A missing field is a notable difference if the other capture predicts at least this many occurrences.
const EXPECTED: f64 = 10.0;

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Only in the second capture.
    Appeared,
    /// Only in the first capture.
    Vanished,
    /// Field paths that only the second, and only the first, capture has.
    Fields(Vec<String>, Vec<String>),
    /// The outcome, and the number of connections with it in the first and in the second capture.
    Ended(&'static str, u64, u64),
    /// A figure that differs: in the first and in the second capture.
    Figure(&'static Figure, f64, f64),
}

impl Change {
    /// The size of the change as a fraction: the difference of shares, else relative to the first capture.
    pub fn part(&self) -> f64 {
        match self {
            Change::Figure(figure, a, b) if figure.is_share() => b - a,
            Change::Figure(_, a, b) if a == b => 0.0,
            Change::Figure(_, a, b) if *a == 0.0 => f64::INFINITY.copysign(*b),
            Change::Figure(_, a, b) => (b - a) / a,
            _ => 1.0,
        }
    }

    /// Whether the second capture is worse. `None` if a change is neither better nor worse.
    pub fn is_worse(&self) -> Option<bool> {
        match self {
            Change::Ended(_, a, b) if a != b => Some(b > a),
            Change::Figure(figure, a, b) if figure.more_is_worse() && a != b => Some(b > a),
            _ => None,
        }
    }

    /// The change in a unit of its figure.
    fn amount(&self, unit: Unit) -> Option<f64> {
        let Change::Figure(_, a, b) = self else { return None };
        Some(match unit {
            // A rise from 0 is infinite.
            Unit::Percent if a == b => 0.0,
            Unit::Percent => (b - a) / a * 100.0,
            Unit::Times if a == b => 1.0,
            Unit::Times => b / a,
            Unit::Points => (b - a) * 100.0,
            Unit::Seconds => (b - a) / 1e3,
            _ => b - a,
        })
    }
}

/// A difference and its subject: `riptide.reliable`, `riptide from the client`.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The subject.
    pub of: String,
    /// The difference.
    pub change: Change,
    /// For a delay: the number of delays in each capture.
    pub samples: Option<[u64; 2]>,
    /// Whether it is larger than the variation within each capture.
    pub notable: bool,
    /// The index of the limit that it exceeds.
    pub broken: Option<usize>,
    /// The importance: the share of the traffic concerned, and the size of the change.
    weight: f64,
}

/// The result of a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The limit as written.
    pub limit: String,
    /// The number of figures that it was compared with; if there is none, it fails.
    pub compared: usize,
    /// The number of differences that exceed it.
    pub broken: usize,
    /// The reason why a share was not compared: no share of the second capture could exceed the limit.
    pub beyond: Option<String>,
}

/// Two captures compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All differences, the most important ones first.
    pub differences: Vec<Difference>,
    /// The results of the limits, in their order.
    pub limits: Vec<Verdict>,
    /// Whether the captures last about equally long, so that counts can be compared.
    pub as_long: bool,
}

/// Compares two captures, and checks the differences against limits.
pub fn compare(a: &Stats, b: &Stats, limits: &[Limit]) -> Comparison {
    let verdict = |limit: &Limit| Verdict { limit: limit.to_string(), compared: 0, broken: 0, beyond: None };
    let verdicts = limits.iter().map(verdict).collect();
    let seconds = [a, b].map(Stats::duration);
    let as_long = as_long(seconds);
    let mut comparison = Judge { limits, verdicts, list: Vec::new(), seconds, as_long };
    comparison.ends(a, b);
    for (word, first, second) in [("", &a.kinds, &b.kinds), (" (schema)", &a.schemas, &b.schemas)] {
        let names: BTreeSet<_> = first.keys().chain(second.keys()).copied().collect();
        for (proto, name) in names {
            let kinds = [first, second].map(|kinds| kinds.get(&(proto, name)));
            comparison.kind(proto, name, &format!("{proto}.{name}{word}"), kinds, [a, b]);
        }
    }
    let (x, y) = (summed_with_losses(a), summed_with_losses(b));
    for side in &x {
        if let Some(other) = y.iter().find(|other| (other.proto, other.from) == (side.proto, side.from)) {
            comparison.side(side, other);
        }
    }
    let mut list = comparison.list;
    list.sort_by(|x, y| {
        (y.broken.is_some(), y.weight).partial_cmp(&(x.broken.is_some(), x.weight)).unwrap_or(std::cmp::Ordering::Equal)
    });
    Comparison { differences: list, limits: comparison.verdicts, as_long }
}

/// Whether two durations are about equal.
fn as_long(seconds: [f64; 2]) -> bool {
    (seconds[0] - seconds[1]).abs() <= AS_LONG * seconds[0].max(seconds[1])
}

/// The comparison so far.
struct Judge<'a> {
    limits: &'a [Limit],
    verdicts: Vec<Verdict>,
    list: Vec<Difference>,
    /// The durations of the captures.
    seconds: [f64; 2],
    as_long: bool,
}

/// A difference that is being judged.
struct Judged<'a> {
    proto: &'a str,
    name: &'a str,
    change: Change,
    samples: Option<[u64; 2]>,
    notable: bool,
    /// The difference in the number of messages between the two captures.
    messages: f64,
    /// The differences of the rates of messages and bytes, for floors.
    rates: [f64; 2],
    /// Whether the subject is in one capture only: limits for all messages ignore it.
    alone: bool,
}

impl Judge<'_> {
    /// Compares the number of remarkable outcomes, by protocol. Silence after the last message is part of the duration.
    fn ends(&mut self, a: &Stats, b: &Stats) {
        let seconds = [a, b].map(Stats::observed);
        let as_long = as_long(seconds);
        let mut counts: BTreeMap<(&str, &'static str), [u64; 2]> = BTreeMap::new();
        // The connections of which the shorter capture does not show the end: all, and by the outcome so far.
        let mut open: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        let mut open_as: BTreeMap<(&str, &'static str), [u64; 2]> = BTreeMap::new();
        for (k, stats) in [a, b].into_iter().enumerate() {
            let shorter = !as_long && seconds[k] < seconds[1 - k];
            for (flow, ended, last) in ends(stats) {
                let name = ended.ending.outcome.name();
                if ended.is_remarkable() {
                    counts.entry((flow.proto, name)).or_default()[k] += 1;
                }
                if shorter && last && ended.may_change {
                    open.entry(flow.proto).or_default()[k] += 1;
                    open_as.entry((flow.proto, name)).or_default()[k] += 1;
                }
            }
        }
        for ((proto, name), [a, b]) in counts {
            let open = open.get(proto).copied().unwrap_or_default();
            let open_as = open_as.get(&(proto, name)).copied().unwrap_or_default();
            // The least and the greatest number in each capture, however the open connections end.
            let [[a_least, a_most], [b_least, b_most]] = [(a, 0), (b, 1)].map(|(count, k)| {
                let least = count - open_as[k];
                [least, least + open[k]].map(|count| count as f64)
            });
            let longer = if as_long { 1.0 } else { seconds[1] / seconds[0] };
            // The number that the first capture predicts for the duration of the second.
            let (least, most) = (a_least * longer.min(1.0), a_most * longer.max(1.0));
            let chance = if as_long { 0.0 } else { noise::of_count(least) };
            let notable = b_most < (least - chance).floor() || b_least > most.ceil();
            let change = Change::Ended(name, a, b);
            let weight = if b > a { f64::MAX } else { f64::MAX / 2.0 };
            let none =
                Judged { proto, name, change, samples: None, notable, messages: 0.0, rates: [0.0; 2], alone: false };
            self.judge(&format!("{proto} connections"), none, weight);
        }
    }

    /// Compares a kind of message.
    fn kind(
        &mut self,
        proto: &'static str,
        name: &'static str,
        of: &str,
        kinds: [Option<&Kind>; 2],
        stats: [&Stats; 2],
    ) {
        let none = Kind::default();
        let alone = kinds.iter().any(Option::is_none);
        let [x, y] = kinds.map(|kind| kind.unwrap_or(&none));
        let share = |kind: &Kind, stats: &Stats| kind.bytes as f64 / stats.bytes.max(1) as f64;
        let share = share(x, stats[0]).max(share(y, stats[1]));
        let (seconds, as_long) = (self.seconds, self.as_long);
        let timed = seconds.iter().all(|s| *s > 0.0);
        let per = |n: u64, k: usize| n as f64 / seconds[k];
        let rates = match timed {
            true => [per(y.count, 1) - per(x.count, 0), per(y.bytes, 1) - per(x.bytes, 0)],
            false => [0.0; 2],
        };
        let messages = y.count as f64 - x.count as f64;
        let differs = |pair: [Option<Spread>; 2]| matches!(pair, [Some(a), Some(b)] if a.differs(b));
        let both = [(x, seconds[0]), (y, seconds[1])];
        // Text input has no times: each count is compared as it is.
        let rate = !timed || differs(both.map(|(kind, s)| noise::rate(kind.count, kind.course.as_ref(), s)));
        let size = differs(both.map(|(kind, s)| noise::size(kind.count, kind.bytes, kind.course.as_ref(), s)));
        let mut add = |change: Change, fields: bool| {
            let weight = match &change {
                Change::Fields(..) => share / 2.0,
                change => share * change.part().abs().min(10.0),
            };
            let notable = match &change {
                Change::Appeared => as_long || seconds[1] < seconds[0] || rate,
                Change::Vanished => as_long || seconds[0] < seconds[1] || rate,
                Change::Figure(figure, ..) => match figure.name {
                    "messages" => as_long && rate,
                    "message_rate" => !as_long && rate,
                    "byte_rate" => rate || size,
                    _ => size,
                },
                _ => fields,
            };
            let judged = Judged { proto, name, change, samples: None, notable, messages, rates, alone };
            self.judge(of, judged, weight);
        };
        match kinds {
            [None, _] => add(Change::Appeared, false),
            [_, None] => add(Change::Vanished, false),
            _ => {
                let missing = |a: &Kind, b: &Kind| {
                    // A capture that does not show the senders shows no other ones.
                    let is_sender = |path: &Vec<&'static str>| path.first().is_some_and(|name| SENDERS.contains(name));
                    let shows = b.fields.keys().any(is_sender);
                    let is_new = |path: &Vec<&'static str>| !b.fields.contains_key(path) && (shows || !is_sender(path));
                    let gone = || a.fields.iter().filter(|(path, _)| is_new(path));
                    let mut list: Vec<String> = gone().map(|(path, _)| path.join(".")).collect();
                    list.sort();
                    // A rare field may be missing in the shorter capture by chance.
                    let expected = |count: u64| count as f64 / a.count.max(1) as f64 * b.count as f64;
                    let clear = |count: u64| as_long || b.count >= a.count || expected(count) >= EXPECTED;
                    (list, gone().any(|(_, count)| clear(*count)))
                };
                let ((new, clearly_new), (gone, clearly_gone)) = (missing(y, x), missing(x, y));
                add(Change::Fields(new, gone), clearly_new || clearly_gone);
            }
        }
        let counted = [(x, stats[0]), (y, stats[1])].map(|(kind, stats)| Counted::new(proto, name, kind, stats));
        for figure in OF_MESSAGES {
            let Some(column) = TRAFFIC.iter().find(|column| column.figure == figure) else { continue };
            // A message in one capture only has no size in the other, and a capture without duration has no rates.
            if let [Some(a), Some(b)] = counted.map(|one| (column.of)(&one).number()) {
                add(Change::Figure(figure, a, b), false);
            }
        }
    }

    /// Compares the figures of one side.
    fn side(&mut self, x: &Sender, y: &Sender) {
        for figure in OF_SIDES {
            let Some(column) =
                NUMBERED.iter().chain(&REQUESTS).chain(&PINGS).chain(&PATHS).find(|column| column.figure == figure)
            else {
                continue;
            };
            let (Some(a), Some(b)) = ((column.of)(x).number(), (column.of)(y).number()) else { continue };
            let delays = delays(figure, x).zip(delays(figure, y));
            let samples = delays.map(|((a, _), (b, _))| [a.count(), b.count()]);
            let notable = match delays {
                Some(((a, percent), (b, _))) => {
                    let pair = noise::percentile(a, percent).zip(noise::percentile(b, percent));
                    pair.is_some_and(|(a, b)| a.differs(b))
                }
                None => out_of(figure, x).zip(out_of(figure, y)).is_some_and(|(a, b)| a.differs(b)),
            };
            // The messages concerned: those resent or lost for shares, those measured for delays.
            let messages = match figure.name {
                "resent_share" => y.tally.resent as f64 - x.tally.resent as f64,
                "lost_share" => y.lost.zip(x.lost).map_or(0.0, |(y, x)| y as f64 - x as f64),
                "loss" => y.tally.sent as f64,
                _ => samples.map_or(b - a, |[_, count]| count as f64),
            };
            let change = Change::Figure(figure, a, b);
            // Delivery matters more than any single kind of message; the tail of the delays less than their middle.
            let tail = figure.name.ends_with("_p90") || figure.name.ends_with("_p99");
            let weight = if tail { 0.5 } else { 1.0 } * change.part().abs().min(10.0);
            let (proto, name) = (x.proto, x.from);
            let judged = Judged { proto, name, change, samples, notable, messages, rates: [0.0; 2], alone: false };
            self.judge(&format!("{proto} from the {name}"), judged, weight);
        }
    }

    /// Checks a change against the limits, and keeps it if it is a difference.
    fn judge(&mut self, of: &str, judged: Judged<'_>, weight: f64) {
        let mut broken = None;
        for (k, (limit, verdict)) in self.limits.iter().zip(&mut self.verdicts).enumerate() {
            if let Some((share, why)) = judged.beyond(limit) {
                verdict
                    .beyond
                    .get_or_insert_with(|| format!("{of} is {:.1} % in the first capture, {why}", share * 100.0));
            } else if let Some(breaks) = judged.breaks(limit) {
                verdict.compared += 1;
                verdict.broken += breaks as usize;
                broken = broken.or(breaks.then_some(k));
            }
        }
        let differs = match &judged.change {
            Change::Appeared | Change::Vanished => true,
            Change::Ended(_, a, b) => a != b,
            Change::Fields(new, gone) => !new.is_empty() || !gone.is_empty(),
            // If a message is in one capture only, no figure adds to that.
            Change::Figure(..) if judged.alone => false,
            Change::Figure(figure, a, b) if figure.measure == Measure::Count => a != b,
            change => change.part().abs() >= UNCHANGED,
        };
        if differs || broken.is_some() {
            let Judged { change, samples, notable, .. } = judged;
            let notable = notable || broken.is_some();
            self.list.push(Difference { of: of.into(), change, samples, notable, broken, weight });
        }
    }
}

/// The delays that a figure is a percentile of, and the percentile.
fn delays<'a>(figure: &Figure, of: &'a Sender) -> Option<(&'a Delays, f64)> {
    let (what, percent) = figure.name.split_once("_p")?;
    let delays = match what {
        "ack" => &of.tally.ack,
        "response" => &of.tally.response,
        "ping" => &of.tally.ping,
        _ => return None,
    };
    Some((delays, percent.parse().ok()?))
}

/// A count as a share of its maximum. `None` for figures without a maximum, and for those that also exist as a share.
fn out_of(figure: &Figure, of: &Sender) -> Option<Spread> {
    let (hits, all) = match figure.name {
        "loss" => return of.path.loss.map(noise::interval),
        "resent_share" => (of.tally.resent, of.tally.sent),
        "lost_share" => (of.lost?, of.tally.messages + of.lost?),
        "duplicates" => (of.tally.duplicates, of.tally.sent),
        "given_up" => (of.tally.given_up, of.tally.messages),
        "never_acked" => (of.never_acked?, of.tally.messages),
        "late" => (of.tally.late, of.tally.messages),
        "handled_twice" => (of.tally.handled_twice, of.tally.messages),
        "never_handled" => (of.tally.never_handled, of.tally.messages),
        "unanswered" => (of.unanswered?, of.tally.requests),
        "unmatched" => (of.tally.unmatched, of.tally.responses + of.tally.unmatched),
        _ => return None,
    };
    Some(noise::share(hits, all))
}

/// Whether a limit is exceeded by a fall.
fn is_fall(amount: f64, unit: Unit) -> bool {
    amount < if unit == Unit::Times { 1.0 } else { 0.0 }
}

impl Judged<'_> {
    /// The first capture's share and the reason, if no share could exceed the limit: 60 % cannot rise by 80 %, nor 98 %
    /// by 5 points, nor can 3 % fall by 5 points.
    fn beyond(&self, limit: &Limit) -> Option<(f64, &'static str)> {
        let (Bound::Change(figure, amount, unit), &Change::Figure(own, a, _)) = (limit.bound, &self.change) else {
            return None;
        };
        if figure != own || !figure.is_share() || self.breaks(limit).is_none() {
            return None;
        }
        let falls = is_fall(amount, unit);
        let floors = limit.floors.iter().map(|(least, unit)| (if falls { -least } else { *least }, *unit));
        [(amount, unit)].into_iter().chain(floors).find_map(|(amount, unit)| {
            let (end, points) = match unit {
                Unit::Percent => (a * (1.0 + amount / 100.0), false),
                Unit::Times => (a * amount, false),
                Unit::Points => (a + amount / 100.0, true),
                _ => return None,
            };
            match (falls, points) {
                // 98 % and 2 points are 100 %, but not exactly.
                (false, false) if end >= 1.0 => Some((a, "so no share can exceed it (use pp for percentage points)")),
                (false, true) if end >= 1.0 - DUST => {
                    Some((a, "so no share can exceed it (use % for a relative change)"))
                }
                (true, _) if end <= DUST => Some((a, "so no share can fall that far")),
                _ => None,
            }
        })
    }

    /// Whether this exceeds the limit; `None` if the limit is about something else.
    fn breaks(&self, limit: &Limit) -> Option<bool> {
        if !limit.subject.covers(self.proto, self.name) {
            return None;
        }
        match (limit.bound, &self.change) {
            (Bound::Change(figure, amount, unit), change @ Change::Figure(own, ..)) if figure == *own => {
                // A limit that names the message counts a missing one as 0.
                if self.alone && (limit.subject.of.is_none() || figure.name == "size_mean") {
                    return None;
                }
                let got = change.amount(unit)?;
                let over = if is_fall(amount, unit) { got < amount } else { got > amount };
                let floor = |(least, unit): &(f64, Unit)| {
                    let got = match unit {
                        Unit::Messages => Some(self.messages),
                        Unit::Rate => Some(self.rates[0]),
                        Unit::BytesRate => Some(self.rates[1]),
                        unit => change.amount(*unit),
                    };
                    got.is_some_and(|got| got.abs() > *least)
                };
                Some(over && limit.floors.iter().all(floor))
            }
            // This was compared, since it is in a capture.
            (Bound::Appeared, Change::Appeared) | (Bound::Vanished, Change::Vanished) => Some(true),
            (Bound::Appeared | Bound::Vanished, Change::Figure(figure, ..))
                if !self.alone && figure.name == "messages" =>
            {
                Some(false)
            }
            (Bound::Appeared, Change::Vanished) | (Bound::Vanished, Change::Appeared) => Some(false),
            (Bound::Fields, Change::Fields(new, gone)) => Some(!new.is_empty() || !gone.is_empty()),
            _ => None,
        }
    }
}
