//! Reading with several threads: one reads the capture, all of them its conversations.
//!
//! The reader owns the flow table and all decisions that involve several conversations: their numbers, evictions,
//! classification, servers announced by other conversations. A claimed conversation is handed over to a
//! [shard](super::shard), with the payloads held back, and its packets follow in batches. Conversations whose sessions
//! [affect others](crate::dissect::Session::affects_others) stay with the reader.
//!
//! The reader works in rounds: when enough is collected, every shard gets its batch, and the reader's own messages are
//! passed on. So no shard's output waits long for that of another, and locks are taken once per round only.

use super::assignment::Assignment;
use super::batch::{Batch, ROUND, Work, WorkItem};
use super::classification::Classification;
use super::crew::Help;
use crate::capture::{Packet, Time};
use crate::flow::{End, Moved, Report, Side};

/// The reader's side: distributes packets to shards.
pub struct Dispatcher<'a> {
    shards: Vec<Pending>,
    crew: &'a dyn Help,
    first: Option<Time>,
    /// The approximate size of the round so far.
    size: usize,
    /// The sequence number at the end of the last round.
    since: u64,
    gone: bool,
}

/// The next batch of a shard.
#[derive(Default)]
struct Pending {
    batch: Batch,
    /// The number of its conversations.
    conversations: usize,
}

impl<'a> Dispatcher<'a> {
    /// Distributes packets to the shards of a crew.
    pub fn new(crew: &'a super::Crew<'_>) -> Dispatcher<'a> {
        let shards = std::iter::repeat_with(Pending::default).take(crew.shards()).collect();
        Dispatcher { shards, crew, first: None, size: 0, since: 0, gone: false }
    }

    /// Sets the time of the capture's first frame.
    #[inline]
    pub fn first(&mut self, time: Time) {
        self.first.get_or_insert(time);
    }

    /// Whether further reading is useless.
    #[inline]
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Whether there is enough for a round.
    #[inline]
    pub fn full(&self) -> bool {
        self.size >= ROUND * self.shards.len()
    }

    #[inline]
    pub(super) fn packet(&mut self, assignment: Assignment, sequence: u64, from: Side, packet: &Packet<'_>) {
        let Some(shard) = self.shards.get_mut(assignment.shard as usize) else { return };
        self.size += shard.batch.packet(assignment.slot, sequence, from, packet);
    }

    /// Assigns a conversation to the shard with the fewest conversations.
    pub(super) fn take(
        &mut self,
        slot: u32,
        sequence: u64,
        moved: Moved<Classification>,
        named: bool,
        generation: u64,
    ) -> Assignment {
        let fewest = self.shards.iter().enumerate().min_by_key(|(_, shard)| shard.conversations);
        let assignment = Assignment { shard: fewest.map_or(0, |(shard, _)| shard as u32), slot, named, generation };
        if let Some(shard) = self.shards.get_mut(assignment.shard as usize) {
            shard.conversations += 1;
        }
        self.item(assignment, sequence, Work::Take(Some(moved)));
        assignment
    }

    /// Sets the side that is the server, if the conversation is of this protocol.
    pub(super) fn server(&mut self, assignment: Assignment, sequence: u64, server: Side, proto: &'static str) {
        self.item(assignment, sequence, Work::Server(server, proto));
    }

    pub(super) fn close(&mut self, assignment: Assignment, sequence: u64, why: End) {
        self.left(assignment, sequence, Work::Close(why));
    }

    pub(super) fn forget(&mut self, assignment: Assignment, sequence: u64) {
        self.left(assignment, sequence, Work::Forget);
    }

    fn left(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        if let Some(shard) = self.shards.get_mut(assignment.shard as usize) {
            shard.conversations -= 1;
        }
        self.item(assignment, sequence, what);
    }

    fn item(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        let Some(shard) = self.shards.get_mut(assignment.shard as usize) else { return };
        shard.batch.items.push(WorkItem { slot: assignment.slot, sequence, what });
        self.size += size_of::<WorkItem>();
    }

    /// Announces the end of an epoch.
    pub(super) fn epoch(&mut self, sequence: u64) {
        for shard in &mut self.shards {
            shard.batch.items.push(WorkItem { slot: 0, sequence, what: Work::Epoch });
        }
    }

    /// Ends a round and hands out its batches. All later items have at least this sequence number. May read some
    /// batches.
    pub(super) fn deal(&mut self, sequence: u64) {
        for shard in &mut self.shards {
            (shard.batch.since, shard.batch.sequence, shard.batch.first) = (self.since, sequence, self.first);
        }
        self.gone |= self.crew.queue(&mut self.shards.iter_mut().map(|shard| &mut shard.batch));
        (self.size, self.since) = (0, sequence);
    }

    /// Ends the input at the end of the capture.
    pub(super) fn end(&mut self) {
        self.deal(u64::MAX);
        self.crew.end();
    }

    pub(super) fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        for shard in 0..self.shards.len() {
            match self.crew.reports(shard) {
                Some(reports) => reports.iter().for_each(&mut *each),
                None => self.gone = true,
            }
        }
    }
}
