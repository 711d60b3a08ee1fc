//! `--join`: reads several files, as rotation writes them, as one capture.

use super::interrupt::stop;
use super::notify::{notify, warn};
use super::usage::Usage;
use super::{input, names};
use crate::capture::{Again, Capture, CaptureError, Ended, Input, NextFile, Time};
use crate::cli::Global;
use crate::render::Files;
use anyhow::Context;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest silence between two files that is not reported, in nanoseconds.
const GAP: i128 = 1_000_000_000;

/// Files in the order of their first frames.
#[derive(Clone)]
pub struct Join {
    files: VecDeque<(PathBuf, Option<Time>)>,
    /// The size of all files, in bytes.
    pub size: u64,
    /// Whether the errors of the files are not reported.
    silent: bool,
}

/// Whether files could not be read to their ends.
#[derive(Clone, Debug, Default)]
pub struct Broken(Arc<AtomicBool>);

impl Broken {
    /// Whether one of the files ended in an error, which was reported.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks that all of them were read to their ends.
    ///
    /// # Errors
    /// Fails if one was not.
    pub fn whole(&self) -> anyhow::Result<()> {
        if self.any() { anyhow::bail!("one of the joined files could not be read to its end") } else { Ok(()) }
    }
}

/// Returns a name for several files in one line.
pub fn name(files: &[PathBuf]) -> String {
    input::called(files, input::name)
}

impl Join {
    /// Opens each file once. Names without a file may be patterns, such as `cap*.pcap`.
    ///
    /// # Errors
    /// Fails if a file is not a capture, or if no file matches a pattern.
    pub fn new(files: &[PathBuf]) -> anyhow::Result<Join> {
        let list = expanded(files)?;
        let (mut dated, mut size) = (Vec::new(), 0);
        for path in list {
            let once = "can be read only once, but --join first reads the beginning of each file: name regular files";
            let once = || Usage(format!("{}: {once}", input::name(&path)));
            if path.as_os_str() == "-" {
                return Err(once().into());
            }
            let about = std::fs::metadata(&path).with_context(|| input::name(&path))?;
            if !about.is_file() {
                return Err(once().into());
            }
            size += about.len();
            let first = first(&path).with_context(|| input::name(&path))?;
            dated.push((path, first));
        }
        // Files with the same time keep their order. Files without frames come last.
        dated.sort_by_key(|(_, first)| first.map_or(i128::MAX, |time| time.nanos()));
        Ok(Join { files: dated.into(), size, silent: false })
    }

    /// Returns them for a reading before the one that reports the errors of the files.
    pub fn silent(self) -> Join {
        Join { silent: true, ..self }
    }

    /// Returns their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// Returns all of them as one capture. `names` gets the file of each frame.
    ///
    /// # Errors
    /// Fails if the first file cannot be opened.
    pub fn open(self, names: &Files, global: &Global) -> anyhow::Result<(Capture, Broken)> {
        let files = self.files.clone();
        let (capture, broken) = self.once(names, global)?;
        let again: Again = Box::new(move || {
            // The second reading reports the errors of the files.
            let join = Join { files: files.clone(), size: 0, silent: true };
            join.once(&Files::default(), &Global::silent()).ok().map(|(capture, _)| capture)
        });
        Ok((capture.reopening(again), broken))
    }

    fn once(mut self, names: &Files, global: &Global) -> anyhow::Result<(Capture, Broken)> {
        let Some((path, _)) = self.files.pop_front() else { anyhow::bail!("no file") };
        let input = open(&path).with_context(|| input::name(&path))?;
        names.begin(0, &names::name(&path));
        let broken = Broken::default();
        let capture = Capture::new(input).with_context(|| input::name(&path))?;
        let rest = Rest {
            files: self.files,
            before: path,
            names: names.clone(),
            broken: broken.clone(),
            global: global.clone(),
            silent: self.silent,
        };
        Ok((capture.joined(Box::new(rest)), broken))
    }
}

/// Returns the files of names and patterns; those of a pattern are sorted by name.
///
/// # Errors
/// Fails if no file matches a pattern.
pub fn expanded(names: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names {
        let Some(pattern) = name.to_str().filter(|text| !name.exists() && text.contains(['*', '?', '['])) else {
            files.push(name.clone());
            continue;
        };
        let found = glob::glob(pattern).map_err(|why| Usage(format!("{pattern}: {why}")))?;
        let before = files.len();
        files.extend(found.collect::<Result<Vec<_>, _>>()?);
        if files.len() == before {
            anyhow::bail!("{pattern}: no file matches");
        }
    }
    Ok(files)
}

fn open(path: &Path) -> anyhow::Result<Input> {
    let input = Input::new(input::open(path)?)?;
    if input.format().is_none() {
        anyhow::bail!("no capture: only pcap and pcapng can be joined");
    }
    Ok(input)
}

/// Returns the time of a file's first frame.
fn first(path: &Path) -> anyhow::Result<Option<Time>> {
    let mut capture = Capture::new(open(path)?)?;
    Ok(capture.next()?.map(|frame| frame.time))
}

/// The files after the current one.
struct Rest {
    files: VecDeque<(PathBuf, Option<Time>)>,
    before: PathBuf,
    names: Files,
    broken: Broken,
    global: Global,
    silent: bool,
}

impl Rest {
    fn failed(&self, path: &Path, error: &anyhow::Error) {
        self.broken.0.store(true, Ordering::Relaxed);
        if !self.silent {
            warn(format_args!("{}: {error:#}", input::name(path)));
        }
    }
}

impl NextFile for Rest {
    fn next(&mut self, ended: Ended) -> Result<Option<Input>, CaptureError> {
        // A file that was still being written when the user stopped is not broken.
        if stop().is_set() {
            return Ok(None);
        }
        if let Some(error) = ended.error {
            self.failed(&self.before, &error.into());
        }
        loop {
            let Some((path, first)) = self.files.pop_front() else { return Ok(None) };
            match open(&path) {
                Ok(input) => {
                    if let (Some(last), Some(first)) = (ended.last, first) {
                        let nanos = first.since(last);
                        let (a, b) = (input::name(&self.before), input::name(&path));
                        let seconds = nanos.unsigned_abs() as f64 / 1e9;
                        if nanos < 0 {
                            notify(
                                &self.global,
                                format_args!(
                                    "{b} begins {seconds:.6} s before the last frame of {a}: what overlaps is read one file after the other, and what both have counts twice"
                                ),
                            );
                        } else if nanos > GAP {
                            notify(&self.global, format_args!("{seconds:.6} s without a frame between {a} and {b}"));
                        }
                    }
                    self.names.begin(ended.frames, &names::name(&path));
                    self.before = path;
                    return Ok(Some(input));
                }
                Err(error) => self.failed(&path, &error),
            }
        }
    }
}
