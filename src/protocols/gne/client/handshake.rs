//! The handshake of a replay: what the capture's was, and a second try where a live server of the
//! same game writes in another byte order or has another protocol version.
//!
//! A refusal costs the server a socket, so the captured request goes first: most servers take it,
//! and a refusal tells as much as a neutral request would.

use super::super::layout::Message::{self, *};
use super::super::layout::{BUILD, GAME, PORT, SUB_VERSION, UNRELIABLE, USER_VERSION, VERSION};
use crate::codec::layout::Field;
use crate::dissect::Role;
use crate::live::replay::actor::{Outbox, Recorded};
use crate::message::OwnedMessage;
use serde_json::Value as Json;

/// The protocol's version, field by field.
const VERSIONS: [Field; 3] = [VERSION, SUB_VERSION, BUILD];
/// What tells one game from another: that a server has another one is the user's to decide.
const GAMES: [Field; 2] = [GAME, USER_VERSION];

/// A port that datagrams can go to.
pub fn port(said: &OwnedMessage) -> Option<u16> {
    u16::try_from(said.number(&PORT)?).ok().filter(|port| *port > 0)
}

/// Does the client that says this want datagrams? Any value but 0 is true.
pub fn wants_datagrams(request: &OwnedMessage) -> bool {
    request.field(&UNRELIABLE).is_some_and(|wanted| wanted != false)
}

/// What the capture says of its handshake, and what became of ours.
pub struct Greeting {
    /// The client told its port.
    pub has_client_port: bool,
    /// Our request, as it was sent.
    pub request: Option<OwnedMessage>,
    /// A refusal may be answered with a second request: the captured server accepted, and the user
    /// has not set the version.
    second: bool,
}

impl Greeting {
    /// From all messages of the capture.
    pub fn new(messages: &[Recorded]) -> Greeting {
        let said = |message: Message| messages.iter().any(|m| m.said.message == message);
        let set = |m: &Recorded| {
            let captured = |key: &Field| m.captured.as_ref().and_then(|said| said.field(key));
            m.captured.is_some() && VERSIONS.iter().any(|key| m.said.field(key) != captured(key))
        };
        Greeting {
            has_client_port: said(ClientPort),
            request: None,
            second: said(ConnectionAccepted)
                && !messages
                    .iter()
                    .any(|m| m.said.from == Role::Client && m.said.message == ConnectionRequest && set(m)),
        }
    }

    /// The request as this refusal's server wants it, where byte order and version are all that it
    /// can dislike.
    pub fn again(&mut self, refusal: &OwnedMessage, out: &mut Outbox) -> Option<OwnedMessage> {
        let request = self.request.as_ref().filter(|_| std::mem::take(&mut self.second))?;
        let field = |said: &OwnedMessage, key: &Field| said.field(key).cloned();
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

fn number(said: &OwnedMessage, field: &Field) -> String {
    said.field(field).map(Json::to_string).unwrap_or_default()
}

/// Version and byte order.
fn kind(said: &OwnedMessage) -> String {
    let version = VERSIONS.each_ref().map(|field| number(said, field)).join(".");
    format!("{version} {}", said.version.unwrap_or("of unknown byte order"))
}

/// What a refusal tells the user.
pub fn why(refusal: &OwnedMessage) -> String {
    format!(
        "refused: the server has version {}, game {}, user version {}, byte order {}: \
         --edit 'message == connection_request: FIELD=VALUE' makes the request fit",
        VERSIONS.each_ref().map(|field| number(refusal, field)).join("."),
        number(refusal, &GAME),
        number(refusal, &USER_VERSION),
        refusal.version.unwrap_or("unknown"),
    )
}
