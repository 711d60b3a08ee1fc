//! A recording that is divided into several files.

use super::{OutFile, folder, named};
use crate::capture::Turn;
use crate::codec::digits;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

/// The division of a recording into files.
#[derive(Debug, Default)]
pub struct Division {
    /// The maximum size of a file in bytes.
    pub size: Option<u64>,
    /// The number of files that are kept. The oldest are removed.
    pub count: Option<u32>,
    /// Requests another file.
    pub turn: Turn,
}

/// The files of a recording. For `run.pcap`, they are `run_00001.pcap`, `run_00002.pcap` and so on.
pub(super) struct Parts {
    place: PathBuf,
    replace: bool,
    count: usize,
    number: u64,
    /// The existing files.
    kept: VecDeque<PathBuf>,
}

impl Parts {
    pub fn of(file: &OutFile, count: Option<u32>) -> Parts {
        let count = count.map_or(usize::MAX, |n| n as usize);
        Parts { place: file.place.clone(), replace: file.force, count, number: 0, kept: VecDeque::new() }
    }

    /// Returns the name without its ending, and the ending with its dot.
    fn name(&self) -> (String, String) {
        let text = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let ending = text(self.place.extension()).map(|ending| format!(".{ending}"));
        (text(self.place.file_stem()).unwrap_or_default(), ending.unwrap_or_default())
    }

    /// Returns the number of the part with this name.
    pub fn number(&self, name: &str) -> Option<u64> {
        let (stem, ending) = self.name();
        let number = name.strip_prefix(&stem)?.strip_prefix('_')?.strip_suffix(&ending)?;
        (number.len() >= 5).then(|| digits::unsigned(number)).flatten()
    }

    /// Starts the next file.
    pub fn begin(&mut self) -> io::Result<File> {
        self.number += 1;
        let (stem, ending) = self.name();
        let path = folder(&self.place).join(format!("{stem}_{:05}{ending}", self.number));
        let fails = |error: io::Error| named(&path, &error);
        // A program that reads an older file can continue.
        if self.replace && path.exists() {
            fs::remove_file(&path).map_err(fails)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(fails)?;
        self.kept.push_back(path);
        while self.kept.len() > self.count
            && let Some(oldest) = self.kept.pop_front()
        {
            // Another program may have removed it.
            let _ = fs::remove_file(oldest);
        }
        Ok(file)
    }
}
