//! The threads that read one capture together.
//!
//! The conversations are divided into shards, each with a queue. One thread reads the capture and puts batches into the
//! queues. Every thread takes the shard with the oldest batch and reads that batch; the reading thread does so when
//! enough is queued. A shard is read by one thread at a time. So there are as many threads as processors, and none is
//! idle while there is a batch for it.

use super::batch::Batch;
use super::counters::Counters;
use super::shard::{AnyShard, Shard, Unread, Worker};
use crate::dissect::Options;
use crate::flow::{Report, Statistics};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The bytes that may be queued for each shard before the reading thread reads batches itself.
const QUEUED: usize = 96 << 10;

/// Receives the messages of all shards.
pub trait Outlet: Sync {
    /// Whether this shard may be read: not if much of its output waits for that of others.
    fn room(&self, _queue: usize) -> bool {
        true
    }

    /// Passes on the next output in order. Returns whether there was any.
    fn drain(&self) -> bool {
        false
    }

    /// Whether no further output is of any use.
    fn done(&self) -> bool {
        false
    }
}

/// The shards of a capture, for any number of threads.
pub struct Crew<'a> {
    shards: Vec<Mutex<Box<dyn AnyShard + 'a>>>,
    state: Mutex<State>,
    /// A batch was queued or finished, or output was passed on.
    news: Condvar,
    outlet: &'a dyn Outlet,
}

/// The shared state of the threads: locked once per batch.
#[derive(Default)]
struct State {
    queues: Vec<Queue>,
    spare: Vec<Batch>,
    /// The bytes in the queues.
    queued: usize,
    /// The number of threads that wait for `news`.
    waiting: usize,
    /// Whether the reading thread has ended.
    ended: bool,
    /// Whether further reading is useless, or a thread has panicked.
    gone: bool,
}

/// The work of one shard.
#[derive(Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// Whether a thread is reading the shard.
    taken: bool,
    reports: VecDeque<Vec<Report>>,
}

impl<'a> Crew<'a> {
    /// Creates a shard for each of the sinks; `outlet` receives their output.
    pub fn new(
        options: &'a Options,
        sinks: impl IntoIterator<Item = &'a mut (impl Worker + 'a)>,
        outlet: &'a dyn Outlet,
    ) -> Crew<'a> {
        Crew::of(sinks.into_iter().map(|sink| Box::new(Shard::new(options, sink)) as _), outlet)
    }

    /// Creates shards in which nothing is read, to measure the cost of reading and distributing alone.
    pub fn unread(shards: usize, outlet: &'a dyn Outlet) -> Crew<'a> {
        Crew::of((0..shards).map(|_| Box::new(Unread) as _), outlet)
    }

    fn of(shards: impl Iterator<Item = Box<dyn AnyShard + 'a>>, outlet: &'a dyn Outlet) -> Crew<'a> {
        let shards: Vec<_> = shards.map(Mutex::new).collect();
        let queues = shards.iter().map(|_| Queue::default()).collect();
        let state = Mutex::new(State { queues, ..State::default() });
        Crew { shards, state, news: Condvar::new(), outlet }
    }

    /// Reads batches until the capture has ended and all of them are read.
    pub fn work(&self) {
        let mut state = self.lock();
        loop {
            if state.gone {
                return;
            }
            match self.next(&state) {
                Some(shard) => state = self.read(shard, state),
                None if state.ended && state.queues.iter().all(|queue| queue.batches.is_empty()) => return,
                None => state = self.wait(state),
            }
        }
    }

    /// Returns a guard: if its thread panics, it ends the work of all threads.
    pub fn watch(&self) -> Watch<'_> {
        Watch(&self.state, &self.news)
    }

    /// The counters of the shards.
    pub fn counters(self) -> Vec<(Counters, Statistics)> {
        let shards = self.shards.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        shards.map(|mut shard| shard.counters()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has set `gone`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shard to be read next: the one with the oldest batch among those that are free and have room.
    fn next(&self, state: &State) -> Option<usize> {
        let free = state.queues.iter().enumerate().filter(|(shard, queue)| !queue.taken && self.outlet.room(*shard));
        let oldest = free.filter_map(|(shard, queue)| Some((queue.batches.front()?.since, shard))).min();
        oldest.map(|(_, shard)| shard)
    }

    /// Reads the first batch of a shard.
    fn read<'s>(&'s self, shard: usize, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let queue = state.queues.get_mut(shard);
        let taken = queue.and_then(|queue| {
            queue.taken = true;
            queue.batches.pop_front()
        });
        let (Some(mut batch), Some(own)) = (taken, self.shards.get(shard)) else { return state };
        drop(state);
        let watch = self.watch();
        let (mut reports, size) = (Vec::new(), batch.size());
        let finished = own.lock().unwrap_or_else(PoisonError::into_inner).read(&mut batch, &mut reports);
        if finished {
            batch.clear();
        }
        let mut state = self.lock();
        if finished {
            state.queued -= size;
        }
        if let Some(queue) = state.queues.get_mut(shard) {
            queue.taken = false;
            queue.reports.extend(reports);
            if finished { state.spare.push(batch) } else { queue.batches.push_front(batch) }
        }
        self.wake(&state);
        drop(state);
        let drained = self.outlet.drain();
        let mut state = self.lock();
        if drained {
            state.gone |= self.outlet.done();
            self.wake(&state);
        }
        drop(watch);
        state
    }

    /// Wakes the waiting threads.
    fn wake(&self, state: &State) {
        if state.waiting > 0 {
            self.news.notify_all();
        }
    }

    fn wait<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let mut state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }
}

/// The functions of a [`Crew`] for the reading thread.
pub(super) trait Help: Sync {
    /// The number of shards.
    fn shards(&self) -> usize;

    /// Queues batches, one for each shard, and replaces them with empty ones. Reads batches while too much is queued.
    /// Returns whether further reading is useless.
    fn queue(&self, batches: &mut dyn Iterator<Item = &mut Batch>) -> bool;

    /// Waits for the oldest reports of a shard; `None` if further reading is useless.
    fn reports(&self, shard: usize) -> Option<Vec<Report>>;

    /// Ends the input: nothing more will be queued.
    fn end(&self);
}

impl Help for Crew<'_> {
    fn shards(&self) -> usize {
        self.shards.len()
    }

    fn queue(&self, batches: &mut dyn Iterator<Item = &mut Batch>) -> bool {
        let mut state = self.lock();
        for (shard, batch) in batches.enumerate() {
            let empty = state.spare.pop().unwrap_or_else(Batch::empty);
            let batch = std::mem::replace(batch, empty);
            state.queued += batch.size();
            if let Some(queue) = state.queues.get_mut(shard) {
                queue.batches.push_back(batch);
            }
        }
        self.wake(&state);
        // The threads may be waiting only for the reader's own messages.
        drop(state);
        let drained = self.outlet.drain();
        let mut state = self.lock();
        state.gone |= drained && self.outlet.done();
        // The reader's own messages have a shard of their own, the last one.
        while !state.gone && (state.queued > QUEUED * self.shards.len() || !self.outlet.room(self.shards.len())) {
            state = if let Some(shard) = self.next(&state) { self.read(shard, state) } else { self.wait(state) };
        }
        state.gone
    }

    fn reports(&self, shard: usize) -> Option<Vec<Report>> {
        let mut state = self.lock();
        loop {
            if state.gone {
                return None;
            }
            if let Some(reports) = state.queues.get_mut(shard)?.reports.pop_front() {
                return Some(reports);
            }
            state = if let Some(shard) = self.next(&state) { self.read(shard, state) } else { self.wait(state) };
        }
    }

    fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        self.wake(&state);
    }
}

/// Notifies the other threads if this one panics, so that nobody waits for it.
pub struct Watch<'c>(&'c Mutex<State>, &'c Condvar);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).gone = true;
            self.1.notify_all();
        }
    }
}
