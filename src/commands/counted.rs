//! Reading of the selected messages of a capture into a sink.

use super::gates::{Pick, Picked};
use super::stopped::Stopped;
use super::{join, read};
use crate::cli::Global;
use netkit::dissect::Options;
use netkit::read::CaptureSink;
use std::path::PathBuf;

/// Reads a file, or [joined](super::join) ones, into a sink. What could be read counts, also if it ends in an error or is stopped.
pub fn count<S: CaptureSink>(
    files: &[PathBuf],
    join: bool,
    options: &Options,
    global: &Global,
    pick: Pick,
    sink: S,
) -> (Picked<S>, anyhow::Result<Option<Stopped>>) {
    counted(files, pick, sink, |picked| read::files(files, join, options, global, picked))
}

/// Reads files into a sink with `read`.
pub fn counted<S>(
    files: &[PathBuf],
    pick: Pick,
    sink: S,
    read: impl FnOnce(&mut Picked<S>) -> anyhow::Result<Option<Stopped>>,
) -> (Picked<S>, anyhow::Result<Option<Stopped>>) {
    let mut picked = Picked { sink, pick };
    let done = read(&mut picked);
    if matches!(done, Ok(None)) {
        picked.pick.end(&join::name(files));
    }
    (picked, done)
}
