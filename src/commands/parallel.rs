//! `netkit decode` with several threads: one reads the file and distributes its conversations to
//! workers, which dissect and render them; their output is merged in the order of a single thread.

use super::gates::Pick;
use super::output::Printer;
use super::read::{ReadSummary, dissect};
use super::sink::CaptureSink;
use netkit::capture::{Capture, Packets, Time};
use netkit::dissect::inspector::{self, dispatch};
use netkit::dissect::{Message, Options, Sink};
use netkit::render::{Chunk, Merge, Part};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The amount of text that a thread hands over at a time: enough that waking other threads costs
/// nothing, little enough to stay in the processors' caches.
const CHUNK: usize = 256 << 10;
/// How many chunks a thread may be ahead.
const AHEAD: usize = 4;
/// Smaller files are done before a second thread has started.
const SMALL: u64 = 4 << 20;
/// The maximum number of workers: more would wait for the reader.
const MOST: usize = 8;

/// The number of workers worth using; `requested` is the user's choice.
pub fn workers(path: &Path, requested: Option<usize>, printer: &Printer) -> usize {
    let whole = std::fs::metadata(path).ok().filter(|about| about.is_file());
    whole.map_or(1, |about| workers_for(about.len(), requested, printer))
}

/// The same for so many bytes of plain files.
pub fn workers_for(size: u64, requested: Option<usize>, printer: &Printer) -> usize {
    match requested {
        _ if !printer.divides() => 1,
        Some(n) => n.clamp(1, MOST),
        None if size < SMALL || printer.watched => 1,
        None => thread::available_parallelism().map_or(1, |n| n.get().min(MOST)),
    }
}

/// The output of one thread, on its way to the merging thread.
struct Writing {
    part: Part,
    pick: Pick,
    to: SyncSender<Chunk>,
    used: Receiver<Chunk>,
    /// The merging thread has ended.
    gone: bool,
}

impl Writing {
    /// Also returns the merging thread's ends of the channels.
    fn new(part: Part, pick: Pick) -> (Writing, (Receiver<Chunk>, Sender<Chunk>)) {
        let ((to, chunks), (back, used)) = (sync_channel(AHEAD), channel());
        (Writing { part, pick, to, used, gone: false }, (chunks, back))
    }
}

impl Sink for Writing {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            self.part.message(message);
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.part.sequence(sequence);
        self.pick.sequence(sequence);
    }

    #[inline]
    fn full(&self) -> bool {
        self.part.len() >= CHUNK
    }

    fn hand_over(&mut self) {
        let chunk = self.part.take(self.used.try_recv().unwrap_or_default());
        self.gone |= self.to.send(chunk).is_err();
    }
}

impl CaptureSink for Writing {
    fn frame(&mut self, time: Time) {
        if self.pick.selection.frame(time) {
            self.part.origin(time);
        }
    }

    fn go_on(&mut self, _: impl FnOnce() -> bool) -> bool {
        !self.gone
    }
}

impl inspector::Worker for Writing {
    fn first(&mut self, time: Time) {
        CaptureSink::frame(self, time);
    }

    #[inline]
    fn go_on(&mut self) -> bool {
        if self.full() {
            self.hand_over();
        }
        !self.gone
    }
}

/// Dissects a capture with `count` workers.
///
/// # Errors
/// None; errors while reading are part of the returned summary.
pub fn capture(
    capture: Capture,
    options: &Options,
    count: usize,
    printer: &mut Printer,
) -> anyhow::Result<ReadSummary> {
    printer.begin();
    let mut packets = Packets::new(capture).caps(options.limits.fragments);
    let (dispatcher, inboxes) = dispatch(count);
    let parts = std::iter::from_fn(|| printer.part()).take(count + 1);
    let (mut threads, mut ends): (Vec<_>, Vec<_>) = parts.map(|part| Writing::new(part, printer.pick.part())).unzip();
    let Some(mut mine) = threads.pop() else { return Ok(ReadSummary::default()) };
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let seen = dissect(&mut packets, options, Some(dispatcher), &mut mine);
            mine.part.sequence(u64::MAX);
            mine.hand_over();
            (seen, mine.pick)
        });
        let mut running = Vec::new();
        for (inbox, mut writing) in inboxes.into_iter().zip(threads) {
            running.push(scope.spawn(move || {
                let counted = inbox.read(options, &mut writing);
                writing.hand_over();
                (counted, writing.pick)
            }));
        }
        let mut merge = Merge::new(ends.len());
        while let Some(part) = printer.merge(&mut merge)
            && let Some((chunks, back)) = ends.get(part)
            && !printer.done()
        {
            let chunk = chunks.recv().ok();
            // A thread that has ended needs no memory back.
            let _ = back.send(merge.deliver(part, chunk));
        }
        ends.clear();
        let (mut seen, pick) = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        printer.pick.merge(pick);
        for worker in running {
            let ((counters, flows), pick) = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            printer.pick.merge(pick);
            seen.add(&counters, &flows);
        }
        Ok(seen)
    })
}
