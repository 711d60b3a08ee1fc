//! Comparison of two captures at message level: new, missing and changed messages, and the limits
//! that a user sets for that.

use super::connections::directions;
use super::histogram::Delays;
use super::limits::Bound;
pub use super::limits::{Limit, Subject};
pub use super::metric::{Metric, Unit};
pub use super::report_diff::{junit, limits_json, markdown, table};
use super::{Kind, Stats};
use std::collections::BTreeSet;

/// A figure of a rate, a mean or a delay that differs by a smaller part is not different: no two
/// captures have the same duration.
const UNCHANGED: f64 = 0.001;

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Only in the second capture.
    Appeared,
    /// Only in the first.
    Vanished,
    /// Field paths that only the second, and only the first, capture has.
    Fields(Vec<String>, Vec<String>),
    /// A figure that differs: in the first, in the second.
    Figure(Metric, f64, f64),
}

impl Change {
    /// Its size as a fraction: of shares the difference, else relative to the first capture.
    pub fn part(&self) -> f64 {
        match self {
            Change::Figure(metric, a, b) if metric.is_share() => b - a,
            Change::Figure(_, a, b) if a == b => 0.0,
            Change::Figure(_, a, b) if *a == 0.0 => f64::INFINITY.copysign(*b),
            Change::Figure(_, a, b) => (b - a) / a,
            _ => 1.0,
        }
    }

    /// The change in a unit of its metric.
    fn amount(&self, unit: Unit) -> Option<f64> {
        let Change::Figure(metric, a, b) = self else { return None };
        Some(match unit {
            Unit::Percent => self.part() * 100.0,
            Unit::Points if metric.is_share() => (b - a) * 100.0,
            Unit::Seconds => (b - a) / 1e3,
            _ => b - a,
        })
    }
}

/// A difference, and its subject: `riptide.reliable`, `riptide from the client`.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The subject.
    pub of: String,
    /// The difference.
    pub change: Change,
    /// The limit that it exceeds, by its place in the list.
    pub broken: Option<usize>,
    /// How much of the traffic it concerns, and how much it changed.
    weight: f64,
}

/// What became of a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The limit, as it was written.
    pub limit: String,
    /// The figures that it was held against; where there is none, it does not hold.
    pub compared: usize,
    /// The differences that exceed it.
    pub broken: usize,
}

/// All differences between two captures, the most important ones first, and what became of the
/// limits.
pub fn compare(a: &Stats, b: &Stats, limits: &[Limit]) -> (Vec<Difference>, Vec<Verdict>) {
    let verdicts = limits.iter().map(|limit| Verdict { limit: limit.to_string(), compared: 0, broken: 0 }).collect();
    let mut comparison = Comparison { limits, verdicts, list: Vec::new() };
    for (word, first, second) in [("", &a.kinds, &b.kinds), (" (schema)", &a.schemas, &b.schemas)] {
        let names: BTreeSet<_> = first.keys().chain(second.keys()).copied().collect();
        for name in names {
            let pair = [(first.get(&name), a), (second.get(&name), b)];
            comparison.kind(name, &format!("{}.{}{word}", name.0, name.1), pair);
        }
    }
    let (x, y) = (sides(a), sides(b));
    for side in &x {
        if let Some(other) = y.iter().find(|other| (other.proto, other.role) == (side.proto, side.role)) {
            comparison.side(side, other);
        }
    }
    let mut list = comparison.list;
    list.sort_by(|x, y| {
        (y.broken.is_some(), y.weight).partial_cmp(&(x.broken.is_some(), x.weight)).unwrap_or(std::cmp::Ordering::Equal)
    });
    (list, comparison.verdicts)
}

/// The comparison so far.
struct Comparison<'a> {
    limits: &'a [Limit],
    verdicts: Vec<Verdict>,
    list: Vec<Difference>,
}

/// A difference that is being judged.
struct Judged<'a> {
    proto: &'a str,
    name: &'a str,
    change: Change,
    /// By how many messages the two captures differ there.
    messages: f64,
    /// Rates of messages and bytes, for floors.
    rates: [f64; 2],
    /// The subject is in one capture only: limits for all messages do not mind it.
    alone: bool,
}

impl Comparison<'_> {
    /// A kind of message.
    fn kind(&mut self, (proto, name): (&str, &str), of: &str, pair: [(Option<&Kind>, &Stats); 2]) {
        let none = Kind::default();
        let alone = pair.iter().any(|(kind, _)| kind.is_none());
        let [x, y] = [pair[0].0.unwrap_or(&none), pair[1].0.unwrap_or(&none)];
        let share = |kind: &Kind, stats: &Stats| kind.bytes as f64 / stats.bytes.max(1) as f64;
        let share = share(x, pair[0].1).max(share(y, pair[1].1));
        let seconds = [pair[0].1.duration(), pair[1].1.duration()];
        let timed = seconds.iter().all(|s| *s > 0.0);
        let per = |n: u64, k: usize| n as f64 / seconds[k];
        let rates = match timed {
            true => [per(y.count, 1) - per(x.count, 0), per(y.bytes, 1) - per(x.bytes, 0)],
            false => [0.0; 2],
        };
        let messages = y.count as f64 - x.count as f64;
        let mut add = |change: Change| {
            let weight = match &change {
                Change::Fields(..) => share / 2.0,
                change => share * change.part().abs().min(10.0),
            };
            self.judge(of, Judged { proto, name, change, messages, rates, alone }, weight);
        };
        match pair {
            [(None, _), _] => add(Change::Appeared),
            [_, (None, _)] => add(Change::Vanished),
            _ => {
                let names = |a: &Kind, b: &Kind| {
                    let mut list: Vec<String> = a.fields.difference(&b.fields).map(|path| path.join(".")).collect();
                    list.sort();
                    list
                };
                add(Change::Fields(names(y, x), names(x, y)));
            }
        }
        let mean = |k: &Kind| k.bytes as f64 / k.count.max(1) as f64;
        add(Change::Figure(Metric::Count, x.count as f64, y.count as f64));
        if !alone {
            add(Change::Figure(Metric::Size, mean(x), mean(y)));
        }
        if timed {
            add(Change::Figure(Metric::Rate, per(x.count, 0), per(y.count, 1)));
            add(Change::Figure(Metric::Bandwidth, per(x.bytes, 0), per(y.bytes, 1)));
        }
    }

    /// What became of what a side sent.
    fn side(&mut self, x: &Side, y: &Side) {
        for metric in Metric::OF_SIDES {
            let ((Some(a), n), (Some(b), m)) = (x.figure(metric), y.figure(metric)) else { continue };
            let messages = if metric.is_share() { m - n } else { m };
            let change = Change::Figure(metric, a, b);
            // Delivery matters more than any single kind of message; the tail of delays less than
            // their middle.
            let tail = matches!(metric, Metric::AckP90 | Metric::AnswerP90 | Metric::AckP99 | Metric::AnswerP99);
            let weight = if tail { 0.5 } else { 1.0 } * change.part().abs().min(10.0);
            let of = format!("{} from the {}", x.proto, x.role);
            self.judge(
                &of,
                Judged { proto: x.proto, name: x.role, change, messages, rates: [0.0; 2], alone: false },
                weight,
            );
        }
    }

    /// Holds a difference against the limits, and keeps it if it is one.
    fn judge(&mut self, of: &str, judged: Judged<'_>, weight: f64) {
        let mut broken = None;
        for (k, (limit, verdict)) in self.limits.iter().zip(&mut self.verdicts).enumerate() {
            if let Some(breaks) = judged.breaks(limit) {
                verdict.compared += 1;
                verdict.broken += breaks as usize;
                broken = broken.or(breaks.then_some(k));
            }
        }
        let differs = match &judged.change {
            Change::Appeared | Change::Vanished => true,
            Change::Fields(new, gone) => !new.is_empty() || !gone.is_empty(),
            // Of a message in one capture only, that says all.
            Change::Figure(..) if judged.alone => false,
            Change::Figure(Metric::Count, a, b) => a != b,
            // Limits reach the last percentile; for people it is too much.
            Change::Figure(Metric::AckP99 | Metric::AnswerP99, ..) => false,
            change => change.part().abs() >= UNCHANGED,
        };
        if differs || broken.is_some() {
            self.list.push(Difference { of: of.into(), change: judged.change, broken, weight });
        }
    }
}

impl Judged<'_> {
    /// Does it exceed the limit? `None`: the limit is about something else.
    fn breaks(&self, limit: &Limit) -> Option<bool> {
        if !limit.subject.covers(self.proto, self.name) {
            return None;
        }
        match (limit.bound, &self.change) {
            (Bound::Change(metric, amount, unit), change @ Change::Figure(own, ..)) if metric == *own => {
                // A limit that names the message counts one that is not there as none.
                if self.alone && (limit.subject.of.is_none() || metric == Metric::Size) {
                    return None;
                }
                let got = change.amount(unit)?;
                let over = if amount < 0.0 { got < amount } else { got > amount };
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
            // Whatever is in either capture was looked at.
            (Bound::Appeared, Change::Appeared) | (Bound::Vanished, Change::Vanished) => Some(true),
            (Bound::Appeared | Bound::Vanished, Change::Figure(Metric::Count, ..)) if !self.alone => Some(false),
            (Bound::Appeared, Change::Vanished) | (Bound::Vanished, Change::Appeared) => Some(false),
            (Bound::Fields, Change::Fields(new, gone)) => Some(!new.is_empty() || !gone.is_empty()),
            _ => None,
        }
    }
}

/// What became of what one side of a protocol sent, in all connections.
struct Side {
    proto: &'static str,
    role: &'static str,
    copies: u64,
    resent: u64,
    numbers: u64,
    lost: u64,
    ack: Delays,
    answer: Delays,
}

impl Side {
    /// A figure, and of how many messages it is: of shares those resent or lost, of delays all.
    fn figure(&self, metric: Metric) -> (Option<f64>, f64) {
        let share = |n: u64, of: u64| ((of > 0).then(|| n as f64 / of as f64), n as f64);
        let delay = |delays: &Delays, percent| {
            (delays.percentile(percent).map(|nanos| nanos as f64 / 1e6), delays.count() as f64)
        };
        match metric {
            Metric::Resent => share(self.resent, self.copies),
            Metric::Lost => share(self.lost, self.numbers),
            Metric::Ack => delay(&self.ack, 50.0),
            Metric::AckP90 => delay(&self.ack, 90.0),
            Metric::AckP99 => delay(&self.ack, 99.0),
            Metric::Answer => delay(&self.answer, 50.0),
            Metric::AnswerP90 => delay(&self.answer, 90.0),
            Metric::AnswerP99 => delay(&self.answer, 99.0),
            Metric::Rate | Metric::Bandwidth | Metric::Size | Metric::Count => (None, 0.0),
        }
    }
}

fn sides(stats: &Stats) -> Vec<Side> {
    let mut list: Vec<Side> = Vec::new();
    for (connection, role, d) in directions(stats) {
        let proto = stats.flow(connection.flow).map_or("", |flow| flow.proto);
        let at = list.iter().position(|side| (side.proto, side.role) == (proto, role)).unwrap_or_else(|| {
            let (ack, answer) = (Delays::default(), Delays::default());
            list.push(Side { proto, role, copies: 0, resent: 0, numbers: 0, lost: 0, ack, answer });
            list.len() - 1
        });
        let side = &mut list[at];
        side.copies += d.copies;
        side.resent += d.resent;
        side.numbers += d.messages + d.lost();
        side.lost += d.lost();
        side.ack.merge(&d.ack_delay);
        side.answer.merge(&d.answer_time);
    }
    list
}
