//! PPP in its various framings.

use super::{Layer, LayerStep, ether};
use crate::capture::Other;
use crate::capture::span::Span;
use etherparse::EtherType;

/// A protocol number, possibly preceded by the address and control bytes of HDLC.
pub(super) fn step(span: Span<'_>) -> LayerStep<'_> {
    let span = match span.data {
        [0xff, 3, ..] => span.skip(2, "ppp")?,
        _ => span,
    };
    let (protocol, len) = match *span.data {
        [_] if span.length > 1 => return Err(Other::Cut("ppp")),
        // One byte, if both sides have negotiated that: it is odd; the first of two bytes is even.
        [a, ..] if a & 1 == 1 => (a.into(), 1),
        [a, b, ..] if b & 1 == 1 => (u16::from_be_bytes([a, b]), 2),
        [_, _, ..] => return Err(Other::Malformed("ppp")),
        _ => return Err(span.short("ppp", 2)),
    };
    let rest = span.skip(len, "ppp")?;
    match (protocol, rest.data.first().map(|first| first >> 4)) {
        (0x21 | 0x57, None) => Err(Other::Cut("ip")),
        (0x21, Some(4)) | (0x57, Some(6)) => Ok((Layer::Ip, rest)),
        (0x21 | 0x57, _) => Err(Other::Malformed("ip")),
        (0x281 | 0x283, _) => ether::labels(rest),
        _ => Err(Other::Ppp(protocol)),
    }
}

/// A serial line: PPP, or Cisco's framing.
pub(super) fn serial(span: Span<'_>) -> LayerStep<'_> {
    match span.data {
        [0x0f | 0x8f, 0, ..] => cisco(span),
        _ => Ok((Layer::Ppp, span)),
    }
}

/// Cisco's HDLC: unicast or broadcast, and an Ethernet type.
pub(super) fn cisco(span: Span<'_>) -> LayerStep<'_> {
    match *span.head::<4>("hdlc")? {
        [0x0f | 0x8f, 0, a, b] => Ok((Layer::Kind(EtherType(u16::from_be_bytes([a, b]))), span.skip(4, "hdlc")?)),
        // Some lines use PPP instead.
        [0xff, 3, ..] => Ok((Layer::Ppp, span)),
        _ => Err(Other::Malformed("hdlc")),
    }
}

/// PPP after one byte with the direction; some tools write it in place of HDLC's address.
pub(super) fn with_direction(span: Span<'_>) -> LayerStep<'_> {
    match *span.data {
        [0 | 1, 3, ..] => Ok((Layer::Ppp, span.skip(2, "ppp")?)),
        [_, ..] => Ok((Layer::Ppp, span.skip(1, "ppp")?)),
        [] => Err(span.short("ppp", 1)),
    }
}

/// A PPPoE session (RFC 2516): version, type and code are constants.
pub(super) fn over_ethernet(span: Span<'_>) -> LayerStep<'_> {
    let &[kind, code, _, _, a, b] = span.head("pppoe")?;
    let rest = span.skip(6, "pppoe")?;
    match rest.clip(u16::from_be_bytes([a, b]).into()) {
        Some(rest) if (kind, code) == (0x11, 0) => Ok((Layer::Ppp, rest)),
        _ => Err(Other::Malformed("pppoe")),
    }
}
