//! Acknex, the client/server protocol of 3D Gamestudio: A6 to A8 as specified, and A5 (5.230).
//!
//! A datagram holds any number of messages without header, length or acknowledgement; each message
//! is a line of its own. The specification leaves open how some bytes are read (the order of an
//! angle's bytes, the width of coordinates, ..): `reading` has the choices, and `votes` finds
//! two of them by what a conversation shows. No byte of a real engine was ever seen: everything
//! here follows the manuals.
//!
#![doc = include_str!("README.md")]

pub(crate) mod a5;
mod analyse;
pub(crate) mod commands;
pub(crate) mod creates;
pub(crate) mod encode;
mod evidence;
pub(crate) mod flags;
pub(crate) mod layout;
pub(crate) mod members;
pub(crate) mod notes;
pub(crate) mod probe;
pub(crate) mod reading;
pub(crate) mod replay;
pub(crate) mod session;
#[cfg(test)]
mod tests;
pub(crate) mod votes;
pub(crate) mod whole;

use crate::codec::layout::Field;
use crate::dissect::{Dissector, Encoder, Evidence, FlowInfo, NoteDoc, Observation, Options, Session, Setting, Table};
use crate::flow::Transport;

/// The default port of the engine's servers.
pub const PORT: u16 = 2300;

/// The dissector.
pub struct Acknex;

static DERIVED: [&Field; 4] = [&analyse::MEMBER, &analyse::REQUEST_FRAME, &analyse::ROUND_TRIP, &reading::READING];

impl Dissector for Acknex {
    fn name(&self) -> &'static str {
        "acknex"
    }

    fn about(&self) -> &'static str {
        "Acknex / 3D Gamestudio A5 to A8, over UDP"
    }

    fn tables(&self) -> &'static [Table] {
        &commands::TABLES
    }

    fn derived(&self) -> &'static [&'static Field] {
        &DERIVED
    }

    fn settings(&self) -> &'static [Setting] {
        &reading::SETTINGS
    }

    fn notes(&self) -> &'static [NoteDoc] {
        notes::NOTES
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        transport == Transport::Udp
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        if observation.transport == Transport::Udp { evidence::datagrams(observation) } else { Evidence::No }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::AcknexSession::new(flow_info))
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(options))
    }
}
