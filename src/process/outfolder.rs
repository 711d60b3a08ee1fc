//! A folder of output files, which appears as a whole or not at all. It is written under a temporary name next to its
//! place, and renamed when all files in it are complete.

use super::outfile::{finished, folder, temporary_in};
use super::usage::usage;
use crate::printable::Printable;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder that has been checked, and is being filled.
#[derive(Debug)]
pub struct OutFolder {
    /// The name given by the user.
    name: PathBuf,
    /// Whether there are files in it, which `--force` replaces.
    replaces: bool,
    /// The temporary folder.
    temporary: PathBuf,
}

impl OutFolder {
    /// Starts to fill the folder `name`. It must be new or empty, unless `force` is set: then its files with this
    /// `ending` are replaced.
    ///
    /// # Errors
    /// Fails if it is a file or not empty, or with errors of the file system.
    pub fn begin(option: &str, name: &Path, ending: &str, force: bool) -> anyhow::Result<OutFolder> {
        let shown = format!("{option} {}", Printable(name.display()));
        let replaces = match fs::read_dir(name) {
            Ok(mut entries) => entries.next().is_some(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
                return usage(format!("{shown}: is a file, expected a folder"));
            }
            Err(e) => return Err(anyhow::Error::from(e).context(shown)),
        };
        if replaces && !force {
            return usage(format!("{shown}: is not empty: --force replaces its {ending} files"));
        }
        let parent = folder(name);
        let made = fs::create_dir_all(parent).and_then(|()| temporary_in(parent, |path| fs::create_dir(path)));
        let (temporary, ()) = made.with_context(|| shown)?;
        Ok(OutFolder { name: name.into(), replaces, temporary })
    }

    /// Returns the folder to write the files into.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Completes the files: gives the folder its name.
    ///
    /// # Errors
    /// Returns the errors of the file system.
    pub fn commit(self, ending: &str) -> io::Result<()> {
        if !self.replaces {
            return match fs::remove_dir(&self.name) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => fs::rename(&self.temporary, &self.name),
            };
        }
        // Other files of the user stay. Files of an earlier run do not, since its captures may have had other messages.
        for entry in fs::read_dir(&self.name)? {
            let entry = entry?;
            if !entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case(ending)) {
                fs::rename(entry.path(), self.temporary.join(entry.file_name()))?;
            }
        }
        let before = self.temporary.with_extension("old");
        fs::rename(&self.name, &before)?;
        fs::rename(&self.temporary, &self.name)?;
        fs::remove_dir_all(&before)
    }
}

impl Drop for OutFolder {
    fn drop(&mut self) {
        // After a commit, nothing is left there.
        let _ = fs::remove_dir_all(&self.temporary);
        finished(&self.temporary);
    }
}
