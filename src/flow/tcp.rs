//! The reassembly of one TCP direction: the position of each segment, the bytes in order, and the missing bytes that
//! will not arrive any more.
//!
//! Offsets are 64 bits wide and count from the first byte of the stream, so that wrapping sequence
//! numbers are handled in one place.

use super::held::{Held, Placed};
use super::stream::{Origin, Spare, Stream};
use super::{Caps, GapCause, StreamLosses};
use crate::capture::{Segment, Time};

/// The largest plausible distance from the end of the stream: that of the largest TCP window. Segments and
/// acknowledgements farther away do not belong to the stream.
const AHEAD: i64 = 1 << 30;
/// The largest distance of an accepted RST from the bytes that the receiver may expect next: bytes before it may be
/// missing in the capture. A receiver accepts the number that it expects, and no other (RFC 5961), so a RST far from it
/// is no end.
const RST_WINDOW: i64 = 1 << 16;

/// Reusable memory, shared by all directions.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Buffers for streams that hold nothing between packets.
    pub spare: Spare,
    /// The positions in the bytes delivered last at which segments begin.
    pub starts: Vec<usize>,
}

/// The effect of a segment on its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// The number of bytes added to the stream.
    Bytes(usize),
    /// The segment cannot belong to this stream.
    Implausible,
}

/// The reassembly of one direction.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// Sequence number of the first byte; unknown until a SYN, a byte or a FIN is seen.
    base: Option<u32>,
    /// Offset of the first byte that is not in order yet.
    next: u64,
    /// Offset before which the other side has received all bytes.
    acked: u64,
    /// The time of the packet that acknowledged them, in nanoseconds since the epoch.
    acked_at: i64,
    /// While the first byte is unknown: the first and the last acknowledgement.
    acked_unseen: Option<[u32; 2]>,
    /// The snap length cut off the bytes from `next` to this offset, if it is more than `next`.
    cut_to: u64,
    /// Offset after the last byte, known from a FIN.
    fin: Option<u64>,
    /// The bytes for the session, while there are any.
    bytes: Option<Box<Stream>>,
    held: Held,
    /// The bytes that show losses, from the first of them on.
    pub losses: Option<Box<StreamLosses>>,
    /// Whether the direction has ended: nothing more is read.
    pub ended: bool,
    /// Whether another thread holds its bytes: only the offsets are tracked here.
    pub follower: bool,
}

impl Direction {
    /// The bytes for the session. Call [`settle`](Self::settle) when the session has seen them.
    #[inline]
    pub fn stream(&mut self, spare: &mut Spare) -> &mut Stream {
        self.bytes.get_or_insert_with(|| spare.stream(self.next))
    }

    /// Frees memory that is not needed between packets: most directions hold nothing then.
    #[inline]
    pub fn settle(&mut self, spare: &mut Spare) {
        let Some(mut stream) = self.bytes.take() else { return };
        stream.settle(spare);
        if stream.bytes().is_empty() && stream.offset() == self.next {
            spare.give_back(stream);
        } else {
            self.bytes = Some(stream);
        }
    }

    /// The offset of the first byte that the session has not consumed yet.
    pub fn offset(&self) -> u64 {
        self.bytes.as_ref().map_or(self.next, |stream| stream.offset())
    }

    /// Sequence number of the first byte.
    pub fn base(&self) -> Option<u32> {
        self.base
    }

    /// Starts again, with this sequence number for the first byte.
    pub fn begin(&mut self, base: u32) {
        *self = Direction { base: Some(base), follower: self.follower, ..Direction::default() };
    }

    /// A direction that tracks the same offsets when given the same segments, but stores and reports nothing.
    pub fn follower(&self) -> Direction {
        let Direction { base, next, acked, acked_at, acked_unseen, cut_to, fin, ended, .. } = *self;
        let (bytes, losses, held) = (None, None, self.held.outline());
        #[rustfmt::skip]
        let follower = Direction {
            base, next, acked, acked_at, acked_unseen, cut_to, fin, bytes, held, losses, ended, follower: true,
        };
        follower
    }

    /// Whether the other side has acknowledged bytes of this direction, of which the capture has none.
    pub fn is_acknowledged(&self) -> bool {
        self.acked_unseen.is_some()
    }

    /// Whether any byte was seen, in order or not.
    pub fn has_data(&self) -> bool {
        self.next > 0 || self.cut_to > 0 || !self.held.is_empty()
    }

    /// Places a segment in the stream, and appends all bytes that are in order now.
    pub fn receive(&mut self, segment: &Segment<'_>, origin: Origin, scratch: &mut Scratch) -> Received {
        scratch.starts.clear();
        let length = segment.length.max(segment.payload.len()).min(u32::MAX as usize);
        if length == 0 && !segment.fin {
            return Received::Bytes(0);
        }
        let first = segment.seq.wrapping_add(u32::from(segment.syn));
        let base = *self.base.get_or_insert(first);
        let start = self.place(base, first);
        if (start - self.reference() as i64).abs() > AHEAD {
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
                first: start,
                wire_end,
            };
            return Received::Bytes(self.add(placed, origin, scratch));
        }
        self.repeats(start, end);
        // There are no new captured bytes, but the snap length may have cut bytes off.
        if start <= self.reference() as i64 {
            self.cut_to = self.cut_to.max(wire_end);
        }
        Received::Bytes(0)
    }

    /// Adds bytes that are not in the stream yet.
    fn add(&mut self, placed: Placed<'_>, origin: Origin, scratch: &mut Scratch) -> usize {
        if placed.start > self.next || !self.held.is_empty() {
            let [filled, repeated] = self.held.insert(placed, origin, self.follower);
            self.repeats(placed.first, placed.start as i64);
            if filled + repeated > 0 {
                let losses = self.losses();
                losses.filled += filled;
                losses.resent += repeated;
            }
            return self.advance(Some(origin), scratch);
        }
        if placed.begins() {
            scratch.starts.push(0)
        } else {
            self.repeats(placed.first, placed.start as i64)
        }
        if !self.follower {
            self.push(placed.bytes, origin.frame, origin, &mut scratch.spare);
        }
        self.next += placed.bytes.len() as u64;
        self.cut_to = self.cut_to.max(placed.wire_end);
        placed.bytes.len()
    }

    /// The bytes that show losses.
    pub fn losses(&mut self) -> &mut StreamLosses {
        self.losses.get_or_insert_default()
    }

    /// Counts the bytes from one offset to another, which the stream already has. A single byte before the next one is
    /// a probe of the connection.
    #[cold]
    fn repeats(&mut self, from: i64, to: i64) {
        let to = to.min(self.next as i64);
        let probe = from.saturating_add(1) == to && to == self.next as i64;
        // Bytes before the first one in the capture may not have been in it.
        let from = from.max(0);
        if from < to && !probe {
            self.losses().resent += (to - from) as u64;
        }
    }

    /// Counts the bytes of a segment after the end, which the stream had before. Returns whether it has others.
    pub fn after_end(&mut self, segment: &Segment<'_>) -> bool {
        let Some(base) = self.base.filter(|_| !segment.syn) else { return !segment.payload.is_empty() };
        let from = self.place(base, segment.seq);
        let to = from + segment.length.max(segment.payload.len()).min(u32::MAX as usize) as i64;
        self.repeats(from, to);
        !segment.payload.is_empty() && (to > self.next as i64 || to <= 0)
    }

    /// Whether the bytes of a segment cannot be from this stream, which has ended: they come after its FIN, or are far
    /// from all of its bytes.
    pub fn excludes(&self, segment: &Segment<'_>) -> bool {
        let Some(base) = self.base else { return true };
        let at = self.place(base, segment.seq);
        let last = self.fin.map_or(self.end() as i64 + RST_WINDOW, |fin| fin as i64);
        !(-RST_WINDOW..=last).contains(&at)
    }

    /// Appends bytes to the stream for the session.
    fn push(&mut self, bytes: &[u8], carrier: u64, origin: Origin, spare: &mut Spare) {
        self.stream(spare).push(bytes, carrier, origin, spare);
    }

    /// Moves held bytes that are in order now into the stream. If `by` is given, it delivers all of them; if not, only
    /// those of the first frame move, delivered by that frame.
    fn advance(&mut self, by: Option<Origin>, scratch: &mut Scratch) -> usize {
        let mut new = 0;
        let mut by = by;
        let own = by.is_none();
        while let Some(front) = self.held.front()
            && (!own || by.is_none_or(|by| by.frame == front.origin.frame))
            && let Some(range) = self.held.pop_at(self.next)
        {
            if range.begins {
                scratch.starts.push(new);
            }
            let origin = *by.get_or_insert(range.origin);
            if !self.follower {
                self.push(&range.bytes, range.origin.frame, origin, &mut scratch.spare);
            }
            new += range.len();
            self.next = range.end;
            self.cut_to = self.cut_to.max(range.wire_end);
        }
        new
    }

    /// Delivers the held bytes of one frame, if they are in order. Returns the frame and the number of bytes.
    pub fn release(&mut self, scratch: &mut Scratch) -> Option<(Origin, usize)> {
        scratch.starts.clear();
        let origin = self.held.front()?.origin;
        let new = self.advance(None, scratch);
        (new > 0).then_some((origin, new))
    }

    /// Records that the other side had received all bytes before this sequence number at `now`.
    pub fn acknowledge(&mut self, ack: u32, now: Time) {
        let Some(base) = self.base else { return self.acknowledge_unseen(ack, now) };
        let ack = self.place(base, ack);
        if ack > self.acked as i64 && ack <= self.reference() as i64 + AHEAD {
            // The acknowledgement of the FIN comes after that of the bytes before it.
            if self.fin.is_none_or(|fin| self.acked < fin) {
                self.acked_at = now.near_nanos();
            }
            self.acked = ack as u64;
        }
    }

    /// Records the same for a direction of which the capture has no SYN and no byte: the first acknowledgement shows
    /// where it is, and later ones show that it goes on.
    #[cold]
    fn acknowledge_unseen(&mut self, ack: u32, now: Time) {
        let [first, last] = self.acked_unseen.get_or_insert([ack; 2]);
        if ack.wrapping_sub(*last) as i32 > 0 && i64::from(ack.wrapping_sub(*first)) <= AHEAD {
            (*last, self.acked_at) = (ack, now.near_nanos());
        }
    }

    /// The reason to give up the missing bytes before those held, if there is one; `acks_count`: take acknowledgements
    /// into account.
    ///
    /// The acknowledgement must be for a byte after them: some stacks and synthetic captures count
    /// one too many, and waiting loses nothing while nothing is held.
    pub fn stuck(&self, caps: &Caps, acks_count: bool) -> Option<GapCause> {
        let front = self.held.front()?;
        if front.start <= self.cut_to {
            Some(GapCause::Cut)
        } else if acks_count && self.acked > front.start {
            Some(GapCause::Acknowledged)
        } else if self.holds_more(caps) || self.held.len() > caps.held_segments {
            Some(GapCause::Cap)
        } else {
            None
        }
    }

    /// Whether the held bytes are above their cap.
    pub fn holds_more(&self, caps: &Caps) -> bool {
        self.held.bytes() > caps.held_bytes
    }

    /// The origin of the first held bytes, and the number of bytes missing before them.
    pub fn gap(&self) -> Option<(Origin, u64)> {
        let front = self.held.front()?;
        Some((front.origin, front.start.saturating_sub(self.next)))
    }

    /// Gives up the missing bytes. Returns the number of dropped unread bytes.
    pub fn skip(&mut self) -> usize {
        self.next = self.held.front().map_or(self.next, |front| front.start);
        let next = self.next;
        self.bytes.as_mut().map_or(0, |stream| stream.restart(next))
    }

    /// Whether its FIN was captured, in order or not, as near to its bytes as a RST has to be.
    pub fn has_fin(&self) -> bool {
        self.fin.is_some_and(|fin| fin <= self.end() + RST_WINDOW as u64)
    }

    /// Whether the FIN is in order, or the bytes missing before it will not arrive any more.
    pub fn finished(&self, acks_count: bool) -> bool {
        let all = |fin| self.reference() >= fin || (acks_count && self.acked > fin);
        self.held.is_empty() && self.fin.is_some_and(all)
    }

    /// The number of bytes that are missing at the end: those before the FIN, and without a FIN those that were cut off
    /// or acknowledged.
    pub fn missing_at_end(&self) -> u64 {
        self.fin.unwrap_or(self.cut_to.max(self.received())).saturating_sub(self.next)
    }

    /// The number of bytes missing before those held, or at the end if none are held, that the other side has received
    /// although no segment in the capture has them.
    pub fn missed(&self) -> u64 {
        if let (None, Some([first, last])) = (self.base, self.acked_unseen) {
            // The last one may be that of a FIN, as below.
            return u64::from(last.wrapping_sub(first).saturating_sub(1));
        }
        let received = self.held.front().map_or(self.received(), |front| self.acked.min(front.start));
        received.saturating_sub(self.reference())
    }

    /// Whether the other side has acknowledged one more than all bytes seen, and no FIN was seen: it is probably that.
    pub fn lacks_its_end(&self) -> bool {
        self.base.is_some() && self.fin.is_none() && self.acked == self.reference().max(self.held.end()) + 1
    }

    /// The time at which the other side had all bytes that it has acknowledged, in nanoseconds since the epoch.
    pub fn acked_at(&self) -> i64 {
        self.acked_at
    }

    /// Offset before which the other side has received all bytes, at least. The acknowledgement of a FIN counts one
    /// more: if the FIN is not in the capture, the last byte acknowledged may be the FIN.
    fn received(&self) -> u64 {
        self.fin.map_or(self.acked.saturating_sub(1), |fin| self.acked.min(fin))
    }

    /// Whether a RST with this sequence number is plausible. The number is often the receiver's acknowledgement, and
    /// may come from one that is not the last.
    pub fn believes_rst(&self, seq: u32) -> bool {
        let expected = self.acked as i64 - RST_WINDOW..=self.end() as i64 + RST_WINDOW;
        self.base.is_none_or(|base| expected.contains(&self.place(base, seq)))
    }

    /// The offset after the last byte that is known to have been sent.
    fn end(&self) -> u64 {
        self.reference().max(self.acked).max(self.held.end())
    }

    /// The memory allocated for bytes.
    pub fn allocated(&self) -> usize {
        self.bytes.as_ref().map_or(0, |bytes| bytes.allocated()) + self.held.allocated()
    }

    /// The end of the stream as known so far: no gap before it can be filled any more.
    fn reference(&self) -> u64 {
        self.next.max(self.cut_to)
    }

    /// The offset of a sequence number: the one nearest to the stream's current end.
    fn place(&self, base: u32, seq: u32) -> i64 {
        let reference = self.reference();
        let distance = seq.wrapping_sub(base.wrapping_add(reference as u32)) as i32;
        reference as i64 + i64::from(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A direction holds memory for unread bytes only: none if all were read, some if part of a message is missing.
    #[test]
    fn memory_is_held_for_unread_bytes_alone() {
        let (mut direction, mut scratch) = (Direction::default(), Scratch::default());
        direction.begin(1);
        for (frame, seq, read, offset) in [(1, 1, 3, 3), (2, 4, 1, 4), (3, 7, 5, 9)] {
            let segment = Segment { seq, payload: b"abc", length: 3, ..Segment::default() };
            let origin = Origin { frame, time: Time::micros(frame as i64, 0) };
            assert_eq!(direction.receive(&segment, origin, &mut scratch), Received::Bytes(3));
            direction.stream(&mut scratch.spare).consume(read);
            direction.settle(&mut scratch.spare);
            assert_eq!((direction.offset(), direction.allocated() == 0), (offset, offset == direction.next), "{frame}");
        }
    }
}
