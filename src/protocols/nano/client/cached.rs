//! The dictionary and the protos that a client has kept from an earlier connection: the server says
//! then that it uses them, and not what they are.

use super::super::layout::BODY;
use super::super::layout::Message::Handshake;
use crate::dissect::Role;
use crate::live::replay::actor::Recorded;
use serde_json::Value as Json;

/// The `sys` of the server's answer to a handshake.
fn sys(messages: &[Recorded]) -> Option<Json> {
    let answer = messages.iter().find(|m| m.said.message == Handshake && m.said.from == Role::Server)?;
    let mut body: Json = serde_json::from_str(answer.said.text(&BODY)?).ok()?;
    body.get_mut("sys").map(Json::take)
}

/// What a connection lacks that an earlier one was told: settings.
pub fn told(messages: &[Recorded], earlier: &[Recorded]) -> Vec<String> {
    let (Some(own), Some(sys)) = (sys(messages), sys(earlier)) else { return Vec::new() };
    let lacks = |uses: &str, names: &[&str]| {
        own.get(uses).is_some_and(|uses| *uses == true) && names.iter().all(|name| own.get(*name).is_none())
    };
    // Another version is another dictionary.
    let same = |version: &str| own.get(version).is_none_or(|own| sys.get(version).is_none_or(|told| told == own));
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
