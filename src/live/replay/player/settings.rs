//! How a session is played, and how far it has come.

use crate::live::replay::plan::Plan;
use crate::live::replay::recording::gap;
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
    fn pause(&self, recorded: Duration) -> Duration {
        let Some(speed) = self.speed else { return Duration::ZERO };
        let scaled = Duration::try_from_secs_f64(recorded.as_secs_f64() / speed).unwrap_or(Duration::MAX);
        self.max_gap.map_or(scaled, |most| scaled.min(most))
    }

    /// When each step is made, behind the recording's beginning; at last when that ends.
    pub(super) fn schedule(&self, plan: &Plan) -> Vec<Duration> {
        let Some([first, last]) = plan.span else { return vec![Duration::ZERO] };
        let times = plan.steps.iter().map(|step| step.recorded.time).chain([last]);
        let mut before = first;
        let mut at = Duration::ZERO;
        times
            .map(|time| {
                at = at.saturating_add(self.pause(gap(before, time)));
                before = time;
                at
            })
            .collect()
    }
}

/// How a session is played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How fast.
    pub pace: Pace,
    /// How long the peer may take where the protocol needs its answer.
    pub timeout: Duration,
    /// How long the peer must be silent before what is missing is not waited for any more, where
    /// nothing of ours rests on it.
    pub linger: Duration,
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

/// What has become of a session, for one who counts many.
#[derive(Clone, Debug)]
pub struct Ending {
    /// All was said, and acknowledged where the protocol does that.
    pub complete: bool,
    /// Why the peer ended it before all was said.
    pub over: Option<String>,
    /// What went wrong.
    pub trouble: Option<String>,
    /// The first message that was not said, and why.
    pub unsaid: Option<String>,
    /// It was told to stop.
    pub stopped: bool,
    /// Something came from the peer.
    pub heard: bool,
}
