//! A copy of a capture, with its messages as comments.

use super::chunk::{Chunk, PayloadRange};
use super::comment::Commenter;
use super::window::Window;
use crate::capture::block::{self, Block};
use crate::capture::{Body, Bound, Decoded, Format, Frame, Input, PcapNgWriter, Tap};
use crate::dissect::{Account, Message};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum size of the blocks between two frames that are held for the next frame. Larger ones are written at once.
const BETWEEN: usize = 1 << 20;
/// The beginning of the account's comment.
const ACCOUNT: &str = "netkit:account ";

/// Writes the frames of a capture as they are, each with the comments of its messages.
///
/// In a pcapng file everything else stays: sections, interfaces, options, names, statistics, other programs' comments.
/// In other captures, each link type and resolution becomes an interface. Memory is constant: the latest frames are
/// held until their messages are known, up to 4 MiB.
#[derive(Clone)]
pub struct Annotated(Arc<Mutex<Copier>>);

/// The figures of a finished copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The frames that were written.
    pub frames: u64,
    /// The number of messages without a comment: all frames were already written, or their frames had no room.
    pub lost: u64,
}

struct Copier {
    window: Window,
    source: Source,
    commenter: Commenter,
    /// The number of the last frame.
    last: u64,
    /// Blocks before the next frame.
    before: Vec<u8>,
    /// The account's comment.
    account: Option<String>,
    /// Whether the section describes an interface.
    described: bool,
}

enum Source {
    /// Frames, for which new blocks are written.
    Frames(PcapNgWriter<Vec<u8>>),
    /// Blocks. Those that have arrived and were not used yet begin at `start`.
    Blocks { bytes: Vec<u8>, start: usize, big: bool },
}

impl Annotated {
    /// Writes everything that is read from the returned input to `out`, which needs no buffering. The input must be a
    /// capture.
    ///
    /// # Errors
    /// Never fails at present.
    pub fn new(input: Input, commenter: Commenter, out: Box<dyn Write + Send>) -> io::Result<(Annotated, Input)> {
        let blocks = input.format() == Some(Format::PcapNg);
        let source = match blocks {
            true => Source::Blocks { bytes: Vec::new(), start: 0, big: false },
            false => Source::Frames(PcapNgWriter::new(Vec::new())?),
        };
        let window = Window::new(out);
        let copier =
            Copier { window, source, commenter, last: 0, before: Vec::new(), account: None, described: !blocks };
        let annotated = Annotated(Arc::new(Mutex::new(copier)));
        let input = if blocks { input.tap(Box::new(annotated.clone())) } else { input };
        Ok((annotated, input))
    }

    fn lock(&self) -> MutexGuard<'_, Copier> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next frame, before its messages. A frame with several packets may be added several times.
    pub fn frame(&self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.lock().frame(frame, decoded);
    }

    /// Adds a message of this frame or an earlier one.
    pub fn message(&self, message: &Message<'_>) {
        let copier = &mut *self.lock();
        copier.window.comment(message, &mut copier.commenter);
    }

    /// Writes all frames so far, so that a watching user sees them. Messages of these frames that become known later
    /// are written at a later frame.
    pub fn flush(&self) {
        self.lock().window.flush();
    }

    /// Sets the size limit of the file, which comments count against.
    pub fn bound(&self, bound: Bound) {
        self.lock().window.bound = bound;
    }

    /// Whether writing has failed.
    pub fn failed(&self) -> bool {
        self.lock().window.failed.is_some()
    }

    /// Sets the account of the capture: the comment of a statistics block at the end.
    pub fn account(&self, account: &Account) {
        self.lock().account = Some(format!("{ACCOUNT}{}", account.json()));
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// Returns the error that stopped the output, now or before.
    pub fn finish(&self) -> io::Result<Copied> {
        let copier = &mut *self.lock();
        copier.others();
        let mut tail = std::mem::take(&mut copier.before);
        if let Some(account) = copier.account.take().filter(|_| copier.last > 0 && copier.described) {
            let (start, big) = (tail.len(), matches!(copier.source, Source::Blocks { big: true, .. }));
            block::begin(block::STATISTICS, big, &mut tail);
            // The first interface, and no time.
            tail.extend_from_slice(&[0; 12]);
            block::option(block::COMMENT, account.as_bytes(), big, &mut tail);
            block::option(0, &[], big, &mut tail);
            block::end(start, big, &mut tail);
        }
        if let Source::Frames(writer) = &mut copier.source
            && copier.last == 0
        {
            // A capture without frames is a valid capture.
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
        // All complete frames have been taken.
        self.lock().others();
    }
}

impl Copier {
    /// Takes the blocks before the next packet's block.
    fn others(&mut self) {
        let Source::Blocks { bytes, start, big } = &mut self.source else { return };
        while let Some(block) = Block::first(bytes.get(*start..).unwrap_or_default(), *big) {
            if block.is_packet() {
                return;
            }
            *start += block.bytes.len();
            // The account of an earlier run is replaced.
            if block.kind == block::STATISTICS && memchr::memmem::find(block.bytes, ACCOUNT.as_bytes()).is_some() {
                continue;
            }
            let mark = self.before.len();
            self.before.extend_from_slice(block.bytes);
            self.described |= block.kind == block::INTERFACE;
            if block.kind == block::SECTION {
                self.described = false;
                *big = block.is_big();
                // Comments change the section's length, so it is not known in advance.
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
                    // Cannot happen: the reader found the block there.
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

/// Starts the block of a frame, after the blocks that it needs.
fn begin(
    writer: &mut PcapNgWriter<Vec<u8>>,
    frame: &Frame<'_>,
    chunk: &mut Chunk,
    place: Option<PayloadRange>,
) -> io::Result<()> {
    let interface = writer.interface_of(frame.link, frame.time.digits)?;
    chunk.before(writer.get_mut());
    writer.get_mut().clear();
    let start = chunk.bytes().len();
    writer.begin(interface, frame, chunk.bytes())?;
    chunk.begun(frame.number, start, frame.data.len(), place);
    Ok(())
}

/// Returns the place of the transport's payload in the frame. Returns `None` if the payload is not in this frame alone.
fn payload(frame: &Frame<'_>, decoded: &Decoded<'_>) -> Option<PayloadRange> {
    let Decoded::Packet(packet) = decoded else { return None };
    let (bytes, datagram) = match &packet.body {
        Body::Udp { payload, .. } => (*payload, true),
        Body::Tcp(segment) => (segment.payload, false),
    };
    // Joined fragments are elsewhere in memory.
    let start = bytes.as_ptr().addr().checked_sub(frame.data.as_ptr().addr())?;
    let range = start..start.checked_add(bytes.len())?;
    (range.end <= frame.data.len()).then_some(PayloadRange { range, datagram })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_capture_is_annotated() -> Result<(), Box<dyn std::error::Error>> {
        use crate::capture::{Input, LinkType, PcapWriter, Time};
        use crate::render::pcapng::{Annotated, Commenter};

        let mut file = Vec::new();
        PcapWriter::new(&mut file, LinkType::ETHERNET, 6)?.frame(Time::micros(7, 8), b"abc")?;
        let input = Input::new(Box::new(std::io::Cursor::new(file)))?;
        let (annotated, input) = Annotated::new(input, Commenter::default(), Box::new(std::io::sink()))?;
        let _ = (annotated, input);
        Ok(())
    }
}
