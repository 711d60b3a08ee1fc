//! The figures that two captures are compared by, and the units of their changes.

use super::figure::{Figure, Measure, figures};

/// The figures of a message.
pub const OF_MESSAGES: [&Figure; 4] = figures(["messages", "size_mean", "message_rate", "byte_rate"]);
/// The figures of a side.
pub const OF_SIDES: [&Figure; 12] = figures([
    "resent_share",
    "lost_share",
    "loss",
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

/// All figures that limits know.
pub fn compared() -> impl Iterator<Item = &'static Figure> {
    OF_MESSAGES.into_iter().chain(OF_SIDES)
}

/// The figure that a limit names, by its name or by an older one.
pub fn by_name(name: &str) -> Option<&'static Figure> {
    compared().find(|figure| figure.name == name).or_else(|| compared().find(|figure| figure.answers_to(name)))
}

impl Figure {
    /// The units that a change of it may be given in.
    pub fn units(&self) -> &'static [Unit] {
        match self.measure {
            Measure::MessageRate => &[Unit::Percent, Unit::Rate],
            Measure::ByteRate => &[Unit::Percent, Unit::BytesRate],
            Measure::Bytes | Measure::Mean => &[Unit::Percent, Unit::Bytes],
            Measure::Count => &[Unit::Percent, Unit::Messages],
            Measure::Share => &[Unit::Points],
            _ => &[Unit::Percent, Unit::Millis, Unit::Seconds],
        }
    }

    /// May a change of it be given in this unit?
    pub fn is_in(&self, unit: Unit) -> bool {
        self.units().contains(&unit)
    }

    /// Are its changes in points? Those of other figures are also relative to the first capture.
    pub fn is_share(&self) -> bool {
        self.measure == Measure::Share
    }

    /// May a floor be given in this unit? Numbers of messages are known of all.
    pub fn has_floor(&self, unit: Unit) -> bool {
        match unit {
            Unit::Messages => true,
            Unit::Rate | Unit::BytesRate => OF_MESSAGES.contains(&self),
            unit => self.is_in(unit),
        }
    }
}

/// What a change is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Relative to the first capture.
    Percent,
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

const UNITS: [(&str, Unit); 12] = [
    ("%", Unit::Percent),
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
    /// Its name.
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }

    /// The unit of that name.
    pub fn by_name(name: &str) -> Option<Unit> {
        UNITS.iter().find(|(n, _)| *n == name).map(|(_, unit)| *unit)
    }
}
