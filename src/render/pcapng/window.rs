//! Holds the latest frames of the capture until their messages are known. A protocol is recognised some packets after
//! its first one, and an unfinished message becomes known at the end of its direction.

use super::chunk::Chunk;
use super::comment::Commenter;
use super::options::{shorten, taken};
use crate::capture::Bound;
use crate::dissect::Message;
use memchr::memmem;
use std::collections::VecDeque;
use std::io::{self, Write};

/// The number of bytes, and of frames, that are held, give or take one chunk.
const BYTES: usize = 4 << 20;
const FRAMES: usize = 4_096;
/// Shorter bytes are not searched in a frame: they could be anywhere, and writing them takes no room.
const SHORTEST: usize = 8;
/// A block with less room than this is nearly full. Its further comments are written without the tree.
const SPARE: usize = 1 << 20;
/// The number of unused chunks that are kept.
const WAITING: usize = 2;

/// The frames that are held, and their output.
pub struct Window {
    out: Box<dyn Write + Send>,
    /// The chunks that get no further frames, the oldest first.
    older: VecDeque<Chunk>,
    latest: Chunk,
    spare: Vec<Chunk>,
    text: Vec<u8>,
    /// The number of messages without a comment: no frame was left, or its block had no room.
    pub lost: u64,
    /// The room for comments that the file has left.
    pub bound: Bound,
    /// The error that stopped the output.
    pub failed: Option<io::Error>,
}

impl Window {
    /// Creates a window that writes to `out`, in large blocks.
    pub fn new(out: Box<dyn Write + Send>) -> Window {
        let (older, latest, spare, text) = (VecDeque::new(), Chunk::default(), Vec::new(), Vec::new());
        Window { out, older, latest, spare, text, lost: 0, bound: Bound::default(), failed: None }
    }

    /// Returns the chunk for the next frame.
    pub fn next(&mut self) -> &mut Chunk {
        self.latest.end();
        if self.latest.is_full() {
            let full = std::mem::replace(&mut self.latest, self.spare.pop().unwrap_or_default());
            self.older.push_back(full);
            let (mut frames, mut bytes) =
                self.older.iter().fold((0, 0), |(frames, bytes), chunk| (frames + chunk.len(), bytes + chunk.size()));
            while let Some(first) = self.older.front() {
                (frames, bytes) = (frames - first.len(), bytes - first.size());
                if frames < FRAMES && bytes < BYTES {
                    break;
                }
                self.release();
            }
        }
        &mut self.latest
    }

    /// Adds a message's comment to its frame. If that frame is already written, adds it to the latest frame, with the
    /// number of the message's frame.
    pub fn comment(&mut self, message: &Message<'_>, commenter: &mut Commenter) {
        let place = message.place;
        let all = || std::iter::once(&self.latest).chain(self.older.iter().rev());
        let at = all().enumerate().find_map(|(k, chunk)| Some((k, chunk.index(place.frame)?)));
        let (k, index) = match (at, self.latest.len().checked_sub(1)) {
            (Some(at), _) => at,
            (None, Some(index)) => (0, index),
            (None, None) => {
                self.lost += 1;
                return;
            }
        };
        let here = at.is_some();
        let chunk = match k.checked_sub(1).and_then(|k| self.older.iter_mut().rev().nth(k)) {
            Some(older) => older,
            None => &mut self.latest,
        };
        let payload = if here && place.frames.len() < 2 { chunk.payload(index) } else { None };
        let found = |bytes: &[u8]| {
            let (start, payload, datagram) = payload?;
            Some((start + find(bytes, payload, datagram)?, bytes.len()))
        };
        let text = &mut self.text;
        text.clear();
        commenter.comment(message, !here, found, text);
        let room = chunk.room(index);
        if room < taken(text) + SPARE {
            shorten(text);
        }
        if room >= taken(text) && self.bound.take(taken(text)) {
            chunk.comment(index, text)
        } else {
            self.lost += 1
        }
        text.shrink_to(SPARE);
    }

    /// Writes blocks that follow the last frame and precede all later ones.
    pub fn others(&mut self, blocks: &[u8]) {
        self.flush();
        self.write(blocks);
    }

    /// Writes the oldest chunk.
    fn release(&mut self) {
        if let Some(mut chunk) = self.older.pop_front() {
            chunk.write(|bytes| self.write(bytes));
            chunk.clear();
            if self.spare.len() < WAITING {
                self.spare.push(chunk);
            }
        }
    }

    /// Writes all frames.
    pub fn flush(&mut self) {
        while !self.older.is_empty() {
            self.release();
        }
        let mut latest = std::mem::take(&mut self.latest);
        latest.write(|bytes| self.write(bytes));
        latest.clear();
        self.latest = latest;
        if self.failed.is_none()
            && let Err(error) = self.out.flush()
        {
            self.failed = Some(error);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none()
            && !bytes.is_empty()
            && let Err(error) = self.out.write_all(bytes)
        {
            self.failed = Some(error);
        }
    }
}

/// Returns the place of bytes in a payload: its start if they are the whole datagram, another place only if they occur
/// once.
fn find(bytes: &[u8], payload: &[u8], datagram: bool) -> Option<usize> {
    if datagram && bytes.len() == payload.len() {
        return (bytes == payload).then_some(0);
    }
    if bytes.len() < SHORTEST {
        return None;
    }
    // The time grows only with the payload, whatever the bytes are.
    let finder = memmem::Finder::new(bytes);
    let found = finder.find(payload)?;
    finder.find(payload.get(found + 1..)?).is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_where_they_can_only_be() {
        let payload = b"abcdefgh-abcdefgh-12345678";
        assert_eq!(find(b"12345678", payload, false), Some(18));
        assert_eq!(find(b"abcdefgh", payload, false), None);
        assert_eq!(find(b"-12345", payload, false), None);
        assert_eq!(find(payload, payload, true), Some(0));
        assert_eq!(find(b"", b"", true), Some(0));
        assert_eq!(find(b"x", b"y", true), None);
        assert_eq!(find(b"aaaaaaaa", b"aaaaaaaaa", false), None);
    }
}
