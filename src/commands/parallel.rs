//! Reads a capture with several threads: one reads the file and distributes its conversations to queues, which any
//! thread dissects.

use super::join::Join;
use super::stopped::ReadResult;
use super::{input, read};
use crate::cli::Global;
use anyhow::Context;
use netkit::capture::{Capture, Input};
use netkit::dissect::Options;
use netkit::read::{Any, CaptureSink, Summary};
use netkit::render::Files;
use std::path::{Path, PathBuf};
use std::thread;

/// The size from which several threads pay: smaller files are finished before a second thread has started.
const SMALL: u64 = 4 << 20;
/// The maximum number of threads: more would wait for the reader.
const MOST: usize = 8;

/// Returns the number of threads worth using; `requested` is the user's choice.
pub fn threads(path: &Path, requested: Option<usize>, watched: bool) -> usize {
    let whole = std::fs::metadata(path).ok().filter(|about| about.is_file());
    whole.map_or(1, |about| threads_for(about.len(), requested, watched))
}

/// Returns the same for a number of bytes in plain files.
pub fn threads_for(size: u64, requested: Option<usize>, watched: bool) -> usize {
    match requested {
        Some(n) => n.clamp(1, MOST),
        None if size < SMALL || watched => 1,
        None => thread::available_parallelism().map_or(1, |n| n.get().min(MOST)),
    }
}

/// A sink whose work several threads can share.
pub trait Shared: CaptureSink {
    /// Whether they can, with the user's options.
    fn divides(&self) -> bool {
        true
    }

    /// Reads a capture with `count` threads. Afterwards the sink is as if it had seen all messages.
    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary;
}

/// Reads like [`read::file`], with several threads if that pays, or is requested.
///
/// # Errors
/// Fails like [`read::file`].
pub fn file(
    path: &Path,
    options: &Options,
    global: &Global,
    requested: Option<usize>,
    sink: &mut impl Shared,
) -> ReadResult {
    let count = threads(path, requested, false);
    if count == 1 || !sink.divides() {
        return read::file(path, options, global, sink);
    }
    let mut read = || {
        let input = Input::new(input::open(path)?)?.reopening(input::again(path));
        match input.format() {
            Some(_) => read::report(sink.shared(Capture::new(input)?, options, count), global, sink),
            None => read::whole(input, options, global, &mut Any(sink)),
        }
    };
    read().with_context(|| input::name(path))
}

/// Reads like [`read::files`], with several threads if that pays, or is requested.
///
/// # Errors
/// Fails like [`read::files`].
pub fn files(
    paths: &[PathBuf],
    join: bool,
    options: &Options,
    global: &Global,
    requested: Option<usize>,
    sink: &mut impl Shared,
) -> ReadResult {
    if let ([path], false) = (paths, join) {
        return file(path, options, global, requested, sink);
    }
    let join = Join::new(paths)?;
    let count = threads_for(join.size, requested, false);
    if count == 1 || !sink.divides() {
        return read::files(paths, true, options, global, sink);
    }
    let (capture, broken) = join.open(&Files::default(), global)?;
    let stopped = read::report(sink.shared(capture, options, count), global, sink)?;
    broken.whole()?;
    Ok(stopped)
}
