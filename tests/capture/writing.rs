//! Written frames read back as they were, and have correct checksums.

use super::files::*;
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use netkit::capture::{Body, BuildError, LinkType, PcapWriter, Segment, Time, ethernet};
use std::net::SocketAddr;

#[test]
fn files_read_back() {
    let nanos = Time { secs: 7, frac: 8_000_000_009, digits: 10 };
    for (digits, expected) in [(6, Time::micros(7, 800_000)), (9, Time { secs: 7, frac: 800_000_000, digits: 9 })] {
        let mut file = Vec::new();
        let mut writer = PcapWriter::new(&mut file, LinkType::RAW, digits).unwrap();
        writer.frame(nanos, b"first").unwrap();
        writer.frame(Time::default(), b"").unwrap();
        assert!(writer.frame(Time::micros(-1, 0), b"").is_err());
        assert!(writer.frame(Time::micros(1 << 32, 0), b"").is_err());
        assert!(writer.frame(Time::default(), &[0; 262_145]).is_err());
        writer.flush().unwrap();
        let (frames, error) = read(&file);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(frames[0], (1, expected, 5, b"first".to_vec()));
        assert_eq!(frames.len(), 2);
    }
}

#[test]
fn check_sums_are_right() {
    let segment = Segment { seq: 5, ack: 6, has_ack: true, payload: b"odd", ..Segment::default() };
    for (src, dst) in [("10.0.0.1:1", "10.0.0.2:2"), ("[::1]:1", "[::2]:2")] {
        for frame in [udp(src, dst, b"odd"), udp(src, dst, b""), tcp(src, dst, segment.clone())] {
            let packet = SlicedPacket::from_ethernet(&frame).unwrap();
            let transport = packet.transport.unwrap();
            let (found, right) = match (packet.net.unwrap(), transport) {
                (NetSlice::Ipv4(ip), TransportSlice::Udp(udp)) => {
                    let header = ip.header().to_header();
                    assert_eq!(header.header_checksum, header.calc_header_checksum());
                    let udp_header = udp.to_header();
                    (udp.checksum(), udp_header.calc_checksum_ipv4(&header, udp.payload()).unwrap())
                }
                (NetSlice::Ipv6(ip), TransportSlice::Udp(udp)) => {
                    let header = ip.header().to_header();
                    let udp_header = udp.to_header();
                    (udp.checksum(), udp_header.calc_checksum_ipv6(&header, udp.payload()).unwrap())
                }
                (NetSlice::Ipv4(ip), TransportSlice::Tcp(tcp)) => {
                    assert!(tcp.psh() && tcp.ack());
                    (tcp.checksum(), tcp.calc_checksum_ipv4(ip.header().source(), ip.header().destination()).unwrap())
                }
                (NetSlice::Ipv6(ip), TransportSlice::Tcp(tcp)) => {
                    (tcp.checksum(), tcp.calc_checksum_ipv6(ip.header().source(), ip.header().destination()).unwrap())
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(found, right);
        }
    }
}

#[test]
fn one_packet_has_its_limits() {
    let addr = |text: &str| text.parse::<SocketAddr>().unwrap();
    let (v4, v6) = (addr("10.0.0.1:1"), addr("[::1]:1"));
    let long = vec![0; 70_000];
    let mut out = Vec::new();
    for (addr, udp_most, tcp_most) in [(v4, 65_507, 65_495), (v6, 65_527, 65_515)] {
        for (most, udp) in [(udp_most, true), (tcp_most, false)] {
            let body = |payload| match udp {
                true => Body::Udp { payload, length: 0 },
                false => Body::Tcp(Segment { payload, ..Segment::default() }),
            };
            assert_eq!(ethernet(addr, addr, &body(&long[..most]), &mut out), Ok(()));
            let expected = Err(BuildError::TooLong { length: most + 1, most });
            assert_eq!(ethernet(addr, addr, &body(&long[..=most]), &mut out), expected);
        }
    }
    let body = Body::Udp { payload: b"", length: 0 };
    let expected = Err(BuildError::Versions { src: v4.ip(), dst: v6.ip() });
    assert_eq!(ethernet(v4, v6, &body, &mut out), expected);
}
