//! A line in a buffer of fixed size.
//!
//! A vector asks at each piece of text whether it must get memory, and reads and writes its length.
//! Here a piece is a comparison, a copy of constant size and an addition, and whether the line fits is
//! asked once, at its end: where it does not, it has to be written into a vector from its beginning.

use super::numbers::{SMALL, ZEROS, eight_digits};
use super::text::hex_into;
use crate::codec::quoted::{Quoted, Short};

/// The size of the buffer: datagrams are rarely above 1,500 bytes, which are 3,000 as hex.
const SIZE: usize = 4096;

/// The position of a line that did not fit: nothing fits behind it, and it cannot overflow.
const FULL: usize = usize::MAX / 2;

/// The memory of one line, for reuse.
pub struct FixedLine(Box<[u8; SIZE]>);

impl Default for FixedLine {
    fn default() -> FixedLine {
        FixedLine(Box::new([0; SIZE]))
    }
}

impl std::fmt::Debug for FixedLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FixedLine").finish_non_exhaustive()
    }
}

impl FixedLine {
    /// Begins a line.
    #[inline(always)]
    pub fn begin(&mut self) -> Pieces<'_> {
        Pieces { text: &mut self.0, at: 0 }
    }
}

/// The line as far as it is written.
pub struct Pieces<'a> {
    text: &'a mut [u8; SIZE],
    at: usize,
}

impl<'a> Pieces<'a> {
    /// Writes all of something or, if `write` gives up or it does not fit, nothing. Returns which.
    #[inline(always)]
    pub fn whole(&mut self, write: impl FnOnce(&mut Self) -> Option<()>) -> bool {
        let before = self.at;
        let done = write(self).is_some() && self.at <= SIZE;
        if !done {
            self.at = before;
        }
        done
    }

    /// The line; `None` if it did not fit.
    #[inline(always)]
    pub fn finish(self) -> Option<&'a [u8]> {
        self.text.get(..self.at)
    }

    /// The first `len` of some bytes: they are copied all, so that the copy has a constant size.
    #[inline(always)]
    fn start_of<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        match self.place(N) {
            Some(to) => {
                to.copy_from_slice(bytes);
                self.at += len;
            }
            None => self.at = FULL,
        }
    }

    /// The next `len` bytes, if there are so many.
    #[inline(always)]
    fn place(&mut self, len: usize) -> Option<&mut [u8]> {
        // As one comparison, after which the compiler knows that the range is inside.
        match self.at <= SIZE && len <= SIZE - self.at {
            true => self.text.get_mut(self.at..self.at + len),
            false => None,
        }
    }

    /// A constant text.
    #[inline(always)]
    pub fn constant<const N: usize>(&mut self, text: &[u8; N]) {
        self.start_of(text, N);
    }

    /// A short text.
    #[inline(always)]
    pub fn short(&mut self, text: &Short) {
        let (bytes, len) = text.parts();
        self.start_of(bytes, len);
    }

    /// A name, if it has only letters, digits and `_`; otherwise nothing, and false.
    #[inline(always)]
    pub fn word(&mut self, name: &Quoted) -> bool {
        let Some((text, len)) = name.word() else { return false };
        self.start_of(text, len);
        true
    }

    /// Any text.
    #[inline(always)]
    pub fn text(&mut self, text: &[u8]) {
        match self.place(text.len()) {
            Some(to) => {
                to.copy_from_slice(text);
                self.at += text.len();
            }
            None => self.at = FULL,
        }
    }

    /// Bytes as hex.
    #[inline(always)]
    pub fn hex(&mut self, bytes: &[u8]) {
        match self.place(bytes.len() * 2) {
            Some(to) => {
                hex_into(bytes, to);
                self.at += bytes.len() * 2;
            }
            None => self.at = FULL,
        }
    }

    /// An unsigned number.
    #[inline(always)]
    pub fn uint(&mut self, n: u64) {
        match SMALL.get(n as usize) {
            Some(digits) => self.start_of(digits, digits[3] as usize),
            None if n < 100_000_000 => {
                let digits = eight_digits(n);
                // Leading zeros are the lowest bytes: they are moved out, and zeros come in behind.
                let zeros = digits.trailing_zeros() & !7;
                self.start_of(&((digits + ZEROS) >> zeros).to_le_bytes(), 8 - zeros as usize / 8);
            }
            None => self.text(itoa::Buffer::new().format(n).as_bytes()),
        }
    }

    /// Six digits, with leading zeros.
    #[inline(always)]
    pub fn six_digits(&mut self, n: u64) {
        let [_, _, six @ ..] = (eight_digits(n % 1_000_000) + ZEROS).to_le_bytes();
        self.constant(&six);
    }

    /// A closing bracket, in place of a comma.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8) {
        match self.text.get_mut(..self.at).and_then(<[u8]>::last_mut) {
            Some(last @ b',') => *last = bracket,
            _ => self.constant(&[bracket]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Pieces<'_>)) -> Option<String> {
        let mut line = FixedLine::default();
        let mut pieces = line.begin();
        write(&mut pieces);
        pieces.finish().map(|text| String::from_utf8(text.to_vec()).unwrap())
    }

    #[test]
    fn numbers_of_every_length() {
        let powers = (0..20).map(|k| 10u64.pow(k)).flat_map(|n| [n - 1, n, n + 1, n.wrapping_mul(7) | 1]);
        for n in (0..20_000).chain((0..2000).map(|k| k * 54_321 + 7)).chain(powers).chain([u64::MAX]) {
            assert_eq!(written(|line| line.uint(n)).unwrap(), n.to_string());
        }
        assert_eq!(written(|line| line.six_digits(1_000_042)).unwrap(), "000042");
    }

    #[test]
    fn a_bracket_takes_the_place_of_a_comma() {
        let closed = |before: &[u8], bracket: u8| {
            let text = written(|line| {
                line.text(before);
                line.close(bracket);
            });
            text.unwrap()
        };
        assert_eq!(closed(b"", b'}'), "}");
        assert_eq!(closed(b"[1,", b']'), "[1]");
        assert_eq!(closed(b"[{", b'}'), "[{}");
    }

    /// Whatever comes behind a piece that does not fit: it is not a line with a hole.
    #[test]
    fn what_does_not_fit_is_noticed() {
        let mut short = Short::default();
        short.set(b"ab");
        for (room, fits) in [(SIZE, true), (SIZE + 1, false)] {
            let piece = |size: usize, write: &dyn Fn(&mut Pieces<'_>)| {
                written(|line| {
                    line.text(&vec![b'x'; room - size]);
                    write(line);
                    line.constant(b"");
                    line.close(b'}');
                })
            };
            assert_eq!(piece(2 + 1, &|line| line.constant(b"ab")).is_some(), fits);
            assert_eq!(piece(2 + 1, &|line| line.text(b"ab")).is_some(), fits);
            assert_eq!(piece(6 + 1, &|line| line.six_digits(1)).is_some(), fits);
            assert_eq!(piece(4 + 1, &|line| line.hex(b"ab")).is_some(), fits);
            assert_eq!(piece(20 + 1, &|line| line.uint(u64::MAX)).is_some(), fits);
            // These need more room than they take.
            assert_eq!(piece(Short::ROOM, &|line| line.short(&short)).is_some(), fits);
            assert_eq!(piece(8, &|line| line.uint(1000)).is_some(), fits);
            assert_eq!(piece(4, &|line| line.uint(1)).is_some(), fits);
            let text = vec![b'y'; room - 1];
            let whole = |line: &mut Pieces<'_>| {
                line.constant(b"x");
                let done = line.whole(|line| {
                    line.text(&text);
                    Some(())
                });
                assert_eq!(done, fits);
            };
            assert_eq!(written(whole).unwrap().len(), if fits { SIZE } else { 1 });
        }
        let given_up = |line: &mut Pieces<'_>| {
            let done = line.whole(|line| {
                line.constant(b"x");
                None
            });
            assert!(!done);
        };
        assert_eq!(written(given_up).unwrap(), "");
    }
}
