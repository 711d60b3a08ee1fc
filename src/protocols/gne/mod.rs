//! GNE over HawkNL: a C++ library for games, TCP and UDP, 2001 to 2012.
//!
//! TCP carries [HawkNL frames](super::hawknl): the handshake first, then lists of packets. UDP
//! carries the same lists, from the acceptance on, to the port that it names. Two errors in the
//! libraries multiply to a byte order that no version tells, but the request's build field does
//! (facts, section 4).

pub mod client;
pub mod datagrams;
pub mod embedded;
pub mod encode;
pub mod handshake;
pub mod layout;
pub mod link;
pub mod notes;
pub mod packets;
pub mod pings;
pub mod session;
pub mod values;

#[cfg(test)]
mod tests;

use super::hawknl;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::dissect::{Dissector, Encoder, Evidence, NoteDoc, Options, Session, Setting, Sight, Table, Talk};
use crate::flow::Transport;

/// The dissector.
pub struct Gne;

static SETTINGS: [Setting; 3] = [
    Setting {
        key: "gne.endian",
        default: "auto",
        values: &["auto", "le", "be"],
        parse: |_| Ok(()),
        doc: "the byte order; auto: as the build field of the connection's request tells",
    },
    Setting {
        key: "gne.build",
        default: "auto",
        values: &[],
        parse: |text| match text == "auto" || text.parse::<u64>().is_ok() {
            true => Ok(()),
            false => Err(format!("{text:?}: expected a number, or auto")),
        },
        doc: "the protocol build, for the form of pings (5 and earlier: short); auto: the request's, else 7",
    },
    Setting {
        key: "gne.message",
        default: "auto",
        values: &["auto", "connection_request", "connection_refused", "connection_accepted", "client_port", "packets"],
        parse: |_| Ok(()),
        doc: "what dump's input is, where it does not tell itself",
    },
];

static DERIVED: [&Field; 3] = [&pings::PINGS, &handshake::REASON, &datagrams::TCP_FLOW];

impl Dissector for Gne {
    fn name(&self) -> &'static str {
        packets::PROTO
    }

    fn about(&self) -> &'static str {
        "GNE, Gillius's network engine, over HawkNL: TCP, and UDP beside it"
    }

    fn carriers(&self) -> &'static [&'static str] {
        &[hawknl::PROTO]
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

    fn takes(&self, transport: Transport, named: bool) -> bool {
        // UDP tells nothing of itself: only the user, or an acceptance over TCP, can know it.
        transport == Transport::Tcp || named
    }

    fn identify(&self, sight: &Sight<'_>) -> Evidence {
        match sight.transport {
            Transport::Udp => Evidence::No,
            Transport::Tcp => {
                let each = sight.said.iter().map(|(_, bytes, _)| identify(bytes));
                each.max_by_key(|evidence| match evidence {
                    Evidence::No => 0,
                    Evidence::Maybe(_) => 1,
                    Evidence::Likely(_) => 2,
                    Evidence::Sure(rank, _) => 3 + *rank as u16,
                })
                .unwrap_or(Evidence::No)
            }
        }
    }

    fn session(&self, talk: &Talk<'_>) -> Box<dyn Session> {
        match talk.transport {
            Transport::Tcp => Box::new(session::Connection::new(talk)),
            Transport::Udp => Box::new(datagrams::Datagrams::alone(talk)),
        }
    }

    fn dump_transport(&self, _options: &Options) -> Transport {
        Transport::Tcp
    }

    fn encodings(&self) -> &'static [Encoding] {
        &values::ENCODINGS
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(options))
    }
}

/// What the first bytes of a direction tell.
fn identify(bytes: &[u8]) -> Evidence {
    match hawknl::header(bytes) {
        None if hawknl::MAGIC.iter().zip(bytes).all(|(a, b)| a == b) && !bytes.is_empty() => {
            Evidence::Maybe("it may become a HawkNL header")
        }
        None | Some(Err(_)) => Evidence::No,
        Some(Ok(length)) => {
            let content = bytes.get(hawknl::HEADER..).unwrap_or(&[]);
            let known = content.len().min(session::MAGIC.len());
            if content.starts_with(session::MAGIC) {
                Evidence::Sure(90, "a HawkNL frame that begins with GNE")
            } else if content.iter().zip(session::MAGIC).all(|(a, b)| a == b) && known < length {
                // Header and content come in separate segments as a rule.
                Evidence::Likely("a HawkNL header")
            } else {
                Evidence::Sure(10, "a HawkNL frame of another game")
            }
        }
    }
}
