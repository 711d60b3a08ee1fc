//! Reads the selected messages of a capture into a sink.

use super::gates::{Pick, Picked};
use super::stopped::ReadResult;
use super::{join, read};
use crate::cli::Global;
use crate::dissect::Options;
use crate::read::CaptureSink;
use std::path::PathBuf;

/// Reads a file, or [joined](super::join) files, into a sink. All messages before an error or a stop count.
pub fn count<S: CaptureSink>(
    files: &[PathBuf],
    join: bool,
    options: &Options,
    global: &Global,
    pick: Pick,
    sink: S,
) -> (Picked<S>, ReadResult) {
    counted(files, pick, sink, |picked| read::files(files, join, options, global, picked))
}

/// Reads files into a sink with `read`.
pub fn counted<S>(
    files: &[PathBuf],
    pick: Pick,
    sink: S,
    read: impl FnOnce(&mut Picked<S>) -> ReadResult,
) -> (Picked<S>, ReadResult) {
    let mut picked = Picked { sink, pick };
    let done = read(&mut picked);
    if matches!(done, Ok(None)) {
        picked.pick.end(&join::name(files));
    }
    (picked, done)
}
