//! Classification of frames that are neither UDP nor TCP.

use super::LinkType;
use std::fmt;

/// The reason why a frame is not a [`Packet`](super::Packet). Small and without a position, so that frames can be
/// counted by reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Other {
    /// ARP or RARP.
    Arp,
    /// An IEEE 802.3 frame with a length in place of a type.
    Llc,
    /// ICMP over IPv4 or IPv6.
    Icmp,
    /// IGMP.
    Igmp,
    /// Any other IP protocol.
    Protocol(u8),
    /// Any other Ethernet type.
    EtherType(u16),
    /// An address family of the BSD loopback that is not IP.
    Family(u32),
    /// A link type that is not supported.
    Link(u32),
    /// A PPP protocol that is not IP.
    Ppp(u16),
    /// An unsupported version of GRE, or unsupported content of it.
    Gre(u8, u16),
    /// MPLS labels before content that is neither IP nor Ethernet.
    Mpls,
    /// An 802.11 frame without readable data, and its kind.
    Wireless(&'static str),
    /// Tags, tunnels or IPv6 extension headers above the caps.
    Nested,
    /// A header that the snap length cut.
    Cut(&'static str),
    /// A header that is inconsistent in itself or with its length.
    Malformed(&'static str),
    /// An IP fragment of a datagram that is not complete yet.
    Fragment,
    /// An IP fragment cut by the snap length; its datagram cannot be reassembled.
    CutFragment,
}

/// The kind of a frame that is not a [`Packet`](super::Packet), for the account of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherKind {
    /// Not IP.
    NotIp,
    /// IP, but neither UDP nor TCP.
    NotUdpTcp,
    /// A header that is cut, inconsistent or nested too deep.
    Damaged,
    /// A fragment: part of a datagram that may be completed.
    Fragment,
}

impl Other {
    /// The kind of the reason.
    pub(crate) fn kind(self) -> OtherKind {
        match self {
            Other::Icmp | Other::Igmp | Other::Protocol(_) => OtherKind::NotUdpTcp,
            Other::Nested | Other::Cut(_) | Other::Malformed(_) | Other::CutFragment => OtherKind::Damaged,
            Other::Fragment => OtherKind::Fragment,
            _ => OtherKind::NotIp,
        }
    }
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
            Other::Fragment => f.write_str("part of a datagram (IP fragment)"),
            Other::CutFragment => f.write_str("part of a datagram (IP fragment), cut"),
        }
    }
}
