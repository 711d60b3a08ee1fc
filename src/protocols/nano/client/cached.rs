//! The dictionary and the protos that a client has cached from an earlier connection. The server then only sends that
//! it uses them, not their content.

use super::super::layout::BODY;
use super::super::layout::Message::Handshake;
use crate::dissect::Role;
use crate::live::replay::actor::Recorded;
use serde_json::Value as Json;

/// The `sys` of the server's answer to a handshake.
fn sys(messages: &[Recorded]) -> Option<Json> {
    let answer = messages.iter().find(|m| m.decoded.message == Handshake && m.decoded.from == Role::Server)?;
    let mut body: Json = serde_json::from_str(answer.decoded.text(&BODY)?).ok()?;
    body.get_mut("sys").map(Json::take)
}

/// The settings with the tables that this connection lacks and an earlier one received.
pub fn missing_settings(messages: &[Recorded], earlier: &[Recorded]) -> Vec<String> {
    let (Some(own), Some(sys)) = (sys(messages), sys(earlier)) else { return Vec::new() };
    let lacks = |uses: &str, names: &[&str]| {
        own.get(uses).is_some_and(|uses| *uses == true) && names.iter().all(|name| own.get(*name).is_none())
    };
    // Another version is another dictionary.
    let same = |version: &str| {
        own.get(version).is_none_or(|own| sys.get(version).is_none_or(|missing_settings| missing_settings == own))
    };
    let mut settings = Vec::new();
    if lacks("useDict", &["dict", "routeToCode"])
        && same("dictVersion")
        && let Some(dictionary) = sys.get("dict").or_else(|| sys.get("routeToCode")).filter(|d| d.is_object())
    {
        settings.push(format!("nano.dict={dictionary}"));
    }
    if lacks("useProto", &["protos"])
        && let Some(protos) = sys.get("protos").filter(|protos| protos.is_object())
    {
        settings.push(format!("nano.protos={protos}"));
    }
    settings
}
