//! The settings, the progress and the result of a session.

use crate::live::replay::plan::Plan;
use crate::live::replay::recording::gap;
use std::time::Duration;

/// The speed of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The factor by which it is faster than captured; `None`: as fast as the peer allows.
    pub speed: Option<f64>,
    /// The longest pause.
    pub max_gap: Option<Duration>,
}

impl Pace {
    /// Returns the longest time that a recording takes.
    pub(in crate::live::replay) fn whole(&self, recorded: Duration) -> Duration {
        Pace { max_gap: None, ..*self }.pause(recorded)
    }

    /// Returns the pause in place of a recorded one.
    fn pause(&self, recorded: Duration) -> Duration {
        let Some(speed) = self.speed else { return Duration::ZERO };
        let scaled = Duration::try_from_secs_f64(recorded.as_secs_f64() / speed).unwrap_or(Duration::MAX);
        self.max_gap.map_or(scaled, |most| scaled.min(most))
    }

    /// Returns the time of each step after the recording's beginning, and last the time of its end.
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

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The speed.
    pub pace: Pace,
    /// The longest time for an answer that the protocol needs.
    pub timeout: Duration,
    /// The silence of the peer after which missing messages are no longer waited for, if nothing of ours depends on
    /// them.
    pub linger: Duration,
    /// The memory for the peer's messages that are kept for the report, in bytes.
    pub kept: usize,
    /// Whether the user allows steps that may harm the peer.
    pub allow_dangerous: bool,
    /// Whether the conversation is a stream, which has an end.
    pub stream: bool,
    /// The port of our socket for datagrams beside the stream, if there may be any.
    pub datagram_port: Option<u16>,
    /// The number of the client, for values that differ by client.
    pub client: u32,
}

/// The progress of a session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Our steps that are done.
    pub sent: usize,
    /// All our steps.
    pub all: usize,
    /// The peer's messages that were received.
    pub received: usize,
    /// The peer's messages that are expected.
    pub expected: usize,
}

/// The result of a session, for callers that count many.
#[cfg(feature = "cli")]
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// Whether everything was sent, and acknowledged if the protocol does that.
    pub complete: bool,
    /// The reason why the peer ended it before everything was sent.
    pub over: Option<String>,
    /// The trouble, if there was any.
    pub trouble: Option<String>,
    /// The first message that was not sent, and the reason.
    pub unsent: Option<String>,
    /// Whether it was asked to stop.
    pub stopped: bool,
    /// The number of answers in the recording that did not arrive, although everything before them was sent.
    pub unanswered: u64,
    /// Whether anything was received from the peer before it was given up.
    pub answered: bool,
}
