//! The recording of an exchange.

use super::{How, OutFile};
use crate::cli::Global;
use crate::commands::annotated::{self, Recorded};
use crate::commands::interrupt;
use crate::commands::notify::notify;
use crate::dissect::Options;
use crate::plural::Plural;
use crate::printable::Printable;
use crate::render::pcapng::Annotator;
use std::io;

/// A recording of an exchange. It is completed whenever the exchange ends, even by a signal; but then an existing file
/// is not replaced.
pub struct Recording {
    file: OutFile,
    recorder: crate::live::net::Recorder,
    comments: Option<Annotator>,
}

impl Recording {
    /// Starts a recording into a checked file, with a size limit. `options`: for reading its messages, if the file's
    /// name requires them.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn begin(mut file: OutFile, most: usize, options: impl FnOnce() -> Options) -> io::Result<Recording> {
        let Recorded { out, bound, comments } = annotated::begin(file.open_named()?, most, options)?;
        let recorder = crate::live::net::Recorder::new(out).map_err(|e| file.named(e))?;
        Ok(Recording { file, recorder: recorder.bounded(bound), comments })
    }

    /// The recorder for the exchange.
    pub fn recorder(&self) -> &crate::live::net::Recorder {
        &self.recorder
    }

    /// Flushes the recording.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn flush(&self) -> io::Result<()> {
        self.recorder.flush().map_err(|e| self.file.named(e))
    }

    /// Completes the recording. After a signal, an existing file is not replaced.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn end(self, global: &Global) -> io::Result<()> {
        self.flush()?;
        annotated::end(self.comments, &self.file.name, global).map_err(|e| self.file.named(e))?;
        let missing = self.recorder.missing();
        if missing > 0 {
            let (name, frames) = (Printable(self.file.name.display()), Plural(missing, "frame"));
            notify(global, format_args!("{name}: full (--limit pcap_bytes): the last {frames} are not in it"));
        }
        if self.file.how == How::Replace && interrupt::status(false).is_some() {
            let name = Printable(self.file.name.display());
            notify(global, format_args!("{name}: left as it was: the recording was stopped"));
            return Ok(());
        }
        self.file.commit()
    }
}
