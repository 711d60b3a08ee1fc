//! nano, and its relatives pomelo, pinus, pitaya and cherry: JSON handshake, then requests,
//! notifies, responses and pushes, in packages over TCP or WebSocket.
//!
//! What a package says often depends on earlier ones: route codes on the dictionary of the
//! handshake, a response's route on its request, a payload's form on the route
//! ([`memory`], [`analysis`]).

pub mod analysis;
pub mod circumstances;
pub mod client;
pub mod encode;
pub mod json;
pub mod layout;
pub mod members;
pub mod memory;
pub mod notes;
pub mod package;
pub mod payload;
pub mod pomelo;
pub mod protos;
mod scan;
pub mod schemas;
pub mod session;
pub mod settings;
pub mod zlib;

#[cfg(test)]
mod tests;

use super::websocket::http;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::dissect::{Dissector, Encoder, Evidence, NoteDoc, Options, Session, Setting, Sight, Table, Talk};
use crate::flow::Transport;

/// The dissector's name.
pub const NAME: &str = "nano";

/// What may be shown beside the fields, nano's own and the carrier's.
static DERIVED: [&Field; 12] = {
    let [id, route, length] = analysis::DERIVED;
    let [inflated, json, message, payload] = payload::DERIVED;
    let [target, extensions, status, header, compressed] = &super::websocket::layout::DERIVED;
    [id, route, length, inflated, json, message, payload, target, extensions, status, header, compressed]
};

/// The dissector.
pub struct Nano;

impl Dissector for Nano {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "nano, pomelo, pinus and pitaya, over TCP and WebSocket"
    }

    fn carriers(&self) -> &'static [&'static str] {
        &[super::websocket::NAME]
    }

    fn tables(&self) -> &'static [Table] {
        &layout::TABLES
    }

    fn derived(&self) -> &'static [&'static Field] {
        &DERIVED
    }

    fn settings(&self) -> &'static [Setting] {
        &settings::SETTINGS
    }

    fn notes(&self) -> &'static [NoteDoc] {
        notes::NOTES
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        transport == Transport::Tcp
    }

    fn identify(&self, sight: &Sight<'_>) -> Evidence {
        if sight.transport != Transport::Tcp {
            return Evidence::No;
        }
        // What one side says may be no handshake that is recognised, and the other's answer be one.
        let other_may_tell = matches!(sight.said, [(_, [1..=5, ..], _)]);
        let mut open = if other_may_tell { Evidence::Maybe("a package's type") } else { Evidence::No };
        for (_, bytes, _) in sight.said {
            match identify(bytes) {
                Evidence::No => {}
                Evidence::Maybe(why) => open = Evidence::Maybe(why),
                sure => return sure,
            }
        }
        open
    }

    fn session(&self, talk: &Talk<'_>) -> Box<dyn Session> {
        Box::new(session::Conversation::new(talk))
    }

    fn dump_transport(&self, _options: &Options) -> Transport {
        Transport::Tcp
    }

    fn encodings(&self) -> &'static [Encoding] {
        &schemas::ENCODINGS
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Packages::new(options))
    }
}

/// By the first bytes of a side: a handshake with a body, or a request to go over to WebSocket.
fn identify(mut bytes: &[u8]) -> Evidence {
    if bytes.starts_with(b"GET ") {
        return match http::end(bytes, 0).and_then(|end| bytes.get(..end)) {
            Some(head) if http::Head::read(head).upgrade => Evidence::Sure(50, "a request to go over to WebSocket"),
            Some(_) => Evidence::No,
            None => Evidence::Maybe("the beginning of an HTTP request"),
        };
    }
    if http::begins(bytes).is_none() {
        return Evidence::Maybe("the beginning of an HTTP request");
    }
    // Empty packages tell nothing, and may come first.
    let whole = bytes.len();
    while let [1..=3, 0, 0, 0, rest @ ..] = bytes {
        bytes = rest;
    }
    match bytes {
        [1, _, _, _, b'{' | b'x', ..] => Evidence::Sure(80, "a handshake"),
        // The other side may answer with one that tells.
        [1, ..] => Evidence::Maybe("a handshake, but not with JSON"),
        _ if bytes.len() < whole => Evidence::Maybe("empty packages"),
        [1..=3] | [1..=3, 0] | [1..=3, 0, 0] => Evidence::Maybe("empty packages"),
        _ => Evidence::No,
    }
}
