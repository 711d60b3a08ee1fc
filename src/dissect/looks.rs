//! Recognises common protocols in unclaimed conversations by their first bytes, if these are unambiguous.

use crate::flow::Transport;

/// The name of the protocol; `first` and `second` are the first bytes of each side.
pub fn like(transport: Transport, ports: [u16; 2], first: &[u8], second: &[u8]) -> Option<&'static str> {
    if transport == Transport::Tcp
        && (frame(first, true) && frame(second, false) || frame(first, false) && frame(second, true))
    {
        return Some("WebSocket, its upgrade not in the capture");
    }
    let one = |bytes: &[u8]| match transport {
        Transport::Tcp => stream(bytes),
        Transport::Udp => datagram(bytes, ports),
    };
    one(first).or_else(|| one(second))
}

/// Whether this is a WebSocket frame: a whole or compressed message, a ping or a pong. Only clients mask theirs.
fn frame(bytes: &[u8], masked: bool) -> bool {
    matches!(bytes, [0x81 | 0x82 | 0xc1 | 0xc2 | 0x89 | 0x8a, second, _, _, ..] if (second & 0x80 != 0) == masked)
}

/// The protocol by the first bytes of a stream.
fn stream(bytes: &[u8]) -> Option<&'static str> {
    const METHODS: [&[u8]; 8] = [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"CONNECT "];
    match bytes {
        [0x16, 3, 0..=4, ..] => Some("TLS"),
        [b'S', b'S', b'H', b'-', ..] => Some("SSH"),
        [b'P', b'R', b'I', b' ', b'*', ..] => Some("HTTP/2"),
        [b'H', b'T', b'T', b'P', b'/', ..] => Some("HTTP"),
        [b'R', b'F', b'B', b' ', b'0', ..] => Some("VNC"),
        [19, b'B', b'i', b't', b'T', b'o', b'r', ..] => Some("BitTorrent"),
        [0, _, _, _, 0xfe | 0xff, b'S', b'M', b'B', ..] => Some("SMB"),
        [3, 0, _, _, _, 0xd0 | 0xe0, ..] => Some("RDP or another of TPKT's"),
        [b'A', b'M', b'Q', b'P', ..] => Some("AMQP"),
        _ if METHODS.iter().any(|method| bytes.starts_with(method)) => Some("HTTP"),
        _ => None,
    }
}

/// The protocol by the first bytes of a datagram.
fn datagram(bytes: &[u8], ports: [u16; 2]) -> Option<&'static str> {
    let port = |port: u16| ports.contains(&port);
    match bytes {
        [0..=0x3f, _, _, _, 0x21, 0x12, 0xa4, 0x42, ..] => Some("STUN"),
        [0x14..=0x19, 0xfe, 0xfd | 0xff, ..] => Some("DTLS"),
        [0xc0..=0xff, 0, 0, 0, 1, ..] | [0xc0..=0xff, 0x6b, 0x33, 0x43, 0xcf, ..] => Some("QUIC"),
        [0xff, 0xff, 0xff, 0xff, ..] => Some("a Source or Quake engine's query"),
        [b'M', b'-', b'S', b'E', b'A', b'R', b'C', b'H', ..] => Some("SSDP"),
        [b'N', b'O', b'T', b'I', b'F', b'Y', b' ', ..] => Some("SSDP or SIP"),
        [b'd', b'1', b':', ..] | [b'd', b'2', b':', b'i', b'p', ..] => Some("BitTorrent's DHT"),
        [b'A', b'r', b't', b'-', b'N', b'e', b't', 0, ..] => Some("Art-Net"),
        [_, _, 0..=0x0f | 0x80..=0x8f, _, 0, 0..=9, ..] if port(53) => Some("DNS"),
        [_, _, 0 | 0x84, 0, 0, ..] if port(5353) => Some("mDNS"),
        [1 | 2, 1, 6, ..] if port(67) || port(68) => Some("DHCP"),
        [0x30, ..] if port(161) || port(162) => Some("SNMP"),
        [first, ..] if port(123) && first & 0x38 >= 0x08 && first & 7 != 0 => Some("NTP"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_by_their_first_bytes() {
        let tcp = |first: &[u8], second: &[u8]| like(Transport::Tcp, [50000, 4000], first, second);
        assert_eq!(tcp(&[0x16, 3, 1, 2, 0, 1], b""), Some("TLS"));
        assert_eq!(tcp(b"GET / HTTP/1.1", b"HTTP/1.1 200"), Some("HTTP"));
        assert_eq!(tcp(b"", b"SSH-2.0-OpenSSH"), Some("SSH"));
        assert_eq!(tcp(b"GETAWAY", &[0x16, 4]), None);
        let (client, server) = ([0xc2, 0x85, 1, 2, 3, 4], [0xc2, 5, 0xaa, 0]);
        assert_eq!(tcp(&client, &server), Some("WebSocket, its upgrade not in the capture"));
        assert_eq!(tcp(&server, &client), tcp(&client, &server));
        assert_eq!((tcp(&client, &client), tcp(&server, &server)), (None, None));
        let udp = |port: u16, first: &[u8]| like(Transport::Udp, [50000, port], first, b"");
        assert_eq!(udp(3478, &[0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42]), Some("STUN"));
        assert_eq!(udp(53, &[0xab, 0xcd, 1, 0, 0, 1, 0, 0]), Some("DNS"));
        assert_eq!(udp(54, &[0xab, 0xcd, 1, 0, 0, 1, 0, 0]), None);
        assert_eq!(udp(443, &[0xc3, 0, 0, 0, 1, 8]), Some("QUIC"));
        assert_eq!(udp(5004, &[0x80, 0, 1, 2]), None);
    }
}
