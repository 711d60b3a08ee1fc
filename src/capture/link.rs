//! Link types by number.

/// A link type by its number in capture files: <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback; the address family is in the byte order of the capturing host.
    pub const NULL: LinkType = LinkType(0);
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// IP without a link header. OpenBSD and BSD/OS number it 14 and 12.
    pub const RAW: LinkType = LinkType(101);
    /// Linux "any" interface.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Linux "any" interface, second version.
    pub const LINUX_SLL2: LinkType = LinkType(276);
}

impl LinkType {
    /// The name of the link type, for some that do not carry IP.
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            6 => "token ring",
            10 => "FDDI",
            107 => "frame relay",
            123 => "ATM",
            143 => "DOCSIS",
            147..=162 => "reserved for private use",
            187 | 201 | 251 | 254 | 255 => "bluetooth",
            189 | 220 | 249 | 266 | 288 | 293..=295 => "USB",
            195 | 215 | 230 | 283 => "IEEE 802.15.4",
            227 => "CAN",
            247 => "infiniband",
            252 => "upper PDUs exported by Wireshark",
            253 => "netlink",
            _ => return None,
        })
    }
}
