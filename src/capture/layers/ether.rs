//! Dispatch on an Ethernet type: tags, labels, sessions, and finally IP.

use super::{Layer, LayerStep, link, ppp};
use crate::capture::span::Span;
use crate::capture::{LinkType, Other, whole};
use etherparse::{EtherType, SingleVlanHeaderSlice, ether_type};

/// The cap on VLAN tags.
const TAGS: usize = 8;
/// The cap on MPLS labels.
const LABELS: usize = 16;
/// The length of a control word, an Ethernet header and the longest IPv4 header.
const ENOUGH: usize = 4 + 14 + 60;

pub(super) fn step(mut kind: EtherType, mut span: Span<'_>) -> LayerStep<'_> {
    for _ in 0..=TAGS {
        match kind {
            ether_type::IPV4 | ether_type::IPV6 => return Ok((Layer::Ip, span)),
            ether_type::VLAN_TAGGED_FRAME
            | ether_type::PROVIDER_BRIDGING
            | ether_type::VLAN_DOUBLE_TAGGED_FRAME
            | EtherType(0x9200) => {
                let tag = SingleVlanHeaderSlice::from_slice(span.data).map_err(|_| Other::Cut("vlan"))?;
                (kind, span) = (tag.ether_type(), span.skip(4, "vlan")?);
            }
            ether_type::ARP | EtherType(0x8035) => return Err(Other::Arp),
            EtherType(0x8847 | 0x8848) => return labels(span),
            EtherType(0x8864) => return ppp::over_ethernet(span),
            // Transparent Ethernet bridging: a frame in a frame.
            EtherType(0x6558) => return link::ethernet(span),
            // Provider backbone bridging: four bytes of service tag, then the customer's frame.
            EtherType(0x88e7) => return link::ethernet(span.skip(4, "backbone")?),
            // IEEE 802.3: a length, then LLC.
            EtherType(length @ 0..=1500) => return snap(span.clip(length.into()).unwrap_or(span)),
            EtherType(kind) => return Err(Other::EtherType(kind)),
        }
    }
    Err(Other::Nested)
}

/// LLC with SNAP, which has an Ethernet type.
pub(super) fn snap(span: Span<'_>) -> LayerStep<'_> {
    match *span.data {
        // The organisation codes of RFC 1042 and of bridge tunnels.
        [0xaa, 0xaa, 3, 0, 0, 0 | 0xf8, a, b, ..] => {
            match EtherType(u16::from_be_bytes([a, b])) {
                // A length instead of a type: such a frame would not use SNAP.
                EtherType(0..=1535) => Err(Other::Llc),
                kind => Ok((Layer::Kind(kind), span.skip(8, "snap")?)),
            }
        }
        _ if span.data.len() < 8 && span.length >= 8 => Err(Other::Cut("llc")),
        _ => Err(Other::Llc),
    }
}

/// MPLS labels. The type of the content is not stated, so the content itself must be consistent: an IP packet, or
/// Ethernet, with or without the control word of a pseudo-wire (RFC 4385).
pub(super) fn labels(mut span: Span<'_>) -> LayerStep<'_> {
    for _ in 0..LABELS {
        let bottom = span.head::<4>("mpls")?[2] & 1 == 1;
        span = span.skip(4, "mpls")?;
        if bottom {
            return beneath(span);
        }
    }
    Err(Other::Nested)
}

fn beneath(span: Span<'_>) -> LayerStep<'_> {
    if whole::ip(span.data, span.length, whole::PADDING) {
        return Ok((Layer::Ip, span));
    }
    if let [0, _, _, _, ..] = span.data {
        let inner = span.skip(4, "mpls")?;
        if whole::ethernet(inner.data, inner.length) {
            return Ok((Layer::Link(LinkType::ETHERNET), inner));
        }
    }
    if whole::ethernet(span.data, span.length) {
        return Ok((Layer::Link(LinkType::ETHERNET), span));
    }
    // Too few bytes are captured to decide.
    if span.data.len() < span.length.min(ENOUGH) { Err(Other::Cut("mpls")) } else { Err(Other::Mpls) }
}
