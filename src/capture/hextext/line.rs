//! The lines of the input, and what every form reads in them: digits, blanks, the places of errors.

use super::error::{HexError, HexErrorKind, excerpt};
use super::{MAX_LINE, MAX_MESSAGE};
use regex_lite::Regex;
use std::io::{BufRead, Read};
use std::sync::LazyLock;

/// The characters between the parts of a line.
pub(super) const BLANK: [char; 2] = [' ', '\t'];

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A pattern of lines, compiled when it is first used.
pub(super) type Pattern = LazyLock<Option<Regex>>;

/// One line of the input, without its line end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    /// The start of the line with this number.
    pub(super) fn start(number: usize) -> Self {
        Self { number, text: "" }
    }

    /// The text from byte `at` on.
    pub(super) fn rest(self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The number of blanks of any kind at its start, in bytes.
    pub(super) fn indent(self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The column of byte `at`, from 1, in characters.
    pub(super) fn column(self, at: usize) -> usize {
        self.text.get(..at).unwrap_or(self.text).chars().count() + 1
    }

    /// An error at byte `at`.
    pub(super) fn error(self, at: usize, kind: HexErrorKind) -> HexError {
        HexError { line: self.number, column: self.column(at), character: kind.character(), kind }
    }

    /// The error for an invalid character at byte `at`.
    pub(super) fn stray(self, at: usize) -> HexError {
        self.error(at, HexErrorKind::Stray(self.rest(at).chars().next().unwrap_or('\n')))
    }

    /// The error for a character that is not valid at this position, byte `at`.
    pub(super) fn misplaced(self, at: usize) -> HexError {
        self.error(at, HexErrorKind::Misplaced(self.rest(at).chars().next().unwrap_or('\n')))
    }

    /// The position of the next character from byte `at` on that is neither a space nor a tab.
    pub(super) fn skip_blank(self, at: usize) -> usize {
        at + self.rest(at).bytes().take_while(is_blank).count()
    }

    /// Whether there are two blanks or a tab around byte `at`.
    pub(super) fn is_wide_gap(self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default().bytes().rev().take_while(is_blank).count();
        let blanks = self.text.get(at - before..self.skip_blank(at));
        blanks.is_some_and(|blanks| blanks.len() > 1 || blanks == "\t")
    }

    /// The run of hex digits at byte `at`.
    pub(super) fn digits(self, at: usize) -> &'a str {
        let rest = self.rest(at);
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest.get(..length).unwrap_or_default()
    }

    /// Appends the bytes of the run of digits at byte `at`.
    pub(super) fn push_digits(self, at: usize, token: &str, out: &mut Vec<u8>) -> Result<(), HexError> {
        if token.len() % 2 == 1 {
            return Err(self.error(at, HexErrorKind::Odd { count: token.len(), token: excerpt(token) }));
        }
        let start = out.len();
        self.push_room(at, start, token.len() / 2)?;
        out.resize(start + token.len() / 2, 0);
        hex::decode_to_slice(token, out.get_mut(start..).unwrap_or_default()).map_err(|_| self.stray(at))
    }

    /// Rejects a message of `have` bytes that becomes too long with `more`.
    pub(super) fn push_room(self, at: usize, have: usize, more: usize) -> Result<(), HexError> {
        if more > MAX_MESSAGE.saturating_sub(have) {
            return Err(self.error(at, HexErrorKind::LongMessage));
        }
        Ok(())
    }
}

/// Reads lines into one buffer, without line ends and byte order mark.
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
        self.raw.clear();
        let read = self.input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut self.raw);
        let mut raw = self.raw.strip_suffix(b"\n").unwrap_or(&self.raw);
        match read {
            Ok(_) if raw.len() > MAX_LINE => return Err(self.line().error(0, HexErrorKind::LongLine)),
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(self.line().error(0, error.into())),
        }
        if self.number == 1 {
            raw = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
        }
        while let Some(shorter) = raw.strip_suffix(b"\r") {
            raw = shorter;
        }
        // Invalid UTF-8 becomes U+FFFD. Every form rejects that, except in a text column, in which it represents a
        // byte.
        self.text.push_str(&String::from_utf8_lossy(raw));
        Ok(true)
    }
}
