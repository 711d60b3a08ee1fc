//! What the answer to the handshake says: whether we are accepted, and which server it is.

use crate::live::probe::{Failure, Findings, Outcome};
use serde_json::Value as Json;

/// Which server it is, and by what it answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Answers handshakes before the ack.
    Handshakes(&'static str),
    /// Answers heartbeats after the ack.
    Heartbeats(&'static str),
    /// The handshake's answer does not tell.
    Unknown,
}

impl Family {
    /// By the `sys` of its answer.
    pub fn of(sys: &Json) -> Family {
        let has = |key: &str| sys.get(key).is_some();
        match () {
            _ if has("serializer") => Family::Handshakes("pitaya or cherry"),
            _ if has("servertime") => Family::Handshakes("nano 0.5.1 or later"),
            _ if has("routeToCode") => Family::Heartbeats("pomelo"),
            _ if has("useDict") || has("useProto") => Family::Heartbeats("pinus, or pomelo with a cached dictionary"),
            _ => Family::Unknown,
        }
    }

    /// The words for people.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Family::Handshakes(name) | Family::Heartbeats(name) => Some(name),
            Family::Unknown => None,
        }
    }
}

/// Was the handshake accepted?
pub fn accepted(said: &Json, body: &str) -> Result<(), Failure> {
    let code = said.get("code").and_then(Json::as_i64);
    let words = ["message", "msg", "error"].iter().find_map(|key| said.get(key)?.as_str());
    let words = words.map_or(String::new(), |words| format!(", and says {words:?}"));
    match code {
        Some(200) => Ok(()),
        Some(501) => {
            let text = format!("the server does not take this client's type or version (501){words}");
            let advice = "its checkClient wants a client that netkit cannot know";
            Err(Failure::new(Outcome::OtherVersion, text, advice).with("code", 501).with("said", body))
        }
        Some(code) => {
            let text = format!("the server refuses the handshake ({code}){words}");
            let advice =
                "its handshake handler wants something of the user: --connect-data gives it; see the server's log";
            Err(Failure::new(Outcome::Rejected, text, advice).with("code", code).with("said", body))
        }
        None => {
            let text = "a handshake answer without a code".to_string();
            let advice =
                "the body is neither JSON nor zlib of it, or of a server that nobody has described; -v shows it";
            Err(Failure::new(Outcome::Broken, text, advice).with("said", body))
        }
    }
}

/// The server's own words.
pub fn tell(sys: &Json, said: &Json, findings: &mut Findings<'_>) {
    for key in ["heartbeat", "servertime", "serializer", "dictVersion", "protoVersion", "useDict", "useProto"] {
        if let Some(value) = sys.get(key) {
            findings.fact(key, value.clone());
        }
    }
    let dictionary = sys.get("dict").or_else(|| sys.get("routeToCode")).and_then(Json::as_object);
    if let Some(dictionary) = dictionary {
        findings.fact("dictionary", dictionary.len());
    }
    if let Some(user) = said.get("user").filter(|user| user.as_object().is_none_or(|map| !map.is_empty())) {
        findings.fact("user", user.clone());
    }
}
