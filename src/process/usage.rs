//! Errors, and their exit statuses.

use std::io;

/// The error for `-f parquet` in a build without it.
pub const NO_PARQUET: &str =
    "this netkit was built without parquet: `cargo install --path . --locked --features parquet` in its source adds it";

/// A usage error that the argument parser cannot detect: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Returns a usage error as the result of a command.
///
/// # Errors
/// Always fails.
pub fn usage<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(why.into()).into())
}

/// Fails with the first of these reasons that applies.
///
/// # Errors
/// One of them applies.
pub fn refuse(rules: &[(bool, &str)]) -> anyhow::Result<()> {
    rules.iter().find(|(applies, _)| *applies).map_or(Ok(()), |(_, why)| usage(*why))
}

/// Whether the reader of the output has closed the pipe.
pub fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Returns the exit status of an error.
pub fn status(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<Usage>().is_some() { 2 } else { 3 }
}
