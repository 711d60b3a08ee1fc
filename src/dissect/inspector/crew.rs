//! The threads that read one capture together.
//!
//! The conversations are divided into lanes. One thread reads the capture and puts batches into the
//! queues of the lanes; every thread, the reading one too when enough is queued, takes the lane whose
//! batch is the oldest, and reads that. A lane is read by one thread at a time. So there are as many
//! threads as processors, and none of them is idle while there is a batch for it.

use super::batch::Batch;
use super::counters::Counters;
use super::lane::{Lane, Reading, Unread, Worker};
use crate::dissect::Options;
use crate::flow::{Report, Statistics};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What may be queued for each lane before the reading thread reads batches itself.
const QUEUED: usize = 96 << 10;

/// Where the messages of all lanes go.
pub trait Outlet: Sync {
    /// May this lane be read? Not if much of its output waits for that of others.
    fn room(&self, _lane: usize) -> bool {
        true
    }

    /// Passes on what is next in order. Returns whether there was something.
    fn drain(&self) -> bool {
        false
    }

    /// Is everything that may follow of no use?
    fn done(&self) -> bool {
        false
    }
}

/// The lanes of a capture, for any number of threads.
pub struct Crew<'a> {
    lanes: Vec<Mutex<Box<dyn Reading + 'a>>>,
    state: Mutex<State>,
    /// A batch was queued or finished, or output was passed on.
    news: Condvar,
    outlet: &'a dyn Outlet,
}

/// What the threads agree on: locked once a batch.
#[derive(Default)]
struct State {
    queues: Vec<Queue>,
    spare: Vec<Batch>,
    /// The bytes in the queues.
    queued: usize,
    /// How many threads wait for news.
    waiting: usize,
    /// The reading thread has ended.
    ended: bool,
    /// Reading on is useless, or a thread has panicked.
    gone: bool,
}

/// The work of one lane.
#[derive(Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// A thread reads the lane.
    taken: bool,
    reports: VecDeque<Vec<Report>>,
}

impl<'a> Crew<'a> {
    /// A lane for each of the sinks; `outlet` receives their output.
    pub fn new(
        options: &'a Options,
        sinks: impl IntoIterator<Item = &'a mut (impl Worker + 'a)>,
        outlet: &'a dyn Outlet,
    ) -> Crew<'a> {
        Crew::of(sinks.into_iter().map(|sink| Box::new(Lane::new(options, sink)) as _), outlet)
    }

    /// Lanes in which nothing is read: to measure what reading the capture and dealing takes.
    pub fn unread(lanes: usize, outlet: &'a dyn Outlet) -> Crew<'a> {
        Crew::of((0..lanes).map(|_| Box::new(Unread) as _), outlet)
    }

    fn of(lanes: impl Iterator<Item = Box<dyn Reading + 'a>>, outlet: &'a dyn Outlet) -> Crew<'a> {
        let lanes: Vec<_> = lanes.map(Mutex::new).collect();
        let queues = lanes.iter().map(|_| Queue::default()).collect();
        let state = Mutex::new(State { queues, ..State::default() });
        Crew { lanes, state, news: Condvar::new(), outlet }
    }

    /// Reads batches until the capture has ended and all of them are read.
    pub fn work(&self) {
        let mut state = self.lock();
        loop {
            if state.gone {
                return;
            }
            match self.next(&state) {
                Some(lane) => state = self.read(lane, state),
                None if state.ended && state.queues.iter().all(|queue| queue.batches.is_empty()) => return,
                None => state = self.wait(state),
            }
        }
    }

    /// While this exists, a panic of its thread ends the work of all.
    pub fn watch(&self) -> Watch<'_> {
        Watch(&self.state, &self.news)
    }

    /// The counters of the lanes.
    pub fn counters(self) -> Vec<(Counters, Statistics)> {
        let lanes = self.lanes.into_iter().map(|lane| lane.into_inner().unwrap_or_else(PoisonError::into_inner));
        lanes.map(|mut lane| lane.counters()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has set `gone`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lane to be read next: of those that are free and have room, the one with the oldest batch.
    fn next(&self, state: &State) -> Option<usize> {
        let free = state.queues.iter().enumerate().filter(|(lane, queue)| !queue.taken && self.outlet.room(*lane));
        let oldest = free.filter_map(|(lane, queue)| Some((queue.batches.front()?.since, lane))).min();
        oldest.map(|(_, lane)| lane)
    }

    /// Reads the first batch of a lane.
    fn read<'s>(&'s self, lane: usize, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let queue = state.queues.get_mut(lane);
        let taken = queue.and_then(|queue| {
            queue.taken = true;
            queue.batches.pop_front()
        });
        let (Some(mut batch), Some(own)) = (taken, self.lanes.get(lane)) else { return state };
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
        if let Some(queue) = state.queues.get_mut(lane) {
            queue.taken = false;
            queue.reports.extend(reports);
            match finished {
                true => state.spare.push(batch),
                false => queue.batches.push_front(batch),
            }
        }
        self.tell(&state);
        drop(state);
        let drained = self.outlet.drain();
        let mut state = self.lock();
        if drained {
            state.gone |= self.outlet.done();
            self.tell(&state);
        }
        drop(watch);
        state
    }

    /// Wakes the waiting threads.
    fn tell(&self, state: &State) {
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

/// What the reading thread needs of a [`Crew`].
pub(super) trait Help: Sync {
    /// The number of lanes.
    fn lanes(&self) -> usize;

    /// Queues batches, one for each lane, and replaces them by empty ones. Reads batches while too
    /// much is queued. Returns whether reading on is useless.
    fn queue(&self, batches: &mut dyn Iterator<Item = &mut Batch>) -> bool;

    /// The oldest reports of a lane, of which there will be some; `None` if reading on is useless.
    fn reports(&self, lane: usize) -> Option<Vec<Report>>;

    /// Nothing more will be queued.
    fn end(&self);
}

impl Help for Crew<'_> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn queue(&self, batches: &mut dyn Iterator<Item = &mut Batch>) -> bool {
        let mut state = self.lock();
        for (lane, batch) in batches.enumerate() {
            let empty = state.spare.pop().unwrap_or_else(Batch::empty);
            let batch = std::mem::replace(batch, empty);
            state.queued += batch.size();
            if let Some(queue) = state.queues.get_mut(lane) {
                queue.batches.push_back(batch);
            }
        }
        self.tell(&state);
        // The reader's own messages may be all that is waited for.
        drop(state);
        let drained = self.outlet.drain();
        let mut state = self.lock();
        state.gone |= drained && self.outlet.done();
        // Those that the reader has written are of its own lane, the last.
        while !state.gone && (state.queued > QUEUED * self.lanes.len() || !self.outlet.room(self.lanes.len())) {
            state = match self.next(&state) {
                Some(lane) => self.read(lane, state),
                None => self.wait(state),
            };
        }
        state.gone
    }

    fn reports(&self, lane: usize) -> Option<Vec<Report>> {
        let mut state = self.lock();
        loop {
            if state.gone {
                return None;
            }
            if let Some(reports) = state.queues.get_mut(lane)?.reports.pop_front() {
                return Some(reports);
            }
            state = match self.next(&state) {
                Some(lane) => self.read(lane, state),
                None => self.wait(state),
            };
        }
    }

    fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        self.tell(&state);
    }
}

/// Tells the other threads if this one panics, so that nobody waits for it.
pub struct Watch<'c>(&'c Mutex<State>, &'c Condvar);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).gone = true;
            self.1.notify_all();
        }
    }
}
