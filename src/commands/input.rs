//! Where input comes from: a file, or stdin for `-`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

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

/// A file that grows: at its end, waits for more.
struct Growing(File);

/// How long to wait before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer)? {
                0 if !buffer.is_empty() => std::thread::sleep(LOOK_AGAIN),
                read => return Ok(read),
            }
        }
    }
}

/// As [`open`], but a file does not end. stdin does: what writes to it is gone then.
pub fn follow(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return open(path);
    }
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("is a directory, expected a file");
    }
    Ok(Box::new(Growing(file)))
}
