//! What a frame is that carries neither UDP nor TCP.

use super::LinkType;
use std::fmt;

/// Why a frame is no [`Packet`](super::Packet): for statistics, so it is small and its text is
/// the same for all frames of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Other {
    /// ARP or RARP.
    Arp,
    /// An IEEE 802.3 frame with a length in place of a type.
    Llc,
    /// ICMP, of IPv4 or IPv6.
    Icmp,
    /// IGMP.
    Igmp,
    /// Any other IP protocol.
    Protocol(u8),
    /// Any other Ethernet type.
    EtherType(u16),
    /// An address family of the BSD loopback that is not IP.
    Family(u32),
    /// A link type that this crate does not read.
    Link(u32),
    /// A PPP protocol that is not IP.
    Ppp(u16),
    /// A version of GRE, and what it carries, that are not read.
    Gre(u8, u16),
    /// MPLS labels before something that is neither IP nor Ethernet.
    Mpls,
    /// An 802.11 frame without data that could be read: what it is instead.
    Wireless(&'static str),
    /// More tags, tunnels or IPv6 extension headers than anyone sends.
    Nested,
    /// The snap length cut this header.
    Cut(&'static str),
    /// This header contradicts itself, or the length that it has.
    Malformed(&'static str),
    /// An IP fragment of a datagram that is not complete.
    Fragment,
    /// An IP fragment that the snap length cut; its datagram cannot be joined.
    CutFragment,
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Other::Arp => f.write_str("arp"),
            Other::Llc => f.write_str("llc"),
            Other::Icmp => f.write_str("icmp"),
            Other::Igmp => f.write_str("igmp"),
            Other::Protocol(protocol) => write!(f, "ip protocol {protocol}"),
            Other::EtherType(kind) => write!(f, "ethernet type {kind:#06x}"),
            Other::Family(family) => write!(f, "address family {family}"),
            Other::Link(link) => match LinkType(*link).name() {
                Some(name) => write!(f, "link type {link} ({name})"),
                None => write!(f, "link type {link}"),
            },
            Other::Ppp(protocol) => write!(f, "ppp protocol {protocol:#06x}"),
            Other::Gre(version, kind) => write!(f, "gre version {version} with type {kind:#06x}"),
            Other::Mpls => f.write_str("mpls with unknown content"),
            Other::Wireless(what) => write!(f, "802.11 ({what})"),
            Other::Nested => f.write_str("nested too deep"),
            Other::Cut(header) => write!(f, "cut {header} header"),
            Other::Malformed(header) => write!(f, "malformed {header} header"),
            Other::Fragment => f.write_str("fragment (waiting)"),
            Other::CutFragment => f.write_str("fragment (cut)"),
        }
    }
}
