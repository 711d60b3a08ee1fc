//! A file of netkit's in another program's folder. It contains a marker; files without it are left alone.

use crate::platform;
use crate::process::outfile::named;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The marker, in the first line after any `#!`.
const MARKER: &str = "made by `netkit wireshark install`, netkit ";
/// The number of bytes at the start that are searched for the marker.
const BEGINNING: u64 = 1024;

/// The state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    None,
    /// A file with the marker.
    Ours,
    /// Anything else.
    Foreign,
}

/// A file to be installed.
#[derive(Clone, Debug)]
pub struct Installed {
    /// Its path.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
    program: bool,
}

impl Installed {
    /// Creates a text file; `remark` begins a comment in its language.
    pub fn new(path: PathBuf, remark: &str, text: String) -> Installed {
        Installed { path, text: format!("{}{text}", marker(remark)), program: false }
    }

    /// Creates a shell program, whose first line stays the first.
    pub fn program(path: PathBuf, remark: &str, text: &str) -> Installed {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        Installed { path, text: format!("{first}\n{}{rest}", marker(remark)), program: true }
    }

    /// Returns the current state of its path.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn state(&self) -> io::Result<State> {
        state(&self.path)
    }

    /// Writes it to a temporary file and renames that. Returns the action in words.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn write(&self) -> io::Result<&'static str> {
        let there = self.state()?;
        if there == State::Foreign {
            return Err(io::Error::other(format!("{}: is not netkit's", self.path.display())));
        }
        if there == State::Ours && fs::read(&self.path).is_ok_and(|old| old == self.text.as_bytes()) {
            return Ok("is up to date");
        }
        let error = |error: io::Error| named(&self.path, &error);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(error)?;
        }
        // In that folder, Wireshark treats a name that begins with a dot neither as a script nor as a program.
        let temporary = self.path.with_file_name(format!(".netkit-{}.part", std::process::id()));
        let written = self.write_to(&temporary).and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(error)?;
        Ok(if there == State::Ours { "replaced" } else { "installed" })
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(self.text.as_bytes())?;
        if self.program { platform::make_executable(&file) } else { Ok(()) }
    }
}

fn marker(remark: &str) -> String {
    format!("{remark} {MARKER}{}; `netkit wireshark remove` removes it\n", env!("CARGO_PKG_VERSION"))
}

/// Returns the state of a path.
///
/// # Errors
/// Fails if the path cannot be examined.
pub fn state(path: &Path) -> io::Result<State> {
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::None),
        Err(error) => return Err(named(path, &error)),
    };
    // A link may lead anywhere, and netkit never makes one.
    if !about.is_file() {
        return Ok(State::Foreign);
    }
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    read.map_err(|error| named(path, &error))?;
    let ours = String::from_utf8_lossy(&beginning).lines().take(2).any(|line| line.contains(MARKER));
    Ok(if ours { State::Ours } else { State::Foreign })
}
