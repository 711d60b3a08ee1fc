//! Unix: file descriptors can be duplicated and polled.

use super::Ready;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, geteuid, getpgrp, kill_process};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// stdin without the standard library's buffer: buffered bytes would be invisible to polling.
pub fn stdin() -> Option<File> {
    own(io::stdin().as_fd())
}

/// stdout without the standard library's buffer: the output is already written in large blocks.
pub fn stdout() -> Option<File> {
    own(io::stdout().as_fd())
}

fn own(descriptor: BorrowedFd<'_>) -> Option<File> {
    descriptor.try_clone_to_owned().ok().map(File::from)
}

/// Requests a larger buffer if stdout is a pipe. If the system does not allow or support that, the
/// size is unchanged.
pub fn large_pipe(bytes: usize) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), bytes);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = bytes;
}

/// The targets of stdout and stderr before [`divert`]. Dropping it restores them.
pub struct Diverted {
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
}

/// Sends stdout, and stderr if it is a terminal, into a program.
pub fn divert(program: ChildStdin) -> io::Result<Diverted> {
    let stderr = io::stderr().is_terminal().then(|| io::stderr().as_fd().try_clone_to_owned()).transpose()?;
    let before = Diverted { stdout: io::stdout().as_fd().try_clone_to_owned()?, stderr };
    dup2_stdout(&program)?;
    if before.stderr.is_some() {
        dup2_stderr(&program)?;
    }
    Ok(before)
}

impl Drop for Diverted {
    fn drop(&mut self) {
        let _ = io::stdout().flush();
        // If that fails, the program's input stays open until netkit ends.
        let _ = dup2_stdout(&self.stdout);
        if let Some(stderr) = &self.stderr {
            let _ = dup2_stderr(stderr);
        }
    }
}

/// The state of the terminal before its keys were read one by one.
static BEFORE: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Keys of the terminal as they are pressed, even if stdin is not the terminal. Ctrl-C is still a signal.
pub struct Keys(File);

impl Keys {
    /// Reads keys one by one, without echo, until [`restore_terminal`]; `None` if there is no terminal, or another
    /// program uses it.
    pub fn open() -> Option<Keys> {
        let terminal = File::open("/dev/tty").ok()?;
        // Changing the terminal of another job would stop this one.
        if tcgetpgrp(&terminal).ok()? != getpgrp() {
            return None;
        }
        let before = tcgetattr(&terminal).ok()?;
        let mut now = before.clone();
        now.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        let kept = terminal.try_clone().ok()?;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some((kept, before));
        tcsetattr(&terminal, OptionalActions::Now, &now).ok()?;
        Some(Keys(terminal))
    }

    /// Returns the next key within this time: a byte, or the bytes of a function key, such as `ESC [ A`.
    pub fn next(&self, time: Duration) -> Option<Vec<u8>> {
        let mut key = vec![self.byte(time)?];
        // A terminal sends these bytes together. Without them, it was the key Escape.
        while key[0] == 0x1b && key.len() < 8 && (key.len() < 3 || !(0x40..=0x7e).contains(&key[key.len() - 1])) {
            match self.byte(Duration::from_millis(20)) {
                Some(byte) => key.push(byte),
                None => break,
            }
        }
        Some(key)
    }

    fn byte(&self, time: Duration) -> Option<u8> {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        let mut one = [PollFd::new(&self.0, PollFlags::IN)];
        let mut byte = [0];
        match poll(&mut one, Some(&time)) {
            Ok(1..) if (&self.0).read(&mut byte).is_ok_and(|read| read == 1) => Some(byte[0]),
            Ok(1..) => {
                // A terminal that is gone is readable forever.
                std::thread::sleep(Duration::from_millis(50));
                None
            }
            _ => None,
        }
    }
}

/// Restores the previous state of the terminal.
pub fn restore_terminal() {
    if let Some((terminal, before)) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &before);
    }
}

/// Stops this job until the shell continues it.
pub fn suspend() {
    let _ = rustix::process::kill_current_process_group(Signal::TSTP);
}

/// Raises the limit of open files as far as possible, and returns it.
pub fn raise_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // If the system does not allow it, the limit is unchanged.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current
}

/// Waits until a read of `file` returns at once, but no longer than `time`. With `output`, also returns when the reader
/// of the output is gone.
pub fn wait(file: &File, output: bool, time: Duration) -> Ready {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    let out = io::stdout();
    // Errors of the output are reported without requesting them.
    let mut both = [PollFd::new(file, PollFlags::IN), PollFd::new(&out, PollFlags::empty())];
    let wanted = if output { &mut both[..] } else { &mut both[..1] };
    match poll(wanted, Some(&time)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ready::Not,
        // Files that cannot be polled are read.
        Err(_) => Ready::Read,
        Ok(_) if !both[1].revents().is_empty() => Ready::OutputGone,
        Ok(_) => Ready::Read,
    }
}

/// The output of a child as a file that can be waited for.
pub fn output_of(stdout: &ChildStdout) -> Option<File> {
    own(stdout.as_fd())
}

/// Separates a child from Ctrl-C in the terminal: it has to be [interrupted](interrupt).
pub fn apart(command: &mut Command) {
    command.process_group(0);
}

/// Asks a child to end, as Ctrl-C would.
pub fn interrupt(child: &mut Child) {
    // A child that has ended, or has more rights than this process, cannot be reached; its pipe closes.
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| kill_process(pid, Signal::INT));
}

/// Whether the reader of this pipe is gone.
pub fn gone(output: &File) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut fd = [PollFd::new(output, PollFlags::empty())];
    poll(&mut fd, Some(&now)).is_ok_and(|n| n > 0)
}

/// Waits until the other side of this terminal is gone; false: that cannot be seen.
pub fn await_gone(terminal: &File) -> bool {
    let mut fd = [PollFd::new(terminal, PollFlags::empty())];
    while poll(&mut fd, None) == Err(rustix::io::Errno::INTR) {}
    fd[0].revents().contains(PollFlags::HUP)
}

/// Whether this is a program that somebody may run. Only running it shows whether this process may.
pub fn executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Makes a file executable.
pub fn make_executable(file: &File) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_mode(permissions.mode() | (permissions.mode() & 0o444) >> 2);
    file.set_permissions(permissions)
}

/// Whether the user is root.
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// The command that gives a program the right to capture.
pub fn right_to_capture(program: &Path) -> String {
    let shown = program.display();
    if cfg!(target_os = "macos") {
        return "`sudo chown \"$USER\" /dev/bpf*` grants it, until the next start".into();
    }
    if is_root() {
        return "root has it, but not in here: the container needs CAP_NET_RAW (docker run --cap-add NET_RAW)".into();
    }
    // On Debian, the program has the right, and belongs to a group whose members may run it.
    let about = std::fs::metadata(program).ok().filter(|about| about.mode() & 0o011 == 0o010);
    match about.and_then(|about| group(about.gid())) {
        Some(group) => format!("`sudo usermod -a -G {group} \"$USER\"` grants it, from the next login on"),
        None => format!("`sudo setcap cap_net_raw,cap_net_admin+ep {shown}` grants it"),
    }
}

/// The name of a group.
fn group(id: u32) -> Option<String> {
    let all = std::fs::read_to_string("/etc/group").ok()?;
    all.lines().find_map(|line| {
        let mut parts = line.split(':');
        let (name, _, own) = (parts.next()?, parts.next()?, parts.next()?);
        (own.parse() == Ok(id)).then(|| name.into())
    })
}

/// Whether these are the same file, under any names. Devices may be opened twice.
pub fn same_file(a: &Metadata, _: &Path, b: &Metadata, _: &Path) -> bool {
    !a.file_type().is_char_device() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Calls the handler on Ctrl-C and termination signals, with their numbers, in a separate thread.
pub fn catch_signals(caught: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    let mut wanted = vec![SIGINT, SIGTERM];
    // Under `nohup` the signal remains ignored.
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

/// Returns a flag that SIGUSR1 sets from now on, in place of ending the program.
///
/// # Errors
/// The system refuses to register a handler.
pub fn status_signal() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGUSR1, Arc::clone(&flag))?;
    Ok(flag)
}

/// Whether the program was started with this signal ignored. Known on Linux only.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hard and symbolic links are the file to which they lead; devices are never the same.
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
