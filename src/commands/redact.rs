//! `--redact`: what is shown has other addresses, words and bytes than the capture.
//!
//! Messages are replaced where they are about to be shown; conditions and filters are about the
//! originals. One [`Redactor`] serves all that a run shows, stderr too.

use netkit::dissect::Message;
use netkit::redact::Redactor;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What stands for what, in all that this run shows; `None`: nothing is redacted.
static REDACTOR: Mutex<Option<Redactor>> = Mutex::new(None);

fn redactor() -> MutexGuard<'static, Option<Redactor>> {
    REDACTOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, what is told on stderr is redacted, too.
pub fn begin() {
    redactor().get_or_insert_with(Redactor::new);
}

/// A text of netkit's own, where it has to be another.
pub fn told(text: std::fmt::Arguments<'_>) -> Option<String> {
    redactor().as_mut().map(|redactor| redactor.text(&text.to_string()))
}

/// The name of a file in output.
pub fn file(name: String) -> String {
    match redactor().as_mut() {
        Some(redactor) => redactor.file(&name),
        None => name,
    }
}

/// Passes on a message as it may be shown.
#[inline]
pub fn shown(redact: bool, message: &Message<'_>, then: impl FnOnce(&Message<'_>)) {
    match redact {
        false => then(message),
        true => redactor().get_or_insert_with(Redactor::new).message(message, then),
    }
}
