//! Where an object ends: by its brackets and strings alone, however its bytes come in.

use super::{LONGEST, MAX_NESTING};

/// What the scanner of one object found.
pub(super) enum ObjectEnd {
    /// It is whole: so many bytes.
    Whole(usize),
    /// It breaks there, for this reason; what follows may be read again from there on.
    Broken(usize, String),
    /// It breaks there, and what follows on the line belongs to it.
    Lost(usize, String),
    /// More bytes are needed.
    More,
}

/// Where the scan of an object stands.
#[derive(Default)]
pub(super) struct Scan {
    /// Bytes looked at.
    pub at: usize,
    /// Brackets that are open.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
    /// The last byte that is no white space.
    last: u8,
    /// The last byte of all.
    previous: u8,
}

impl Scan {
    /// Looks at the bytes of `text` (from the object's first on) that were not there before.
    pub fn go(&mut self, text: &[u8]) -> ObjectEnd {
        while let Some(&byte) = text.get(self.at) {
            if self.at >= LONGEST {
                return ObjectEnd::Lost(self.at, format!("an object of more than {LONGEST} bytes"));
            }
            let previous = std::mem::replace(&mut self.previous, byte);
            if self.in_string {
                match byte {
                    b'\n' => return ObjectEnd::Broken(self.at, "a text without its closing quote".into()),
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                self.at += 1;
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                // An object where none can be, at the beginning of a line: the one before was cut.
                b'{' if previous == b'\n' && self.key_expected() => {
                    return ObjectEnd::Broken(self.at, "the object has no end: expected }".into());
                }
                b'{' | b'[' if self.open.len() >= MAX_NESTING => {
                    return ObjectEnd::Lost(self.at, format!("nested more than {MAX_NESTING} levels deep"));
                }
                b'{' | b'[' => self.open.push(byte),
                b'}' | b']' => {
                    let opening = if byte == b'}' { b'{' } else { b'[' };
                    if self.open.pop() != Some(opening) {
                        let what = format!("{} where another bracket has to be closed first", byte as char);
                        return ObjectEnd::Lost(self.at, what);
                    }
                    if self.open.is_empty() {
                        return ObjectEnd::Whole(self.at + 1);
                    }
                }
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
            self.at += 1;
        }
        ObjectEnd::More
    }

    /// Inside an object, where only a name or its end can follow.
    fn key_expected(&self) -> bool {
        self.open.last() == Some(&b'{') && self.last != b':' || matches!(self.last, b'"' | b'}' | b']' | b'0'..=b'9')
    }
}
