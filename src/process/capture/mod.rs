//! `-i IFACE`: runs a capture program beside netkit, and reads its output like `-`.
//!
//! The program ends with netkit, and netkit with it. The first Ctrl-C asks the program to end, and the frames captured
//! until then are still read. If it does not end within a second, netkit no longer waits for it. If netkit is killed
//! (SIGKILL), the pipe closes, and the program ends when it writes the next frame.

mod filter;
mod interfaces;
mod keep;
pub mod opened;
mod program;
mod running;
mod words;

pub use interfaces::{all as interfaces, print as list};
pub use program::find;

use super::interrupt::{self, stop};
use super::names::shell_word;
use super::notify::notify;
use super::outfile;
use super::usage::{refuse, usage};
use crate::capture::{Frame, TimeSpec};
use crate::cli::{Global, Interface, Rotation};
use crate::dissect::Options;
use crate::live::net::now;
use crate::platform;
use crate::plural::Plural;
use crate::printable::Lines;
use crate::read::Tap;
use keep::Kept;
use program::Program;
use running::{Failed, Running};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The running program; at most one.
static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
/// The file that keeps its frames.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// The file for the frames, if any.
#[derive(Clone, Debug, Default)]
pub struct Keep<'a> {
    /// Its name.
    pub to: Option<&'a Path>,
    /// Its division into several files.
    pub rotation: Option<&'a Rotation>,
    /// `--force`.
    pub force: bool,
    /// The files that the command reads.
    pub read: Vec<&'a Path>,
    /// Whether messages are printed as they arrive.
    pub prints: bool,
}

/// Starts to capture if an interface is given. From then on, `-` is its capture. The capture ends at `until`; a
/// relative `until` counts from now on.
///
/// # Errors
/// Fails if there is no capture program, if none has the permission, or if it ends at once.
pub fn begin(
    args: &Interface,
    until: Option<TimeSpec>,
    keep: Keep<'_>,
    options: &Options,
    global: &Global,
) -> anyhow::Result<()> {
    let Some(interface) = &args.interface else {
        return refuse(&[
            (args.capture_filter.is_some(), "--capture-filter: only with -i: -F selects messages of a file"),
            (args.autostop.is_some(), "-a: only with -i: --until ends what is read of a file"),
            (keep.rotation.is_some_and(Rotation::any), "-C, -G, -W: only with -i: they divide what is captured"),
        ]);
    };
    if keep.prints && keep.to.is_some_and(|to| to.as_os_str() == "-") {
        return usage("-w -: stdout has the messages: name a file");
    }
    let file = outfile::check("-w", keep.to, &keep.read, keep.force)?;
    if let (Some(file), Some(rotation)) = (&file, keep.rotation.filter(|rotation| rotation.any())) {
        file.divides(&keep.read)?;
        if rotation.file_size.is_none() && rotation.file_time.is_none() {
            return usage("-W: only with -C or -G: how many of the files are kept");
        }
    }
    let filter = filter::of(args, options);
    // A user who waits for each line needs it at once. A file, or a sum, needs all frames.
    let to_file = || platform::stdout().and_then(|out| out.metadata().ok()).is_some_and(|out| out.is_file());
    let at_once = keep.prints && keep.to.is_none() && !to_file();
    opened::is(interface);
    interrupt::while_capturing(running::ask, kill);
    let mut denied: Option<(Program, String)> = None;
    for program in program::all()? {
        let mut command = program.capturing(interface, filter.as_deref(), args.buffer, at_once);
        if global.verbose > 0 {
            notify(global, format_args!("capture program: {}", shown(&command)));
        }
        match running::start(&mut command, &program, &RUNNING) {
            Ok(reader) => {
                announce(interface, filter.as_deref(), global);
                opened::runs(reader);
                until.into_iter().for_each(|until| running::until(until.nanos(now())));
                let kept =
                    file.map(|file| Kept::begin(file, keep.rotation.unwrap_or(&Rotation::default()))).transpose()?;
                *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = kept;
                return Ok(());
            }
            Err(Failed::Denied(stderr)) => {
                if global.verbose > 0 {
                    notify(global, format_args!("{}: no permission to capture: {stderr}", program.name()));
                }
                denied = Some((program, stderr));
            }
            Err(Failed::Other(stderr)) => anyhow::bail!("{interface}: {}: {stderr}", program.name()),
        }
    }
    let Some((program, stderr)) = denied else {
        anyhow::bail!("{interface}: neither tcpdump nor dumpcap can capture on it")
    };
    anyhow::bail!("{interface}: no permission to capture: {} ({}: {stderr})", words::grant(&program), program.name())
}

/// Reports that the capture runs, and its filter.
fn announce(interface: &str, filter: Option<&str>, global: &Global) {
    if !stop().is_set() {
        let filter = filter.map(|filter| format!(" with the filter {filter:?}")).unwrap_or_default();
        notify(global, format_args!("capturing on {interface}{filter}; Ctrl-C ends"));
    }
}

/// Returns a command in the syntax of a shell.
fn shown(command: &std::process::Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| shell_word(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// Ends the capture when the reader of this pipe closes it. For output that is not stdout.
pub fn ends_with(output: File) {
    running::ends_with(output);
}

/// Keeps frames if a file was named.
pub struct Keeper(Option<Kept>);

impl Keeper {
    /// Takes the file, if there is one.
    pub fn take() -> Keeper {
        Keeper(KEPT.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

impl Tap for Keeper {
    #[inline(always)]
    fn frame(&mut self, frame: &Frame<'_>) {
        if let Some(kept) = &mut self.0 {
            kept.frame(frame);
        }
    }

    /// Flushes the file before a wait for a frame. Returns false if the file cannot be written.
    fn go_on(&mut self, waits: impl FnOnce() -> bool) -> bool {
        let Some(kept) = &mut self.0 else { return true };
        if waits() {
            kept.flush();
        }
        !kept.failed()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = self.0.take();
    }
}

/// Ends the program if it still runs, reports dropped frames, and completes the file.
///
/// # Errors
/// Fails if the file could not be written.
pub fn end(global: &Global) -> anyhow::Result<()> {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(running) = running else { return Ok(()) };
    let (program, stderr) = running.end();
    let dropped = words::dropped(&stderr);
    if dropped > 0 {
        // Printed even with -q, because the output looks like a complete answer.
        let interface = Lines(opened::interface().unwrap_or_default());
        let (name, frames) = (program.name(), Plural(dropped, "frame"));
        let _ = writeln!(io::stderr(), "netkit: {interface}: {name} dropped {frames}, which are missing here");
    }
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(kept) = kept {
        let name = kept.name();
        let frames = Plural(kept.end()?, "frame");
        notify(global, format_args!("{name}: {frames}"));
    }
    Ok(())
}

/// Kills the program before netkit exits at once.
fn kill() {
    if let Ok(mut running) = RUNNING.try_lock()
        && let Some(running) = running.as_mut()
    {
        running.kill();
    }
}
