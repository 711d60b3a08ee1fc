//! The latest frames of the capture, held until their messages are known: a protocol is recognised some
//! packets after its first one, and an unfinished message is known at its direction's end.

use super::comment::{Commenter, MORE};
use crate::capture::LONGEST;
use crate::capture::block::{self, Block, COMMENT, ENHANCED, LONGEST_OPTION, SIMPLE};
use crate::dissect::Message;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::Range;

/// So many bytes of frames are held, and so many frames.
const BYTES: usize = 4 << 20;
const FRAMES: usize = 4_096;
/// Shorter bytes are not looked for in a frame: they could be anywhere, and take no room.
const SHORTEST: usize = 8;
/// What a frame's comments leave of the longest block.
const SPARE: usize = 1 << 20;
/// Memory of more is not kept for the next frame.
const RETAINED: usize = 2 << 10;

/// A frame that is held.
#[derive(Debug, Default)]
pub struct Held {
    /// What stands before it in the file, whole blocks.
    before: Vec<u8>,
    /// Its block, as it is in the file.
    block: Vec<u8>,
    big: bool,
    captured: usize,
    /// Where the transport's payload is in the block, and whether it is a datagram.
    payload: Option<Range<usize>>,
    datagram: bool,
    /// The comments of its messages, and where each ends.
    comments: Vec<u8>,
    ends: Vec<usize>,
}

/// The frames that are held, and where they are written.
pub struct Window {
    out: Box<dyn Write + Send>,
    frames: VecDeque<Held>,
    /// The number of the first.
    first: u64,
    bytes: usize,
    spare: Vec<Held>,
    scratch: Vec<u8>,
    /// Messages for which no frame was left.
    pub lost: u64,
    /// The error that stopped the output.
    pub failed: Option<io::Error>,
}

impl Window {
    pub fn new(out: Box<dyn Write + Send>) -> Window {
        Window {
            out,
            frames: VecDeque::new(),
            first: 1,
            bytes: 0,
            spare: Vec::new(),
            scratch: Vec::new(),
            lost: 0,
            failed: None,
        }
    }

    /// Holds the next frame: `before` and `block` are taken, and what `place` says of the bytes of its
    /// packet. `number` is that of the capture.
    pub fn hold(
        &mut self,
        number: u64,
        (before, block): (&mut Vec<u8>, &mut Vec<u8>),
        big: bool,
        captured: usize,
        place: Option<(Range<usize>, bool)>,
    ) {
        if self.frames.is_empty() {
            self.first = number;
        }
        let mut held = self.spare.pop().unwrap_or_default();
        std::mem::swap(&mut held.before, before);
        std::mem::swap(&mut held.block, block);
        (held.big, held.captured) = (big, captured);
        let data = Block::first(&held.block, big).map_or(0, Block::data);
        held.datagram = place.as_ref().is_some_and(|(_, datagram)| *datagram);
        held.payload = place.map(|(range, _)| range.start + data..range.end + data);
        self.bytes += held.before.len() + held.block.len();
        self.frames.push_back(held);
        while self.frames.len() > 1 && (self.bytes > BYTES || self.frames.len() > FRAMES) {
            self.release();
        }
    }

    /// Adds a message's comment to its frame. If that is written already, to the latest one, where it
    /// says so.
    pub fn comment(&mut self, message: &Message<'_>, commenter: &mut Commenter) {
        let place = message.place;
        let at = place.frame.checked_sub(self.first).map(|at| at as usize).filter(|at| *at < self.frames.len());
        let Some(held) = self.frames.get_mut(at.unwrap_or(self.frames.len().wrapping_sub(1))) else {
            self.lost += 1;
            return;
        };
        let Held { block, payload, datagram, comments, ends, .. } = held;
        let alone = at.is_some() && place.frames.len() < 2;
        let payload = payload.clone().filter(|_| alone).and_then(|range| Some((range.start, block.get(range)?)));
        let data = Block::first(block, held.big).map_or(0, Block::data);
        let mark = comments.len();
        commenter.comment(
            message,
            at.is_none(),
            |bytes| {
                let (start, payload) = payload?;
                let at = find(bytes, payload, *datagram)?;
                Some((start - data + at, bytes.len()))
            },
            comments,
        );
        if block.len() + comments.len() > LONGEST as usize - SPARE {
            shorten(comments, mark);
        }
        self.bytes += comments.len() - mark;
        ends.push(comments.len());
    }

    /// Blocks that stand behind the last frame.
    pub fn others(&mut self, blocks: &[u8]) {
        self.write(blocks);
    }

    /// Writes the first frame.
    fn release(&mut self) {
        let Some(mut held) = self.frames.pop_front() else { return };
        self.first += 1;
        self.bytes = self.bytes.saturating_sub(held.before.len() + held.block.len() + held.comments.len());
        self.write(&held.before);
        let mut scratch = std::mem::take(&mut self.scratch);
        match held.commented(&mut scratch) {
            true => self.write(&scratch),
            false => self.write(&held.block),
        }
        scratch.shrink_to(RETAINED);
        self.scratch = scratch;
        for buffer in [&mut held.before, &mut held.block, &mut held.comments] {
            buffer.clear();
            buffer.shrink_to(RETAINED);
        }
        held.ends.clear();
        self.spare.push(held);
    }

    /// Writes all frames.
    pub fn flush(&mut self) {
        while !self.frames.is_empty() {
            self.release();
        }
        if self.failed.is_none()
            && let Err(error) = self.out.flush()
        {
            self.failed = Some(error);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(bytes)
        {
            self.failed = Some(error);
        }
    }
}

impl Held {
    /// Writes the block with its comments; returns false if it stays as it is.
    fn commented(&self, out: &mut Vec<u8>) -> bool {
        let Some(whole) = Block::first(&self.block, self.big) else { return false };
        let mut own = false;
        whole.options(self.captured, |code, value| own |= is_own(code, value));
        if self.ends.is_empty() && !own {
            return false;
        }
        // A simple packet has no options, and no time either.
        let simple = whole.kind == SIMPLE;
        block::begin(if simple { ENHANCED } else { whole.kind }, self.big, out);
        match whole.head().first_chunk::<4>().filter(|_| simple) {
            Some(length) => {
                [0, 0, 0, self.captured as u32].into_iter().for_each(|word| block::word(word, self.big, out));
                out.extend_from_slice(length);
            }
            None => out.extend_from_slice(whole.head()),
        }
        out.extend_from_slice(self.block.get(whole.data()..whole.data() + self.captured).unwrap_or_default());
        block::pad(out);
        let start = out.len();
        whole.options(self.captured, |code, value| {
            if !is_own(code, value) {
                block::option(code, value, self.big, out);
            }
        });
        let mut from = 0;
        for end in &self.ends {
            split(self.comments.get(from..*end).unwrap_or_default(), self.big, out);
            from = *end;
        }
        if out.len() > start {
            block::option(0, &[], self.big, out);
        }
        block::end(self.big, out)
    }
}

/// Was the comment made by netkit?
fn is_own(code: u16, value: &[u8]) -> bool {
    code == COMMENT && (value.starts_with(super::comment::OWN.as_bytes()) || value.starts_with(MORE.as_bytes()))
}

/// Writes a comment, as several if it is too long for one.
fn split(mut text: &[u8], big: bool, out: &mut Vec<u8>) {
    let mut room = LONGEST_OPTION;
    if text.len() <= room {
        return block::option(COMMENT, text, big, out);
    }
    let mut part = Vec::new();
    loop {
        let mut end = text.len().min(room);
        // Between two characters.
        while text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        let (now, rest) = text.split_at(end);
        part.extend_from_slice(now);
        block::option(COMMENT, &part, big, out);
        if rest.is_empty() {
            return;
        }
        part.clear();
        part.extend_from_slice(MORE.as_bytes());
        (text, room) = (rest, LONGEST_OPTION - MORE.len());
    }
}

/// Leaves the last line out of the comment from `mark` on: the block would be too long to be read.
fn shorten(comments: &mut Vec<u8>, mark: usize) {
    let line = comments.iter().rposition(|byte| *byte == b'\n').filter(|at| *at > mark);
    let text = line.map_or(mark, |at| at + 1).max(mark);
    comments.truncate(text);
    comments.truncate(comments.len().min(mark + (SPARE >> 2)));
    while std::str::from_utf8(comments.get(mark..).unwrap_or_default()).is_err() {
        comments.pop();
    }
    if comments.len() == mark {
        comments.extend_from_slice(super::comment::OWN.as_bytes());
    }
    comments.extend_from_slice(b"too long: the fields of this message are left out");
}

/// Where bytes are in a payload: at its beginning where they are all of it, elsewhere only if they are
/// there once.
fn find(bytes: &[u8], payload: &[u8], datagram: bool) -> Option<usize> {
    if datagram && bytes.len() == payload.len() {
        return (bytes == payload).then_some(0);
    }
    let first = *bytes.first().filter(|_| bytes.len() >= SHORTEST)?;
    let mut found = None;
    let mut from = 0;
    while let Some(at) = payload.get(from..)?.iter().position(|byte| *byte == first) {
        let at = from + at;
        if payload.get(at..at + bytes.len()) == Some(bytes) && found.replace(at).is_some() {
            return None;
        }
        from = at + 1;
    }
    found
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

    #[test]
    fn long_comments_go_on_in_further_ones() {
        let text = "é".repeat(70_000);
        let mut out = Vec::new();
        block::begin(ENHANCED, true, &mut out);
        out.resize(28, 0);
        split(text.as_bytes(), true, &mut out);
        block::option(0, &[], true, &mut out);
        assert!(block::end(true, &mut out));
        let mut parts = Vec::new();
        Block::first(&out, true).unwrap().options(0, |code, value| {
            assert_eq!(code, COMMENT);
            parts.push(std::str::from_utf8(value).expect("whole characters").to_string());
        });
        assert_eq!(parts.len(), 3);
        let joined: String = parts.iter().map(|part| part.strip_prefix(MORE).unwrap_or(part)).collect();
        assert_eq!(joined, text);
    }

    #[test]
    fn what_is_too_long_says_so() {
        let mut comments = b"netkit: a\nnetkit: b\nnote x: y\nnetkit:1 tree".to_vec();
        shorten(&mut comments, 10);
        let expected = "netkit: a\nnetkit: b\nnote x: y\ntoo long: the fields of this message are left out";
        assert_eq!(std::str::from_utf8(&comments), Ok(expected));
    }
}
