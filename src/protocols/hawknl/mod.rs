//! HawkNL's reliable packets: the frames that carry GNE, and some other games, over TCP.
//!
//! ```text
//! 4e 4c      "NL"
//! u16        length of the content, big-endian always, at most 16384
//! content
//! ```
//! This is a carrier, not a dissector: GNE's sessions emit the lines of `proto` hawknl, for frames that are not GNE's.
//! The bytes of such a line, like those of GNE's lines, are the content alone. A frame that was never finished also
//! keeps its header, which has the intended length.
//!
#![doc = include_str!("README.md")]

pub(crate) mod framing;
pub(crate) mod lines;
pub(crate) mod notes;

use crate::codec::reader::UNPARSED;
use crate::codec::{EncodeError, Layout, Writer, layout};
use layout::{Field, Len, bytes, tag, u16be};
use serde_json::Value as Json;

/// The protocol name of its lines.
pub const PROTO: &str = "hawknl";
/// The first bytes of every frame.
pub const MAGIC: [u8; 2] = *b"NL";
/// The number of bytes of a header.
pub const HEADER: usize = 4;
/// The longest content: a longer one puts the library out of step for good.
pub const LONGEST: usize = 16384;

/// The only message: a frame that is not GNE's, or not complete.
pub static FRAME: [Layout; 1] = [Layout::new(
    "frame",
    "a frame whose content is not GNE's; `length` before it where it was never finished",
    &[bytes("data", Len::Rest).doc("the content")],
)];

/// The intended length of an unfinished frame's content.
pub const LENGTH: Field = u16be("length").doc("how long the content would have been");

/// A frame that was never finished. Its bytes include the header, since nothing else may have arrived.
pub static UNFINISHED: [Field; 3] = [
    tag("magic", 16, u16::from_le_bytes(MAGIC) as u64).doc("NL"),
    LENGTH,
    bytes("data", Len::Rest).doc("the part of the content that arrived"),
];

/// Reads the first four bytes of a frame: the length, or the error in them.
pub fn header(bytes: &[u8]) -> Option<Result<usize, framing::Wrong>> {
    let [n, l, high, low, ..] = bytes else { return None };
    let length = u16::from_be_bytes([*high, *low]) as usize;
    Some(match [*n, *l] == MAGIC {
        false => Err(framing::Wrong::Magic),
        true if length > LONGEST => Err(framing::Wrong::Length),
        true => Ok(length),
    })
}

/// Writes a header before the content. `None`: the content is longer than the library accepts.
pub fn wrap(content: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(content.len()).ok().filter(|length| usize::from(*length) <= LONGEST)?;
    Some([&MAGIC[..], &length.to_be_bytes(), content].concat())
}

/// The stream's bytes of a line. Noise and unfinished frames are already complete.
pub fn wrap_line(content: &[u8], fields: &Json) -> Option<Vec<u8>> {
    match fields.get(LENGTH.name).is_some() || fields.get(UNPARSED.name).is_some() {
        true => Some(content.to_vec()),
        false => wrap(content),
    }
}

/// Encodes a line: the content, or an unfinished frame with its header.
///
/// # Errors
/// A field that a frame does not have, or that is not hex.
pub fn encode(fields: &Json) -> Result<Vec<u8>, EncodeError> {
    let layout = if fields.get(LENGTH.name).is_some() { &UNFINISHED[..] } else { FRAME[0].fields };
    Writer::new(fields).write(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_give_their_bytes_back() {
        assert_eq!(encode(&json!({"data": "0102"})).unwrap(), [1, 2]);
        assert_eq!(encode(&json!({"length": 16, "data": "6162"})).unwrap(), b"NL\0\x10ab");
        assert_eq!(encode(&json!({"unparsed": "4e4c"})).unwrap(), b"NL");
        assert!(encode(&json!({"data": 5})).is_err());
        assert!(encode(&json!({"dat": "00"})).unwrap_err().to_string().contains("unknown field"));
        assert_eq!(wrap_line(b"NL\0\x10ab", &json!({"length": 16, "data": "6162"})).unwrap(), b"NL\0\x10ab");
        assert_eq!(wrap_line(b"ab", &json!({"unparsed": "6162"})).unwrap(), b"ab");
        assert_eq!(wrap_line(b"ab", &json!({"data": "6162"})).unwrap(), b"NL\0\x02ab");
        assert_eq!(wrap(&[0; 65536]), None);
        assert_eq!(wrap(&[0; LONGEST + 1]), None, "its reader refuses it");
        assert!(wrap(&[0; LONGEST]).is_some_and(|frame| header(&frame) == Some(Ok(LONGEST))));
    }

    #[test]
    fn headers() {
        assert_eq!(header(b"NL\0"), None);
        assert_eq!(header(b"NL\x40\0"), Some(Ok(LONGEST)));
        assert_eq!(header(b"NL\x40\x01"), Some(Err(framing::Wrong::Length)));
        assert_eq!(header(b"XL\0\x01"), Some(Err(framing::Wrong::Magic)));
    }
}
