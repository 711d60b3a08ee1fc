//! GNE over HawkNL: a C++ library for games, TCP and UDP, 2001 to 2012.
//!
//! TCP carries HawkNL frames (`hawknl/`): the handshake first, then lists of packets. UDP
//! carries the same lists, from the acceptance on, to the port that it names. Two errors in the
//! libraries multiply to a byte order that no version tells, but the request's build field does
//! (below, "Byte order").
//!
#![doc = include_str!("README.md")]

pub(crate) mod datagrams;
pub(crate) mod embedded;
pub(crate) mod encode;
pub(crate) mod handshake;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod notes;
pub(crate) mod packets;
pub(crate) mod pings;
pub(crate) mod probe;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod values;

#[cfg(test)]
mod tests;

use super::hawknl;
use crate::codec::digits;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::dissect::{Dissector, Encoder, Evidence, FlowInfo, NoteDoc, Observation, Options, Session, Setting, Table};
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
        parse: |text| match text == "auto" || digits::unsigned::<u64>(text).is_some() {
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

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        match observation.transport {
            Transport::Udp => Evidence::No,
            Transport::Tcp => {
                let each = observation.payloads.iter().map(|(_, bytes, _)| identify(bytes, observation.last));
                each.max_by_key(|evidence| match evidence {
                    Evidence::No => None,
                    Evidence::Bits(bits, _) => Some(*bits),
                })
                .unwrap_or(Evidence::No)
            }
        }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        match flow_info.transport {
            Transport::Tcp => Box::new(session::GneSession::new(flow_info)),
            Transport::Udp => Box::new(datagrams::GneDatagramSession::alone(flow_info)),
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
///
/// | observed | bits | because |
/// |---|---|---|
/// | a HawkNL header | 16+2 | "NL"; lengths up to 16384 of 65536 |
/// | .. its content begins with GNE | 24 | three letters |
/// | .. a second header stands where the content ends | 18 | the same again |
/// | .. the bytes end where the content ends | 8 | the low byte of a length |
/// | .. nothing more was said, and will be | 4 | one size of 16 |
fn identify(bytes: &[u8], last: bool) -> Evidence {
    const HEADER: u32 = 18;
    let length = match hawknl::header(bytes) {
        None if hawknl::MAGIC.iter().zip(bytes).all(|(a, b)| a == b) && !bytes.is_empty() => {
            return Evidence::Bits(0, "it may become a HawkNL header");
        }
        None | Some(Err(_)) => return Evidence::No,
        Some(Ok(length)) => length,
    };
    let content = bytes.get(hawknl::HEADER..).unwrap_or(&[]);
    if content.starts_with(session::MAGIC) {
        return Evidence::Bits(HEADER + 24, "a HawkNL frame that begins with GNE");
    }
    let other = "a HawkNL frame of another game";
    match content.get(length..).map(|behind| (behind, hawknl::header(behind))) {
        Some((_, Some(Ok(_)))) => Evidence::Bits(2 * HEADER, other),
        Some((_, Some(Err(_)))) => Evidence::No,
        Some(([], _)) if length > 0 => Evidence::Bits(HEADER + 8, other),
        // Header and content come in separate segments as a rule.
        _ if content.is_empty() && last => Evidence::Bits(HEADER + 4, "a HawkNL header"),
        _ => Evidence::Bits(HEADER, other),
    }
}
