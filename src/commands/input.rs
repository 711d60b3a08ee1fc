//! Opening input: a file, or stdin for `-`.

use super::capture::opened;
use super::interrupt::stop;
use super::notify::notify;
use crate::cli::Global;
use crate::platform::{self, Ready};
use netkit::capture::{Again, Capture, Input};
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
    match file.metadata().is_ok_and(|about| about.is_file()) {
        true => Ok(Box::new(file)),
        false => Ok(Box::new(Waiting(file))),
    }
}

/// Opens a capture for a first reading; `None`: it can be read only once.
pub fn again(path: &Path) -> Option<Again> {
    let path = path.to_owned();
    let is_file = path.as_os_str() != "-" && std::fs::metadata(&path).is_ok_and(|about| about.is_file());
    is_file.then(|| -> Again { Box::new(move || Capture::new(Input::new(open(&path).ok()?).ok()?).ok()) })
}

/// Tells the user that input is expected, if it would come from a terminal.
pub fn announce_wait(path: &Path, global: &Global) {
    if path.as_os_str() == "-" && opened::interface().is_none() && io::stdin().is_terminal() {
        notify(
            global,
            format_args!(
                "netkit: waiting for a capture on stdin, which is the terminal: pipe one into it, or name a file; Ctrl-C ends"
            ),
        );
    }
}

/// As [`open`], but a file never ends. stdin does: its writer is gone then.
pub fn follow(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(stdin());
    }
    Ok(Box::new(Growing(file(path)?)))
}

/// The name in output: of the interface, or `stdin`, for `-`.
pub fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => opened::interface().unwrap_or("stdin").into(),
        false => path.display().to_string(),
    }
}

/// How several inputs are called in one line, where each is called so.
pub fn called(files: &[PathBuf], name: impl Fn(&Path) -> String) -> String {
    let first = files.first().map(|file| name(file)).unwrap_or_default();
    match files.len() {
        0 | 1 => first,
        n => format!("{first} and {} more", n - 1),
    }
}

fn file(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("is a directory, expected a file");
    }
    Ok(file)
}

/// The polling interval of a growing file.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A growing file: at its end, waits for more data. It ends with Ctrl-C, or when nobody reads the
/// output any more.
struct Growing(File);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !readable(&self.0, true) {
                return Ok(0);
            }
            match self.0.read(buffer)? {
                // A file is readable at its end too.
                0 if !buffer.is_empty() => std::thread::sleep(LOOK_AGAIN),
                read => return Ok(read),
            }
        }
    }
}

/// A pipe or terminal: ends with Ctrl-C too, even if its writer goes on.
struct Waiting(File);

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if readable(&self.0, false) { self.0.read(buffer) } else { Ok(0) }
    }
}

fn stdin() -> Box<dyn Read + Send> {
    match platform::stdin() {
        Some(own) => Box::new(Waiting(own)),
        None => Box::new(io::stdin()),
    }
}

/// Waits until a read would return. `false`: stop reading; `printed`: also when the reader of the
/// output is gone.
fn readable(file: &File, printed: bool) -> bool {
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
