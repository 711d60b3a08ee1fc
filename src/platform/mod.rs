//! What is particular to a platform, each with its fallback: nothing else here asks for one.
//!
//! The fallback uses the standard library alone. It is compiled and tested on every platform, so
//! that a change cannot break it where nobody builds it.

#[cfg_attr(unix, allow(dead_code))]
mod fallback;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use fallback::{catch_signals, large_pipe, same_file, stdin, stdout, wait};
#[cfg(unix)]
pub use unix::{catch_signals, large_pipe, same_file, stdin, stdout, wait};

/// The number of Ctrl-C's signal, on every system.
pub const INTERRUPT: u8 = 2;

/// What stands between the files of an environment variable: a path of Windows has a colon itself.
pub const LIST_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// What waiting for input came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub enum Ready {
    /// A read returns at once, or nothing can be said before it: there is input, its end or an error.
    Read,
    /// The time is over.
    Not,
    /// Nobody reads our output any more.
    OutputGone,
}
