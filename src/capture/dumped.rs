//! The link type of dumped bytes, guessed from the bytes: a dump does not state it.

use super::layers::ip_after;
use super::whole::ip;
use super::{Decoded, Fragments, Frame, LinkType, Time, decode, whole_packet};

/// Link headers that are recognised by their address family or protocol alone.
const OTHERS: [LinkType; 3] = [LinkType::NULL, LinkType::LINUX_SLL, LinkType::LINUX_SLL2];
/// The longest payload of a padded Ethernet frame with its check sequence: `tcpdump -x` omits the header but prints the
/// padding.
const PADDED: usize = 46 + 4;

/// The link type of dumped bytes that are a packet: a [`whole_packet`], possibly after a loopback header or the header
/// of Linux's "any" interface, or with Ethernet's padding but not its header. `None` for anything else, such as a
/// message.
pub fn dumped_packet(bytes: &[u8]) -> Option<LinkType> {
    whole_packet(bytes).or_else(|| {
        if bytes.len() <= PADDED && ip(bytes, bytes.len(), PADDED) {
            return Some(LinkType::RAW);
        }
        OTHERS.into_iter().find(|link| ip_after(*link, bytes).is_some_and(|packet| ip(packet, packet.len(), 0)))
    })
}

/// The link type of bytes that the user declares to be a packet: that of [`dumped_packet`], else the first link type
/// that leads to UDP or TCP, ignoring lengths and checksums.
pub fn forced_packet(bytes: &[u8]) -> Option<LinkType> {
    dumped_packet(bytes).or_else(|| {
        // An Ethernet type is better evidence than the first four bits of an IP header.
        let mut all = [LinkType::ETHERNET, LinkType::RAW].into_iter().chain(OTHERS);
        all.find(|link| matches!(decode(&frame(bytes, *link, 1), &mut Fragments::default()), Decoded::Packet(_)))
    })
}

/// A frame of these bytes, with this number and no time.
pub fn frame(data: &[u8], link: LinkType, number: u64) -> Frame<'_> {
    Frame { number, time: Time::default(), link, interface: 0, leg: None, data, length: data.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Body, Segment, ethernet};

    fn samples() -> Vec<Vec<u8>> {
        let payload = &[0x45, 0, 0, 33][..];
        let bodies =
            [Body::Udp { payload, length: 4 }, Body::Tcp(Segment { payload, length: 4, ..Segment::default() })];
        let ends = [("10.0.0.1:1", "10.0.0.2:2"), ("[::1]:1", "[::1]:2")];
        let all = ends.into_iter().flat_map(|(src, dst)| {
            bodies.iter().map(move |body| {
                let mut frame = Vec::new();
                ethernet(src.parse().unwrap(), dst.parse().unwrap(), body, &mut frame).unwrap();
                frame
            })
        });
        all.collect()
    }

    #[test]
    fn every_link_layer() {
        for frame in samples() {
            let ip = &frame[14..];
            let family = if ip[0] >> 4 == 4 { 2 } else { 10 };
            let null = [&[family, 0, 0, 0], ip].concat();
            let cooked = [&[0, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0], &frame[12..]].concat();
            let two = [&frame[12..14], &[0; 18], ip].concat();
            for (bytes, link) in [
                (ip, LinkType::RAW),
                (&frame, LinkType::ETHERNET),
                (&null, LinkType::NULL),
                (&cooked, LinkType::LINUX_SLL),
                (&two, LinkType::LINUX_SLL2),
            ] {
                assert_eq!(dumped_packet(bytes), Some(link), "{bytes:02x?}");
                assert_eq!(dumped_packet(&bytes[..bytes.len() - 1]), None);
            }
        }
    }

    #[test]
    fn padding_without_its_frame() {
        let mut ip = samples()[0][14..].to_vec();
        ip.resize(46, 0);
        assert_eq!(dumped_packet(&ip), Some(LinkType::RAW));
        ip.resize(60, 0);
        assert_eq!(dumped_packet(&ip), None);
        assert_eq!(forced_packet(&ip), Some(LinkType::RAW));
    }

    #[test]
    fn forced_packets_have_a_transport() {
        let frame = &samples()[0];
        assert_eq!(forced_packet(&frame[..frame.len() - 1]), Some(LinkType::ETHERNET));
        assert_eq!(forced_packet(&[0x45, 0, 1, 2, 3]), None);
        assert_eq!(forced_packet(&[]), None);
    }
}
