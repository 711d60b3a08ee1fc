//! The server's answer to the upgrade from HTTP to WebSocket.

use crate::live::probe::strangers::stranger;
use crate::live::probe::{Engine, Failure, Outcome};
use crate::message::OwnedMessage;
use crate::protocols::websocket::layout::{HEAD, STATUS};
use crate::protocols::websocket::upgrade;
use serde_json::Value as Json;

/// Checks that the upgrade is granted.
pub(super) fn upgraded(received: &OwnedMessage, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
    let status = received.derived(&STATUS).and_then(Json::as_u64).unwrap_or(0);
    let path = engine.ask.path();
    let session = engine.session()?;
    if status == 101 {
        let ours = session.last_message.text(&HEAD).unwrap_or_default();
        return answers(ours, received.text(&HEAD).unwrap_or_default());
    }
    if let Some(stranger) = stranger(session.raw()).filter(|stranger| stranger.name == "TLS") {
        let text = format!("HTTP status {status} in answer to the upgrade of {path}: {}", stranger.answer);
        let failure = Failure::new(Outcome::OtherProtocol, text, stranger.advice).with("status", status);
        return Err(failure.with("stranger", stranger.name));
    }
    let (outcome, advice) = match status {
        404 => (Outcome::Rejected, "no WebSocket under that path: give it as ws://HOST:PORT/PATH (nano's WSPath)"),
        _ => (Outcome::OtherProtocol, "an HTTP server that does no WebSocket here: check port and path"),
    };
    let text = format!("HTTP status {status} in answer to the upgrade of {path}");
    Err(Failure::new(outcome, text, advice).with("status", status))
}

/// Checks that the server's key answers ours. A peer that only copies a status line has not understood the request.
fn answers(ours: &str, head: &str) -> Result<(), Failure> {
    let key = upgrade::header(ours, "sec-websocket-key").unwrap_or_default();
    let (wanted, key_sent) = (upgrade::accept(key), upgrade::header(head, "sec-websocket-accept"));
    if key_sent == Some(wanted.as_str()) {
        return Ok(());
    }
    let text = match key_sent {
        Some(other) => format!("the upgrade is granted with the key {other:?}, but {wanted:?} answers ours"),
        None => format!("the upgrade is granted without a key: {wanted:?} answers ours"),
    };
    let advice = "a cache or a proxy between answers for the server, or this is not a WebSocket server: check the port";
    Err(Failure::new(Outcome::Broken, text, advice).with("accept", key_sent).with("expected", wanted))
}
