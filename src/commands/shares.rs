//! `netkit decode` on several processors: each worker reads the whole file and dissects its share
//! of the conversations; what they print is merged into the order of one.
//!
//! Reading a frame and finding its conversation costs little beside dissecting and printing it, so
//! nothing has to be handed from thread to thread but finished text.

use super::output::{Pick, Printer};
use super::read::{Reading, Seen, dissect};
use netkit::capture::{Capture, Input, Packets, Time};
use netkit::protocols::{Message, Options, Share, Sink};
use netkit::render::{Chunk, Part};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// After so many frames the workers' text is merged: little enough to stay in the processors'
/// caches.
const BATCH: u64 = 1024;
/// How many batches a worker may be ahead.
const AHEAD: usize = 4;
/// Smaller files are done before a second thread has begun.
const SMALL: u64 = 4 << 20;
/// More workers would read more than they dissect.
const MOST: usize = 8;

/// How many workers are worth it; `asked` is the user's word.
pub fn workers(path: &Path, asked: Option<usize>, printer: &Printer) -> usize {
    let whole = std::fs::metadata(path).ok().filter(|about| about.is_file());
    let (Some(about), true) = (whole, printer.divides()) else { return 1 };
    match asked {
        Some(n) => n.clamp(1, MOST),
        None if about.len() < SMALL || printer.watched => 1,
        None => thread::available_parallelism().map_or(1, |n| n.get().min(MOST)),
    }
}

/// One share's messages on their way to the merger.
struct Worker {
    part: Part,
    pick: Pick,
    to: SyncSender<Chunk>,
    used: Receiver<Chunk>,
    frames: u64,
    /// Nobody merges any more.
    gone: bool,
}

impl Worker {
    fn send(&mut self) {
        let chunk = self.part.take(self.used.try_recv().unwrap_or_default());
        self.gone |= self.to.send(chunk).is_err();
    }
}

impl Sink for Worker {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            self.part.message(message);
        }
    }

    #[inline]
    fn turn(&mut self, turn: u64) {
        self.part.turn(turn);
    }
}

impl Reading for Worker {
    fn frame(&mut self, time: Time) {
        self.frames += 1;
        if self.pick.selection.frame(time) {
            self.part.origin(time);
        }
    }

    fn go_on(&mut self, _: bool) -> bool {
        if self.frames.is_multiple_of(BATCH) {
            self.send();
        }
        !self.gone
    }
}

/// Dissects a capture file with `count` workers.
///
/// # Errors
/// Where the file cannot be opened; what stops the reading later is in what is returned.
pub fn capture(
    path: &Path,
    options: &Options,
    count: usize,
    verbose: bool,
    printer: &mut Printer,
) -> anyhow::Result<Seen> {
    printer.begin();
    thread::scope(|scope| {
        let mut ends: Vec<(Receiver<Chunk>, Sender<Chunk>)> = Vec::new();
        let mut running = Vec::new();
        for index in 0..count {
            let Some(part) = printer.part() else { break };
            let ((to, chunks), (back, used)) = (sync_channel(AHEAD), channel());
            let mut worker = Worker { part, pick: printer.pick.clone(), to, used, frames: 0, gone: false };
            let capture = Capture::new(Input::new(super::input::open(path)?)?)?;
            let mut packets = Packets::new(capture).caps(options.limits.fragments);
            let share = Share { index: index as u64, of: count as u64 };
            ends.push((chunks, back));
            running.push(scope.spawn(move || {
                let seen = dissect(&mut packets, options, share, verbose, &mut worker);
                worker.send();
                (seen, worker.pick.failed)
            }));
        }
        let mut batch = Vec::new();
        while !printer.done() {
            batch.clear();
            batch.extend(ends.iter().map(|(chunks, _)| chunks.recv()));
            if batch.iter().all(Result::is_err) {
                break;
            }
            let mut chunks: Vec<Chunk> = batch.drain(..).map(Result::unwrap_or_default).collect();
            printer.merge(&chunks);
            for (chunk, (_, back)) in chunks.drain(..).zip(&ends) {
                // A worker that has ended needs no memory.
                let _ = back.send(chunk);
            }
        }
        drop(ends);
        let mut first = None;
        for worker in running {
            match worker.join() {
                Ok((seen, failed)) => {
                    printer.pick.failed |= failed;
                    first = first.or(Some(seen));
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(first.unwrap_or_default())
    })
}
