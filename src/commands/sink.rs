//! What the messages of a capture go to.

use netkit::capture::{Decoded, Frame, Time};
use netkit::dissect::Sink;

/// A sink that is also told about files and frames, and that can end the reading.
pub trait CaptureSink: Sink {
    /// A file begins: relative times refer to its first frame.
    fn begin(&mut self) {}

    /// A frame of any kind was read.
    fn frame(&mut self, _time: Time) {}

    /// The same frame, as it is.
    fn raw(&mut self, _frame: &Frame<'_>, _decoded: &Decoded<'_>) {}

    /// Read on after this frame? `waits`: does the next one have to be waited for?
    fn go_on(&mut self, _waits: impl FnOnce() -> bool) -> bool {
        true
    }
}

/// When printed output has to be flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Never.
    No,
    /// Before the next wait for input.
    Waiting,
    /// After each frame: a growing file may end inside a record for any length of time.
    Each,
}
