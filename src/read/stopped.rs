//! The place where a signal stopped the reading.

use crate::capture::Time;
use std::fmt;

/// The place where a signal stopped the reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    /// The number of frames, or blocks of hex text, read.
    pub(crate) read: u64,
    /// The time of the first and the last of them.
    pub(crate) span: Option<(Time, Time)>,
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
