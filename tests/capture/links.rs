//! Link layers, network headers and odd lengths.

use super::files::*;
use netkit::capture::{Body, Decoded, Fragments, Frame, LinkType, Other, Packet, Segment, Time, decode};

const A4: &str = "10.0.0.1:1000";
const B4: &str = "10.0.0.2:7777";
const A6: &str = "[fd00::1]:1000";
const B6: &str = "[fd00::2]:7777";

/// Decodes `data`, whose frame had `length` bytes on the wire.
pub fn with<T>(link: u32, data: &[u8], length: usize, look: impl Fn(Decoded<'_>) -> T) -> T {
    let link = LinkType(link);
    let frame = Frame { number: 1, time: Time::micros(1, 2), link, interface: 0, leg: None, data, length };
    look(decode(&frame, &mut Fragments::default()))
}

fn other(link: u32, data: &[u8]) -> Other {
    with(link, data, data.len(), |decoded| match decoded {
        Decoded::Other(other) => other,
        Decoded::Packet(packet) => panic!("{packet:?}"),
    })
}

/// Source, destination, UDP payload, length on the wire.
fn datagram(link: u32, data: &[u8], length: usize) -> (String, String, Vec<u8>, usize) {
    with(link, data, length, |decoded| match decoded {
        Decoded::Packet(Packet { src, dst, body: Body::Udp { payload, length }, .. }) => {
            (src.to_string(), dst.to_string(), payload.to_vec(), length)
        }
        other => panic!("{other:?}"),
    })
}

#[test]
fn every_link_type() {
    for (src, dst, kind) in [(A4, B4, [8, 0]), (A6, B6, [0x86, 0xdd])] {
        let frame = udp(src, dst, b"payload");
        let ip = &frame[14..];
        let family: &[u8] = if src == A4 { &[2] } else { &[10, 24, 28, 30] };
        let mut frames = vec![
            (1, frame.clone()),
            (101, ip.to_vec()),
            (12, ip.to_vec()),
            (14, ip.to_vec()),
            (if src == A4 { 228 } else { 229 }, ip.to_vec()),
            (113, [&[0; 14][..], &kind, ip].concat()),
            (276, [&kind[..], &[0; 18], ip].concat()),
            (113, [&[0; 14][..], &[0x81, 0, 0, 5], &kind, ip].concat()),
        ];
        for family in family {
            for link in [0, 108] {
                frames.push((link, [&[*family, 0, 0, 0][..], ip].concat()));
                frames.push((link, [&[0, 0, 0, *family][..], ip].concat()));
            }
        }
        for tags in [&[0x8100u16][..], &[0x88a8, 0x8100], &[0x9100, 0x8100, 0x8100, 0x8100]] {
            let mut tagged = frame[..12].to_vec();
            for tag in tags {
                tagged.extend(tag.to_be_bytes());
                tagged.extend([0, 5]);
            }
            tagged.extend(&frame[12..]);
            frames.push((1, tagged));
        }
        for (link, data) in frames {
            let expected = (src.to_string(), dst.to_string(), b"payload".to_vec(), 7);
            assert_eq!(datagram(link, &data, data.len()), expected, "link {link}");
            // Every cut keeps the payload's remaining bytes, or names the header.
            for end in 0..data.len() {
                let payload = end.saturating_sub(data.len() - 7);
                with(link, &data[..end], data.len(), |decoded| match decoded {
                    Decoded::Packet(Packet { body: Body::Udp { payload: seen, length }, .. }) => {
                        assert_eq!((seen, length), (&b"payload"[..payload], 7));
                    }
                    Decoded::Other(Other::Cut(_)) => assert!(end < data.len() - 7),
                    decoded => panic!("link {link}, {end} bytes: {decoded:?}"),
                });
            }
        }
    }
}

#[test]
fn what_is_neither_udp_nor_tcp_has_a_name() {
    let frame = |kind: [u8; 2], rest: &[u8]| [&[0; 12][..], &kind, rest].concat();
    let protocol = |protocol| {
        let mut frame = udp(A4, B4, b"payload");
        frame[23] = protocol;
        frame
    };
    for (data, text) in [
        (frame([8, 6], &[0; 28]), "arp"),
        (frame([0, 38], &[0x42; 38]), "llc"),
        (frame([0x88, 0xcc], &[0; 38]), "ethernet type 0x88cc"),
        (frame([0x81, 0], &[0, 1, 0x81, 0].repeat(12)), "nested too deep"),
        (frame([0x81, 0], &[0]), "cut vlan header"),
        (frame([8, 0], &[]), "cut ip header"),
        (frame([8, 0], &[0x44; 40]), "malformed ipv4 header"),
        (frame([8, 0], &[0x24; 40]), "malformed ip header"),
        (protocol(1), "icmp"),
        (protocol(2), "igmp"),
        (protocol(132), "ip protocol 132"),
        (vec![0; 13], "cut ethernet header"),
    ] {
        assert_eq!(other(1, &data).to_string(), text);
    }
    assert_eq!(other(147, b"").to_string(), "link type 147 (reserved for private use)");
    assert_eq!(other(99, b"").to_string(), "link type 99");
    assert_eq!(other(0, &[7, 0, 0, 0]).to_string(), "address family 7");
}

#[test]
fn lengths_are_those_of_the_wire_without_padding() {
    let mut padded = udp(A4, B4, b"ab");
    padded.resize(60, 0xee);
    assert_eq!(datagram(1, &padded, 60).2, b"ab");

    // The network card fills in the lengths later: IP has 0, and so does UDP.
    let mut offload = udp(A4, B4, b"abcdef");
    offload[16..18].fill(0);
    offload[38..40].fill(0);
    assert_eq!(datagram(1, &offload, 48).2, b"abcdef");
    let mut jumbo = udp(A6, B6, b"abcdef");
    jumbo[18..20].fill(0);
    jumbo[58..60].fill(0);
    assert_eq!(datagram(1, &jumbo, 68).2, b"abcdef");

    let mut udp_longer = udp(A4, B4, b"abcdef");
    udp_longer[39] = 200;
    assert_eq!(datagram(1, &udp_longer, 48).3, 6);
    udp_longer[39] = 12;
    assert_eq!(datagram(1, &udp_longer, 48).2, b"abcd");
    udp_longer[39] = 7;
    assert_eq!(other(1, &udp_longer), Other::Malformed("udp"));
    udp_longer[17] = 27;
    assert_eq!(other(1, &udp_longer), Other::Malformed("udp"));
    udp_longer[17] = 19;
    assert_eq!(other(1, &udp_longer), Other::Malformed("ipv4"));
}

#[test]
fn tcp_segments() {
    for (src, dst) in [(A4, B4), (A6, B6)] {
        let segment = Segment {
            seq: 0xfedc_ba98,
            ack: 0x0123_4567,
            has_ack: true,
            fin: true,
            payload: b"stream",
            ..Segment::default()
        };
        let mut frame = tcp(src, dst, segment);
        frame.extend([0; 9]);
        let check = |frame: &[u8], payload: &[u8], length| {
            with(1, frame, frame.len(), |decoded| match decoded {
                Decoded::Packet(Packet { body: Body::Tcp(s), .. }) => {
                    assert_eq!((s.seq, s.ack), (0xfedc_ba98, 0x0123_4567));
                    assert_eq!((s.has_ack, s.syn, s.fin, s.rst), (true, false, true, false));
                    assert_eq!((s.payload, s.length), (payload, length));
                }
                other => panic!("{other:?}"),
            });
        };
        check(&frame, b"stream", 6);
        let end = frame.len() - 9;
        check(&frame[..end - 2], b"stre", 6);
        let offset = end - 6 - 8;
        frame[offset] = 0x60;
        check(&frame, b"am", 2);
        frame[offset] = 0x70;
        assert_eq!(other(1, &frame), Other::Malformed("tcp"));
        frame[offset] = 0x40;
        assert_eq!(other(1, &frame), Other::Malformed("tcp"));
        assert_eq!(other(1, &frame[..offset]), Other::Cut("tcp"));
    }
}

#[test]
fn extension_headers_are_stepped_over() {
    // Hop-by-hop, routing, an atomic fragment, authentication, destination options.
    let chain: [(u8, &[u8]); 5] = [
        (0, &[0, 0, 1, 4, 0, 0, 0, 0]),
        (43, &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (44, &[0, 0, 0, 0, 0, 0, 0, 9]),
        (51, &[0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]),
        (60, &[0, 0, 1, 4, 0, 0, 0, 0]),
    ];
    let plain = udp(A6, B6, b"payload");
    let mut frame = plain[..54].to_vec();
    let mut next = 20;
    for (kind, header) in chain {
        frame[next] = kind;
        next = frame.len();
        frame.extend(header);
    }
    frame[next] = 17;
    frame.extend(&plain[54..]);
    let length = (frame.len() - 54) as u16;
    frame[18..20].copy_from_slice(&length.to_be_bytes());
    assert_eq!(datagram(1, &frame, frame.len()).2, b"payload");
    for end in 54..frame.len() - 15 {
        with(1, &frame[..end], frame.len(), |decoded| {
            assert!(matches!(decoded, Decoded::Other(Other::Cut(_))), "{end}: {decoded:?}");
        });
    }
    let mut endless = frame[..54].to_vec();
    endless[18..21].copy_from_slice(&[16, 0, 60]);
    endless.extend([60, 0, 0, 0, 0, 0, 0, 0].repeat(512));
    assert_eq!(other(1, &endless), Other::Nested);

    // A long chain that ends.
    let mut long = plain[..54].to_vec();
    long.extend([60, 0, 0, 0, 0, 0, 0, 0].repeat(99));
    long.extend([17, 0, 0, 0, 0, 0, 0, 0]);
    long.extend(&plain[54..]);
    let length = (long.len() - 54) as u16;
    long[18..20].copy_from_slice(&length.to_be_bytes());
    long[20] = 60;
    assert_eq!(datagram(1, &long, long.len()).2, b"payload");
}

#[test]
fn every_damaged_byte_of_a_frame_is_survived() {
    let segment = Segment { payload: b"x", ..Segment::default() };
    for frame in [udp(A4, B4, b"abc"), udp(A6, B6, b"abc"), tcp(A4, B4, segment)] {
        for at in 0..frame.len() {
            for value in 0..=255 {
                let mut damaged = frame.clone();
                damaged[at] = value;
                for link in [0, 1, 12, 101, 108, 113, 228, 229, 276] {
                    for length in [damaged.len(), 70_000] {
                        with(link, &damaged, length, |_| ());
                        with(link, &damaged[14..], length, |_| ());
                    }
                }
            }
        }
    }
}
