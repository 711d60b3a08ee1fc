//! The destination and format of encoded messages.

use super::outfile::OutFile;
use crate::cli::To;
use anyhow::Context;
use netkit::encode::{Entry, FrameError, Frames};
use netkit::flow::Transport;
use std::io::{self, BufWriter, Write};

/// A file, or stdout. The file is begun with the first byte, and renamed to its name when the
/// output is complete.
pub struct Output {
    open: Option<Box<dyn Write>>,
    file: Option<OutFile>,
}

impl Output {
    /// Stdout if there is no file.
    pub fn new(file: Option<OutFile>) -> Output {
        Output { open: None, file }
    }

    fn open(&mut self) -> io::Result<&mut Box<dyn Write>> {
        if self.open.is_none() {
            self.open = Some(match &mut self.file {
                None => Box::new(io::stdout()),
                Some(file) => Box::new(file.open()?),
            });
        }
        self.open.as_mut().ok_or_else(|| io::Error::other("no output"))
    }

    /// Adds the output's name to an error; a closed pipe keeps its kind.
    fn named(&self, error: io::Error) -> io::Error {
        match &self.file {
            Some(file) => file.named(error),
            None => io::Error::new(error.kind(), format!("stdout: {error}")),
        }
    }

    /// Everything was written: the file gets its name, also if there was nothing to write.
    fn complete(mut self) -> io::Result<()> {
        self.open()?;
        self.open = None;
        self.file.map_or(Ok(()), OutFile::commit)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.open()?.write(bytes);
        done.map_err(|e| if e.kind() == io::ErrorKind::Interrupted { e } else { self.named(e) })
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.open.as_mut().map_or(Ok(()), |open| open.flush());
        done.map_err(|e| self.named(e))
    }
}

/// Encoded messages in the requested format.
pub enum Written {
    /// One line per message; the line is reusable memory.
    Hex(BufWriter<Output>, Vec<u8>),
    /// The bytes alone.
    Raw(BufWriter<Output>),
    /// A capture file.
    Pcap(Box<Frames<BufWriter<Output>>>),
}

impl Written {
    /// Writes to `output`.
    pub fn new(to: To, output: Output) -> Written {
        let out = BufWriter::with_capacity(64 << 10, output);
        match to {
            To::Hex => Written::Hex(out, Vec::new()),
            To::Raw => Written::Raw(out),
            To::Pcap => Written::Pcap(Box::new(Frames::new(out))),
        }
    }

    /// Writes one message; returns why it cannot be part of a capture.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn message(&mut self, entry: &Entry, transport: Transport, bytes: &[u8]) -> anyhow::Result<Option<String>> {
        match self {
            Written::Hex(out, line) => {
                line.clear();
                line.resize(2 * bytes.len(), 0);
                hex::encode_to_slice(bytes, line).context("hex")?;
                line.push(b'\n');
                out.write_all(line)?;
            }
            Written::Raw(out) => out.write_all(bytes)?,
            Written::Pcap(frames) => match frames.message(entry, transport, bytes) {
                Ok(()) => {}
                Err(FrameError::Output(error)) => return Err(error.into()),
                Err(error) => return Ok(Some(error.to_string())),
            },
        }
        Ok(None)
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Written::Hex(out, _) | Written::Raw(out) => out.flush(),
            Written::Pcap(frames) => frames.flush(),
        }
    }

    /// Ends an incomplete output: messages so far are flushed to stdout, a pipe or a device; a file
    /// is dropped.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn stop(&mut self) -> anyhow::Result<()> {
        match self {
            Written::Hex(out, _) | Written::Raw(out) => Ok(out.flush()?),
            Written::Pcap(frames) => frames.stop().map_err(plain),
        }
    }

    /// The number of times that were cut to the capture file's resolution.
    pub fn cut_times(&self) -> u64 {
        match self {
            Written::Hex(..) | Written::Raw(_) => 0,
            Written::Pcap(frames) => frames.cut_times(),
        }
    }

    /// Completes the output: a file exists also if there were no messages.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self) -> anyhow::Result<()> {
        let out = match self {
            Written::Hex(out, _) | Written::Raw(out) => out,
            Written::Pcap(frames) => frames.finish().map_err(plain)?,
        };
        Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?.complete()?)
    }
}

/// The underlying output error, so that a closed pipe is recognised.
fn plain(error: FrameError) -> anyhow::Error {
    match error {
        FrameError::Output(error) => error.into(),
        error => error.into(),
    }
}
