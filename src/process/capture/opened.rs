//! The meaning of `-` while an interface is read.

use super::running::Reader;
use std::io::Read;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The output of the running program, until it is opened.
static READER: Mutex<Option<Reader>> = Mutex::new(None);
/// The interface, if one is read.
static INTERFACE: OnceLock<String> = OnceLock::new();

/// Sets the interface that is read from now on.
pub fn is(interface: &str) {
    let _ = INTERFACE.set(interface.into());
}

/// Sets the output of its capture.
pub fn runs(reader: Reader) {
    *READER.lock().unwrap_or_else(PoisonError::into_inner) = Some(reader);
}

/// Returns the interface that is read.
pub fn interface() -> Option<&'static str> {
    INTERFACE.get().map(String::as_str)
}

/// Returns the program's output, once.
pub fn reader() -> Option<Box<dyn Read + Send>> {
    let reader = READER.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    Some(Box::new(reader))
}
