//! What inputs are called in output: with `--redact` files have other names.

use super::{input, redact};
use std::path::{Path, PathBuf};

/// An input.
pub fn name(path: &Path) -> String {
    let name = input::name(path);
    if path.as_os_str() == "-" { name } else { redact::file(name) }
}

/// Several in one line.
pub fn names(files: &[PathBuf]) -> String {
    input::called(files, name)
}
