//! The HTTP heads of the upgrade (RFC 6455, section 4): their text, and the lines that matter.

use std::ops::Range;

/// The longest head.
pub const LONGEST: usize = 64 << 10;
/// The longest body that is awaited.
pub const LONGEST_BODY: usize = 16 << 20;

const METHODS: [&[u8]; 9] =
    [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"CONNECT ", b"TRACE "];
const VERSION: &[u8] = b"HTTP/1.";

/// Whether HTTP begins here; `None`: too few bytes to decide.
pub fn begins(bytes: &[u8]) -> Option<bool> {
    let mut open = false;
    for word in METHODS.iter().copied().chain([VERSION]) {
        let n = word.len().min(bytes.len());
        if bytes.get(..n) == word.get(..n) {
            if n == word.len() {
                return Some(true);
            }
            open = true;
        }
    }
    if open { None } else { Some(false) }
}

/// Whether the bytes begin an answer.
pub fn is_answer(bytes: &[u8]) -> bool {
    bytes.starts_with(VERSION)
}

/// The place where the head ends, after its empty line. `from`: the number of bytes searched before.
pub fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let start = from.saturating_sub(3);
    memchr::memmem::find(bytes.get(start..)?, b"\r\n\r\n").map(|at| start + at + 4)
}

/// The parts of a head that matter. Ranges are bytes of the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// A request's target.
    pub target: Range<usize>,
    /// An answer's status.
    pub status: Option<u16>,
    /// `Upgrade: websocket`.
    pub upgrade: bool,
    /// The value of Sec-WebSocket-Extensions.
    pub extensions: Option<Range<usize>>,
    /// The value of Content-Length.
    pub content_length: usize,
}

impl Head {
    /// Reads a complete head.
    pub fn read(bytes: &[u8]) -> Head {
        let mut head = Head::default();
        let mut at = 0;
        for line in bytes.split(|b| *b == b'\n') {
            let start = at;
            at += line.len() + 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if start == 0 {
                head.first(line);
                continue;
            }
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let (name, value) = line.split_at(colon);
            let value = value.get(1..).unwrap_or_default();
            let blank = value.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let text = value.trim_ascii();
            let from = start + colon + 1 + blank;
            match name {
                n if n.eq_ignore_ascii_case(b"upgrade") => {
                    head.upgrade |=
                        text.split(|b| *b == b',').any(|t| t.trim_ascii().eq_ignore_ascii_case(b"websocket"));
                }
                n if n.eq_ignore_ascii_case(b"sec-websocket-extensions") => {
                    head.extensions.get_or_insert(from..from + text.len());
                }
                n if n.eq_ignore_ascii_case(b"content-length") => {
                    head.content_length = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).unwrap_or(0);
                }
                _ => {}
            }
        }
        head
    }

    fn first(&mut self, line: &[u8]) {
        let Some(space) = memchr::memchr(b' ', line) else { return };
        let rest = line.get(space + 1..).unwrap_or_default();
        let word = memchr::memchr(b' ', rest).unwrap_or(rest.len());
        if is_answer(line) {
            self.status = rest.get(..word).and_then(|w| std::str::from_utf8(w).ok()).and_then(|w| w.parse().ok());
        }
        self.target = space + 1..space + 1 + word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        assert_eq!(begins(b"GE"), None);
        assert_eq!(begins(b"GET /"), Some(true));
        assert_eq!(begins(b"HTTP/2"), Some(false));
        assert_eq!(begins(&[1]), Some(false));
        let text = b"HTTP/1.1 101 Switching\r\nUPGRADE:  WebSocket\r\nsec-websocket-extensions: a; b\r\nContent-Length: 19\r\n\r\n";
        let head = Head::read(text);
        assert_eq!((head.status, head.upgrade, head.content_length), (Some(101), true, 19));
        assert_eq!(&text[head.extensions.unwrap()], b"a; b");
        assert_eq!(end(text, 0), Some(text.len()));
        let head = Head::read(b"GET /nano HTTP/1.1\r\n\r\n");
        assert_eq!((head.target, head.status), (4..9, None));
    }
}
