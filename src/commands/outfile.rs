//! Files that commands write, by one rule for all of them: never one of the command's own inputs;
//! one that exists only with `--force`; written beside its place and renamed when it is whole, so
//! that whatever stops the program leaves the old one and no litter. A pipe or a device is written
//! to as it is.

use super::output::say;
use super::{Usage, interrupt};
use crate::cli::Global;
use crate::platform;
use netkit::printable::Printable;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Names of open files, not places in a folder: what they lead to is written to as it is.
const OPEN: [&str; 5] = ["/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/fd/", "/proc/self/fd/"];
/// More symbolic links than that are a circle.
const LINKS: usize = 40;

/// Files that are not whole yet: what is to be removed where the program is ended.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is not whole, before the program is ended at once.
pub fn abandon() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // Nothing can be done about one that stays.
        let _ = fs::remove_file(path);
    }
}

/// A file to be written: checked, and not begun.
#[derive(Debug)]
pub struct OutFile {
    /// As the user named it.
    name: PathBuf,
    /// Where it will stand: behind symbolic links.
    place: PathBuf,
    how: How,
    /// Where it is written until it is whole.
    beside: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// There is none of that name.
    New,
    /// The user said `--force`.
    Replace,
    /// A pipe or a device.
    Direct,
}

/// The files that a command was told to write, each with its option. Looks whether they may be
/// written, and changes nothing. `inputs` are all files that the command reads, `-` for stdin.
///
/// # Errors
/// One of them is one of the inputs, or another one of them; it exists and there is no `--force`; it
/// is a folder.
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
            return refuse(&format!("is what is read ({}): name another file", Printable(input)));
        }
        let open = name.to_str().is_some_and(|name| OPEN.iter().any(|open| name.starts_with(open)));
        let how = match (there.is_file() && !open, force) {
            (false, _) => How::Direct,
            (true, true) => How::Replace,
            (true, false) => return refuse("exists: --force replaces it"),
        };
        Ok(OutFile { name: name.into(), place, how, beside: None })
    }

    /// Begins the file. It is at its place after [`OutFile::commit`], and nowhere without it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(&mut self) -> io::Result<File> {
        if self.how == How::Direct {
            return OpenOptions::new().write(true).open(&self.name).map_err(|e| self.named(e));
        }
        // From now on Ctrl-C has something to clean up.
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

    /// The file is whole, and everything was written out: puts it at its place.
    ///
    /// # Errors
    /// Those of the file system; a file that was not there when it was begun is not replaced.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(beside) = self.beside.take() else { return Ok(()) };
        let done = match self.how {
            How::New => put_new(&beside, &self.place),
            How::Replace | How::Direct => fs::rename(&beside, &self.place),
        };
        if done.is_err() {
            let _ = fs::remove_file(&beside);
        }
        forget(&beside);
        done.map_err(|e| self.named(e))
    }

    /// Are both one file? Those that are written to as they are may be.
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

    /// The error with the file's name.
    pub fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", Printable(self.name.display())))
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if let Some(beside) = self.beside.take() {
            let _ = fs::remove_file(&beside);
            forget(&beside);
        }
    }
}

/// What writes to stdout must not read the same file: it would never end.
///
/// # Errors
/// The input that is the output, too.
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

fn forget(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a file its name, unless there is one of that name by now.
fn put_new(beside: &Path, place: &Path) -> io::Result<()> {
    match fs::hard_link(beside, place) {
        Ok(()) => fs::remove_file(beside),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "was made by somebody else in the meantime: --force replaces it",
        )),
        // The file system may know no hard links.
        Err(_) => fs::rename(beside, place),
    }
}

/// The place that a name leads to, through symbolic links, also where nothing is there yet.
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

/// Is the output one of the inputs, under whatever name? Devices may well be both.
fn is_input(output: &Metadata, place: &Path, input: &Path) -> bool {
    if input.as_os_str() == "-" {
        return platform::stdin()
            .and_then(|file| file.metadata().ok())
            .is_some_and(|stdin| platform::same_file(output, place, &stdin, Path::new("-")));
    }
    fs::metadata(input).is_ok_and(|there| platform::same_file(output, place, &there, input))
}

/// A recording of what was sent and received: whole whenever it ends, also where a signal stopped
/// it; but then an older file is left as it was.
pub struct Recording {
    file: OutFile,
    recorder: netkit::live::net::Recorder,
}

impl Recording {
    /// Begins a recording into a file that was checked.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(mut file: OutFile) -> io::Result<Recording> {
        let out: Box<dyn Write + Send> = Box::new(io::BufWriter::new(file.open()?));
        let recorder = netkit::live::net::Recorder::new(out).map_err(|e| file.named(e))?;
        Ok(Recording { file, recorder })
    }

    /// Where the exchange goes.
    pub fn recorder(&self) -> &netkit::live::net::Recorder {
        &self.recorder
    }

    /// Writes out what is waiting.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn flush(&self) -> io::Result<()> {
        self.recorder.flush().map_err(|e| self.file.named(e))
    }

    /// Puts the recording at its place. Where a signal came, a file that was to be replaced is left.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn end(self, global: &Global) -> io::Result<()> {
        self.flush()?;
        if self.file.how == How::Replace && interrupt::status(false).is_some() {
            let name = Printable(self.file.name.display());
            say(global, format_args!("netkit: {name}: left as it was: the recording was stopped"));
            return Ok(());
        }
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two options may not name one file, however it is written.
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

    /// What appears while a file is written is not replaced.
    #[test]
    fn somebody_else_was_faster() {
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
