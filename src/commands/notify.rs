//! What netkit tells its user beside the output.

use crate::cli::Global;
use netkit::printable::Lines;
use std::io::{self, Write};

/// Prints a line on stderr, unless `--quiet` is given.
pub fn notify(global: &Global, text: std::fmt::Arguments<'_>) {
    if !global.quiet {
        warn(text);
    }
}

/// Prints a line on stderr, also with `--quiet`: a limit that was reached, a loss, traffic that was left out.
pub fn warn(text: std::fmt::Arguments<'_>) {
    // If stderr is closed, nothing can be done.
    let _ = match super::redact::told(text) {
        Some(text) => writeln!(io::stderr(), "{}", Lines(text)),
        None => writeln!(io::stderr(), "{}", Lines(text)),
    };
}
