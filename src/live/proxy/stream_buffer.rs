//! One direction of a stream while rules are applied. It holds the bytes of a message until the message is complete.

use super::collect::{InTransit, Seen};
use super::holds::Waited;
use super::writing::Writing;
use crate::dissect::{Encoder, UnitKind};
use crate::flow::Side;
use std::time::{Duration, Instant};

/// The number of bytes of an incomplete message that are held. Longer messages pass unchanged.
pub const MOST: usize = 1 << 20;
/// The longest time that bytes are held, so that a stream that is read as the wrong protocol does not stop for ever.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The limit for streams whose frames must be rewritten, so that no byte may pass unchanged: the largest message,
/// and some more.
const BOUND: usize = 17 << 20;
/// The number of bytes that are kept after they passed, until the protocol is known: they contain its beginning.
const HISTORY: usize = 128 << 10;

const PASSED: &str = "part of the message had passed before it was complete";
const NESTED: &str = "the message is between the frames of another one";
const UNKNOWN: &str = "the message's bytes in the stream cannot be located";
const OTHER: &str = "its frame, encoded again, differs from the original";

/// Bytes that pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The delay in addition to that without rules.
    pub delay: Duration,
}

/// One direction of one stream.
#[derive(Default)]
pub struct StreamBuffer {
    /// The offset of the first byte of `raw` in the stream.
    base: u64,
    raw: Vec<u8>,
    /// The offset of the first byte that is still held.
    passed: u64,
    /// The time since when bytes are held.
    since: Option<Instant>,
    /// Messages that wait for the user, and those after them.
    pub waiting: Vec<InTransit>,
    /// Bytes that pass as soon as the direction has its turn.
    late: Vec<Gone>,
    /// The time from which the direction needs a turn, to pass bytes that no longer wait.
    ripe: Option<Instant>,
    /// Decisions of the user that had no effect, and the reasons.
    pub refused: Vec<(Waited, &'static str)>,
    /// The number that the conversation had first. If it changes, the conversation was forgotten in between.
    pub flow: Option<u64>,
}

impl StreamBuffer {
    /// Adds the bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }

    /// Returns the offset after all bytes that arrived.
    fn total(&self) -> u64 {
        self.base + self.raw.len() as u64
    }

    /// Returns the number of bytes that are held.
    pub fn held(&self) -> usize {
        (self.total() - self.passed) as usize
    }

    /// Returns the memory that it uses.
    pub fn memory(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the time until which bytes are held; `None`: none are, or the user decides.
    pub fn deadline(&self) -> Option<Instant> {
        let patience = || self.since.filter(|_| self.waiting.is_empty()).map(|since| since + PATIENCE);
        self.ripe.or_else(patience)
    }

    /// A message no longer waits for the user.
    pub fn decided(&mut self, now: Instant) {
        self.ripe = Some(now);
    }

    /// Keeps bytes that pass at the direction's next turn.
    pub fn keep(&mut self, gone: Vec<Gone>, now: Instant) {
        if !gone.is_empty() {
            self.late.extend(gone);
            self.ripe = Some(now);
        }
    }

    fn range(&self, start: u64, end: u64) -> Option<&[u8]> {
        let from = usize::try_from(start.checked_sub(self.base)?).ok()?;
        self.raw.get(from..usize::try_from(end.checked_sub(self.base)?).ok()?)
    }

    /// Passes bytes unchanged, up to an offset.
    fn pass(&mut self, end: u64, gone: &mut Vec<Gone>) {
        let bytes = self.range(self.passed, end).unwrap_or_default().to_vec();
        self.passed = self.passed.max(end);
        add(gone, bytes, Duration::ZERO);
    }

    /// Applies the outcome of the messages that were read, and returns the bytes that pass. `decided`: the offset up to
    /// which the stream was read; `known`: whether its protocol is known.
    #[expect(clippy::too_many_arguments, reason = "what one packet brings")]
    pub fn settle(
        &mut self,
        side: Side,
        in_transit: Vec<InTransit>,
        seen: &mut [Seen],
        mut writing: Option<&mut Writing>,
        decided: u64,
        known: bool,
        now: Instant,
    ) -> Vec<Gone> {
        let (before, mut gone) = (self.passed, std::mem::take(&mut self.late));
        self.ripe = None;
        let mut in_transit = match self.waiting.is_empty() {
            true => in_transit,
            false => std::mem::take(&mut self.waiting).into_iter().chain(in_transit).collect(),
        };
        for transit in in_transit.iter_mut().filter(|transit| transit.unit.is_none_or(|unit| unit.start < self.passed))
        {
            if transit.held.take().is_some() {
                self.refused.extend(transit.waited.map(|waited| (waited, PASSED)));
            }
        }
        // The order of a stream is kept: what follows a message that waits, waits too.
        let first = in_transit.iter().find(|transit| transit.held.is_some()).map(|transit| transit.unit);
        if let Some(unit) = first
            && let Some(at) = in_transit.iter().position(|transit| transit.unit == unit)
        {
            self.waiting = in_transit.split_off(at);
            // The list of the messages that were seen is another one then.
            self.waiting.iter_mut().for_each(|transit| transit.late = true);
        }
        let held_from = self.waiting.first().and_then(|transit| transit.unit).map(|unit| unit.start);
        for group in in_transit.chunk_by(|a, b| a.unit.is_some() && a.unit == b.unit) {
            let why = self.group(side, group, decided, writing.as_deref_mut(), &mut gone).err();
            for transit in group.iter().filter(|transit| transit.touched() || transit.delay > Duration::ZERO) {
                let Some(why) = why else { break };
                self.refused.extend(transit.waited.map(|waited| (waited, why)));
                if let Some(seen) = seen.get_mut(transit.seen).filter(|_| !transit.late) {
                    seen.refuse(why);
                }
            }
        }
        let end = if known { decided.min(self.total()) } else { self.total() };
        let end = held_from.map_or(end, |from| end.min(from));
        if end > self.passed {
            self.pass(end, &mut gone);
        }
        self.since = match self.held() {
            0 => None,
            _ if self.passed > before => Some(now),
            _ => self.since.or(Some(now)),
        };
        self.prune(if known { 0 } else { HISTORY });
        gone
    }

    /// Passes all messages of one unit.
    fn group(
        &mut self,
        side: Side,
        group: &[InTransit],
        decided: u64,
        writing: Option<&mut Writing>,
        gone: &mut Vec<Gone>,
    ) -> Result<(), &'static str> {
        let Some(unit) = group.first().and_then(|transit| transit.unit) else { return Err(UNKNOWN) };
        let Some(Writing { encoder, rewriter }) = writing else { return Err(UNKNOWN) };
        if unit.end > decided.max(self.passed) {
            return Err(NESTED);
        }
        let mut rewriter = rewriter.as_deref_mut().filter(|_| unit.kind != UnitKind::Framed);
        let Some(raw) = self.range(unit.start, unit.end).map(<[u8]>::to_vec) else {
            if let Some(rewriter) = &mut rewriter {
                rewriter.missed(side);
            }
            return Err(PASSED);
        };
        if unit.start < self.passed {
            // The state of the rewriter may depend on it.
            if let Some(rewriter) = &mut rewriter {
                let _ = rewriter.frames(side, &raw, None, None);
            }
            return Err(PASSED);
        }
        self.pass(unit.start, gone);
        self.passed = unit.end;
        let touched = group.iter().any(InTransit::touched);
        let copies = group.iter().map(|transit| transit.copies).max().unwrap_or(0);
        let delay = group.iter().map(|transit| transit.delay).max().unwrap_or_default();
        let changed = group.iter().any(|transit| transit.bytes.is_some() || transit.kept != group[0].kept);
        let kept = group.iter().any(|transit| transit.kept);
        let old = || group.iter().flat_map(|transit| &transit.old).copied().collect::<Vec<u8>>();
        let new = || {
            let kept = group.iter().filter(|transit| transit.kept);
            kept.flat_map(|transit| transit.bytes.as_ref().unwrap_or(&transit.old)).copied().collect::<Vec<u8>>()
        };
        let times = if kept { copies as usize + 1 } else { 0 };
        let made = match (unit.kind, rewriter) {
            (UnitKind::Carried, Some(rewriter)) if touched => {
                let (old, new) = (old(), new());
                rewriter.frames(side, &raw, Some(&old), Some(&vec![&new[..]; times]))
            }
            (UnitKind::Carried, None) if touched => Err(UNKNOWN),
            (kind, rewriter) => {
                let again = rewriter.map_or(Ok(None), |rewriter| rewriter.frames(side, &raw, None, None));
                match (touched, changed) {
                    (false, _) => again,
                    (true, false) => Ok(Some(raw.repeat(times))),
                    (true, true) => framed(kind, group, encoder.as_ref(), &raw, &old(), &new())
                        .map(|bytes| Some(bytes.repeat(times))),
                }
            }
        };
        match made {
            Ok(bytes) => add(gone, bytes.unwrap_or(raw), delay),
            Err(why) => {
                add(gone, raw, Duration::ZERO);
                return Err(why);
            }
        }
        Ok(())
    }

    /// Passes all held bytes unchanged.
    pub fn flush(&mut self, side: Side, writing: Option<&mut Writing>) -> Vec<Gone> {
        let mut gone = std::mem::take(&mut self.late);
        self.ripe = None;
        self.waiting.clear();
        if self.held() > 0
            && let Some(rewriter) = writing.and_then(|writing| writing.rewriter.as_deref_mut())
        {
            rewriter.missed(side);
        }
        self.pass(self.total(), &mut gone);
        self.since = None;
        self.prune(0);
        gone
    }

    /// Returns `Some` if bytes are held for too long, or too many are held. `Some(true)`: they cannot pass unchanged
    /// either.
    pub fn overdue(&self, side: Side, writing: Option<&Writing>, full: bool, now: Instant) -> Option<bool> {
        let binds = writing.and_then(|w| w.rewriter.as_deref()).is_some_and(|rewriter| rewriter.binds(side));
        match binds {
            true => (self.held() > BOUND).then_some(true),
            false if !self.waiting.is_empty() => None,
            false => {
                let late = self.deadline().is_some_and(|at| at <= now);
                (late || self.held() > MOST || full && self.held() > 0).then_some(false)
            }
        }
    }

    /// Removes the bytes that passed, except the last `keep` ones.
    fn prune(&mut self, keep: usize) {
        let gone = (self.passed - self.base) as usize;
        if gone > keep {
            self.raw.drain(..gone - keep);
            self.base += (gone - keep) as u64;
        }
        if self.raw.is_empty() && self.raw.capacity() > 1 << 16 {
            self.raw = Vec::new();
        }
    }
}

/// Returns the bytes of a unit with changed messages. A carrier's line is replaced, any other message is framed again.
fn framed(
    kind: UnitKind,
    group: &[InTransit],
    encoder: &dyn Encoder,
    raw: &[u8],
    old: &[u8],
    new: &[u8],
) -> Result<Vec<u8>, &'static str> {
    if kind == UnitKind::Carrier {
        return if old == raw { Ok(new.to_vec()) } else { Err(OTHER) };
    }
    let (decoded, flow) =
        group.iter().find_map(|transit| Some((transit.decoded.as_ref()?, transit.flow))).ok_or(OTHER)?;
    match encoder.frame(old, &decoded.line(flow)) {
        Some(same) if same == raw => encoder.frame(new, &decoded.line(flow)).ok_or("its frame cannot be so long"),
        _ => Err(OTHER),
    }
}

fn add(gone: &mut Vec<Gone>, bytes: Vec<u8>, delay: Duration) {
    match gone.last_mut() {
        _ if bytes.is_empty() => {}
        Some(last) if last.delay == delay => last.bytes.extend(bytes),
        _ => gone.push(Gone { bytes, delay }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of an unknown protocol pass at once, and few of them are kept.
    #[test]
    fn unknown_bytes_pass_at_once() {
        let (mut buffer, now) = (StreamBuffer::default(), Instant::now());
        for n in 0..100u8 {
            let bytes = vec![n; 10_000];
            buffer.push(&bytes);
            let gone = buffer.settle(Side::A, Vec::new(), &mut [], None, 0, false, now);
            assert_eq!(gone, [Gone { bytes, delay: Duration::ZERO }]);
            assert_eq!((buffer.held(), buffer.deadline(), buffer.overdue(Side::A, None, true, now)), (0, None, None));
        }
        assert!(buffer.memory() >= HISTORY && buffer.memory() < 4 * HISTORY, "{}", buffer.memory());
    }

    /// The beginning of a message is held until its rest arrives, up to a time limit.
    #[test]
    fn a_message_waits_for_its_rest() {
        let (mut buffer, now) = (StreamBuffer::default(), Instant::now());
        let settle = |buffer: &mut StreamBuffer, decided, at| {
            let gone = buffer.settle(Side::A, Vec::new(), &mut [], None, decided, true, at);
            gone.into_iter().flat_map(|gone| gone.bytes).collect::<Vec<_>>()
        };
        buffer.push(b"wholehal");
        assert_eq!(settle(&mut buffer, 5, now), b"whole");
        assert_eq!((buffer.held(), buffer.deadline()), (3, Some(now + PATIENCE)));
        // More of it does not extend the limit.
        let later = now + Duration::from_secs(1);
        buffer.push(b"f");
        assert_eq!(settle(&mut buffer, 5, later), b"");
        assert_eq!((buffer.held(), buffer.deadline()), (4, Some(now + PATIENCE)));
        assert_eq!(buffer.overdue(Side::A, None, false, later), None);
        assert_eq!(buffer.overdue(Side::A, None, true, later), Some(false), "where there is no room for more");
        assert_eq!(buffer.overdue(Side::A, None, false, now + PATIENCE), Some(false));
        // The message is complete, and a part of the next one has arrived: its time limit begins now.
        buffer.push(b"next");
        assert_eq!(settle(&mut buffer, 9, later), b"half");
        assert_eq!((buffer.held(), buffer.deadline()), (4, Some(later + PATIENCE)));
        assert_eq!(buffer.flush(Side::A, None), [Gone { bytes: b"next".to_vec(), delay: Duration::ZERO }]);
        assert_eq!((buffer.held(), buffer.deadline()), (0, None));
    }

    #[test]
    fn too_much_does_not_wait() {
        let (mut buffer, now) = (StreamBuffer::default(), Instant::now());
        buffer.push(&vec![0; MOST]);
        buffer.settle(Side::A, Vec::new(), &mut [], None, 0, true, now);
        assert_eq!((buffer.held(), buffer.overdue(Side::A, None, false, now)), (MOST, None));
        buffer.push(b"x");
        assert_eq!(buffer.overdue(Side::A, None, false, now), Some(false));
    }
}
