//! Finds the end of an object by its brackets and strings alone, however its bytes arrive.

use super::{LONGEST, MAX_NESTING};

/// The result of scanning one object.
pub(super) enum ObjectEnd {
    /// The object is complete, with this length.
    Whole(usize),
    /// The object is broken at this position, for this reason; scanning may resume there.
    Broken(usize, String),
    /// The object is broken at this position, and the rest of the line belongs to it.
    Lost(usize, String),
    /// More bytes are needed.
    More,
}

/// The state of a scan.
#[derive(Default)]
pub(super) struct Scan {
    /// The number of bytes scanned.
    pub at: usize,
    /// The open brackets.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
    /// The last byte other than white space.
    last: u8,
    /// The last byte.
    previous: u8,
}

impl Scan {
    /// Scans the bytes of `text` (which starts at the object's first byte) that are new since the
    /// last call.
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
                // An object at the start of a line in which none is allowed: the previous one was cut off.
                b'{' if previous == b'\n' && self.key_expected() => {
                    return ObjectEnd::Broken(self.at, "the object is not closed: expected }".into());
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

    /// Whether only a key or the end of the object may follow.
    fn key_expected(&self) -> bool {
        self.open.last() == Some(&b'{') && self.last != b':' || matches!(self.last, b'"' | b'}' | b']' | b'0'..=b'9')
    }
}
