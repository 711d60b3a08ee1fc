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
pub(crate) mod client;
pub(crate) mod commands;
pub(crate) mod creates;
pub(crate) mod encode;
mod evidence;
pub(crate) mod flags;
pub(crate) mod layout;
pub(crate) mod members;
pub(crate) mod notes;
pub(crate) mod reading;
pub(crate) mod session;
#[cfg(test)]
mod tests;
pub(crate) mod votes;
pub(crate) mod whole;

use crate::dissect::{Protocol, Public};

/// The default port of the engine's servers.
pub const PORT: u16 = 2300;

/// The dissector.
pub static ACKNEX: Protocol = Protocol {
    about: "Acknex / 3D Gamestudio A5 to A8, over UDP",
    tables: &commands::TABLES,
    derived: &[&analyse::MEMBER, &analyse::REQUEST_FRAME, &analyse::ROUND_TRIP, &reading::READING],
    settings: &reading::SETTINGS,
    notes: notes::NOTES,
    // Names out of the engine's own tables.
    public: Public { fields: &["member"], words: &["mdl", "wmb", "pcx"], lines: &[] },
    identify: evidence::datagrams,
    ..Protocol::new(
        "acknex",
        |flow_info| Box::new(session::AcknexSession::new(flow_info)),
        |options| Box::new(encode::Writing::new(options)),
    )
};
