//! What the threads make of one capture's messages, put in the order of a single thread by whichever
//! of them has just made what is next.

use super::gates::Pick;
use super::parallel::shared;
use super::read::ReadSummary;
use super::sink::CaptureSink;
use netkit::capture::{Capture, Time};
use netkit::dissect::inspector::{Outlet, Worker};
use netkit::dissect::{Message, Options, Sink};
use netkit::flow::End;
use netkit::render::{Chunk, Merge, Runs};
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
    /// The capture's first frame.
    fn origin(&mut self, _time: Time) {}

    /// Appends what it makes of a message.
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<T>);

    /// Appends what it makes of a conversation's end.
    fn ended(&mut self, _flow: u64, _how: [Option<End>; 2], _out: &mut Vec<T>) {}
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

/// Reads a capture with a thread for each of the `makers` but one, which is for conversations that
/// only the reader can read. Returns the picks of all.
///
/// # Errors
/// None; errors while reading are part of the returned summary.
pub fn merged<T: Send, M: Maker<T>>(
    capture: Capture,
    options: &Options,
    makers: Vec<M>,
    pick: &mut Pick,
    receiver: &mut dyn Receiver<T>,
) -> anyhow::Result<ReadSummary> {
    let merging = Merging::new(receiver, makers.len());
    let numbered = makers.into_iter().enumerate();
    let mut lanes: Vec<_> = numbered
        .map(|(number, maker)| Lane { maker, pick: pick.part(), number, runs: Runs::default(), to: &merging })
        .collect();
    let Some(mut mine) = lanes.pop() else { return Ok(ReadSummary::default()) };
    let seen = shared(capture, options, &mut lanes, &mut mine, &merging);
    lanes.push(mine);
    lanes.into_iter().for_each(|lane| pick.merge(lane.pick));
    seen
}

/// The items of all lanes, and of the reader.
struct Merging<'p, T> {
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
    fn new(receiver: &'p mut dyn Receiver<T>, parts: usize) -> Merging<'p, T> {
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
struct Lane<'m, 'p, T, M> {
    maker: M,
    pick: Pick,
    number: usize,
    runs: Runs<T>,
    to: &'m Merging<'p, T>,
}

impl<T, M: Maker<T>> Sink for Lane<'_, '_, T, M> {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            self.maker.message(message, self.runs.items());
            self.runs.complete();
        }
    }

    fn ended(&mut self, flow: u64, how: [Option<End>; 2]) {
        let before = self.runs.len();
        self.maker.ended(flow, how, self.runs.items());
        if self.runs.len() > before {
            self.runs.complete();
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.runs.sequence(sequence);
        self.pick.sequence(sequence);
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
    fn frame(&mut self, time: Time) {
        if self.pick.selection.frame(time) {
            self.maker.origin(time);
        }
    }
}

impl<T: Send, M: Maker<T>> Worker for Lane<'_, '_, T, M> {
    fn first(&mut self, time: Time) {
        CaptureSink::frame(self, time);
    }

    fn room(&self) -> bool {
        self.to.room(self.number)
    }
}
