//! Drives one TCP direction: feeds segments to the reassembly and reports the results to the
//! handler.

use super::stream::Origin;
use super::tcp::{Direction, Received, Scratch};
use super::{Caps, Conversation, Delivery, End, Gap, GapCause, Handler, Side, Statistics};
use crate::capture::Segment;

/// The parts that a table keeps for all directions.
#[derive(Debug)]
pub(super) struct Common {
    pub caps: Caps,
    pub statistics: Statistics,
    scratch: Scratch,
}

impl Common {
    pub fn new(caps: Caps) -> Common {
        Common { caps, statistics: Statistics::default(), scratch: Scratch::default() }
    }

    pub fn tools<'a, H>(&'a mut self, handler: &'a mut H) -> Tools<'a, H> {
        let Common { caps, statistics, scratch } = self;
        Tools { handler, caps, statistics, scratch }
    }

    /// Counts into other statistics than its own.
    pub fn uncounted<'a, H>(&'a mut self, statistics: &'a mut Statistics, handler: &'a mut H) -> Tools<'a, H> {
        Tools { statistics, ..self.tools(handler) }
    }
}

/// The parts shared by all directions, for one packet.
pub(super) struct Tools<'a, H> {
    pub handler: &'a mut H,
    pub caps: &'a Caps,
    pub statistics: &'a mut Statistics,
    pub scratch: &'a mut Scratch,
}

/// One direction, with everything needed to process it.
pub(super) struct Drive<'a, 'b, S, H> {
    pub conversation: &'a mut Conversation<S>,
    pub from: Side,
    pub direction: &'a mut Direction,
    pub tools: &'a mut Tools<'b, H>,
}

impl<S, H: Handler<S>> Drive<'_, '_, S, H> {
    /// Processes a segment of this direction.
    pub fn segment(&mut self, segment: &Segment<'_>, origin: Origin) {
        if self.direction.ended {
            if self.direction.after_end(segment) {
                self.ignore();
            }
            self.keep_losses();
            return;
        }
        if segment.rst {
            // Data in a RST are not part of the stream.
            if self.direction.believes_rst(segment.seq) {
                self.end(End::Rst);
            }
            return;
        }
        match self.direction.receive(segment, origin, self.tools.scratch) {
            Received::Bytes(new) => self.deliver(origin, new),
            Received::Implausible => self.ignore(),
        }
        if segment.fin && self.direction.has_fin() {
            // It was sent now, whatever is missing before it.
            self.conversation.first_ended.get_or_insert((self.from, self.conversation.last.near_nanos()));
        }
        self.settle(false);
    }

    /// Counts a segment whose bytes fit nowhere.
    pub fn ignore(&mut self) {
        self.tools.statistics.ignored_segments += 1;
        self.direction.losses().ignored += 1;
    }

    /// Adds the bytes that show losses to those of the conversation.
    fn keep_losses(&mut self) {
        if let Some(losses) = self.direction.losses.take() {
            self.conversation.losses.get_or_insert_default()[self.from.index()] += *losses;
        }
    }

    /// Records that the other side has received the bytes before this sequence number.
    pub fn acknowledge(&mut self, ack: u32) {
        if !self.direction.ended {
            self.direction.acknowledge(ack, self.conversation.last);
            self.settle(true);
        }
    }

    /// Ends the direction, once: bytes held after gaps are delivered first.
    pub fn end(&mut self, why: End) {
        if self.direction.ended {
            return;
        }
        let evicted = why == End::Evicted;
        let why = if self.direction.has_fin() { End::Fin } else { why };
        while self.direction.gap().is_some() {
            self.give_up(GapCause::End);
        }
        let missing = self.direction.missing_at_end();
        // A direction without any segment has no end at which they would be missing.
        self.tools.statistics.missing_bytes += missing.max(self.direction.missed());
        self.count_missed(self.direction.acked_at());
        // What is acknowledged only after the other side's end is no earlier one.
        let acked_at = self.direction.acked_at();
        let may_be_first = self.conversation.first_ended.is_none_or(|(_, at)| acked_at <= at);
        if self.direction.lacks_its_end() && may_be_first {
            self.direction.losses().end = true;
        }
        self.direction.ended = true;
        self.conversation.ended[self.from.index()] = Some(why);
        self.conversation.first_ended.get_or_insert((self.from, self.conversation.last.near_nanos()));
        if self.direction.follower {
            return;
        }
        self.keep_losses();
        let stream = self.direction.stream(&mut self.tools.scratch.spare);
        self.tools.handler.end(self.conversation, self.from, stream, why, missing);
        let unread = stream.restart(stream.offset()) as u64;
        if evicted {
            self.tools.statistics.dropped_bytes += unread;
        }
        self.direction.settle(&mut self.tools.scratch.spare);
    }

    /// Gives up missing bytes that will not arrive any more; ends the direction at its FIN.
    ///
    /// Acknowledgements count only when the other side sends a packet (`acks_count`): if packets
    /// are captured slightly out of order, an acknowledgement may precede the bytes, and the
    /// missing ones follow.
    fn settle(&mut self, acks_count: bool) {
        while let Some(cause) = self.direction.stuck(self.tools.caps, acks_count) {
            if cause == GapCause::Cap && !self.direction.follower {
                match self.direction.holds_more(self.tools.caps) {
                    true => self.tools.statistics.held_bytes += 1,
                    false => self.tools.statistics.held_segments += 1,
                }
            }
            self.give_up(cause);
        }
        if self.direction.finished(acks_count) {
            self.end(End::Fin);
        }
    }

    /// Gives up the first gap. Each call releases the held bytes of at least one segment.
    fn give_up(&mut self, cause: GapCause) {
        let Some((origin, missing)) = self.direction.gap() else { return };
        self.report_gap(Gap { missing, frame: origin.frame, time: origin.time, cause });
        self.count_missed(origin.time.near_nanos());
        self.tools.statistics.dropped_bytes += self.direction.skip() as u64;
        while let Some((origin, new)) = self.direction.release(self.tools.scratch) {
            self.deliver(origin, new);
        }
    }

    /// Counts the bytes that only the capture missed. The receiver had them at `until`.
    fn count_missed(&mut self, until: i64) {
        let missed = self.direction.missed();
        if missed > 0 {
            let losses = self.direction.losses();
            losses.missing += missed;
            losses.missing_until = Some(until);
        }
    }

    fn report_gap(&mut self, gap: Gap) {
        if self.direction.follower {
            return;
        }
        self.tools.statistics.gaps += 1;
        self.tools.statistics.missing_bytes += gap.missing;
        let stream = self.direction.stream(&mut self.tools.scratch.spare);
        self.tools.handler.gap(self.conversation, self.from, stream, &gap);
    }

    /// Reports the `new` bytes at the end of the stream.
    fn deliver(&mut self, origin: Origin, new: usize) {
        if new == 0 || self.direction.follower {
            return;
        }
        let Origin { frame, time } = origin;
        let Scratch { spare, starts } = &mut *self.tools.scratch;
        let delivery = Delivery { frame, time, new, segments: starts };
        let stream = self.direction.stream(spare);
        self.tools.handler.data(self.conversation, self.from, stream, &delivery);
        let unread = stream.unread();
        self.direction.settle(spare);
        if unread > self.tools.caps.unread_bytes {
            self.tools.statistics.unread += 1;
            self.report_gap(Gap { missing: 0, frame, time, cause: GapCause::Unread });
            let spare = &mut self.tools.scratch.spare;
            let stream = self.direction.stream(spare);
            let end = stream.offset() + stream.bytes().len() as u64;
            self.tools.statistics.dropped_bytes += stream.restart(end) as u64;
            self.direction.settle(spare);
        }
    }
}
