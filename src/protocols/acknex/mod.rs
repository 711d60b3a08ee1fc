//! Acknex, the client/server protocol of 3D Gamestudio: A6 to A8 as specified, and A5 (5.230).
//!
//! A datagram holds any number of messages without header, length or acknowledgement. Each message is a line of its
//! own. The specification leaves some readings open (the byte order of angles, the width of coordinates, ..): `reading`
//! has the choices, and `votes` finds two of them from a conversation's content. No byte of a real engine was ever
//! available: everything here follows the manuals.
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

use crate::dissect::{Facts, Outline, Protocol, Public};

/// The default port of the engine's servers.
pub(crate) const PORT: u16 = 2300;

const OUTLINE: Outline = Outline {
    version: "a6",
    udp: Some(&[PORT]),
    several: true,
    choices: &[
        ("position", "positions", &["packed", "fixed", "packed_xy", "fixed_xy"]),
        ("skin", "skin_place", &["table", "bit"]),
        ("color", "color_order", &["usual", "other"]),
    ],
    order: "angle",
    skip: "skip",
    left_out: &[
        "Edition, width of positions, byte order of angles are not found from what a conversation shows: settings say them.",
        "Who sends is known by the port, or from a message that one side alone sends.",
        "An entity's flags that have no name are masks of the two bytes, not numbers of the engine's flag word.",
        "The command of a malformed update is in packet, like every command.",
    ],
    ..Outline::new("command")
};

/// The dissector.
pub(crate) static ACKNEX: Protocol = Protocol {
    facts: Facts {
        about: "Acknex / 3D Gamestudio A5 to A8, over UDP",
        tables: &commands::TABLES,
        derived: &[&analyse::MEMBER, &analyse::REQUEST_FRAME, &analyse::ROUND_TRIP, &reading::READING],
        settings: &reading::SETTINGS,
        notes: notes::NOTES,
        // Names from the engine's own tables.
        public: Public { words: "mdl wmb pcx", lines: &[] },
        outline: Ok(OUTLINE),
        ..Facts::new("acknex")
    },
    identify: evidence::datagrams,
    session: |flow_info| Box::new(session::AcknexSession::new(flow_info)),
    encoder: |options| Box::new(encode::Writing::new(options)),
};
