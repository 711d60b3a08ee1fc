//! Ethernet frames around a payload, with correct lengths and checksums.

use super::{Body, Segment};
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use std::net::{IpAddr, SocketAddr};

/// Locally administered addresses: built frames were never on a real network card.
const FROM: [u8; 6] = [2, 0, 0, 0, 0, 1];
const TO: [u8; 6] = [2, 0, 0, 0, 0, 2];
const TTL: u8 = 64;
const WINDOW: u16 = u16::MAX;

/// The reasons for which a frame cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The payload does not fit one IP packet.
    #[error("a payload of {length} bytes, one packet has room for {most}")]
    TooLong {
        /// The payload's length.
        length: usize,
        /// The most that fits.
        most: usize,
    },
    /// One address is IPv4 and the other IPv6.
    #[error("{src} and {dst} are of different IP versions")]
    Versions {
        /// The sender.
        src: IpAddr,
        /// The receiver.
        dst: IpAddr,
    },
}

/// Builds the Ethernet frame of one UDP datagram or TCP segment into `out`, which it clears.
///
/// All of `payload` is written; the body's `length` is ignored. A TCP segment with payload has the
/// PSH flag.
///
/// # Errors
/// [`BuildError::TooLong`] above 65507 bytes of UDP over IPv4 (65527 over IPv6) or 65495 bytes of
/// TCP (65515); [`BuildError::Versions`] if one address is IPv4 and the other IPv6.
pub fn ethernet(src: SocketAddr, dst: SocketAddr, body: &Body<'_>, out: &mut Vec<u8>) -> Result<(), BuildError> {
    out.clear();
    let link = PacketBuilder::ethernet2(FROM, TO);
    // IPv4's length includes its own header, IPv6's does not.
    let (ip, room) = match (src.ip(), dst.ip()) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => (link.ipv4(src.octets(), dst.octets(), TTL), 65_535 - 20),
        (IpAddr::V6(src), IpAddr::V6(dst)) => (link.ipv6(src.octets(), dst.octets(), TTL), 65_535),
        (src, dst) => return Err(BuildError::Versions { src, dst }),
    };
    let (payload, head) = match body {
        Body::Udp { payload, .. } => (*payload, 8),
        Body::Tcp(segment) => (segment.payload, 20),
    };
    let too_long = BuildError::TooLong { length: payload.len(), most: room - head };
    if payload.len() > room - head {
        return Err(too_long);
    }
    match body {
        Body::Udp { .. } => ip.udp(src.port(), dst.port()).write(out, payload),
        Body::Tcp(segment) => tcp(ip.tcp(src.port(), dst.port(), segment.seq, WINDOW), segment).write(out, payload),
    }
    // Lengths were checked above, and writing to a vector cannot fail.
    .map_err(|_| too_long)
}

fn tcp(mut step: PacketBuilderStep<TcpHeader>, segment: &Segment<'_>) -> PacketBuilderStep<TcpHeader> {
    if segment.has_ack {
        step = step.ack(segment.ack);
    }
    if segment.syn {
        step = step.syn();
    }
    if segment.fin {
        step = step.fin();
    }
    if segment.rst {
        step = step.rst();
    }
    if !segment.payload.is_empty() {
        step = step.psh();
    }
    step
}
