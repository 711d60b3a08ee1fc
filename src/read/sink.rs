//! Receivers of a capture's messages.

use crate::capture::{Decoded, Frame, Time};
use crate::dissect::{Account, Closed, Decision, LinkedSink, Links, Message, Sink};
use crate::flow::{Closing, End, Side};

/// Selects messages of a capture. It is informed about files and frames.
pub trait Gate {
    /// Begins a file: relative times refer to its first frame.
    fn begin(&mut self);

    /// Records a frame of any kind. Returns whether it is the file's first one.
    fn frame(&mut self, time: Time) -> bool;

    /// Receives the account at the end of the capture or of the reading.
    fn account(&mut self, account: &Account);

    /// Whether enough messages have been selected.
    fn done(&self) -> bool;
}

/// A sink that is also informed about files and frames, and can stop the reading.
pub trait CaptureSink: Sink {
    /// The gate that selects its messages, if it has one.
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        None
    }

    /// Begins a file: relative times refer to its first frame.
    fn begin(&mut self) {
        if let Some(gate) = self.gate() {
            gate.begin();
        }
    }

    /// Records a frame of any kind.
    #[inline]
    fn frame(&mut self, time: Time) {
        if self.gate().is_some_and(|gate| gate.frame(time)) {
            self.origin(time);
        }
    }

    /// Receives the time of the first frame of this file that the gate has seen.
    fn origin(&mut self, _time: Time) {}

    /// Receives the frame itself.
    fn raw(&mut self, _frame: &Frame<'_>, _decoded: &Decoded<'_>) {}

    /// Receives the account at the end of the capture or of the reading.
    fn account(&mut self, account: &Account) {
        if let Some(gate) = self.gate() {
            gate.account(account);
        }
    }

    /// Whether the account is printed on stderr. Not if the input is read again.
    fn reports(&self) -> bool {
        true
    }

    /// Whether a capture may be read a first time, to recognise conversations before they are dissected. Not if the
    /// decisions themselves are examined.
    fn looks_ahead(&self) -> bool {
        true
    }

    /// Whether to continue after this frame. `waits` returns whether the next one has to be waited for.
    fn go_on(&mut self, _waits: &dyn Fn() -> bool) -> bool {
        self.gate().is_none_or(|gate| !gate.done())
    }
}

/// Any capture sink, called through a table of functions: so the reading is compiled only once for all sinks that need
/// not be fast.
pub struct Any<'a>(pub &'a mut dyn CaptureSink);

impl Sink for Any<'_> {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.0.ended(flow, how);
    }

    fn gap(&mut self, flow: u64, side: Side, missing: u64) {
        self.0.gap(flow, side, missing);
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        self.0.direction_ended(flow, side, why);
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

    fn account(&mut self, account: &Account) {
        self.0.account(account);
    }

    fn reports(&self) -> bool {
        self.0.reports()
    }

    fn looks_ahead(&self) -> bool {
        self.0.looks_ahead()
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.0.go_on(waits)
    }
}

impl CaptureSink for Links {
    fn reports(&self) -> bool {
        false
    }
}

impl<S: CaptureSink> CaptureSink for LinkedSink<'_, S> {
    fn begin(&mut self) {
        self.sink.begin();
    }

    fn frame(&mut self, time: Time) {
        self.sink.frame(time);
    }

    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.sink.raw(frame, decoded);
    }

    fn account(&mut self, account: &Account) {
        self.sink.account(account);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.sink.go_on(waits)
    }
}
