//! How a command that prints figures ends: its status, and what is said of input that was stopped.

use super::gates::Pick;
use super::interrupt;
use super::stopped::Stopped;
use crate::cli::Global;
use std::path::Path;

/// The exit status after the figures are printed: of a signal, or of the conditions.
pub fn status(path: &Path, stopped: Option<Stopped>, pick: &Pick, global: &Global) -> u8 {
    stopped.and_then(|stopped| stopped.report(path)).unwrap_or_else(|| !pick.holds(global) as u8)
}

/// The first line of a text report, if it is not of the whole input.
pub fn warning(path: &Path, done: &anyhow::Result<Option<Stopped>>) -> String {
    let endless = interrupt::status(path.as_os_str() == "-").is_none();
    done.iter().flatten().filter(|_| !endless).map(|stopped| format!("{stopped}\n\n")).collect()
}

/// The last line of rows that do not cover the whole input.
pub fn ended(stopped: &Stopped) -> String {
    format!("{{\"by\":\"end\",\"stopped\":true,\"read\":{}}}\n", stopped.read)
}
