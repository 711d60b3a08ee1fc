//! The output: one buffer, written in blocks, and the first error.

use crate::codec::json::fixed_line::{self, Pieces};
use std::io::{self, Write};

/// The block size: large enough that system calls do not matter, small enough to stay in a
/// processor's second-level cache (of 512 KiB) beside everything else.
const BLOCK: usize = 64 * 1024;

/// The buffer that every renderer appends to, and its writer.
///
/// The first error is stored and nothing is written after it: the decoding loop checks
/// [`Output::failed`] and stops.
pub struct Output {
    buffer: Vec<u8>,
    /// Lines that come behind the buffer, up to `filled`: made where they are written from, which saves
    /// about 60 of 2,180 instructions a message of ndjson (see [`crate::render`]). Empty until there is one.
    lines: Vec<u8>,
    filled: usize,
    to: Box<dyn Write + Send>,
    error: Option<io::Error>,
    live: bool,
}

impl Output {
    /// Output in large blocks.
    pub fn new(to: Box<dyn Write + Send>) -> Output {
        Output {
            buffer: Vec::with_capacity(BLOCK + BLOCK / 4),
            lines: Vec::new(),
            filled: 0,
            to,
            error: None,
            live: false,
        }
    }

    /// Live output: every message is written at once.
    pub fn live(&mut self, live: bool) {
        self.live = live;
    }

    /// The buffer to append to.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if self.filled > 0 {
            self.join();
        }
        &mut self.buffer
    }

    /// Moves the lines into the buffer.
    fn join(&mut self) {
        self.buffer.extend_from_slice(self.lines.get(..self.filled).unwrap_or_default());
        self.filled = 0;
    }

    /// Room for a line behind all others: what is written there counts once it is [added](Output::add).
    #[inline(always)]
    pub(super) fn line(&mut self) -> Option<Pieces<'_>> {
        if self.lines.len() < self.filled + fixed_line::SIZE {
            self.make_room();
        }
        Pieces::within(self.lines.get_mut(self.filled..)?)
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.lines.resize(self.filled.max(BLOCK) + fixed_line::SIZE, 0);
    }

    /// Adds a [line](Output::line) of this length.
    #[inline(always)]
    pub(super) fn add(&mut self, len: usize) {
        self.filled += len;
    }

    /// A message is complete: writes the buffer if it is full enough.
    #[inline]
    pub fn complete(&mut self) {
        if self.live || self.buffer.len() + self.filled >= BLOCK {
            self.write();
            if self.live {
                self.flush();
            }
        }
    }

    /// Writes the buffer, and flushes the writer.
    pub fn flush(&mut self) {
        self.write();
        if self.error.is_none()
            && let Err(error) = self.to.flush()
        {
            self.error = Some(error);
        }
    }

    fn write(&mut self) {
        if !self.buffer.is_empty() {
            self.join();
        }
        let text = if self.buffer.is_empty() { &self.lines[..self.filled] } else { &self.buffer[..] };
        if self.error.is_none()
            && let Err(error) = self.to.write_all(text)
        {
            self.error = Some(error);
        }
        self.filled = 0;
        self.buffer.clear();
        // One huge message must not occupy its memory forever.
        self.buffer.shrink_to(8 * BLOCK);
    }

    /// The error that stopped the output.
    pub fn failed(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Writes the rest of the buffer.
    ///
    /// # Errors
    /// The error that stopped the output, now or before.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.error.take().map_or(Ok(()), Err)
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("waiting", &(self.buffer.len() + self.filled))
            .field("error", &self.error)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// The blocks that were written.
    #[derive(Clone, Default)]
    struct Blocks(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Blocks {
        fn write(&mut self, block: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(block.to_vec());
            Ok(block.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_in_place_and_appended_text_keep_their_order() {
        for live in [false, true] {
            let (blocks, mut expected) = (Blocks::default(), Vec::new());
            let mut output = Output::new(Box::new(blocks.clone()));
            output.live(live);
            // With runs of each kind that are longer than a block, and every change between them.
            for k in 0..4000u64 {
                let text = format!("{k} {}\n", "x".repeat(k as usize % 97));
                expected.extend_from_slice(text.as_bytes());
                if k / 1100 % 2 == 1 || k % 7 == 3 {
                    output.buffer().extend_from_slice(text.as_bytes());
                } else {
                    let mut line = output.line().unwrap();
                    line.text(text.as_bytes());
                    let len = line.finish().unwrap().len();
                    // One that is given up leaves nothing.
                    output.add(len);
                    output.line().unwrap().text(b"given up");
                }
                output.complete();
            }
            output.finish().unwrap();
            let written = blocks.0.lock().unwrap();
            assert_eq!(String::from_utf8_lossy(&written.concat()), String::from_utf8_lossy(&expected));
            assert_eq!(written.len() == 4000, live);
            assert!(written.iter().all(|block| block.len() < BLOCK + 4096));
        }
    }
}
