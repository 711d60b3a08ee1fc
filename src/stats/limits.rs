//! Limits for differences, as a user writes them: `riptide.reliable.byte_rate > 10% and > 5 messages`.

use super::figure::Figure;
use super::metric::{Unit, by_name, compared};
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
    Change(&'static Figure, f64, Unit),
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

const EXPECTED: &str = "expected [PROTOCOL.[MESSAGE.]]FIGURE > AMOUNT, as message_rate > 10% or ack_p90 > 50ms, or appeared, vanished, fields";

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
                let Some(figure) = by_name(name) else {
                    let names = || compared().map(|figure| figure.name);
                    let list = names().collect::<Vec<_>>().join(", ");
                    return Err(format!("no figure {name:?}{}; there are {list}", hint(nearest(name, names()))));
                };
                let (n, unit) = quantity(amount, Some((figure, name)))?;
                match (sign, n < 0.0) {
                    (">", false) | ("<", true) => {}
                    (">", true) => return Err(format!("{head:?}: what falls is written {name} < {amount}")),
                    _ => return Err(format!("{head:?}: what falls is written {name} < -{amount}")),
                }
                Bound::Change(figure, n, unit)
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
        if let (Bound::Change(figure, ..), Some((_, unit))) = (
            bound,
            floors.iter().find(|(_, unit)| matches!(bound, Bound::Change(figure, ..) if !figure.has_floor(*unit))),
        ) {
            return Err(format!("{:?}: {} is not measured in {}", text.trim(), figure.name, unit.name()));
        }
        Ok(Limit { text: text.trim().into(), subject, bound, floors })
    }
}

/// The subject, and the figure's name or word at the end of a path.
fn split(path: &str) -> (Subject, &str) {
    // `ack.p90`, the older name of ack_p90, is one.
    let at = path.match_indices('.').map(|(at, _)| at).find(|at| by_name(&path[at + 1..]).is_some());
    let at = if by_name(path).is_some() { None } else { at.or_else(|| path.rfind('.')) };
    let Some(at) = at else { return (Subject::default(), path) };
    let (before, name) = (&path[..at], &path[at + 1..]);
    let subject = match before.split_once('.') {
        Some((proto, of)) => Subject { proto: Some(proto.into()), of: Some(of.into()) },
        None if matches!(before, "client" | "server") => Subject { proto: None, of: Some(before.into()) },
        None => Subject { proto: Some(before.into()), of: None },
    };
    (subject, name)
}

/// A number and its unit; without one, per cent or points as the figure has them.
fn quantity(text: &str, of: Option<(&'static Figure, &str)>) -> Result<(f64, Unit), String> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, word) = (&text[..end], text[end..].trim());
    let n = number.parse::<f64>().ok().filter(|n| n.is_finite());
    let unit = match (of, word) {
        (Some((figure, name)), "%" | "") if figure.is_share() => match name != figure.name || word.is_empty() {
            // As the older names have always been written.
            true => Some(Unit::Points),
            false => return Err(format!("{name} is a share: its differences are in points, as {name} > {number}pp")),
        },
        (Some(_), "") => Some(Unit::Percent),
        _ => Unit::by_name(word),
    };
    match (n, unit) {
        (Some(n), Some(unit)) if of.is_none_or(|(figure, _)| figure.is_in(unit)) => Ok((n, unit)),
        (Some(_), _) => match of {
            Some((figure, name)) => {
                let units = figure.units().iter().map(|unit| unit.name()).collect::<Vec<_>>().join(", ");
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

    fn change(name: &str, amount: f64, unit: Unit) -> Bound {
        Bound::Change(Figure::by_name(name).expect("a figure"), amount, unit)
    }

    #[test]
    fn limits_as_they_are_written() {
        for (text, who, bound, floors) in [
            ("rate>10%", subject("", ""), change("message_rate", 10.0, Unit::Percent), vec![]),
            ("rate>0", subject("", ""), change("message_rate", 0.0, Unit::Percent), vec![]),
            (
                "riptide.reliable.bytes_rate > 10% and > 5 messages and > 1.5 bytes/s",
                subject("riptide", "reliable"),
                change("byte_rate", 10.0, Unit::Percent),
                vec![(5.0, Unit::Messages), (1.5, Unit::BytesRate)],
            ),
            ("ack.p90 > 50ms", subject("", ""), change("ack_p90", 50.0, Unit::Millis), vec![]),
            ("riptide.client.ack > 50 %", subject("riptide", "client"), change("ack_p50", 50.0, Unit::Percent), vec![]),
            ("server.answer.p99 > 1s", subject("", "server"), change("response_p99", 1.0, Unit::Seconds), vec![]),
            ("resent_share > 2pp", subject("", ""), change("resent_share", 2.0, Unit::Points), vec![]),
            ("resent>5%", subject("", ""), change("resent_share", 5.0, Unit::Points), vec![]),
            ("dnp.rate < -20%", subject("dnp", ""), change("message_rate", -20.0, Unit::Percent), vec![]),
            ("vanished", subject("", ""), Bound::Vanished, vec![]),
            // Today's names, and the older ones above for the same figures.
            ("message_rate > 3/s", subject("", ""), change("message_rate", 3.0, Unit::Rate), vec![]),
            ("gne.byte_rate > 1%", subject("gne", ""), change("byte_rate", 1.0, Unit::Percent), vec![]),
            ("client.response_p50 > 2ms", subject("", "client"), change("response_p50", 2.0, Unit::Millis), vec![]),
            ("count > 7 messages", subject("", ""), change("messages", 7.0, Unit::Messages), vec![]),
            ("size > 1 B", subject("", ""), change("size_mean", 1.0, Unit::Bytes), vec![]),
            ("nano.push.fields", subject("nano", "push"), Bound::Fields, vec![]),
        ] {
            let limit: Limit = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!((limit.subject, limit.bound, limit.floors), (who, bound, floors), "{text}");
        }
        for (wrong, why) in [
            ("rate", "expected"),
            ("speed>3%", "no figure \"speed\""),
            ("byte_rat>3%", "did you mean \"byte_rate\"?"),
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
