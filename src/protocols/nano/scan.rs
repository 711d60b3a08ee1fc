//! JSON's grammar (RFC 8259), token by token: no recursion, no copies, and nothing accepted beyond the grammar.

use crate::codec::Value;
use crate::codec::runs::{before, eight};

/// Receives the tokens of a text.
pub trait Tokens {
    /// Begins an object or array.
    fn open(&mut self, object: bool, at: usize);
    /// Ends the innermost object or array.
    fn close(&mut self, after_value: usize);
    /// The name of the value that follows.
    fn name(&mut self, text: &[u8], string: Str);
    /// A string.
    fn string(&mut self, string: Str);
    /// A number.
    fn number(&mut self, start: usize, end: usize);
    /// True, false, null.
    fn word(&mut self, start: usize, value: Value);
}

/// A string with its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Str {
    /// The place of its first quote.
    pub start: usize,
    /// The place after its last quote.
    pub end: usize,
    /// It has escapes.
    pub escaped: bool,
    /// It has half of a surrogate pair, so it is not text.
    pub broken: bool,
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        // Usually there is none.
        while self.peek() <= b' ' && matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte;
        self.at += there as usize;
        there
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> bool {
        self.eat(b'-');
        if !self.eat(b'0') && !self.digits() {
            return false;
        }
        if self.eat(b'.') && !self.digits() {
            return false;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            return self.digits();
        }
        true
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |n, d| Some(n << 4 | (*d as char).to_digit(16)? as u16))
    }

    /// Reads a string, with the cursor at its first quote.
    fn string(&mut self) -> Option<Str> {
        let mut found = Str { start: self.at, end: 0, escaped: false, broken: false };
        self.at += 1;
        // The first half of a surrogate pair, before its second half.
        let mut half = false;
        loop {
            let run = plain(self.text.get(self.at..)?);
            found.broken |= half && run > 0;
            half &= run == 0;
            self.at += run;
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            let mut pairs = false;
            match byte {
                b'"' => break,
                0..0x20 => return None,
                b'\\' => {
                    found.escaped = true;
                    let which = *self.text.get(self.at)?;
                    self.at += 1;
                    match which {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let unit = self.unit()?;
                            pairs = half && (0xdc00..0xe000).contains(&unit);
                            if !pairs && (0xd800..0xe000).contains(&unit) {
                                found.broken |= unit >= 0xdc00 || half;
                                half = unit < 0xdc00;
                                continue;
                            }
                        }
                        _ => return None,
                    }
                }
                _ => {}
            }
            found.broken |= half && !pairs;
            half = false;
        }
        found.broken |= half;
        found.end = self.at;
        Some(found)
    }
}

/// The number of bytes before the first quote, backslash or control character of a string.
#[inline]
fn plain(text: &[u8]) -> usize {
    let marks = |word: u64| {
        // A byte becomes negative if it was zero, or below the space. Bytes that were negative before are not ASCII.
        let [quotes, slashes] = [b'"', b'\\'].map(|byte| (word ^ eight(byte)).wrapping_sub(eight(1)));
        (quotes | slashes | word.wrapping_sub(eight(0x20))) & !word
    };
    before(text, marks, |byte| matches!(byte, b'"' | b'\\' | 0..0x20))
}

/// Reads one JSON text; `None`: it is not JSON. `stack`: for each open one, whether it is an object.
pub fn scan(text: &[u8], tokens: &mut impl Tokens, stack: &mut Vec<bool>) -> Option<()> {
    let mut c = Cursor { text, at: 0 };
    stack.clear();
    c.blank();
    loop {
        // A value.
        let start = c.at;
        let mut opened = false;
        match c.peek() {
            b'{' | b'[' => {
                let object = c.peek() == b'{';
                c.at += 1;
                tokens.open(object, start);
                c.blank();
                if c.eat(if object { b'}' } else { b']' }) {
                    tokens.close(c.at);
                } else {
                    stack.push(object);
                    opened = true;
                }
            }
            b'"' => {
                let string = c.string()?;
                tokens.string(string);
            }
            b'-' | b'0'..=b'9' => {
                if !c.number() {
                    return None;
                }
                tokens.number(start, c.at);
            }
            _ => {
                let rest = text.get(start..).unwrap_or_default();
                let words = [(&b"true"[..], Value::Bool(true)), (b"false", Value::Bool(false)), (b"null", Value::Null)];
                let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
                c.at += word.len();
                tokens.word(start, value);
            }
        }
        if !opened && !after_value(&mut c, tokens, stack)? {
            return Some(());
        }
        c.blank();
        if stack.last() == Some(&true) {
            if c.peek() != b'"' {
                return None;
            }
            let name = c.string()?;
            tokens.name(text, name);
            c.blank();
            if !c.eat(b':') {
                return None;
            }
            c.blank();
        }
    }
}

/// Reads the ends after a value. Returns whether another value follows; `None`: it is not JSON.
fn after_value(c: &mut Cursor<'_>, tokens: &mut impl Tokens, stack: &mut Vec<bool>) -> Option<bool> {
    loop {
        c.blank();
        match stack.last() {
            None => return (c.at == c.text.len()).then_some(false),
            Some(_) if c.eat(b',') => return Some(true),
            Some(object) => {
                if !c.eat(if *object { b'}' } else { b']' }) {
                    return None;
                }
                stack.pop();
                tokens.close(c.at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_special_is_found() {
        for at in 0..20 {
            for byte in 0..=255 {
                let mut text = "~ab \u{e9}\u{7f}!#[]xyzABCDEF".as_bytes()[..20].to_vec();
                text[at] = byte;
                let special = matches!(byte, b'"' | b'\\' | 0..0x20);
                assert_eq!(plain(&text), if special { at } else { text.len() }, "{byte} at {at}");
                // Bytes after it change nothing.
                text.iter_mut().skip(at + 1).for_each(|b| *b = b'"');
                assert_eq!(plain(&text), if special { at } else { (at + 1).min(20) });
            }
        }
    }
}
