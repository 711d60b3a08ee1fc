//! The end of a command that prints figures: its status, and the notes about stopped input.

use super::gates::Pick;
use super::interrupt;
use super::stopped::{ReadResult, Stopped};
use crate::cli::Global;
use std::path::Path;

/// Returns the exit status after the figures are printed: that of a signal, or of the conditions.
pub fn status(path: &Path, stopped: Option<Stopped>, pick: &Pick, global: &Global) -> u8 {
    stopped.and_then(|stopped| stopped.report(path)).unwrap_or_else(|| !pick.holds(global) as u8)
}

/// Returns the first line of a text report that does not cover the whole input.
pub fn warning(path: &Path, done: &ReadResult) -> String {
    let endless = interrupt::status(path.as_os_str() == "-").is_none();
    done.iter().flatten().filter(|_| !endless).map(|stopped| format!("{stopped}\n\n")).collect()
}

/// Returns the last line of rows that do not cover the whole input.
pub fn ended(stopped: &Stopped) -> String {
    format!("{{\"by\":\"end\",\"stopped\":true,\"read\":{}}}\n", stopped.read)
}
