//! The fallback for any platform, with the standard library alone. Reads block, so that only a second Ctrl-C stops
//! them.

use super::Ready;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The standard library's stdin.
pub fn stdin() -> Option<File> {
    None
}

/// The standard library's stdout.
pub fn stdout() -> Option<File> {
    None
}

/// The buffers of pipes are left unchanged.
pub fn large_pipe(_: usize) {}

/// Output goes where it always went.
pub struct Diverted;

/// Output cannot be sent elsewhere.
pub fn divert(_: ChildStdin) -> io::Result<Diverted> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Keys as they are pressed; not supported here.
pub struct Keys;

impl Keys {
    /// Returns `None`: there are no keys.
    pub fn open() -> Option<Keys> {
        None
    }

    /// Returns the next key within this time.
    pub fn next(&self, _: Duration) -> Option<Vec<u8>> {
        None
    }
}

/// Does nothing: the terminal was not changed.
pub fn restore_terminal() {}

/// There are no jobs.
pub fn suspend() {}

/// Returns `None`: the limit of open files is not known.
pub fn raise_files() -> Option<u64> {
    None
}

/// Returns at once: waiting is not possible, so the caller has to read.
pub fn wait(_: &File, _: bool, _: Duration) -> Ready {
    Ready::Read
}

/// Returns `None`: the output of a child can only be read.
pub fn output_of(_: &ChildStdout) -> Option<File> {
    None
}

/// Does nothing: children receive Ctrl-C, too.
pub fn apart(_: &mut Command) {}

/// Kills the child: it cannot be asked to end.
pub fn interrupt(child: &mut Child) {
    // This fails if the child has ended.
    let _ = child.kill();
}

/// Returns false: only writing to a pipe shows that its reader is gone.
pub fn gone(_: &File) -> bool {
    false
}

/// Returns false at once: there is no such event.
pub fn await_gone(_: &File) -> bool {
    false
}

/// Whether this is a program: any file may be one.
pub fn executable(path: &Path) -> bool {
    path.is_file()
}

/// Does nothing: files need no permission to be run.
pub fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Returns false: the user is never root.
pub fn is_root() -> bool {
    false
}

/// The instruction that gives a program the right to capture.
pub fn right_to_capture(_: &Path) -> String {
    "run as administrator, or install Npcap anew without restricting it to administrators".into()
}

/// Whether these are the same file. Compares full paths, since there is no file identity.
pub fn same_file(_: &Metadata, a: &Path, _: &Metadata, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Calls the handler on Ctrl-C, with the signal number that it has on other platforms.
#[cfg(not(unix))]
pub fn catch_signals(caught: impl Fn(u8) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || caught(super::INTERRUPT))
}

/// Returns a flag that nothing sets: there is no such signal.
///
/// # Errors
/// None.
pub fn status_signal() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform;
    use std::sync::atomic::Ordering;

    #[test]
    fn has_the_form_of_the_real_one() {
        // Each function of the platform and its fallback have the same type, so that they are
        // interchangeable.
        type Open = fn() -> Option<File>;
        let pairs: [[Open; 2]; 2] = [[stdin, platform::stdin], [stdout, platform::stdout]];
        let pipes: [fn(usize); 2] = [large_pipe, platform::large_pipe];
        let waits: [fn(&File, bool, Duration) -> Ready; 2] = [wait, platform::wait];
        assert!(pairs.iter().all(|pair| pair[0]().is_none()));
        pipes[0](1 << 20);
        let children: [fn(&mut Command); 2] = [apart, platform::apart];
        let ends: [fn(&mut Child); 2] = [interrupt, platform::interrupt];
        let outputs: [fn(&ChildStdout) -> Option<File>; 2] = [output_of, platform::output_of];
        let programs: [fn(&File) -> io::Result<()>; 2] = [make_executable, platform::make_executable];
        assert_eq!((children.len(), ends.len(), outputs.len(), programs.len()), (2, 2, 2, 2));
        let flags: [fn() -> io::Result<Arc<AtomicBool>>; 2] = [status_signal, platform::status_signal];
        assert!(flags.iter().all(|flag| !flag().expect("a flag").load(Ordering::Relaxed)));
        for gone in [gone, platform::gone] {
            assert!(!gone(&File::open("Cargo.toml").expect("at the project's root")));
        }
        let terminals: [fn(&File) -> bool; 2] = [await_gone, platform::await_gone];
        assert!(!terminals[0](&File::open("Cargo.toml").expect("at the project's root")));
        for executable in [executable, platform::executable] {
            assert!(!executable(Path::new("no such file")));
        }
        for right in [right_to_capture, platform::right_to_capture] {
            assert!(!right(Path::new("no such file")).is_empty());
        }
        let file = File::open("Cargo.toml").expect("at the project's root");
        // A file is readable at once with either of them.
        for wait in waits {
            assert_eq!(wait(&file, false, Duration::from_millis(1)), Ready::Read);
        }
    }
}
