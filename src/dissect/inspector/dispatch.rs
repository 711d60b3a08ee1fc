//! Reading with several threads: one reads the capture, the others its conversations.
//!
//! The reader owns the flow table, and everything that decides across conversations: their numbers,
//! evictions, classification, servers announced by other conversations. A claimed conversation is
//! handed over, with the payloads held back, to one of the workers, and its packets follow in
//! batches. Those whose sessions [affect others](crate::dissect::Session::affects_others) stay with
//! the reader.
//!
//! No thread is more than a few epochs of traffic ahead of another: before the reader counts the
//! memory of an epoch, every worker has reported. That bounds the data in transit, so the queues
//! need no other bound, and the reader never waits for a worker that waits for another.

use super::Inspector;
use super::batch::{Batch, FULL, Work, WorkItem};
use super::classification::Classification;
use super::counters::Counters;
use crate::capture::{Packet, Time};
use crate::dissect::{Options, Sink};
use crate::flow::{End, Moved, Partition, Report, Side, Statistics};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// The reader's end: distributes packets to workers.
pub struct Dispatcher {
    workers: Vec<WorkerHandle>,
    first: Option<Time>,
    gone: bool,
}

/// The reader's handle of a worker.
struct WorkerHandle {
    batch: Batch,
    to: Sender<Batch>,
    used: Receiver<Batch>,
    reports: Receiver<Vec<Report>>,
    /// The number of its conversations.
    conversations: usize,
}

/// The worker's end.
pub struct WorkQueue {
    batches: Receiver<Batch>,
    used: Sender<Batch>,
    reports: Sender<Vec<Report>>,
}

/// The worker that reads a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    worker: usize,
    /// Its slot in the table.
    slot: u32,
    /// As [`Owner::generation`](super::Owner).
    pub(super) generation: Option<u64>,
}

/// A dispatcher and the queues of `count` workers.
pub fn dispatch(count: usize) -> (Dispatcher, Vec<WorkQueue>) {
    let (mut workers, mut inboxes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let ((to, batches), (back, used), (report_to, reports)) = (channel(), channel(), channel());
        workers.push(WorkerHandle { batch: Batch::default(), to, used, reports, conversations: 0 });
        inboxes.push(WorkQueue { batches, used: back, reports: report_to });
    }
    (Dispatcher { workers, first: None, gone: false }, inboxes)
}

impl Dispatcher {
    /// Sets the time of the capture's first frame.
    pub fn first(&mut self, time: Time) {
        self.first.get_or_insert(time);
    }

    /// Has a worker ended, so that reading on is useless?
    pub fn gone(&self) -> bool {
        self.gone
    }

    pub(super) fn packet(&mut self, assignment: Assignment, sequence: u64, from: Side, packet: &Packet<'_>) {
        let Some(worker) = self.workers.get_mut(assignment.worker) else { return };
        worker.batch.packet(assignment.slot, sequence, from, packet);
        if worker.batch.size() >= FULL {
            worker.send(sequence, self.first, &mut self.gone);
        }
    }

    /// Assigns a conversation to the worker with the fewest.
    pub(super) fn take(
        &mut self,
        slot: u32,
        sequence: u64,
        moved: Moved<Classification>,
        generation: Option<u64>,
    ) -> Assignment {
        let fewest = self.workers.iter().enumerate().min_by_key(|(_, worker)| worker.conversations);
        let assignment = Assignment { worker: fewest.map_or(0, |(worker, _)| worker), slot, generation };
        if let Some(worker) = self.workers.get_mut(assignment.worker) {
            worker.conversations += 1;
        }
        self.item(assignment, sequence, Work::Take(moved));
        assignment
    }

    pub(super) fn close(&mut self, assignment: Assignment, sequence: u64, why: End) {
        self.left(assignment, sequence, Work::Close(why));
    }

    pub(super) fn forget(&mut self, assignment: Assignment, sequence: u64) {
        self.left(assignment, sequence, Work::Forget);
    }

    fn left(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        if let Some(worker) = self.workers.get_mut(assignment.worker) {
            worker.conversations -= 1;
        }
        self.item(assignment, sequence, what);
    }

    fn item(&mut self, assignment: Assignment, sequence: u64, what: Work) {
        let Some(worker) = self.workers.get_mut(assignment.worker) else { return };
        worker.batch.items.push(WorkItem { slot: assignment.slot, sequence, what });
        if worker.batch.size() >= FULL {
            worker.send(sequence, self.first, &mut self.gone);
        }
    }

    /// Announces the end of an epoch.
    pub(super) fn epoch(&mut self, sequence: u64) {
        for worker in &mut self.workers {
            worker.batch.items.push(WorkItem { slot: 0, sequence, what: Work::Epoch });
        }
        self.send(sequence);
    }

    /// Sends all pending work and the reader's sequence number to all workers, so that those
    /// waiting can continue.
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

/// The sink of a worker's messages.
pub trait Worker: Sink {
    /// Sets the time of the capture's first frame.
    fn first(&mut self, time: Time);

    /// Shall the worker continue?
    fn go_on(&mut self) -> bool;
}

impl WorkQueue {
    /// Reads the assigned conversations until the reader has ended.
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
                    Work::Packet(work) => {
                        let (body, frames) = batch.body(&work);
                        let at = (work.frame, frames, work.time);
                        partition.packet(slot, work.from, at, body, &mut inspector);
                    }
                    Work::Take(moved) => partition.take(slot, moved),
                    Work::Close(why) => partition.close(slot, why, &mut inspector),
                    Work::Forget => partition.forget(slot),
                    Work::Epoch => {
                        let mut reports = Vec::new();
                        partition.report(&mut reports, &inspector);
                        // At the end of the capture the reader no longer receives reports.
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

    /// The next batch. Before waiting for it, the messages so far are handed over: others may wait
    /// for them.
    fn next(&self, sink: &mut impl Worker) -> Option<Batch> {
        match self.batches.try_recv() {
            Ok(batch) => return Some(batch),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => sink.hand_over(),
        }
        if sink.go_on() { self.batches.recv().ok() } else { None }
    }
}
