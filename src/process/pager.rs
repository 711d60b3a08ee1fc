//! Long text for a terminal goes through a pager, as with git.

use super::interrupt;
use crate::platform::{self, Diverted};
use std::env::{var, var_os};
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The pager that runs, and where output went before.
static RUNNING: Mutex<Option<(Child, Diverted)>> = Mutex::new(None);

/// Stdout, through a pager from the first line that does not fit on the screen.
pub struct Paged {
    /// The text so far, while it fits.
    held: Vec<u8>,
    /// The target of the text from then on.
    out: Option<Box<dyn Write + Send>>,
    plain: fn() -> Box<dyn Write + Send>,
}

impl Paged {
    /// `plain` opens stdout.
    pub fn new(plain: fn() -> Box<dyn Write + Send>) -> Paged {
        Paged { held: Vec::new(), out: None, plain }
    }

    fn open(&mut self) -> io::Result<&mut dyn Write> {
        let mut out = (self.plain)();
        out.write_all(&std::mem::take(&mut self.held))?;
        Ok(self.out.insert(out))
    }
}

impl Write for Paged {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if let Some(out) = &mut self.out {
            return out.write(text);
        }
        self.held.extend_from_slice(text);
        let rows = terminal_size::terminal_size().map_or(24, |(_, rows)| usize::from(rows.0));
        // The prompt takes a row, and the sums another.
        if self.held.iter().filter(|byte| **byte == b'\n').count() + 2 > rows {
            start();
            self.open()?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Some(out) => out.flush(),
            None => self.open()?.flush(),
        }
    }
}

/// Starts the pager, if there is one, and sends stdout into it.
fn start() {
    let pager = ["NETKIT_PAGER", "PAGER"].into_iter().find_map(|name| var(name).ok()).unwrap_or_else(|| "less".into());
    // Variables may be set before the program.
    let Some(program) = pager.split_whitespace().find(|word| !word.contains('=') && *word != "cat") else { return };
    let known = Command::new("sh").args(["-c", "command -v \"$0\"", program]).stdout(Stdio::null()).status();
    if !known.is_ok_and(|known| known.success()) {
        return;
    }
    let mut command = Command::new("sh");
    command.args(["-c", &pager]).stdin(Stdio::piped());
    if var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return };
    match child.stdin.take().map(platform::divert) {
        Some(Ok(before)) => {
            interrupt::once();
            *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some((child, before));
        }
        // Without input it ends.
        _ => drop(child.wait()),
    }
}

/// Lets the pager have all text, and waits until its reader is done.
pub fn end() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((mut child, before)) = running {
        drop(before);
        // How it ended is the reader's affair.
        let _ = child.wait();
    }
}
