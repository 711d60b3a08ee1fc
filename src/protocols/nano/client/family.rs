//! The answer to the handshake: whether it accepts us, and which server sent it.

use crate::live::probe::{Failure, Findings, Outcome};
use serde_json::Value as Json;

/// The kind of server, and the packages that it answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Answers handshakes before the ack.
    Handshakes(&'static str),
    /// Answers heartbeats after the ack.
    Heartbeats(&'static str),
    /// The handshake's answer does not identify it.
    Unknown,
}

impl Family {
    /// Finds the family by the `sys` of its answer.
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

    /// The name for the report.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Family::Handshakes(name) | Family::Heartbeats(name) => Some(name),
            Family::Unknown => None,
        }
    }
}

/// Checks that the handshake was accepted.
pub fn accepted(answer: &Json, body: &str) -> Result<(), Failure> {
    let code = answer.get("code").and_then(Json::as_i64);
    let words = ["message", "msg", "error"].iter().find_map(|key| answer.get(key)?.as_str());
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
                "its handshake handler wants data of the user: --connect-data provides it; see the server's log";
            Err(Failure::new(Outcome::Rejected, text, advice).with("code", code).with("said", body))
        }
        None => {
            let text = "a handshake answer without a code".to_string();
            let advice = "the body is neither JSON nor zlib of it, or the server is of an unknown kind; -v shows it";
            Err(Failure::new(Outcome::Broken, text, advice).with("said", body))
        }
    }
}

/// Reports the facts in the server's answer.
pub fn report(sys: &Json, answer: &Json, findings: &mut Findings<'_>) {
    for key in ["heartbeat", "servertime", "serializer", "dictVersion", "protoVersion", "useDict", "useProto"] {
        if let Some(value) = sys.get(key) {
            findings.fact(key, value.clone());
        }
    }
    let dictionary = sys.get("dict").or_else(|| sys.get("routeToCode")).and_then(Json::as_object);
    if let Some(dictionary) = dictionary {
        findings.fact("dictionary", dictionary.len());
    }
    if let Some(user) = answer.get("user").filter(|user| user.as_object().is_none_or(|map| !map.is_empty())) {
        findings.fact("user", user.clone());
    }
}
