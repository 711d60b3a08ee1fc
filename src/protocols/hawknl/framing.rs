//! Cuts one direction's stream into frames, and finds them again when it is out of step.
//!
//! The library itself never recovers after a wrong header. An analyst still wants the rest, so bytes are skipped up to
//! the next possible header.

use super::{HEADER, LONGEST, MAGIC, header};
use crate::flow::Stream;

/// The error in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It does not begin with "NL".
    Magic,
    /// Its length is above the limit or, in a search, 0.
    Length,
}

/// The beginning of the unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// A header and all of its content.
    Content {
        /// Bytes of content.
        length: usize,
    },
    /// A frame that will never be complete.
    Unfinished {
        /// The length in its header.
        length: usize,
        /// The bytes of content that arrived.
        there: usize,
    },
    /// Too few bytes for a header, and no more will arrive.
    Stub {
        /// The number of bytes.
        there: usize,
    },
    /// Bytes that belong to no frame.
    Noise {
        /// The number of bytes.
        count: usize,
        /// The error in the first of them as a header.
        wrong: Wrong,
    },
}

/// The state of reading one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Framing {
    /// Out of step: the stream offset of the next byte to check for a header.
    searching: Option<u64>,
}

impl Framing {
    /// Searches for a header from the first unread byte on.
    pub fn search(&mut self) {
        self.searching = Some(0);
    }

    /// Returns what the unread bytes begin with; `None`: more bytes are needed. `last`: no more will arrive.
    pub fn next(&mut self, stream: &Stream, last: bool) -> Option<Chunk> {
        let bytes = stream.bytes();
        if self.searching.is_none() {
            match header(bytes) {
                Some(Ok(length)) if bytes.len() - HEADER >= length => return Some(Chunk::Content { length }),
                Some(Ok(length)) => return last.then_some(Chunk::Unfinished { length, there: bytes.len() - HEADER }),
                Some(Err(_)) => self.searching = Some(stream.offset() + HEADER as u64 - 1),
                None => return (last && !bytes.is_empty()).then_some(Chunk::Stub { there: bytes.len() }),
            }
        }
        if let Some(count) = self.skip(stream)
            && count > 0
        {
            let magic = bytes.get(..2).is_some_and(|two| two == MAGIC);
            return Some(Chunk::Noise { count, wrong: if magic { Wrong::Length } else { Wrong::Magic } });
        }
        match self.searching {
            None => self.next(stream, last),
            Some(_) => (last && !bytes.is_empty()).then_some(Chunk::Stub { there: bytes.len() }),
        }
    }

    /// Searches for a header, one captured frame at a time, so that each frame's noise is reported separately. Returns
    /// the number of bytes to skip; `None`: all bytes were searched.
    fn skip(&mut self, stream: &Stream) -> Option<usize> {
        let (bytes, total) = (stream.bytes(), stream.offset() + stream.bytes().len() as u64);
        while let Some(seen) = self.searching.map(|seen| seen.max(stream.offset()))
            && seen < total
        {
            let end = end_of_frame(stream, seen, total);
            self.searching = Some(end);
            let visible = bytes.get(..(end - stream.offset()) as usize).unwrap_or(bytes);
            let (count, found) = find(visible);
            if found {
                self.searching = None;
            }
            if found || count > 0 {
                return Some(count);
            }
        }
        None
    }
}

/// The offset after the bytes that the captured frame of the byte at `at` delivered.
fn end_of_frame(stream: &Stream, at: u64, total: u64) -> u64 {
    let frame = |offset: u64| stream.origin(offset).map(|origin| origin.frame);
    let this = frame(at);
    if frame(total - 1) == this {
        return total;
    }
    // Frames deliver one after the other, so the end is found by bisection.
    let (mut inside, mut outside) = (at, total - 1);
    while outside - inside > 1 {
        let middle = inside + (outside - inside) / 2;
        if frame(middle) == this { inside = middle } else { outside = middle }
    }
    outside
}

/// The place of the first header with a length of at least 1. Without one, the number of bytes that cannot begin a
/// header.
fn find(bytes: &[u8]) -> (usize, bool) {
    for at in memchr::memchr_iter(MAGIC[0], bytes) {
        match bytes.get(at..).unwrap_or(&[]) {
            [_, l, high, low, ..] => {
                let length = u16::from_be_bytes([*high, *low]) as usize;
                if *l == MAGIC[1] && (1..=LONGEST).contains(&length) {
                    return (at, true);
                }
            }
            // At the end of the bytes: a header may continue after it.
            [_, l, high] if *l == MAGIC[1] && (*high as usize) <= LONGEST >> 8 => return (at, false),
            [_, l] if *l == MAGIC[1] => return (at, false),
            [_] => return (at, false),
            _ => {}
        }
    }
    (bytes.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(bytes: &[u8], lost: bool) -> Vec<Chunk> {
        let mut stream = Stream::of(bytes);
        let (mut framing, mut all) = (Framing::default(), Vec::new());
        if lost {
            framing.search();
        }
        while let Some(chunk) = framing.next(&stream, true) {
            all.push(chunk);
            stream.consume(match chunk {
                Chunk::Content { length } => HEADER + length,
                Chunk::Unfinished { there, .. } => HEADER + there,
                Chunk::Stub { there } => there,
                Chunk::Noise { count, .. } => count,
            });
            assert!(all.len() <= bytes.len());
        }
        assert!(stream.bytes().is_empty());
        all
    }

    #[test]
    fn frames_in_step() {
        assert_eq!(
            chunks(b"NL\0\x01\xffNL\0\0NL\0\x02", false),
            [Chunk::Content { length: 1 }, Chunk::Content { length: 0 }, Chunk::Unfinished { length: 2, there: 0 }]
        );
        assert_eq!(chunks(b"NL", false), [Chunk::Stub { there: 2 }]);
        assert_eq!(chunks(b"", false), []);
    }

    #[test]
    fn frames_found_again() {
        assert_eq!(
            chunks(b"QQ\0\x02NL\0\x01\xff", false),
            [Chunk::Noise { count: 4, wrong: Wrong::Magic }, Chunk::Content { length: 1 }]
        );
        assert_eq!(chunks(b"NL\x40\x01GNE", false), [Chunk::Noise { count: 7, wrong: Wrong::Length }]);
        assert_eq!(chunks(b"NL\0\x01\xff", true), [Chunk::Content { length: 1 }]);
        // A search ignores a length of 0, and keeps bytes that may begin a header.
        assert_eq!(
            chunks(b"NL\0\0xNL\x40", true),
            [Chunk::Noise { count: 5, wrong: Wrong::Length }, Chunk::Stub { there: 3 }]
        );
        assert_eq!(chunks(b"xxNL\x41", true), [Chunk::Noise { count: 5, wrong: Wrong::Magic }]);
    }
}
