//! DNP, the network protocol of the Drag\[en\]gine: UDP, one message in each datagram, version 1.
//!
//! Messages (`layout`) may be numbered and acknowledged (`reliable`). Long ones are sent in parts (`joined`). States
//! are shared over links (`links`): a link_update contains neither types nor lengths of its values; both follow from
//! the link_state before it.
//!
#![doc = include_str!("README.md")]

pub(crate) mod acknowledges;
pub(crate) mod client;
pub(crate) mod commands;
pub(crate) mod encode;
mod evidence;
pub(crate) mod joined;
pub(crate) mod layout;
pub(crate) mod linking;
pub(crate) mod links;
pub(crate) mod notes;
pub(crate) mod payloads;
pub(crate) mod reliable;
pub(crate) mod runs;
pub(crate) mod session;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod values;
pub(crate) mod varuint;

use crate::dissect::{Facts, Outline, Protocol, Role, Setting};
use crate::duration::between;
use layout::Message;

/// The time, in nanoseconds, after which the libraries resend a command.
const RESEND: i64 = 500_000_000;
/// The time, in nanoseconds, after which they close if a command is not acknowledged.
const TIMEOUT: i64 = 3_000_000_000;

static SETTINGS: [Setting; 4] = [
    Setting::among(
        layout::UPDATE_LAYOUT,
        &["wire", "specification"],
        "the layout of link_update: as all programs send it, or as the specification has it",
    ),
    Setting::text(
        "dnp.types",
        "none",
        |text| text.parse::<types::Types>().map(|_| ()),
        "LINK:TYPE,TYPE,...;LINK:...: value types of links whose link_state is not in the input",
    ),
    Setting::text(
        "dnp.resend",
        "500ms",
        |text| seconds(text).map(|_| ()),
        "the time between copies of a command: copies less than half of it apart are duplicates",
    ),
    Setting::text(
        "dnp.timeout",
        "3s",
        |text| seconds(text).map(|_| ()),
        "the time without an acknowledgement after which a side closes the connection",
    ),
];

/// Parses a duration as nanoseconds.
fn seconds(text: &str) -> Result<i64, String> {
    let most = std::time::Duration::from_secs(1_000_000_000);
    between(text.trim(), std::time::Duration::ZERO, most).map(|time| time.as_nanos() as i64)
}

const OUTLINE: Outline = Outline {
    udp: Some(&[session::PORT]),
    left_out: &[
        "The values of a link_update as programs send it: their types are those of the link's link_state, and the \
         language knows no state of one object among many.",
        "The parts of long messages are not put together, since the first one may have any number.",
        "What the numbers say (acknowledged by, resent, never acknowledged) is for [numbers], which the tables do not have.",
    ],
    ..Outline::new("command")
};

/// The dissector.
pub(crate) static DNP: Protocol = Protocol {
    facts: Facts {
        about: "Drag[en]gine Network Protocol, over UDP",
        tables: &layout::TABLES,
        derived: &[&joined::MESSAGE, &joined::PARTS, &layout::VALUES],
        settings: &SETTINGS,
        notes: notes::NOTES,
        senders: &[
            (Role::Client, &[Message::ConnectionRequest.name()]),
            (Role::Server, &[Message::ConnectionAcknowledge.name()]),
        ],
        encodings: &payloads::ENCODINGS,
        outline: Ok(OUTLINE),
        ..Facts::new("dnp")
    },
    identify: evidence::datagrams,
    session: |flow_info| Box::new(session::DnpSession::new(flow_info)),
    encoder: |options| Box::new(encode::Writing::new(options)),
};
