//! Output files, with the same rules for all commands. A file is never one of the command's inputs. An existing file is
//! only replaced with `--force`. It is written to a temporary file and renamed when complete, so that the old file
//! stays intact and nothing is left over, however the program ends. Pipes and devices are written directly.

mod parts;
mod recording;

pub use parts::Division;
pub use recording::{Recorded, Recording, annotated, completed};

use super::interrupt;
use super::usage::usage;
use crate::capture::Rotating;
use crate::platform;
use crate::printable::Printable;
use parts::Parts;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Names of open file descriptors, which are written directly.
const OPEN: [&str; 5] = ["/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/fd/", "/proc/self/fd/"];
/// The cap on symbolic links, to detect cycles.
const LINKS: usize = 40;

/// Incomplete temporary files, to be removed if the program is killed.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes incomplete files, before the program exits at once.
pub fn abandon() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // A file that cannot be removed is left.
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
}

/// Makes a file or a folder under a temporary name in a folder. It is removed if the program ends before it is complete.
///
/// # Errors
/// Returns the errors of the file system.
pub(super) fn temporary_in<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    // From now on there is something to remove on Ctrl-C.
    interrupt::before_exit(abandon);
    interrupt::stop();
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for k in 0..10_000 {
        let path = folder.join(format!(".netkit-{}-{k}.part", std::process::id()));
        match make(&path) {
            Ok(made) => {
                unfinished.push(path.clone());
                return Ok((path, made));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// An output file that has been checked, but not begun.
#[derive(Debug)]
pub struct OutFile {
    /// The name given by the user.
    name: PathBuf,
    /// Its final path, with symbolic links resolved.
    place: PathBuf,
    how: How,
    /// Whether `--force` was given.
    force: bool,
    /// The temporary file, until it is complete.
    temporary: Option<PathBuf>,
}

/// A recording that has been started.
pub struct Opened<'f> {
    /// Takes its bytes.
    pub out: Box<dyn Write + Send>,
    /// The name given by the user.
    pub name: &'f Path,
    /// Whether a reader may watch it grow.
    pub watched: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// A new file.
    New,
    /// An existing file, with `--force`.
    Replace,
    /// A pipe or a device.
    Direct,
}

/// Checks the output file of an option, if it is given, like [`OutFile::check`].
///
/// # Errors
/// Fails like it.
pub fn check(option: &str, name: Option<&Path>, inputs: &[&Path], force: bool) -> anyhow::Result<Option<OutFile>> {
    name.map(|name| OutFile::check(option, name, inputs, force)).transpose()
}

impl OutFile {
    /// Checks the output file of an option without changing anything. `inputs` are all files that the command reads,
    /// `-` for stdin. As an output, `-` is stdout.
    ///
    /// # Errors
    /// Fails if the file is one of the inputs, exists without `--force`, or is a directory.
    pub fn check(option: &str, name: &Path, inputs: &[&Path], force: bool) -> anyhow::Result<OutFile> {
        if name.as_os_str() == "-" && option == "--pcap" {
            return usage("--pcap -: stdout has what is printed: name a file");
        }
        if name.as_os_str() == "-" {
            return Ok(OutFile { name: "stdout".into(), place: name.into(), how: How::Direct, force, temporary: None });
        }
        let shown = format!("{option} {}", Printable(name.display()));
        let place = without_links(name).map_err(|e| anyhow::Error::from(e).context(shown.clone()))?;
        let refuse = |why: &str| usage(format!("{shown}: {why}"));
        let there = match fs::metadata(name) {
            Ok(there) => there,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let folder = folder(&place);
                if !folder.is_dir() {
                    anyhow::bail!("{shown}: there is no folder {}", Printable(folder.display()));
                }
                return Ok(OutFile { name: name.into(), place, how: How::New, force, temporary: None });
            }
            Err(e) => return Err(anyhow::Error::from(e).context(shown)),
        };
        if there.is_dir() {
            return refuse("is a folder, expected a file");
        }
        if let Some(input) = inputs.iter().find(|input| is_input(&there, &place, input)) {
            let input = super::input::name(input);
            return refuse(&format!("is also the input {}: name another file", Printable(input)));
        }
        let open = name.to_str().is_some_and(|name| OPEN.iter().any(|open| name.starts_with(open)));
        let how = match (there.is_file() && !open, force) {
            (false, _) => How::Direct,
            (true, true) => How::Replace,
            (true, false) => return refuse("exists: --force replaces it"),
        };
        Ok(OutFile { name: name.into(), place, how, force, temporary: None })
    }

    /// Checks whether it can be a recording in several files.
    ///
    /// # Errors
    /// Fails if it is a pipe or a device, if one of the files exists without `--force`, or if one of the inputs has the
    /// name of such a file.
    pub fn divides(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        let refuse = |why: String| usage(format!("{}: {why}", Printable(self.name.display())));
        if self.how == How::Direct {
            return refuse("a pipe or a device cannot be divided".into());
        }
        let parts = Parts::of(self, None);
        let is_part = |input: &&&Path| {
            let [theirs, ours] = [folder(input), folder(&self.place)].map(|folder| fs::canonicalize(folder).ok());
            let name = input.file_name().map(|name| name.to_string_lossy().into_owned());
            theirs.is_some() && theirs == ours && name.is_some_and(|name| parts.number(&name).is_some())
        };
        if let Some(input) = inputs.iter().find(is_part) {
            return refuse(format!("would replace the input {}: name another file", Printable(input.display())));
        }
        // Including names that the recording would only reach later.
        let others = fs::read_dir(folder(&self.place)).map_err(|error| self.named(error))?.flatten();
        let mut names = others.map(|other| other.file_name().to_string_lossy().into_owned());
        match names.find(|name| !self.force && parts.number(name).is_some()) {
            Some(name) => refuse(format!("{} exists: --force replaces it", Printable(name))),
            None => Ok(()),
        }
    }

    /// Starts a recording, which grows under its final name, so that it exists however the program ends. `division`:
    /// into several files.
    ///
    /// # Errors
    /// Fails like [`OutFile::open`].
    pub fn open_growing(&mut self, division: Option<Division>) -> io::Result<Opened<'_>> {
        if let Some(Division { size, count, turn }) = division {
            let mut parts = Parts::of(self, count);
            let out = Rotating::new(size.unwrap_or(u64::MAX), turn, move || parts.begin())?;
            return Ok(Opened { out: Box::new(out), name: &self.name, watched: true });
        }
        let mut options = OpenOptions::new();
        options.write(true);
        let file = match self.how {
            How::New => options.create_new(true).open(&self.place),
            How::Replace => options.truncate(true).open(&self.place),
            How::Direct => self.direct(),
        };
        let file = file.map_err(|error| self.named(error))?;
        Ok(Opened { out: Box::new(file), name: &self.name, watched: true })
    }

    /// Starts a recording like [`OutFile::open`]. Pipes and devices are watched: their reader sees the bytes at once.
    ///
    /// # Errors
    /// Fails like [`OutFile::open`].
    pub fn open_named(&mut self) -> io::Result<Opened<'_>> {
        Ok(Opened { out: Box::new(self.open()?), watched: self.how == How::Direct, name: &self.name })
    }

    /// The path that the user gave.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// Starts the file. It appears under its name only with [`OutFile::commit`].
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn open(&mut self) -> io::Result<File> {
        if self.how == How::Direct {
            return self.direct().map_err(|e| self.named(e));
        }
        let make = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let (path, file) = temporary_in(folder(&self.place), make).map_err(|e| self.named(e))?;
        self.temporary = Some(path);
        Ok(file)
    }

    /// Opens a pipe, a device, or stdout.
    fn direct(&self) -> io::Result<File> {
        match self.place.as_os_str() == "-" {
            true => platform::stdout().ok_or_else(|| io::ErrorKind::Unsupported.into()),
            false => OpenOptions::new().write(true).open(&self.name),
        }
    }

    /// Renames the complete and flushed file to its name.
    ///
    /// # Errors
    /// Returns the errors of the file system. A file that has appeared since is not replaced.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let done = match self.how {
            How::New => put_new(&temporary, &self.place),
            How::Replace | How::Direct => fs::rename(&temporary, &self.place),
        };
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        finished(&temporary);
        done.map_err(|e| self.named(e))
    }

    /// The name given by the user.
    pub fn name(&self) -> impl std::fmt::Display {
        self.name.display()
    }

    /// Adds the file's name to an error.
    pub fn named(&self, error: io::Error) -> io::Error {
        named(&self.name, &error)
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let _ = fs::remove_file(&temporary);
            finished(&temporary);
        }
    }
}

/// Adds a file's name to an error.
pub fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", Printable(path.display())))
}

/// Checks that stdout is not also an input: reading it would never end.
///
/// # Errors
/// Returns the input that is also the output.
pub fn stdout_is_no_input(inputs: &[&Path]) -> anyhow::Result<()> {
    if let Some(there) = platform::stdout().and_then(|file| file.metadata().ok())
        && there.is_file()
        && let Some(input) = inputs.iter().find(|input| is_input(&there, Path::new(""), input))
    {
        let input = super::input::name(input);
        return usage(format!("{}: is the output, too: write to another file", Printable(input)));
    }
    Ok(())
}

/// Removes a complete or deleted file from the list of [`abandon`].
pub(super) fn finished(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Renames a file, unless the target exists by now.
fn put_new(temporary: &Path, place: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, place) {
        Ok(()) => fs::remove_file(temporary),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "was created by another program in the meantime: --force replaces it",
        )),
        // The file system may not support hard links.
        Err(_) => fs::rename(temporary, place),
    }
}

/// Returns the path that a name refers to, with symbolic links resolved, even if the target does not exist yet.
fn without_links(name: &Path) -> io::Result<PathBuf> {
    let mut place = name.to_path_buf();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&place) {
            Ok(about) if about.is_symlink() => place = folder(&place).join(fs::read_link(&place)?),
            _ => return Ok(place),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether the output is one of the inputs, under any name. Devices may be both.
fn is_input(output: &Metadata, place: &Path, input: &Path) -> bool {
    if input.as_os_str() == "-" {
        return platform::stdin()
            .and_then(|file| file.metadata().ok())
            .is_some_and(|stdin| platform::same_file(output, place, &stdin, Path::new("-")));
    }
    let is = |path: &Path| fs::metadata(path).is_ok_and(|there| platform::same_file(output, place, &there, path));
    // A pattern of --join.
    match input.to_str().filter(|text| !input.exists() && text.contains(['*', '?', '['])) {
        Some(pattern) => glob::glob(pattern).is_ok_and(|mut all| all.any(|path| path.is_ok_and(|path| is(&path)))),
        None => is(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that appears in the meantime is not replaced.
    #[test]
    fn a_file_that_appeared_is_not_replaced() {
        let path = std::env::temp_dir().join(format!("netkit-faster-{}", std::process::id()));
        let mut file = OutFile::check("-o", &path, &[], false).unwrap();
        file.open().unwrap().write_all(b"ours").unwrap();
        let temporary = file.temporary.clone().unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(file.commit().unwrap_err().to_string().contains("--force"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert!(!temporary.exists());
        fs::remove_file(path).unwrap();
    }
}
