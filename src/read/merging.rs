//! Merges the items that several threads make from one capture's messages into the order of a single thread. The thread
//! that has just made the next items does this.

use super::runs::{Chunk, Merge, Runs};
use super::sink::CaptureSink;
use crate::capture::Time;
use crate::dissect::inspector::{Outlet, Worker};
use crate::dissect::{Message, Sink};
use crate::flow::Closing;
use crate::render::{Form, Renderer};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size in bytes above which the items of a round are handed over in parts: small enough to stay in the processors'
/// caches.
const CHUNK: usize = 256 << 10;
/// The bytes of waiting output above which a shard pauses.
const AHEAD: usize = 1 << 20;

/// Makes items from messages. One producer for each shard must give the same results as one for all.
pub trait Producer<T>: Send {
    /// Sets the time of the capture's first frame.
    fn first(&mut self, _time: Time) {}

    /// Sets the [sequence number](Sink::sequence) of the next messages.
    fn sequence(&mut self, _sequence: u64) {}

    /// Appends the items of a message. Returns false if the message is not wanted.
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<T>) -> bool;

    /// Appends the items of a conversation's end.
    fn ended(&mut self, _flow: u64, _how: Closing, _out: &mut Vec<T>) {}
}

/// Receives all items, in the order of their messages.
pub trait Receiver<T>: Send {
    /// Receives the items of some messages.
    fn receive(&mut self, items: &[T]);

    /// Whether no further items are of any use.
    fn done(&self) -> bool {
        false
    }
}

impl Producer<u8> for Box<dyn Form> {
    fn first(&mut self, time: Time) {
        self.origin(time);
    }

    #[inline]
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) -> bool {
        (**self).message(message, out);
        true
    }
}

impl Receiver<u8> for Renderer {
    fn receive(&mut self, text: &[u8]) {
        self.rendered(text);
    }

    fn done(&self) -> bool {
        self.failed().is_some()
    }
}

/// The items of all shards and of the reader.
pub(super) struct Merging<'p, T> {
    state: Mutex<State<'p, T>>,
    /// The bytes that each of them has handed over and that are not received yet.
    waiting: Vec<AtomicUsize>,
    done: AtomicBool,
}

struct State<'p, T> {
    /// The chunks by shard; the reader's are last.
    chunks: Vec<VecDeque<Chunk<T>>>,
    spare: Vec<Chunk<T>>,
    /// Taken out by the thread that is passing items on.
    writer: Option<Writer<'p, T>>,
}

struct Writer<'p, T> {
    receiver: &'p mut dyn Receiver<T>,
    merge: Merge<T>,
    /// The part whose next chunk is needed; `None` when everything has been received.
    needs: Option<usize>,
}

impl<'p, T> Merging<'p, T> {
    pub(super) fn new(receiver: &'p mut dyn Receiver<T>, parts: usize) -> Merging<'p, T> {
        let mut merge = Merge::new(parts);
        let needs = merge.write(|_| ());
        let chunks = std::iter::repeat_with(VecDeque::new).take(parts).collect();
        let state = State { chunks, spare: Vec::new(), writer: Some(Writer { receiver, merge, needs }) };
        let waiting = std::iter::repeat_with(AtomicUsize::default).take(parts).collect();
        Merging { state: Mutex::new(state), waiting, done: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, State<'p, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the items that a part hands over.
    fn deliver(&self, part: usize, runs: &mut Runs<T>) {
        let mut state = self.lock();
        let chunk = runs.take(state.spare.pop().unwrap_or_default());
        if let (Some(waiting), Some(chunks)) = (self.waiting.get(part), state.chunks.get_mut(part)) {
            waiting.fetch_add(chunk.len() * size_of::<T>(), Ordering::Relaxed);
            chunks.push_back(chunk);
        }
    }
}

impl<T: Send> Outlet for Merging<'_, T> {
    fn room(&self, shard: usize) -> bool {
        self.waiting.get(shard).is_none_or(|waiting| waiting.load(Ordering::Relaxed) < AHEAD)
    }

    fn drain(&self) -> bool {
        let mut state = self.lock();
        // If another thread is doing it, that thread also finds the items that have just been handed over.
        let Some(mut writer) = state.writer.take() else { return false };
        let mut drained = false;
        while let Some(part) = writer.needs
            && let Some(chunk) = state.chunks.get_mut(part).and_then(VecDeque::pop_front)
        {
            drop(state);
            if let Some(waiting) = self.waiting.get(part) {
                waiting.fetch_sub(chunk.len() * size_of::<T>(), Ordering::Relaxed);
            }
            let Writer { receiver, merge, needs } = &mut writer;
            let used = merge.deliver(part, Some(chunk));
            *needs = merge.write(|items| receiver.receive(items));
            if receiver.done() {
                self.done.store(true, Ordering::Relaxed);
            }
            drained = true;
            state = self.lock();
            state.spare.push(used);
        }
        state.writer = Some(writer);
        drained
    }

    fn done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }
}

/// The messages of a shard or of the reader.
pub(super) struct Shard<'m, 'p, T, M> {
    pub(super) producer: M,
    number: usize,
    begun: bool,
    runs: Runs<T>,
    to: &'m Merging<'p, T>,
}

impl<'m, 'p, T, M> Shard<'m, 'p, T, M> {
    pub(super) fn new(producer: M, number: usize, to: &'m Merging<'p, T>) -> Shard<'m, 'p, T, M> {
        Shard { producer, number, begun: false, runs: Runs::default(), to }
    }
}

impl<T, M: Producer<T>> Sink for Shard<'_, '_, T, M> {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        if self.producer.message(message, self.runs.items()) {
            self.runs.complete();
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        let before = self.runs.len();
        self.producer.ended(flow, how, self.runs.items());
        if self.runs.len() > before {
            self.runs.complete();
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.runs.sequence(sequence);
        self.producer.sequence(sequence);
    }

    #[inline]
    fn full(&self) -> bool {
        self.runs.len() * size_of::<T>() >= CHUNK
    }

    fn hand_over(&mut self) {
        self.to.deliver(self.number, &mut self.runs);
    }
}

impl<T, M: Producer<T>> CaptureSink for Shard<'_, '_, T, M> {
    #[inline]
    fn frame(&mut self, time: Time) {
        if !std::mem::replace(&mut self.begun, true) {
            self.producer.first(time);
        }
    }
}

impl<T: Send, M: Producer<T>> Worker for Shard<'_, '_, T, M> {
    fn first(&mut self, time: Time) {
        self.frame(time);
    }

    fn room(&self) -> bool {
        self.to.room(self.number)
    }
}
