//! A protocol's table of refusals: what each of them means.

use super::{Failure, Outcome, Reading};

/// What a refusal of a server means.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    message: &'static str,
    reason: &'static str,
    outcome: Outcome,
    text: &'static str,
    advice: &'static str,
}

impl Refusal {
    /// A message with this reason (empty: with any) ends the probe so.
    pub const fn new(message: &'static str, reason: &'static str, outcome: Outcome) -> Refusal {
        Refusal { message, reason, outcome, text: "", advice: "" }
    }

    /// What was seen, where `{}` is the reason; and what to do.
    pub const fn saying(self, text: &'static str, advice: &'static str) -> Refusal {
        Refusal { text, advice, ..self }
    }

    /// What a message with this reason means, by a protocol's table: a stray one, if that has none.
    pub fn read(table: &[Refusal], message: &str, reason: &str) -> Reading {
        let means = |r: &&Refusal| r.message == message && (r.reason.is_empty() || r.reason == reason);
        let Some(refusal) = table.iter().find(means) else { return Reading::Stray };
        let failure = Failure::new(refusal.outcome, refusal.text.replace("{}", reason), refusal.advice);
        Reading::Refused(if reason.is_empty() { failure } else { failure.with("reason", reason) })
    }
}
