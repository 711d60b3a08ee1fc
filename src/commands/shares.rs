//! `netkit decode` on several processors: each worker reads the whole file and dissects its share
//! of the conversations; what they print is merged into the order of one.
//!
//! Reading a frame and finding its conversation costs little beside dissecting and printing it, so
//! nothing has to be handed from thread to thread but finished text.

use super::gates::Pick;
use super::output::Printer;
use super::read::{Reading, Seen, dissect};
use netkit::capture::{Capture, Input, Packets, Time};
use netkit::dissect::{Message, Options, Share, Sink};
use netkit::render::{Chunk, Merge, Part};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// A worker hands over so many bytes of text at a time: enough that waking each other costs nothing,
/// little enough to stay in the processors' caches.
const CHUNK: usize = 256 << 10;
/// After so many frames a worker tells that it has nothing to say, so that the others' text goes on.
const SILENCE: u64 = 1 << 14;
/// How many chunks a worker may be ahead.
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
    /// Frames since the last chunk.
    frames: u64,
    /// Nobody merges any more.
    gone: bool,
}

impl Worker {
    fn send(&mut self) {
        self.frames = 0;
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
        self.pick.turn(turn);
    }
}

impl Reading for Worker {
    fn frame(&mut self, time: Time) {
        self.frames += 1;
        if self.pick.selection.frame(time) {
            self.part.origin(time);
        }
    }

    fn go_on(&mut self, _: impl FnOnce() -> bool) -> bool {
        if self.part.len() >= CHUNK || self.frames >= SILENCE {
            self.send();
        }
        !self.gone
    }
}

/// Dissects a capture file with `count` workers.
///
/// # Errors
/// Where the file cannot be opened; what stops the reading later is in what is returned.
pub fn capture(path: &Path, options: &Options, count: usize, printer: &mut Printer) -> anyhow::Result<Seen> {
    printer.begin();
    thread::scope(|scope| {
        let mut ends: Vec<(Receiver<Chunk>, Sender<Chunk>)> = Vec::new();
        let mut running = Vec::new();
        for index in 0..count {
            let Some(part) = printer.part() else { break };
            let ((to, chunks), (back, used)) = (sync_channel(AHEAD), channel());
            let mut worker = Worker { part, pick: printer.pick.part(), to, used, frames: 0, gone: false };
            let capture = Capture::new(Input::new(super::input::open(path)?)?)?;
            let mut packets = Packets::new(capture).caps(options.limits.fragments);
            let share = Share { index: index as u64, of: count as u64 };
            ends.push((chunks, back));
            running.push(scope.spawn(move || {
                let seen = dissect(&mut packets, options, share, &mut worker);
                worker.send();
                (seen, worker.pick)
            }));
        }
        let mut merge = Merge::new(ends.len());
        while let Some(part) = printer.merge(&mut merge)
            && let Some((chunks, back)) = ends.get(part)
            && !printer.done()
        {
            let chunk = chunks.recv().ok();
            // A worker that has ended needs no memory.
            let _ = back.send(merge.deliver(part, chunk));
        }
        drop(ends);
        let mut first: Option<Seen> = None;
        for worker in running {
            match worker.join() {
                Ok((seen, pick)) => {
                    printer.pick.merge(pick);
                    match &mut first {
                        Some(first) => first.add(&seen),
                        None => first = Some(seen),
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(first.unwrap_or_default())
    })
}
