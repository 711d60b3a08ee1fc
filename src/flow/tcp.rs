//! The reassembly of one TCP direction: where each segment belongs, what is in order, and which
//! missing bytes need not be waited for.
//!
//! Offsets are 64 bits wide and count from the first byte of the stream, so that nothing else has
//! to think of sequence numbers that wrap.

use super::held::{Held, Placed};
use super::stream::{Origin, Spare, Stream};
use super::{Caps, GapCause};
use crate::capture::Segment;

/// A segment or acknowledgement further ahead than the largest TCP window belongs elsewhere.
const AHEAD: i64 = 1 << 30;
/// A RST is believed when it is at most this far from what came last: its sequence number is often
/// the receiver's acknowledgement, and bytes before it may be missing in the capture.
const RST_WINDOW: i64 = 1 << 24;

/// What all directions share: memory that is used again instead of allocated.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What streams that hold nothing between packets need while they are read.
    pub spare: Spare,
    /// Where segments begin in the bytes delivered last.
    pub starts: Vec<usize>,
}

/// What a segment brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// So many bytes are new in the stream.
    Bytes(usize),
    /// It cannot belong to this stream.
    Implausible,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// Sequence number of the first byte; unknown until a SYN, a byte or a FIN was seen.
    base: Option<u32>,
    /// Offset of the first byte that is not in order yet.
    next: u64,
    /// The other side has the bytes before this offset.
    acked: u64,
    /// The capture cut off the bytes from `next` to this offset, when it is more than `next`.
    cut_to: u64,
    /// Offset behind the last byte, known from a FIN.
    fin: Option<u64>,
    /// What the session reads.
    pub stream: Stream,
    held: Held,
    /// Nothing more is read.
    pub ended: bool,
    /// Its bytes are kept elsewhere: here is only known how far it is.
    pub follower: bool,
}

impl Direction {
    /// Sequence number of the first byte.
    pub fn base(&self) -> Option<u32> {
        self.base
    }

    /// Begins again, with a first byte of this sequence number.
    pub fn begin(&mut self, base: u32) {
        *self = Direction { base: Some(base), follower: self.follower, ..Direction::default() };
    }

    /// A direction that goes the same way when it is given the same segments, but keeps no bytes
    /// and tells nobody.
    pub fn follower(&self) -> Direction {
        let Direction { base, next, acked, cut_to, fin, ended, .. } = *self;
        let (stream, held) = (Stream::default(), self.held.outline());
        Direction { base, next, acked, cut_to, fin, stream, held, ended, follower: true }
    }

    /// Any byte was seen, in order or not.
    pub fn has_data(&self) -> bool {
        self.next > 0 || self.cut_to > 0 || !self.held.is_empty()
    }

    /// Puts a segment where it belongs, and all bytes that are in order now into the stream.
    pub fn receive(&mut self, segment: &Segment<'_>, origin: Origin, scratch: &mut Scratch) -> Received {
        scratch.starts.clear();
        let length = segment.length.max(segment.payload.len()).min(u32::MAX as usize);
        if length == 0 && !segment.fin {
            return Received::Bytes(0);
        }
        let first = segment.seq.wrapping_add(u32::from(segment.syn));
        let base = *self.base.get_or_insert(first);
        let start = self.place(base, first);
        if start > self.reference() as i64 + AHEAD {
            return Received::Implausible;
        }
        let end = start + length as i64;
        if segment.fin && self.fin.is_none() && end >= self.next as i64 {
            self.fin = Some(end as u64);
            self.held.truncate(end as u64);
        }
        let limit = self.fin.unwrap_or(u64::MAX).min(i64::MAX as u64) as i64;
        let from = start.max(self.next as i64);
        let captured = (start + segment.payload.len() as i64).min(limit);
        let wire_end = end.min(limit).max(0) as u64;
        if from < captured {
            let range = (from - start) as usize..(captured - start) as usize;
            let placed = Placed {
                start: from as u64,
                bytes: segment.payload.get(range).unwrap_or_default(),
                begins: from == start,
                wire_end,
            };
            return Received::Bytes(self.add(placed, origin, scratch));
        }
        // Nothing new was captured; but there may be bytes that the snap length cut off.
        if start <= self.reference() as i64 {
            self.cut_to = self.cut_to.max(wire_end);
        }
        Received::Bytes(0)
    }

    /// Adds bytes that are not in the stream yet.
    fn add(&mut self, placed: Placed<'_>, origin: Origin, scratch: &mut Scratch) -> usize {
        if placed.start > self.next || !self.held.is_empty() {
            self.held.insert(placed, origin, self.follower);
            return self.advance(Some(origin), scratch);
        }
        if placed.begins {
            scratch.starts.push(0);
        }
        if !self.follower {
            self.stream.push(placed.bytes, origin.frame, origin, &mut scratch.spare);
        }
        self.next += placed.bytes.len() as u64;
        self.cut_to = self.cut_to.max(placed.wire_end);
        placed.bytes.len()
    }

    /// Moves held bytes that are in order now into the stream: all, delivered by `by`; or, without
    /// it, those of the first frame, delivered by that frame.
    fn advance(&mut self, by: Option<Origin>, scratch: &mut Scratch) -> usize {
        let mut new = 0;
        let mut by = by;
        let own = by.is_none();
        while let Some(front) = self.held.front()
            && (!own || by.is_none_or(|by| by.frame == front.origin.frame))
            && let Some(piece) = self.held.pop_at(self.next)
        {
            if piece.begins {
                scratch.starts.push(new);
            }
            let origin = *by.get_or_insert(piece.origin);
            if !self.follower {
                self.stream.push(&piece.bytes, piece.origin.frame, origin, &mut scratch.spare);
            }
            new += piece.len();
            self.next = piece.end;
            self.cut_to = self.cut_to.max(piece.wire_end);
        }
        new
    }

    /// Delivers the held bytes of one frame, if they are in order. Returns the frame and how many
    /// they are.
    pub fn release(&mut self, scratch: &mut Scratch) -> Option<(Origin, usize)> {
        scratch.starts.clear();
        let origin = self.held.front()?.origin;
        let new = self.advance(None, scratch);
        (new > 0).then_some((origin, new))
    }

    /// The other side has all bytes before this sequence number.
    pub fn acknowledge(&mut self, ack: u32) {
        if let Some(base) = self.base {
            let ack = self.place(base, ack);
            if ack > self.acked as i64 && ack <= self.reference() as i64 + AHEAD {
                self.acked = ack as u64;
            }
        }
    }

    /// Why the bytes before those held need not be waited for; `heard` is whether
    /// acknowledgements count now.
    ///
    /// The acknowledgement must be for a byte behind them: some stacks and made captures count one
    /// too many, and an acknowledgement alone loses nothing as long as nothing is held.
    pub fn stuck(&self, caps: &Caps, heard: bool) -> Option<GapCause> {
        let front = self.held.front()?;
        if front.start <= self.cut_to {
            Some(GapCause::Cut)
        } else if heard && self.acked > front.start {
            Some(GapCause::Acknowledged)
        } else if self.held.bytes() > caps.held_bytes || self.held.len() > caps.held_segments {
            Some(GapCause::Cap)
        } else {
            None
        }
    }

    /// Where the first held bytes come from, and how many are missing before them.
    pub fn hole(&self) -> Option<(Origin, u64)> {
        let front = self.held.front()?;
        Some((front.origin, front.start.saturating_sub(self.next)))
    }

    /// Gives the missing bytes up. Returns how many unread ones are dropped.
    pub fn skip(&mut self) -> usize {
        self.next = self.held.front().map_or(self.next, |front| front.start);
        self.stream.restart(self.next)
    }

    /// Its FIN is in order, or what is missing before it need not be waited for.
    pub fn finished(&self, heard: bool) -> bool {
        let all = |fin| self.reference() >= fin || (heard && self.acked > fin);
        self.held.is_empty() && self.fin.is_some_and(all)
    }

    /// How many bytes are missing before the FIN, or were cut off at the end.
    pub fn missing_at_end(&self) -> u64 {
        self.fin.unwrap_or(self.cut_to).saturating_sub(self.next)
    }

    /// A RST with this sequence number may be real.
    pub fn believes_rst(&self, seq: u32) -> bool {
        self.base.is_none_or(|base| (self.place(base, seq) - self.reference() as i64).abs() <= RST_WINDOW)
    }

    /// The memory that is allocated for bytes.
    pub fn allocated(&self) -> usize {
        self.stream.allocated() + self.held.allocated()
    }

    /// How far the stream is known to go without a hole that may still be filled.
    fn reference(&self) -> u64 {
        self.next.max(self.cut_to)
    }

    /// The offset of a sequence number: the one that is nearest to where the stream is.
    fn place(&self, base: u32, seq: u32) -> i64 {
        let reference = self.reference();
        let distance = seq.wrapping_sub(base.wrapping_add(reference as u32)) as i32;
        reference as i64 + i64::from(distance)
    }
}
