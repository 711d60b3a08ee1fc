//! Records that wrap a packet of another link type: Linux's NFLOG and macOS's PKTAP.

use super::{Layer, LayerStep};
use crate::capture::span::Span;
use crate::capture::{LinkType, Other};

/// The NFLOG attribute that holds the packet.
const PAYLOAD: u16 = 9;

/// NFLOG: a family, a version, and attributes in the byte order of the host that captured it.
pub(super) fn nflog(span: Span<'_>) -> LayerStep<'_> {
    let &[family, version, _, _] = span.head("nflog")?;
    if version != 0 {
        return Err(Other::Malformed("nflog"));
    }
    // Bridges (7) also log packets inside Ethernet.
    if !matches!(family, 2 | 7 | 10) {
        return Err(Other::Family(family.into()));
    }
    let mut rest = span.skip(4, "nflog")?;
    let mut big = None;
    while rest.length > 0 {
        let &[a, b, c, d] = rest.head("nflog")?;
        // The first attribute's type gives the byte order: types are small numbers.
        let big = *big.get_or_insert(c == 0 && d != 0);
        let word = |x, y| if big { u16::from_be_bytes([x, y]) } else { u16::from_le_bytes([x, y]) };
        let (length, kind) = (usize::from(word(a, b)), word(c, d));
        let Some(value) = rest.clip(length).filter(|_| length >= 4) else { return Err(Other::Malformed("nflog")) };
        if kind & 0x7fff == PAYLOAD {
            return Ok((Layer::Ip, value.skip(4, "nflog")?));
        }
        let padded = length.next_multiple_of(4);
        if rest.length >= padded { rest = rest.skip(padded, "nflog")? } else { break }
    }
    Err(Other::Malformed("nflog"))
}

/// PKTAP: its length, whether a packet follows, and the packet's link type. Early files use link type 149, which is
/// reserved for private use: for it, all three have to be right.
pub(super) fn pktap(link: LinkType, span: Span<'_>) -> LayerStep<'_> {
    let foreign = |other| if link.0 == 149 { Other::Link(149) } else { other };
    let head = span.head::<12>("pktap").map_err(foreign)?;
    let word = |at: usize| {
        let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
        // The length is a small number, which gives the byte order.
        if head[0] == 0 { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    match (word(0), word(4), word(8)) {
        // Shorter than the first version, without a packet, or nested in another PKTAP.
        (0..108 | 1025.., ..) | (_, 0 | 2.., _) | (.., 149 | 258 | 512..) => Err(foreign(Other::Malformed("pktap"))),
        (length, _, link) => Ok((Layer::Link(LinkType(link)), span.skip(length as usize, "pktap").map_err(foreign)?)),
    }
}
