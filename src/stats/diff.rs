//! Comparison of two captures at message level: new, missing and changed messages.

use super::connections::directions;
use super::table::{Cell, Shape, Table};
use super::{Kind, Stats};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The figures that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Messages a second.
    Rate,
    /// Bytes a second.
    Bandwidth,
    /// The mean size.
    Size,
    /// How many messages.
    Count,
    /// Copies before an acknowledgement, as a share of all copies.
    Resent,
    /// Numbers never seen, as a share of all.
    Lost,
    /// The median delay of acknowledgements.
    Ack,
    /// The median time to an answer.
    Answer,
}

impl Metric {
    const ALL: [(&'static str, Metric); 8] = [
        ("rate", Metric::Rate),
        ("bandwidth", Metric::Bandwidth),
        ("size", Metric::Size),
        ("count", Metric::Count),
        ("resent", Metric::Resent),
        ("lost", Metric::Lost),
        ("ack", Metric::Ack),
        ("answer", Metric::Answer),
    ];

    /// Its name in output and limits.
    pub fn name(self) -> &'static str {
        Metric::ALL.iter().find(|(_, m)| *m == self).map_or("", |(name, _)| name)
    }

    /// Shares are compared by their difference, other figures relative to the first capture.
    fn is_share(self) -> bool {
        matches!(self, Metric::Resent | Metric::Lost)
    }
}

/// A limit given by the user: a difference that counts as failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// `rate>10%`: a change of more than that, up or down.
    Over(Metric, f64),
    /// A kind of message is only in the second capture.
    Appeared,
    /// A kind of message is only in the first.
    Vanished,
    /// A kind of message has different fields.
    Fields,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        match text.trim() {
            "appeared" => return Ok(Limit::Appeared),
            "vanished" => return Ok(Limit::Vanished),
            "fields" => return Ok(Limit::Fields),
            _ => {}
        }
        let names = || Metric::ALL.iter().map(|(n, _)| *n);
        let Some((name, percent)) = text.split_once('>') else {
            return Err(format!(
                "{text:?}: expected METRIC>PERCENT, as rate>10% ({}), or appeared, vanished, fields",
                names().collect::<Vec<_>>().join(", ")
            ));
        };
        let name = name.trim();
        let Some((_, metric)) = Metric::ALL.iter().find(|(n, _)| *n == name) else {
            let hint = crate::nearest::hint(crate::nearest::nearest(name, names()));
            let list = names().collect::<Vec<_>>().join(", ");
            return Err(format!("no metric {name:?}{hint}; there are {list}"));
        };
        let percent = percent.trim();
        match percent.strip_suffix('%').unwrap_or(percent).trim().parse::<f64>() {
            Ok(n) if n.is_finite() && n >= 0.0 => Ok(Limit::Over(*metric, n / 100.0)),
            _ => Err(format!("{percent:?}: expected a percentage, as 10%")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Over(metric, part) => write!(f, "{}>{}%", metric.name(), part * 100.0),
            Limit::Appeared => f.write_str("appeared"),
            Limit::Vanished => f.write_str("vanished"),
            Limit::Fields => f.write_str("fields"),
        }
    }
}

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
            Change::Figure(_, a, _) if *a == 0.0 => f64::INFINITY,
            Change::Figure(_, a, b) => (b - a) / a,
            _ => 1.0,
        }
    }

    /// Does it exceed this limit?
    pub fn breaks(&self, limit: Limit) -> bool {
        match (self, limit) {
            (Change::Appeared, Limit::Appeared)
            | (Change::Vanished, Limit::Vanished)
            | (Change::Fields(..), Limit::Fields) => true,
            (Change::Figure(metric, ..), Limit::Over(other, part)) => *metric == other && self.part().abs() > part,
            _ => false,
        }
    }
}

/// A difference, and its subject: `riptide.reliable`, `riptide from the client`.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The subject.
    pub of: String,
    /// The difference.
    pub change: Change,
}

/// All differences between two captures, those of messages first.
pub fn differences(a: &Stats, b: &Stats) -> Vec<Difference> {
    let mut list = Vec::new();
    for (word, first, second) in [("", &a.kinds, &b.kinds), (" (schema)", &a.schemas, &b.schemas)] {
        let names: BTreeSet<_> = first.keys().chain(second.keys()).copied().collect();
        for name in names {
            let of = format!("{}.{}{word}", name.0, name.1);
            let mut add = |change| list.push(Difference { of: of.clone(), change });
            match (first.get(&name), second.get(&name)) {
                (None, _) => add(Change::Appeared),
                (_, None) => add(Change::Vanished),
                (Some(x), Some(y)) => kinds(x, y, a.duration(), b.duration(), &mut add),
            }
        }
    }
    let (x, y) = (deliveries(a), deliveries(b));
    let names: BTreeSet<&String> = x.iter().chain(&y).map(|(of, ..)| of).collect();
    for of in names {
        let find = |list: &[Figures]| list.iter().find(|(name, _)| name == of).map(|(_, figures)| *figures);
        let (Some(x), Some(y)) = (find(&x), find(&y)) else { continue };
        for (k, metric) in [Metric::Resent, Metric::Lost, Metric::Ack, Metric::Answer].into_iter().enumerate() {
            if let (Some(x), Some(y)) = (x[k], y[k])
                && x != y
            {
                list.push(Difference { of: of.clone(), change: Change::Figure(metric, x, y) });
            }
        }
    }
    list
}

fn kinds(x: &Kind, y: &Kind, seconds_x: f64, seconds_y: f64, add: &mut dyn FnMut(Change)) {
    let names = |a: &Kind, b: &Kind| {
        let mut list: Vec<String> = a.fields.difference(&b.fields).map(|path| path.join(".")).collect();
        list.sort();
        list
    };
    let (gone, new) = (names(x, y), names(y, x));
    if !gone.is_empty() || !new.is_empty() {
        add(Change::Fields(new, gone));
    }
    let mut figure = |metric, a: f64, b: f64| {
        if a != b {
            add(Change::Figure(metric, a, b));
        }
    };
    figure(Metric::Count, x.count as f64, y.count as f64);
    let mean = |k: &Kind| k.bytes as f64 / k.count.max(1) as f64;
    figure(Metric::Size, mean(x), mean(y));
    if seconds_x > 0.0 && seconds_y > 0.0 {
        figure(Metric::Rate, x.count as f64 / seconds_x, y.count as f64 / seconds_y);
        figure(Metric::Bandwidth, x.bytes as f64 / seconds_x, y.bytes as f64 / seconds_y);
    }
}

/// Resent and lost as shares, acknowledgement and answer times in milliseconds: means of the
/// connections' medians, weighted by count.
type Figures = (String, [Option<f64>; 4]);

fn deliveries(stats: &Stats) -> Vec<Figures> {
    let mut sums: Vec<(String, [f64; 8])> = Vec::new();
    for (connection, role, d) in directions(stats) {
        let proto = stats.flow(connection.flow).map_or("", |f| f.proto);
        let of = format!("{proto} from the {role}");
        let median = |delays: &super::histogram::Delays| {
            let n = delays.count() as f64;
            (delays.percentile(50.0).unwrap_or(0) as f64 / 1e6 * n, n)
        };
        let (ack, answer) = (median(&d.ack_delay), median(&d.answer_time));
        let numbers = d.messages + d.lost();
        let add = [d.resent as f64, d.copies as f64, d.lost() as f64, numbers as f64, ack.0, ack.1, answer.0, answer.1];
        match sums.iter_mut().find(|(name, _)| *name == of) {
            Some((_, sum)) => sum.iter_mut().zip(add).for_each(|(s, n)| *s += n),
            None => sums.push((of, add)),
        }
    }
    let share = |s: &[f64; 8], k: usize| (s[k + 1] > 0.0).then(|| s[k] / s[k + 1]);
    sums.into_iter().map(|(of, s)| (of, [0, 2, 4, 6].map(|k| share(&s, k)))).collect()
}

static DIFFERENCES: Shape =
    Shape { kind: "difference", title: "", keys: 2, columns: &["of", "what", "a", "b", "change", "broken"] };

/// The differences as a table; `broken` are those that exceed a limit. `apart`: a row for each
/// field that only one capture has, for text output.
pub fn table(differences: &[Difference], limits: &[Limit], apart: bool) -> Table {
    let mut table = Table::new(&DIFFERENCES);
    let number = |metric: Metric, x: f64| match metric {
        _ if metric.is_share() => Cell::Share((x * 1e6).round() / 1e6),
        Metric::Count => Cell::Int(x as u64),
        _ => Cell::Real((x * 1e3).round() / 1e3, 3),
    };
    for d in differences {
        let broken = limits.iter().find(|limit| d.change.breaks(**limit));
        let broken = broken.map_or(Cell::Null, |limit| Cell::Text(limit.to_string()));
        let mut row = |what: &str, a: Cell, b: Cell, change: Cell| {
            table.rows.push(vec![Cell::Text(d.of.clone()), what.into(), a, b, change, broken.clone()]);
        };
        match &d.change {
            Change::Appeared => row("appeared", Cell::Null, Cell::Null, Cell::Null),
            Change::Vanished => row("vanished", Cell::Null, Cell::Null, Cell::Null),
            Change::Fields(new, gone) if apart => {
                gone.iter().for_each(|path| row("field", Cell::Text(path.clone()), Cell::Null, Cell::Null));
                new.iter().for_each(|path| row("field", Cell::Null, Cell::Text(path.clone()), Cell::Null));
            }
            Change::Fields(new, gone) => {
                let cell = |list: &[String]| if list.is_empty() { Cell::Null } else { Cell::Text(list.join(" ")) };
                row("fields", cell(gone), cell(new), Cell::Null);
            }
            Change::Figure(metric, a, b) => {
                let part = Some(d.change.part()).filter(|part| part.is_finite());
                let change = part.map_or(Cell::Null, |part| Cell::Share((part * 1e6).round() / 1e6));
                row(metric.name(), number(*metric, *a), number(*metric, *b), change);
            }
        }
    }
    table
}
