//! Link layers: how many bytes stand before the IP header.

use super::Other;
use etherparse::{EtherType, Ethernet2HeaderSlice, SingleVlanHeaderSlice, ether_type};

/// A link type by its number in capture files: <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback, the family in the byte order of the host that captured it.
    pub const NULL: LinkType = LinkType(0);
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// IP without a link header. OpenBSD and BSD/OS number it 14 and 12.
    pub const RAW: LinkType = LinkType(101);
    /// OpenBSD loopback, the family big-endian.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux "any" interface.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// IPv4 without a link header.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6 without a link header.
    pub const IPV6: LinkType = LinkType(229);
    /// Linux "any" interface, second version.
    pub const LINUX_SLL2: LinkType = LinkType(276);
}

/// How many VLAN tags are stepped over.
const TAGS: usize = 8;

/// The length of the headers before the IP header, which follows in `data`.
#[inline(always)]
pub(super) fn header_len(link: LinkType, data: &[u8]) -> Result<usize, Other> {
    match link {
        LinkType::ETHERNET => {
            let cut = |_| Other::Cut("ethernet");
            let kind = Ethernet2HeaderSlice::from_slice(data).map_err(cut)?.ether_type();
            match kind {
                // Nearly every frame: no need to look for tags.
                ether_type::IPV4 | ether_type::IPV6 => Ok(14),
                kind => tagged(kind, data, 14),
            }
        }
        LinkType::LINUX_SLL => cooked(data, 14, 2, 16),
        LinkType::LINUX_SLL2 => cooked(data, 0, 8, 20),
        LinkType::NULL | LinkType::LOOP => loopback(data),
        LinkType(12 | 14 | 101 | 228 | 229) => Ok(0),
        LinkType(number) => Err(Other::Link(number)),
    }
}

/// Steps over VLAN tags: `kind` is what stands at `at`.
fn tagged(mut kind: EtherType, data: &[u8], mut at: usize) -> Result<usize, Other> {
    for _ in 0..=TAGS {
        match kind {
            ether_type::IPV4 | ether_type::IPV6 => return Ok(at),
            ether_type::VLAN_TAGGED_FRAME | ether_type::PROVIDER_BRIDGING | ether_type::VLAN_DOUBLE_TAGGED_FRAME => {
                let rest = data.get(at..).unwrap_or_default();
                let tag = SingleVlanHeaderSlice::from_slice(rest).map_err(|_| Other::Cut("vlan"))?;
                kind = tag.ether_type();
                at += 4;
            }
            ether_type::ARP | EtherType(0x8035) => return Err(Other::Arp),
            EtherType(0..=1500) => return Err(Other::Llc),
            EtherType(kind) => return Err(Other::EtherType(kind)),
        }
    }
    Err(Other::Nested)
}

/// Linux cooked captures: where the protocol and the hardware type stand, and the header's length.
fn cooked(data: &[u8], protocol: usize, hardware: usize, len: usize) -> Result<usize, Other> {
    let Some(head) = data.get(..len) else {
        return Err(Other::Cut("linux cooked"));
    };
    let word = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    match (word(hardware), word(protocol)) {
        // Netlink and radiotap put something else than an Ethernet type there.
        (824 | 803, kind) => Err(Other::EtherType(kind)),
        (_, kind) => tagged(EtherType(kind), data, len),
    }
}

/// The BSD loopback's address family, in either byte order: the capturing host's is not known.
fn loopback(data: &[u8]) -> Result<usize, Other> {
    let Some(&head) = data.first_chunk::<4>() else {
        return Err(Other::Cut("loopback"));
    };
    let family = u32::from_le_bytes(head).min(u32::from_be_bytes(head));
    match family {
        // IPv6 has a number of its own on Linux, NetBSD, FreeBSD and macOS.
        2 | 10 | 24 | 28 | 30 => Ok(4),
        family => Err(Other::Family(family)),
    }
}
