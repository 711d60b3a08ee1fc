//! Recognises complete packets. The lengths in the headers must agree with the actual ones, and IPv4's checksum must be
//! right. That does not happen by chance, so it distinguishes encapsulation from payload better than a port number.

use super::ip::{Inner, extensions, v6};
use super::{LinkType, Other};
use etherparse::checksum::Sum16BitWords;
use etherparse::{EtherType, ether_type, ip_number};

/// The shortest Ethernet frame, with its check sequence; shorter packets are padded to it.
const SHORTEST: usize = 64;
/// The largest number of bytes after an IP packet in Ethernet: the padding of the shortest frame.
pub(super) const PADDING: usize = 50;
/// The length of the frame check sequence.
const FCS: usize = 4;
/// The cap on VLAN tags.
const TAGS: usize = 8;

/// The link type of a packet whose headers are consistent with each other and with its length: an
/// [`LinkType::ETHERNET`] frame (VLAN tags allowed) of IPv4, IPv6 or ARP, or an IP packet
/// ([`LinkType::RAW`]); `None` for anything else, including the beginning of a packet.
pub fn whole_packet(data: &[u8]) -> Option<LinkType> {
    if ip(data, data.len(), 0) {
        return Some(LinkType::RAW);
    }
    ethernet(data, data.len()).then_some(LinkType::ETHERNET)
}

/// Whether an Ethernet frame of `length` bytes, of which `data` was captured, is consistent.
pub(super) fn ethernet(data: &[u8], length: usize) -> bool {
    let mut at = 12;
    for _ in 0..=TAGS {
        let Some(&[a, b]) = data.get(at..at + 2) else { return false };
        at += 2;
        let (rest, left) = (data.get(at..).unwrap_or_default(), length.saturating_sub(at));
        let spare = if length <= SHORTEST { SHORTEST } else { FCS };
        match EtherType(u16::from_be_bytes([a, b])) {
            ether_type::VLAN_TAGGED_FRAME | ether_type::PROVIDER_BRIDGING | ether_type::VLAN_DOUBLE_TAGGED_FRAME => {
                at += 2;
            }
            ether_type::IPV4 => return rest.first().is_some_and(|b| b >> 4 == 4) && ip(rest, left, spare),
            ether_type::IPV6 => return rest.first().is_some_and(|b| b >> 4 == 6) && ip(rest, left, spare),
            // Ethernet and IPv4 addresses, a request or a reply.
            ether_type::ARP => return left >= 28 && matches!(rest, [0, 1, 8, 0, 6, 4, 0, 1 | 2, ..]),
            _ => return false,
        }
    }
    false
}

/// Whether an IP packet in `length` bytes is consistent. `data` is the captured part; at most `spare` bytes are
/// padding.
pub(super) fn ip(data: &[u8], length: usize, spare: usize) -> bool {
    match data.first().map(|first| first >> 4) {
        Some(4) => v4_agrees(data, length, spare),
        Some(6) => v6_agrees(data, length, spare),
        _ => false,
    }
}

fn v4_agrees(data: &[u8], length: usize, spare: usize) -> bool {
    let Some(fixed) = data.first_chunk::<20>() else { return false };
    let head = usize::from(fixed[0] & 15) * 4;
    let total = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
    let Some(header) = data.get(..head) else { return false };
    if head < 20 || total < head || total > length || length - total > spare {
        return false;
    }
    if Sum16BitWords::new().add_slice(header).ones_complement() == 0 {
        return true;
    }
    // With checksum offload the field is 0; then the transport header's length has to agree.
    let later = fixed[10..12] == [0, 0] && fixed[6] & 0x3f == 0 && fixed[7] == 0;
    let data = &data[head..];
    let inner = Inner { protocol: fixed[9].into(), data: &data[..data.len().min(total - head)], length: total - head };
    later && transport_agrees(inner)
}

fn v6_agrees(data: &[u8], length: usize, spare: usize) -> bool {
    let Some(fixed) = data.first_chunk::<40>() else { return false };
    let total = 40 + usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
    // A multicast address cannot be a sender.
    if total == 40 || total > length || length - total > spare || fixed[8] == 0xff {
        return false;
    }
    match v6(data, total) {
        Ok(found) if found.fragment.is_some() => true,
        Ok(found) => extensions(found.inner).is_ok_and(|(inner, _)| transport_agrees(inner)),
        // The capture ends before the transport header.
        Err(Other::Cut(_)) => data.len() < total,
        Err(_) => false,
    }
}

/// Whether the transport header is present and its length is that of the packet.
fn transport_agrees(inner: Inner<'_>) -> bool {
    if inner.data.len() < inner.length.min(20) {
        return inner.data.len() < inner.length && matches!(inner.protocol, ip_number::UDP | ip_number::TCP);
    }
    match (inner.protocol, inner.data) {
        (ip_number::UDP, &[_, _, _, _, a, b, _, _, ..]) => usize::from(u16::from_be_bytes([a, b])) == inner.length,
        (ip_number::TCP, data) => {
            let head = data.get(12).map_or(0, |offset| usize::from(offset >> 4) * 4);
            head >= 20 && head <= inner.length
        }
        (ip_number::IPV4, data) => data.first().is_some_and(|b| b >> 4 == 4) && ip(data, inner.length, 0),
        (ip_number::IPV6, data) => data.first().is_some_and(|b| b >> 4 == 6) && ip(data, inner.length, 0),
        (ip_number::GRE, data) => inner.length >= 4 && data.len() >= 4,
        (ip_number::ICMP | ip_number::IPV6_ICMP, data) => data.len() >= 8,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Body, Segment, ethernet as build};
    use super::*;

    fn frames() -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        let stream = Segment { payload: b"stream", ..Segment::default() };
        let bodies = [Body::Udp { payload: b"payload, payload, payload", length: 26 }, Body::Tcp(stream)];
        for (src, dst) in [("10.0.0.1:5000", "10.0.0.2:7777"), ("[fd00::1]:5000", "[fd00::2]:7777")] {
            for body in &bodies {
                let mut frame = Vec::new();
                build(src.parse().unwrap(), dst.parse().unwrap(), body, &mut frame).unwrap();
                frames.push(frame);
            }
        }
        frames
    }

    #[test]
    fn whole_frames_and_packets_are_recognised() {
        for frame in frames() {
            assert_eq!(whole_packet(&frame), Some(LinkType::ETHERNET));
            assert_eq!(whole_packet(&frame[14..]), Some(LinkType::RAW));
            let tagged = [&frame[..12], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 5], &frame[12..]].concat();
            assert_eq!(whole_packet(&tagged), Some(LinkType::ETHERNET));
            let mut padded = frame.clone();
            padded.resize(frame.len().max(56) + 4, 0);
            assert_eq!(whole_packet(&padded), Some(LinkType::ETHERNET), "padding or a check sequence");
            assert_eq!(whole_packet(&padded[14..]), None, "nothing pads what has no link layer");
        }
        let arp = [&[0xff; 12][..], &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1], &[7; 20]].concat();
        assert_eq!(whole_packet(&arp), Some(LinkType::ETHERNET));
    }

    #[test]
    fn the_check_sum_may_be_left_to_the_card() {
        let mut frame = frames().swap_remove(0);
        frame[24..26].fill(0);
        assert_eq!(whole_packet(&frame), Some(LinkType::ETHERNET));
        frame[39] += 1;
        assert_eq!(whole_packet(&frame), None, "but then UDP's length has to be right");
    }

    #[test]
    fn no_beginning_and_no_other_length_is_whole() {
        for frame in frames() {
            for end in 0..frame.len() {
                let found = whole_packet(&frame[..end]);
                assert_eq!(found, None, "{end} of {}", frame.len());
                assert_eq!(whole_packet(frame.get(14..end).unwrap_or_default()), None);
            }
            let longer = [&frame[..], &[0; 70]].concat();
            assert_eq!(whole_packet(&longer), None);
        }
    }

    #[test]
    fn nothing_random_is_whole() {
        let mut random = crate::random::Random::of(1, &[]);
        for _ in 0..200_000 {
            let mut bytes = [0; 96];
            bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&random.bits().to_le_bytes()));
            let length = 20 + random.bits() as usize % 76;
            // The hardest case to reject: the version nibble is right.
            bytes[0] = [0x45, 0x60][random.bits() as usize % 2];
            assert_eq!(whole_packet(&bytes[..length]), None, "{bytes:02x?}");
        }
    }

    #[test]
    fn whole_packets_only() -> Result<(), Box<dyn std::error::Error>> {
        use crate::capture::{Body, LinkType, ethernet, whole_packet};

        let mut frame = Vec::new();
        let body = Body::Udp { payload: b"hello", length: 5 };
        ethernet("10.0.0.1:50000".parse()?, "10.0.0.2:7777".parse()?, &body, &mut frame)?;
        assert_eq!(whole_packet(&frame), Some(LinkType::ETHERNET));
        assert_eq!(whole_packet(&frame[14..]), Some(LinkType::RAW));
        assert_eq!(whole_packet(&frame[..46]), None);
        Ok(())
    }
}
