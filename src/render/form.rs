//! The trait of an output form: it turns messages into text.

use crate::capture::Time;
use crate::dissect::{Message, Wants};
use std::fmt;

/// Writes messages in one form.
pub trait Form: fmt::Debug + Send {
    /// Sets the time of a capture's first frame, the origin of relative times.
    fn origin(&mut self, _time: Time) {}

    /// Appends the text before the first message.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Appends a message.
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>);

    /// Returns the parts of a message that it prints. Sessions leave out the rest.
    fn reads(&self) -> Wants {
        Wants::ALL
    }

    /// Appends the account of what was read and left out, as a JSON object, if the form has a place for it.
    fn account(&mut self, _account: &[u8], _out: &mut Vec<u8>) {}

    /// Appends the text that is held back, before a wait for further messages.
    fn pause(&mut self, _out: &mut Vec<u8>) {}

    /// Appends the text after the last message.
    fn finish(&mut self, out: &mut Vec<u8>) {
        self.pause(out);
    }

    /// Returns a warning about the output: messages that it leaves out.
    fn warning(&self) -> Option<String> {
        None
    }

    /// Makes this writer one of several workers, and returns whether the form allows that. From now on it writes some
    /// of the messages, and another writer of the same form [appends](Form::append) the text of all. Returns false if a
    /// message's text depends on other messages.
    fn divide(&mut self) -> bool {
        false
    }

    /// Appends a worker's text: complete messages.
    fn append(&mut self, messages: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(messages);
    }
}
