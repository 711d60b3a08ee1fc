//! Opens input: a file, or stdin for `-`.

use super::capture::opened;
use super::interrupt::stop;
use super::notify::notify;
use crate::capture::{Again, Capture, Input};
use crate::cli::Global;
use crate::platform::{self, Ready};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Opens a file, or stdin for `-`. Errors do not contain the name; the caller adds it.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(opened::reader().unwrap_or_else(stdin));
    }
    let file = file(path)?;
    // Reading a pipe or a terminal may block for any length of time, so it must be interruptible.
    if file.metadata().is_ok_and(|about| about.is_file()) { Ok(Box::new(file)) } else { Ok(Box::new(Waiting(file))) }
}

/// Opens a capture for a first reading; `None` if it can be read only once.
pub fn again(path: &Path) -> Option<Again> {
    let path = path.to_owned();
    let is_file = path.as_os_str() != "-" && std::fs::metadata(&path).is_ok_and(|about| about.is_file());
    is_file.then(|| -> Again { Box::new(move || Capture::new(Input::new(open(&path).ok()?).ok()?).ok()) })
}

/// Informs the user that input is expected, if it would come from a terminal.
pub fn announce_wait(path: &Path, global: &Global) {
    if path.as_os_str() == "-" && opened::interface().is_none() && io::stdin().is_terminal() {
        notify(
            global,
            format_args!(
                "waiting for a capture on stdin, which is the terminal: pipe one into it, or name a file; Ctrl-C ends"
            ),
        );
    }
}

/// Returns the name in output. For `-`, it is the interface or `stdin`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { opened::interface().unwrap_or("stdin").into() } else { path.display().to_string() }
}

/// Returns the name of an output. For `-`, it is `stdout`.
pub fn output_name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdout".into() } else { path.display().to_string() }
}

/// Returns a name for several inputs in one line. `name` returns that of one.
pub fn called(files: &[PathBuf], name: impl Fn(&Path) -> String) -> String {
    let first = files.first().map(|file| name(file)).unwrap_or_default();
    match files.len() {
        0 | 1 => first,
        n => format!("{first} and {} more", n - 1),
    }
}

/// Reads all of a file that is not a capture. Errors do not contain the name.
pub fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file.
///
/// # Errors
/// Fails if there is none, or if it is a folder.
pub(super) fn file(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("is a folder, expected a file");
    }
    Ok(file)
}

/// The polling interval of a growing file.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A pipe or terminal: also ends with Ctrl-C, even if its writer continues.
struct Waiting(File);

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if readable(&self.0, false) { self.0.read(buffer) } else { Ok(0) }
    }
}

/// Returns stdin, which ends with Ctrl-C.
pub(super) fn stdin() -> Box<dyn Read + Send> {
    match platform::stdin() {
        Some(own) => Box::new(Waiting(own)),
        None => Box::new(io::stdin()),
    }
}

/// Waits until a read would return. Returns false if the reading must stop; if `printed` is set, also when the reader
/// of the output is gone.
pub(super) fn readable(file: &File, printed: bool) -> bool {
    loop {
        if stop().is_set() {
            return false;
        }
        match platform::wait(file, printed, LOOK_AGAIN) {
            Ready::Read => return true,
            Ready::Not => {}
            // Treated like Ctrl-C.
            Ready::OutputGone => {
                stop().set();
                return false;
            }
        }
    }
}
