//! The bytes of a file or pipe: what has arrived is used at once, gzip and zstd are unpacked on the
//! way, what is neither capture nor text is refused by its name, and
//! looking at the beginning takes nothing away.

use super::error::{CaptureError, Place};
use super::magic;
use super::zstd::Zstd;
use flate2::read::MultiGzDecoder;
use std::io::{self, BufReader, Read};

/// How many bytes are asked for at once. Larger blocks leave the processor's second-level cache,
/// smaller ones pay for more system calls.
const BLOCK: usize = 128 * 1024;

/// A capture format, as its first four bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Classic pcap, of any byte order and resolution.
    Pcap,
    /// pcapng.
    PcapNg,
}

impl Format {
    /// The format that a file with these first bytes has, `None` where it is no capture.
    pub fn of(first: &[u8]) -> Option<Format> {
        match first.first_chunk::<4>()? {
            [0x0a, 0x0d, 0x0d, 0x0a] => Some(Format::PcapNg),
            // Microseconds, nanoseconds, and Kuznetzov's longer records; big-endian first.
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xd4, 0xc3, 0xb2, 0xa1] => Some(Format::Pcap),
            [0xa1, 0xb2, 0x3c, 0x4d] | [0x4d, 0x3c, 0xb2, 0xa1] => Some(Format::Pcap),
            [0xa1, 0xb2, 0xcd, 0x34] | [0x34, 0xcd, 0xb2, 0xa1] => Some(Format::Pcap),
            _ => None,
        }
    }
}

/// An input whose beginning has been looked at; reading it still yields every byte.
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
    /// The part of `buffer` that was read and not yet consumed.
    start: usize,
    end: usize,
    /// Where `buffer[start]` stands in the unpacked file.
    position: u64,
    packed: bool,
    ended: bool,
    /// The packed stream ended before its end.
    cut: bool,
}

impl Input {
    /// Looks at the first bytes of `reader`, and unpacks it where it is gzip or zstd.
    ///
    /// # Errors
    /// [`CaptureError::Read`] and [`CaptureError::CutPacked`] where it fails already here; [`CaptureError::Foreign`] where
    /// it is of a kind that is known to be neither a capture nor text: an archive, a picture, ...
    pub fn new(reader: Box<dyn Read + Send>) -> Result<Input, CaptureError> {
        let mut input = Input::over(reader, false);
        input.want(4)?;
        let packed = match input.data() {
            [0x1f, 0x8b, 8, ..] => Some(false),
            // Skippable frames may come first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(true),
            _ => None,
        };
        if let Some(zstd) = packed {
            let first = io::Cursor::new(input.data().to_vec());
            let whole = first.chain(input.reader);
            let unpacked: Box<dyn Read + Send> = match zstd {
                true => Box::new(Zstd::new(BufReader::with_capacity(BLOCK, whole))),
                false => Box::new(MultiGzDecoder::new(whole)),
            };
            input = Input::over(unpacked, true);
            // It is cut before anything could be unpacked.
            if !input.want(1)? && input.cut {
                return Err(CaptureError::CutPacked { at: input.place(0), frames: 0 });
            }
            input.want(4)?;
        }
        input.refuse()?;
        Ok(input)
    }

    /// Refuses what is known to be neither a capture nor text.
    fn refuse(&mut self) -> Result<(), CaptureError> {
        // Text is not waited for: a few bytes of it tell.
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
        Input { reader, buffer, start: 0, end: 0, position: 0, packed, ended: false, cut: false }
    }

    /// Which capture format this is, `None` where it is none.
    pub fn format(&self) -> Option<Format> {
        Format::of(self.data())
    }

    /// What has arrived and was not consumed; right after [`Input::new`] at least four bytes,
    /// where there are as many.
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Where [`Input::data`] begins, in bytes of the unpacked file.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The place `ahead` bytes behind the position.
    pub(super) fn place(&self, ahead: usize) -> Place {
        Place { offset: self.position + ahead as u64, packed: self.packed }
    }

    /// The packed stream ended before its end.
    pub(super) fn cut(&self) -> bool {
        self.cut
    }

    /// Reads until `data` holds `count` bytes; false where the file ends before.
    #[inline(always)]
    pub(super) fn want(&mut self, count: usize) -> Result<bool, CaptureError> {
        if self.end - self.start >= count { Ok(true) } else { self.fill(count) }
    }

    /// Steps over bytes that `data` holds. They stay where they are until the next `want`.
    #[inline(always)]
    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
        self.position += count as u64;
    }

    /// Drops what is buffered and reads no more.
    pub(super) fn close(&mut self) {
        self.end = self.start;
        self.ended = true;
    }

    /// The `count` bytes before the position, which were just consumed, less the `tail` last.
    #[inline(always)]
    pub(super) fn behind(&self, count: usize, tail: usize) -> &[u8] {
        let end = self.start - tail;
        &self.buffer[end - count..end]
    }

    #[cold]
    fn fill(&mut self, count: usize) -> Result<bool, CaptureError> {
        // What is left over is part of one record, so this moves few bytes.
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < count {
            if self.ended {
                return Ok(false);
            }
            if self.end == self.buffer.len() {
                // Twice what has arrived, whatever length the file announces.
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
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

/// Yields everything that was not consumed, from the first byte on.
impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.want(1).map_err(io::Error::other)? {
            let count = out.len().min(self.end - self.start);
            out[..count].copy_from_slice(&self.data()[..count]);
            self.consume(count);
            return Ok(count);
        }
        match self.cut {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(0),
        }
    }
}
