//! Streaming zstd decompression: several frames, skippable frames, checksums. Of a file that is cut, all available data
//! are returned.

use super::gzip::{EMPTY, too_many};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, Read};

/// The largest window that is accepted: RFC 8878 requires it of every decoder, and `zstd -19` needs no more. As much
/// unpacked data are held in memory.
const WINDOW: u64 = 8 << 20;
/// A last block without content, and a checksum: makes the decoder release all its data.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Reads the unpacked data of a zstd file.
pub(super) struct Zstd<R> {
    source: Counted<R>,
    decoder: FrameDecoder,
    /// Whether the reader is between frames.
    idle: bool,
    /// The error to return when all data have been read.
    broken: Option<io::Error>,
    done: bool,
    /// The number of consecutive empty frames.
    empty: u64,
}

impl<R: Read> Zstd<R> {
    pub(super) fn new(source: R) -> Zstd<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW);
        let source = Counted { inner: source, ended: false, read: 0, error: None };
        Zstd { source, decoder, idle: true, broken: None, done: false, empty: 0 }
    }

    /// Begins the next frame; false if there is none.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            self.source.read = 0;
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(_) if self.source.ended && self.source.read == 0 => return Ok(false),
                Err(error) => return Err(self.why(error)),
            }
        }
    }

    /// The underlying cause: the file ended, could not be read, or is damaged.
    fn why(&mut self, error: FrameDecoderError) -> io::Error {
        match (self.source.error.take(), error) {
            (Some(error), _) => error,
            _ if self.source.ended => io::ErrorKind::UnexpectedEof.into(),
            (_, FrameDecoderError::WindowSizeTooBig { requested, .. }) => io::Error::other(format!(
                "zstd: a window of {} MiB, at most {} are accepted: unpack it first (zstd -dc --long=31 FILE)",
                requested >> 20,
                WINDOW >> 20
            )),
            (_, error) => io::Error::other(format!("zstd: {error}")),
        }
    }

    /// Unpacks until there are data to return, or the file ends.
    fn advance(&mut self) -> io::Result<()> {
        while self.decoder.can_collect() == 0 && !self.done {
            if self.idle {
                self.empty += 1;
                if self.empty > EMPTY {
                    return Err(too_many());
                }
                self.idle = !self.begin()?;
                self.done = self.idle;
                continue;
            }
            if self.decoder.is_finished() {
                self.idle = true;
                let (written, own) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                if written.is_some() && written != own {
                    return Err(io::Error::other("zstd: the checksum is wrong"));
                }
                continue;
            }
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1)) {
                self.broken = Some(self.why(error));
                self.done = true;
                // The data before the fault are valid.
                let _ = self.decoder.decode_blocks(&END[..], BlockDecodingStrategy::All);
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Err(error) = self.advance() {
            self.done = true;
            return Err(error);
        }
        match self.decoder.read(out)? {
            read @ 1.. => {
                self.empty = 0;
                Ok(read)
            }
            0 if !out.is_empty() => self.broken.take().map_or(Ok(0), Err),
            _ => Ok(0),
        }
    }
}

/// A reader that records whether it ended or failed: the decoder's errors do not show that.
struct Counted<R> {
    inner: R,
    ended: bool,
    read: usize,
    error: Option<io::Error>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(out) {
            Ok(0) if !out.is_empty() => {
                self.ended = true;
                Ok(0)
            }
            Ok(read) => {
                self.read += read;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.error = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }
}
