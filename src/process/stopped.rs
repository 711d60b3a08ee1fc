//! The notes about input that a signal stopped.

use super::{input, interrupt};
use crate::printable::Lines;
use crate::read::Stopped;
use std::io::{self, Write};
use std::path::Path;

/// The place where a signal stopped a reading, if one did, or the error that ended it.
pub type ReadResult = anyhow::Result<Option<Stopped>>;

impl Stopped {
    /// Reports it, and that the output is incomplete. Returns the exit status, unless the input has no end of its own
    /// and was ended with Ctrl-C.
    pub fn report(&self, path: &Path) -> Option<u8> {
        let status = interrupt::status(path.as_os_str() == "-")?;
        // Printed even with -q, because the output looks like a complete answer. A closed stderr is ignored.
        let _ = writeln!(io::stderr(), "netkit: {}: {self}", Lines(input::name(path)));
        Some(status)
    }
}

/// Returns the first line of a text report that does not cover the whole input.
pub fn warning(path: &Path, done: &ReadResult) -> String {
    let endless = interrupt::status(path.as_os_str() == "-").is_none();
    done.iter().flatten().filter(|_| !endless).map(|stopped| format!("{stopped}\n\n")).collect()
}

/// Returns the last line of rows that do not cover the whole input.
pub fn ended(stopped: &Stopped) -> String {
    format!("{{\"by\":\"end\",\"stopped\":true,\"read\":{}}}\n", stopped.read)
}
