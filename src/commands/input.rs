//! Where input comes from: a file, or stdin for `-`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file, or stdin for `-`. Errors do not name it: the caller does.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("is a directory, expected a file");
    }
    Ok(Box::new(file))
}

/// The name for messages: `stdin` for `-`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".into() } else { path.display().to_string() }
}
