//! Iterators over bytes at any bit offset, and over the characters in them. Text output that shows only the start of
//! long values uses them. Nothing is copied.

use crate::codec::bits;
use crate::codec::json::text::clip;

/// The whole bytes in a range of bits.
#[derive(Clone, Copy, Debug)]
pub struct ByteIter<'a> {
    data: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> ByteIter<'a> {
    /// Iterates over the bytes of `count` bits from bit `at` on, as far as `data` has them.
    pub fn new(data: &'a [u8], at: u32, count: u32) -> ByteIter<'a> {
        let (at, count) = clip(data, at, count);
        ByteIter { data, at, end: at + count / 8 * 8 }
    }

    /// Keeps the first `count` bytes.
    pub fn start(self, count: usize) -> ByteIter<'a> {
        ByteIter { end: self.end.min(self.at + count * 8), ..self }
    }

    /// Skips the first `count` bytes.
    pub fn skipped(self, count: usize) -> ByteIter<'a> {
        ByteIter { at: self.end.min(self.at + count * 8), ..self }
    }
}

impl Iterator for ByteIter<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let at = self.at;
        (at < self.end).then(|| {
            self.at += 8;
            match at % 8 {
                0 => self.data.get(at / 8).copied().unwrap_or(0),
                _ => bits::get(self.data, at, 8) as u8,
            }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.at) / 8;
        (left, Some(left))
    }
}

impl ExactSizeIterator for ByteIter<'_> {}

/// A character, or a byte that is not part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A character.
    Char(char),
    /// A byte that is not valid UTF-8.
    Byte(u8),
}

/// The characters of bytes that are expected to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct Utf8<'a>(pub ByteIter<'a>);

impl Iterator for Utf8<'_> {
    type Item = Decoded;

    #[inline]
    fn next(&mut self) -> Option<Decoded> {
        let first = self.0.next()?;
        let len = match first {
            ..0x80 => return Some(Decoded::Char(first as char)),
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
            _ => return Some(Decoded::Byte(first)),
        };
        let (mut ahead, mut held) = (self.0, [first, 0, 0, 0]);
        for byte in &mut held[1..len] {
            *byte = ahead.next().unwrap_or(0);
        }
        match std::str::from_utf8(&held[..len]).ok().and_then(|s| s.chars().next()) {
            Some(c) => {
                self.0 = ahead;
                Some(Decoded::Char(c))
            }
            None => Some(Decoded::Byte(first)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_at_any_bit() {
        let text = "aé€😀".as_bytes();
        let mut buf = bits::BitBuf::default();
        buf.put(5, 3);
        buf.put_bytes(text);
        buf.put_bytes(&[0xff, b'z', 0xe2, 0x82]);
        let all = ByteIter::new(buf.bytes(), 3, (text.len() as u32 + 4) * 8);
        assert_eq!(all.len(), text.len() + 4);
        let decoded: Vec<Decoded> = Utf8(all).collect();
        let tail = [Decoded::Byte(0xff), Decoded::Char('z'), Decoded::Byte(0xe2), Decoded::Byte(0x82)];
        assert_eq!(decoded, "aé€😀".chars().map(Decoded::Char).chain(tail).collect::<Vec<_>>());
    }
}
