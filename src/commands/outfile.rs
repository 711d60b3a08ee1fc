//! Output files, with the same rules for all commands: never one of the command's inputs; an
//! existing one only with `--force`; written to a temporary file and renamed when complete, so that
//! however the program ends, the old file is intact and nothing is left over. Pipes and devices are
//! written directly.

use super::annotated::{self, Recorded};
use super::interrupt;
use super::notify::notify;
use super::usage::Usage;
use crate::cli::Global;
use crate::platform;
use netkit::dissect::Options;
use netkit::plural::Plural;
use netkit::printable::Printable;
use netkit::render::pcapng::Annotator;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
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

#[cfg(feature = "parquet")]
/// From now on, [`abandon`] removes this file or folder.
pub(super) fn unfinished(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.into());
}

/// An output file that has been checked, but not begun.
#[derive(Debug)]
pub struct OutFile {
    /// The name given by the user.
    name: PathBuf,
    /// Its final path, with symbolic links resolved.
    place: PathBuf,
    how: How,
    /// The temporary file, until it is complete.
    beside: Option<PathBuf>,
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

/// Checks the output files of a command, each with its option, without changing anything. `inputs`
/// are all files that the command reads, `-` for stdin.
///
/// # Errors
/// A file is one of the inputs, or given twice; or it exists and there is no `--force`; or it is a
/// directory.
pub fn check<const N: usize>(
    files: [(&str, Option<&Path>); N],
    inputs: &[&Path],
    force: bool,
) -> anyhow::Result<[Option<OutFile>; N]> {
    let mut all = [const { None }; N];
    for (k, (option, name)) in files.into_iter().enumerate() {
        let Some(name) = name else { continue };
        let file = OutFile::check(option, name, inputs, force)?;
        let mut before = files.iter().zip(&all[..k]).filter_map(|((other, _), file)| Some((other, file.as_ref()?)));
        if let Some((other, _)) = before.find(|(_, other)| file.is(other)) {
            return Err(Usage(format!("{other} and {option} name one file: {}", Printable(name.display()))).into());
        }
        all[k] = Some(file);
    }
    Ok(all)
}

impl OutFile {
    fn check(option: &str, name: &Path, inputs: &[&Path], force: bool) -> anyhow::Result<OutFile> {
        let shown = format!("{option} {}", Printable(name.display()));
        let place = behind_links(name).map_err(|e| anyhow::Error::from(e).context(shown.clone()))?;
        let refuse = |why: &str| Err(Usage(format!("{shown}: {why}")).into());
        let there = match fs::metadata(name) {
            Ok(there) => there,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok(OutFile { name: name.into(), place, how: How::New, beside: None });
            }
            Err(e) => return Err(anyhow::Error::from(e).context(shown)),
        };
        if there.is_dir() {
            return refuse("is a directory, expected a file");
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
        Ok(OutFile { name: name.into(), place, how, beside: None })
    }

    /// Begins a recording, which grows under its final name: what is recorded is there, however the
    /// program ends. With its name, and that it is watched.
    ///
    /// # Errors
    /// As [`OutFile::open`].
    pub fn open_growing(&mut self) -> io::Result<(File, &Path, bool)> {
        let mut options = OpenOptions::new();
        options.write(true);
        let options = match self.how {
            How::New => options.create_new(true),
            How::Replace => options.truncate(true),
            How::Direct => &mut options,
        };
        Ok((options.open(&self.place).map_err(|error| self.named(error))?, &self.name, true))
    }

    /// The same for a recording: with its name, and whether it is a pipe or a device, whose reader sees
    /// what is written at once.
    ///
    /// # Errors
    /// As [`OutFile::open`].
    pub fn open_named(&mut self) -> io::Result<(File, &Path, bool)> {
        Ok((self.open()?, &self.name, self.how == How::Direct))
    }

    /// The path that the user gave.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// Begins the file. It appears under its name only with [`OutFile::commit`].
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(&mut self) -> io::Result<File> {
        if self.how == How::Direct {
            return OpenOptions::new().write(true).open(&self.name).map_err(|e| self.named(e));
        }
        // From now on, Ctrl-C has a file to remove.
        interrupt::before_exit(abandon);
        interrupt::stop();
        let folder = folder(&self.place).to_path_buf();
        for k in 0u32.. {
            let path = folder.join(format!(".netkit-{}-{k}.part", std::process::id()));
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    unfinished.push(path.clone());
                    self.beside = Some(path);
                    return Ok(file);
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && k < 10_000 => {}
                Err(e) => return Err(self.named(e)),
            }
        }
        Err(self.named(io::ErrorKind::AlreadyExists.into()))
    }

    /// The file is complete and flushed: renames it to its name.
    ///
    /// # Errors
    /// Errors of the file system; a file that has appeared since is not replaced.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(beside) = self.beside.take() else { return Ok(()) };
        let done = match self.how {
            How::New => put_new(&beside, &self.place),
            How::Replace | How::Direct => fs::rename(&beside, &self.place),
        };
        if done.is_err() {
            let _ = fs::remove_file(&beside);
        }
        finished(&beside);
        done.map_err(|e| self.named(e))
    }

    /// Are both the same file? Those written directly may be.
    fn is(&self, other: &OutFile) -> bool {
        let key = |file: &OutFile| {
            let folder = folder(&file.place).canonicalize().unwrap_or_else(|_| folder(&file.place).into());
            folder.join(file.place.file_name().unwrap_or_default())
        };
        let both = || fs::metadata(&self.name).ok().zip(fs::metadata(&other.name).ok());
        self.how != How::Direct
            && (key(self) == key(other)
                || both().is_some_and(|(a, b)| platform::same_file(&a, &self.place, &b, &other.place)))
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
        if let Some(beside) = self.beside.take() {
            let _ = fs::remove_file(&beside);
            finished(&beside);
        }
    }
}

/// Adds a file's name to an error.
pub fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", Printable(path.display())))
}

/// Checks that stdout is not a file that is also read: reading it would never end.
///
/// # Errors
/// The input that is also the output.
pub fn stdout_is_no_input(inputs: &[&Path]) -> anyhow::Result<()> {
    if let Some(there) = platform::stdout().and_then(|file| file.metadata().ok())
        && there.is_file()
        && let Some(input) = inputs.iter().find(|input| is_input(&there, Path::new(""), input))
    {
        let input = super::input::name(input);
        return Err(Usage(format!("{}: is the output, too: write to another file", Printable(input))).into());
    }
    Ok(())
}

/// Complete, or removed: [`abandon`] leaves it alone.
pub(super) fn finished(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Renames a file, unless the target exists by now.
fn put_new(beside: &Path, place: &Path) -> io::Result<()> {
    match fs::hard_link(beside, place) {
        Ok(()) => fs::remove_file(beside),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "was made by somebody else in the meantime: --force replaces it",
        )),
        // The file system may not support hard links.
        Err(_) => fs::rename(beside, place),
    }
}

/// The path that a name refers to, with symbolic links resolved, also if the target does not exist
/// yet.
fn behind_links(name: &Path) -> io::Result<PathBuf> {
    let mut place = name.to_path_buf();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&place) {
            Ok(about) if about.is_symlink() => place = folder(&place).join(fs::read_link(&place)?),
            _ => return Ok(place),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Is the output one of the inputs, under whatever name? Devices may be both.
fn is_input(output: &Metadata, place: &Path, input: &Path) -> bool {
    if input.as_os_str() == "-" {
        return platform::stdin()
            .and_then(|file| file.metadata().ok())
            .is_some_and(|stdin| platform::same_file(output, place, &stdin, Path::new("-")));
    }
    fs::metadata(input).is_ok_and(|there| platform::same_file(output, place, &there, input))
}

/// A recording of an exchange: completed whenever it ends, also by a signal; but then an existing
/// file is not replaced.
pub struct Recording {
    file: OutFile,
    recorder: netkit::live::net::Recorder,
    comments: Option<Annotator>,
}

impl Recording {
    /// Begins a recording into a checked file, of at most so many bytes. `options`: how its messages are
    /// read, where its name asks for them.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn begin(mut file: OutFile, most: usize, options: impl FnOnce() -> Options) -> io::Result<Recording> {
        let Recorded { out, bound, comments } = annotated::begin(file.open_named()?, most, options)?;
        let recorder = netkit::live::net::Recorder::new(out).map_err(|e| file.named(e))?;
        Ok(Recording { file, recorder: recorder.bounded(bound), comments })
    }

    /// The recorder for the exchange.
    pub fn recorder(&self) -> &netkit::live::net::Recorder {
        &self.recorder
    }

    /// Flushes the recording.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn flush(&self) -> io::Result<()> {
        self.recorder.flush().map_err(|e| self.file.named(e))
    }

    /// Completes the recording. After a signal, an existing file is not replaced.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn end(self, global: &Global) -> io::Result<()> {
        self.flush()?;
        annotated::end(self.comments, &self.file.name, global).map_err(|e| self.file.named(e))?;
        let missing = self.recorder.missing();
        if missing > 0 {
            let (name, frames) = (Printable(self.file.name.display()), Plural(missing, "frame"));
            notify(global, format_args!("netkit: {name}: full (--limit pcap_bytes): the last {frames} are not in it"));
        }
        if self.file.how == How::Replace && interrupt::status(false).is_some() {
            let name = Printable(self.file.name.display());
            notify(global, format_args!("netkit: {name}: left as it was: the recording was stopped"));
            return Ok(());
        }
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// Two options must not name the same file, however it is written.
    #[test]
    fn two_options_one_file() {
        let folder = std::env::temp_dir().join(format!("netkit-outfile-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).unwrap();
        let path = |name: &str| folder.join(name);
        fs::write(path("old"), "old").unwrap();
        let pair = |a: &str, b: &str| check([("-o", Some(&path(a))), ("-w", Some(&path(b)))], &[], true).map(drop);
        assert!(pair("a", "b").is_ok() && pair("a", "old").is_ok());
        for (a, b) in [("a", "a"), ("a", "inner/../a"), ("old", "old"), ("old", "./old")] {
            let why = pair(a, b).unwrap_err().to_string();
            assert!(why.starts_with("-o and -w name one file: "), "{why}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    /// A file that appears in the meantime is not replaced.
    #[test]
    fn a_file_that_appeared_is_not_replaced() {
        let path = std::env::temp_dir().join(format!("netkit-faster-{}", std::process::id()));
        let [file] = check([("-o", Some(&path))], &[], false).unwrap();
        let mut file = file.unwrap();
        file.open().unwrap().write_all(b"ours").unwrap();
        let beside = file.beside.clone().unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(file.commit().unwrap_err().to_string().contains("--force"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert!(!beside.exists());
        fs::remove_file(path).unwrap();
    }
}
