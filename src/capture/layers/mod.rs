//! Walks from a frame's first byte to UDP or TCP through any nesting of link layers, tags, labels and tunnels, one step
//! at a time. The common cases take the fast path ([`fast`](super::fast)) instead.

mod ether;
mod link;
mod meta;
mod ppp;
mod tunnel;
mod wifi;

use super::ip::{Fragment, Inner, extensions, v4, v6};
use super::span::Span;
use super::transport::{Transport, transport};
use super::tunnels::Tunnels;
use super::{Body, LinkType, Other};
use etherparse::{EtherType, IpNumber, ip_number};
use std::net::IpAddr;
pub(super) use tunnel::is_port;

/// The cap on layers per frame: more is an attack on the decoder.
const DEPTH: usize = 32;

/// The IP packet directly after a link header, if there is one.
pub(super) fn ip_after(link: LinkType, data: &[u8]) -> Option<&[u8]> {
    match link::step(link, Span::new(data, data.len())) {
        Ok((Layer::Ip | Layer::Kind(EtherType::IPV4 | EtherType::IPV6), rest)) => Some(rest.data),
        _ => None,
    }
}

/// The type of the bytes that follow.
#[derive(Clone, Copy)]
pub(super) enum Layer {
    /// A frame of this link type.
    Link(LinkType),
    /// The content of this Ethernet type.
    Kind(EtherType),
    /// A PPP protocol number and its content.
    Ppp,
    /// Subframes of an aggregated 802.11 frame.
    Aggregate,
    /// An IP packet.
    Ip,
    /// The content of an IP packet or of an extension header.
    Carried(IpAddr, IpAddr, IpNumber),
}

/// The result when all layers have been removed.
pub(super) enum Reached<'a> {
    /// Ports and payload.
    Transport(IpAddr, IpAddr, Transport<'a>),
    /// A fragment of a datagram.
    Fragment(IpAddr, IpAddr, Fragment, Inner<'a>),
}

/// Side results of the walk.
pub(super) struct Noticed<'a, 'm> {
    /// Counts the tunnels.
    pub tunnels: &'m mut Tunnels,
    /// Further subframes, not decoded yet.
    pub left: Option<Span<'a>>,
}

impl<'m> Noticed<'_, 'm> {
    pub(super) fn new(tunnels: &'m mut Tunnels) -> Self {
        Noticed { tunnels, left: None }
    }
}

/// One step: the type of the next bytes, and the bytes.
type LayerStep<'a> = Result<(Layer, Span<'a>), Other>;

/// Removes layers from the start of `span`; the first one is `layer`.
#[inline(never)]
pub(super) fn walk<'a>(
    mut layer: Layer,
    mut span: Span<'a>,
    noticed: &mut Noticed<'a, '_>,
) -> Result<Reached<'a>, Other> {
    for _ in 0..DEPTH {
        (layer, span) = match layer {
            Layer::Link(link) => link::step(link, span)?,
            Layer::Kind(kind) => ether::step(kind, span)?,
            Layer::Ppp => ppp::step(span)?,
            Layer::Aggregate => wifi::subframe(span, &mut noticed.left)?,
            Layer::Ip => {
                let ip = match span.data.first() {
                    Some(0x40..=0x4f) => v4(span.data, span.length)?,
                    Some(0x60..=0x6f) => v6(span.data, span.length)?,
                    Some(_) => return Err(Other::Malformed("ip")),
                    None => return Err(Other::Cut("ip")),
                };
                if let Some(fragment) = ip.fragment {
                    return Ok(Reached::Fragment(ip.src, ip.dst, fragment, ip.inner));
                }
                let Inner { protocol, data, length } = ip.inner;
                (Layer::Carried(ip.src, ip.dst, protocol), Span { data, length })
            }
            Layer::Carried(src, dst, protocol) => {
                let (inner, fragment) = extensions(Inner { protocol, data: span.data, length: span.length })?;
                if let Some(fragment) = fragment {
                    return Ok(Reached::Fragment(src, dst, fragment, inner));
                }
                let rest = Span { data: inner.data, length: inner.length };
                let (name, next) = match inner.protocol {
                    ip_number::UDP | ip_number::TCP => {
                        let found = transport(inner)?;
                        match inside(&found) {
                            Some(carried) => carried,
                            None => return Ok(Reached::Transport(src, dst, found)),
                        }
                    }
                    protocol => tunnel::of_ip(protocol, rest)?,
                };
                noticed.tunnels.add(name, src, dst);
                next
            }
        };
    }
    Err(Other::Nested)
}

/// The content of a datagram that belongs to a tunnel.
fn inside<'a>(found: &Transport<'a>) -> Option<(&'static str, (Layer, Span<'a>))> {
    match found.body {
        Body::Udp { payload, length } => tunnel::of_udp(found.src, found.dst, Span { data: payload, length }),
        Body::Tcp(_) => None,
    }
}
