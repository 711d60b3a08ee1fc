//! A folder of output files, which appears as a whole or not at all: it is written under another
//! name beside its place, and renamed when every file in it is complete.

use super::interrupt;
use super::outfile::{abandon, finished, unfinished};
use super::usage::Usage;
use netkit::printable::Printable;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that has been checked, and is being filled.
#[derive(Debug)]
pub struct OutFolder {
    /// The name given by the user.
    name: PathBuf,
    /// There are files in it, which `--force` replaces.
    replaces: bool,
    /// Where the files are until they are complete.
    beside: PathBuf,
}

impl OutFolder {
    /// Begins to fill the folder `name`, which is not there yet, or is empty, or `force` is given:
    /// then files of this `ending` in it are replaced.
    ///
    /// # Errors
    /// It is a file, or is not empty; errors of the file system.
    pub fn begin(option: &str, name: &Path, ending: &str, force: bool) -> anyhow::Result<OutFolder> {
        let shown = format!("{option} {}", Printable(name.display()));
        let replaces = match fs::read_dir(name) {
            Ok(mut entries) => entries.next().is_some(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
                return Err(Usage(format!("{shown}: is a file, expected a folder")).into());
            }
            Err(e) => return Err(anyhow::Error::from(e).context(shown)),
        };
        if replaces && !force {
            return Err(Usage(format!("{shown}: is not empty: --force replaces its {ending} files")).into());
        }
        interrupt::before_exit(abandon);
        interrupt::stop();
        let parent = name.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|e| anyhow::Error::from(e).context(shown.clone()))?;
        for k in 0u32.. {
            let beside = parent.join(format!(".netkit-{}-{k}.part", std::process::id()));
            match fs::create_dir(&beside) {
                Ok(()) => {
                    unfinished(&beside);
                    return Ok(OutFolder { name: name.into(), replaces, beside });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && k < 10_000 => {}
                Err(e) => return Err(anyhow::Error::from(e).context(shown)),
            }
        }
        unreachable!("some name is free, or there was an error")
    }

    /// Where the files are to be written.
    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// All files are complete: gives the folder its name.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn commit(self, ending: &str) -> io::Result<()> {
        if !self.replaces {
            return match fs::remove_dir(&self.name) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => fs::rename(&self.beside, &self.name),
            };
        }
        // What the user has beside them stays. The files of another run do not: its captures may have
        // had messages that these have not.
        for entry in fs::read_dir(&self.name)? {
            let entry = entry?;
            if !entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case(ending)) {
                fs::rename(entry.path(), self.beside.join(entry.file_name()))?;
            }
        }
        let before = self.beside.with_extension("old");
        fs::rename(&self.name, &before)?;
        fs::rename(&self.beside, &self.name)?;
        fs::remove_dir_all(&before)
    }
}

impl Drop for OutFolder {
    fn drop(&mut self) {
        // Nothing is there any more after a commit.
        let _ = fs::remove_dir_all(&self.beside);
        finished(&self.beside);
    }
}
