//! Answers other than a plain welcome: another version, a refusal, a disconnect.

use super::super::farewell::data_text;
use super::super::layout::{DATA, REASON};
use super::probe::Riptide;
use crate::live::probe::{Ask, Failure, Outcome};
use crate::message::OwnedMessage;
use serde_json::Value as Json;

impl Riptide {
    /// Checks that the version is the one that the user set.
    pub(super) fn wanted(&self, ask: &Ask<'_>) -> Result<(), Failure> {
        let Some(wanted) = ask.request.options.settings.get("riptide.version") else { return Ok(()) };
        let packed = |version: &str| matches!(version, "2.1" | "2.2");
        if wanted == self.version || packed(wanted) && packed(self.version) {
            return Ok(());
        }
        let text = format!("the server speaks {}, not {wanted}", self.spoken());
        let advice = format!("use a client of Riptide {}, or leave riptide.version alone", self.version);
        Err(Failure::new(Outcome::OtherVersion, text, advice).with("version", self.version).with("wanted", wanted))
    }

    pub(super) fn rejected(&self, received: &OwnedMessage) -> Failure {
        let reason = received.field(&REASON).map(|v| v.as_str().map_or(v.to_string(), str::to_string));
        let reason = reason.unwrap_or_default();
        let outcome = if reason == "server_full" { Outcome::Full } else { Outcome::Rejected };
        // A schema shows the data as values.
        let values = received.field(&DATA).filter(|data| data.get("raw").is_none() && data.is_object());
        let data = received.text(&DATA).unwrap_or_default();
        let mut text = format!("the server ({}) rejects: {reason}", self.spoken());
        let words = hex::decode(data).ok().and_then(|bytes| data_text(&bytes));
        match (&words, data) {
            _ if values.is_some() => text += &format!(", with data {}", values.unwrap_or(&Json::Null)),
            (_, "") => {}
            (Some(words), _) => text += &format!(", and says {words:?}"),
            (None, data) => text += &format!(", with data {data}"),
        }
        let advice = match (outcome, self.version, data.is_empty()) {
            (Outcome::Full, ..) => "all places are taken: try again later, or raise the server's limit",
            _ if !self.given && (!data.is_empty() || values.is_some()) => {
                "the server's application refuses this client: if it wants a password or the like, --connect-data provides it"
            }
            (_, "2.0", _) | (_, _, false) => "the server's application refuses this client: see its accept handler",
            _ => {
                "the application refuses this client; pytide sends this number where its server is full (rejected) or refuses (custom)"
            }
        };
        let failure = Failure::new(outcome, text, advice).with("version", self.version).with("reason", reason);
        match (words, data) {
            _ if values.is_some() => failure.with("data", values.cloned().unwrap_or_default()),
            (_, "") => failure,
            (Some(words), data) => failure.with("data", data).with("said", words),
            (None, data) => failure.with("data", data),
        }
    }

    /// The failure when the server disconnects.
    pub(super) fn ended(received: &OwnedMessage) -> Failure {
        let reason = received
            .field(&REASON)
            .map_or("without a reason".into(), |v| v.as_str().map_or(v.to_string(), String::from));
        let advice = "the server's application or its time-out has ended it: see the server's log";
        Failure::new(Outcome::Closed, format!("the server disconnects: {reason}"), advice).with("reason", reason)
    }
}
