//! `-i IFACE`: a capture program runs beside netkit, and what it writes is read as `-` is.
//!
//! The program ends with netkit, and netkit with it. The first Ctrl-C asks the program to end, and what
//! it has captured until then is still read; one that does not end within a second is not waited for.
//! netkit that is killed (SIGKILL) closes the pipe, and the program ends with the next frame that it
//! writes into it.

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
use super::notify::notify;
use super::outfile;
use super::usage::Usage;
use crate::cli::{Global, Interface};
use crate::platform;
use keep::Kept;
use netkit::capture::{Frame, TimeSpec};
use netkit::dissect::Options;
use netkit::live::net::now;
use netkit::plural::Plural;
use netkit::printable::Lines;
use netkit::read::Tap;
use program::Program;
use running::{Failed, Running};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What is running, of which there is one at most.
static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
/// The file that keeps its frames.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// The file of `-w`, if any.
#[derive(Clone, Copy, Debug)]
pub struct Keep<'a> {
    /// Its name.
    pub to: Option<&'a Path>,
    /// `--force`.
    pub force: bool,
    /// The files that the command reads.
    pub schemas: &'a [PathBuf],
    /// Messages are printed as they come.
    pub prints: bool,
}

/// Begins to capture, where an interface is asked for; from then on that is what `-` stands for. It ends with
/// `until`, which counts from now on where it counts from a beginning.
///
/// # Errors
/// No program captures, none has the right to, or it ends at once.
pub fn begin(
    args: &Interface,
    until: Option<TimeSpec>,
    keep: Keep<'_>,
    options: &Options,
    global: &Global,
) -> anyhow::Result<()> {
    let Some(interface) = &args.interface else {
        return match args.capture_filter {
            Some(_) => Err(Usage("--capture-filter: only with -i: -F selects messages of a file".into()).into()),
            None => Ok(()),
        };
    };
    let read: Vec<&Path> = keep.schemas.iter().map(PathBuf::as_path).collect();
    let [file] = outfile::check([("-w", keep.to)], &read, keep.force)?;
    let filter = filter::of(args, options);
    // Who waits for each line wants it at once; a file, or a sum, wants all frames.
    let to_file = || platform::stdout().and_then(|out| out.metadata().ok()).is_some_and(|out| out.is_file());
    let at_once = keep.prints && keep.to.is_none() && !to_file();
    opened::is(interface);
    interrupt::while_capturing(running::ask, kill);
    let mut denied: Option<(Program, String)> = None;
    for program in program::all()? {
        let mut command = program.capturing(interface, filter.as_deref(), args.buffer, at_once);
        if global.verbose > 0 {
            notify(global, format_args!("netkit: capture program: {}", shown(&command)));
        }
        match running::start(&mut command, &program, &RUNNING) {
            Ok(reader) => {
                announce(interface, filter.as_deref(), global);
                opened::runs(reader);
                until.into_iter().for_each(|until| running::until(until.nanos(now())));
                let kept = file.map(Kept::begin).transpose()?;
                *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = kept;
                return Ok(());
            }
            Err(Failed::Denied(said)) => {
                if global.verbose > 0 {
                    notify(global, format_args!("netkit: {}: no right to capture: {said}", program.name()));
                }
                denied = Some((program, said));
            }
            Err(Failed::Other(said)) => anyhow::bail!("{interface}: {}: {said}", program.name()),
        }
    }
    let Some((program, said)) = denied else { anyhow::bail!("{interface}: no program captures it") };
    anyhow::bail!("{interface}: no right to capture: {} ({}: {said})", words::grant(&program), program.name())
}

/// Says that the capture runs, and what of the traffic it holds.
fn announce(interface: &str, filter: Option<&str>, global: &Global) {
    if !stop().is_set() {
        let filter = filter.map(|filter| format!(" what fits {filter:?}")).unwrap_or_default();
        notify(global, format_args!("netkit: capturing on {interface}{filter}; Ctrl-C ends"));
    }
}

/// A command as a shell would take it.
fn shown(command: &std::process::Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:\\".contains(c));
    let quoted = words.map(|word| match word.to_string_lossy() {
        word if plain(&word) => word.into_owned(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Nobody reads what is written to this pipe any more: the capture ends. For output that is not stdout.
pub fn ends_with(output: File) {
    running::ends_with(output);
}

/// Keeps a frame, where a file was named.
pub struct Keeper(Option<Kept>);

impl Keeper {
    /// Takes the file, if any.
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

    /// Before waiting for the next frame. `false`: the file cannot be written.
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

/// Ends the program, if it still runs; tells what it dropped; completes the file.
///
/// # Errors
/// The file could not be written.
pub fn end(global: &Global) -> anyhow::Result<()> {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(running) = running else { return Ok(()) };
    let (program, said) = running.end();
    let dropped = words::dropped(&said);
    if dropped > 0 {
        // Also with -q: the output looks like a complete answer.
        let interface = Lines(opened::interface().unwrap_or_default());
        let (name, frames) = (program.name(), Plural(dropped, "frame"));
        let _ = writeln!(io::stderr(), "netkit: {interface}: {name} dropped {frames}, which are missing here");
    }
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(kept) = kept {
        let name = kept.name();
        let frames = Plural(kept.end()?, "frame");
        notify(global, format_args!("netkit: {name}: {frames}"));
    }
    Ok(())
}

/// Before netkit exits at once.
fn kill() {
    if let Ok(mut running) = RUNNING.try_lock()
        && let Some(running) = running.as_mut()
    {
        running.kill();
    }
}
