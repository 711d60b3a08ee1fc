//! Limits for differences, as a user writes them: `riptide.reliable.bytes_rate > 10% and > 5 messages`.

use super::metric::{Metric, Unit};
use crate::nearest::{hint, nearest};
use std::fmt;
use std::str::FromStr;

/// What a limit applies to; `None`: to all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The protocol.
    pub proto: Option<String>,
    /// A message, or `client` or `server`.
    pub of: Option<String>,
}

impl Subject {
    /// Does it apply to this message or side of a protocol?
    pub fn covers(&self, proto: &str, of: &str) -> bool {
        self.proto.as_deref().is_none_or(|p| p == proto) && self.of.as_deref().is_none_or(|name| name == of)
    }
}

/// What a limit is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A kind of message is only in the second capture.
    Appeared,
    /// A kind of message is only in the first.
    Vanished,
    /// A kind of message has different fields.
    Fields,
    /// A figure that rose by more than that; of a negative amount, fell.
    Change(Metric, f64, Unit),
}

/// A difference that counts as failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// As it was written.
    text: String,
    /// What it applies to.
    pub subject: Subject,
    /// What it is about.
    pub bound: Bound,
    /// What has to be exceeded, too.
    pub floors: Vec<(f64, Unit)>,
}

const EXPECTED: &str =
    "expected [PROTOCOL.[MESSAGE.]]METRIC > AMOUNT, as rate > 10% or ack.p90 > 50ms, or appeared, vanished, fields";

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        let mut parts = text.split(" and ");
        let head = parts.next().unwrap_or_default().trim();
        let (path, sign, amount) = match head.find(['>', '<']) {
            Some(at) => (head[..at].trim(), &head[at..=at], head[at + 1..].trim()),
            None => (head, "", ""),
        };
        let (subject, name) = split(path);
        let word = [("appeared", Bound::Appeared), ("vanished", Bound::Vanished), ("fields", Bound::Fields)];
        let bound = match word.into_iter().find(|(word, _)| *word == name) {
            Some((_, bound)) if sign.is_empty() => bound,
            Some(_) => return Err(format!("{name} has no amount")),
            None if sign.is_empty() => return Err(format!("{text:?}: {EXPECTED}")),
            None => {
                let Some(metric) = Metric::by_name(name) else {
                    let names = || Metric::names();
                    let list = names().collect::<Vec<_>>().join(", ");
                    return Err(format!("no metric {name:?}{}; there are {list}", hint(nearest(name, names()))));
                };
                let (n, unit) = quantity(amount, Some((metric, name)))?;
                match (sign, n < 0.0) {
                    (">", false) | ("<", true) => {}
                    (">", true) => return Err(format!("{head:?}: what falls is written {name} < {amount}")),
                    _ => return Err(format!("{head:?}: what falls is written {name} < -{amount}")),
                }
                Bound::Change(metric, n, unit)
            }
        };
        let floors = parts.map(|part| {
            let amount =
                part.trim().strip_prefix('>').ok_or_else(|| format!("{part:?}: expected > AMOUNT, as > 5 messages"))?;
            let (n, unit) = quantity(amount.trim(), None)?;
            match (n < 0.0, bound) {
                (true, _) => Err(format!("{part:?}: a floor is no less than 0")),
                (_, Bound::Change(..)) => Ok((n, unit)),
                _ => Err(format!("{part:?}: {name} has no amount")),
            }
        });
        let floors = floors.collect::<Result<Vec<_>, _>>()?;
        if let (Bound::Change(metric, ..), Some((_, unit))) = (
            bound,
            floors.iter().find(|(_, unit)| matches!(bound, Bound::Change(metric, ..) if !metric.has_floor(*unit))),
        ) {
            return Err(format!("{:?}: {} is not measured in {}", text.trim(), metric.name(), unit.name()));
        }
        Ok(Limit { text: text.trim().into(), subject, bound, floors })
    }
}

/// The subject, and the metric's name or word at the end of a path.
fn split(path: &str) -> (Subject, &str) {
    // `ack.p90` is one name.
    let at = path.match_indices('.').map(|(at, _)| at).find(|at| Metric::by_name(&path[at + 1..]).is_some());
    let at = if Metric::by_name(path).is_some() { None } else { at.or_else(|| path.rfind('.')) };
    let Some(at) = at else { return (Subject::default(), path) };
    let (before, name) = (&path[..at], &path[at + 1..]);
    let subject = match before.split_once('.') {
        Some((proto, of)) => Subject { proto: Some(proto.into()), of: Some(of.into()) },
        None if matches!(before, "client" | "server") => Subject { proto: None, of: Some(before.into()) },
        None => Subject { proto: Some(before.into()), of: None },
    };
    (subject, name)
}

/// A number and its unit; without one, per cent or points as the metric has them.
fn quantity(text: &str, of: Option<(Metric, &str)>) -> Result<(f64, Unit), String> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, word) = (&text[..end], text[end..].trim());
    let n = number.parse::<f64>().ok().filter(|n| n.is_finite());
    let unit = match (of, word) {
        (Some((metric, name)), "%" | "") if metric.is_share() => match name == metric.name() || word.is_empty() {
            // As these two have always been written.
            true => Some(Unit::Points),
            false => return Err(format!("{name} is a share: its differences are in points, as {name} > {number}pp")),
        },
        (Some(_), "") => Some(Unit::Percent),
        _ => Unit::by_name(word),
    };
    match (n, unit) {
        (Some(n), Some(unit)) if of.is_none_or(|(metric, _)| metric.is_in(unit)) => Ok((n, unit)),
        (Some(_), _) => match of {
            Some((metric, name)) => {
                let units = metric.units().iter().map(|unit| unit.name()).collect::<Vec<_>>().join(", ");
                Err(format!("{text:?}: {name} is in {units}"))
            }
            None => Err(format!("{text:?}: expected a number and a unit, as 5 messages, 100 bytes/s, 2ms, 1pp")),
        },
        (None, _) => Err(format!("{text:?}: expected a percentage, as 10%, or an amount with its unit, as 50ms")),
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(proto: &str, of: &str) -> Subject {
        let some = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
        Subject { proto: some(proto), of: some(of) }
    }

    #[test]
    fn limits_as_they_are_written() {
        for (text, who, bound, floors) in [
            ("rate>10%", subject("", ""), Bound::Change(Metric::Rate, 10.0, Unit::Percent), vec![]),
            ("rate>0", subject("", ""), Bound::Change(Metric::Rate, 0.0, Unit::Percent), vec![]),
            (
                "riptide.reliable.bytes_rate > 10% and > 5 messages and > 1.5 bytes/s",
                subject("riptide", "reliable"),
                Bound::Change(Metric::Bandwidth, 10.0, Unit::Percent),
                vec![(5.0, Unit::Messages), (1.5, Unit::BytesRate)],
            ),
            ("ack.p90 > 50ms", subject("", ""), Bound::Change(Metric::AckP90, 50.0, Unit::Millis), vec![]),
            (
                "riptide.client.ack > 50 %",
                subject("riptide", "client"),
                Bound::Change(Metric::Ack, 50.0, Unit::Percent),
                vec![],
            ),
            (
                "server.answer.p99 > 1s",
                subject("", "server"),
                Bound::Change(Metric::AnswerP99, 1.0, Unit::Seconds),
                vec![],
            ),
            ("resent_share > 2pp", subject("", ""), Bound::Change(Metric::Resent, 2.0, Unit::Points), vec![]),
            ("resent>5%", subject("", ""), Bound::Change(Metric::Resent, 5.0, Unit::Points), vec![]),
            ("dnp.rate < -20%", subject("dnp", ""), Bound::Change(Metric::Rate, -20.0, Unit::Percent), vec![]),
            ("vanished", subject("", ""), Bound::Vanished, vec![]),
            ("nano.push.fields", subject("nano", "push"), Bound::Fields, vec![]),
        ] {
            let limit: Limit = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!((limit.subject, limit.bound, limit.floors), (who, bound, floors), "{text}");
        }
        for (wrong, why) in [
            ("rate", "expected"),
            ("speed>3%", "no metric \"speed\""),
            ("rat>3%", "did you mean \"rate\"?"),
            ("rate>x%", "expected a percentage"),
            ("rate>nan%", "expected a percentage"),
            ("rate > 5ms", "rate is in"),
            ("rate > 2pp", "rate is in"),
            ("resent_share > 2%", "resent_share > 2pp"),
            ("ack.p90 > 50 cm", "ack.p90 is in"),
            ("rate > -5%", "rate < -5%"),
            ("rate < 5%", "rate < -5%"),
            ("vanished > 3%", "vanished has no amount"),
            ("rate > 5% and 3 messages", "expected > AMOUNT"),
            ("rate > 5% and > 3", "expected a number and a unit"),
            ("rate > 5% and > -3 messages", "no less than 0"),
            ("rate > 5% and > 3ms", "rate is not measured in ms"),
            ("", "expected"),
        ] {
            let error = wrong.parse::<Limit>().expect_err(wrong);
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
