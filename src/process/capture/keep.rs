//! `-i IFACE -w FILE`: writes the frames to a file while they are read.

use crate::capture::{Frame, LinkType, Turn, Writer};
use crate::cli::Rotation;
use crate::printable::Printable;
use crate::process::outfile::{Division, Opened, OutFile};
use std::io::{BufWriter, Write};

/// A file that gets every frame that is read.
pub struct Kept {
    file: OutFile,
    writer: Option<Writer<BufWriter<Box<dyn Write + Send>>>>,
    every: Option<Every>,
    /// The number of the last frame. A frame with several packets is passed several times.
    last: u64,
    link: LinkType,
    failed: Option<anyhow::Error>,
}

/// Starts another file after a period of time. Times are in nanoseconds.
struct Every {
    period: i128,
    /// The end of the current file, known from its first frame on.
    end: Option<i128>,
    turn: Turn,
}

impl Every {
    /// Whether a frame of this time needs another file.
    fn is_over(&mut self, time: i128) -> bool {
        let end = *self.end.get_or_insert(time + self.period);
        if time >= end {
            self.end = Some(end + ((time - end) / self.period + 1) * self.period);
        }
        time >= end
    }
}

impl Kept {
    /// Starts the file.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn begin(mut file: OutFile, rotation: &Rotation) -> anyhow::Result<Kept> {
        let Rotation { file_size: size, file_time: time, file_count: count } = *rotation;
        let turn = Turn::default();
        let every = time.map(|time| Every { period: time.as_nanos() as i128, end: None, turn: turn.clone() });
        let division = (size.is_some() || time.is_some()).then_some(Division { size, count, turn });
        let Opened { out, name, .. } = file.open_growing(division)?;
        let writer = Some(Writer::new(name, BufWriter::with_capacity(64 << 10, out))?);
        Ok(Kept { file, writer, every, last: 0, link: LinkType::ETHERNET, failed: None })
    }

    /// Returns the file's name.
    pub fn name(&self) -> String {
        Printable(self.file.path().display()).to_string()
    }

    /// Writes a frame. An error ends the reading, and is reported at its end.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        if frame.number == self.last {
            return;
        }
        if self.last == 0 {
            self.link = frame.link;
        }
        self.last = frame.number;
        if let Some(every) = &mut self.every
            && every.is_over(frame.time.nanos())
        {
            // The frames before this one belong to the file before.
            let turn = every.turn.clone();
            self.flush();
            turn.ask();
        }
        if let Some(writer) = self.writer.take() {
            match writer.frame(frame) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => self.failed = Some(error.into()),
            }
        }
    }

    /// Writes the buffered frames, since another program may read the file meanwhile.
    pub fn flush(&mut self) {
        if let Some(Err(error)) = self.writer.as_mut().map(Writer::flush) {
            (self.writer, self.failed) = (None, Some(error.into()));
        }
    }

    /// Whether the file can no longer be written.
    pub fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Completes the file. Returns the number of its frames.
    ///
    /// # Errors
    /// Returns the error of writing.
    pub fn end(mut self) -> anyhow::Result<u64> {
        if let Some(error) = self.failed.take() {
            return Err(error.context(self.name()));
        }
        if let Some(writer) = self.writer.take() {
            writer.finish(self.link).map_err(|error| self.file.named(error))?;
        }
        Ok(self.last)
    }
}
