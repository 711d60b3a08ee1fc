//! A protocol's table of refusals and their meanings.

use super::{Failure, Meaning, Outcome};

/// The meaning of a server's refusal.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    message: &'static str,
    reason: &'static str,
    outcome: Outcome,
    text: &'static str,
    advice: &'static str,
}

impl Refusal {
    /// Creates an entry: a message with this reason (empty: with any) ends the probe with this outcome.
    pub const fn new(message: &'static str, reason: &'static str, outcome: Outcome) -> Refusal {
        Refusal { message, reason, outcome, text: "", advice: "" }
    }

    /// Sets the observation, in which `{}` is replaced by the reason, and the advice.
    pub const fn saying(self, text: &'static str, advice: &'static str) -> Refusal {
        Refusal { text, advice, ..self }
    }

    /// Returns the meaning of a message with this reason by a protocol's table; a stray message if the table has none.
    pub fn read(table: &[Refusal], message: &str, reason: &str) -> Meaning {
        let means = |r: &&Refusal| r.message == message && (r.reason.is_empty() || r.reason == reason);
        let Some(refusal) = table.iter().find(means) else { return Meaning::Stray };
        let failure = Failure::new(refusal.outcome, refusal.text.replace("{}", reason), refusal.advice);
        Meaning::Refused(if reason.is_empty() { failure } else { failure.with("reason", reason) })
    }
}
