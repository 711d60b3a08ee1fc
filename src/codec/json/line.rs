//! Collects short texts in a stage of fixed size before they are appended to a vector.
//!
//! A vector checks its capacity at each append, and reads and writes its length. Here a short text costs a copy of
//! constant size and an addition. The stage is appended to the vector as a whole. A text that does not fit into the
//! stage goes to the vector directly.

use super::numbers::{small, three_digits};
use super::text::{hex, hex_into, is_harmless, string};
use crate::codec::quoted::{Quoted, Short};

/// The size of the stage. Most messages fit into it, and the payloads of most others.
const SIZE: usize = 1024;

/// The last position at which a short text fits. The copy includes the unused rest of the text's buffer.
const LAST: usize = SIZE - Short::ROOM;

/// The reusable memory of a line.
#[derive(Clone)]
pub struct Stage([u8; SIZE]);

impl Default for Stage {
    fn default() -> Stage {
        Stage([0; SIZE])
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

impl Stage {
    /// Appends the output of `write` to `out`.
    #[inline(always)]
    pub fn line<R>(&mut self, out: &mut Vec<u8>, write: impl FnOnce(&mut Line<'_>) -> R) -> R {
        let mut line = Line { text: &mut self.0, at: 0, out };
        let done = write(&mut line);
        line.rest();
        done
    }
}

/// Text that is being written: the vector's content, followed by the stage.
pub struct Line<'a> {
    text: &'a mut [u8; SIZE],
    at: usize,
    out: &'a mut Vec<u8>,
}

/// Appends the stage's content. A separate function, so that the line's position stays in a register.
#[cold]
#[inline(never)]
fn append(text: &[u8; SIZE], at: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(text.get(..at).unwrap_or_default());
}

impl Line<'_> {
    /// Appends the stage to the vector, and returns the vector.
    #[inline]
    pub fn rest(&mut self) -> &mut Vec<u8> {
        self.out.extend_from_slice(self.text.get(..self.at).unwrap_or_default());
        self.at = 0;
        self.out
    }

    /// As `rest`, for a full stage.
    #[inline(always)]
    fn spill(&mut self) -> &mut Vec<u8> {
        append(self.text, self.at, self.out);
        self.at = 0;
        self.out
    }

    /// The length of the vector and the stage together.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.out.len() + self.at
    }

    /// Shortens the text to this length.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        match len.checked_sub(self.out.len()) {
            Some(at) => self.at = self.at.min(at),
            None => {
                self.out.truncate(len);
                self.at = 0;
            }
        }
    }

    /// Appends the first `len` of these bytes. All of them are copied, so that the copy has a constant size.
    #[inline(always)]
    fn start_of<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        const { assert!(N <= Short::ROOM) };
        if self.at > LAST {
            self.spill();
        }
        self.text[self.at..self.at + N].copy_from_slice(bytes);
        self.at += len;
    }

    /// Reserves the next `len` bytes of the stage, if they fit.
    #[inline(always)]
    fn place(&mut self, len: usize) -> Option<&mut [u8]> {
        let to = self.text.get_mut(self.at..)?.get_mut(..len)?;
        self.at += len;
        Some(to)
    }

    /// Appends a constant text.
    #[inline(always)]
    pub fn constant<const N: usize>(&mut self, text: &[u8; N]) {
        self.start_of(text, N);
    }

    /// Appends a short text.
    #[inline(always)]
    pub fn short(&mut self, text: &Short) {
        let (bytes, len) = text.parts();
        self.start_of(bytes, len);
    }

    /// Appends a name. Most names have eight to sixteen bytes: these are copied from both ends, without a call.
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

    /// Appends a name that has only letters, digits and `_`. For any other, appends nothing and returns false.
    #[inline(always)]
    pub fn word(&mut self, name: &Quoted) -> bool {
        let Some((text, len)) = name.word() else { return false };
        self.start_of(text, len);
        true
    }

    /// Appends any text.
    #[inline(always)]
    pub fn text(&mut self, text: &[u8]) {
        match self.place(text.len()) {
            Some(to) => to.copy_from_slice(text),
            None => self.spill().extend_from_slice(text),
        }
    }

    /// Appends bytes as hex.
    #[inline(always)]
    pub fn hex(&mut self, bytes: &[u8]) {
        if let Some(to) = self.place(bytes.len() * 2) { hex_into(bytes, to) } else { hex(bytes, self.spill()) }
    }

    /// Appends UTF-8 text as a JSON string.
    #[inline]
    pub fn string(&mut self, text: &[u8]) {
        if !is_harmless(text) {
            return string(text, self.rest());
        }
        self.constant(b"\"");
        self.text(text);
        self.constant(b"\"");
    }

    /// Appends an unsigned number, three digits at a time.
    #[inline(always)]
    pub fn uint(&mut self, n: u64) {
        if let Some((digits, len)) = small(n) { self.start_of(&digits, len) } else { self.large(n) }
    }

    /// Appends a number of at least a thousand.
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

    /// Appends a signed number.
    #[inline(always)]
    pub fn int(&mut self, n: i64) {
        if n < 0 {
            self.constant(b"-");
        }
        self.uint(n.unsigned_abs());
    }

    /// Appends the three lowest digits.
    #[inline(always)]
    fn three_digits(&mut self, n: u64) {
        self.start_of(&three_digits(n), 3);
    }

    /// Appends the six lowest digits, with leading zeros.
    #[inline(always)]
    pub fn six_digits(&mut self, n: u64) {
        self.three_digits(n / 1000);
        self.three_digits(n);
    }

    /// Returns the last byte.
    #[inline(always)]
    pub fn last_mut(&mut self) -> Option<&mut u8> {
        if let Some(at) = self.at.checked_sub(1) { self.text.get_mut(at) } else { self.out.last_mut() }
    }

    /// Appends a closing bracket. It replaces a comma at the end.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8) {
        match self.last_mut() {
            Some(last @ b',') => *last = bracket,
            _ => self.constant(&[bracket]),
        }
    }
}

/// Converts a number of at least 10^9 to text.
#[cold]
fn huge(n: u64) -> Short {
    let mut text = Short::default();
    text.set(itoa::Buffer::new().format(n).as_bytes());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Line<'_>)) -> String {
        let mut out = Vec::new();
        Stage::default().line(&mut out, |line| write(line));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_of_every_length() {
        let powers = (0..20).map(|k| 10u64.pow(k)).flat_map(|n| [n - 1, n, n + 1, n.wrapping_mul(7) | 1]);
        for n in (0..20_000).chain((0..2000).map(|k| k * 54_321 + 7)).chain(powers).chain([u64::MAX]) {
            assert_eq!(written(|line| line.uint(n)), n.to_string());
            assert_eq!(written(|line| line.int(n as i64)), (n as i64).to_string());
        }
        assert_eq!(written(|line| line.six_digits(1_000_042)), "000042");
    }

    #[test]
    fn a_bracket_takes_the_place_of_a_comma() {
        let closed = |before: &[u8], bracket: u8| {
            [false, true].map(|appended| {
                written(|line| {
                    line.text(before);
                    if appended {
                        line.rest();
                    }
                    line.close(bracket);
                })
            })
        };
        assert_eq!(closed(b"", b'}'), ["}", "}"]);
        assert_eq!(closed(b"[1,", b']'), ["[1]", "[1]"]);
        assert_eq!(closed(b"[{", b'}'), ["[{}", "[{}"]);
    }

    /// Writes each kind of text at each place near the end of the stage, between other texts.
    #[test]
    fn a_line_has_any_length() {
        let mut short = Short::default();
        short.set(b"ab");
        let part = |size: usize, write: &dyn Fn(&mut Line<'_>)| {
            for before in ((SIZE - 40).saturating_sub(size)..SIZE + 2).chain([2 * SIZE]) {
                let text = written(|line| {
                    (0..before).for_each(|_| line.constant(b"x"));
                    write(line);
                    line.constant(b",");
                    line.close(b'}');
                });
                let alone = written(write);
                assert_eq!(alone.len(), size);
                assert!(text.starts_with(&"x".repeat(before)) && text[before..] == format!("{alone}}}"), "{before}");
            }
        };
        part(2, &|line| line.constant(b"ab"));
        part(2, &|line| line.text(b"ab"));
        part(2, &|line| line.short(&short));
        part(6, &|line| line.six_digits(1));
        part(4, &|line| line.hex(b"ab"));
        part(1500, &|line| line.text(&[b'y'; 1500]));
        part(1400, &|line| line.hex(&[7; 700]));
        for name in ["", "short", "of eight", "of sixteen bytes", "of seventeen bytes"] {
            part(name.len(), &|line| line.name(name));
            assert_eq!(written(|line| line.name(name)), name);
        }
        for n in [1, 1000, 1_000_000, u64::MAX] {
            part(n.to_string().len(), &|line| line.uint(n));
        }
    }

    #[test]
    fn it_goes_back_to_any_length() {
        for (first, second, back) in [(0, 7, 3), (5, 7, 9), (5, 7, 3), (5, 0, 5), (2000, 3, 1999), (3, 2000, 100)] {
            let text = written(|line| {
                line.text(&vec![b'a'; first]);
                line.rest();
                line.text(&vec![b'b'; second]);
                assert_eq!(line.len(), first + second);
                line.truncate(back);
                assert_eq!(line.len(), back);
                line.constant(b"c");
            });
            assert_eq!(text, format!("{}c", &["a".repeat(first), "b".repeat(second)].concat()[..back]));
        }
    }
}
