//! Where the text goes: one buffer, written in blocks, and what went wrong with it.

use std::io::{self, Write};

/// How much is collected before it is written: large enough that the system calls cost nothing,
/// small enough to stay in a processor's second-level cache (of 512 KiB) beside everything else.
const BLOCK: usize = 64 * 1024;

/// A buffer that every renderer appends to, and the writer behind it.
///
/// The first error is remembered and nothing is written after it: whoever drives the decoding asks
/// [`Output::failed`] and stops.
pub struct Output {
    buffer: Vec<u8>,
    to: Box<dyn Write>,
    error: Option<io::Error>,
    live: bool,
}

impl Output {
    /// Output in large blocks.
    pub fn new(to: Box<dyn Write>) -> Output {
        Output { buffer: Vec::with_capacity(BLOCK + BLOCK / 4), to, error: None, live: false }
    }

    /// Somebody watches: every message is written at once.
    pub fn live(&mut self, live: bool) {
        self.live = live;
    }

    /// What to append to.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// A message is complete: writes what has been collected, if it is enough.
    #[inline]
    pub fn complete(&mut self) {
        if self.live || self.buffer.len() >= BLOCK {
            self.write();
            if self.live {
                self.flush();
            }
        }
    }

    /// Writes what has been collected, and has the writer do the same.
    pub fn flush(&mut self) {
        self.write();
        if self.error.is_none()
            && let Err(error) = self.to.flush()
        {
            self.error = Some(error);
        }
    }

    fn write(&mut self) {
        if self.error.is_none()
            && let Err(error) = self.to.write_all(&self.buffer)
        {
            self.error = Some(error);
        }
        self.buffer.clear();
        // One huge message must not hold its memory for ever.
        self.buffer.shrink_to(8 * BLOCK);
    }

    /// Why nothing is written any more.
    pub fn failed(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// What stopped the writing, now or before.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.error.take().map_or(Ok(()), Err)
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("waiting", &self.buffer.len()).field("error", &self.error).finish()
    }
}
