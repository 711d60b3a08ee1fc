//! How a session is played, and how far it has come.

use std::time::Duration;

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// How many times as fast as captured; `None`: as fast as the peer allows.
    pub speed: Option<f64>,
    /// The longest pause.
    pub max_gap: Option<Duration>,
}

impl Pace {
    /// The time that a recording takes, at most.
    pub(in crate::live::replay) fn whole(&self, recorded: Duration) -> Duration {
        Pace { max_gap: None, ..*self }.pause(recorded)
    }

    /// The pause that a recorded one becomes.
    pub(super) fn pause(&self, recorded: Duration) -> Duration {
        let Some(speed) = self.speed else { return Duration::ZERO };
        let scaled = Duration::try_from_secs_f64(recorded.as_secs_f64() / speed).unwrap_or(Duration::MAX);
        self.max_gap.map_or(scaled, |most| scaled.min(most))
    }
}

/// How a session is played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How fast.
    pub pace: Pace,
    /// How long the peer may take where the protocol needs its answer.
    pub timeout: Duration,
    /// How much memory the peer's messages may take that are kept for the report.
    pub kept: usize,
    /// Our steps may harm the peer, and the user wants it so.
    pub allow_dangerous: bool,
    /// The conversation is a stream: it has an end.
    pub stream: bool,
    /// The port of our socket for datagrams beside the stream, where there may be any.
    pub beside: Option<u16>,
}

/// How far a session has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Messages said, of so many.
    pub said: usize,
    /// All of ours.
    pub all: usize,
    /// Messages of the peer that were heard.
    pub heard: usize,
    /// How many of the peer's are expected.
    pub expected: usize,
}
