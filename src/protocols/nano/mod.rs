//! nano, and its relatives pomelo, pinus, pitaya and cherry: JSON handshake, then requests,
//! notifies, responses and pushes, in packages over TCP or WebSocket.
//!
//! What a package says often depends on earlier ones: route codes on the dictionary of the
//! handshake, a response's route on its request, a payload's form on the route
//! (`memory`, `analysis`).
//!
#![doc = include_str!("README.md")]

pub(crate) mod analysis;
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
pub(crate) mod probe;
pub(crate) mod protos;
pub(crate) mod replay;
mod scan;
pub(crate) mod schemas;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod zlib;

#[cfg(test)]
mod tests;

use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::dissect::{Dissector, Encoder, Evidence, FlowInfo, NoteDoc, Observation, Options, Session, Setting, Table};
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

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        if observation.transport == Transport::Tcp { evidence::streams(observation) } else { Evidence::No }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::NanoSession::new(flow_info))
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
