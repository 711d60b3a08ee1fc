//! The capture again, with its messages as comments.

use super::chunk::Chunk;
use super::comment::Commenter;
use super::window::Window;
use crate::capture::block::{self, Block};
use crate::capture::{Body, Bound, Decoded, Format, Frame, Input, PcapNgWriter, Tap};
use crate::dissect::Message;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Blocks between two frames that are held with the next one; more are written at once.
const BETWEEN: usize = 1 << 20;

/// Writes the frames of a capture as they are, each with the comments of its messages.
///
/// What is pcapng stays as it is: sections, interfaces, options, names, statistics, the comments of
/// others. Of other captures each link type and resolution becomes an interface. Memory is constant: the
/// latest frames are held until their messages are known, up to 4 MiB.
///
/// ```
/// use netkit::capture::{Input, LinkType, PcapWriter, Time};
/// use netkit::render::pcapng::{Annotated, Commenter};
///
/// let mut file = Vec::new();
/// PcapWriter::new(&mut file, LinkType::ETHERNET, 6)?.frame(Time::micros(7, 8), b"abc")?;
/// let input = Input::new(Box::new(std::io::Cursor::new(file)))?;
/// let (annotated, input) = Annotated::new(input, Commenter::default(), Box::new(std::io::sink()))?;
/// # let _ = (annotated, input);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Annotated(Arc<Mutex<Copier>>);

/// What is to be told when all is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The frames that were written.
    pub frames: u64,
    /// Messages that became known when all frames were written, or that their frames had no room for.
    pub lost: u64,
}

struct Copier {
    window: Window,
    source: Source,
    commenter: Commenter,
    /// The number of the last frame.
    last: u64,
    /// Blocks that stand before the next frame.
    before: Vec<u8>,
}

enum Source {
    /// Frames to be described anew.
    Frames(PcapNgWriter<Vec<u8>>),
    /// Blocks: those that have arrived and were not taken yet, from `start` on.
    Blocks { bytes: Vec<u8>, start: usize, big: bool },
}

impl Annotated {
    /// Writes to `out`, which needs no buffering, what is read from the returned input. The input is a
    /// capture.
    ///
    /// # Errors
    /// None so far.
    pub fn new(input: Input, commenter: Commenter, out: Box<dyn Write + Send>) -> io::Result<(Annotated, Input)> {
        let blocks = input.format() == Some(Format::PcapNg);
        let source = match blocks {
            true => Source::Blocks { bytes: Vec::new(), start: 0, big: false },
            false => Source::Frames(PcapNgWriter::new(Vec::new())?),
        };
        let window = Window::new(out);
        let copier = Copier { window, source, commenter, last: 0, before: Vec::new() };
        let annotated = Annotated(Arc::new(Mutex::new(copier)));
        let input = match blocks {
            true => input.tap(Box::new(annotated.clone())),
            false => input,
        };
        Ok((annotated, input))
    }

    fn lock(&self) -> MutexGuard<'_, Copier> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next frame, before its messages. One that holds several packets may come several times.
    pub fn frame(&self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.lock().frame(frame, decoded);
    }

    /// A message, of this frame or an earlier one.
    pub fn message(&self, message: &Message<'_>) {
        let copier = &mut *self.lock();
        copier.window.comment(message, &mut copier.commenter);
    }

    /// Writes all frames so far: whoever watches sees them. What becomes known of them later stands at a
    /// later frame.
    pub fn flush(&self) {
        self.lock().window.flush();
    }

    /// Comments take room of a file that may not become larger than that.
    pub fn bound(&self, bound: Bound) {
        self.lock().window.bound = bound;
    }

    /// Has writing failed?
    pub fn failed(&self) -> bool {
        self.lock().window.failed.is_some()
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// The error that stopped the output, now or before.
    pub fn finish(&self) -> io::Result<Copied> {
        let copier = &mut *self.lock();
        copier.others();
        let tail = std::mem::take(&mut copier.before);
        if let Source::Frames(writer) = &mut copier.source
            && copier.last == 0
        {
            // A capture without frames is one, too.
            writer.interface_of(crate::capture::LinkType::ETHERNET, 6)?;
            let head = std::mem::take(writer.get_mut());
            copier.window.others(&head);
        }
        copier.window.others(&tail);
        copier.window.flush();
        match copier.window.failed.take() {
            None => Ok(Copied { frames: copier.last, lost: copier.window.lost }),
            Some(error) => Err(error),
        }
    }
}

impl Tap for Annotated {
    fn arrived(&mut self, new: &[u8]) {
        if let Source::Blocks { bytes, start, .. } = &mut self.lock().source {
            bytes.drain(..std::mem::take(start));
            bytes.extend_from_slice(new);
        }
    }

    fn waits(&mut self) {
        // All frames that are there whole have been taken.
        self.lock().others();
    }
}

impl Copier {
    /// Takes the blocks before the next packet's.
    fn others(&mut self) {
        let Source::Blocks { bytes, start, big } = &mut self.source else { return };
        while let Some(block) = Block::first(bytes.get(*start..).unwrap_or_default(), *big) {
            if block.is_packet() {
                return;
            }
            *start += block.bytes.len();
            let mark = self.before.len();
            self.before.extend_from_slice(block.bytes);
            if block.kind == block::SECTION {
                *big = block.is_big();
                // The section's length, which comments change, is not known in advance.
                if let Some(length) = self.before.get_mut(mark + 16..mark + 24) {
                    length.fill(0xff);
                }
            }
            if self.before.len() > BETWEEN {
                self.window.others(&self.before);
                self.before.clear();
            }
        }
    }

    fn frame(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        if frame.number == self.last {
            return;
        }
        self.last = frame.number;
        self.others();
        let Copier { source, before, window, .. } = self;
        let (captured, place) = (frame.data.len(), payload(frame, decoded));
        let chunk = window.next();
        chunk.before(before);
        before.clear();
        let done = match source {
            Source::Blocks { bytes, start, big } => {
                match Block::first(bytes.get(*start..).unwrap_or_default(), *big) {
                    Some(block) => {
                        *start += block.bytes.len();
                        chunk.whole(frame.number, block, captured, place);
                        Ok(())
                    }
                    // The reader has found it there.
                    None => Err(io::Error::other(format!("frame {}: its block is not there", frame.number))),
                }
            }
            Source::Frames(writer) => begin(writer, frame, chunk, place),
        };
        if let (Err(error), None) = (done, &window.failed) {
            window.failed = Some(error);
        }
    }
}

/// Begins the block of a frame, and before it those that it needs.
fn begin(
    writer: &mut PcapNgWriter<Vec<u8>>,
    frame: &Frame<'_>,
    chunk: &mut Chunk,
    place: Option<(Range<usize>, bool)>,
) -> io::Result<()> {
    let interface = writer.interface_of(frame.link, frame.time.digits)?;
    chunk.before(writer.get_mut());
    writer.get_mut().clear();
    let start = chunk.bytes().len();
    writer.begin(interface, frame, chunk.bytes())?;
    chunk.begun(frame.number, start, frame.data.len(), place);
    Ok(())
}

/// Where in the frame the transport's payload is, and whether it is a datagram; `None` where it is not
/// in this frame alone.
fn payload(frame: &Frame<'_>, decoded: &Decoded<'_>) -> Option<(Range<usize>, bool)> {
    let Decoded::Packet(packet) = decoded else { return None };
    let (bytes, datagram) = match &packet.body {
        Body::Udp { payload, .. } => (*payload, true),
        Body::Tcp(segment) => (segment.payload, false),
    };
    // Joined fragments are elsewhere in memory.
    let start = bytes.as_ptr().addr().checked_sub(frame.data.as_ptr().addr())?;
    let range = start..start.checked_add(bytes.len())?;
    (range.end <= frame.data.len()).then_some((range, datagram))
}
