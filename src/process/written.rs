//! The destination and format of encoded messages.

use super::outfile::OutFile;
use crate::cli::To;
use crate::dissect::{Dissection, Message, Options, Role, Sink, inspector};
use crate::encode::{Entry, FrameError, Frames};
use crate::flow::Transport;
use crate::render::{Language, Literals};
use anyhow::Context;
use std::io::{self, BufWriter, Write};

/// A file, or stdout. The file is opened with the first byte, and renamed to its name when the output is complete.
pub struct ByteSink {
    open: Option<Box<dyn Write>>,
    file: Option<OutFile>,
}

impl ByteSink {
    /// Creates an output to the file, or to stdout.
    pub fn new(file: Option<OutFile>) -> ByteSink {
        ByteSink { open: None, file }
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

    /// Completes the output: the file gets its name, even if nothing was written.
    fn complete(mut self) -> io::Result<()> {
        self.open()?;
        self.open = None;
        self.file.map_or(Ok(()), OutFile::commit)
    }
}

impl Write for ByteSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.open()?.write(bytes);
        done.map_err(|e| if e.kind() == io::ErrorKind::Interrupted { e } else { self.named(e) })
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.open.as_mut().map_or(Ok(()), |open| open.flush());
        done.map_err(|e| self.named(e))
    }
}

/// An encoded message.
pub struct Encoded {
    /// Its bytes.
    pub message: Vec<u8>,
    /// The bytes with the framing of a stream.
    pub framed: Option<Vec<u8>>,
}

impl Encoded {
    fn bytes(&self) -> &[u8] {
        self.framed.as_ref().unwrap_or(&self.message)
    }
}

/// Writes the constant of a message as soon as the message has been read again.
struct Commented<'a> {
    literals: &'a mut Literals,
    entry: &'a Entry,
    encoded: &'a Encoded,
    out: Vec<u8>,
}

impl Commented<'_> {
    fn append(&mut self, read: Option<&Message<'_>>) {
        let name = format!("{}.{}", self.entry.proto, self.entry.message);
        self.literals.append(&name, self.encoded.bytes(), read, &mut self.out);
    }
}

impl Sink for Commented<'_> {
    fn message(&mut self, message: &Message<'_>) {
        // A comment never describes another message, another version or, in a masked frame, other bytes.
        let read = message.dissection;
        let version = self.entry.version.as_deref().is_none_or(|version| Some(version) == read.version);
        if self.out.is_empty()
            && (read.proto, read.message) == (&*self.entry.proto, &*self.entry.message)
            && version
            && message.place.bytes == self.encoded.message
            && self.encoded.bytes().ends_with(message.place.bytes)
        {
            self.append(Some(message));
        }
    }
}

/// Encoded messages in the requested format.
pub enum Written<'a> {
    /// One line per message; the line is reusable memory.
    Hex(BufWriter<ByteSink>, Vec<u8>),
    /// The bytes only.
    Raw(BufWriter<ByteSink>),
    /// A capture file.
    Pcap(Box<Frames<'a, BufWriter<ByteSink>>>),
    /// Constants, and the options for reading their messages for the comments.
    Source(BufWriter<ByteSink>, Literals, &'a Options),
}

impl<'a> Written<'a> {
    /// Writes to `output`.
    pub fn new(to: To, output: ByteSink, options: &'a Options) -> Written<'a> {
        let out = BufWriter::with_capacity(64 << 10, output);
        let source = |out, language| Written::Source(out, Literals::new(language), options);
        match to {
            To::C => source(out, Language::C),
            To::Rust => source(out, Language::Rust),
            To::Python => source(out, Language::Python),
            To::Hex => Written::Hex(out, Vec::new()),
            To::Raw => Written::Raw(out),
            To::Pcap => Written::Pcap(Box::new(Frames::new(out, options))),
        }
    }

    /// Writes one message. Returns the reason if it cannot be part of a capture.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn message(
        &mut self,
        entry: &Entry,
        transport: Transport,
        encoded: &Encoded,
    ) -> anyhow::Result<Option<String>> {
        let bytes = encoded.bytes();
        match self {
            Written::Source(out, literals, options) => {
                let mut options = (*options).clone();
                options.from = Some(entry.from).filter(|from| *from != Role::Unknown).or(options.from);
                if let Some(version) = &entry.version {
                    // Protocols without this setting find the version in the bytes.
                    let _ = options.set(&format!("{}.version={version}", entry.dissector.name()));
                }
                let mut commented = Commented { literals, entry, encoded, out: Vec::new() };
                let dissection = &mut Dissection::default();
                inspector::dump(entry.dissector, &encoded.message, &options, dissection, &mut commented);
                if commented.out.is_empty() {
                    commented.append(None);
                }
                out.write_all(&commented.out)?;
            }
            Written::Hex(out, line) => {
                line.clear();
                line.resize(2 * bytes.len(), 0);
                hex::encode_to_slice(bytes, line).context("hex")?;
                line.push(b'\n');
                out.write_all(line)?;
            }
            Written::Raw(out) => out.write_all(bytes)?,
            Written::Pcap(frames) => return refusal(frames.message(entry, transport, bytes)),
        }
        Ok(None)
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Written::Hex(out, _) | Written::Raw(out) | Written::Source(out, ..) => out.flush(),
            Written::Pcap(frames) => frames.flush(),
        }
    }

    /// Ends an incomplete output: messages so far are flushed to stdout, a pipe or a device; a file
    /// is dropped.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn stop(&mut self) -> anyhow::Result<()> {
        match self {
            Written::Hex(out, _) | Written::Raw(out) | Written::Source(out, ..) => Ok(out.flush()?),
            Written::Pcap(frames) => frames.stop().map_err(plain),
        }
    }

    /// Returns the number of times that were cut to the capture file's resolution.
    pub fn cut_times(&self) -> u64 {
        match self {
            Written::Hex(..) | Written::Raw(_) | Written::Source(..) => 0,
            Written::Pcap(frames) => frames.cut_times(),
        }
    }

    /// Completes the output: a file exists also if there were no messages.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn finish(self) -> anyhow::Result<()> {
        let out = match self {
            Written::Hex(out, _) | Written::Raw(out) | Written::Source(out, ..) => out,
            Written::Pcap(frames) => return complete(*frames),
        };
        close(out)
    }
}

/// Returns the reason if something cannot be part of a capture.
///
/// # Errors
/// Returns the errors of the output.
pub fn refusal(done: Result<(), FrameError>) -> anyhow::Result<Option<String>> {
    match done {
        Ok(()) => Ok(None),
        Err(FrameError::Output(error)) => Err(error.into()),
        Err(error) => Ok(Some(error.to_string())),
    }
}

/// Completes a capture file, which exists also if there were no messages.
///
/// # Errors
/// Returns the errors of the output.
pub fn complete(frames: Frames<'_, BufWriter<ByteSink>>) -> anyhow::Result<()> {
    close(frames.finish().map_err(plain)?)
}

fn close(out: BufWriter<ByteSink>) -> anyhow::Result<()> {
    Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?.complete()?)
}

/// Returns the underlying output error, so that a closed pipe is recognised.
fn plain(error: FrameError) -> anyhow::Error {
    match error {
        FrameError::Output(error) => error.into(),
        error => error.into(),
    }
}
