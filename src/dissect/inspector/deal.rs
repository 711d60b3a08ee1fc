//! One thread reads a capture, several read its conversations.
//!
//! The reader has the flow table, and everything that decides across conversations: their numbers,
//! who may be forgotten, what a conversation is, servers that another one announces. A conversation
//! that is claimed goes, with what is held of it, to one of the workers, and its packets after it in
//! batches. Those whose sessions [change how others are read](crate::dissect::Session::shares) stay with the reader.
//!
//! Nobody is more than a few epochs of traffic ahead of anybody: before the reader counts what was
//! held at the end of an epoch, every worker has told. That bounds what is on the way, so the queues
//! need no other bound, and the reader never waits for a worker that waits for another.

use super::Inspector;
use super::batch::{Batch, FULL, Item, What};
use super::claim::Claim;
use super::counters::Counters;
use crate::capture::{Packet, Time};
use crate::dissect::{Options, Sink};
use crate::flow::{End, Moved, Partition, Report, Side, Statistics};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// The reader's end: deals packets to workers.
pub struct Dealer {
    seats: Vec<Seat>,
    first: Option<Time>,
    gone: bool,
}

/// A worker, seen by the reader.
struct Seat {
    batch: Batch,
    to: Sender<Batch>,
    used: Receiver<Batch>,
    reports: Receiver<Vec<Report>>,
    /// How many conversations it has.
    conversations: usize,
}

/// A worker's end.
pub struct Inbox {
    batches: Receiver<Batch>,
    used: Sender<Batch>,
    reports: Sender<Vec<Report>>,
}

/// Where a conversation is read.
#[derive(Clone, Copy, Debug)]
pub struct Away {
    worker: usize,
    /// Its place in the table.
    slot: u32,
    /// As [`Owner::generation`](super::Owner).
    pub(super) generation: Option<u64>,
}

/// A dealer and so many workers' inboxes.
pub fn deal(workers: usize) -> (Dealer, Vec<Inbox>) {
    let (mut seats, mut inboxes) = (Vec::new(), Vec::new());
    for _ in 0..workers {
        let ((to, batches), (back, used), (tell, reports)) = (channel(), channel(), channel());
        seats.push(Seat { batch: Batch::default(), to, used, reports, conversations: 0 });
        inboxes.push(Inbox { batches, used: back, reports: tell });
    }
    (Dealer { seats, first: None, gone: false }, inboxes)
}

impl Dealer {
    /// The capture's first frame came.
    pub fn first(&mut self, time: Time) {
        self.first.get_or_insert(time);
    }

    /// Has a worker gone, so that there is no use in going on?
    pub fn gone(&self) -> bool {
        self.gone
    }

    pub(super) fn packet(&mut self, away: Away, turn: u64, from: Side, packet: &Packet<'_>) {
        let Some(seat) = self.seats.get_mut(away.worker) else { return };
        seat.batch.packet(away.slot, turn, from, packet);
        if seat.batch.size() >= FULL {
            seat.send(turn, self.first, &mut self.gone);
        }
    }

    /// Whoever has the fewest conversations takes this one.
    pub(super) fn take(&mut self, slot: u32, turn: u64, moved: Moved<Claim>, generation: Option<u64>) -> Away {
        let fewest = self.seats.iter().enumerate().min_by_key(|(_, seat)| seat.conversations);
        let away = Away { worker: fewest.map_or(0, |(worker, _)| worker), slot, generation };
        if let Some(seat) = self.seats.get_mut(away.worker) {
            seat.conversations += 1;
        }
        self.item(away, turn, What::Take(moved));
        away
    }

    pub(super) fn close(&mut self, away: Away, turn: u64, why: End) {
        self.left(away, turn, What::Close(why));
    }

    pub(super) fn forget(&mut self, away: Away, turn: u64) {
        self.left(away, turn, What::Forget);
    }

    fn left(&mut self, away: Away, turn: u64, what: What) {
        if let Some(seat) = self.seats.get_mut(away.worker) {
            seat.conversations -= 1;
        }
        self.item(away, turn, what);
    }

    fn item(&mut self, away: Away, turn: u64, what: What) {
        let Some(seat) = self.seats.get_mut(away.worker) else { return };
        seat.batch.items.push(Item { slot: away.slot, turn, what });
        if seat.batch.size() >= FULL {
            seat.send(turn, self.first, &mut self.gone);
        }
    }

    /// An epoch has ended.
    pub(super) fn epoch(&mut self, turn: u64) {
        for seat in &mut self.seats {
            seat.batch.items.push(Item { slot: 0, turn, what: What::Epoch });
        }
        self.send(turn);
    }

    /// Sends what there is, and how far the reader is, to all: whoever waits for them can go on.
    pub(super) fn send(&mut self, turn: u64) {
        for seat in &mut self.seats {
            seat.send(turn, self.first, &mut self.gone);
        }
    }

    pub(super) fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        for seat in &self.seats {
            match seat.reports.recv() {
                Ok(reports) => reports.iter().for_each(&mut *each),
                Err(_) => self.gone = true,
            }
        }
    }
}

impl Seat {
    fn send(&mut self, turn: u64, first: Option<Time>, gone: &mut bool) {
        let used = self.used.try_recv().unwrap_or_default();
        let mut batch = std::mem::replace(&mut self.batch, used);
        (batch.turn, batch.first) = (turn, first);
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

impl Inbox {
    /// Reads the conversations that come, until the reader has no more.
    pub fn read(self, options: &Options, sink: &mut impl Worker) -> (Counters, Statistics) {
        let mut partition = Partition::new(options.limits.flow);
        let mut inspector = Inspector::new(options, sink);
        while let Some(mut batch) = self.next(inspector.sink()) {
            if let Some(time) = batch.first {
                inspector.sink().first(time);
            }
            let mut items = std::mem::take(&mut batch.items);
            for Item { slot, turn, what } in items.drain(..) {
                if let Some(conversation) = partition.conversation(slot) {
                    inspector.set_turn(conversation.id, turn);
                }
                match what {
                    What::Packet(dealt) => {
                        let (body, frames) = batch.body(&dealt);
                        let at = (dealt.frame, frames, dealt.time);
                        partition.packet(slot, dealt.from, at, body, &mut inspector);
                    }
                    What::Take(moved) => partition.take(slot, moved),
                    What::Close(why) => partition.close(slot, why, &mut inspector),
                    What::Forget => partition.forget(slot),
                    What::Epoch => {
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
            inspector.sink().turn(batch.turn);
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
