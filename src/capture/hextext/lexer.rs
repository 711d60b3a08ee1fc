//! The tokens of source code that contains bytes: numbers, strings, escapes, brackets.

use super::error::{HexError, HexErrorKind};
use super::line::Line;

/// One token of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    /// The digits after `0x`.
    Hex(&'a str),
    /// A number without `0x`.
    Number(&'a str),
    /// A name or keyword.
    Word,
    /// A string literal.
    Str {
        /// The text between the quotes.
        body: &'a str,
        /// Whether it has the prefix `b`.
        bytes: bool,
    },
    /// The digits of a `\x08` outside of quotes.
    Escape(&'a str),
    /// Any other printable ASCII character.
    Punct(char),
}

/// The names of the escapes of one character, and their bytes.
const ESCAPES: (&str, &[u8; 10]) = ("abtnvfr\\\"'", b"\x07\x08\t\n\x0b\x0c\r\\\"'");

/// The token that begins at or after byte `from`: its start, its end, the token.
pub(super) fn next(line: Line<'_>, from: usize) -> Result<Option<(usize, usize, Token<'_>)>, HexError> {
    let at = line.skip_blank(from);
    let rest = line.rest(at);
    let Some(first) = rest.chars().next() else { return Ok(None) };
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(length);
    let quoted = after.starts_with(['"', '\'']);
    let (length, token) = match word {
        "" if rest.starts_with("'static ") => ("'static".len(), Token::Word),
        "" | "b" | "B" if quoted => string(line, at + length, length > 0)?,
        // Other prefixes change the meaning of the string: r"", u"", L"".
        _ if quoted => return Err(line.misplaced(at)),
        _ if word.starts_with("0x") || word.starts_with("0X") => {
            let digits = line.digits(at + 2);
            if digits.is_empty() || digits.len() + 2 < length {
                return Err(line.stray(at + 2 + digits.len()));
            }
            (length, Token::Hex(digits))
        }
        _ if first.is_ascii_digit() => (length, Token::Number(word)),
        "" if first == '\\' && rest.len() > 1 => (4, Token::Escape(escape_digits(line, at)?)),
        "" if first.is_ascii_graphic() => (1, Token::Punct(first)),
        "" => return Err(line.misplaced(at)),
        _ => (length, Token::Word),
    };
    Ok(Some((at, at + length, token)))
}

/// The string whose opening quote is at `open`, and its length with the prefix.
fn string(line: Line<'_>, open: usize, bytes: bool) -> Result<(usize, Token<'_>), HexError> {
    let text = line.rest(open);
    let mut chars = text.char_indices();
    let quote = chars.next().map_or('"', |(_, c)| c);
    while let Some((end, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            let body = text.get(1..end).unwrap_or_default();
            return Ok((usize::from(bytes) + end + 1, Token::Str { body, bytes }));
        }
    }
    Err(line.error(open, HexErrorKind::Unclosed(quote)))
}

/// The two digits of the `\x08` at byte `at`.
fn escape_digits(line: Line<'_>, at: usize) -> Result<&str, HexError> {
    if !line.rest(at + 1).starts_with('x') {
        let c = line.rest(at + 1).chars().next().unwrap_or('\\');
        return Err(line.error(at, HexErrorKind::Escape(c)));
    }
    let digits = line.digits(at + 2);
    digits.get(..2).ok_or_else(|| line.stray(at + 2 + digits.len()))
}

/// Appends the bytes of a string's body, from byte `at` of the line to `end`. Returns whether it had a `\x` escape.
pub(super) fn unescape(line: Line<'_>, mut at: usize, end: usize, out: &mut Vec<u8>) -> Result<bool, HexError> {
    let mut escaped = false;
    while at < end {
        let mut chars = line.rest(at).chars();
        at += match (chars.next().unwrap_or_default(), chars.next().unwrap_or_default()) {
            ('\\', 'x') => {
                line.push_digits(at + 2, escape_digits(line, at)?, out)?;
                escaped = true;
                4
            }
            // `\01` is an octal number in C and Python.
            ('\\', '0') if !chars.as_str().starts_with(|c: char| c.is_ascii_digit()) => {
                out.push(0);
                2
            }
            ('\\', name) => {
                let byte = ESCAPES.0.find(name).and_then(|place| ESCAPES.1.get(place));
                out.push(*byte.ok_or_else(|| line.error(at, HexErrorKind::Escape(name)))?);
                2
            }
            (c @ ' '..='~', _) => {
                out.push(c as u8);
                1
            }
            // The encoding of other characters is not known.
            _ => return Err(line.misplaced(at)),
        };
    }
    Ok(escaped)
}
