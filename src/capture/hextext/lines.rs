//! The lines of the input: capped, without line ends and byte order mark.

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
        Self { input, raw: Vec::new(), text: String::new(), number: 0 }
    }

    /// The line read last.
    pub(super) fn line(&self) -> Line<'_> {
        Line { number: self.number, text: &self.text }
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
                // Invalid UTF-8 becomes U+FFFD. Every form rejects that, except in a text column, in which it represents
                // a byte.
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
