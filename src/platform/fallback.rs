//! The fallback for any platform, with the standard library alone. Reads block, so that only a
//! second Ctrl-C ends them.

use super::Ready;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdout, Command};
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

/// Keys as they are pressed; here they are not known.
pub struct Keys;

impl Keys {
    /// There are none.
    pub fn open() -> Option<Keys> {
        None
    }

    /// The next key, within this time.
    pub fn next(&self, _: Duration) -> Option<u8> {
        None
    }
}

/// Nothing of the terminal was changed.
pub fn restore_terminal() {}

/// The limit of open files is not known.
pub fn raise_files() -> Option<u64> {
    None
}

/// Waiting is not possible: the caller reads at once.
pub fn wait(_: &File, _: bool, _: Duration) -> Ready {
    Ready::Read
}

/// The output of a child can only be read.
pub fn output_of(_: &ChildStdout) -> Option<File> {
    None
}

/// Children receive Ctrl-C, too.
pub fn apart(_: &mut Command) {}

/// A child cannot be asked to end: it is ended.
pub fn interrupt(child: &mut Child) {
    // One that has ended cannot be.
    let _ = child.kill();
}

/// Whether the reader of a pipe is gone is found out by writing to it.
pub fn gone(_: &File) -> bool {
    false
}

/// Is this a program? Any file may be one.
pub fn executable(path: &Path) -> bool {
    path.is_file()
}

/// Files need no right to be run.
pub fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Nobody is.
pub fn is_root() -> bool {
    false
}

/// What gives a program the right to capture.
pub fn right_to_capture(_: &Path) -> String {
    "run as administrator, or install Npcap anew without restricting it to administrators".into()
}

/// Are these the same file? Compares full paths, since there is no file identity.
pub fn same_file(_: &Metadata, a: &Path, _: &Metadata, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Calls the handler on Ctrl-C, with the signal number that it has on other platforms.
#[cfg(not(unix))]
pub fn catch_signals(caught: impl Fn(u8) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || caught(super::INTERRUPT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform;

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
        for gone in [gone, platform::gone] {
            assert!(!gone(&File::open("Cargo.toml").expect("at the project's root")));
        }
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
