//! Comparison of two captures at message level: new, missing and changed messages, and the limits
//! that a user sets for that.

use super::connections::{NUMBERED, PATHS, PINGS, REQUESTS};
use super::directions::{Sender, summed};
use super::figure::Figure;
use super::limits::Bound;
pub use super::limits::{Limit, Subject};
pub use super::metric::Unit;
use super::metric::{OF_MESSAGES, OF_SIDES};
pub use super::report_diff::{junit, limits_json, markdown, table};
use super::tables::{Counted, TRAFFIC};
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
    Figure(&'static Figure, f64, f64),
}

impl Change {
    /// Its size as a fraction: of shares the difference, else relative to the first capture.
    pub fn part(&self) -> f64 {
        match self {
            Change::Figure(figure, a, b) if figure.is_share() => b - a,
            Change::Figure(_, a, b) if a == b => 0.0,
            Change::Figure(_, a, b) if *a == 0.0 => f64::INFINITY.copysign(*b),
            Change::Figure(_, a, b) => (b - a) / a,
            _ => 1.0,
        }
    }

    /// The change in a unit of its figure.
    fn amount(&self, unit: Unit) -> Option<f64> {
        let Change::Figure(figure, a, b) = self else { return None };
        Some(match unit {
            Unit::Percent => self.part() * 100.0,
            Unit::Points if figure.is_share() => (b - a) * 100.0,
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
    let (x, y) = (summed(a), summed(b));
    for side in &x {
        if let Some(other) = y.iter().find(|other| (other.proto, other.from) == (side.proto, side.from)) {
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
    fn kind(&mut self, (proto, name): (&'static str, &'static str), of: &str, pair: [(Option<&Kind>, &Stats); 2]) {
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
        let counted = [(x, pair[0].1), (y, pair[1].1)].map(|(kind, stats)| Counted::new((proto, name), kind, stats));
        for figure in OF_MESSAGES {
            let Some(column) = TRAFFIC.iter().find(|column| column.figure == figure) else { continue };
            // A message in one capture only has no size in the other, and a point in time no rate.
            if let [Some(a), Some(b)] = counted.map(|one| (column.of)(&one).number()) {
                add(Change::Figure(figure, a, b));
            }
        }
    }

    /// What became of what a side sent.
    fn side(&mut self, x: &Sender, y: &Sender) {
        for figure in OF_SIDES {
            let Some(column) =
                NUMBERED.iter().chain(&REQUESTS).chain(&PINGS).chain(&PATHS).find(|column| column.figure == figure)
            else {
                continue;
            };
            let (Some(a), Some(b)) = ((column.of)(x).number(), (column.of)(y).number()) else { continue };
            // Of shares those resent or lost, of delays all that were measured.
            let messages = match figure.name {
                "resent_share" => y.resent as f64 - x.resent as f64,
                "lost_share" => y.lost as f64 - x.lost as f64,
                "loss" => y.sent as f64,
                name if name.starts_with("ack") => y.ack.count() as f64,
                name if name.starts_with("ping") => y.ping.count() as f64,
                _ => y.response.count() as f64,
            };
            let change = Change::Figure(figure, a, b);
            // Delivery matters more than any single kind of message; the tail of delays less than
            // their middle.
            let tail = figure.name.ends_with("_p90") || figure.name.ends_with("_p99");
            let weight = if tail { 0.5 } else { 1.0 } * change.part().abs().min(10.0);
            let (proto, name) = (x.proto, x.from);
            let judged = Judged { proto, name, change, messages, rates: [0.0; 2], alone: false };
            self.judge(&format!("{proto} from the {name}"), judged, weight);
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
            Change::Figure(figure, a, b) if figure.name == "messages" => a != b,
            // Limits reach the last percentile; for people it is too much.
            Change::Figure(figure, ..) if figure.name.ends_with("_p99") => false,
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
            (Bound::Change(figure, amount, unit), change @ Change::Figure(own, ..)) if figure == *own => {
                // A limit that names the message counts one that is not there as none.
                if self.alone && (limit.subject.of.is_none() || figure.name == "size_mean") {
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
