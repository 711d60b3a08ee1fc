//! A protocol's table of refusals: what each of them means.

use super::{Failure, Outcome, Reading};

/// What a refusal of a server means.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// The message.
    pub message: &'static str,
    /// What it gives as its reason; empty: anything.
    pub reason: &'static str,
    /// How the probe ends.
    pub outcome: Outcome,
    /// What was seen; `{}` is the reason.
    pub text: &'static str,
    /// What to do.
    pub advice: &'static str,
}

impl Refusal {
    /// What a message with this reason means, by a protocol's table: a stray one, if that has none.
    pub fn read(table: &[Refusal], message: &str, reason: &str) -> Reading {
        let means = |r: &&Refusal| r.message == message && (r.reason.is_empty() || r.reason == reason);
        let Some(refusal) = table.iter().find(means) else { return Reading::Stray };
        let failure = Failure::new(refusal.outcome, refusal.text.replace("{}", reason), refusal.advice);
        Reading::Refused(if reason.is_empty() { failure } else { failure.with("reason", reason) })
    }
}
