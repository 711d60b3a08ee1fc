//! `--follow`: reads a growing file. If it is truncated, or if another file gets its name, as in log rotation, the
//! reading continues with the new contents.

use super::input::{LOOK_AGAIN, file, name, readable, stdin};
use super::interrupt::stop;
use super::notify::warn;
use crate::capture::{CaptureError, Ended, Format, Input, NextFile};
use crate::platform;
use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens like [`open`](super::input::open), but a file never ends. stdin does, when its writer is gone.
///
/// # Errors
/// Fails if it cannot be opened or read.
pub fn open(path: &Path) -> anyhow::Result<Input> {
    if path.as_os_str() == "-" {
        return Ok(Input::new(stdin())?);
    }
    let next = Next { path: path.into(), turned: Arc::default() };
    Ok(next.open()?.followed_by(Box::new(next)))
}

/// A growing file: waits for more data at its end. It ends with Ctrl-C, when the reader of the output is gone, or when
/// a capture must be read from a new beginning.
struct Growing {
    file: File,
    path: PathBuf,
    /// The number of bytes that were read.
    read: u64,
    /// Its first bytes.
    first: Vec<u8>,
    /// Whether it ended because another capture is there.
    ended: Arc<AtomicBool>,
}

impl Growing {
    /// Returns the change of the file, if it did more than grow. A removed file is no change: it may soon exist again.
    fn turned(&self) -> Option<&'static str> {
        let (ours, there) = (self.file.metadata().ok()?, metadata(&self.path).ok()?);
        match platform::same_file(&ours, &self.path, &there, &self.path) {
            _ if !ours.is_file() => None,
            false => Some("replaced"),
            true => (there.len() < self.read).then_some("truncated"),
        }
    }
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut turned = None;
        loop {
            if !readable(&self.file, true) {
                return Ok(0);
            }
            match (self.file.read(buffer)?, turned) {
                (0, None) if !buffer.is_empty() => {
                    turned = self.turned();
                    // Bytes that were written before the change are still read.
                    if turned.is_none() {
                        std::thread::sleep(LOOK_AGAIN);
                    }
                }
                (0, Some(how)) => {
                    warn(format_args!("{}: {how}: reading it from its beginning", name(&self.path)));
                    // Text has no header, so the reading continues.
                    if Format::of(&self.first).is_some() || !self.first.is_ascii() {
                        self.ended.store(true, Ordering::Relaxed);
                        return Ok(0);
                    }
                    (self.file, self.read, turned) = (File::open(&self.path)?, 0, None);
                }
                (read, _) => {
                    self.read += read as u64;
                    let missing = 4usize.saturating_sub(self.first.len());
                    self.first.extend(buffer[..read].iter().take(missing));
                    return Ok(read);
                }
            }
        }
    }
}

/// Opens the next capture after one that was truncated or replaced.
struct Next {
    path: PathBuf,
    turned: Arc<AtomicBool>,
}

impl Next {
    fn open(&self) -> anyhow::Result<Input> {
        let (path, ended) = (self.path.clone(), self.turned.clone());
        Ok(Input::new(Box::new(Growing { file: file(&path)?, path, read: 0, first: Vec::new(), ended }))?)
    }
}

impl NextFile for Next {
    fn next(&mut self, ended: Ended) -> Result<Option<Input>, CaptureError> {
        // The file is damaged, or the reader of the output is gone.
        if !self.turned.swap(false, Ordering::Relaxed) {
            return ended.error.map_or(Ok(None), Err);
        }
        let (mut error, mut reported) = (ended.error.map(anyhow::Error::from), String::new());
        while !stop().is_set() {
            if let Some(text) = error.map(|error| format!("{error:#}")).filter(|text| *text != reported) {
                warn(format_args!("{}: {text}", name(&self.path)));
                reported = text;
            }
            match self.open() {
                Ok(input) if input.format().is_some() => return Ok(Some(input)),
                Ok(_) => error = Some(anyhow::anyhow!("is not a capture: waiting until it is one")),
                Err(why) => error = Some(why),
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(None)
    }
}
