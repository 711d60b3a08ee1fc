//! Plain digits: `0801000100`, `08 01 00`, `08:01:00`, `08, 01`, wrapped anywhere.

use super::column::mismatch;
use super::error::{HexError, HexErrorKind, excerpt};
use super::line::Line;

/// Evidence from earlier lines on whether each line's first token is an offset.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// The offset expected at the start of the next line, if the previous line began with one.
    next: Option<u64>,
}

impl Plain {
    /// Reads one line whose comments have been replaced by blanks. Rejects it if its first token could be an offset.
    pub(super) fn line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<(), HexError> {
        let start = out.len();
        let (mut count, mut first, mut rest_are_bytes, mut wide_first) = (0, "", true, false);
        let (mut at, mut before) = (0, "");
        loop {
            at = separators(line, at, before);
            let token = line.digits(at);
            if token.is_empty() {
                break;
            }
            let (bytes, end) = (out.get(start..).unwrap_or_default(), at + token.len());
            // The text column of a dump whose offsets were removed must not be read as bytes.
            if count > 0 && line.is_wide_gap(at) && mismatch(bytes, line.rest(at)).is_none() {
                return Err(line.error(at, HexErrorKind::TextOrData(excerpt(line.rest(at).trim_end()))));
            }
            if count == 0 {
                (first, wide_first) = (token, line.is_wide_gap(end));
            } else {
                rest_are_bytes &= token.len() == 2;
            }
            count += 1;
            // A run of digits ends at a separator; anything else is the offending character.
            if !line.rest(end).is_empty() && !line.rest(end).starts_with([' ', '\t', ',', ';', ':', '-']) {
                return Err(line.stray(end));
            }
            line.push_digits(at, token, out)?;
            (at, before) = (end, token);
        }
        if at < line.text.len() {
            return Err(line.stray(at));
        }
        let due = self.next.take();
        let offset = u64::from_str_radix(first, 16).ok().filter(|_| count > 1 && (4..=16).contains(&first.len()));
        let Some(offset) = offset else { return Ok(()) };
        self.next = offset.checked_add((out.len() - start - first.len() / 2) as u64);
        if due == Some(offset) || rest_are_bytes && (count > 2 || wide_first) {
            return Err(line.error(line.indent(), HexErrorKind::OffsetOrData(excerpt(line.text.trim()))));
        }
        Ok(())
    }
}

/// Skips a separator after the token `before`: white space with at most one comma or semicolon, or a colon or dash
/// between two bytes or at the end of a wrapped line. Returns the position of the next token.
fn separators(line: Line<'_>, from: usize, before: &str) -> usize {
    let next = line.skip_blank(from + 1);
    let joins = line.digits(from + 1).len() == 2 || line.rest(next).is_empty();
    if before.len() == 2 && line.rest(from).starts_with([':', '-']) && joins {
        return next;
    }
    let at = line.skip_blank(from);
    if !before.is_empty() && line.rest(at).starts_with([',', ';']) { line.skip_blank(at + 1) } else { at }
}
