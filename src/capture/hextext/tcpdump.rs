//! Recognises the lines that tcpdump and tshark print between the bytes, and the first header of the bytes.

use super::Layer;
use regex_lite::Regex;
use std::sync::LazyLock;

/// Whether this is the line that tcpdump prints before the bytes of a packet:
/// `12:34:56.789012 IP 10.0.0.1.7777 > 10.0.0.2.50001: UDP, length 5`.
pub(super) fn is_packet_line(text: &str) -> bool {
    PACKET_LINE.as_ref().is_some_and(|shape| shape.is_match(text))
}

/// A clock is `12:34:56.789012`, with or without a date, or seconds since the epoch, `1795229852.841544`; micro- or
/// nanoseconds.
static PACKET_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let clock = r"(\d\d:\d\d:\d\d|\d{9,})\.(\d{6}|\d{9})";
    Regex::new(&format!(r"^\s*(IP6?|(\d{{4}}-\d\d-\d\d\s+)?{clock})\s+\S")).ok()
});

/// The name in the title of a dump, if tshark prints several for a frame: `Frame (153 bytes):`, `Unmasked data (57
/// bytes):`.
pub(super) fn title(text: &str) -> Option<&str> {
    let rest = text.trim_end().strip_suffix(" bytes):").or_else(|| text.trim_end().strip_suffix(" byte):"))?;
    let (name, count) = rest.rsplit_once(" (")?;
    let counted = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
    (counted && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// The first header of a packet printed by tcpdump. `-x` omits the link header, `-xx` does not, and the output does not
/// show which was used. So the headers decide: the length in the IP header, or the Ethernet type with an IP header
/// after it. [`Layer::Unknown`] if neither or both fit.
pub(super) fn layer(bytes: &[u8]) -> Layer {
    const ETHERNET: usize = 14;
    let behind = bytes.get(ETHERNET..).unwrap_or_default();
    let framed = match bytes.get(12..ETHERNET) {
        Some([0x08, 0x00]) => is_ip(behind, 4),
        Some([0x86, 0xdd]) => is_ip(behind, 6),
        _ => false,
    };
    match (is_ip(bytes, 4) || is_ip(bytes, 6), framed) {
        (true, false) => Layer::Ip,
        (false, true) => Layer::Link,
        _ => Layer::Unknown,
    }
}

/// Whether the bytes are a complete IP packet of this version; Ethernet's padding may follow.
fn is_ip(bytes: &[u8], version: u8) -> bool {
    let word = |at: usize| {
        let high = bytes.get(at).copied()?;
        let low = bytes.get(at + 1).copied()?;
        Some(usize::from(u16::from_be_bytes([high, low])))
    };
    let Some(&first) = bytes.first() else { return false };
    let header = usize::from(first & 0x0f) * 4;
    first >> 4 == version
        && match version {
            4 => header >= 20 && word(2).is_some_and(|n| n >= header && n <= bytes.len()),
            _ => word(4).is_some_and(|n| n + 40 <= bytes.len()),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_lines() {
        for yes in [
            "02:57:32.841544 IP 127.0.0.1.7777 > 127.0.0.1.50001: UDP, length 5",
            "2026-11-21 02:57:32.841544 IP 127.0.0.1.7777 > 127.0.0.1.50001: UDP, length 5",
            "1795229852.841544 lo In IP 127.0.0.1.7777 > 127.0.0.1.50001: UDP, length 5",
            " 00:00:00.000001 IP6 ::1.7777 > ::1.50001: UDP, length 5",
            "IP 127.0.0.1.7777 > 127.0.0.1.50001: UDP, length 5",
        ] {
            assert!(is_packet_line(yes), "{yes}");
        }
        for no in ["", "08:01:00", "0801000100", "08.01 00", "IP", "12:34 IP x", "1-2-3 IP"] {
            assert!(!is_packet_line(no), "{no}");
        }
    }

    #[test]
    fn layers_of_packets() {
        let mut ip = vec![0x45, 0, 0, 33, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1];
        ip.resize(33, 0);
        assert_eq!(layer(&ip), Layer::Ip);
        let mut frame = vec![0; 12];
        frame.extend_from_slice(&[8, 0]);
        frame.extend_from_slice(&ip);
        assert_eq!(layer(&frame), Layer::Link);
        assert_eq!(layer(ip.get(..30).unwrap_or_default()), Layer::Unknown);
        assert_eq!(layer(&[]), Layer::Unknown);
    }
}
