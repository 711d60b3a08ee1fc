//! Reads inputs into a sink: one after the other or joined, plain, followed or with relations, with one thread or
//! several. One of several threads reads the file and distributes its conversations to queues, which any thread
//! dissects.

use super::join::{Broken, Join};
use super::stopped::ReadResult;
use super::{input, link, read};
use crate::capture::Capture;
use crate::cli::Global;
use crate::dissect::{Linked, LinkedSink, Options};
use crate::read::{Any, CaptureSink, Pick, Picked, Summary};
use crate::render::Files;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::thread;

/// The size from which several threads pay: smaller files are finished before a second thread has started.
const SMALL: u64 = 4 << 20;
/// The maximum number of threads: more would wait for the reader.
const MOST: usize = 8;

/// Returns the number of threads worth using for this many bytes in plain files; `requested` is the user's choice.
pub fn threads_for(size: u64, requested: Option<usize>, watched: bool) -> usize {
    match requested {
        Some(n) => n.clamp(1, MOST),
        None if size < SMALL || watched => 1,
        None => thread::available_parallelism().map_or(1, |n| n.get().min(MOST)),
    }
}

/// A sink whose work several threads can share.
pub trait Shared: CaptureSink + Sized {
    /// Whether they can, with the user's options.
    fn divides(&self) -> bool {
        true
    }

    /// Whether the user watches the output: then one thread shows messages sooner.
    fn watched(&self) -> bool {
        false
    }

    /// Reads a capture with `count` threads. Afterwards the sink is as if it had seen all messages.
    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary;

    /// Reads a capture with one thread.
    ///
    /// # Errors
    /// Fails like [`read::frames`].
    fn alone(&mut self, capture: Capture, options: &Options, global: &Global) -> ReadResult {
        read::frames(capture, options, global, &mut Any(self))
    }
}

/// Any sink, served by one thread.
impl Shared for Any<'_> {
    fn divides(&self) -> bool {
        false
    }

    fn shared(&mut self, capture: Capture, options: &Options, _: usize) -> Summary {
        read::drive(options).read(capture, self)
    }
}

/// The way in which inputs are read.
#[derive(Clone, Copy)]
pub struct InputReader<'a> {
    pub options: &'a Options,
    pub global: &'a Global,
    /// The requested number of threads.
    pub threads: Option<usize>,
    /// `--follow`: the input grows.
    pub follow: bool,
    /// `--link`: relations to later messages are read first.
    pub link: bool,
}

impl<'a> InputReader<'a> {
    /// Creates it for inputs that are read once, to their ends.
    pub fn new(options: &'a Options, global: &'a Global) -> InputReader<'a> {
        InputReader { options, global, threads: None, follow: false, link: false }
    }

    /// Reads one input: a capture or hex text.
    ///
    /// # Errors
    /// Fails if it cannot be opened or read to its end.
    pub fn file(&self, path: &Path, sink: &mut impl Shared) -> ReadResult {
        let InputReader { options, global, .. } = *self;
        input::announce_wait(path, global);
        let mut read = || {
            let (input, linked) = link::open(path, self.follow, self.link, options, global)?;
            let endless = self.follow || path.as_os_str() == "-";
            let file = std::fs::metadata(path).ok().filter(|about| about.is_file() && !endless);
            match (input.format(), linked) {
                (Some(_), linked) => self.capture(Capture::new(input)?, file.map(|about| about.len()), linked, sink),
                (None, Some(linked)) => read::whole(input, options, global, &mut Any(&mut LinkedSink { sink, linked })),
                (None, None) => read::whole(input, options, global, &mut Any(sink)),
            }
        };
        read().with_context(|| input::name(path))
    }

    /// Reads files as one. `names` receives the names of the files as they begin. Returns also whether all files were
    /// read to their ends.
    ///
    /// # Errors
    /// Fails if the first file cannot be opened.
    pub fn joined(&self, join: Join, names: &Files, sink: &mut impl Shared) -> anyhow::Result<(Broken, ReadResult)> {
        let (size, again) = (join.size, join.clone());
        let (capture, broken) = join.open(names, self.global)?;
        let linked = self.link.then(|| link::joined(again, self.options)).transpose()?;
        Ok((broken, self.capture(capture, Some(size), linked, sink)))
    }

    /// Reads a capture, with its relations if they were read before. `size`: that of its plain files.
    fn capture(
        &self,
        capture: Capture,
        size: Option<u64>,
        linked: Option<Linked>,
        sink: &mut impl Shared,
    ) -> ReadResult {
        let InputReader { options, global, .. } = *self;
        let divided = size.filter(|_| linked.is_none() && sink.divides());
        let count = divided.map_or(1, |size| threads_for(size, self.threads, sink.watched()));
        if count > 1 {
            return read::report(sink.shared(capture, options, count), global, sink);
        }
        sink.begin();
        match linked {
            Some(linked) => read::frames(capture, options, global, &mut Any(&mut LinkedSink { sink, linked })),
            None => sink.alone(capture, options, global),
        }
    }

    /// Reads one file, or several files as one.
    ///
    /// # Errors
    /// Fails if one of them cannot be read to its end.
    pub fn files(&self, paths: &[PathBuf], join: bool, sink: &mut impl Shared) -> ReadResult {
        if let ([path], false) = (paths, join) {
            return self.file(path, sink);
        }
        self.joined_files(paths, &Files::default(), sink)
    }

    /// Reads files as one, like [`InputReader::joined`].
    ///
    /// # Errors
    /// Fails if one of them cannot be read to its end.
    pub fn joined_files(&self, paths: &[PathBuf], names: &Files, sink: &mut impl Shared) -> ReadResult {
        let (broken, read) = self.joined(Join::new(paths)?, names, sink)?;
        let stopped = read?;
        broken.whole()?;
        Ok(stopped)
    }

    /// Reads the selected messages of one file, or of several as one, into a sink. All messages before an error or a
    /// stop count.
    pub fn count<S: CaptureSink>(&self, paths: &[PathBuf], join: bool, pick: Pick, sink: S) -> (Picked<S>, ReadResult) {
        let mut picked = Picked { sink, pick };
        let done = self.files(paths, join, &mut Any(&mut picked));
        picked.pick.ended(paths, &done);
        (picked, done)
    }
}
