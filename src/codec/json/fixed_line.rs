//! A line in a buffer of fixed size.
//!
//! A vector asks at each piece of text whether it must get memory, and reads and writes its length.
//! Here a short piece is a copy of constant size and an addition, and whether the line fits is asked
//! once, at its end: where it does not, it has to be written into a vector from its beginning.

use super::numbers::{small, three_digits};
use super::text::hex_into;
use crate::codec::quoted::{Quoted, Short};

/// Short pieces begin at their position modulo this: so they are always inside of the buffer, without a
/// comparison. Those of a line that is too long overwrite its beginning, and it is lost as a whole.
const WRAP: usize = 4096;

/// The longest line: behind it a piece without text still begins at its own place. Datagrams are rarely
/// above 1,500 bytes, which are 3,000 as hex.
const LONGEST: usize = WRAP - 1;

/// The size of the buffer: short pieces are copied with what stands behind them.
pub const SIZE: usize = WRAP + Short::ROOM;

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
    /// Begins a line in other memory, if there is enough of it.
    #[inline(always)]
    pub fn within(memory: &'a mut [u8]) -> Option<Pieces<'a>> {
        memory.first_chunk_mut().map(|text| Pieces { text, at: 0 })
    }

    /// Writes all of something or, if `write` gives up, nothing. Returns which. Where it does not fit, the
    /// line is lost with what stands before it.
    #[inline(always)]
    pub fn whole(&mut self, write: impl FnOnce(&mut Self) -> Option<()>) -> bool {
        let before = self.at;
        let done = write(self).is_some();
        if self.at > LONGEST {
            self.at = FULL;
            return false;
        }
        if !done {
            self.at = before;
        }
        done
    }

    /// The line; `None` if it did not fit.
    #[inline(always)]
    pub fn finish(self) -> Option<&'a [u8]> {
        self.text.get(..self.at).filter(|_| self.at <= LONGEST)
    }

    /// The first `len` of some bytes: they are copied all, so that the copy has a constant size.
    #[inline(always)]
    fn start_of<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        const { assert!(N <= Short::ROOM) };
        let from = self.at % WRAP;
        self.text[from..from + N].copy_from_slice(bytes);
        self.at += len;
    }

    /// The next `len` bytes, if there are so many.
    #[inline(always)]
    fn place(&mut self, len: usize) -> Option<&mut [u8]> {
        self.text.get_mut(self.at..LONGEST)?.get_mut(..len)
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

    /// A name, most of which have eight to sixteen bytes: these are copied from both ends, without a call.
    #[inline(always)]
    pub fn name(&mut self, name: &'static str) {
        let name = name.as_bytes();
        match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            (Some(first), Some(last)) if name.len() <= 16 => {
                self.start_of(first, name.len() - 8);
                self.start_of(last, 8);
            }
            _ => self.text(name),
        }
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

    /// An unsigned number: three digits at a time.
    #[inline(always)]
    pub fn uint(&mut self, n: u64) {
        match small(n) {
            Some((digits, len)) => self.start_of(&digits, len),
            None => self.large(n),
        }
    }

    /// The same for one of a thousand or more.
    #[inline(always)]
    fn large(&mut self, n: u64) {
        if let Some((digits, len)) = small(n / 1000) {
            self.start_of(&digits, len);
        } else if let Some((digits, len)) = small(n / 1_000_000) {
            self.start_of(&digits, len);
            self.three_digits(n / 1000);
        } else {
            return self.short(&huge(n));
        }
        self.three_digits(n);
    }

    /// The three lowest digits.
    #[inline(always)]
    fn three_digits(&mut self, n: u64) {
        self.start_of(&three_digits(n), 3);
    }

    /// The six lowest digits, with leading zeros.
    #[inline(always)]
    pub fn six_digits(&mut self, n: u64) {
        self.three_digits(n / 1000);
        self.three_digits(n);
    }

    /// A closing bracket, in place of a comma.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8) {
        if self.at > 0 {
            let last = &mut self.text[(self.at - 1) % WRAP];
            if *last == b',' {
                *last = bracket;
                return;
            }
        }
        self.constant(&[bracket]);
    }
}

/// A number of a milliard or more.
#[cold]
fn huge(n: u64) -> Short {
    let mut text = Short::default();
    text.set(itoa::Buffer::new().format(n).as_bytes());
    text
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

    /// Whatever comes behind a piece that does not fit: it is not a line with a hole, nor one whose
    /// beginning was overwritten.
    #[test]
    fn what_does_not_fit_is_noticed() {
        let (mut short, none) = (Short::default(), Short::default());
        short.set(b"ab");
        for (room, fits) in [(LONGEST, true), (LONGEST + 1, false), (LONGEST + 2, false), (2 * WRAP, false)] {
            let piece = |size: usize, write: &dyn Fn(&mut Pieces<'_>)| {
                let line = written(|line| {
                    line.text(&vec![b'x'; (room - size).min(LONGEST)]);
                    (LONGEST..room - size).for_each(|_| line.constant(b"x"));
                    write(line);
                    line.constant(b"");
                    line.short(&none);
                    line.close(b'}');
                    line.short(&none);
                });
                assert!(line.as_ref().is_none_or(|line| line.len() == room && line.starts_with("xxx")));
                assert_eq!(line.is_some(), fits, "{room} {size}");
            };
            piece(2 + 1, &|line| line.constant(b"ab"));
            piece(2 + 1, &|line| line.text(b"ab"));
            piece(2 + 1, &|line| line.short(&short));
            piece(6 + 1, &|line| line.six_digits(1));
            piece(4 + 1, &|line| line.hex(b"ab"));
            for name in ["", "short", "of eight", "of sixteen bytes", "of seventeen bytes"] {
                piece(name.len() + 1, &|line| line.name(name));
                assert_eq!(written(|line| line.name(name)).as_deref(), Some(name));
            }
            for n in [1, 1000, 1_000_000, u64::MAX] {
                piece(n.to_string().len() + 1, &|line| line.uint(n));
            }
            let whole = |line: &mut Pieces<'_>| {
                line.constant(b"x");
                let done = line.whole(|line| {
                    (1..room).for_each(|_| line.constant(b"y"));
                    Some(())
                });
                assert_eq!(done, fits);
            };
            assert_eq!(written(whole).map(|line| (line.len(), line.starts_with('x'))), fits.then_some((room, true)));
            let given_up = |line: &mut Pieces<'_>| {
                line.constant(b"x");
                let done = line.whole(|line| {
                    (1..room).for_each(|_| line.constant(b"y"));
                    None
                });
                assert!(!done);
            };
            assert_eq!(written(given_up).as_deref(), fits.then_some("x"));
        }
    }
}
