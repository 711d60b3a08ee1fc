//! Runs of hex digits, used by every form.

use super::error::{HexError, HexErrorKind, Line, excerpt};
use super::push_room;

/// The number of hex digits at the start of the text.
pub(super) fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_hexdigit).count()
}

/// Appends the bytes of the run of digits at byte `at` of the line.
pub(super) fn push_digits(line: Line<'_>, at: usize, token: &str, out: &mut Vec<u8>) -> Result<(), HexError> {
    if token.len() % 2 == 1 {
        let kind = HexErrorKind::Odd { count: token.len(), token: excerpt(token) };
        return Err(HexError::at(line, at, kind));
    }
    let start = out.len();
    push_room(line, at, start, token.len() / 2)?;
    out.resize(start + token.len() / 2, 0);
    let room = out.get_mut(start..).unwrap_or_default();
    hex::decode_to_slice(token, room).map_err(|e| match e {
        hex::FromHexError::InvalidHexCharacter { index, .. } => line.stray(at + index),
        _ => line.stray(at),
    })
}
