//! GNE over HawkNL: a C++ library for games, TCP and UDP, 2001 to 2012.
//!
//! TCP carries HawkNL frames (`hawknl/`): the handshake first, then lists of packets. UDP carries the same lists after
//! the acceptance, to the port that it names. Two errors in the libraries combine to a byte order that no version
//! reveals; the request's build field does (below, "Byte order").
//!
#![doc = include_str!("README.md")]

pub(crate) mod client;
pub(crate) mod datagrams;
pub(crate) mod embedded;
pub(crate) mod encode;
pub(crate) mod handshake;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod notes;
pub(crate) mod packets;
pub(crate) mod pings;
pub(crate) mod session;
pub(crate) mod values;

#[cfg(test)]
mod tests;

use self::layout::Message;
use super::hawknl;
use crate::codec::digits;
use crate::dissect::{Evidence, Facts, FlowInfo, Observation, PortNames, Protocol, Session, Setting};
use crate::flow::Transport;

/// The protocol name of GNE's own lines.
pub(crate) const PROTO: &str = "gne";
static SETTINGS: [Setting; 3] = [
    Setting::among(
        "gne.endian",
        &["auto", "le", "be"],
        "the byte order; auto: from the build field of the connection's request",
    ),
    Setting::text(
        "gne.build",
        "auto",
        |text| match text == "auto" || digits::unsigned::<u64>(text).is_some() {
            true => Ok(()),
            false => Err(format!("{text:?}: expected a number, or auto")),
        },
        "the protocol build, for the form of pings (5 and earlier: short); auto: the request's, else 7",
    ),
    Setting::among(
        "gne.message",
        &[
            "auto",
            Message::ConnectionRequest.name(),
            Message::ConnectionRefused.name(),
            Message::ConnectionAccepted.name(),
            Message::ClientPort.name(),
            Message::Packets.name(),
        ],
        "what dump's input is, where its bytes do not show it",
    ),
];

/// The dissector. Datagrams carry no mark of GNE: only the user, or an acceptance over TCP, identifies their
/// conversations.
pub(crate) static GNE: Protocol = Protocol {
    facts: Facts {
        about: "GNE, Gillius's network engine, over HawkNL: TCP and UDP",
        transports: &[Transport::Tcp],
        transports_by_port: &[Transport::Udp],
        carriers: &[hawknl::PROTO],
        tables: &layout::TABLES,
        derived: &[&pings::PINGS, &handshake::REASON, &datagrams::TCP_FLOW],
        settings: &SETTINGS,
        notes: notes::NOTES,
        encodings: &values::ENCODINGS,
        port_names: Some(PortNames {
            offer: (Message::ConnectionAccepted.name(), &layout::PORT),
            answer: (Message::ClientPort.name(), &layout::PORT),
        }),
        dump_transport: |_| Transport::Tcp,
        outline: Err(
            "a packet may contain a packet, to any depth, and a list of packets ends with a mark; which message a frame \
             is, and the byte order of its numbers, follow from its place in the handshake: the language has no word for these",
        ),
        ..Facts::new(PROTO)
    },
    identify,
    session,
    encoder: |options| Box::new(encode::Writing::new(options)),
};

fn session(flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
    match flow_info.transport {
        Transport::Tcp => Box::new(session::GneSession::new(flow_info)),
        Transport::Udp => Box::new(datagrams::GneDatagramSession::alone(flow_info)),
    }
}

/// The number of bytes searched for a header in a stream that is captured from its middle.
const SEARCHED: usize = 8192;

/// Returns the better evidence of the two directions.
fn identify(observation: &Observation<'_>) -> Evidence {
    if observation.transport == Transport::Udp {
        // There is no header, and datagrams of other protocols may end with the mark too.
        let lists = !observation.payloads.is_empty()
            && observation.payloads.iter().all(|(_, bytes, length)| bytes.len() == *length && session::is_list(bytes));
        return if lists { Evidence::Bits(8, "each datagram ends with the mark of a list") } else { Evidence::No };
    }
    let each = observation.payloads.iter().flat_map(|(side, bytes, _)| {
        let searched = if observation.begun[side.index()] { 1 } else { bytes.len().clamp(1, SEARCHED) };
        (0..searched).filter_map(move |from| {
            let rest = bytes.get(from..).filter(|rest| from == 0 || rest.starts_with(&hawknl::MAGIC))?;
            match identify_stream(rest, from == 0, observation.last) {
                Evidence::Bits(bits, why) => Some(Evidence::Bits(bits.saturating_sub((from + 1).ilog2()), why)),
                Evidence::No => None,
            }
        })
    });
    each.max_by_key(|evidence| match evidence {
        Evidence::No => None,
        Evidence::Bits(bits, _) => Some(*bits),
    })
    .unwrap_or(Evidence::No)
}

/// Evidence from the first bytes of a direction.
///
/// | observed | bits | because |
/// |---|---|---|
/// | a HawkNL header | 16+2 | "NL"; lengths up to 16384 of 65536 |
/// | .. its content begins with GNE | 24 | three letters |
/// | .. a second header follows where the content ends | 18 | the same again |
/// | .. the bytes end where the content ends; not from the first byte on, also the mark of a list there | 8 | the low byte of a length |
/// | .. nothing follows, now or later, and it is at the first byte | 4 | one size of 16 |
/// | .. not at the first byte, in a stream captured from its middle | -1 a doubling | as many places were tried |
fn identify_stream(bytes: &[u8], first: bool, last: bool) -> Evidence {
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
    match content.get(length..).map(|after| (after, hawknl::header(after))) {
        Some((_, Some(Ok(_)))) => Evidence::Bits(2 * HEADER, other),
        Some((_, Some(Err(_)))) => Evidence::No,
        // Elsewhere another protocol's message may end with the letters, before the length of its next one.
        Some(([], _)) if length > 0 && (first || session::is_list(content)) => Evidence::Bits(HEADER + 8, other),
        // Header and content usually arrive in separate segments.
        _ if content.is_empty() && first && last => Evidence::Bits(HEADER + 4, "a HawkNL header"),
        _ => Evidence::Bits(HEADER, other),
    }
}
