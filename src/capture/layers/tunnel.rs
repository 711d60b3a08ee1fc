//! Packets in packets: IP in IP, GRE, L2TPv3, VXLAN, GENEVE, GTP-U and TZSP.
//!
//! A port is not enough evidence: a datagram counts as tunnelled only if the tunnel's header has
//! its constant bits and the inner packet is complete and consistent.

use super::{Layer, ether};
use crate::capture::span::Span;
use crate::capture::{LinkType, Other, whole};
use etherparse::{EtherType, IpNumber, ether_type, ip_number};

const VXLAN: u16 = 4789;
/// The port that Linux used before one was assigned.
const VXLAN_LINUX: u16 = 8472;
const VXLAN_GPE: u16 = 4790;
const GENEVE: u16 = 6081;
const GTP_U: u16 = 2152;
/// The port registered for TZSP.
const TZSP: u16 = 37008;
const L2TP: u16 = 1701;

/// The tunnel's name, and its content.
type Inside<'a> = (&'static str, (Layer, Span<'a>));

/// Whether datagrams between these ports may belong to a tunnel.
#[inline(always)]
pub(in crate::capture) fn is_port(src: u16, dst: u16) -> bool {
    matches!(dst, VXLAN | VXLAN_LINUX | VXLAN_GPE | GENEVE | GTP_U | TZSP | L2TP) || matches!(src, GTP_U | L2TP)
}

/// The content of an IP packet of a protocol other than UDP and TCP.
pub(super) fn of_ip(protocol: IpNumber, span: Span<'_>) -> Result<Inside<'_>, Other> {
    match protocol {
        ip_number::IPV4 => Ok(("ipip", packet(span, 4)?)),
        ip_number::IPV6 => Ok(("6in4", packet(span, 6)?)),
        ip_number::GRE => gre(span),
        // EtherIP (RFC 3378): version 3, and Ethernet.
        IpNumber(97) => match span.head::<2>("etherip")? {
            [0x30, 0] => Ok(("etherip", frame(span.skip(2, "etherip")?)?)),
            _ => Err(Other::Malformed("etherip")),
        },
        IpNumber(115) => l2tp(span).ok_or(match span.data.len() < span.length {
            true => Other::Cut("l2tp"),
            false => Other::Protocol(115),
        }),
        IpNumber(137) => Ok(("mpls", ether::labels(span)?)),
        ip_number::ICMP | ip_number::IPV6_ICMP => Err(Other::Icmp),
        ip_number::IGMP => Err(Other::Igmp),
        protocol => Err(Other::Protocol(protocol.0)),
    }
}

/// A consistent IP packet of this version.
fn packet(span: Span<'_>, version: u8) -> Result<(Layer, Span<'_>), Other> {
    let first = *span.data.first().ok_or_else(|| span.short("ip", 20))?;
    if first >> 4 == version && whole::ip(span.data, span.length, whole::PADDING) {
        return Ok((Layer::Ip, span));
    }
    Err(span.short("inner ip", if version == 4 { usize::from(first & 15).max(5) * 4 } else { 40 }))
}

/// An Ethernet frame. The next step checks the content by its type; a frame without IP is reported by its type.
fn frame(span: Span<'_>) -> Result<(Layer, Span<'_>), Other> {
    match span.data.get(12..14) {
        Some([8, 0] | [0x86, 0xdd]) if whole::ethernet(span.data, span.length) => {}
        Some([8, 0]) => {
            return Err(span.short("inner ip", 14 + usize::from(span.data.get(14).map_or(5, |b| (b & 15).max(5))) * 4));
        }
        Some([0x86, 0xdd]) => return Err(span.short("inner ip", 14 + 40)),
        _ => {}
    }
    Ok((Layer::Link(LinkType::ETHERNET), span))
}

/// GRE (RFC 2784, 2890): version 0, with checksum, key and sequence number. Routing (RFC 1701) is
/// obsolete.
fn gre(span: Span<'_>) -> Result<Inside<'_>, Other> {
    let &[flags, version, a, b] = span.head("gre")?;
    let kind = u16::from_be_bytes([a, b]);
    if version & 7 == 1 {
        return Err(Other::Gre(1, kind));
    }
    if flags & 0x4f != 0 || version != 0 {
        return Err(Other::Malformed("gre"));
    }
    let words = 1 + [0x80, 0x20, 0x10].iter().filter(|flag| flags & **flag != 0).count();
    let rest = span.skip(words * 4, "gre")?;
    match (EtherType(kind), flags & 0x10 != 0) {
        (ether_type::IPV4, _) => Ok(("gre", packet(rest, 4)?)),
        (ether_type::IPV6, _) => Ok(("gre", packet(rest, 6)?)),
        (EtherType(0x6558), _) => Ok(("gre", frame(rest)?)),
        (EtherType(0x8847 | 0x8848), _) => Ok(("gre", ether::labels(rest)?)),
        // Mirrored ports: type I has no header, type II one of 8 bytes, type III one of 12 and possibly 8 more.
        (EtherType(0x88be), false) => Ok(("erspan", frame(rest)?)),
        (EtherType(0x88be), true) => match rest.head::<1>("erspan")?[0] >> 4 {
            1 => Ok(("erspan", frame(rest.skip(8, "erspan")?)?)),
            _ => Err(Other::Malformed("erspan")),
        },
        (EtherType(0x22eb), _) => {
            let head = rest.head::<12>("erspan")?;
            if head[0] >> 4 != 2 {
                return Err(Other::Malformed("erspan"));
            }
            let more = if head[11] & 1 == 1 { 8 } else { 0 };
            Ok(("erspan", frame(rest.skip(12 + more, "erspan")?)?))
        }
        _ => Err(Other::Gre(0, kind)),
    }
}

/// The content of a datagram that belongs to a tunnel; `None` if the tunnel's header or content is invalid.
pub(super) fn of_udp(src: u16, dst: u16, span: Span<'_>) -> Option<Inside<'_>> {
    match dst {
        // Some senders use the protocol extension (GPE) on the original port.
        VXLAN | VXLAN_LINUX | VXLAN_GPE => vxlan(span).or_else(|| vxlan_gpe(span)),
        GENEVE => geneve(span),
        GTP_U => gtp(span),
        _ if src == GTP_U => gtp(span),
        TZSP => tzsp(span),
        // Version 3 of a data message, and two reserved bytes.
        _ if dst == L2TP || src == L2TP => match span.head::<4>("l2tp").ok()? {
            [0, 3, 0, 0] => l2tp(span.skip(4, "l2tp").ok()?),
            _ => None,
        },
        _ => None,
    }
}

/// VXLAN (RFC 7348). The second flag byte is that of group policies, which have a byte and a word.
fn vxlan(span: Span<'_>) -> Option<Inside<'_>> {
    match span.data.first_chunk()? {
        [8, 0, 0, 0, _, _, _, 0] | [0x88, _, _, _, _, _, _, 0] => {}
        _ => return None,
    }
    Some(("vxlan", carried(EtherType(0x6558), span.skip(8, "vxlan").ok()?)?))
}

fn vxlan_gpe(span: Span<'_>) -> Option<Inside<'_>> {
    let kind = match span.data.first_chunk()? {
        [0x0c, 0, 0, 1, _, _, _, 0] => ether_type::IPV4,
        [0x0c, 0, 0, 2, _, _, _, 0] => ether_type::IPV6,
        [0x0c, 0, 0, 3, _, _, _, 0] => EtherType(0x6558),
        _ => return None,
    };
    Some(("vxlan-gpe", carried(kind, span.skip(8, "vxlan").ok()?)?))
}

/// GENEVE (RFC 8926): version 0, options in words, two flags.
fn geneve(span: Span<'_>) -> Option<Inside<'_>> {
    let &[options, flags, a, b, _, _, _, 0] = span.data.first_chunk()? else { return None };
    if options & 0xc0 != 0 || flags & 0x3f != 0 {
        return None;
    }
    let rest = span.skip(8 + usize::from(options) * 4, "geneve").ok()?;
    Some(("geneve", carried(EtherType(u16::from_be_bytes([a, b])), rest)?))
}

/// GTP-U (3GPP TS 29.281): version 1, a user packet, its length; then, if any of three flags is set, a word and
/// extension headers.
fn gtp(span: Span<'_>) -> Option<Inside<'_>> {
    let &[flags, 0xff, a, b, _, _, _, _] = span.data.first_chunk()? else { return None };
    if flags & 0xf8 != 0x30 || usize::from(u16::from_be_bytes([a, b])) + 8 != span.length {
        return None;
    }
    let mut rest = span.skip(8, "gtp").ok()?;
    if flags & 7 != 0 {
        let mut next = rest.data.first_chunk::<4>()?[3];
        rest = rest.skip(4, "gtp").ok()?;
        while flags & 4 != 0 && next != 0 {
            // The length counts words, including its own; the header's last byte is the next header's type.
            let length = usize::from(*rest.data.first()?) * 4;
            next = *rest.data.get(length.checked_sub(1)?)?;
            rest = rest.skip(length, "gtp").ok()?;
        }
    }
    whole::ip(rest.data, rest.length, 0).then_some(("gtp-u", (Layer::Ip, rest)))
}

/// TZSP: version 1, a received or sent Ethernet frame, and tags up to the end tag.
fn tzsp(span: Span<'_>) -> Option<Inside<'_>> {
    let &[1, 0 | 1, 0, 1] = span.data.first_chunk()? else { return None };
    let mut rest = span.skip(4, "tzsp").ok()?;
    loop {
        let length = match rest.data {
            [1, ..] => break,
            [0, ..] => 1,
            [_, length, ..] => 2 + usize::from(*length),
            _ => return None,
        };
        rest = rest.skip(length, "tzsp").ok()?;
    }
    Some(("tzsp", carried(EtherType(0x6558), rest.skip(1, "tzsp").ok()?)?))
}

/// L2TPv3 (RFC 3931): a session other than 0, then a cookie of 0, 4 or 8 bytes and a sublayer of 0 or 4 bytes. Both
/// endpoints have agreed on these lengths; here the first position with a consistent Ethernet frame counts.
fn l2tp(span: Span<'_>) -> Option<Inside<'_>> {
    if matches!(span.data.first_chunk::<4>()?, [0, 0, 0, 0]) {
        return None;
    }
    let frames = [4, 8, 12, 16].into_iter().filter_map(|at| span.skip(at, "l2tp").ok());
    let frame = frames.into_iter().find(|rest| {
        matches!(rest.data.get(12..14), Some([8, 0] | [0x86, 0xdd])) && whole::ethernet(rest.data, rest.length)
    })?;
    Some(("l2tp", (Layer::Link(LinkType::ETHERNET), frame)))
}

fn carried(kind: EtherType, span: Span<'_>) -> Option<(Layer, Span<'_>)> {
    let version = span.data.first().map(|first| first >> 4);
    match (kind, version) {
        (ether_type::IPV4, Some(4)) | (ether_type::IPV6, Some(6)) => {
            whole::ip(span.data, span.length, 0).then_some((Layer::Ip, span))
        }
        (EtherType(0x6558), _) => {
            whole::ethernet(span.data, span.length).then_some((Layer::Link(LinkType::ETHERNET), span))
        }
        _ => None,
    }
}
