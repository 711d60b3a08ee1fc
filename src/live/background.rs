//! Writes to an output on a thread of its own, for callers that must never wait for the output. A chunk that does not
//! fit into the bounded queue is refused and counted.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// A batch of this many bytes is written at once. A terminal on a busy machine takes seconds for much more, and looks
/// blocked until the whole batch is written.
const BATCH: usize = 8 << 10;

/// A queue of chunks, and the thread that writes them. The thread ends with the last clone.
#[derive(Clone, Debug)]
pub struct Background(Arc<Handle>);

/// The state of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Chunks that are written.
    pub written: u64,
    /// Chunks that were accepted and are not written yet.
    pub waiting: u64,
    /// Chunks that were not accepted: the queue was full, or the output had failed.
    pub refused: u64,
    /// The error after which nothing more is written.
    pub failed: Option<(ErrorKind, String)>,
}

impl Written {
    /// The number of chunks that did not reach the output.
    pub fn missing(&self) -> u64 {
        self.waiting + self.refused
    }
}

#[derive(Debug)]
struct Handle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    chunks: VecDeque<Vec<u8>>,
    bytes: usize,
    counts: Written,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Background {
    /// Starts the thread. At most `most` bytes wait in the queue.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(name: &str, out: Box<dyn Write + Send>, most: usize) -> io::Result<Background> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), most });
        let theirs = Arc::clone(&shared);
        Builder::new().name(name.into()).spawn(move || write(&theirs, out))?;
        Ok(Background(Arc::new(Handle(shared))))
    }

    fn shared(&self) -> &Shared {
        &self.0.0
    }

    /// Queues a chunk, which is written whole or not at all. Returns whether it was accepted.
    pub fn push(&self, chunk: Vec<u8>) -> bool {
        let shared = self.shared();
        let mut state = shared.lock();
        let taken = state.counts.failed.is_none() && state.bytes.saturating_add(chunk.len()) <= shared.most;
        if taken {
            state.bytes += chunk.len();
            state.counts.waiting += 1;
            state.chunks.push_back(chunk);
            shared.changed.notify_all();
        } else {
            state.counts.refused += 1;
        }
        taken
    }

    /// Waits until all accepted chunks are written, or until none has been written for `patience`.
    pub fn settle(&self, patience: Duration) -> Written {
        let shared = self.shared();
        let mut state = shared.lock();
        let (mut written, mut since) = (state.counts.written, Instant::now());
        while state.counts.waiting > 0 && state.counts.failed.is_none() && since.elapsed() < patience {
            let wait = patience.saturating_sub(since.elapsed());
            state = shared.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
            if state.counts.written != written {
                (written, since) = (state.counts.written, Instant::now());
            }
        }
        state.counts.clone()
    }

    /// Returns the state of the output.
    pub fn state(&self) -> Written {
        self.shared().lock().counts.clone()
    }

    /// Closes the output, and [settles](Background::settle) it. If the output is still blocked then, its thread is left
    /// to itself.
    pub fn finish(&self, patience: Duration) -> Written {
        self.shared().lock().ended = true;
        self.shared().changed.notify_all();
        self.settle(patience)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

/// Each write is one chunk.
impl Write for Background {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.push(bytes.to_vec()) {
            true => Ok(bytes.len()),
            false => Err(match self.state().failed {
                Some((kind, why)) => io::Error::new(kind, why),
                None => io::Error::new(ErrorKind::QuotaExceeded, "the output is too slow"),
            }),
        }
    }

    /// Does nothing, because the thread writes as soon as it can.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes all chunks, and flushes whenever none waits.
fn write(shared: &Shared, mut out: Box<dyn Write + Send>) {
    let mut state = shared.lock();
    loop {
        while state.chunks.is_empty() && !state.ended {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let Some(mut batch) = state.chunks.pop_front() else { return };
        let mut count = 1;
        while batch.len() < BATCH
            && let Some(chunk) = state.chunks.pop_front()
        {
            batch.extend_from_slice(&chunk);
            count += 1;
        }
        let last = state.chunks.is_empty();
        drop(state);
        let done = out.write_all(&batch).and_then(|()| if last { out.flush() } else { Ok(()) });
        state = shared.lock();
        state.bytes -= batch.len();
        if let Err(error) = done {
            state.counts.failed = Some((error.kind(), error.to_string()));
            state.chunks.clear();
            state.bytes = 0;
            shared.changed.notify_all();
            return;
        }
        state.counts.waiting -= count;
        state.counts.written += count;
        shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Writes one chunk for each permission, and fails when there are no more permissions.
    struct Gated(Receiver<()>, Sender<Vec<u8>>);

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| io::Error::new(ErrorKind::StorageFull, "full"))?;
            let _ = self.1.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gated(most: usize) -> (Background, Sender<()>, Receiver<Vec<u8>>) {
        let ((permit, gate), (out, received)) = (channel(), channel());
        (Background::start("test", Box::new(Gated(gate, out)), most).unwrap(), permit, received)
    }

    #[test]
    fn a_blocked_output_is_never_waited_for() {
        let (output, permit, received) = gated(8);
        let taken = (0..6u8).filter(|n| output.push(vec![*n; 3])).count() as u64;
        assert_eq!(taken, 2, "8 bytes hold two chunks of 3, whether or not the first is being written");
        permit.send(()).unwrap();
        let written = received.recv().unwrap().len() as u64 / 3;
        // The writer counts it a moment later.
        while output.state().written < written {
            std::thread::yield_now();
        }
        let end = output.finish(Duration::from_millis(20));
        assert_eq!((end.waiting, end.refused, end.failed.clone()), (2 - written, 4, None));
        assert_eq!(end.missing(), 6 - written);
    }

    /// A slow output is not taken for a blocked one: what it has written is counted soon.
    #[test]
    fn a_batch_is_small() {
        let (output, permit, received) = gated(1 << 20);
        assert!((0..64).all(|_| output.push(vec![0; 1 << 10])));
        for _ in 0..2 {
            permit.send(()).unwrap();
            assert!(received.recv_timeout(Duration::from_secs(60)).unwrap().len() <= 8 << 10);
        }
        assert!(output.finish(Duration::from_millis(20)).waiting >= 48);
    }

    #[test]
    fn a_failed_output_takes_no_more() {
        let (output, permit, _arrived) = gated(64);
        assert!(output.push(vec![1]));
        permit.send(()).unwrap();
        while output.state().written < 1 {
            std::thread::yield_now();
        }
        assert!(output.push(vec![2]));
        drop(permit);
        while output.state().failed.is_none() {
            std::thread::yield_now();
        }
        assert!(!output.push(vec![3]));
        let end = output.finish(Duration::from_secs(60));
        assert_eq!((end.written, end.waiting, end.refused), (1, 1, 1));
        assert_eq!(end.failed.unwrap().0, ErrorKind::StorageFull);
    }

    #[test]
    fn everything_is_written_in_order() {
        let (output, permit, received) = gated(1 << 20);
        for n in 0..200u8 {
            assert!(output.push(vec![n]));
            permit.send(()).unwrap();
        }
        assert_eq!(output.finish(Duration::from_secs(60)).missing(), 0);
        assert_eq!(received.try_iter().flatten().collect::<Vec<u8>>(), (0..200).collect::<Vec<u8>>());
    }

    #[test]
    fn a_line_is_written() -> Result<(), std::io::Error> {
        use crate::live::Background;
        use std::time::Duration;

        let output = Background::start("screen", Box::new(std::io::sink()), 1 << 20)?;
        assert!(output.push(b"a line\n".to_vec()));
        assert_eq!(output.finish(Duration::from_secs(60)).missing(), 0);
        Ok(())
    }
}
