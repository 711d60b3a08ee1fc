//! A line writer that counts columns and makes text from the wire safe for the terminal: control characters, ESC, C1,
//! bidi overrides and invisible characters are escaped.

use super::bytes::Decoded;
use super::palette::Palette;
use crate::codec::json::numbers::uint;
use crate::codec::json::text::hex_digits;
use crate::printable::tricky;
use std::fmt;
use unicode_width::UnicodeWidthChar;

/// A position of a [`LineWriter`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The number of bytes before it.
    pub len: usize,
    from: usize,
}

/// Writes lines.
#[derive(Debug)]
pub struct LineWriter<'a> {
    out: &'a mut Vec<u8>,
    /// The length of `out` without the columns of the line: where it begins, later by each byte that takes no column.
    /// So printable ASCII, which is nearly all text, is written without counting.
    from: usize,
    /// The colours.
    pub palette: &'static Palette,
    /// The number of successive zero-width characters: a letter may have marks, but not any number of them.
    marks: u8,
}

impl<'a> LineWriter<'a> {
    /// Creates a writer at the start of a line.
    pub fn new(out: &'a mut Vec<u8>, colour: bool) -> LineWriter<'a> {
        let (from, palette) = (out.len(), Palette::of(colour));
        LineWriter { out, from, palette, marks: 0 }
    }

    /// The number of columns written so far.
    #[inline]
    pub fn column(&self) -> usize {
        self.out.len().wrapping_sub(self.from)
    }

    /// Continues a line that has this many columns already.
    pub fn set_column(&mut self, column: usize) {
        self.from = self.out.len().wrapping_sub(column);
    }

    /// Writes text of the program: every character is one column wide.
    #[inline]
    pub fn put(&mut self, text: &str) -> &mut Self {
        if !text.is_ascii() {
            self.from += text.bytes().filter(|b| b & 0xc0 == 0x80).count();
        }
        self.name(text)
    }

    /// Writes names and addresses: text known to be printable ASCII.
    #[inline]
    pub fn name(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// Writes a number.
    #[inline]
    pub fn int<N: itoa::Integer>(&mut self, n: N) -> &mut Self {
        self.name(itoa::Buffer::new().format(n))
    }

    /// Writes an unsigned number.
    #[inline]
    pub fn uint(&mut self, n: u64) -> &mut Self {
        self.appended(|out| uint(n, out))
    }

    /// Writes text appended by a function, which must be printable ASCII.
    #[inline]
    pub fn appended(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        write(self.out);
        self
    }

    /// Writes a byte as two hex digits.
    #[inline]
    pub fn hex(&mut self, byte: u8) -> &mut Self {
        self.appended(|out| out.extend_from_slice(&hex_digits(byte)))
    }

    /// Writes one character of the program, or a printable ASCII one.
    #[inline]
    pub fn ascii(&mut self, c: u8) -> &mut Self {
        self.out.push(c);
        self
    }

    /// Switches to a colour of the palette; takes no columns.
    #[inline]
    pub fn paint(&mut self, code: &'static str) -> &mut Self {
        // Without colours every code is empty.
        if !code.is_empty() {
            self.from += code.len();
            self.out.extend_from_slice(code.as_bytes());
        }
        self
    }

    /// Writes text of the program in a colour.
    #[inline]
    pub fn painted(&mut self, code: &'static str, text: &str) -> &mut Self {
        self.paint(code).put(text).reset()
    }

    /// Switches back to the normal colour.
    #[inline]
    pub fn reset(&mut self) -> &mut Self {
        self.paint(self.palette.reset)
    }

    /// Pads with blanks up to this column.
    #[inline]
    pub fn pad(&mut self, column: usize) -> &mut Self {
        let blanks = column.saturating_sub(self.column());
        self.out.resize(self.out.len() + blanks, b' ');
        self
    }

    /// Ends the line, without trailing blanks.
    pub fn newline(&mut self) -> &mut Self {
        while self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        self.out.push(b'\n');
        self.from = self.out.len();
        self
    }

    /// Writes untrusted text.
    pub fn untrusted(&mut self, text: &str) -> &mut Self {
        if !text.is_empty() && text.bytes().all(|b| matches!(b, b' '..=b'~')) {
            self.marks = 0;
            return self.put(text);
        }
        text.chars().for_each(|c| self.character(c));
        self
    }

    /// Writes untrusted text, cut to `room` columns.
    pub fn untrusted_cut(&mut self, text: &str, room: usize) {
        self.cut(text.chars().map(Decoded::Char), room, 1, |line| _ = line.put("…"));
    }

    /// Writes an untrusted character: a printable one unchanged, all others escaped.
    #[inline]
    pub fn character(&mut self, c: char) {
        match c {
            ' '..='~' => {
                self.marks = 0;
                self.ascii(c as u8);
            }
            '\n' => _ = self.put("\\n"),
            '\r' => _ = self.put("\\r"),
            '\t' => _ = self.put("\\t"),
            ..' ' | '\x7f' => self.byte(c as u8),
            _ => self.wide(c),
        }
    }

    /// Writes a byte that is not text.
    pub fn byte(&mut self, byte: u8) {
        self.put("\\x").hex(byte);
    }

    fn wide(&mut self, c: char) {
        let width = c.width();
        self.marks = if width == Some(0) { self.marks.saturating_add(1) } else { 0 };
        if width.is_none() || self.marks > 2 || tricky(c) {
            c.escape_unicode().for_each(|c| _ = self.ascii(c as u8));
            return;
        }
        self.from = (self.from + c.len_utf8()).saturating_sub(width.unwrap_or(0));
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Writes characters and bytes as far as they fit into `room` columns. If not all fit, `reserve` of the columns are left for
    /// `rest`, which describes the remainder. Returns whether all fitted.
    pub fn cut(
        &mut self,
        decoded: impl Iterator<Item = Decoded>,
        room: usize,
        reserve: usize,
        rest: impl FnOnce(&mut Self),
    ) -> bool {
        let limit = self.column().saturating_add(room);
        let mut fits = self.mark();
        for decoded in decoded {
            match decoded {
                Decoded::Char(c) => self.character(c),
                Decoded::Byte(b) => self.byte(b),
            }
            if self.column().saturating_add(reserve) <= limit {
                fits = self.mark();
            }
            if self.column() > limit {
                self.back(fits);
                rest(self);
                return false;
            }
        }
        true
    }

    /// Returns the current position, for [`LineWriter::back`].
    pub fn mark(&self) -> Mark {
        Mark { len: self.out.len(), from: self.from }
    }

    /// Removes everything written since `mark`.
    pub fn back(&mut self, mark: Mark) {
        self.out.truncate(mark.len);
        self.from = mark.from;
    }
}

/// Writes formatted text, which may contain untrusted characters.
impl fmt::Write for LineWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.untrusted(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (String, usize) {
        let mut out = Vec::new();
        let mut line = LineWriter::new(&mut out, false);
        line.untrusted(text);
        let column = line.column();
        (String::from_utf8(out).unwrap(), column)
    }

    #[test]
    fn control_characters_are_escaped() {
        let nasty = "\x1b[31m\u{9b}2J\u{202e}a\u{200b}\0\r\n\u{7f}\u{feff}\u{e0041}";
        let (text, column) = shown(nasty);
        assert_eq!(text, "\\x1b[31m\\u{9b}2J\\u{202e}a\\u{200b}\\x00\\r\\n\\x7f\\u{feff}\\u{e0041}");
        assert_eq!(column, text.len());
        let all: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        assert!(!shown(&all).0.chars().any(|c| c.is_control() || tricky(c)));
    }

    #[test]
    fn printable_text_is_unchanged() {
        assert_eq!(shown("Zoë 龍 e\u{301}"), ("Zoë 龍 e\u{301}".into(), 8));
        assert_eq!(shown("a\u{301}\u{301}\u{301}").0, "a\u{301}\u{301}\\u{301}");
    }

    #[test]
    fn cut_text_is_marked() {
        let cut = |text: &str, room| {
            let mut out = Vec::new();
            LineWriter::new(&mut out, false).untrusted_cut(text, room);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("ab龍龍", 5), "ab龍…");
        assert_eq!(cut("a\x1bbc", 5), "a…");
    }
}
