//! The replacements in all output of a run.
//!
//! Messages are replaced just before they are shown. Conditions and filters apply to the originals. One [`Redactor`]
//! serves all output of a run, including stderr.

use super::Redactor;
use crate::capture::Packet;
use crate::dissect::Message;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The replacements in all output of this run; `None`: nothing is redacted.
static REDACTOR: Mutex<Option<Redactor>> = Mutex::new(None);

fn redactor() -> MutexGuard<'static, Option<Redactor>> {
    REDACTOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to redact the messages on stderr, too.
pub(crate) fn begin() {
    redactor().get_or_insert_with(Redactor::new);
}

/// Returns a text of netkit's own, redacted if necessary.
pub(crate) fn own_text(text: std::fmt::Arguments<'_>) -> Option<String> {
    redactor().as_mut().map(|redactor| redactor.text(&text.to_string()))
}

/// Returns bytes that no field describes, as output shows them: others if this run redacts.
pub(crate) fn bytes(bytes: &[u8]) -> Vec<u8> {
    redactor().as_ref().map_or_else(|| bytes.to_vec(), |redactor| redactor.words.bytes(bytes, None))
}

/// Returns the name of a file in output.
pub(crate) fn file(name: String) -> String {
    match redactor().as_mut() {
        Some(redactor) => redactor.file(&name),
        None => name,
    }
}

/// Passes on a packet of an unknown protocol, redacted.
pub(crate) fn packet(packet: &Packet<'_>, then: impl FnOnce(&Packet<'_>)) {
    redactor().get_or_insert_with(Redactor::new).packet(packet, then);
}

/// Passes on a message, redacted if necessary.
#[inline]
pub(crate) fn shown(redact: bool, message: &Message<'_>, then: impl FnOnce(&Message<'_>)) {
    if redact { redactor().get_or_insert_with(Redactor::new).message(message, then) } else { then(message) }
}
