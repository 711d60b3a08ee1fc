//! Removal of comments in source code and between plain digits.

use super::error::{HexError, HexErrorKind};
use super::line::{Line, Pattern};
use regex_lite::Regex;

/// The `/* */`, `//` and `#` comments of the forms that are source code or plain digits.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// The line and column of a `/*` that is not closed yet.
    pub open: Option<(usize, usize)>,
    text: String,
}

/// The starts of comments, and what may contain them without being one: literals. A Rust lifetime is not the start of
/// a literal.
static STARTS: Pattern =
    Pattern::new(|| Regex::new(r#"/\*|//|#|'static |"(\\.|[^"\\])*\\?"?|'(\\.|[^'\\])*\\?'?"#).ok());

impl Comments {
    /// Checks at the end of the input that no comment is open.
    pub(super) fn finish(&self) -> Result<(), HexError> {
        let open = |(line, column)| HexError { column, ..Line::start(line).error(0, HexErrorKind::Unclosed('/')) };
        self.open.map_or(Ok(()), |place| Err(open(place)))
    }

    /// The line with its comments replaced by spaces, so that columns stay the same.
    pub(super) fn blank<'a>(&'a mut self, line: Line<'a>) -> Line<'a> {
        if self.open.is_none() && memchr::memchr2(b'/', b'#', line.text.as_bytes()).is_none() {
            return line;
        }
        self.text.clear();
        let mut at = 0;
        loop {
            if self.open.is_some() {
                let end = line.rest(at).find("*/").map(|length| at + length + 2);
                self.open = self.open.filter(|_| end.is_none());
                let comment = line.text.get(at..end.unwrap_or(line.text.len())).unwrap_or_default();
                self.text.extend(comment.chars().map(|_| ' '));
                at += comment.len();
            }
            let start = STARTS.as_ref().and_then(|starts| starts.find_at(line.text, at));
            let (from, part) = start.map_or((line.text.len(), ""), |start| (start.start(), start.as_str()));
            self.text.push_str(line.text.get(at..from).unwrap_or_default());
            at = from + part.len();
            // A hash inside a word is not a comment, nor is a definition with a value.
            let is_word = || self.text.ends_with(char::is_alphanumeric);
            match part {
                "" | "//" => break,
                "#" if !is_word() && !line.rest(at).trim_start().starts_with("define") => break,
                "/*" => {
                    self.open = Some((line.number, from));
                    self.text.push_str("  ");
                }
                literal => self.text.push_str(literal),
            }
        }
        // Counted once: a line may have any number of comments.
        if let Some((_, column)) = self.open.as_mut().filter(|(number, _)| *number == line.number) {
            *column = line.column(*column);
        }
        Line { number: line.number, text: &self.text }
    }
}
