//! The tokens of source code that contains bytes: numbers, strings, escapes, brackets.

use super::error::{HexError, HexErrorKind, Line};

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

/// The token that begins at or after byte `from`: its start, its end, the token.
pub(super) fn next(line: Line<'_>, from: usize) -> Result<Option<(usize, usize, Token<'_>)>, HexError> {
    let rest = line.text.get(from..).unwrap_or_default();
    let rest = rest.trim_start_matches([' ', '\t']);
    let at = line.text.len() - rest.len();
    let Some(first) = rest.chars().next() else { return Ok(None) };
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(length);
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (length, token) = match (first, quote) {
        ('\'', _) if rest.starts_with("'static ") => ("'static".len(), Token::Word),
        ('"' | '\'', _) if length == 0 => string(line, at, at, false)?,
        (_, Some(_)) if matches!(word, "b" | "B") => string(line, at, at + 1, true)?,
        // Other prefixes change the meaning of the string: r"", u"", L"".
        (_, Some(_)) => return Err(line.misplaced(at)),
        _ if word.starts_with("0x") || word.starts_with("0X") => {
            let digits = word.get(2..).unwrap_or_default();
            if let Some(i) = digits.find(|c: char| !c.is_ascii_hexdigit()) {
                return Err(line.stray(at + 2 + i));
            }
            if digits.is_empty() {
                return Err(line.stray(at + 2));
            }
            (length, Token::Hex(digits))
        }
        _ if first.is_ascii_digit() => (length, Token::Number(word)),
        _ if length > 0 => (length, Token::Word),
        ('\\', _) if rest.len() > 1 => {
            let digits = escape_digits(line, at)?;
            (4, Token::Escape(digits))
        }
        _ if first.is_ascii_graphic() => (1, Token::Punct(first)),
        _ => return Err(line.misplaced(at)),
    };
    Ok(Some((at, at + length, token)))
}

/// The string whose opening quote is at `open`; `at` is the start of its prefix.
fn string(line: Line<'_>, at: usize, open: usize, bytes: bool) -> Result<(usize, Token<'_>), HexError> {
    let text = line.text.get(open..).unwrap_or_default();
    let mut chars = text.char_indices();
    let quote = chars.next().map_or('"', |(_, c)| c);
    while let Some((i, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            let body = text.get(1..i).unwrap_or_default();
            return Ok((open + i + 1 - at, Token::Str { body, bytes }));
        }
    }
    Err(HexError::at(line, open, HexErrorKind::Unclosed(quote)))
}

/// The two digits of the `\x08` at byte `at`.
fn escape_digits(line: Line<'_>, at: usize) -> Result<&str, HexError> {
    let rest = line.text.get(at + 1..).unwrap_or_default();
    let Some(behind) = rest.strip_prefix('x') else {
        let c = rest.chars().next().unwrap_or('\\');
        return Err(HexError::at(line, at, HexErrorKind::Escape(c)));
    };
    let valid = behind.bytes().take(2).take_while(u8::is_ascii_hexdigit);
    match valid.count() {
        2 => Ok(behind.get(..2).unwrap_or_default()),
        n => Err(line.stray(at + 2 + n)),
    }
}

/// Appends the bytes of a string's body. Returns whether it had a `\x` escape. `at` is the position of the body in the
/// line.
pub(super) fn unescape(line: Line<'_>, at: usize, body: &str, out: &mut Vec<u8>) -> Result<bool, HexError> {
    let mut escaped = false;
    let mut chars = body.char_indices();
    let mut base = 0;
    while let Some((i, c)) = chars.next().map(|(i, c)| (base + i, c)) {
        if c != '\\' {
            // The encoding of other characters is not known.
            if !matches!(c, ' '..='~') {
                return Err(line.misplaced(at + i));
            }
            out.push(c as u8);
            continue;
        }
        let rest = chars.as_str();
        let byte = match chars.next().map_or('\\', |(_, c)| c) {
            'x' => {
                let digits = escape_digits(line, at + i)?;
                chars = body.get(i + 4..).unwrap_or_default().char_indices();
                base = i + 4;
                escaped = true;
                u8::from_str_radix(digits, 16).map_err(|_| line.stray(at + i))?
            }
            // `\01` is an octal number in C and Python.
            '0' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => 0,
            'a' => 7,
            'b' => 8,
            't' => b'\t',
            'n' => b'\n',
            'v' => 11,
            'f' => 12,
            'r' => b'\r',
            '\\' => b'\\',
            '"' => b'"',
            '\'' => b'\'',
            c => return Err(HexError::at(line, at + i, HexErrorKind::Escape(c))),
        };
        out.push(byte);
    }
    Ok(escaped)
}
