//! The plan of a session: the messages to send and the messages expected of the peer. The recording is sorted by the
//! use of each message.

use crate::capture::Time;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Recorded};
use crate::message::OwnedMessage;
use std::collections::{BTreeMap, BTreeSet};

/// A message of ours.
#[derive(Clone, Debug)]
pub struct Step {
    /// The message.
    pub recorded: Recorded,
    /// The number of the peer's messages, in parts, before it.
    pub after: usize,
}

impl Step {
    /// Its full name: `riptide.reliable`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.recorded.decoded.proto, self.recorded.decoded.message)
    }
}

/// A message that is not sent, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent {
    /// Its frame in the capture.
    pub frame: u64,
    /// Its name.
    pub message: String,
    /// The reason.
    pub why: String,
}

/// The plan of one session.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Plan {
    /// The messages to send, in the order of the recording.
    pub steps: Vec<Step>,
    /// The peer's messages in the capture, in order and in parts.
    pub expected: Vec<Recorded>,
    /// The times of the first and the last message of either side, among those that are played.
    pub span: Option<[Time; 2]>,
    /// Messages that are refused because they may harm the peer.
    pub refused: Vec<Unsent>,
    /// The kinds of messages that are not repeated, since the session makes its own or needs none, with their number.
    pub live: BTreeMap<&'static str, u64>,
    /// The number of messages that the user drops.
    pub dropped: u64,
    /// The first message of a rule that applies only to messages which the session makes live instead.
    pub(super) ineffective: Option<Unsent>,
    /// The number of messages with an unknown sender.
    pub unknown: u64,
}

/// The user's choices for a plan.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// The side to play.
    pub role: Role,
    /// Whether to send also messages that may harm the peer.
    pub allow_dangerous: bool,
    /// The last frame to play; later ones are left out.
    pub until: Option<u64>,
}

impl Plan {
    /// Sorts the messages.
    pub fn new(messages: &[Recorded], choices: &Choices, actor: &mut dyn Actor) -> Plan {
        let mut plan = Plan::default();
        let is_kept = |message: &&Recorded| choices.until.is_none_or(|frame| message.frame <= frame);
        let messages: Vec<&Recorded> = messages.iter().filter(is_kept).collect();
        let outcomes: Vec<Disposition> = messages.iter().map(|message| actor.disposition(message)).collect();
        actor.learn(&mut messages.iter().map(|message| &message.decoded));
        plan.span = messages.first().zip(messages.last()).map(|(first, last)| [first.time, last.time]);
        let (mut effective, mut ineffective) = (BTreeSet::new(), BTreeMap::new());
        for (message, outcome) in messages.into_iter().zip(outcomes) {
            let ours = message.decoded.from == choices.role;
            let unsent = |why: String| {
                let OwnedMessage { proto, message: name, .. } = message.decoded;
                Unsent { frame: message.frame, message: format!("{proto}.{name}"), why }
            };
            if ours && !matches!(outcome, Disposition::Live(_)) {
                effective.extend(message.changed.rules.iter().copied());
            }
            match (ours, outcome) {
                _ if message.decoded.from == Role::Unknown => plan.unknown += 1,
                // These are sent when the live session needs them, whatever the user wants of the recorded ones.
                (true, Disposition::Live(kind)) => {
                    *plan.live.entry(kind).or_default() += 1;
                    for rule in &message.changed.rules {
                        ineffective.entry(*rule).or_insert_with(|| unsent(kind.into()));
                    }
                }
                (true, _) if message.dropped => plan.dropped += 1,
                (true, Disposition::Danger(why)) if !choices.allow_dangerous => plan.refused.push(unsent(why)),
                (true, _) => {
                    let step = Step { recorded: message.clone(), after: plan.expected.len() };
                    plan.steps.extend(std::iter::repeat_n(step, 1 + message.changed.copies as usize));
                }
                (false, Disposition::Send) => plan.expect(message.clone(), actor),
                (false, _) => {}
            }
        }
        plan.ineffective = ineffective.into_iter().find(|(rule, _)| !effective.contains(rule)).map(|(_, first)| first);
        plan
    }

    /// Adds a message that the peer is expected to send, as captured, because the user changes only messages of ours.
    fn expect(&mut self, mut message: Recorded, actor: &dyn Actor) {
        if let Some(captured) = message.captured.take() {
            (message.decoded, message.edited) = (captured, false);
        }
        let decoded = std::mem::take(&mut message.decoded);
        actor.parts(decoded, &mut |decoded| self.expected.push(Recorded { decoded, ..message.clone() }));
    }
}
