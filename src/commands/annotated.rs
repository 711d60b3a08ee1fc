//! `--pcap FILE.pcapng`: what is recorded, with its messages as comments, as `decode -f pcapng` writes
//! them.

use super::notify::notify;
use super::outfile::OutFile;
use crate::cli::Global;
use netkit::capture::Bound;
use netkit::dissect::Options;
use netkit::plural::Plural;
use netkit::printable::Printable;
use netkit::render::pcapng::{Annotation, Annotator, Commenter};
use std::io::{self, BufWriter, Write};

/// Where a recording is written.
pub struct Recorded {
    /// Takes the capture.
    pub out: Box<dyn Write + Send>,
    /// What the file may take.
    pub bound: Bound,
    /// Reads it again, where there are comments to be made.
    pub comments: Option<Annotator>,
}

/// Begins a recording of at most so many bytes. `options`: how its messages are read.
///
/// # Errors
/// Errors of the file system.
pub fn begin(file: &mut OutFile, most: usize, options: impl FnOnce() -> Options) -> io::Result<Recorded> {
    let (bound, watched) = (Bound::new(most), file.is_direct());
    let named = file.path().extension().is_some_and(|end| end.eq_ignore_ascii_case("pcapng"));
    let opened = file.open()?;
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
pub fn end(comments: Option<Annotator>, file: &OutFile, global: &Global) -> io::Result<()> {
    let Some(comments) = comments else { return Ok(()) };
    let copied = comments.finish().map_err(|error| file.named(error))?;
    if copied.lost > 0 {
        let (name, lost) = (Printable(file.name()), Plural(copied.lost, "message"));
        notify(
            global,
            format_args!(
                "netkit: {name}: full (--limit pcap_bytes): comments of {lost} are not in it, their frames may be"
            ),
        );
    }
    Ok(())
}
