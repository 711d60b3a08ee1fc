//! What is said when, and what is expected of the peer: the recording, sorted by what becomes of
//! each message.

use crate::capture::Time;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Recorded};
use std::collections::BTreeMap;

/// A message of ours.
#[derive(Clone, Debug)]
pub struct Step {
    /// The message.
    pub recorded: Recorded,
    /// How many of the peer's messages, in parts, stand before it.
    pub after: usize,
}

impl Step {
    /// `riptide.reliable`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.recorded.said.proto, self.recorded.said.message)
    }
}

/// A message that is not sent, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// Its frame in the capture.
    pub frame: u64,
    /// Its name.
    pub message: String,
    /// Why.
    pub why: String,
}

/// The plan of one session.
#[derive(Debug, Default)]
pub struct Plan {
    /// What is said, in the order of the recording.
    pub steps: Vec<Step>,
    /// What the peer said in the capture, in order and in parts.
    pub expected: Vec<Recorded>,
    /// When the first and the last message of either side came, of those that are played.
    pub span: Option<[Time; 2]>,
    /// What is refused because it may harm the peer.
    pub refused: Vec<Unsaid>,
    /// What the session makes live instead, and how many messages of the kind.
    pub live: BTreeMap<&'static str, u64>,
    /// How many messages the user drops.
    pub dropped: u64,
    /// How many messages of nobody: it is not known who sent them.
    pub unknown: u64,
}

/// How a plan is made.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// Whom we play.
    pub role: Role,
    /// Say also what may harm the peer.
    pub allow_dangerous: bool,
    /// Leave out frames behind this one.
    pub until: Option<u64>,
}

impl Plan {
    /// Sorts the messages.
    pub fn new(messages: &[Recorded], wishes: &Wishes, actor: &mut dyn Actor) -> Plan {
        let mut plan = Plan::default();
        let behind = |message: &&Recorded| wishes.until.is_none_or(|frame| message.frame <= frame);
        let messages: Vec<&Recorded> = messages.iter().take_while(behind).collect();
        let fates: Vec<Disposition> = messages.iter().map(|message| actor.disposition(message)).collect();
        actor.learn(&mut messages.iter().map(|message| &message.said));
        plan.span = messages.first().zip(messages.last()).map(|(first, last)| [first.time, last.time]);
        for (message, fate) in messages.into_iter().zip(fates) {
            let ours = message.said.from == wishes.role;
            match (ours, fate) {
                _ if message.said.from == Role::Unknown => plan.unknown += 1,
                (true, _) if message.dropped => plan.dropped += 1,
                (true, Disposition::Danger(why)) if !wishes.allow_dangerous => plan.refused.push(Unsaid {
                    frame: message.frame,
                    message: format!("{}.{}", message.said.proto, message.said.message),
                    why,
                }),
                (true, Disposition::Live(kind)) => *plan.live.entry(kind).or_default() += 1,
                (true, _) => {
                    let step = Step { recorded: message.clone(), after: plan.expected.len() };
                    plan.steps.extend(std::iter::repeat_n(step, 1 + message.changed.copies as usize));
                }
                (false, Disposition::Send) => plan.expect(message.clone(), actor),
                (false, _) => {}
            }
        }
        plan
    }

    /// What the peer is to say, as it said it in the capture: what the user changes is ours alone.
    fn expect(&mut self, mut message: Recorded, actor: &dyn Actor) {
        if let Some(captured) = message.captured.take() {
            (message.said, message.edited) = (captured, false);
        }
        let said = std::mem::take(&mut message.said);
        actor.parts(said, &mut |said| self.expected.push(Recorded { said, ..message.clone() }));
    }
}
