//! Where input comes from: a file, or stdin for `-`.

use super::interrupt::stop;
use super::output::say;
use crate::cli::Global;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

/// Opens a file, or stdin for `-`. Errors do not name it: the caller does.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(stdin());
    }
    Ok(Box::new(file(path)?))
}

/// Says that input is waited for, where it would come from a terminal.
pub fn told(path: &Path, global: &Global) {
    if path.as_os_str() == "-" && io::stdin().is_terminal() {
        say(
            global,
            format_args!(
                "netkit: waiting for a capture on stdin, which is the terminal: pipe one into it, or name a file; Ctrl-C ends"
            ),
        );
    }
}

/// As [`open`], but a file does not end. stdin does: what writes to it is gone then.
pub fn follow(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(stdin());
    }
    Ok(Box::new(Growing(file(path)?)))
}

/// The name for messages: `stdin` for `-`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".into() } else { path.display().to_string() }
}

fn file(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        anyhow::bail!("is a directory, expected a file");
    }
    Ok(file)
}

/// How long to wait before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A file that grows: at its end, waits for more. It ends with Ctrl-C, or when nobody reads what
/// we print of it.
struct Growing(File);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !wait::readable(&self.0, true) {
                return Ok(0);
            }
            match self.0.read(buffer)? {
                // A file is readable at its end too.
                0 if !buffer.is_empty() => std::thread::sleep(LOOK_AGAIN),
                read => return Ok(read),
            }
        }
    }
}

/// stdin that ends with Ctrl-C, too: whoever writes to it may go on.
#[cfg(unix)]
fn stdin() -> Box<dyn Read + Send> {
    use std::os::fd::AsFd;
    struct Stdin(File);
    impl Read for Stdin {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if wait::readable(&self.0, false) { self.0.read(buffer) } else { Ok(0) }
        }
    }
    // Not through the standard library's buffer: what is in there could not be waited for.
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(own) => Box::new(Stdin(own.into())),
        Err(_) => Box::new(io::stdin()),
    }
}

#[cfg(not(unix))]
fn stdin() -> Box<dyn Read + Send> {
    Box::new(io::stdin())
}

#[cfg(unix)]
mod wait {
    use super::{File, LOOK_AGAIN, io, stop};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// Waits until there is something to read, or the end of it. `false`: it is time to stop;
    /// `printed`: also when the reader of our output is gone.
    pub fn readable(file: &File, printed: bool) -> bool {
        let slice = Timespec { tv_sec: 0, tv_nsec: LOOK_AGAIN.subsec_nanos().into() };
        let out = io::stdout();
        loop {
            if stop().is_set() {
                return false;
            }
            // An error of the output shows without being asked for.
            let mut both = [PollFd::new(file, PollFlags::IN), PollFd::new(&out, PollFlags::empty())];
            let wanted = if printed { &mut both[..] } else { &mut both[..1] };
            match poll(wanted, Some(&slice)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // What cannot be waited for is read.
                Err(_) => return true,
                // As good as a wish of the user's.
                Ok(_) if !both[1].revents().is_empty() => {
                    stop().set();
                    return false;
                }
                Ok(_) => return true,
            }
        }
    }
}

#[cfg(not(unix))]
mod wait {
    /// Reads block here; a second Ctrl-C ends them.
    pub fn readable(_: &super::File, _: bool) -> bool {
        !super::stop().is_set()
    }
}
