//! Plain digits: `0801000100`, `08 01 00`, `08:01:00`, `08, 01`, wrapped anywhere.

use super::column;
use super::digits::{digits, push_digits};
use super::error::{HexError, HexErrorKind, Line, excerpt};

/// Evidence from earlier lines on whether each line's first token is an offset.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// The offset expected at the start of the next line, if the previous line began with one.
    next: Option<u64>,
}

impl Plain {
    /// Reads one line whose comments have been replaced by blanks.
    pub(super) fn line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<(), HexError> {
        let text = line.text;
        let start = out.len();
        let mut tokens = Tokens::default();
        let mut at = 0;
        loop {
            at = separators(line, at, tokens.count)?;
            let end = at + digits(text.get(at..).unwrap_or_default());
            let Some(token) = text.get(at..end).filter(|t| !t.is_empty()) else { break };
            // The text column of a dump whose offsets were removed must not be read as bytes.
            if tokens.count > 0 && column::is_wide_gap(text, at) {
                let bytes = out.get(start..).unwrap_or_default();
                let rest = text.get(at..).unwrap_or_default();
                if column::text_matches(bytes, rest).is_ok() {
                    return Err(HexError::at(line, at, HexErrorKind::TextOrData(excerpt(rest.trim_end()))));
                }
            }
            tokens.add(token, column::is_wide_gap(text, end));
            // A run of digits ends at a separator; anything else is the offending character.
            let after = text.get(end..).and_then(|t| t.chars().next());
            if after.is_some_and(|c| !is_separator(c)) {
                return Err(line.stray(end));
            }
            push_digits(line, at, token, out)?;
            at = end;
        }
        self.judge(line, &tokens, out.len() - start)
    }

    /// Rejects a line whose first token could be an offset.
    fn judge(&mut self, line: Line<'_>, tokens: &Tokens, bytes: usize) -> Result<(), HexError> {
        let due = std::mem::take(&mut self.next);
        if tokens.count < 2 {
            return Ok(());
        }
        let rest = bytes.saturating_sub(tokens.first_len / 2) as u64;
        if let Some(first) = tokens.first {
            self.next = first.checked_add(rest);
            let mixed = tokens.first_len >= 4 && tokens.rest_are_bytes && (tokens.count > 2 || tokens.wide_first);
            if mixed || due == Some(first) {
                let text = line.text.trim();
                return Err(HexError::at(
                    line,
                    line.text.len() - line.text.trim_start().len(),
                    HexErrorKind::OffsetOrData(excerpt(text)),
                ));
            }
        }
        Ok(())
    }
}

/// The shape of a line's tokens.
#[derive(Debug, Default)]
struct Tokens {
    count: usize,
    /// The first token's value, if it could be an offset.
    first: Option<u64>,
    first_len: usize,
    wide_first: bool,
    rest_are_bytes: bool,
}

impl Tokens {
    fn add(&mut self, token: &str, wide_after: bool) {
        if self.count == 0 {
            self.first_len = token.len();
            self.wide_first = wide_after;
            self.rest_are_bytes = true;
            self.first = (4..=16).contains(&token.len()).then(|| u64::from_str_radix(token, 16).ok()).flatten();
        } else if token.len() != 2 {
            self.rest_are_bytes = false;
        }
        self.count += 1;
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | ',' | ';' | ':' | '-')
}

/// Skips a separator between two tokens: white space with at most one comma or semicolon, or a
/// colon or dash with a byte on both sides. Returns the position of the next token.
fn separators(line: Line<'_>, from: usize, tokens: usize) -> Result<usize, HexError> {
    let bytes = line.text.as_bytes();
    let mut at = from;
    let mut seen = None;
    while let Some(&b) = bytes.get(at) {
        match b {
            b' ' | b'\t' => {}
            b',' | b';' if seen.is_none() && tokens > 0 => seen = Some(at),
            b':' | b'-' if at == from && tokens > 0 && joins_bytes(bytes, at) => {
                return Ok(at + 1);
            }
            _ if b.is_ascii_hexdigit() => break,
            _ => return Err(line.stray(at)),
        }
        at += 1;
    }
    Ok(at)
}

/// Whether the colon or dash at `at` joins tokens of two digits, or ends a wrapped line of such tokens.
fn joins_bytes(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let after = bytes.get(at + 1..).unwrap_or_default();
    let hex = |b: &&u8| b.is_ascii_hexdigit();
    let left = before.iter().rev().take_while(hex).count();
    let right = after.iter().take_while(hex).count();
    left == 2 && (right == 2 || after.iter().all(|b| matches!(b, b' ' | b'\t')))
}
