//! Text that comes from a packet or a file, made fit for a terminal: errors and messages on stderr
//! quote it.

use std::fmt::{self, Display, Write};

/// Shows its value with every control character and every [`tricky`] one escaped: `\u{1b}`.
///
/// ```
/// use netkit::printable::Printable;
///
/// assert_eq!(Printable("a\u{1b}[2Jé\n").to_string(), "a\\u{1b}[2Jé\\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Printable<T>(pub T);

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { to: f, lines: false }, "{}", self.0)
    }
}

/// The same, but line feeds stay: for text of several lines whose parts have been escaped.
#[derive(Clone, Copy, Debug)]
pub struct Lines<T>(pub T);

impl<T: Display> Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { to: f, lines: true }, "{}", self.0)
    }
}

struct Escaping<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    lines: bool,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (at, c) in text.char_indices() {
            if (c.is_control() || tricky(c)) && !(self.lines && c == '\n') {
                self.to.write_str(text.get(plain..at).unwrap_or(""))?;
                write!(self.to, "{}", c.escape_default())?;
                plain = at + c.len_utf8();
            }
        }
        self.to.write_str(text.get(plain..).unwrap_or(""))
    }
}

/// Characters that change what stands around them, or that nobody sees.
pub fn tricky(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}
