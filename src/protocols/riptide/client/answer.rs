//! What came instead of the welcome, or with it: which version, why not, who has ended it.

use super::super::farewell::data_text;
use super::super::layout::Message::{self, *};
use super::super::layout::{CLIENT, DATA, REASON, SEQUENCE, TRAILING};
use super::asked::Asked;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{Ask, Failure, Findings, Outcome};
use crate::message::OwnedMessage;
use serde_json::Value as Json;

impl Asked<'_> {
    /// Looks at what came before the welcome. `true`: it is the welcome.
    pub(super) fn answered(
        &mut self,
        heard: OwnedMessage,
        ask: &Ask<'_>,
        findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        self.heard |= matches!(Message::named(heard.message), Some(Welcome | Reject | Connect | Disconnect))
            && heard.fault.is_none();
        match (Message::named(heard.message), &heard.fault) {
            (Some(Welcome), None) if !heard.has(&TRAILING) => {
                let took = heard.since(self.session.last_sent());
                self.version = heard.version.filter(|v| *v != "1.0").unwrap_or(self.version);
                findings.find("riptide", self.session.carrier(), Some(self.spoken().into()));
                findings.fact(CLIENT.name, heard.number(&CLIENT).unwrap_or(0));
                findings.fact("connect_ms", milliseconds(took));
                if heard.number(&SEQUENCE) == Some(2)
                    && let Some(found) = &mut findings.found
                {
                    found.family = Some("pytide".into());
                }
                self.wanted(ask)?;
                self.session.accept(&heard)?;
                Ok(true)
            }
            (Some(Reject), None) => {
                // Nothing to leave, and the port is not used again: some servers stay silent for it.
                self.session.accept(&heard)?;
                findings.find("riptide", self.session.carrier(), Some(self.spoken().into()));
                self.wanted(ask)?;
                Err(self.rejected(&heard))
            }
            (Some(Connect), None) if heard.bytes().len() == 1 => {
                self.session.accept(&heard)?;
                self.pending = true;
                findings.note("the server's application decides about clients (pending)");
                Ok(false)
            }
            (Some(Disconnect), None) => {
                self.session.accept(&heard)?;
                Err(ended(&heard))
            }
            _ => {
                self.session.unexpected.put(heard);
                Ok(false)
            }
        }
    }

    /// Is it the version that the user asked for?
    pub(super) fn wanted(&self, ask: &Ask<'_>) -> Result<(), Failure> {
        let Some(wanted) = ask.options.settings.get("riptide.version") else { return Ok(()) };
        let packed = |version: &str| matches!(version, "2.1" | "2.2");
        if wanted == self.version || packed(wanted) && packed(self.version) {
            return Ok(());
        }
        let text = format!("the server speaks {}, not {wanted}", self.spoken());
        let advice = format!("use a client of Riptide {}, or leave riptide.version alone", self.version);
        Err(Failure::new(Outcome::OtherVersion, text, advice).with("version", self.version).with("wanted", wanted))
    }

    pub(super) fn rejected(&self, heard: &OwnedMessage) -> Failure {
        let reason = heard.field(&REASON).map(|v| v.as_str().map_or(v.to_string(), str::to_string));
        let reason = reason.unwrap_or_default();
        let outcome = if reason == "server_full" { Outcome::Full } else { Outcome::Rejected };
        // By a schema, they are values.
        let values = heard.field(&DATA).filter(|data| data.get("raw").is_none() && data.is_object());
        let data = heard.text(&DATA).unwrap_or_default();
        let mut text = format!("the server ({}) rejects: {reason}", self.spoken());
        let said = hex::decode(data).ok().and_then(|bytes| data_text(&bytes));
        match (&said, data) {
            _ if values.is_some() => text += &format!(", with data {}", values.unwrap_or(&Json::Null)),
            (_, "") => {}
            (Some(said), _) => text += &format!(", and says {said:?}"),
            (None, data) => text += &format!(", with data {data}"),
        }
        let advice = match (outcome, self.version, data.is_empty()) {
            (Outcome::Full, ..) => "all places are taken: try again later, or raise the server's limit",
            _ if !self.given && (!data.is_empty() || values.is_some()) => {
                "the server's application refuses this client: if it wants a password or the like, --connect-data gives it"
            }
            (_, "2.0", _) | (_, _, false) => "the server's application refuses this client: see its accept handler",
            _ => {
                "the application refuses this client; pytide sends this number where its server is full (rejected) or refuses (custom)"
            }
        };
        let failure = Failure::new(outcome, text, advice).with("version", self.version).with("reason", reason);
        match (said, data) {
            _ if values.is_some() => failure.with("data", values.cloned().unwrap_or_default()),
            (_, "") => failure,
            (Some(said), data) => failure.with("data", data).with("said", said),
            (None, data) => failure.with("data", data),
        }
    }
}

/// The server has ended it.
pub fn ended(heard: &OwnedMessage) -> Failure {
    let reason =
        heard.field(&REASON).map_or("without a reason".into(), |v| v.as_str().map_or(v.to_string(), String::from));
    let advice = "the server's application or its time-out has ended it: see the server's log";
    Failure::new(Outcome::Closed, format!("the server disconnects: {reason}"), advice).with("reason", reason)
}
