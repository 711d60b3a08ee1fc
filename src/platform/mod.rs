//! Everything platform-specific, each with a fallback: no other module has conditional compilation.
//!
//! The fallback uses the standard library alone. It is compiled and tested on every platform, so
//! that changes cannot break it unnoticed.

#[cfg_attr(unix, allow(dead_code))]
mod fallback;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use fallback::{
    Keys, apart, catch_signals, executable, gone, interrupt, is_root, large_pipe, make_executable, output_of,
    raise_files, restore_terminal, right_to_capture, same_file, stdin, stdout, wait,
};
#[cfg(unix)]
pub use unix::{
    Keys, apart, catch_signals, executable, gone, interrupt, is_root, large_pipe, make_executable, output_of,
    raise_files, restore_terminal, right_to_capture, same_file, stdin, stdout, wait,
};

/// The signal number of Ctrl-C, on every system.
pub const INTERRUPT: u8 = 2;

/// Is it Windows, where scripts and folders are others?
pub const WINDOWS: bool = cfg!(windows);

/// The separator of file lists in environment variables: Windows paths contain colons.
pub const LIST_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// Can it be seen, without writing, that the reader of a pipe is gone?
pub const SEES_READERS: bool = cfg!(unix);

/// Folders of capture programs and of Wireshark that `PATH` often lacks.
pub const PROGRAMS: &[&str] = if cfg!(windows) {
    &["C:\\Program Files\\Wireshark"]
} else if cfg!(target_os = "macos") {
    &["/usr/sbin", "/Applications/Wireshark.app/Contents/MacOS"]
} else {
    &["/usr/sbin", "/usr/local/sbin"]
};

/// How a capture program is installed.
pub const INSTALL: &str = if cfg!(windows) {
    "install Wireshark with Npcap"
} else if cfg!(target_os = "macos") {
    "install Wireshark"
} else {
    "install one of them (Debian: apt-get install tcpdump), or name it with NETKIT_CAPTURE"
};

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
