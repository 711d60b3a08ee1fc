//! Tags, labels, sessions and tunnels around a packet, and the link types that contain one.

use super::files::*;
use super::links::with;
use netkit::capture::{Body, Capture, Decoded, LinkType, Packet, Packets, PcapWriter, Time};
use std::io::Cursor;

const A4: &str = "10.0.0.1:1000";
const B4: &str = "10.0.0.2:7777";
const A6: &str = "[fd00::1]:1000";
const B6: &str = "[fd00::2]:7777";
const OUTER: (&str, &str) = ("192.0.2.1", "192.0.2.2");
const PAYLOAD: &[u8] = b"what the game says";

/// An IPv4 packet between the tunnel's endpoints.
fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let [src, dst] = [OUTER.0, OUTER.1].map(|ip| ip.parse::<std::net::Ipv4Addr>().unwrap().octets());
    let length = payload.len() as u16;
    let mut header = etherparse::Ipv4Header::new(length, 64, protocol.into(), src, dst).unwrap();
    header.header_checksum = header.calc_header_checksum();
    [&header.to_bytes()[..], payload].concat()
}

/// A datagram between the tunnel's endpoints.
fn outer_udp(port: u16, payload: &[u8]) -> Vec<u8> {
    udp(&format!("{}:50000", OUTER.0), &format!("{}:{port}", OUTER.1), payload)
}

/// An 802.11 data frame with these control fields and this payload.
fn wifi(kind: u8, flags: u8, control: &[u8], carried: &[u8]) -> Vec<u8> {
    [&[kind, flags, 0, 0][..], &[7; 18], &[0x10, 0x20], control, carried].concat()
}

fn snap(kind: [u8; 2], ip: &[u8]) -> Vec<u8> {
    [&[0xaa, 0xaa, 3, 0, 0, 0][..], &kind, ip].concat()
}

fn a_msdu(subframes: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, carried) in subframes.iter().enumerate() {
        out.extend([9; 12]);
        out.extend((carried.len() as u16).to_be_bytes());
        out.extend(carried);
        if i + 1 < subframes.len() {
            out.resize(out.len().next_multiple_of(4), 0);
        }
    }
    out
}

/// A frame that contains a packet.
struct Case {
    name: &'static str,
    link: u32,
    data: Vec<u8>,
}

fn cases(src: &str, dst: &str) -> Vec<Case> {
    let frame = udp(src, dst, PAYLOAD);
    let ip = &frame[14..];
    let six = src == A6;
    let kind: [u8; 2] = if six { [0x86, 0xdd] } else { [8, 0] };
    let ppp: [u8; 2] = [0, if six { 0x57 } else { 0x21 }];
    let session = |protocol: &[u8], inner: &[u8]| {
        let length = ((protocol.len() + inner.len()) as u16).to_be_bytes();
        [&[0x11, 0, 0, 5][..], &length, protocol, inner].concat()
    };
    let typed = |kind: [u8; 2], rest: &[u8]| [&[3; 12][..], &kind, rest].concat();
    let gre = |flags: u8, kind: [u8; 2], rest: &[u8]| {
        let words = (flags & 0xb0).count_ones() as usize;
        typed([8, 0], &ipv4(47, &[&[flags, 0][..], &kind, &vec![0xee; words * 4], rest].concat()))
    };
    let vxlan = [&[8, 0, 0, 0, 1, 2, 3, 0][..], &frame].concat();
    let gtp = |flags: u8, more: &[u8]| {
        let length = ((more.len() + ip.len()) as u16).to_be_bytes();
        [&[flags, 0xff][..], &length, &[1, 2, 3, 4], more, ip].concat()
    };
    let label = |bottom: u8| [0, 0x10, bottom, 64];
    let radiotap = |flags: u8| [0, 0, 17, 0, 3, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, flags];
    let data = wifi(8, 1, &[], &snap(kind, ip));
    let qos = wifi(0x88, 2, &[0, 0], &snap(kind, ip));
    let ppi = |fcs: u8| {
        let common = [2, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, fcs, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        [&[0, 0, 32, 0, 105, 0, 0, 0][..], &common].concat()
    };
    let nflog = |big: bool| {
        let two = |n: u16| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let family = if six { 10 } else { 2 };
        let head =
            [&[family, 0, 0, 9][..], &two(8), &two(1), &kind, &[0, 0], &two(5), &two(10), &[0, 0, 0, 0]].concat();
        [&head[..], &two(4 + ip.len() as u16), &two(9), ip].concat()
    };
    let pktap = |link: u8, inner: &[u8]| {
        let mut head = [0; 108];
        (head[0], head[4], head[8]) = (108, 1, link);
        [&head[..], inner].concat()
    };
    let case = |name, link, data| Case { name, link, data };
    let mut cases = vec![
        case("pppoe", 1, typed([0x88, 0x64], &session(&ppp, ip))),
        case("pppoe, compressed protocol", 1, typed([0x88, 0x64], &session(&ppp[1..], ip))),
        case(
            "pppoe in two vlans",
            1,
            typed([0x88, 0xa8], &[&[0, 2, 0x81, 0, 0, 5, 0x88, 0x64][..], &session(&ppp, ip)].concat()),
        ),
        case("ppp_ether", 51, session(&ppp, ip)),
        case("ppp", 9, [&ppp, ip].concat()),
        case("ppp in hdlc", 9, [&[0xff, 3][..], &ppp, ip].concat()),
        case("ppp_serial", 50, [&[0xff, 3][..], &ppp, ip].concat()),
        case("ppp_serial, cisco", 50, [&[0x0f, 0][..], &kind, ip].concat()),
        case("c_hdlc", 104, [&[0x8f, 0][..], &kind, ip].concat()),
        case("ppp_pppd", 166, [&[1, 3][..], &ppp, ip].concat()),
        case("ppp with direction", 204, [&[0, 0xff, 3][..], &ppp, ip].concat()),
        case("mpls", 1, typed([0x88, 0x47], &[&label(1), ip].concat())),
        case("mpls, three labels", 1, typed([0x88, 0x48], &[&label(0), &label(0), &label(1), ip].concat())),
        case("mpls pseudo-wire", 1, typed([0x88, 0x47], &[&label(1)[..], &frame].concat())),
        case(
            "mpls pseudo-wire with control word",
            1,
            typed([0x88, 0x47], &[&label(1)[..], &[0, 0, 0, 7], &frame].concat()),
        ),
        case("mpls over ppp", 9, [&[2, 0x81][..], &label(1), ip].concat()),
        case("gre", 1, gre(0, kind, ip)),
        case("gre with key", 1, gre(0x20, kind, ip)),
        case("gre with check sum, key and number", 1, gre(0xb0, kind, ip)),
        case("gre, bridging", 1, gre(0x20, [0x65, 0x58], &frame)),
        case("gre, mpls", 1, gre(0, [0x88, 0x47], &[&label(1), ip].concat())),
        case("erspan 1", 1, gre(0, [0x88, 0xbe], &frame)),
        case("erspan 2", 1, gre(0x10, [0x88, 0xbe], &[&[0x10, 1, 0, 2, 0, 0, 0, 3][..], &frame].concat())),
        case("erspan 3", 1, gre(0x10, [0x22, 0xeb], &[&[0x20, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0][..], &frame].concat())),
        case("ip in ip", 1, typed([8, 0], &ipv4(if six { 41 } else { 4 }, ip))),
        case("ip in ip in ip", 101, ipv4(4, &ipv4(if six { 41 } else { 4 }, ip))),
        case("etherip", 101, ipv4(97, &[&[0x30, 0][..], &frame].concat())),
        case("mpls in ip", 101, ipv4(137, &[&label(1), ip].concat())),
        case("vxlan", 1, outer_udp(4789, &vxlan)),
        case("vxlan, linux", 1, outer_udp(8472, &vxlan)),
        case("vxlan that says what follows", 1, outer_udp(4789, &[&[0x0c, 0, 0, 3, 1, 2, 3, 0][..], &frame].concat())),
        case("vxlan with a vlan", 1, outer_udp(4789, &[&vxlan[..20], &[0x81, 0, 0, 5], &vxlan[20..]].concat())),
        case("vxlan-gpe", 1, outer_udp(4790, &[&[0x0c, 0, 0, if six { 2 } else { 1 }, 1, 2, 3, 0][..], ip].concat())),
        case("geneve", 1, outer_udp(6081, &[&[0, 0, 0x65, 0x58, 1, 2, 3, 0][..], &frame].concat())),
        case(
            "geneve with options",
            1,
            outer_udp(6081, &[&[2, 0x40, kind[0], kind[1], 1, 2, 3, 0, 1, 3, 5, 1, 0, 0, 0, 0][..], ip].concat()),
        ),
        case("gtp-u", 1, outer_udp(2152, &gtp(0x30, &[]))),
        case("gtp-u with a number", 1, outer_udp(2152, &gtp(0x32, &[0, 5, 0, 0]))),
        case("gtp-u with an extension", 1, outer_udp(2152, &gtp(0x34, &[0, 0, 0, 0x85, 1, 0, 9, 0]))),
        case("tzsp", 1, outer_udp(37008, &[&[1, 0, 0, 1, 1][..], &frame].concat())),
        // Sent; padding, signal strength, end.
        case("tzsp with tags", 1, outer_udp(37008, &[&[1, 1, 0, 1, 0, 10, 1, 0xd8, 1][..], &frame].concat())),
        case("l2tp 3", 101, ipv4(115, &[&[0, 0, 0, 9][..], &frame].concat())),
        case("l2tp 3 with a cookie", 101, ipv4(115, &[&[0, 0, 0, 9, 1, 2, 3, 4][..], &frame].concat())),
        case(
            "l2tp 3 with a long cookie and a number",
            101,
            ipv4(115, &[&[0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 0x40, 0, 0, 7][..], &frame].concat()),
        ),
        case("l2tp 3 over udp", 1, outer_udp(1701, &[&[0, 3, 0, 0, 0, 0, 0, 9][..], &frame].concat())),
        case("802.3 with snap", 1, typed(((8 + ip.len()) as u16).to_be_bytes(), &snap(kind, ip))),
        case("backbone bridging", 1, typed([0x88, 0xe7], &[&[0, 0, 0, 9][..], &frame].concat())),
        case("802.11", 105, data.clone()),
        case("802.11, four addresses", 105, wifi(8, 3, &[6; 6], &snap(kind, ip))),
        case("802.11 qos", 105, qos.clone()),
        case("802.11 qos, high throughput", 105, wifi(0x88, 0x81, &[0, 0, 1, 1, 1, 1], &snap(kind, ip))),
        case("802.11, one subframe", 105, wifi(0x88, 1, &[0x80, 0], &a_msdu(&[snap(kind, ip)]))),
        case("radiotap", 127, [&radiotap(0)[..], &data].concat()),
        case("radiotap, check sequence", 127, [&radiotap(0x10)[..], &data, &[1, 2, 3, 4]].concat()),
        case("radiotap, padded", 127, [&radiotap(0x20)[..], &qos[..26], &[0, 0], &qos[26..]].concat()),
        case("radiotap, two words", 127, [&[0, 0, 13, 0, 2, 0, 0, 0x80, 0, 0, 0, 0, 0][..], &data].concat()),
        case("ppi", 192, [&ppi(0)[..], &data].concat()),
        case("ppi, check sequence", 192, [&ppi(1)[..], &data, &[1, 2, 3, 4]].concat()),
        case("ppi of ethernet", 192, [&[0, 0, 8, 0, 1, 0, 0, 0][..], &frame].concat()),
        case("prism", 119, [&[0x44, 0, 0, 0, 144, 0, 0, 0][..], &[0; 136], &data].concat()),
        case("avs", 163, [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64][..], &[0; 56], &data].concat()),
        case("nflog", 239, nflog(false)),
        case("nflog, big-endian", 239, nflog(true)),
        case("pktap of ethernet", 258, pktap(1, &frame)),
        case("pktap of raw, old number", 149, pktap(12, ip)),
        case("infiniband", 242, [&[4; 40][..], &kind, &[0, 0], ip].concat()),
        case("infiniband without addresses", 242, [&kind, &[0, 0], ip].concat()),
        case("enc", 109, [&[if six { 24 } else { 2 }, 0, 0, 0][..], &[0; 8], ip].concat()),
        case("pflog", 117, [&[61, if six { 24 } else { 2 }, 0, 0][..], &[0; 60], ip].concat()),
        case("cooked, pppoe", 113, [&[0; 14][..], &[0x88, 0x64], &session(&ppp, ip)].concat()),
        case("cooked 2, mpls", 276, [&[0x88, 0x47][..], &[0; 18], &label(1), ip].concat()),
    ];
    for family in if six { &[10u8, 23, 24, 26, 28, 30][..] } else { &[2] } {
        for link in [0, 108] {
            cases.push(case("loopback", link, [&[*family, 0, 0, 0][..], ip].concat()));
            cases.push(case("loopback, big-endian", link, [&[0, 0, 0, *family][..], ip].concat()));
        }
    }
    cases
}

/// The packet's endpoints, its payload and the payload's length on the wire; or the reason why there is no packet.
fn seen(link: u32, data: &[u8], length: usize) -> Result<(String, String, Vec<u8>, usize), String> {
    with(link, data, length, |decoded| match decoded {
        Decoded::Packet(Packet { src, dst, body: Body::Udp { payload, length }, .. }) => {
            Ok((src.to_string(), dst.to_string(), payload.to_vec(), length))
        }
        Decoded::Packet(packet) => Err(format!("{packet:?}")),
        Decoded::Other(other) => Err(other.to_string()),
    })
}

#[test]
fn every_layer_gives_the_packet_inside() {
    for (src, dst) in [(A4, B4), (A6, B6)] {
        for Case { name, link, data } in cases(src, dst) {
            let expected = Ok((src.to_string(), dst.to_string(), PAYLOAD.to_vec(), PAYLOAD.len()));
            assert_eq!(seen(link, &data, data.len()), expected, "{name}, {src}");
        }
    }
}

#[test]
fn every_cut_gives_the_beginning_or_says_so() {
    for (src, dst) in [(A4, B4), (A6, B6)] {
        for Case { name, link, data } in cases(src, dst) {
            for end in 0..data.len() {
                match seen(link, &data[..end], data.len()) {
                    Ok((from, to, payload, length)) if (&from[..], &to[..]) == (src, dst) => {
                        assert_eq!(length, PAYLOAD.len(), "{name} at {end}");
                        assert!(PAYLOAD.starts_with(&payload), "{name} at {end}");
                    }
                    // A tunnel's datagram with too few bytes to recognise the tunnel.
                    Ok((from, to, ..)) => {
                        assert!(from.starts_with(OUTER.0) && to.starts_with(OUTER.1), "{name} at {end}: {from}");
                    }
                    // Only the missing header could distinguish this protocol from others with its number.
                    Err(why) => assert!(why.starts_with("cut") || link == 149, "{name} at {end}: {why}"),
                }
                // The frame was that short on the wire, too.
                if let Ok((.., payload, length)) = seen(link, &data[..end], end) {
                    assert!(payload.len() <= length, "{name} at {end}");
                }
            }
        }
    }
}

#[test]
fn no_damaged_byte_makes_another_packet() {
    for (src, dst) in [(A4, B4), (A6, B6)] {
        for Case { name, link, data } in cases(src, dst) {
            let ports = [src, dst].map(|end| end.rsplit(':').next().unwrap().to_string());
            for at in 0..data.len().saturating_sub(48 + PAYLOAD.len()) {
                for value in [0, 1, 2, 0x40, 0x45, 0x60, 0x7f, 0x80, 0xff, !data[at]] {
                    let mut damaged = data.clone();
                    damaged[at] = value;
                    // If a packet is found, it is the same, or the datagram around it.
                    if let Ok((from, to, payload, _)) = seen(link, &damaged, damaged.len()) {
                        let inner =
                            ports.iter().zip([&from, &to]).all(|(port, end)| end.ends_with(&format!(":{port}")));
                        let outer = from.ends_with(":50000") || payload.len() > PAYLOAD.len();
                        assert!(inner && PAYLOAD.starts_with(&payload) || outer, "{name}, byte {at}: {from} > {to}");
                    }
                }
            }
        }
    }
}

/// Bytes at the place of a tunnel's inner packet: incomplete, of another length, or noise.
#[test]
fn what_only_looks_like_a_tunnel_stays_a_datagram() {
    let frame = udp(A4, B4, PAYLOAD);
    let ip = &frame[14..];
    let mut sum = frame.clone();
    sum[25] ^= 1;
    let vxlan = |inner: &[u8]| [&[8, 0, 0, 0, 1, 2, 3, 0][..], inner].concat();
    let gtp = |length: u16, inner: &[u8]| [&[0x30, 0xff][..], &length.to_be_bytes(), &[1, 2, 3, 4], inner].concat();
    let geneve = |kind: [u8; 2], inner: &[u8]| [&[0, 0][..], &kind, &[1, 2, 3, 0], inner].concat();
    let noise: Vec<u8> = (0..80u32).map(|i| (i * 151 + 7) as u8).collect();
    for (name, port, payload) in [
        ("vxlan of noise", 4789, vxlan(&noise)),
        ("vxlan with a wrong check sum", 4789, vxlan(&sum)),
        ("vxlan that is cut", 4789, vxlan(&frame[..frame.len() - 1])),
        ("vxlan with other flags", 4789, [&[9][..], &vxlan(&frame)[1..]].concat()),
        ("vxlan of a game", 8472, b"\x08\0\0\0hello, this is a game's datagram, and not a tunnel's".to_vec()),
        ("geneve of noise", 6081, geneve([0x65, 0x58], &noise)),
        ("geneve of another type", 6081, geneve([0x86, 0xdd], ip)),
        ("geneve of version 1", 6081, [&[0x40][..], &geneve([8, 0], ip)[1..]].concat()),
        ("gtp of noise", 2152, gtp(80, &noise)),
        ("gtp of another length", 2152, gtp(ip.len() as u16 + 1, ip)),
        ("gtp with an endless extension", 2152, [&[0x34, 0xff, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1][..]].concat()),
        ("vxlan elsewhere", 4788, vxlan(&frame)),
        ("nothing", 4789, Vec::new()),
    ] {
        let data = outer_udp(port, &payload);
        let expected = (format!("{}:50000", OUTER.0), format!("{}:{port}", OUTER.1), payload.clone(), payload.len());
        assert_eq!(seen(1, &data, data.len()), Ok(expected), "{name}");
    }
}

#[test]
fn what_is_not_read_has_a_name() {
    let frame = udp(A4, B4, PAYLOAD);
    let ip = &frame[14..];
    let typed = |kind: [u8; 2], rest: &[u8]| [&[3; 12][..], &kind, rest].concat();
    let mut sum = frame.clone();
    sum[25] ^= 1;
    let noise: Vec<u8> = (0..80u32).map(|i| (i * 151 + 7) as u8).collect();
    for (link, data, text) in [
        (1, typed([0x88, 0x63], &[0x11, 9, 0, 0, 0, 0]), "ethernet type 0x8863"),
        (1, typed([0x88, 0x64], &[0x11, 0, 0, 5, 0, 4, 0xc0, 0x21, 1, 1]), "ppp protocol 0xc021"),
        (1, typed([0x88, 0x64], &[&[0x12, 0, 0, 5, 0, 9, 0, 0x21][..], ip].concat()), "malformed pppoe header"),
        (1, typed([0x88, 0x64], &[&[0x11, 0, 0, 5, 1, 0, 0, 0x21][..], ip].concat()), "malformed pppoe header"),
        (1, typed([0x88, 0x47], &[&[0, 0, 1, 64][..], &noise].concat()), "mpls with unknown content"),
        (1, typed([0x88, 0x47], &[&[0, 0, 1, 64][..], &sum].concat()), "mpls with unknown content"),
        (1, typed([0x88, 0x47], &[0, 0, 0, 64].repeat(40)), "nested too deep"),
        (101, ipv4(47, &[&[0x30, 1, 0x88, 0x0b][..], &noise].concat()), "gre version 1 with type 0x880b"),
        (101, ipv4(47, &[&[0x40, 0, 8, 0][..], ip].concat()), "malformed gre header"),
        (101, ipv4(47, &[&[0, 0, 8, 0][..], &noise].concat()), "malformed inner ip header"),
        (101, ipv4(47, &[&[0, 0, 8, 0][..], &sum[14..]].concat()), "malformed inner ip header"),
        (101, ipv4(47, &[&[0, 0, 0x86, 0xdd][..], ip].concat()), "malformed inner ip header"),
        (101, ipv4(47, &[&[0, 0, 0x65, 0x58][..], &sum].concat()), "malformed inner ip header"),
        (101, ipv4(47, &[0, 0, 0, 0]), "gre version 0 with type 0x0000"),
        (101, ipv4(4, &noise), "malformed inner ip header"),
        (101, ipv4(41, ip), "malformed inner ip header"),
        (101, ipv4(97, &[&[0x20, 0][..], &frame].concat()), "malformed etherip header"),
        (105, wifi(8, 0x41, &[], &noise), "802.11 (encrypted)"),
        (105, wifi(0x80, 0, &[], &noise), "802.11 (management or control)"),
        (105, wifi(0xd4, 0, &[], &[]), "802.11 (management or control)"),
        (105, wifi(0x48, 1, &[], &[]), "802.11 (null)"),
        (105, wifi(8, 5, &[], &snap([8, 0], ip)), "802.11 (fragment)"),
        (105, wifi(8, 1, &[], &noise), "llc"),
        (105, wifi(9, 1, &[], &snap([8, 0], ip)), "malformed 802.11 header"),
        (105, wifi(0x88, 1, &[0x80, 0], &[&[9; 12][..], &[0xff, 0xff], ip].concat()), "malformed a-msdu header"),
        (127, [&[0, 0, 9, 0, 2, 0, 0, 0, 0x40][..], &wifi(8, 1, &[], &snap([8, 0], ip))].concat(), "802.11 (damaged)"),
        (127, [&[1, 0, 8, 0, 0, 0, 0, 0][..], &noise].concat(), "malformed radiotap header"),
        (127, [0, 0, 200, 0, 0, 0, 0, 0].to_vec(), "malformed radiotap header"),
        (127, [0, 0, 8, 0, 255, 255, 255, 255].to_vec(), "malformed radiotap header"),
        (192, [0, 0, 8, 0, 192, 0, 0, 0].to_vec(), "malformed ppi header"),
        (149, noise.clone(), "link type 149 (reserved for private use)"),
        (258, noise.clone(), "malformed pktap header"),
        (239, noise.clone(), "malformed nflog header"),
        (239, [&[17, 0, 0, 0][..], &noise].concat(), "address family 17"),
        (189, noise.clone(), "link type 189 (USB)"),
        (117, noise.clone(), "malformed pflog header"),
    ] {
        assert_eq!(seen(link, &data, data.len()), Err(text.to_string()));
    }
}

/// Captures that other programs wrote and read: see the README beside them.
#[test]
fn what_scapy_built() {
    let (mut files, mut all) = (0, 0);
    for file in std::fs::read_dir("fixtures/capture/layers").unwrap().map(|entry| entry.unwrap().path()) {
        files += 1;
        let mut packets = Packets::open(Box::new(std::fs::File::open(&file).unwrap())).unwrap();
        while let Some(item) = packets.next().unwrap() {
            let (name, number) = (file.display(), item.frame.number);
            match item.decoded {
                Decoded::Packet(Packet { src, dst, body: Body::Udp { payload, .. }, .. }) => {
                    let ends = (src.to_string(), dst.to_string());
                    let inner = [(A4, B4), (A6, B6)].iter().any(|(a, b)| (&ends.0[..], &ends.1[..]) == (*a, *b));
                    assert!(inner && payload == PAYLOAD, "{name}, frame {number}: {ends:?}");
                }
                other => panic!("{name}, frame {number}: {other:?}"),
            }
            all += 1;
        }
    }
    assert_eq!((files, all), (17, 71));
}

#[test]
fn nesting_is_bounded() {
    let mut packet = udp(A4, B4, PAYLOAD)[14..].to_vec();
    let mut deepest = 0;
    for depth in 1..200 {
        packet = ipv4(4, &packet);
        match seen(101, &packet, packet.len()) {
            Ok(_) => deepest = depth,
            Err(why) => assert_eq!(why, "nested too deep"),
        }
    }
    assert!((8..64).contains(&deepest), "{deepest}");
}

#[test]
fn fragments_of_a_tunnel_are_joined() {
    let inner = udp(A4, B4, &PAYLOAD.repeat(20));
    let whole = ipv4(4, &inner[14..]);
    let cut = |from: usize, to: usize, more: bool| {
        let mut header = etherparse::Ipv4Header::from_slice(&whole).unwrap().0;
        header.total_len = 20 + (to - from) as u16;
        header.identification = 7;
        header.more_fragments = more;
        header.fragment_offset = ((from / 8) as u16).try_into().unwrap();
        header.header_checksum = header.calc_header_checksum();
        [&header.to_bytes()[..], &whole[20 + from..20 + to]].concat()
    };
    let end = whole.len() - 20;
    let mut packets = packets(101, &[cut(0, 200, true), cut(200, end, false)]);
    assert!(matches!(packets.next().unwrap().unwrap().decoded, Decoded::Other(_)));
    match packets.next().unwrap().unwrap().decoded {
        Decoded::Packet(Packet { src, frames: [1, 2], body: Body::Udp { length, .. }, .. }) => {
            assert_eq!((src.to_string(), length), (A4.to_string(), PAYLOAD.len() * 20));
        }
        other => panic!("{other:?}"),
    }
    let tunnels: Vec<_> =
        packets.tunnels().iter().map(|(t, n)| (t.name, t.src.to_string(), t.dst.to_string(), n)).collect();
    assert_eq!(tunnels, [("ipip", OUTER.0.to_string(), OUTER.1.to_string(), 1)]);
}

#[test]
fn every_subframe_is_a_packet() {
    let of = |payload: &[u8]| snap([8, 0], &udp(A4, B4, payload)[14..]);
    let texts: [&[u8]; 4] = [b"one", b"two, longer", b"3", b"four"];
    let aggregate = wifi(0x88, 1, &[0x80, 0], &a_msdu(&texts.map(of)));
    let radiotap = [&[0, 0, 9, 0, 2, 0, 0, 0, 0x10][..], &aggregate, &[1, 2, 3, 4]].concat();
    let single = [&[0, 0, 8, 0, 0, 0, 0, 0][..], &wifi(8, 1, &[], &of(b"five"))].concat();
    let frames = [radiotap, single.clone(), [&[0, 0, 8, 0, 0, 0, 0, 0][..], &aggregate].concat(), single];
    let expected =
        [(1, 4), (2, 1), (3, 4), (4, 1)].iter().flat_map(|(n, count)| vec![*n; *count]).collect::<Vec<u64>>();
    let mut packets = packets(127, &frames);
    let mut seen = Vec::new();
    while let Some(item) = packets.next().unwrap() {
        let Decoded::Packet(Packet { frame, body: Body::Udp { payload, .. }, .. }) = item.decoded else {
            panic!("{item:?}")
        };
        assert_eq!(item.frame.data, frames[frame as usize - 1]);
        seen.push((frame, payload.to_vec()));
    }
    assert_eq!(seen.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), expected);
    let sent: Vec<&[u8]> = seen.iter().map(|(_, text)| &text[..]).collect();
    assert_eq!(sent[..5], [texts[0], texts[1], texts[2], texts[3], b"five"]);
    assert_eq!(packets.others().total(), 0);
}

fn packets(link: u32, frames: &[Vec<u8>]) -> Packets {
    let mut file = Vec::new();
    let mut writer = PcapWriter::new(&mut file, LinkType(link), 6).unwrap();
    for (i, frame) in frames.iter().enumerate() {
        writer.frame(Time::micros(i as i64, 0), frame).unwrap();
    }
    Packets::new(Capture::open(Box::new(Cursor::new(file))).unwrap())
}
