//! The output: one buffer, written in blocks, and its first error.

use std::io::{self, Write};

/// The block size. It is large enough that system calls do not matter, and small enough to fit into a processor's
/// second-level cache (512 KiB) beside everything else.
const BLOCK: usize = 64 * 1024;

/// The buffer that every renderer appends to, and its writer.
///
/// The first error is stored, and nothing is written after it. The decoding loop checks [`Output::failed`] and stops.
pub struct Output {
    buffer: Vec<u8>,
    to: Box<dyn Write + Send>,
    error: Option<io::Error>,
}

impl Output {
    /// Creates an output that writes large blocks.
    pub fn new(to: Box<dyn Write + Send>) -> Output {
        Output { buffer: Vec::with_capacity(BLOCK + BLOCK / 4), to, error: None }
    }

    /// Returns the buffer to append to.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Ends a message: writes the buffer if it is full enough.
    #[inline]
    pub fn complete(&mut self) {
        if self.buffer.len() >= BLOCK {
            self.write();
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
        if self.error.is_none()
            && let Err(error) = self.to.write_all(&self.buffer)
        {
            self.error = Some(error);
        }
        self.buffer.clear();
        // One huge message must not occupy its memory forever.
        self.buffer.shrink_to(8 * BLOCK);
    }

    /// Returns the error that stopped the output.
    pub fn failed(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Writes the rest of the buffer.
    ///
    /// # Errors
    /// Returns the error that stopped the output, now or before.
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
    fn text_is_written_in_blocks() {
        let (blocks, mut expected) = (Blocks::default(), Vec::new());
        let mut output = Output::new(Box::new(blocks.clone()));
        for k in 0..4000u64 {
            let text = format!("{k} {}\n", "x".repeat(k as usize % 97));
            expected.extend_from_slice(text.as_bytes());
            output.buffer().extend_from_slice(text.as_bytes());
            output.complete();
        }
        output.finish().unwrap();
        let written = blocks.0.lock().unwrap();
        assert_eq!(String::from_utf8_lossy(&written.concat()), String::from_utf8_lossy(&expected));
        assert!(written.len() < 10 && written.iter().all(|block| block.len() < BLOCK + 4096));
    }
}
