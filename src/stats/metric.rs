//! The figures that two captures are compared by, and their units.

/// A figure of a message, or of a side of a protocol.
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
    /// Their 90th percentile.
    AckP90,
    /// Their 99th percentile.
    AckP99,
    /// The median time to an answer.
    Answer,
    /// The 90th percentile of these times.
    AnswerP90,
    /// Their 99th percentile.
    AnswerP99,
}

/// All names; the first of each is the one that is printed.
const NAMES: [(&str, Metric); 18] = [
    ("rate", Metric::Rate),
    ("bandwidth", Metric::Bandwidth),
    ("bytes_rate", Metric::Bandwidth),
    ("size", Metric::Size),
    ("count", Metric::Count),
    ("resent", Metric::Resent),
    ("resent_share", Metric::Resent),
    ("lost", Metric::Lost),
    ("lost_share", Metric::Lost),
    ("ack", Metric::Ack),
    ("ack.p50", Metric::Ack),
    ("ack.p90", Metric::AckP90),
    ("ack.p99", Metric::AckP99),
    ("answer", Metric::Answer),
    ("answer.p50", Metric::Answer),
    ("answer.p90", Metric::AnswerP90),
    ("answer.p99", Metric::AnswerP99),
    ("messages", Metric::Count),
];

impl Metric {
    /// The figures of a message.
    pub const OF_MESSAGES: [Metric; 4] = [Metric::Count, Metric::Size, Metric::Rate, Metric::Bandwidth];
    /// The figures of a side.
    pub const OF_SIDES: [Metric; 8] = [
        Metric::Resent,
        Metric::Lost,
        Metric::Ack,
        Metric::AckP90,
        Metric::AckP99,
        Metric::Answer,
        Metric::AnswerP90,
        Metric::AnswerP99,
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, m)| *m == self).map_or("", |(name, _)| name)
    }

    /// All names that limits know.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The metric of that name.
    pub fn by_name(name: &str) -> Option<Metric> {
        NAMES.iter().find(|(n, _)| *n == name).map(|(_, metric)| *metric)
    }

    /// Shares are compared in points, other figures also relative to the first capture.
    pub fn is_share(self) -> bool {
        matches!(self, Metric::Resent | Metric::Lost)
    }

    /// Is it a delay, in milliseconds?
    pub fn is_delay(self) -> bool {
        !Metric::OF_MESSAGES.contains(&self) && !self.is_share()
    }

    /// Is it of a message, not of a side?
    pub fn is_of_message(self) -> bool {
        Metric::OF_MESSAGES.contains(&self)
    }

    /// The units that a change of it may be given in.
    pub fn units(self) -> &'static [Unit] {
        match self {
            Metric::Rate => &[Unit::Percent, Unit::Rate],
            Metric::Bandwidth => &[Unit::Percent, Unit::BytesRate],
            Metric::Size => &[Unit::Percent, Unit::Bytes],
            Metric::Count => &[Unit::Percent, Unit::Messages],
            Metric::Resent | Metric::Lost => &[Unit::Points],
            _ => &[Unit::Percent, Unit::Millis, Unit::Seconds],
        }
    }

    /// May a change of it be given in this unit?
    pub fn is_in(self, unit: Unit) -> bool {
        self.units().contains(&unit)
    }

    /// May a floor be given in this unit? Numbers of messages are known of all.
    pub fn has_floor(self, unit: Unit) -> bool {
        match unit {
            Unit::Messages => true,
            Unit::Rate | Unit::BytesRate => self.is_of_message(),
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
