//! The figures by which two captures are compared, and the units of their changes.

use super::figure::{Figure, Measure, figures};

/// The figures of a message.
pub const OF_MESSAGES: [&Figure; 4] = figures(["messages", "size_mean", "message_rate", "byte_rate"]);
/// The figures of a side.
pub const OF_SIDES: [&Figure; 26] = figures([
    "sent",
    "resent",
    "resent_share",
    "duplicates",
    "given_up",
    "never_acked",
    "gaps",
    "late",
    "lost",
    "lost_share",
    "loss",
    "handled_twice",
    "never_handled",
    "requests",
    "responses",
    "unanswered",
    "unmatched",
    "ack_p50",
    "ack_p90",
    "ack_p99",
    "response_p50",
    "response_p90",
    "response_p99",
    "ping_p50",
    "ping_p90",
    "ping_p99",
]);
/// Figures of a side's amount of traffic: more of them is neither better nor worse.
const AMOUNTS: [&Figure; 3] = figures(["sent", "requests", "responses"]);

/// All figures that limits accept.
pub fn compared() -> impl Iterator<Item = &'static Figure> {
    OF_MESSAGES.into_iter().chain(OF_SIDES)
}

/// The figures that this name selects in a limit: first the one with this name, then those with it as an older name.
pub fn by_name(name: &str) -> impl Iterator<Item = &'static Figure> {
    let now = compared().filter(move |figure| figure.name == name);
    now.chain(compared().filter(move |figure| figure.name != name && figure.answers_to(name)))
}

impl Figure {
    /// The units in which a change of it may be given.
    pub fn units(&self) -> &'static [Unit] {
        match self.measure {
            Measure::MessageRate => &[Unit::Percent, Unit::Times, Unit::Rate],
            Measure::ByteRate => &[Unit::Percent, Unit::Times, Unit::BytesRate],
            Measure::Bytes | Measure::Mean => &[Unit::Percent, Unit::Times, Unit::Bytes],
            Measure::Count => &[Unit::Percent, Unit::Times, Unit::Messages],
            Measure::Share => &[Unit::Percent, Unit::Times, Unit::Points],
            _ => &[Unit::Percent, Unit::Times, Unit::Millis, Unit::Seconds],
        }
    }

    /// Whether a change of it may be given in this unit.
    pub fn is_in(&self, unit: Unit) -> bool {
        self.units().contains(&unit)
    }

    /// Whether a higher value is worse; never for figures of an amount of traffic.
    pub fn more_is_worse(&self) -> bool {
        OF_SIDES.contains(&self) && !AMOUNTS.contains(&self)
    }

    /// Whether it is a share, so that its changes are shown in percentage points.
    pub fn is_share(&self) -> bool {
        self.measure == Measure::Share
    }

    /// Whether a floor may be given in this unit. Every figure has a number of messages.
    pub fn has_floor(&self, unit: Unit) -> bool {
        match unit {
            Unit::Messages => true,
            Unit::Times => false,
            Unit::Rate | Unit::BytesRate => OF_MESSAGES.contains(&self),
            unit => self.is_in(unit),
        }
    }
}

/// The unit of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Relative to the first capture.
    Percent,
    /// A multiple of the first capture's value.
    Times,
    /// Percentage points, of shares.
    Points,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
    /// Messages.
    Messages,
    /// Messages a second.
    Rate,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesRate,
}

const UNITS: [(&str, Unit); 13] = [
    ("%", Unit::Percent),
    ("x", Unit::Times),
    ("pp", Unit::Points),
    ("ms", Unit::Millis),
    ("s", Unit::Seconds),
    ("messages", Unit::Messages),
    ("message", Unit::Messages),
    ("/s", Unit::Rate),
    ("messages/s", Unit::Rate),
    ("bytes", Unit::Bytes),
    ("B", Unit::Bytes),
    ("bytes/s", Unit::BytesRate),
    ("B/s", Unit::BytesRate),
];

impl Unit {
    /// The name of the unit.
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }

    /// The unit of this name.
    pub fn by_name(name: &str) -> Option<Unit> {
        UNITS.iter().find(|(n, _)| *n == name).map(|(_, unit)| *unit)
    }
}
