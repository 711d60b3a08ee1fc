//! Reading with several threads: one reads the capture, all of them its conversations.
//!
//! The reader owns the flow table, and everything that decides across conversations: their numbers,
//! evictions, classification, servers announced by other conversations. A claimed conversation is
//! handed over, with the payloads held back, to a [lane](super::lane), and its packets follow in
//! batches. Those whose sessions [affect others](crate::dissect::Session::affects_others) stay with
//! the reader.
//!
//! The reader deals in rounds: when enough is collected, every lane gets its batch, and the reader's
//! own messages are handed over. So no lane's output waits long for that of another, and a round is
//! the only occasion for locks.

use super::assignment::Assignment;
use super::batch::{Batch, ROUND, Work, WorkItem};
use super::classification::Classification;
use super::crew::Help;
use crate::capture::{Packet, Time};
use crate::flow::{End, Moved, Report, Side};

/// The reader's end: distributes packets to lanes.
pub struct Dispatcher<'a> {
    lanes: Vec<Pending>,
    crew: &'a dyn Help,
    first: Option<Time>,
    /// The approximate size of the round so far.
    size: usize,
    /// The sequence number at the end of the last round.
    since: u64,
    gone: bool,
}

/// What a lane gets next.
#[derive(Default)]
struct Pending {
    batch: Batch,
    /// The number of its conversations.
    conversations: usize,
}

impl<'a> Dispatcher<'a> {
    /// Distributes packets to the lanes of a crew.
    pub fn new(crew: &'a super::Crew<'_>) -> Dispatcher<'a> {
        let lanes = std::iter::repeat_with(Pending::default).take(crew.lanes()).collect();
        Dispatcher { lanes, crew, first: None, size: 0, since: 0, gone: false }
    }

    /// Sets the time of the capture's first frame.
    #[inline]
    pub fn first(&mut self, time: Time) {
        self.first.get_or_insert(time);
    }

    /// Is reading on useless?
    #[inline]
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Is there enough for a round?
    #[inline]
    pub fn full(&self) -> bool {
        self.size >= ROUND * self.lanes.len()
    }

    #[inline]
    pub(super) fn packet(&mut self, assignment: Assignment, sequence: u64, from: Side, packet: &Packet<'_>) {
        let Some(lane) = self.lanes.get_mut(assignment.lane as usize) else { return };
        self.size += lane.batch.packet(assignment.slot, sequence, from, packet);
    }

    /// Assigns a conversation to the lane with the fewest.
    pub(super) fn take(
        &mut self,
        slot: u32,
        sequence: u64,
        moved: Moved<Classification>,
        generation: Option<u64>,
    ) -> Assignment {
        let fewest = self.lanes.iter().enumerate().min_by_key(|(_, lane)| lane.conversations);
        let assignment = Assignment { lane: fewest.map_or(0, |(lane, _)| lane as u32), slot, generation };
        if let Some(lane) = self.lanes.get_mut(assignment.lane as usize) {
            lane.conversations += 1;
        }
        self.item(assignment, sequence, Work::Take(Some(moved)));
        assignment
    }

    pub(super) fn close(&mut self, assignment: Assignment, sequence: u64, why: End) {
        self.left(assignment, sequence, Work::Close(why));
    }

    pub(super) fn forget(&mut self, assignment: Assignment, sequence: u64) {
        self.left(assignment, sequence, Work::Forget);
    }

    fn left(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        if let Some(lane) = self.lanes.get_mut(assignment.lane as usize) {
            lane.conversations -= 1;
        }
        self.item(assignment, sequence, what);
    }

    fn item(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        let Some(lane) = self.lanes.get_mut(assignment.lane as usize) else { return };
        lane.batch.items.push(WorkItem { slot: assignment.slot, sequence, what });
        self.size += size_of::<WorkItem>();
    }

    /// Announces the end of an epoch.
    pub(super) fn epoch(&mut self, sequence: u64) {
        for lane in &mut self.lanes {
            lane.batch.items.push(WorkItem { slot: 0, sequence, what: Work::Epoch });
        }
    }

    /// Deals a round, after which all items have at least this sequence number. May read some of it.
    pub(super) fn deal(&mut self, sequence: u64) {
        for lane in &mut self.lanes {
            (lane.batch.since, lane.batch.sequence, lane.batch.first) = (self.since, sequence, self.first);
        }
        self.gone |= self.crew.queue(&mut self.lanes.iter_mut().map(|lane| &mut lane.batch));
        (self.size, self.since) = (0, sequence);
    }

    /// The capture has ended.
    pub(super) fn end(&mut self) {
        self.deal(u64::MAX);
        self.crew.end();
    }

    pub(super) fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        for lane in 0..self.lanes.len() {
            match self.crew.reports(lane) {
                Some(reports) => reports.iter().for_each(&mut *each),
                None => self.gone = true,
            }
        }
    }
}
