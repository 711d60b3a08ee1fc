//! The names of inputs in output. With `--redact`, files have other names.

use super::input;
use crate::redact::run;
use std::path::{Path, PathBuf};

/// Returns the name of an input.
pub fn name(path: &Path) -> String {
    let name = input::name(path);
    if path.as_os_str() == "-" { name } else { run::file(name) }
}

/// Returns the names of several inputs in one line.
pub fn names(files: &[PathBuf]) -> String {
    input::called(files, name)
}

/// Returns a word as a shell reads it.
pub fn shell_word(word: &str) -> String {
    match !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./:=,@+%".contains(&b)) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
