//! The bytes of one TCP direction in order, as sessions read them.

use crate::capture::Time;
use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

/// The capacity that an empty buffer may keep, so that 100,000 idle conversations are cheap.
const RETAINED_BYTES: usize = 512;
/// The number of mark lists retained for reuse.
const SPARE_LISTS: usize = 64;
/// The number of streams retained for reuse.
const SPARE_STREAMS: usize = 16;
/// The cap on marks in a list that is retained. A stream with any marks counts at least this many as memory: the count
/// must not depend on the list that it was given.
const SPARE_MARKS: usize = 8;
/// The shared buffer is freed above this size.
const SPARE_BYTES: usize = 256 << 10;

/// The frame that delivered a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The frame that delivered the byte in order.
    pub frame: u64,
    /// The capture time of that frame.
    pub time: Time,
}

/// Bytes up to `end` that arrived together.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Stream offset after the last of the bytes.
    end: u64,
    /// The frame in which they arrived: `origin.frame`, or an earlier one if they were held.
    carrier: u64,
    origin: Origin,
}

/// Memory shared by the streams: between packets most hold nothing, and then own nothing either.
#[derive(Debug, Default)]
pub(super) struct Spare {
    buffer: Vec<u8>,
    marks: Vec<VecDeque<Mark>>,
    /// Streams without bytes.
    #[expect(clippy::vec_box, reason = "a direction keeps a pointer")]
    streams: Vec<Box<Stream>>,
}

impl Spare {
    /// A stream whose first byte has this offset.
    pub fn stream(&mut self, offset: u64) -> Box<Stream> {
        let mut stream = self.streams.pop().unwrap_or_default();
        stream.restart(offset);
        stream
    }

    /// Takes back a [settled](Stream::settle) stream that holds nothing.
    pub fn give_back(&mut self, mut stream: Box<Stream>) {
        if self.streams.len() < SPARE_STREAMS {
            *stream = Stream::default();
            self.streams.push(stream);
        }
    }
}

/// The unread bytes of a direction, in order, and the frames in which they arrived.
///
/// Offsets count from the first byte of the stream (if the SYN was not captured, from the first
/// captured byte); bytes missing in a gap count too.
#[derive(Debug, Default)]
pub struct Stream {
    buffer: Vec<u8>,
    /// The number of consumed bytes at the start of `buffer`.
    start: usize,
    /// Offset of the first unread byte.
    offset: u64,
    /// Offset of the first byte of the range consumed last.
    before: u64,
    /// Sorted by `end`; the marks cover the range consumed last and the unread bytes.
    marks: VecDeque<Mark>,
    /// The highest number of marks since there were no marks.
    most: usize,
    /// Whether `buffer` is the one shared by all streams.
    borrowed: bool,
}

impl Stream {
    /// The unread bytes.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Offset in the stream of the first unread byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Marks the first `count` unread bytes as read, or all if there are fewer.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.bytes().len());
        self.before = self.offset;
        self.start += count;
        self.offset += count as u64;
        self.forget();
    }

    /// The frame that delivered the last byte of the range consumed last; `None` before the first
    /// range and after an empty one.
    pub fn consumed(&self) -> Option<Origin> {
        if self.before == self.offset { None } else { self.origin(self.offset - 1) }
    }

    /// The frame that delivered the last unread byte; `None` if there is none.
    pub fn newest(&self) -> Option<Origin> {
        if self.bytes().is_empty() { None } else { self.marks.back().map(|mark| mark.origin) }
    }

    /// The frame that delivered the byte at `offset`, which must be unread or in the range consumed
    /// last; else `None`.
    pub fn origin(&self, offset: u64) -> Option<Origin> {
        if offset < self.before {
            return None;
        }
        let at = self.marks.partition_point(|mark| mark.end <= offset);
        self.marks.get(at).map(|mark| mark.origin)
    }

    /// Replaces `frames` with the frames in which the bytes of a range arrived, and the one that delivered the last of
    /// them in order, ascending.
    ///
    /// Like [`origin`](Self::origin), only for unread bytes and the range consumed last.
    pub fn frames_of(&self, range: Range<u64>, frames: &mut Vec<u64>) {
        frames.clear();
        if range.start < self.before {
            return;
        }
        let mut last = None;
        let first = self.marks.partition_point(|mark| mark.end <= range.start);
        let mut start = range.start;
        for mark in self.marks.range(first..) {
            if start >= range.end {
                break;
            }
            frames.push(mark.carrier);
            last = Some(mark.origin.frame);
            start = mark.end;
        }
        frames.extend(last);
        frames.sort_unstable();
        frames.dedup();
    }

    /// Appends bytes that arrived in frame `carrier` and are delivered by `origin`. An empty stream
    /// without capacity for them uses `spare` until [`settle`](Self::settle).
    pub(super) fn push(&mut self, bytes: &[u8], carrier: u64, origin: Origin, spare: &mut Spare) {
        if bytes.is_empty() {
            return;
        }
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            if !self.borrowed && self.buffer.capacity() < bytes.len() {
                self.buffer = mem::take(&mut spare.buffer);
                self.buffer.clear();
                self.borrowed = true;
            }
        } else if self.buffer.len() + bytes.len() > self.buffer.capacity() && self.start >= self.buffer.len() / 2 {
            // At least as many bytes were consumed as are moved now, so each byte moves at most twice.
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        if self.marks.capacity() == 0 {
            self.marks = spare.marks.pop().unwrap_or_default();
        }
        let end = self.offset + (self.bytes().len() + bytes.len()) as u64;
        self.buffer.extend_from_slice(bytes);
        match self.marks.back_mut() {
            Some(mark) if mark.carrier == carrier && mark.origin.frame == origin.frame => {
                mark.end = end;
            }
            _ => {
                self.marks.push_back(Mark { end, carrier, origin });
                self.most = self.most.max(self.marks.len());
            }
        }
    }

    /// Returns the shared buffer, and frees memory that an idle stream does not need.
    pub(super) fn settle(&mut self, spare: &mut Spare) {
        if self.borrowed {
            let rest = self.bytes().to_vec();
            spare.buffer = mem::replace(&mut self.buffer, rest);
            if spare.buffer.capacity() > SPARE_BYTES {
                spare.buffer = Vec::new();
            }
            self.start = 0;
            self.borrowed = false;
        }
        if self.bytes().is_empty() {
            self.before = self.offset;
            let mut marks = mem::take(&mut self.marks);
            marks.clear();
            self.most = 0;
            if spare.marks.len() < SPARE_LISTS && (1..=SPARE_MARKS).contains(&marks.capacity()) {
                spare.marks.push(marks);
            }
            if self.buffer.capacity() > RETAINED_BYTES {
                self.buffer = Vec::new();
                self.start = 0;
            }
        }
    }

    /// Drops the unread bytes and continues at `offset`. Returns the number of dropped bytes.
    pub(crate) fn restart(&mut self, offset: u64) -> usize {
        let dropped = self.bytes().len();
        self.start = self.buffer.len();
        self.offset = offset;
        self.before = offset;
        self.marks.clear();
        dropped
    }

    /// The number of unread bytes, including the size of their records.
    pub(super) fn unread(&self) -> usize {
        self.bytes().len() + self.marks.len() * size_of::<Mark>()
    }

    /// An upper bound of the stream's allocated memory that depends only on what the stream itself
    /// has received.
    pub(super) fn allocated(&self) -> usize {
        let marks = if self.most == 0 { 0 } else { self.most.next_power_of_two().max(SPARE_MARKS) };
        self.buffer.capacity() + marks * size_of::<Mark>()
    }

    /// Drops the marks before the range consumed last.
    fn forget(&mut self) {
        while self.marks.front().is_some_and(|mark| mark.end <= self.before) {
            self.marks.pop_front();
        }
    }
}

impl Stream {
    /// Appends bytes delivered by `origin`, to a stream that is filled without a flow table.
    pub fn append(&mut self, bytes: &[u8], origin: Origin) {
        self.push(bytes, origin.frame, origin, &mut Spare::default());
    }

    /// A stream of these bytes, without frames, for input that is not from a capture.
    pub fn of(bytes: &[u8]) -> Stream {
        let mut stream = Stream::default();
        stream.append(bytes, Origin::default());
        stream
    }
}
