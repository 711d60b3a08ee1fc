//! The fast path to ports and payload, for nearly all traffic: Ethernet, Linux cooked or no link
//! header, IPv4 without options or IPv6 without extension headers, not a fragment, UDP or TCP,
//! consistent lengths. Returns what [`walk`](super::layers::walk) returns, or nothing; a test
//! compares the two.

use super::layers::is_port;
use super::transport::Transport;
use super::{Body, LinkType, Segment};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const UDP: u8 = 17;
const TCP: u8 = 6;

/// The length of the link header, and whether IPv4 follows.
#[inline(always)]
pub(super) fn network(link: LinkType, data: &[u8]) -> Option<(usize, bool)> {
    let (at, kind) = match link {
        LinkType::ETHERNET => (14, *data.get(12..14)?.first_chunk()?),
        LinkType::LINUX_SLL => match data.get(..16)? {
            // Netlink and radiotap: the field does not hold an Ethernet type.
            [_, _, 3, 0x23 | 0x38, ..] => return None,
            head => (16, [head[14], head[15]]),
        },
        LinkType::RAW => match data.first()? >> 4 {
            4 => (0, [8, 0]),
            6 => (0, [0x86, 0xdd]),
            _ => return None,
        },
        _ => return None,
    };
    match kind {
        [8, 0] => Some((at, true)),
        [0x86, 0xdd] => Some((at, false)),
        _ => None,
    }
}

/// The packet after an IPv4 header at the start of `data`.
#[inline(always)]
pub(super) fn v4(data: &[u8]) -> Option<(IpAddr, IpAddr, Transport<'_>)> {
    let (ip, rest) = data.split_first_chunk::<20>()?;
    let total = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
    // Version 4, no options; not a fragment.
    if ip[0] != 0x45 || ip[6] & 0x3f != 0 || ip[7] != 0 || total < 28 {
        return None;
    }
    let found = transport(ip[9], rest, total - 20)?;
    let address = |at: usize| IpAddr::V4(Ipv4Addr::new(ip[at], ip[at + 1], ip[at + 2], ip[at + 3]));
    Some((address(12), address(16), found))
}

/// The packet after an IPv6 header at the start of `data`.
#[inline(always)]
pub(super) fn v6(data: &[u8]) -> Option<(IpAddr, IpAddr, Transport<'_>)> {
    let (ip, rest) = data.split_first_chunk::<40>()?;
    let length = usize::from(u16::from_be_bytes([ip[4], ip[5]]));
    if ip[0] >> 4 != 6 || length < 8 {
        return None;
    }
    let found = transport(ip[6], rest, length)?;
    let (from, to) = (ip[8..24].first_chunk::<16>()?, ip[24..40].first_chunk::<16>()?);
    Some((Ipv6Addr::from(*from).into(), Ipv6Addr::from(*to).into(), found))
}

/// `length` is the length of `data` according to IP; the data may be cut or padded.
#[inline(always)]
fn transport(protocol: u8, data: &[u8], length: usize) -> Option<Transport<'_>> {
    let data = &data[..data.len().min(length)];
    let word = |head: &[u8], at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let long = |head: &[u8], at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if protocol == UDP {
        let (head, payload) = data.split_first_chunk::<8>()?;
        let (src, dst, own) = (word(head, 0), word(head, 2), usize::from(word(head, 4)));
        if own < 8 || is_port(src, dst) {
            return None;
        }
        let length = own.min(length) - 8;
        let payload = &payload[..payload.len().min(length)];
        return Some(Transport { src, dst, body: Body::Udp { payload, length } });
    }
    let head = data.first_chunk::<20>().filter(|_| protocol == TCP)?;
    let size = usize::from(head[12] >> 4) * 4;
    let payload = data.get(size..).filter(|_| size >= 20)?;
    let flag = |bit: u8| head[13] & bit != 0;
    let (seq, ack, length) = (long(head, 4), long(head, 8), length - size);
    let (fin, syn, rst, has_ack) = (flag(1), flag(2), flag(4), flag(16));
    let segment = Segment { seq, ack, has_ack, syn, fin, rst, payload, length };
    Some(Transport { src: word(head, 0), dst: word(head, 2), body: Body::Tcp(segment) })
}
