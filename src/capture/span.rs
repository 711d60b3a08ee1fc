//! The bytes after a header, and their length on the wire.

use super::Other;

/// The rest of a frame from some layer on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    /// The captured bytes; at most `length`.
    pub data: &'a [u8],
    /// The length on the wire.
    pub length: usize,
}

impl<'a> Span<'a> {
    /// A whole frame.
    pub(super) fn new(data: &'a [u8], length: usize) -> Span<'a> {
        Span { data, length: length.max(data.len()) }
    }

    /// The first `N` bytes, which belong to `header`.
    pub(super) fn head<const N: usize>(&self, header: &'static str) -> Result<&'a [u8; N], Other> {
        self.data.first_chunk().ok_or_else(|| self.short(header, N))
    }

    /// The bytes after the `count` bytes of `header`.
    pub(super) fn skip(self, count: usize, header: &'static str) -> Result<Span<'a>, Other> {
        match self.data.get(count..) {
            Some(data) => Ok(Span { data, length: self.length - count }),
            None => Err(self.short(header, count)),
        }
    }

    /// Its first `length` bytes; `None` if it is shorter.
    pub(super) fn clip(self, length: usize) -> Option<Span<'a>> {
        (length <= self.length).then(|| Span { data: &self.data[..self.data.len().min(length)], length })
    }

    /// The reason why a header of `need` bytes does not fit: the capture cut it, or the packet is too short.
    pub(super) fn short(&self, header: &'static str, need: usize) -> Other {
        if self.length >= need && self.data.len() < need { Other::Cut(header) } else { Other::Malformed(header) }
    }
}
