//! What `-` stands for while an interface is read.

use super::running::Reader;
use std::io::Read;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The output of the program that runs, until it is opened.
static READER: Mutex<Option<Reader>> = Mutex::new(None);
/// The interface; set where one is read.
static INTERFACE: OnceLock<String> = OnceLock::new();

/// From now on, this interface is read.
pub fn is(interface: &str) {
    let _ = INTERFACE.set(interface.into());
}

/// Its capture runs.
pub fn runs(reader: Reader) {
    *READER.lock().unwrap_or_else(PoisonError::into_inner) = Some(reader);
}

/// The interface that is read.
pub fn interface() -> Option<&'static str> {
    INTERFACE.get().map(String::as_str)
}

/// What the program writes, once.
pub fn reader() -> Option<Box<dyn Read + Send>> {
    let reader = READER.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    Some(Box::new(reader))
}
