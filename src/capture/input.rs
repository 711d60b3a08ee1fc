//! Reads the bytes of a file or pipe as soon as they arrive. Unpacks gzip and zstd, and rejects known formats that are
//! neither capture nor text by name. Looking at the first bytes consumes nothing.

use super::error::{CaptureError, Place};
use super::gzip::Gzip;
use super::zstd::Zstd;
use super::{Capture, NextFile, magic};
use std::io::{self, BufReader, Read};

/// The read size. Larger blocks do not fit the processor's second-level cache; smaller ones cost more system calls.
const BLOCK: usize = 128 * 1024;

/// A capture format, determined by the first four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Classic pcap, of any byte order and resolution.
    Pcap,
    /// pcapng.
    PcapNg,
}

impl Format {
    /// The format of a file with these first bytes, `None` if it is not a capture.
    pub fn of(first: &[u8]) -> Option<Format> {
        match first.first_chunk::<4>()? {
            [0x0a, 0x0d, 0x0d, 0x0a] => Some(Format::PcapNg),
            // Microseconds, nanoseconds, and Kuznetzov's longer records; big-endian first in each line.
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xd4, 0xc3, 0xb2, 0xa1] => Some(Format::Pcap),
            [0xa1, 0xb2, 0x3c, 0x4d] | [0x4d, 0x3c, 0xb2, 0xa1] => Some(Format::Pcap),
            [0xa1, 0xb2, 0xcd, 0x34] | [0x34, 0xcd, 0xb2, 0xa1] => Some(Format::Pcap),
            _ => None,
        }
    }
}

/// Observes a file's bytes, unpacked, as they are read.
pub(crate) trait Tap: Send {
    /// Is called with bytes that have arrived.
    fn arrived(&mut self, bytes: &[u8]);

    /// Is called before more bytes are read: every complete record so far has been returned.
    fn waits(&mut self);
}

/// An input whose first bytes can be inspected; reading it still yields every byte.
///
/// ```
/// use netkit::capture::Input;
/// use std::io::Read;
///
/// let mut input = Input::new(Box::new(&b"01 02 03"[..]))?;
/// assert_eq!(input.format(), None);
/// let mut text = String::new();
/// input.read_to_string(&mut text).unwrap();
/// assert_eq!(text, "01 02 03");
/// # Ok::<(), netkit::capture::CaptureError>(())
/// ```
pub struct Input {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The range of `buffer` that has been read but not consumed.
    start: usize,
    end: usize,
    /// The position of `buffer[start]` in the unpacked file.
    position: u64,
    packed: bool,
    ended: bool,
    /// Whether the compressed stream ended before its end marker.
    cut: bool,
    tap: Option<Box<dyn Tap>>,
    pub(super) again: Option<Again>,
    pub(super) next: Option<Box<dyn NextFile>>,
}

/// Opens the same capture again, from its beginning.
pub type Again = Box<dyn Fn() -> Option<Capture> + Send>;

impl Input {
    /// Sets the way to open the capture again; `None` if it can be read only once.
    #[must_use]
    pub(crate) fn reopening(self, again: Option<Again>) -> Input {
        Input { again, ..self }
    }

    /// The same input, after whose capture [others](Capture::joined) are read.
    #[must_use]
    pub(crate) fn followed_by(self, next: Box<dyn NextFile>) -> Input {
        Input { next: Some(next), ..self }
    }

    /// Reads the first bytes of `reader`, and unpacks it if it is gzip or zstd.
    ///
    /// # Errors
    /// [`CaptureError::Read`] and [`CaptureError::CutPacked`] if reading fails here; [`CaptureError::Foreign`] if the
    /// format is known and neither a capture nor text: an archive, a picture, ...
    pub fn new(reader: Box<dyn Read + Send>) -> Result<Input, CaptureError> {
        let mut input = Input::over(reader, false);
        input.want(4)?;
        let packed = match input.data() {
            [0x1f, 0x8b, 8, ..] => Some(false),
            // zstd's skippable frames may come first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(true),
            _ => None,
        };
        if let Some(zstd) = packed {
            let first = io::Cursor::new(input.data().to_vec());
            let whole = first.chain(input.reader);
            let unpacked: Box<dyn Read + Send> = match zstd {
                true => Box::new(Zstd::new(BufReader::with_capacity(BLOCK, whole))),
                false => Box::new(Gzip::new(BufReader::with_capacity(BLOCK, whole))),
            };
            input = Input::over(unpacked, true);
            // The file is cut before anything can be unpacked.
            if !input.want(1)? && input.cut {
                return Err(CaptureError::CutPacked { at: input.place(0), frames: 0 });
            }
            input.want(4)?;
        }
        input.refuse()?;
        Ok(input)
    }

    /// Rejects formats that are known to be neither a capture nor text.
    fn refuse(&mut self) -> Result<(), CaptureError> {
        // This does not wait for more bytes of a text: its first bytes are enough to recognise it.
        if self.format().is_none() && self.data().contains(&0) {
            self.want(magic::ENOUGH)?;
        }
        match magic::known(self.data()) {
            Some((what, how)) if self.format().is_none() => {
                Err(CaptureError::Foreign { what, how, packed: self.packed })
            }
            _ => Ok(()),
        }
    }

    fn over(reader: Box<dyn Read + Send>, packed: bool) -> Input {
        let buffer = vec![0; BLOCK];
        Input {
            reader,
            buffer,
            start: 0,
            end: 0,
            position: 0,
            packed,
            ended: false,
            cut: false,
            tap: None,
            again: None,
            next: None,
        }
    }

    /// Shows every byte of the input to `tap`.
    pub(crate) fn tap(mut self, mut tap: Box<dyn Tap>) -> Input {
        tap.arrived(self.data());
        self.tap = Some(tap);
        self
    }

    /// The capture format; `None` if the input is not a capture.
    pub fn format(&self) -> Option<Format> {
        Format::of(self.data())
    }

    /// The bytes that have arrived but are not consumed. Right after [`Input::new`] there are at least four, if the
    /// file has as many.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The position of [`Input::data`] in the unpacked file.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The place `ahead` bytes after the current position.
    pub(super) fn place(&self, ahead: usize) -> Place {
        Place { offset: self.position + ahead as u64, packed: self.packed }
    }

    /// Whether the compressed stream ended before its end marker.
    pub(super) fn cut(&self) -> bool {
        self.cut
    }

    /// Reads until `data` has `count` bytes; false if the file ends first.
    #[inline(always)]
    pub(super) fn want(&mut self, count: usize) -> Result<bool, CaptureError> {
        if self.end - self.start >= count { Ok(true) } else { self.fill(count) }
    }

    /// Consumes bytes of `data`. They remain in the buffer until the next `want`.
    #[inline(always)]
    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
        self.position += count as u64;
    }

    /// Drops the buffered bytes and stops reading.
    pub(super) fn close(&mut self) {
        self.end = self.start;
        self.ended = true;
    }

    /// The last `count` bytes consumed, without the final `tail`.
    #[inline(always)]
    pub(super) fn passed(&self, count: usize, tail: usize) -> &[u8] {
        let end = self.start - tail;
        &self.buffer[end - count..end]
    }

    #[cold]
    fn fill(&mut self, count: usize) -> Result<bool, CaptureError> {
        // The remainder is part of one record, so this moves few bytes.
        if let Some(tap) = &mut self.tap {
            tap.waits();
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < count {
            if self.ended {
                return Ok(false);
            }
            if self.end == self.buffer.len() {
                // At most twice the bytes that have arrived, for any length that the file announces.
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => {
                    if let Some(tap) = &mut self.tap {
                        tap.arrived(&self.buffer[self.end..self.end + read]);
                    }
                    self.end += read;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if self.packed && e.kind() == io::ErrorKind::UnexpectedEof => {
                    self.ended = true;
                    self.cut = true;
                }
                Err(source) => {
                    self.ended = true;
                    return Err(CaptureError::Read { at: self.place(self.end), source });
                }
            }
        }
        Ok(true)
    }
}

/// Returns everything not yet consumed, from the first byte on.
impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.want(1).map_err(io::Error::other)? {
            let count = out.len().min(self.end - self.start);
            out[..count].copy_from_slice(&self.data()[..count]);
            self.consume(count);
            return Ok(count);
        }
        if self.cut { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(0) }
    }
}
