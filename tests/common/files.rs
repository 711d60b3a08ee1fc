//! The fixtures, also for the library's unit tests.

use std::path::{Path, PathBuf};

/// The project's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file below `fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    root().join("fixtures").join(name)
}

/// The entries of a folder, in order.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut list: Vec<PathBuf> = list.map(|entry| entry.expect("an entry").path()).collect();
    list.sort();
    list
}

/// The files of all folders of fixtures.
pub fn all_fixtures() -> Vec<PathBuf> {
    let folders = entries(&fixture("")).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|folder| entries(&folder)).collect()
}

/// Whether the file has this extension.
pub fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}
