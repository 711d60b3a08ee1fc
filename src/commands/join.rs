//! `--join`: several files, as rotation writes them, read as one capture.

use super::input;
use super::interrupt::stop;
use super::names;
use super::notify::notify;
use super::usage::Usage;
use crate::cli::Global;
use anyhow::Context;
use netkit::capture::{Again, Capture, Ended, Input, NextFile, Time};
use netkit::render::Files;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A silence between two files that is longer is told, in nanoseconds.
const GAP: i128 = 1_000_000_000;

/// Files in the order of their first frames.
pub struct Join {
    files: VecDeque<(PathBuf, Option<Time>)>,
    /// Of all of them, in bytes.
    pub size: u64,
}

/// What became of files that were read.
#[derive(Clone, Debug, Default)]
pub struct Broken(Arc<AtomicBool>);

impl Broken {
    /// Did one of the files end in an error? It has been reported.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// All of them were read to their ends.
    ///
    /// # Errors
    /// One was not.
    pub fn whole(&self) -> anyhow::Result<()> {
        match self.any() {
            true => anyhow::bail!("one of the joined files could not be read to its end"),
            false => Ok(()),
        }
    }
}

/// How several files are called in one line.
pub fn name(files: &[PathBuf]) -> String {
    input::called(files, input::name)
}

impl Join {
    /// Looks into each file. Names that are none may be patterns, as `cap*.pcap`.
    ///
    /// # Errors
    /// A file that is no capture, or none that fits a pattern.
    pub fn new(files: &[PathBuf]) -> anyhow::Result<Join> {
        let mut list = Vec::new();
        for path in files {
            list.extend(expanded(path)?);
        }
        let (mut dated, mut size) = (Vec::new(), 0);
        for path in list {
            let once = "can be read only once, --join looks into each file to put them in order: name plain files";
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
        // Files of the same time stay as they were given; a file without frames has no place.
        dated.sort_by_key(|(_, first)| first.map_or(i128::MAX, |time| time.nanos()));
        Ok(Join { files: dated.into(), size })
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// All of them as one capture. `names` hears which frames are of which file.
    ///
    /// # Errors
    /// The first file cannot be opened.
    pub fn open(self, names: &Files, global: &Global) -> anyhow::Result<(Capture, Broken)> {
        let files = self.files.clone();
        let (capture, broken) = self.once(names, global)?;
        let again: Again = Box::new(move || {
            // What is wrong with the files is reported by the second reading.
            let quiet = Global { quiet: true, verbose: 0, color: crate::cli::Color::Never };
            let join = Join { files: files.clone(), size: 0 };
            join.once(&Files::default(), &quiet).ok().map(|(capture, _)| capture)
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
            global: (global.quiet, global.verbose, global.color),
        };
        Ok((capture.joined(Box::new(rest)), broken))
    }
}

/// The files of a pattern, in the order of their names; another name is itself.
fn expanded(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let Some(pattern) = path.to_str().filter(|text| !path.exists() && text.contains(['*', '?', '['])) else {
        return Ok(vec![path.into()]);
    };
    let found = glob::glob(pattern).map_err(|why| Usage(format!("{pattern}: {why}")))?;
    let files = found.collect::<Result<Vec<_>, _>>()?;
    match files.is_empty() {
        true => anyhow::bail!("{pattern}: no file is called so"),
        false => Ok(files),
    }
}

fn open(path: &Path) -> anyhow::Result<Input> {
    let input = Input::new(input::open(path)?)?;
    if input.format().is_none() {
        anyhow::bail!("no capture: only pcap and pcapng can be joined");
    }
    Ok(input)
}

/// The time of a file's first frame.
fn first(path: &Path) -> anyhow::Result<Option<Time>> {
    let mut capture = Capture::new(open(path)?)?;
    Ok(capture.next()?.map(|frame| frame.time))
}

/// The files that follow.
struct Rest {
    files: VecDeque<(PathBuf, Option<Time>)>,
    before: PathBuf,
    names: Files,
    broken: Broken,
    global: (bool, u8, crate::cli::Color),
}

impl Rest {
    fn tell(&self, text: std::fmt::Arguments<'_>) {
        let (quiet, verbose, color) = self.global;
        notify(&Global { quiet, verbose, color }, format_args!("netkit: {text}"));
    }

    fn failed(&self, path: &Path, error: &anyhow::Error) {
        self.broken.0.store(true, Ordering::Relaxed);
        self.tell(format_args!("{}: {error:#}", input::name(path)));
    }
}

impl NextFile for Rest {
    fn next(&mut self, ended: Ended) -> Option<Input> {
        // A file that was being written when somebody stopped is not broken.
        if stop().is_set() {
            return None;
        }
        if let Some(error) = ended.error {
            self.failed(&self.before, &error.into());
        }
        loop {
            let (path, first) = self.files.pop_front()?;
            match open(&path) {
                Ok(input) => {
                    if let (Some(last), Some(first)) = (ended.last, first) {
                        let nanos = first.since(last);
                        let (a, b) = (input::name(&self.before), input::name(&path));
                        let seconds = nanos.unsigned_abs() as f64 / 1e9;
                        if nanos < 0 {
                            self.tell(format_args!(
                                "{b} begins {seconds:.6} s before the last frame of {a}: what overlaps is read one file after the other"
                            ));
                        } else if nanos > GAP {
                            self.tell(format_args!("{seconds:.6} s without a frame between {a} and {b}"));
                        }
                    }
                    self.names.begin(ended.frames, &names::name(&path));
                    self.before = path;
                    return Some(input);
                }
                Err(error) => self.failed(&path, &error),
            }
        }
    }
}
