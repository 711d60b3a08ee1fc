//! All platform-specific code, with a fallback for each function: no other module has conditional compilation.
//!
//! The fallback uses the standard library alone. It is compiled and tested on every platform, so
//! that changes cannot break it unnoticed.

#[cfg_attr(unix, allow(dead_code))]
mod fallback;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use fallback::{
    Diverted, Keys, apart, await_gone, catch_signals, divert, executable, gone, interrupt, is_root, large_pipe,
    make_executable, output_of, raise_files, restore_terminal, right_to_capture, same_file, status_signal, stdin,
    stdout, suspend, wait,
};
#[cfg(unix)]
pub use unix::{
    Diverted, Keys, apart, await_gone, catch_signals, divert, executable, gone, interrupt, is_root, large_pipe,
    make_executable, output_of, raise_files, restore_terminal, right_to_capture, same_file, status_signal, stdin,
    stdout, suspend, wait,
};

/// The signal number of Ctrl-C, on every system.
pub const INTERRUPT: u8 = 2;

/// Whether this is Windows, which has other scripts and folders.
pub const WINDOWS: bool = cfg!(windows);

/// The separator of file lists in environment variables: Windows paths contain colons.
pub const LIST_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// Whether it is visible, without writing, that the reader of a pipe is gone.
pub const SEES_READERS: bool = cfg!(unix);

/// Folders of capture programs and Wireshark that are often missing in `PATH`.
pub const PROGRAMS: &[&str] = if cfg!(windows) {
    &["C:\\Program Files\\Wireshark"]
} else if cfg!(target_os = "macos") {
    &["/usr/sbin", "/Applications/Wireshark.app/Contents/MacOS"]
} else {
    &["/usr/sbin", "/usr/local/sbin"]
};

/// The instruction to install a capture program.
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
    /// The time has elapsed without input.
    Not,
    /// The reader of the output is gone.
    OutputGone,
}
