//! The handshake of a replay: the captured request, and a second request if a live server of the same game has another
//! byte order or protocol version.
//!
//! A refusal costs the server a socket, so the captured request is sent first: most servers accept it, and its refusal
//! contains as much as the refusal of a neutral request.

use super::super::layout::Message::{self, *};
use super::super::layout::{BUILD, GAME, PORT, SUB_VERSION, UNRELIABLE, USER_VERSION, VERSION};
use crate::codec::layout::Field;
use crate::dissect::Role;
use crate::live::replay::actor::{Outbox, Recorded};
use crate::message::OwnedMessage;
use serde_json::Value as Json;

/// The fields of the protocol version.
const VERSIONS: [Field; 3] = [VERSION, SUB_VERSION, BUILD];
/// The fields that identify the game. Only the user can decide to accept another one.
const GAMES: [Field; 2] = [GAME, USER_VERSION];

/// The UDP port in a message, if datagrams can be sent to it.
pub fn port(decoded: &OwnedMessage) -> Option<u16> {
    u16::try_from(decoded.number(&PORT)?).ok().filter(|port| *port > 0)
}

/// Whether the client of this request wants datagrams. Any value but 0 is true.
pub fn wants_datagrams(request: &OwnedMessage) -> bool {
    request.field(&UNRELIABLE).is_some_and(|wanted| wanted != false)
}

/// The capture's handshake and the state of ours.
pub struct Greeting {
    /// The captured client sent its port.
    pub has_client_port: bool,
    /// Our request as sent.
    pub request: Option<OwnedMessage>,
    /// Whether a second request may follow a refusal: the captured server accepted, and the user has not set the
    /// version.
    second: bool,
}

impl Greeting {
    /// Collects what the replay needs from all messages of the capture.
    pub fn new(messages: &[Recorded]) -> Greeting {
        let decoded = |message: Message| messages.iter().any(|m| m.decoded.message == message);
        let set = |m: &Recorded| {
            let captured = |key: &Field| m.captured.as_ref().and_then(|decoded| decoded.field(key));
            m.captured.is_some() && VERSIONS.iter().any(|key| m.decoded.field(key) != captured(key))
        };
        Greeting {
            has_client_port: decoded(ClientPort),
            request: None,
            second: decoded(ConnectionAccepted)
                && !messages
                    .iter()
                    .any(|m| m.decoded.from == Role::Client && m.decoded.message == ConnectionRequest && set(m)),
        }
    }

    /// Returns a request with the byte order and version of this refusal, if nothing else differs.
    pub fn again(&mut self, refusal: &OwnedMessage, out: &mut Outbox) -> Option<OwnedMessage> {
        let request = self.request.as_ref().filter(|_| std::mem::take(&mut self.second))?;
        let field = |decoded: &OwnedMessage, key: &Field| decoded.field(key).cloned();
        if GAMES.iter().any(|key| field(request, key) != field(refusal, key)) {
            return None;
        }
        let mut again = request.clone();
        again.version = refusal.version.or(request.version);
        for key in &VERSIONS {
            again = again.with(key, field(refusal, key)?);
        }
        if again.version == request.version && again.to_json() == request.to_json() {
            return None;
        }
        out.remark(format!(
            "the server refuses the capture's {}: asked again, and all is written, as {}; the refusal has cost it a socket",
            kind(request),
            kind(&again)
        ));
        self.request = Some(again.clone());
        Some(again)
    }
}

fn number(decoded: &OwnedMessage, field: &Field) -> String {
    decoded.field(field).map(Json::to_string).unwrap_or_default()
}

/// Version and byte order, for remarks.
fn kind(decoded: &OwnedMessage) -> String {
    let version = VERSIONS.each_ref().map(|field| number(decoded, field)).join(".");
    format!("{version} {}", decoded.version.unwrap_or("of unknown byte order"))
}

/// Explains a refusal to the user.
pub fn why(refusal: &OwnedMessage) -> String {
    format!(
        "refused: the server has version {}, game {}, user version {}, byte order {}: \
         --on 'message == connection_request: FIELD=VALUE' makes the request fit",
        VERSIONS.each_ref().map(|field| number(refusal, field)).join("."),
        number(refusal, &GAME),
        number(refusal, &USER_VERSION),
        refusal.version.unwrap_or("unknown"),
    )
}
