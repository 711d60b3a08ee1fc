//! `--pcap FILE.pcapng`: what is recorded, with its messages as comments, as `decode -f pcapng` writes
//! them.

use super::notify::notify;
use crate::cli::Global;
use netkit::capture::Bound;
use netkit::dissect::Options;
use netkit::plural::Plural;
use netkit::printable::Printable;
use netkit::render::pcapng::{Annotation, Annotator, Commenter};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Where a recording is written.
pub struct Recorded {
    /// Takes the capture.
    pub out: Box<dyn Write + Send>,
    /// What the file may take.
    pub bound: Bound,
    /// Reads it again, where there are comments to be made.
    pub comments: Option<Annotator>,
}

/// Begins a recording of at most so many bytes into an opened file, which has a name, and may be watched.
/// `options`: how its messages are read.
///
/// # Errors
/// Errors of the file system.
pub fn begin(
    (opened, name, watched): (File, &Path, bool),
    most: usize,
    options: impl FnOnce() -> Options,
) -> io::Result<Recorded> {
    let bound = Bound::new(most);
    let named = name.extension().is_some_and(|end| end.eq_ignore_ascii_case("pcapng"));
    if !named {
        return Ok(Recorded { out: Box::new(BufWriter::new(opened)), bound, comments: None });
    }
    let how = Annotation { options: options(), bound: bound.clone(), watched };
    let comments = Annotator::begin(Commenter::default(), how, Box::new(opened))?;
    Ok(Recorded { out: Box::new(comments.writer()), bound, comments: Some(comments) })
}

/// Completes the comments.
///
/// # Errors
/// Errors of the file system.
pub fn end(comments: Option<Annotator>, name: &Path, global: &Global) -> io::Result<()> {
    let Some(comments) = comments else { return Ok(()) };
    let copied = comments.finish()?;
    if copied.lost > 0 {
        let (name, lost) = (Printable(name.display()), Plural(copied.lost, "message"));
        notify(
            global,
            format_args!(
                "netkit: {name}: full (--limit pcap_bytes): comments of {lost} are not in it, their frames may be"
            ),
        );
    }
    Ok(())
}
