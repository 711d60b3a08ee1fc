//! The recording of an exchange; if its name ends in .pcapng with the messages as comments, like `decode -f pcapng`.

use super::{How, Opened, OutFile};
use crate::capture::Bound;
use crate::cli::Global;
use crate::dissect::Options;
use crate::plural::Plural;
use crate::printable::Printable;
use crate::process::interrupt;
use crate::process::notify::{notify, warn};
use crate::render::pcapng::{Annotation, Annotator, Commenter};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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
        let Recorded { out, bound, comments } = annotated(file.open_named()?, most, options)?;
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

    /// Completes the recording. After a signal or an error of writing, an existing file is not replaced. A signal is the
    /// normal end of an `endless` exchange.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn end(self, global: &Global, endless: bool) -> io::Result<()> {
        // What was written before an error is kept.
        let flushed = self.flush();
        let written = flushed.and(completed(self.comments, &self.file.name).map_err(|e| self.file.named(e)));
        let missing = self.recorder.missing();
        if missing > 0 {
            let (name, frames) = (Printable(self.file.name.display()), Plural(missing, "frame"));
            warn(format_args!("{name}: full (--limit pcap_bytes), missing at its end: {frames}"));
        }
        let stopped = written.is_err() || interrupt::status(endless).is_some();
        if self.file.how == How::Replace && stopped {
            let name = Printable(self.file.name.display());
            notify(global, format_args!("{name}: left as it was: the recording was stopped"));
            return written;
        }
        self.file.commit()?;
        written
    }
}

/// The outputs of a recording.
pub struct Recorded {
    /// Takes the capture.
    pub out: Box<dyn Write + Send>,
    /// The size limit of the file.
    pub bound: Bound,
    /// Adds the comments, if there are any.
    pub comments: Option<Annotator>,
}

/// Adds a size limit and, in a pcapng file, the comments to a recording. `options`: for reading its messages.
///
/// # Errors
/// Returns the errors of the file system.
pub fn annotated(opened: Opened<'_>, most: usize, options: impl FnOnce() -> Options) -> io::Result<Recorded> {
    let Opened { out, name, watched } = opened;
    let bound = Bound::new(most);
    let named = name.extension().is_some_and(|end| end.eq_ignore_ascii_case("pcapng"));
    if !named {
        return Ok(Recorded { out: Box::new(BufWriter::new(out)), bound, comments: None });
    }
    let how = Annotation { options: options(), bound: bound.clone(), watched };
    let comments = Annotator::begin(Commenter::default(), how, out)?;
    Ok(Recorded { out: Box::new(comments.writer()), bound, comments: Some(comments) })
}

/// Completes the comments.
///
/// # Errors
/// Returns the errors of the file system.
pub fn completed(comments: Option<Annotator>, name: &Path) -> io::Result<()> {
    let Some(comments) = comments else { return Ok(()) };
    let copied = comments.finish()?;
    if copied.lost > 0 {
        let (name, lost) = (Printable(name.display()), Plural(copied.lost, "message"));
        warn(format_args!(
            "{name}: full (--limit pcap_bytes): the comments of {lost} are missing, although their frames may be in it"
        ));
    }
    Ok(())
}
