//! What came instead of the welcome, or with it: which version, why not, who has ended it.

use super::asked::Asked;
use crate::live::OwnedMessage;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{Ask, Failure, Findings, Outcome};
use serde_json::Value as Json;

impl Asked<'_> {
    /// Looks at what came before the welcome. `true`: it is the welcome.
    pub(super) fn answered(
        &mut self,
        heard: OwnedMessage,
        ask: &Ask<'_>,
        findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        self.heard |= matches!(heard.message, "welcome" | "reject" | "connect" | "disconnect") && heard.fault.is_none();
        match (heard.message, &heard.fault) {
            ("welcome", None) if heard.fields.get("trailing").is_none() => {
                let took = heard.since(self.session.last_sent());
                self.version = heard.version.filter(|v| *v != "1.0").unwrap_or(self.version);
                findings.find("riptide", self.session.carrier(), Some(self.spoken().into()));
                findings.fact("client_id", heard.number("client_id").unwrap_or(0));
                findings.fact("connect_ms", milliseconds(took));
                if heard.number("sequence_id") == Some(2)
                    && let Some(found) = &mut findings.found
                {
                    found.family = Some("pytide".into());
                }
                self.wanted(ask)?;
                self.session.accept(&heard)?;
                Ok(true)
            }
            ("reject", None) => {
                // Nothing to leave, and the port is not used again: some servers stay silent for it.
                self.session.accept(&heard)?;
                findings.find("riptide", self.session.carrier(), Some(self.spoken().into()));
                self.wanted(ask)?;
                Err(self.rejected(&heard))
            }
            ("connect", None) if heard.bytes.len() == 1 => {
                self.session.accept(&heard)?;
                self.pending = true;
                findings.note("the server's application decides about clients (pending)");
                Ok(false)
            }
            ("disconnect", None) => {
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
        let reason = heard.fields.get("reason").map(|v| v.as_str().map_or(v.to_string(), str::to_string));
        let reason = reason.unwrap_or_default();
        let outcome = if reason == "server_full" { Outcome::Full } else { Outcome::Rejected };
        // By a schema, they are values.
        let values = heard.fields.get("data").filter(|data| data.get("raw").is_none() && data.is_object());
        let data = heard.text("data").unwrap_or_default();
        let mut text = format!("the server ({}) rejects: {reason}", self.spoken());
        let said = hex::decode(data).ok().and_then(|bytes| printable(&bytes));
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
    let reason = heard
        .fields
        .get("reason")
        .map_or("without a reason".into(), |v| v.as_str().map_or(v.to_string(), String::from));
    let advice = "the server's application or its time-out has ended it: see the server's log";
    Failure::new(Outcome::Closed, format!("the server disconnects: {reason}"), advice).with("reason", reason)
}

/// Text of strings that applications put into data: their length comes first.
fn printable(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [length, rest @ ..] if *length as usize == rest.len() => rest,
        // From 128 bytes on: 2.0 marks the first of two by its highest bit, 2.1 goes on while it is set.
        [a @ 0x80..=0xff, b, rest @ ..]
            if usize::from(*a & 0x7f) << 8 | usize::from(*b) == rest.len()
                || usize::from(*b) << 7 | usize::from(*a & 0x7f) == rest.len() =>
        {
            rest
        }
        all => all,
    };
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn data_that_is_text() {
        let text = "x".repeat(300);
        let long = |head: [u8; 2]| printable(&[&head[..], text.as_bytes()].concat());
        assert_eq!(long([0x81, 44]), Some(text.clone()), "2.0");
        assert_eq!(long([0xac, 2]), Some(text.clone()), "2.1 and later");
        assert_eq!((long([0x81, 45]), printable(&[2, b'h', b'i'])), (None, Some("hi".into())));
    }
}
