//! A shard: a part of a capture's conversations, read by one thread at a time.

use super::Inspector;
use super::batch::{Batch, Work, WorkItem};
use super::counters::Counters;
use crate::capture::Time;
use crate::dissect::{Options, Sink};
use crate::flow::{Carried, Partition, Report, Statistics};

/// The sink of a shard's messages.
pub trait Worker: Sink + Send {
    /// Sets the time of the capture's first frame.
    fn first(&mut self, time: Time);

    /// Whether there is room for more messages, after those [handed over](Sink::hand_over).
    fn room(&self) -> bool {
        true
    }
}

/// A shard with any sink.
pub(super) trait AnyShard: Send {
    /// Reads a batch, and collects the reports of the epochs that end in it. Returns false if there is no room for the
    /// messages of the rest: then the rest is read later.
    fn read(&mut self, batch: &mut Batch, reports: &mut Vec<Vec<Report>>) -> bool;

    /// The counters.
    fn counters(&mut self) -> (Counters, Statistics);
}

/// The conversations of a shard, and the inspector that reads them.
pub(super) struct Shard<'a, S: Sink> {
    partition: Partition<super::Classification>,
    inspector: Inspector<'a, S>,
}

impl<'a, S: Worker> Shard<'a, S> {
    /// A shard without conversations.
    pub fn new(options: &'a Options, sink: &'a mut S) -> Shard<'a, S> {
        Shard { partition: Partition::new(options.limits.flow), inspector: Inspector::new(options, sink) }
    }
}

impl<S: Worker> AnyShard for Shard<'_, S> {
    fn read(&mut self, batch: &mut Batch, reports: &mut Vec<Vec<Report>>) -> bool {
        let Shard { partition, inspector } = self;
        if let Some(time) = batch.first.take() {
            inspector.sink().first(time);
        }
        let Batch { items, contents, next, .. } = batch;
        while let Some(WorkItem { slot, sequence, what }) = items.get_mut(*next) {
            *next += 1;
            if let Some(conversation) = partition.conversation(*slot) {
                inspector.set_sequence(conversation.serial, *sequence);
            }
            match what {
                Work::Packet(work) => {
                    let (body, frames) = contents.body(work);
                    let carried = Carried { frame: work.frame, frames, time: work.time, body };
                    partition.packet(*slot, work.from, carried, inspector);
                }
                Work::Take(moved) => {
                    if let Some(moved) = moved.take() {
                        partition.take(*slot, moved);
                    }
                }
                Work::Server(server, proto) => {
                    if let Some(conversation) = partition.conversation_mut(*slot)
                        && let super::Classification::Claimed(owner) = &mut conversation.state
                        && owner.name == *proto
                    {
                        owner.session.set_server(*server);
                    }
                }
                Work::Close(why) => partition.close(*slot, *why, inspector),
                Work::Forget => partition.forget(*slot),
                Work::Epoch => {
                    let mut of_epoch = Vec::new();
                    partition.report(&mut of_epoch, inspector);
                    reports.push(of_epoch);
                }
            }
            if inspector.sink().full() {
                inspector.sink().hand_over();
                if !inspector.sink().room() {
                    return false;
                }
            }
        }
        inspector.sink().sequence(batch.sequence);
        inspector.sink().hand_over();
        true
    }

    fn counters(&mut self) -> (Counters, Statistics) {
        (std::mem::take(&mut self.inspector.counters), self.partition.statistics())
    }
}

/// A shard that drops its batches.
pub(super) struct Unread;

impl AnyShard for Unread {
    fn read(&mut self, batch: &mut Batch, reports: &mut Vec<Vec<Report>>) -> bool {
        reports.extend(batch.items.iter().filter(|item| matches!(item.what, Work::Epoch)).map(|_| Vec::new()));
        true
    }

    fn counters(&mut self) -> (Counters, Statistics) {
        (Counters::default(), Statistics::default())
    }
}
