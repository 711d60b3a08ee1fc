//! IEEE 802.11 data frames, after the headers that drivers put before them.

use super::{Layer, LayerStep, ether};
use crate::capture::Other;
use crate::capture::span::Span;

/// The length of the frame check sequence, if the driver includes it.
const FCS: usize = 4;

/// An 802.11 frame as transmitted, without its check sequence.
pub(super) fn frame(span: Span<'_>) -> LayerStep<'_> {
    body(span, false)
}

/// The content of a frame. `padded`: the driver pads the header to words.
fn body(span: Span<'_>, padded: bool) -> LayerStep<'_> {
    let &[kind, flags] = span.head("802.11")?;
    match (kind & 3, kind >> 2 & 3) {
        (0, 2) => {}
        (0, 0 | 1) => return Err(Other::Wireless("management or control")),
        _ => return Err(Other::Malformed("802.11")),
    }
    let (both, qos) = (flags & 3 == 3, kind & 0x80 != 0);
    let control = 24 + if both { 6 } else { 0 };
    // The HT control field is present if the last flag is set on a QoS frame.
    let mut len: usize = control + if qos { 2 } else { 0 } + if qos && flags & 0x80 != 0 { 4 } else { 0 };
    if padded {
        len = len.next_multiple_of(4);
    }
    if kind & 0x40 != 0 {
        return Err(Other::Wireless("null"));
    }
    if flags & 0x40 != 0 {
        return Err(Other::Wireless("encrypted"));
    }
    let head = span.data.get(..control + if qos { 2 } else { 0 }).ok_or_else(|| span.short("802.11", len))?;
    // More fragments follow, or this is not the first one.
    if flags & 4 != 0 || head[22] & 15 != 0 {
        return Err(Other::Wireless("fragment"));
    }
    let rest = span.skip(len, "802.11")?;
    if qos && head[control] & 0x80 != 0 { Ok((Layer::Aggregate, rest)) } else { ether::snap(rest) }
}

/// The first subframe of an A-MSDU: addresses, length, LLC, padded to words. `left` receives the bytes after it, if
/// they are more than a check sequence.
pub(super) fn subframe<'a>(span: Span<'a>, left: &mut Option<Span<'a>>) -> LayerStep<'a> {
    let head = span.head::<14>("a-msdu")?;
    let length = usize::from(u16::from_be_bytes([head[12], head[13]]));
    let Some(inner) = span.skip(14, "a-msdu")?.clip(length) else { return Err(Other::Malformed("a-msdu")) };
    let padded = (14 + length).next_multiple_of(4);
    *left = span.skip(padded, "a-msdu").ok().filter(|rest| rest.length > FCS);
    ether::snap(inner)
}

/// Radiotap: little-endian fields with presence bits. Its flags describe the end of the frame.
pub(super) fn radiotap(span: Span<'_>) -> LayerStep<'_> {
    let &[version, _, a, b] = span.head("radiotap")?;
    let length = usize::from(u16::from_le_bytes([a, b]));
    if version != 0 || length < 8 {
        return Err(Other::Malformed("radiotap"));
    }
    let rest = span.skip(length, "radiotap")?;
    let header = &span.data[..length];
    let present = |index: usize| header.get(4 + index * 4..8 + index * 4).map(|word| [word[0], word[3]]);
    let mut words = 1;
    // The last bit announces another word of presence bits.
    while present(words - 1).is_some_and(|[_, last]| last & 0x80 != 0) {
        words += 1;
    }
    let first = present(0).map_or(0, |[first, _]| first);
    // The timestamp comes first, aligned to eight bytes.
    let at = match first & 1 {
        0 => 4 + words * 4,
        _ => (4 + words * 4).next_multiple_of(8) + 8,
    };
    let flags = match first & 2 {
        0 => 0,
        _ => *header.get(at).ok_or(Other::Malformed("radiotap"))?,
    };
    checked(rest, flags & 0x10 != 0, flags & 0x40 != 0, flags & 0x20 != 0)
}

/// PPI: little-endian fields with type and length, and the link type of the content, which is not
/// always 802.11.
pub(super) fn ppi(span: Span<'_>) -> LayerStep<'_> {
    let &[version, _, a, b, c, d, e, f] = span.head("ppi")?;
    let length = usize::from(u16::from_le_bytes([a, b]));
    if version != 0 || length < 8 {
        return Err(Other::Malformed("ppi"));
    }
    let rest = span.skip(length, "ppi")?;
    let link = match u32::from_le_bytes([c, d, e, f]) {
        105 => None,
        192 => return Err(Other::Malformed("ppi")),
        link => Some(link),
    };
    if let Some(link) = link {
        return Ok((Layer::Link(crate::capture::LinkType(link)), rest));
    }
    let (mut fields, mut flags) = (&span.data[8..length], 0);
    while let [a, b, c, d, value @ ..] = fields {
        let size = usize::from(u16::from_le_bytes([*c, *d]));
        // The fields common to all 802.11 frames: time, flags, ...
        if let (2, Some(&[low, high])) = (u16::from_le_bytes([*a, *b]), value.get(8..10)) {
            flags = u16::from_le_bytes([low, high]);
        }
        fields = value.get(size..).unwrap_or_default();
    }
    checked(rest, flags & 1 != 0, flags & 4 != 0, false)
}

/// Prism's header of 144 bytes; some drivers write an AVS header with the same link type.
pub(super) fn prism(span: Span<'_>) -> LayerStep<'_> {
    let &[a, b, c, d, e, f, g, h] = span.head("prism")?;
    match ([a, b, c, d], [e, f, g, h]) {
        ([0x80, 0x21, 0x10, _], _) => avs(span),
        ([0x44 | 0x41, 0, 0, 0], [144, 0, 0, 0]) | ([0, 0, 0, 0x44 | 0x41], [0, 0, 0, 144]) => {
            frame(span.skip(144, "prism")?)
        }
        _ => Err(Other::Malformed("prism")),
    }
}

/// The AVS header: a constant with the version, and its length.
pub(super) fn avs(span: Span<'_>) -> LayerStep<'_> {
    match *span.head("avs")? {
        [0x80, 0x21, 0x10, 0..=2, 0, 0, 0, length @ 64..=255] => frame(span.skip(length.into(), "avs")?),
        _ => Err(Other::Malformed("avs")),
    }
}

/// A frame whose driver reports whether it ends with a check sequence (`fcs`) and whether that was wrong.
fn checked(span: Span<'_>, fcs: bool, wrong: bool, padded: bool) -> LayerStep<'_> {
    if wrong {
        return Err(Other::Wireless("damaged"));
    }
    let length = if fcs { span.length.saturating_sub(FCS) } else { span.length };
    body(span.clip(length).unwrap_or(span), padded)
}
