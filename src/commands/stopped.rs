//! The place where a signal stopped the reading of the input.

use super::{input, interrupt};
use crate::capture::Time;
use crate::printable::Lines;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The place where a signal stopped a reading, if one did, or the error that ended it.
pub type ReadResult = anyhow::Result<Option<Stopped>>;

/// The place where a signal stopped the reading.
#[derive(Clone, Copy, Debug)]
pub struct Stopped {
    /// The number of frames, or blocks of hex text, read.
    pub read: u64,
    /// The time of the first and the last of them.
    pub span: Option<(Time, Time)>,
}

impl Stopped {
    /// Creates it for hex text, after this many blocks.
    pub fn blocks(read: u64) -> Stopped {
        Stopped { read, span: None }
    }

    /// Reports it, and that the output is incomplete. Returns the exit status, unless the input has no end of its own
    /// and was ended with Ctrl-C.
    pub fn report(&self, path: &Path) -> Option<u8> {
        let status = interrupt::status(path.as_os_str() == "-")?;
        // Printed even with -q, because the output looks like a complete answer. A closed stderr is ignored.
        let _ = writeln!(io::stderr(), "netkit: {}: {self}", Lines(input::name(path)));
        Some(status)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.span {
            Some((first, last)) => {
                let seconds = last.since(first) as f64 / 1e9;
                write!(
                    f,
                    "stopped after frame {} ({seconds:.6} s after the first): what follows was not read",
                    self.read
                )
            }
            None if self.read > 0 => write!(f, "stopped after {}: what follows was not read", self.read),
            None => f.write_str("stopped before anything was read"),
        }
    }
}
