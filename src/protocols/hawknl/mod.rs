//! HawkNL's reliable packets: the frames that carry GNE, and some other games, over TCP.
//!
//! ```text
//! 4e 4c      "NL"
//! u16        length of the content, big-endian always, at most 16384
//! content
//! ```
//! A carrier, no dissector of its own: lines of `proto` hawknl come from GNE's sessions, for what
//! only the frames can explain. Their bytes, as those of GNE's lines, are the content alone; those of
//! a frame that was never finished have its header, which says how long it would have been.
//!
#![doc = include_str!("README.md")]

pub(crate) mod framing;
pub(crate) mod lines;
pub(crate) mod notes;

use crate::codec::reader::UNPARSED;
use crate::codec::{EncodeError, Layout, Writer, layout};
use layout::{Field, Len, bytes, tag, u16be};
use serde_json::Value as Json;

/// The name of its lines.
pub const PROTO: &str = "hawknl";
/// What every frame begins with.
pub const MAGIC: [u8; 2] = *b"NL";
/// Bytes of a header.
pub const HEADER: usize = 4;
/// The longest content: a longer one puts the library out of step for good.
pub const LONGEST: usize = 16384;

/// The only message: a frame that is not GNE's, or not whole.
pub static FRAME: [Layout; 1] = [Layout::new(
    "frame",
    "a frame whose content is not GNE's; `length` before it where it was never finished",
    &[bytes("data", Len::Rest).doc("the content")],
)];

/// How long the content of an unfinished frame would have been.
pub const LENGTH: Field = u16be("length").doc("how long the content would have been");

/// A frame that was never finished: its header says how long it would have been. The header is
/// among its bytes, since nothing else of it may have come.
pub static UNFINISHED: [Field; 3] = [
    tag("magic", 16, u16::from_le_bytes(MAGIC) as u64).doc("NL"),
    LENGTH,
    bytes("data", Len::Rest).doc("what came of the content"),
];

/// What the first four bytes of a frame say: the length, or what is wrong with them.
pub fn header(bytes: &[u8]) -> Option<Result<usize, framing::Wrong>> {
    let [n, l, high, low, ..] = bytes else { return None };
    let length = u16::from_be_bytes([*high, *low]) as usize;
    Some(match [*n, *l] == MAGIC {
        false => Err(framing::Wrong::Magic),
        true if length > LONGEST => Err(framing::Wrong::Length),
        true => Ok(length),
    })
}

/// Writes a header before the content; `None` where no length can say how long it is.
pub fn wrap(content: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(content.len()).ok()?;
    Some([&MAGIC[..], &length.to_be_bytes(), content].concat())
}

/// The stream's bytes of a line: what belongs to no frame, or to an unfinished one, is there whole.
pub fn wrap_line(content: &[u8], fields: &Json) -> Option<Vec<u8>> {
    match fields.get(LENGTH.name).is_some() || fields.get(UNPARSED.name).is_some() {
        true => Some(content.to_vec()),
        false => wrap(content),
    }
}

/// The bytes of a line: the content, or an unfinished frame with its header.
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
    }

    #[test]
    fn headers() {
        assert_eq!(header(b"NL\0"), None);
        assert_eq!(header(b"NL\x40\0"), Some(Ok(LONGEST)));
        assert_eq!(header(b"NL\x40\x01"), Some(Err(framing::Wrong::Length)));
        assert_eq!(header(b"XL\0\x01"), Some(Err(framing::Wrong::Magic)));
    }
}
