//! DNP, the network protocol of the Drag\[en\]gine: UDP, one datagram one message, version 1.
//!
//! Messages ([`layout`]) may be numbered and acknowledged ([`reliable`]), long ones come in parts
//! ([`joined`]), and states are shared over links ([`links`]): a link_update says neither of what
//! types its values are nor how long they are; the link_state before it did.

pub mod acknowledges;
pub mod client;
pub mod commands;
pub mod encode;
pub mod joined;
pub mod layout;
pub mod linking;
pub mod links;
pub mod notes;
pub mod payloads;
pub mod reliable;
pub mod runs;
pub mod session;
#[cfg(test)]
mod tests;
pub mod types;
pub mod values;
pub mod varuint;

use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::codec::{Reader, Stop, Tree};
use crate::dissect::{Dissector, Encoder, Evidence, NoteDoc, Options, Session, Setting, Sight, Table, Talk};
use crate::flow::Transport;
use session::PORT;

/// The dissector.
pub struct Dnp;

/// What the libraries wait before they send a command again, in nanoseconds.
const RESEND: i64 = 500_000_000;

/// No client asks for more protocols; there is but one.
const MOST_PROTOCOLS: usize = 4;

static SETTINGS: [Setting; 3] = [
    Setting {
        key: layout::UPDATE_LAYOUT,
        default: "wire",
        values: &["wire", "specification"],
        parse: |_| Ok(()),
        doc: "the layout of link_update: as all programs send it, or as the specification has it",
    },
    Setting {
        key: "dnp.types",
        default: "none",
        values: &[],
        parse: |text| text.parse::<types::Types>().map(|_| ()),
        doc: "LINK:TYPE,TYPE,...;LINK:...: value types of links whose link_state is not in the input",
    },
    Setting {
        key: "dnp.resend",
        default: "0.5",
        values: &[],
        parse: |text| seconds(text).map(|_| ()),
        doc: "seconds between copies of a command: copies less than half of it apart are duplicates",
    },
];

/// Seconds as nanoseconds.
fn seconds(text: &str) -> Result<i64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok((seconds * 1e9).round() as i64),
        _ => Err(format!("{text:?}: expected seconds, as 0.5")),
    }
}

static DERIVED: [&Field; 3] = [&joined::MESSAGE, &joined::PARTS, &layout::VALUES];

impl Dissector for Dnp {
    fn name(&self) -> &'static str {
        "dnp"
    }

    fn about(&self) -> &'static str {
        "Drag[en]gine Network Protocol, over UDP"
    }

    fn tables(&self) -> &'static [Table] {
        &layout::TABLES
    }

    fn derived(&self) -> &'static [&'static Field] {
        &DERIVED
    }

    fn settings(&self) -> &'static [Setting] {
        &SETTINGS
    }

    fn notes(&self) -> &'static [NoteDoc] {
        notes::NOTES
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        transport == Transport::Udp
    }

    fn identify(&self, sight: &Sight<'_>) -> Evidence {
        if sight.transport != Transport::Udp {
            return Evidence::No;
        }
        if sight.ends.iter().any(|end| end.port() == PORT) {
            // Foreign programs use the port too: one datagram has to be a command.
            let whole = sight.said.iter().any(|(_, bytes, length)| *length > 0 && readable(bytes, *length));
            return if whole { Evidence::Sure(100, "port 3413") } else { Evidence::Maybe("port 3413") };
        }
        // Almost any datagram could be DNP: only a request at the beginning says that it is.
        match sight.said.iter().find(|(_, _, length)| *length > 0) {
            Some((_, [0, low, high, ..], length)) => {
                let count = u16::from_le_bytes([*low, *high]) as usize;
                match (1..=MOST_PROTOCOLS).contains(&count) && *length == 3 + 2 * count {
                    true => Evidence::Sure(85, "begins with a connection_request"),
                    false => Evidence::No,
                }
            }
            Some(_) => Evidence::No,
            None => Evidence::Maybe("nothing but empty datagrams"),
        }
    }

    fn session(&self, talk: &Talk<'_>) -> Box<dyn Session> {
        Box::new(session::Conversation::new(talk))
    }

    fn encodings(&self) -> &'static [Encoding] {
        &payloads::ENCODINGS
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(options))
    }
}

/// Is it a known command that can be read to its end, as far as nothing is remembered?
fn readable(bytes: &[u8], length: usize) -> bool {
    let layout = layout::by_command(bytes.first().copied());
    let mut tree = Tree::default();
    let outcome = Reader::new(bytes, &mut tree).wire_length(length).read(layout.fields);
    let whole = outcome.stop.is_none() && outcome.bits as usize == bytes.len() * 8;
    layout.name != "unknown" && (whole || matches!(outcome.stop, Some(Stop::Unknown { .. })))
}
