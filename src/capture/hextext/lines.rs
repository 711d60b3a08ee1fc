//! The lines of the input: capped, without line ends and byte order mark, and the comments in
//! them.

use super::MAX_LINE;
use super::error::{HexError, HexErrorKind, Line};
use std::io::{self, BufRead};

/// Reads lines into one buffer.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    raw: Vec<u8>,
    text: String,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            raw: Vec::new(),
            text: String::new(),
            number: 0,
        }
    }

    /// The line read last.
    pub(super) fn line(&self) -> Line<'_> {
        Line {
            number: self.number,
            text: &self.text,
        }
    }

    /// Reads the next line; false at the end of the input.
    pub(super) fn advance(&mut self) -> Result<bool, HexError> {
        self.number += 1;
        self.text.clear();
        match read_capped(&mut self.input, &mut self.raw) {
            Ok(false) => Ok(false),
            Ok(true) => {
                let mut raw = self.raw.as_slice();
                if self.number == 1 {
                    raw = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
                }
                while let Some(shorter) = raw.strip_suffix(b"\r") {
                    raw = shorter;
                }
                // What is not UTF-8 becomes U+FFFD, which every form refuses as a stray
                // character, except in a text column, where it stands for a byte.
                self.text.push_str(&String::from_utf8_lossy(raw));
                Ok(true)
            }
            Err(kind) => Err(HexError::at(self.line(), 0, kind)),
        }
    }
}

/// Reads up to a line feed, which is consumed but not stored; false at the end of the input.
fn read_capped(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, HexErrorKind> {
    line.clear();
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e.into()),
        };
        if chunk.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = memchr::memchr(b'\n', chunk);
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
        if line.len() + part.len() > MAX_LINE {
            return Err(HexErrorKind::LongLine);
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// The `/* */`, `//` and `#` comments of the forms that are source code or plain digits.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// Where a `/*` was opened that is not closed yet: line and column.
    open: Option<(usize, usize)>,
    text: String,
}

impl Comments {
    /// Whether the next line begins inside a comment.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What a line that is read again must begin with.
    pub(super) fn mark(&self) -> Option<(usize, usize)> {
        self.open
    }

    /// Goes back to a [`mark`](Self::mark).
    pub(super) fn reset(&mut self, mark: Option<(usize, usize)>) {
        self.open = mark;
    }

    /// At the end of the input: a comment may not be open.
    pub(super) fn finish(&self) -> Result<(), HexError> {
        match self.open {
            None => Ok(()),
            Some((line, column)) => Err(HexError {
                line,
                column,
                character: Some('/'),
                kind: HexErrorKind::Unclosed('/'),
            }),
        }
    }

    /// The line with spaces in place of its comments, so that columns stay what they are.
    pub(super) fn blank<'a>(&'a mut self, line: Line<'a>) -> Line<'a> {
        let bytes = line.text.as_bytes();
        if self.open.is_none() && memchr::memchr2(b'/', b'#', bytes).is_none() {
            return line;
        }
        self.text.clear();
        let mut quote = None;
        let mut before = ' ';
        let mut column = 0;
        let mut chars = line.text.chars();
        while let Some(c) = chars.next() {
            column += 1;
            let rest = chars.as_str();
            let next = rest.chars().next();
            if self.open.is_some() {
                self.text.push(' ');
                if c == '*' && next == Some('/') {
                    chars.next();
                    column += 1;
                    self.text.push(' ');
                    self.open = None;
                    before = ' ';
                }
                continue;
            }
            match (c, next) {
                ('\\', Some(escaped)) if quote.is_some() => {
                    chars.next();
                    column += 1;
                    self.text.push(c);
                    self.text.push(escaped);
                    continue;
                }
                _ if quote == Some(c) => quote = None,
                // The lifetime of a Rust constant opens no string.
                ('\'', _) if rest.starts_with("static ") => {}
                ('"' | '\'', _) if quote.is_none() => quote = Some(c),
                ('/', Some('*')) if quote.is_none() => {
                    chars.next();
                    self.open = Some((line.number, column));
                    column += 1;
                    self.text.push_str("  ");
                    continue;
                }
                ('/', Some('/')) if quote.is_none() => break,
                // A hash within a word is no comment, and neither is a definition with a value.
                ('#', _) if quote.is_none() && !before.is_alphanumeric() => {
                    if !rest.trim_start().starts_with("define") {
                        break;
                    }
                }
                _ => {}
            }
            self.text.push(c);
            before = c;
        }
        Line {
            number: line.number,
            text: &self.text,
        }
    }
}
