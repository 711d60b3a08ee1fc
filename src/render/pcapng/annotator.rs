//! A capture that gets its comments while a proxy or a replay writes it.

use super::comment::Commenter;
use super::copy::{Annotated, Copied};
use crate::capture::{Bound, Capture, Decoded, Input, Packets};
use crate::dissect::{Inspector, Message, Options, Sink};
use crate::encode::STACK;
use crate::flow::Table;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// The number of bytes that may wait to be read. Beyond it, the writer blocks.
const WAITING: usize = 1 << 20;

/// Reads a capture from its [writer](Annotator::writer) while it is written, in a thread of its own, and writes it with
/// comments as [`Annotated`] does.
pub struct Annotator {
    pipe: Arc<Pipe>,
    reading: JoinHandle<io::Result<Copied>>,
}

/// Settings of the annotation.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Options for reading the messages.
    pub options: Options,
    /// The limit of the file. Comments beyond it are left out.
    pub bound: Bound,
    /// Whether somebody watches the output. Then no frame is held back while none arrives.
    pub watched: bool,
}

/// Writes the capture to the annotator.
pub(crate) struct AnnotatorWriter(Arc<Pipe>);

impl Annotator {
    /// Starts the thread. `out` needs no buffering.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn begin(commenter: Commenter, how: Annotation, out: Box<dyn Write + Send>) -> io::Result<Annotator> {
        let pipe = Arc::new(Pipe::default());
        let reader = Reader(pipe.clone());
        // Messages nest, and reading them recurses.
        let thread = Builder::new().name("comments".into()).stack_size(STACK);
        let reading = thread.spawn(move || annotate(reader, commenter, &how, out))?;
        Ok(Annotator { pipe, reading })
    }

    /// Returns the writer for the capture, pcap or pcapng.
    pub fn writer(&self) -> impl Write + Send + use<> {
        AnnotatorWriter(self.pipe.clone())
    }

    /// Ends the capture, and completes the output.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn finish(self) -> io::Result<Copied> {
        self.pipe.lock().ended = true;
        self.pipe.changed.notify_all();
        self.reading.join().unwrap_or_else(|_| Err(io::Error::other("the comments' thread has ended")))
    }
}

/// Bytes between two threads.
#[derive(Default)]
struct Pipe {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The writer has finished.
    ended: bool,
    /// The reader has stopped, for this reason.
    gone: Option<(ErrorKind, String)>,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for AnnotatorWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        while state.bytes.len() > WAITING && state.gone.is_none() {
            state = self.0.wait(state);
        }
        if let Some((kind, why)) = &state.gone {
            return Err(io::Error::new(*kind, why.clone()));
        }
        state.bytes.extend_from_slice(bytes);
        drop(state);
        self.0.changed.notify_all();
        Ok(bytes.len())
    }

    /// Does nothing: the reader takes all bytes at once.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the bytes of the writer.
struct Reader(Arc<Pipe>);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        while state.bytes.is_empty() && !state.ended {
            state = self.0.wait(state);
        }
        let count = buffer.len().min(state.bytes.len());
        buffer.get_mut(..count).unwrap_or_default().copy_from_slice(state.bytes.get(..count).unwrap_or_default());
        state.bytes.drain(..count);
        drop(state);
        self.0.changed.notify_all();
        Ok(count)
    }
}

/// Marks the pipe as closed when the reader stops for any reason.
struct Gone(Arc<Pipe>, (ErrorKind, String));

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.lock().gone = Some(std::mem::replace(&mut self.1, (ErrorKind::Other, String::new())));
        self.0.changed.notify_all();
    }
}

/// Adds the messages as comments.
struct Comments(Annotated);

impl Sink for Comments {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }
}

fn annotate(reader: Reader, commenter: Commenter, how: &Annotation, out: Box<dyn Write + Send>) -> io::Result<Copied> {
    let mut gone = Gone(reader.0.clone(), (ErrorKind::Other, "the comments' thread has ended".into()));
    let done = frames(reader, commenter, how, out);
    if let Err(error) = &done {
        gone.1 = (error.kind(), error.to_string());
    }
    done
}

fn frames(reader: Reader, commenter: Commenter, how: &Annotation, out: Box<dyn Write + Send>) -> io::Result<Copied> {
    let options = &how.options;
    let input = Input::new(Box::new(reader)).map_err(io::Error::other)?;
    let (annotated, input) = Annotated::new(input, commenter, out)?;
    annotated.bound(how.bound.clone());
    let capture = Capture::new(input).map_err(io::Error::other)?;
    let mut packets = Packets::new(capture).caps(options.limits.fragments);
    let (mut sink, mut table) = (Comments(annotated.clone()), Table::new(options.limits.flow));
    let mut inspector = Inspector::new(options, &mut sink);
    let mut failed = None;
    while !annotated.failed() {
        let next = packets.next_with(|frame, decoded| {
            annotated.frame(frame, decoded);
            inspector.frame(frame.time);
            if let Decoded::Packet(packet) = decoded {
                table.packet(packet, &mut inspector);
            }
        });
        match next {
            Ok(Some(())) if how.watched && packets.capture().waiting() == 0 => annotated.flush(),
            Ok(Some(())) => {}
            Ok(None) => break,
            // Everything that could be read is written.
            Err(error) => {
                failed = Some(io::Error::other(error));
                break;
            }
        }
    }
    table.finish(&mut inspector);
    inspector.end();
    let copied = annotated.finish()?;
    failed.map_or(Ok(copied), Err)
}
