//! What the messages of a capture go to.

use netkit::capture::{Decoded, Frame, Time};
use netkit::dissect::{Closed, Decision, Message, Sink};
use netkit::flow::End;

/// A sink that is also told about files and frames, and that can end the reading.
pub trait CaptureSink: Sink {
    /// A file begins: relative times refer to its first frame.
    fn begin(&mut self) {}

    /// A frame of any kind was read.
    fn frame(&mut self, _time: Time) {}

    /// The same frame, as it is.
    fn raw(&mut self, _frame: &Frame<'_>, _decoded: &Decoded<'_>) {}

    /// Read on after this frame? `waits`: does the next one have to be waited for?
    fn go_on(&mut self, _waits: &dyn Fn() -> bool) -> bool {
        true
    }
}

/// Any of them, by calls through a table: what reads a capture is compiled once for all that are not in a
/// hurry.
pub struct Any<'a>(pub &'a mut dyn CaptureSink);

impl Sink for Any<'_> {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }

    fn ended(&mut self, flow: u64, how: [Option<End>; 2]) {
        self.0.ended(flow, how);
    }

    fn decided(&mut self, decision: &Decision<'_>) {
        self.0.decided(decision);
    }

    fn closed(&mut self, closed: &Closed) {
        self.0.closed(closed);
    }

    fn sequence(&mut self, sequence: u64) {
        self.0.sequence(sequence);
    }

    fn full(&self) -> bool {
        self.0.full()
    }

    fn hand_over(&mut self) {
        self.0.hand_over();
    }
}

impl CaptureSink for Any<'_> {
    fn begin(&mut self) {
        self.0.begin();
    }

    fn frame(&mut self, time: Time) {
        self.0.frame(time);
    }

    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.0.raw(frame, decoded);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.0.go_on(waits)
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
