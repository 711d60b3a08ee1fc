//! Unix: descriptors can be duplicated and waited for.

use super::Ready;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
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

/// Are these two one file, under whatever names? Devices may well be both.
pub fn same_file(a: &Metadata, _: &Path, b: &Metadata, _: &Path) -> bool {
    !a.file_type().is_char_device() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Tells of Ctrl-C and of the signals that ask a program to end, by their numbers, in a thread of its
/// own.
pub fn catch_signals(caught: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    let mut wanted = vec![SIGINT, SIGTERM];
    // Under `nohup` it stays ignored.
    if !ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            caught(signal as u8);
        }
    })?;
    Ok(())
}

/// Was the program started so that it ignores a signal? Known on Linux only.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hard and symbolic links are the file that they lead to; a device is nobody's own.
    #[test]
    fn one_file_under_several_names() {
        let folder = std::env::temp_dir().join(format!("netkit-same-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        std::fs::write(path("old"), "old").unwrap();
        std::fs::write(path("other"), "old").unwrap();
        std::fs::hard_link(path("old"), path("hard")).unwrap();
        std::os::unix::fs::symlink("old", path("symbolic")).unwrap();
        let same = |a: &Path, b: &Path| {
            let [x, y] = [a, b].map(|path| std::fs::metadata(path).unwrap());
            same_file(&x, a, &y, b)
        };
        assert!(same(&path("old"), &path("hard")) && same(&path("old"), &path("symbolic")));
        assert!(!same(&path("old"), &path("other")));
        assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
