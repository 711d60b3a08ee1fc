//! What a form of output is: how messages become text.

use crate::capture::Time;
use crate::dissect::{Message, Wants};
use std::fmt;

/// Writes messages in one form.
pub trait Form: fmt::Debug + Send {
    /// Sets the time of a capture's first frame, the origin of relative times.
    fn origin(&mut self, _time: Time) {}

    /// Appends what comes before the first message.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Appends a message.
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>);

    /// What of a message it prints: sessions leave out the rest.
    fn reads(&self) -> Wants {
        Wants::ALL
    }

    /// Appends the account of what was read and left out, a JSON object, if the form has a place for it.
    fn account(&mut self, _account: &[u8], _out: &mut Vec<u8>) {}

    /// Appends what is held back, before a wait for further messages.
    fn pause(&mut self, _out: &mut Vec<u8>) {}

    /// Appends what comes after the last message.
    fn finish(&mut self, out: &mut Vec<u8>) {
        self.pause(out);
    }

    /// A warning about the output: messages that it leaves out.
    fn warning(&self) -> Option<String> {
        None
    }

    /// Whether several workers can divide the messages: from now on this one writes some of them, and
    /// another of the same form [appends](Form::append) the text of all. Not if a message's text
    /// depends on other messages.
    fn divide(&mut self) -> bool {
        false
    }

    /// Appends what a worker has written: complete messages.
    fn append(&mut self, messages: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(messages);
    }
}
