//! Removal of comments in source code and between plain digits.

use super::error::{HexError, HexErrorKind, Line};

/// The `/* */`, `//` and `#` comments of the forms that are source code or plain digits.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// The line and column of a `/*` that is not closed yet.
    open: Option<(usize, usize)>,
    text: String,
}

impl Comments {
    /// Whether the next line begins inside a comment.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The state to restore before a line is read again.
    pub(super) fn mark(&self) -> Option<(usize, usize)> {
        self.open
    }

    /// Restores the state of a [`mark`](Self::mark).
    pub(super) fn reset(&mut self, mark: Option<(usize, usize)>) {
        self.open = mark;
    }

    /// Checks at the end of the input that no comment is open.
    pub(super) fn finish(&self) -> Result<(), HexError> {
        match self.open {
            None => Ok(()),
            Some((line, column)) => {
                Err(HexError { line, column, character: Some('/'), kind: HexErrorKind::Unclosed('/') })
            }
        }
    }

    /// The line with its comments replaced by spaces, so that columns stay the same.
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
                // The lifetime of a Rust constant is not the start of a literal.
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
                // A hash inside a word is not a comment, nor is a definition with a value.
                ('#', _)
                    if quote.is_none() && !before.is_alphanumeric() && !rest.trim_start().starts_with("define") =>
                {
                    break;
                }
                _ => {}
            }
            self.text.push(c);
            before = c;
        }
        Line { number: line.number, text: &self.text }
    }
}
