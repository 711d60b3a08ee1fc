//! nano, and its relatives pomelo, pinus, pitaya and cherry: a JSON handshake, then requests, notifies, responses and
//! pushes, in packages over TCP or WebSocket.
//!
//! Reading a package often needs earlier ones: route codes need the handshake's dictionary, a response's route its
//! request, a payload's form the route (`memory`, `analysis`).
//!
#![doc = include_str!("README.md")]

pub(crate) mod analysis;
mod chain;
pub(crate) mod client;
pub(crate) mod encode;
mod evidence;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod line_context;
pub(crate) mod members;
pub(crate) mod memory;
pub(crate) mod notes;
pub(crate) mod package;
pub(crate) mod payload;
pub(crate) mod pomelo;
mod pomelo_write;
pub(crate) mod protos;
mod scan;
pub(crate) mod schemas;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod zlib;

#[cfg(test)]
mod tests;

use crate::codec::layout::Field;
use crate::dissect::{Facts, Outline, Protocol, Public, Role, StreamFrame};
use crate::flow::Transport;
use layout::Message;

/// The dissector's name.
pub(crate) const NAME: &str = "nano";

/// The derived fields of nano and its carrier.
static DERIVED: [&Field; 12] = {
    let [id, route, length] = analysis::DERIVED;
    let [inflated, json, message, payload] = payload::DERIVED;
    let [target, extensions, status, header, compressed] = &super::websocket::layout::DERIVED;
    [id, route, length, inflated, json, message, payload, target, extensions, status, header, compressed]
};

/// The public words of handshakes and HTTP: without them an anonymised capture could not be read.
const PUBLIC: Public = Public {
    // Members of handshakes and their values; types of protos; HTTP.
    words: "sys user code type version heartbeat dict protos rsa server client useProto useDict usePrototype \
            dictVersion protoVersion routeToCode codeToRoute serializer servertime json protobuf reason msg \
            optional required repeated message uInt32 sInt32 int32 float double string nested option tag tags \
            messages \
            GET POST HTTP/1.0 HTTP/1.1 Host",
    lines: &[
        "http/1.",
        "upgrade:",
        "connection:",
        "sec-websocket-key:",
        "sec-websocket-accept:",
        "sec-websocket-version:",
        "sec-websocket-extensions:",
        "content-length:",
    ],
};

const OUTLINE: Outline = Outline {
    udp: None,
    tcp: &[StreamFrame { versions: &[], header: "u8", length: "u24be" }],
    websocket: true,
    several: true,
    carriers: &[(layout::package::DATA as u64, "data")],
    left_out: &[
        "What earlier packages define: the routes of the handshake's dictionary, and the route of a response.",
        "The forms of payloads: JSON, protobuf by the handshake's or the user's definitions, zlib.",
        "Where packages begin in a stream that is out of step, or whose beginning the capture does not have.",
        "The part of a truncated package, and packages in several WebSocket messages.",
        "Ids of more than ten groups: a varint has ten at most.",
    ],
    ..Outline::new("type")
};

/// The messages that only one side sends, or only the other side accepts.
static SENDERS: [(Role, &[&str]); 2] = [
    (Role::Server, &[Message::Response.name(), Message::Push.name(), Message::Kick.name()]),
    (Role::Client, &[Message::Request.name(), Message::Notify.name(), Message::HandshakeAck.name()]),
];

/// The dissector.
pub(crate) static NANO: Protocol = Protocol {
    facts: Facts {
        about: "nano, pomelo, pinus and pitaya, over TCP and WebSocket",
        transports: &[Transport::Tcp],
        carriers: &[super::websocket::NAME],
        tables: &layout::TABLES,
        derived: &DERIVED,
        settings: &settings::SETTINGS,
        subjects: &[&layout::ROUTE],
        notes: notes::NOTES,
        senders: &SENDERS,
        public: PUBLIC,
        encodings: &schemas::ENCODINGS,
        dump_transport: |_| Transport::Tcp,
        outline: Ok(OUTLINE),
        ..Facts::new(NAME)
    },
    identify: evidence::streams,
    session: |flow_info| Box::new(session::NanoSession::new(flow_info)),
    encoder: |options| Box::new(encode::Packages::new(options)),
};
