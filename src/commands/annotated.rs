//! `--pcap FILE.pcapng`: records an exchange with its messages as comments, like `decode -f pcapng`.

use super::notify::notify;
use super::outfile::Opened;
use crate::capture::Bound;
use crate::cli::Global;
use crate::dissect::Options;
use crate::plural::Plural;
use crate::printable::Printable;
use crate::render::pcapng::{Annotation, Annotator, Commenter};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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
pub fn begin(opened: Opened<'_>, most: usize, options: impl FnOnce() -> Options) -> io::Result<Recorded> {
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
pub fn end(comments: Option<Annotator>, name: &Path, global: &Global) -> io::Result<()> {
    let Some(comments) = comments else { return Ok(()) };
    let copied = comments.finish()?;
    if copied.lost > 0 {
        let (name, lost) = (Printable(name.display()), Plural(copied.lost, "message"));
        notify(
            global,
            format_args!(
                "{name}: full (--limit pcap_bytes): the comments of {lost} are missing, although their frames may be in it"
            ),
        );
    }
    Ok(())
}
