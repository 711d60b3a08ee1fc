//! Recognises the lines that tcpdump and tshark print between the bytes, and the first header of the bytes.

use super::line::Pattern;
use crate::capture::LinkType;
use regex_lite::Regex;

/// A clock is `12:34:56.789012`, with or without a date, or seconds since the epoch, `1795229852.841544`; micro- or
/// nanoseconds.
static PACKET_LINE: Pattern = Pattern::new(|| {
    let clock = r"(\d\d:\d\d:\d\d|\d{9,})\.(\d{6}|\d{9})";
    Regex::new(&format!(r"^\s*(IP6?|(\d{{4}}-\d\d-\d\d\s+)?{clock})\s+\S")).ok()
});

static TITLE: Pattern = Pattern::new(|| Regex::new(r"^([A-Z].*) \(\d+ bytes?\):$").ok());

/// Whether this is the line that tcpdump prints before the bytes of a packet:
/// `12:34:56.789012 IP 10.0.0.1.7777 > 10.0.0.2.50001: UDP, length 5`.
pub(super) fn is_packet_line(text: &str) -> bool {
    PACKET_LINE.as_ref().is_some_and(|shape| shape.is_match(text))
}

/// The name in the title of a dump, if tshark prints several for a frame: `Frame (153 bytes):`, `Unmasked data (57
/// bytes):`.
pub(super) fn title(text: &str) -> Option<&str> {
    // A line of hex digits may be long.
    let title = TITLE.as_ref().filter(|_| text.ends_with("):"))?;
    Some(title.captures(text)?.get(1)?.as_str())
}

/// The first header of a packet printed by tcpdump. `-x` omits the link header, `-xx` does not, and the output does not
/// show which was used. So the headers decide: the length in the IP header, or the Ethernet type with an IP header
/// after it. `None` if neither or both fit.
pub(super) fn link(bytes: &[u8]) -> Option<LinkType> {
    let framed = match bytes.split_at_checked(14) {
        Some(([.., 0x08, 0x00], packet)) => is_ip(packet, 4),
        Some(([.., 0x86, 0xdd], packet)) => is_ip(packet, 6),
        _ => false,
    };
    match (is_ip(bytes, 4) || is_ip(bytes, 6), framed) {
        (true, false) => Some(LinkType::RAW),
        (false, true) => Some(LinkType::ETHERNET),
        _ => None,
    }
}

/// Whether the bytes are a complete IP packet of this version; Ethernet's padding may follow.
fn is_ip(bytes: &[u8], version: u8) -> bool {
    let word = |at: usize| Some(usize::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?)));
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
    fn links_of_packets() {
        let mut ip = vec![0x45, 0, 0, 33, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1];
        ip.resize(33, 0);
        assert_eq!(link(&ip), Some(LinkType::RAW));
        let mut frame = vec![0; 12];
        frame.extend_from_slice(&[8, 0]);
        frame.extend_from_slice(&ip);
        assert_eq!(link(&frame), Some(LinkType::ETHERNET));
        assert_eq!(link(ip.get(..30).unwrap_or_default()), None);
        assert_eq!(link(&[]), None);
    }
}
