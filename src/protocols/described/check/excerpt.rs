//! The bytes around a place in a packet.

use crate::render::palette::Palette;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// The number of bytes in a row.
const ROW: usize = 16;
/// The number of rows before the place, and of all rows.
const BEFORE: usize = 2;
const ROWS: usize = 5;

/// A part of a packet.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The offset of its first byte in the packet.
    start: usize,
    bytes: Vec<u8>,
    /// The offset of the marked byte in the packet. It may be the one after the last byte.
    at: Option<usize>,
}

impl Excerpt {
    /// Returns the rows around a byte.
    pub fn around(packet: &[u8], at: Option<usize>) -> Excerpt {
        let start = (at.unwrap_or(0).min(packet.len()) / ROW).saturating_sub(BEFORE) * ROW;
        let end = packet.len().min(start + ROWS * ROW);
        Excerpt { start, bytes: packet.get(start..end).unwrap_or_default().to_vec(), at }
    }

    /// Appends it as lines with offsets; the marked byte is in brackets.
    pub fn text(&self, indent: &str, palette: &Palette, out: &mut String) {
        // The place after the last byte may need a row of its own.
        let beyond = self.at.is_some_and(|at| at == self.start + self.bytes.len() && at.is_multiple_of(ROW));
        let rows = self.bytes.chunks(ROW).chain(beyond.then_some(&[][..]));
        for (k, row) in rows.enumerate() {
            let start = self.start + k * ROW;
            let mark = self.at.and_then(|at| at.checked_sub(start)).filter(|at| *at < ROW);
            let _ = write!(out, "{indent}{}{start:#06x}{}  ", palette.dim, palette.reset);
            for place in 0..ROW {
                let marked = mark == Some(place);
                let before = if marked {
                    "["
                } else if place > 0 && mark == Some(place - 1) {
                    "]"
                } else {
                    " "
                };
                let _ = match row.get(place) {
                    Some(byte) if marked => write!(out, "{}{before}{byte:02x}{}", palette.error, palette.reset),
                    Some(byte) => write!(out, "{before}{byte:02x}"),
                    None if marked => write!(out, "{}{before}  {}", palette.error, palette.reset),
                    None => write!(out, "{before}  "),
                };
            }
            out.push_str(if mark == Some(ROW - 1) { "] " } else { "  " });
            let shown =
                row.iter().map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { *byte as char } else { '.' });
            let _ = writeln!(out, "|{}|", shown.collect::<String>());
        }
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Json {
        json!({ "start": self.start, "bytes": hex::encode(&self.bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_is_marked() {
        let packet: Vec<u8> = (0..18).collect();
        let shown = |at| {
            let mut text = String::new();
            Excerpt::around(&packet, at).text("", Palette::of(false), &mut text);
            text
        };
        assert!(shown(Some(0)).starts_with("0x0000  [00]01 02"), "{}", shown(Some(0)));
        assert!(shown(Some(15)).contains(" 0e[0f] |"), "{}", shown(Some(15)));
        assert!(shown(Some(17)).contains("0x0010   10[11]"), "{}", shown(Some(17)));
        // After the last byte.
        assert!(shown(Some(18)).contains(" 10 11[  ]"), "{}", shown(Some(18)));
        let mut text = String::new();
        Excerpt::around(&packet[..16], Some(16)).text("", Palette::of(false), &mut text);
        assert!(text.ends_with("0x0010  [  ]".to_owned().as_str()) || text.contains("0x0010  [  ]"), "{text}");
        assert!(!shown(None).contains('['));
    }
}
