//! The names of inputs in output. With `--redact`, files have other names.

use super::{input, redact};
use std::path::{Path, PathBuf};

/// Returns the name of an input.
pub fn name(path: &Path) -> String {
    let name = input::name(path);
    if path.as_os_str() == "-" { name } else { redact::file(name) }
}

/// Returns the names of several inputs in one line.
pub fn names(files: &[PathBuf]) -> String {
    input::called(files, name)
}
