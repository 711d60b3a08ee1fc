//! Errors and the exit statuses that they are.

use std::io;

/// The answer to `-f parquet` of a program without it.
pub const NO_PARQUET: &str = "this netkit was built without parquet: `cargo build --features parquet` adds it";

/// A usage error that the argument parser cannot detect: exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Has the reader of the output closed the pipe?
pub fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// The exit status of an error.
pub fn status(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<Usage>().is_some() { 2 } else { 3 }
}
