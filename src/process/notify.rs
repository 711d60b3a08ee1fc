//! Prints netkit's messages to the user besides the output.

use crate::cli::Global;
use crate::printable::Lines;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Prints a line on stderr, after `netkit: `, unless `--quiet` is given.
pub fn notify(global: &Global, text: std::fmt::Arguments<'_>) {
    if !global.quiet {
        warn(text);
    }
}

/// Prints a line on stderr, even with `--quiet`: a reached limit, a loss, or traffic that was left out.
pub fn warn(text: std::fmt::Arguments<'_>) {
    let line = match crate::redact::run::own_text(text) {
        Some(text) => format!("netkit: {}", Lines(text)),
        None => format!("netkit: {}", Lines(text)),
    };
    if let Some(held) = &mut *held() {
        return held.push(line);
    }
    print(line);
}

/// The file that notes are about, of several that are read one after the other.
static SUBJECT: Mutex<String> = Mutex::new(String::new());

/// From now on, notes about a reading name this file; empty: there is only one.
pub fn about(name: &str) {
    let subject = if name.is_empty() { String::new() } else { format!("{name}: ") };
    *SUBJECT.lock().unwrap_or_else(PoisonError::into_inner) = subject;
}

/// Returns the beginning of such a note.
pub fn subject() -> String {
    SUBJECT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes a line at once, so that no terminal is stopped between its text and its end.
fn print(mut line: String) {
    line.push('\n');
    // If stderr is closed, nothing can be done.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// The lines that wait; `None`: they are printed at once.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds the lines back while a screen is on the terminal.
pub fn hold() {
    *held() = Some(Vec::new());
}

/// Prints the lines that were held back.
pub fn release() {
    let lines = held().take();
    lines.into_iter().flatten().for_each(print);
}
