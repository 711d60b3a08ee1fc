//! Limits for differences, as a user writes them: `riptide.reliable.byte_rate > 10% and > 5 messages`.

use super::figure::Figure;
use super::metric::{OF_SIDES, Unit, by_name, compared};
use crate::nearest::{hint, nearest};
use std::fmt;
use std::str::FromStr;

/// The scope of a limit; `None` means no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The protocol.
    pub proto: Option<String>,
    /// A message, `client` or `server`.
    pub of: Option<String>,
}

impl Subject {
    /// Whether the limit applies to this message or side of a protocol.
    pub fn covers(&self, proto: &str, of: &str) -> bool {
        self.proto.as_deref().is_none_or(|p| p == proto) && self.of.as_deref().is_none_or(|name| name == of)
    }
}

/// The kind of difference that a limit restricts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A kind of message is only in the second capture.
    Appeared,
    /// A kind of message is only in the first capture.
    Vanished,
    /// A kind of message has different fields.
    Fields,
    /// A figure rises by more than this amount, or falls if it is negative. A multiple below 1 is a fall, too.
    Change(&'static Figure, f64, Unit),
}

/// A difference that counts as failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The limit as written.
    text: String,
    /// Its scope.
    pub subject: Subject,
    /// The kind of difference.
    pub bound: Bound,
    /// The further amounts that have to be exceeded as well.
    pub floors: Vec<(f64, Unit)>,
}

const EXPECTED: &str = "expected [PROTOCOL.[MESSAGE.]]FIGURE > AMOUNT, such as message_rate > 10% or ack_p90 > 50ms, \
                        or appeared, vanished, fields";

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
                let (figure, n, unit) = amount_of(name, amount)?;
                possible(name, sign, n, unit).map_err(|why| format!("{head:?}: {why}"))?;
                Bound::Change(figure, n, unit)
            }
        };
        fitting(&subject, name, bound).map_err(|why| format!("{head:?}: {why}"))?;
        let floors = parts.map(|part| {
            let amount = part
                .trim()
                .strip_prefix('>')
                .ok_or_else(|| format!("{part:?}: expected > AMOUNT, such as > 5 messages"))?;
            let (n, unit) = quantity(amount.trim())?;
            let unit = unit.ok_or_else(|| format!("{amount:?}: {A_UNIT}"))?;
            match (n < 0.0, bound) {
                (true, _) => Err(format!("{part:?}: expected an amount of at least 0")),
                (_, Bound::Change(..)) if unit == Unit::Points && n >= 100.0 => Err(format!("{part:?}: {TOO_MANY}")),
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

/// The subject, and the figure or word at the end of a path.
fn split(path: &str) -> (Subject, &str) {
    let is_known = |name: &str| by_name(name).next().is_some();
    // `ack.p90`, the older name of ack_p90, contains a dot.
    let at = path.match_indices('.').map(|(at, _)| at).find(|at| is_known(&path[at + 1..]));
    let at = if is_known(path) { None } else { at.or_else(|| path.rfind('.')) };
    let Some(at) = at else { return (Subject::default(), path) };
    let (before, name) = (&path[..at], &path[at + 1..]);
    let subject = match before.split_once('.') {
        Some((proto, of)) => Subject { proto: Some(proto.into()), of: Some(of.into()) },
        None if matches!(before, "client" | "server") => Subject { proto: None, of: Some(before.into()) },
        None => Subject { proto: Some(before.into()), of: None },
    };
    (subject, name)
}

const A_UNIT: &str = "expected a number and a unit, such as 5 messages, 100 bytes/s, 2ms, 1pp";
const TOO_MANY: &str = "a share cannot change by 100 points or more, so the limit can never be exceeded";

/// A number and its unit, if it has one.
fn quantity(text: &str) -> Result<(f64, Option<Unit>), String> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, word) = (&text[..end], text[end..].trim());
    let wrong = || format!("{text:?}: expected a percentage, such as 10%, or an amount with its unit, such as 50ms");
    let n = number.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(wrong)?;
    match (word, Unit::by_name(word)) {
        ("", _) => Ok((n, None)),
        (_, Some(unit)) => Ok((n, Some(unit))),
        _ => Err(format!("{text:?}: {A_UNIT}")),
    }
}

/// The figure of this current or older name that is measured in the unit of the amount.
fn amount_of(name: &str, amount: &str) -> Result<(&'static Figure, f64, Unit), String> {
    let Some(figure) = by_name(name).next() else {
        let names = || compared().map(|figure| figure.name);
        let list = names().collect::<Vec<_>>().join(", ");
        return Err(format!("no figure {name:?}{}; there are {list}", hint(nearest(name, names()))));
    };
    let units = || figure.units().iter().map(|unit| unit.name()).collect::<Vec<_>>().join(", ");
    let (n, unit) = match quantity(amount) {
        Ok((n, unit)) => (n, unit),
        Err(_) if amount.starts_with(|c: char| c.is_ascii_digit()) => {
            return Err(format!("{amount:?}: {name} is in {}", units()));
        }
        Err(why) => return Err(why),
    };
    // Zero needs no unit.
    let Some(unit) = unit.or((n == 0.0).then_some(Unit::Percent)) else {
        return Err(format!("{amount:?} has no unit: {name} is in {}", units()));
    };
    let figure = by_name(name).find(|figure| figure.is_in(unit));
    figure.map(|figure| (figure, n, unit)).ok_or_else(|| format!("{amount:?}: {name} is in {}", units()))
}

/// Checks that a subject has the figure: a message has none of a side, and a side none of a message.
fn fitting(subject: &Subject, name: &str, bound: Bound) -> Result<(), String> {
    let of_sides = matches!(bound, Bound::Change(figure, ..) if OF_SIDES.contains(&figure));
    match subject.of.as_deref() {
        Some("client" | "server") if !of_sides => {
            Err(format!("{name} is of messages, not of sides: expected a message"))
        }
        Some("client" | "server") | None => Ok(()),
        Some(_) if of_sides => Err(format!("{name} is of sides, not of messages: expected client or server")),
        Some(_) => Ok(()),
    }
}

/// Checks that a second capture can exceed the limit, and that an equal one does not.
fn possible(name: &str, sign: &str, n: f64, unit: Unit) -> Result<(), String> {
    let rises = sign == ">";
    match unit {
        Unit::Times if rises && n < 1.0 => Err(format!("for a decrease write {name} < {n}x")),
        Unit::Times if !rises && (n >= 1.0 || n <= 0.0) => {
            Err(format!("expected a factor between 0 and 1, such as {name} < 0.5x"))
        }
        Unit::Times => Ok(()),
        _ if rises && n < 0.0 => Err(format!("for a decrease write {name} < {n}{}", unit.name())),
        _ if !rises && n >= 0.0 => Err(format!("for a decrease write {name} < -{n}{}", unit.name())),
        Unit::Points if n.abs() >= 100.0 => Err(TOO_MANY.into()),
        Unit::Percent if n <= -100.0 => {
            Err(format!("{name} cannot fall by more than 100 %, so the limit can never be exceeded"))
        }
        _ => Ok(()),
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
            ("resent_share > 100%", subject("", ""), change("resent_share", 100.0, Unit::Percent), vec![]),
            ("resent>5pp", subject("", ""), change("resent_share", 5.0, Unit::Points), vec![]),
            ("resent>100%", subject("", ""), change("resent", 100.0, Unit::Percent), vec![]),
            ("resent > 2x", subject("", ""), change("resent", 2.0, Unit::Times), vec![]),
            (
                "gne.server.resent > 20 messages",
                subject("gne", "server"),
                change("resent", 20.0, Unit::Messages),
                vec![],
            ),
            ("response_p90 < 0.5x", subject("", ""), change("response_p90", 0.5, Unit::Times), vec![]),
            ("dnp.rate < -20%", subject("dnp", ""), change("message_rate", -20.0, Unit::Percent), vec![]),
            ("vanished", subject("", ""), Bound::Vanished, vec![]),
            // Current names, then older ones for the same figures.
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
            ("rate > 5", "\"5\" has no unit: rate is in %, x, /s"),
            ("ack_p90 > 50", "ack_p90 is in %, x, ms, s"),
            ("resent_share > 100pp", "100 points or more"),
            ("resent_share < -100pp", "100 points or more"),
            ("resent > 2% and > 10pp", "not measured in pp"),
            ("resent_share > 2pp and > 100pp", "100 points or more"),
            ("rate < -100%", "more than 100 %"),
            ("rate > 0.5x", "rate < 0.5x"),
            ("rate < 2x", "between 0 and 1"),
            ("riptide.reliable.resent > 2 messages", "resent is of sides, not of messages"),
            ("riptide.reliable.ack.p90 > 5ms", "is of sides, not of messages"),
            ("server.messages > 10%", "messages is of messages, not of sides"),
            ("riptide.client.rate > 10%", "is of messages, not of sides"),
            ("client.appeared", "appeared is of messages, not of sides"),
            ("rate < 0x", "between 0 and 1"),
            ("resent > 2% and > 2x", "not measured in x"),
            ("ack.p90 > 50 cm", "ack.p90 is in"),
            ("rate > -5%", "rate < -5%"),
            ("rate < 5%", "rate < -5%"),
            ("vanished > 3%", "vanished has no amount"),
            ("rate > 5% and 3 messages", "expected > AMOUNT"),
            ("rate > 5% and > 3", "expected a number and a unit"),
            ("rate > 5% and > -3 messages", "at least 0"),
            ("rate > 5% and > 3ms", "rate is not measured in ms"),
            ("", "expected"),
        ] {
            let error = wrong.parse::<Limit>().expect_err(wrong);
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
