//! `-i IFACE`: capture programs that behave, those that do not, and real ones.
#![cfg(unix)]

mod program;
mod real;
mod wireshark;

use crate::common::feed;
use std::path::Path;
use std::process::Command;

/// Writes a script and makes it executable. A shell of its own does that: a file that this process has open for writing
/// may stay open in the children of other threads until they run their programs, and "Text file busy" is the answer to
/// running it meanwhile.
fn write_script(path: impl AsRef<Path>, text: &str) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "cat > \"$1\" && chmod +x \"$1\"", "sh"]).arg(path.as_ref());
    assert_eq!(feed(&mut shell, text.as_bytes()).status, Some(0), "{}", path.as_ref().display());
}
