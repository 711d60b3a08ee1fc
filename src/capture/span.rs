//! What stands behind a header: the bytes that the capture holds, and how many there were.

use super::Other;

/// The rest of a frame at some layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    /// What the capture holds of it; at most `length` bytes.
    pub data: &'a [u8],
    /// How many bytes it had on the wire.
    pub length: usize,
}

impl<'a> Span<'a> {
    /// All of a frame.
    pub(super) fn new(data: &'a [u8], length: usize) -> Span<'a> {
        Span { data, length: length.max(data.len()) }
    }

    /// The first `N` bytes, which are those of `header`.
    pub(super) fn head<const N: usize>(&self, header: &'static str) -> Result<&'a [u8; N], Other> {
        self.data.first_chunk().ok_or_else(|| self.short(header, N))
    }

    /// What follows `count` bytes of `header`.
    pub(super) fn skip(self, count: usize, header: &'static str) -> Result<Span<'a>, Other> {
        match self.data.get(count..) {
            Some(data) => Ok(Span { data, length: self.length - count }),
            None => Err(self.short(header, count)),
        }
    }

    /// No more than its first `length` bytes; `None` where it has not as many.
    pub(super) fn clip(self, length: usize) -> Option<Span<'a>> {
        (length <= self.length).then(|| Span { data: &self.data[..self.data.len().min(length)], length })
    }

    /// Why a header that needs `need` bytes does not fit: the capture has too little, or there was
    /// no more.
    pub(super) fn short(&self, header: &'static str, need: usize) -> Other {
        match self.length >= need && self.data.len() < need {
            true => Other::Cut(header),
            false => Other::Malformed(header),
        }
    }
}
