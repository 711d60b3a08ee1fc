//! What the threads make of one capture's messages, put in the order of a single thread by whichever
//! of them has just made what is next.

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

/// The bytes that are handed over at once, where a round has more: few enough to stay in the
/// processors' caches.
const CHUNK: usize = 256 << 10;
/// The bytes with which a lane waits until they are received.
const AHEAD: usize = 1 << 20;

/// Makes items of messages: one for each lane, with the same results as one for all.
pub trait Maker<T>: Send {
    /// Sets the time of the capture's first frame.
    fn first(&mut self, _time: Time) {}

    /// Sets the [sequence number](Sink::sequence) of the next messages.
    fn sequence(&mut self, _sequence: u64) {}

    /// Appends what it makes of a message; `false`: the message is none of those wanted.
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<T>) -> bool;

    /// Appends what it makes of a conversation's end.
    fn ended(&mut self, _flow: u64, _how: Closing, _out: &mut Vec<T>) {}
}

/// Receives all items, in the order of their messages.
pub trait Receiver<T>: Send {
    /// Receives the items of some messages.
    fn receive(&mut self, items: &[T]);

    /// Is everything that may follow of no use?
    fn done(&self) -> bool {
        false
    }
}

impl Maker<u8> for Box<dyn Form> {
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

/// The items of all lanes, and of the reader.
pub(super) struct Merging<'p, T> {
    state: Mutex<State<'p, T>>,
    /// The bytes that each has handed over, and that are not received yet.
    waiting: Vec<AtomicUsize>,
    done: AtomicBool,
}

struct State<'p, T> {
    /// By lane; the reader's last.
    chunks: Vec<VecDeque<Chunk<T>>>,
    spare: Vec<Chunk<T>>,
    /// Taken out by the thread that passes items on.
    writer: Option<Writer<'p, T>>,
}

struct Writer<'p, T> {
    receiver: &'p mut dyn Receiver<T>,
    merge: Merge<T>,
    /// Whose next chunk it needs; `None`: everything is received.
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

    /// Stores what a part hands over.
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
    fn room(&self, lane: usize) -> bool {
        self.waiting.get(lane).is_none_or(|waiting| waiting.load(Ordering::Relaxed) < AHEAD)
    }

    fn drain(&self) -> bool {
        let mut state = self.lock();
        // If another thread does it, that looks for what has just been handed over, too.
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

/// A lane's messages, or the reader's.
pub(super) struct Lane<'m, 'p, T, M> {
    pub(super) maker: M,
    number: usize,
    begun: bool,
    runs: Runs<T>,
    to: &'m Merging<'p, T>,
}

impl<'m, 'p, T, M> Lane<'m, 'p, T, M> {
    pub(super) fn new(maker: M, number: usize, to: &'m Merging<'p, T>) -> Lane<'m, 'p, T, M> {
        Lane { maker, number, begun: false, runs: Runs::default(), to }
    }
}

impl<T, M: Maker<T>> Sink for Lane<'_, '_, T, M> {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        if self.maker.message(message, self.runs.items()) {
            self.runs.complete();
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        let before = self.runs.len();
        self.maker.ended(flow, how, self.runs.items());
        if self.runs.len() > before {
            self.runs.complete();
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.runs.sequence(sequence);
        self.maker.sequence(sequence);
    }

    #[inline]
    fn full(&self) -> bool {
        self.runs.len() * size_of::<T>() >= CHUNK
    }

    fn hand_over(&mut self) {
        self.to.deliver(self.number, &mut self.runs);
    }
}

impl<T, M: Maker<T>> CaptureSink for Lane<'_, '_, T, M> {
    #[inline]
    fn frame(&mut self, time: Time) {
        if !std::mem::replace(&mut self.begun, true) {
            self.maker.first(time);
        }
    }
}

impl<T: Send, M: Maker<T>> Worker for Lane<'_, '_, T, M> {
    fn first(&mut self, time: Time) {
        self.frame(time);
    }

    fn room(&self) -> bool {
        self.to.room(self.number)
    }
}
