//! Where input comes from: a file, or stdin for `-`.

use anyhow::Context;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file, or stdin for `-`.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).with_context(|| path.display().to_string())?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("{}: is a directory, expected a capture or hex text", path.display());
    }
    Ok(Box::new(file))
}

/// The name for messages: `stdin` for `-`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".into() } else { path.display().to_string() }
}
