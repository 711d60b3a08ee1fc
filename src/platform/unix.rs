//! Unix: descriptors can be duplicated and waited for.

use super::Ready;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// stdin without the standard library's buffer: what is in there could not be waited for.
pub fn stdin() -> Option<File> {
    own(io::stdin().as_fd())
}

/// stdout without the standard library's buffer: who writes large blocks needs none.
pub fn stdout() -> Option<File> {
    own(io::stdout().as_fd())
}

fn own(descriptor: BorrowedFd<'_>) -> Option<File> {
    descriptor.try_clone_to_owned().ok().map(File::from)
}

/// Asks for a larger buffer of stdout, where it is a pipe. Where the system allows no more, or has
/// no such call, it stays as it is.
pub fn large_pipe(bytes: usize) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), bytes);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = bytes;
}

/// Waits until a read of `file` returns at once, but no longer than `time`. `output`: also until
/// nobody reads our output.
pub fn wait(file: &File, output: bool, time: Duration) -> Ready {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    let out = io::stdout();
    // An error of the output shows without being asked for.
    let mut both = [PollFd::new(file, PollFlags::IN), PollFd::new(&out, PollFlags::empty())];
    let wanted = if output { &mut both[..] } else { &mut both[..1] };
    match poll(wanted, Some(&time)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ready::Not,
        // What cannot be waited for is read.
        Err(_) => Ready::Read,
        Ok(_) if !both[1].revents().is_empty() => Ready::OutputGone,
        Ok(_) => Ready::Read,
    }
}
