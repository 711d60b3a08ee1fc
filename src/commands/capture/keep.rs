//! `-i IFACE -w FILE`: the frames are kept while they are read.

use crate::commands::outfile::OutFile;
use netkit::capture::{Frame, LinkType, Writer};
use netkit::printable::Printable;
use std::fs::File;
use std::io::BufWriter;

/// A file that gets every frame that is read.
pub struct Kept {
    file: OutFile,
    writer: Option<Writer<BufWriter<File>>>,
    /// The number of the last frame: packets inside a frame come with it again.
    last: u64,
    link: LinkType,
    failed: Option<anyhow::Error>,
}

impl Kept {
    /// Begins it.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn begin(mut file: OutFile) -> anyhow::Result<Kept> {
        let out = BufWriter::with_capacity(64 << 10, file.open()?);
        let writer = Some(Writer::new(file.path(), out)?);
        Ok(Kept { file, writer, last: 0, link: LinkType::ETHERNET, failed: None })
    }

    /// Its name.
    pub fn name(&self) -> String {
        Printable(self.file.path().display()).to_string()
    }

    /// Writes a frame. An error ends the reading, and is told at its end.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        if frame.number == self.last {
            return;
        }
        if self.last == 0 {
            self.link = frame.link;
        }
        self.last = frame.number;
        if let Some(writer) = self.writer.take() {
            match writer.frame(frame) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => self.failed = Some(error.into()),
            }
        }
    }

    /// Writes what is buffered: somebody may read the file meanwhile.
    pub fn flush(&mut self) {
        if let Some(Err(error)) = self.writer.as_mut().map(Writer::flush) {
            (self.writer, self.failed) = (None, Some(error.into()));
        }
    }

    /// Can nothing more be written?
    pub fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Completes the file: how many frames are in it.
    ///
    /// # Errors
    /// What was wrong with writing it.
    pub fn end(mut self) -> anyhow::Result<u64> {
        if let Some(error) = self.failed.take() {
            return Err(error.context(self.name()));
        }
        if let Some(writer) = self.writer.take() {
            writer.finish(self.link).map_err(|error| self.file.named(error))?;
        }
        self.file.commit()?;
        Ok(self.last)
    }
}
