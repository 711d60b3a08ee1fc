//! The first header of a frame, by the capture's link type.

use super::{Layer, LayerStep, meta, ppp, wifi};
use crate::capture::span::Span;
use crate::capture::{LinkType, Other, whole};
use etherparse::{EtherType, Ethernet2HeaderSlice};

pub(super) fn step(link: LinkType, span: Span<'_>) -> LayerStep<'_> {
    match link.0 {
        1 => ethernet(span),
        12 | 14 | 101 | 228 | 229 => Ok((Layer::Ip, span)),
        0 | 108 => loopback(span, 4),
        109 => loopback(span, 12),
        117 => packet_filter(span),
        113 => cooked(span, 14, 2, 16),
        276 => cooked(span, 0, 8, 20),
        9 | 50 => ppp::serial(span),
        51 => ppp::over_ethernet(span),
        104 => ppp::cisco(span),
        166 | 204 => ppp::with_direction(span),
        105 => wifi::frame(span),
        119 => wifi::prism(span),
        127 => wifi::radiotap(span),
        163 => wifi::avs(span),
        192 => wifi::ppi(span),
        149 | 258 => meta::pktap(link, span),
        239 => meta::nflog(span),
        242 => infiniband(span),
        number => Err(Other::Link(number)),
    }
}

pub(super) fn ethernet(span: Span<'_>) -> LayerStep<'_> {
    let header = Ethernet2HeaderSlice::from_slice(span.data).map_err(|_| Other::Cut("ethernet"))?;
    Ok((Layer::Kind(header.ether_type()), span.skip(14, "ethernet")?))
}

/// Linux cooked captures: the positions of protocol and hardware type, and the header's length.
fn cooked(span: Span<'_>, protocol: usize, hardware: usize, len: usize) -> LayerStep<'_> {
    let Some(head) = span.data.get(..len) else { return Err(Other::Cut("linux cooked")) };
    let word = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    match (word(hardware), word(protocol)) {
        // For Netlink and radiotap the field is not an Ethernet type.
        (824 | 803, kind) => Err(Other::EtherType(kind)),
        (_, kind) => Ok((Layer::Kind(EtherType(kind)), span.skip(len, "linux cooked")?)),
    }
}

/// The BSD loopback's address family, in either byte order, since that of the capturing host is not known. OpenBSD's
/// enc has further fields after it.
fn loopback(span: Span<'_>, len: usize) -> LayerStep<'_> {
    let head = *span.head::<4>("loopback")?;
    family(u32::from_le_bytes(head).min(u32::from_be_bytes(head)))?;
    Ok((Layer::Ip, span.skip(len, "loopback")?))
}

/// OpenBSD's pflog: its own length, the address family, and the filter's action.
fn packet_filter(span: Span<'_>) -> LayerStep<'_> {
    let &[length, af, ..] = span.head::<4>("pflog")?;
    if !(28..=120).contains(&length) {
        return Err(Other::Malformed("pflog"));
    }
    family(af.into())?;
    Ok((Layer::Ip, span.skip(usize::from(length).next_multiple_of(4), "pflog")?))
}

/// Checks that the address family is IP.
fn family(family: u32) -> Result<(), Other> {
    match family {
        // IPv6 has different numbers on Linux, Windows, NetBSD and OpenBSD, Solaris, FreeBSD and
        // DragonFly, macOS.
        2 | 10 | 23 | 24 | 26 | 28 | 30 => Ok(()),
        family => Err(Other::Family(family)),
    }
}

/// IP over InfiniBand: RFC 4391's header of an Ethernet type and two zeros, with or without the addresses of both sides
/// (20 octets each) before it. The content must be consistent.
fn infiniband(span: Span<'_>) -> LayerStep<'_> {
    for at in [0, 40] {
        let head = span.skip(at, "infiniband")?.head::<4>("infiniband")?;
        let rest = span.skip(at + 4, "infiniband")?;
        let ip = match head {
            [8, 0, 0, 0] | [0x86, 0xdd, 0, 0] => whole::ip(rest.data, rest.length, whole::PADDING),
            [8, 6, 0, 0] => return Err(Other::Arp),
            _ => false,
        };
        if ip {
            return Ok((Layer::Ip, rest));
        }
    }
    // The deciding header is cut.
    Err(span.short("infiniband", span.length.min(44 + 60)))
}
