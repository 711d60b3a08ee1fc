//! Escaping of text from packets and files for the terminal: errors and messages on stderr quote
//! it.

use std::fmt::{self, Display, Write};

/// Displays its value with all control characters and [`tricky`] ones escaped: `\u{1b}`.
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

/// Displays its value like [`Printable`], but keeps line feeds: for text of several lines whose parts have been
/// escaped.
#[derive(Clone, Copy, Debug)]
pub struct Lines<T>(pub T);

impl<T: Display> Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { to: f, lines: true }, "{}", self.0)
    }
}

/// JSON whose strings may contain DEL and C1 controls: displays it with JSON escapes for these.
///
/// ```
/// use netkit::printable::Json;
///
/// assert_eq!(Json("[\"\u{9b}31m\"]").to_string(), "[\"\\u009b31m\"]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<T: Display> Display for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(EscapingJson(f), "{}", self.0)
    }
}

struct EscapingJson<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for EscapingJson<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        // Outside of strings, JSON has no such characters.
        for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, '\u{7f}'..='\u{9f}')) {
            self.0.write_str(text.get(plain..at).unwrap_or(""))?;
            write!(self.0, "\\u{:04x}", c as u32)?;
            plain = at + c.len_utf8();
        }
        self.0.write_str(text.get(plain..).unwrap_or(""))
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

/// Characters that change how the text around them is displayed, or that are invisible.
pub fn tricky(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}
