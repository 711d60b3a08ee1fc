//! Everything platform-specific, each with a fallback: no other module has conditional compilation.
//!
//! The fallback uses the standard library alone. It is compiled and tested on every platform, so
//! that changes cannot break it unnoticed.

#[cfg_attr(unix, allow(dead_code))]
mod fallback;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use fallback::{Keys, catch_signals, large_pipe, raise_files, restore_terminal, same_file, stdin, stdout, wait};
#[cfg(unix)]
pub use unix::{Keys, catch_signals, large_pipe, raise_files, restore_terminal, same_file, stdin, stdout, wait};

/// The signal number of Ctrl-C, on every system.
pub const INTERRUPT: u8 = 2;

/// The separator of file lists in environment variables: Windows paths contain colons.
pub const LIST_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The result of waiting for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub enum Ready {
    /// A read returns at once (input, its end, or an error), or waiting is not supported.
    Read,
    /// The time has elapsed.
    Not,
    /// The reader of the output is gone.
    OutputGone,
}
