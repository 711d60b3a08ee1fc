//! One thread reads a capture, several read its conversations.
//!
//! The reader has the flow table, and everything that decides across conversations: their numbers,
//! who may be forgotten, what a conversation is, servers that another one announces. A conversation
//! that is claimed goes, with what is held of it, to one of the workers, and its packets after it in
//! batches. Those whose sessions [change how others are read](crate::dissect::Session::affects_others) stay with the reader.
//!
//! Nobody is more than a few epochs of traffic ahead of anybody: before the reader counts what was
//! held at the end of an epoch, every worker has told. That bounds what is on the way, so the queues
//! need no other bound, and the reader never waits for a worker that waits for another.

use super::Inspector;
use super::batch::{Batch, FULL, Work, WorkItem};
use super::classification::Classification;
use super::counters::Counters;
use crate::capture::{Packet, Time};
use crate::dissect::{Options, Sink};
use crate::flow::{End, Moved, Partition, Report, Side, Statistics};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// The reader's end: deals packets to workers.
pub struct Dispatcher {
    workers: Vec<WorkerHandle>,
    first: Option<Time>,
    gone: bool,
}

/// A worker, seen by the reader.
struct WorkerHandle {
    batch: Batch,
    to: Sender<Batch>,
    used: Receiver<Batch>,
    reports: Receiver<Vec<Report>>,
    /// How many conversations it has.
    conversations: usize,
}

/// A worker's end.
pub struct WorkQueue {
    batches: Receiver<Batch>,
    used: Sender<Batch>,
    reports: Sender<Vec<Report>>,
}

/// Where a conversation is read.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    worker: usize,
    /// Its place in the table.
    slot: u32,
    /// As [`Owner::generation`](super::Owner).
    pub(super) generation: Option<u64>,
}

/// A dealer and so many workers' inboxes.
pub fn dispatch(count: usize) -> (Dispatcher, Vec<WorkQueue>) {
    let (mut workers, mut inboxes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let ((to, batches), (back, used), (tell, reports)) = (channel(), channel(), channel());
        workers.push(WorkerHandle { batch: Batch::default(), to, used, reports, conversations: 0 });
        inboxes.push(WorkQueue { batches, used: back, reports: tell });
    }
    (Dispatcher { workers, first: None, gone: false }, inboxes)
}

impl Dispatcher {
    /// The capture's first frame came.
    pub fn first(&mut self, time: Time) {
        self.first.get_or_insert(time);
    }

    /// Has a worker gone, so that there is no use in going on?
    pub fn gone(&self) -> bool {
        self.gone
    }

    pub(super) fn packet(&mut self, away: Assignment, sequence: u64, from: Side, packet: &Packet<'_>) {
        let Some(worker) = self.workers.get_mut(away.worker) else { return };
        worker.batch.packet(away.slot, sequence, from, packet);
        if worker.batch.size() >= FULL {
            worker.send(sequence, self.first, &mut self.gone);
        }
    }

    /// Whoever has the fewest conversations takes this one.
    pub(super) fn take(
        &mut self,
        slot: u32,
        sequence: u64,
        moved: Moved<Classification>,
        generation: Option<u64>,
    ) -> Assignment {
        let fewest = self.workers.iter().enumerate().min_by_key(|(_, worker)| worker.conversations);
        let away = Assignment { worker: fewest.map_or(0, |(worker, _)| worker), slot, generation };
        if let Some(worker) = self.workers.get_mut(away.worker) {
            worker.conversations += 1;
        }
        self.item(away, sequence, Work::Take(moved));
        away
    }

    pub(super) fn close(&mut self, away: Assignment, sequence: u64, why: End) {
        self.left(away, sequence, Work::Close(why));
    }

    pub(super) fn forget(&mut self, away: Assignment, sequence: u64) {
        self.left(away, sequence, Work::Forget);
    }

    fn left(&mut self, away: Assignment, sequence: u64, what: Work) {
        if let Some(worker) = self.workers.get_mut(away.worker) {
            worker.conversations -= 1;
        }
        self.item(away, sequence, what);
    }

    fn item(&mut self, away: Assignment, sequence: u64, what: Work) {
        let Some(worker) = self.workers.get_mut(away.worker) else { return };
        worker.batch.items.push(WorkItem { slot: away.slot, sequence, what });
        if worker.batch.size() >= FULL {
            worker.send(sequence, self.first, &mut self.gone);
        }
    }

    /// An epoch has ended.
    pub(super) fn epoch(&mut self, sequence: u64) {
        for worker in &mut self.workers {
            worker.batch.items.push(WorkItem { slot: 0, sequence, what: Work::Epoch });
        }
        self.send(sequence);
    }

    /// Sends what there is, and how far the reader is, to all: whoever waits for them can go on.
    pub(super) fn send(&mut self, sequence: u64) {
        for worker in &mut self.workers {
            worker.send(sequence, self.first, &mut self.gone);
        }
    }

    pub(super) fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        for worker in &self.workers {
            match worker.reports.recv() {
                Ok(reports) => reports.iter().for_each(&mut *each),
                Err(_) => self.gone = true,
            }
        }
    }
}

impl WorkerHandle {
    fn send(&mut self, sequence: u64, first: Option<Time>, gone: &mut bool) {
        let used = self.used.try_recv().unwrap_or_default();
        let mut batch = std::mem::replace(&mut self.batch, used);
        (batch.sequence, batch.first) = (sequence, first);
        *gone |= self.to.send(batch).is_err();
    }
}

/// What a worker does with its messages.
pub trait Worker: Sink {
    /// The capture's first frame came at this time.
    fn first(&mut self, time: Time);

    /// Go on?
    fn go_on(&mut self) -> bool;
}

impl WorkQueue {
    /// Reads the conversations that come, until the reader has no more.
    pub fn read(self, options: &Options, sink: &mut impl Worker) -> (Counters, Statistics) {
        let mut partition = Partition::new(options.limits.flow);
        let mut inspector = Inspector::new(options, sink);
        while let Some(mut batch) = self.next(inspector.sink()) {
            if let Some(time) = batch.first {
                inspector.sink().first(time);
            }
            let mut items = std::mem::take(&mut batch.items);
            for WorkItem { slot, sequence, what } in items.drain(..) {
                if let Some(conversation) = partition.conversation(slot) {
                    inspector.set_sequence(conversation.id, sequence);
                }
                match what {
                    Work::Packet(dealt) => {
                        let (body, frames) = batch.body(&dealt);
                        let at = (dealt.frame, frames, dealt.time);
                        partition.packet(slot, dealt.from, at, body, &mut inspector);
                    }
                    Work::Take(moved) => partition.take(slot, moved),
                    Work::Close(why) => partition.close(slot, why, &mut inspector),
                    Work::Forget => partition.forget(slot),
                    Work::Epoch => {
                        let mut reports = Vec::new();
                        partition.report(&mut reports, &inspector);
                        // Nobody hears it where the reader is at the end.
                        let _ = self.reports.send(reports);
                    }
                }
                if !inspector.sink().go_on() {
                    return (inspector.counters, partition.statistics());
                }
            }
            inspector.sink().sequence(batch.sequence);
            batch.items = items;
            batch.clear();
            let _ = self.used.send(batch);
        }
        (inspector.counters, partition.statistics())
    }

    /// The next batch. Who has to wait for it hands over what was said so far: others may wait for
    /// that.
    fn next(&self, sink: &mut impl Worker) -> Option<Batch> {
        match self.batches.try_recv() {
            Ok(batch) => return Some(batch),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => sink.hand_over(),
        }
        if sink.go_on() { self.batches.recv().ok() } else { None }
    }
}
