//! The figures that two captures are compared by, and the units of their changes.

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
/// Figures of a side that say how much there was: more of them is neither better nor worse.
const AMOUNTS: [&Figure; 3] = figures(["sent", "requests", "responses"]);

/// All figures that limits know.
pub fn compared() -> impl Iterator<Item = &'static Figure> {
    OF_MESSAGES.into_iter().chain(OF_SIDES)
}

/// The figures that a limit may name so: the one of that name first, then those that had it once.
pub fn by_name(name: &str) -> impl Iterator<Item = &'static Figure> {
    let now = compared().filter(move |figure| figure.name == name);
    now.chain(compared().filter(move |figure| figure.name != name && figure.answers_to(name)))
}

impl Figure {
    /// The units that a change of it may be given in.
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

    /// May a change of it be given in this unit?
    pub fn is_in(&self, unit: Unit) -> bool {
        self.units().contains(&unit)
    }

    /// Is more of it worse? What says how much traffic there was is neither.
    pub fn more_is_worse(&self) -> bool {
        OF_SIDES.contains(&self) && !AMOUNTS.contains(&self)
    }

    /// Is it a share, so that its changes are shown in points?
    pub fn is_share(&self) -> bool {
        self.measure == Measure::Share
    }

    /// May a floor be given in this unit? Numbers of messages are known of all.
    pub fn has_floor(&self, unit: Unit) -> bool {
        match unit {
            Unit::Messages => true,
            Unit::Times => false,
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
    /// A multiple of the first capture's.
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
    /// Its name.
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }

    /// The unit of that name.
    pub fn by_name(name: &str) -> Option<Unit> {
        UNITS.iter().find(|(n, _)| *n == name).map(|(_, unit)| *unit)
    }
}
