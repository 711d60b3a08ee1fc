//! What is said when, and what is expected of the peer: the recording, sorted by what becomes of
//! each message.

use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Recorded};
use std::collections::BTreeMap;

/// A message of ours.
#[derive(Clone, Debug)]
pub struct Step {
    /// The message.
    pub recorded: Recorded,
    /// How many of the peer's messages stand before it.
    pub after: usize,
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
    /// What is said, in order.
    pub steps: Vec<Step>,
    /// What the peer said in the capture, in order.
    pub expected: Vec<Recorded>,
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
        for message in messages {
            if wishes.until.is_some_and(|frame| message.frame > frame) {
                break;
            }
            let fate = actor.disposition(message);
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
                    let after = plan.expected.len();
                    plan.steps.push(Step { recorded: message.clone(), after });
                }
                (false, Disposition::Send) => {
                    let mut expected = message.clone();
                    if let Some(captured) = expected.captured.take() {
                        (expected.said.fields, expected.edited) = (captured, false);
                    }
                    plan.expected.push(expected);
                }
                (false, _) => {}
            }
        }
        plan
    }
}
