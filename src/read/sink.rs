//! What the messages of a capture go to.

use crate::capture::{Decoded, Frame, Time};
use crate::dissect::{Account, Closed, Decision, LinkedSink, Message, Sink};
use crate::flow::Closing;

/// Chooses messages of a capture, and is told about its files and frames.
pub trait Gate {
    /// A file begins: relative times refer to its first frame.
    fn begin(&mut self);

    /// A frame of any kind was read. Returns whether it is the file's first one.
    fn frame(&mut self, time: Time) -> bool;

    /// The capture has ended, or the reading of it: what was read, and what was left out.
    fn account(&mut self, account: &Account);

    /// Were enough messages chosen?
    fn done(&self) -> bool;
}

/// A sink that is also told about files and frames, and that can end the reading.
pub trait CaptureSink: Sink {
    /// What chooses its messages: told about files and frames for it.
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        None
    }

    /// A file begins: relative times refer to its first frame.
    fn begin(&mut self) {
        if let Some(gate) = self.gate() {
            gate.begin();
        }
    }

    /// A frame of any kind was read.
    #[inline]
    fn frame(&mut self, time: Time) {
        if self.gate().is_some_and(|gate| gate.frame(time)) {
            self.origin(time);
        }
    }

    /// It is the first frame that the gate has seen of this file.
    fn origin(&mut self, _time: Time) {}

    /// The same frame, as it is.
    fn raw(&mut self, _frame: &Frame<'_>, _decoded: &Decoded<'_>) {}

    /// The capture has ended, or the reading of it: what was read, and what was left out.
    fn account(&mut self, account: &Account) {
        if let Some(gate) = self.gate() {
            gate.account(account);
        }
    }

    /// Report what was left out on stderr? Not where the input is read once more.
    fn reports(&self) -> bool {
        true
    }

    /// May a capture be read a first time, to recognise conversations before they are dissected? Not where
    /// the decisions themselves are looked at.
    fn looks_ahead(&self) -> bool {
        true
    }

    /// Read on after this frame? `waits`: does the next one have to be waited for?
    fn go_on(&mut self, _waits: &dyn Fn() -> bool) -> bool {
        self.gate().is_none_or(|gate| !gate.done())
    }
}

/// Any of them, by calls through a table: what reads a capture is compiled once for all that are not in a
/// hurry.
pub struct Any<'a>(pub &'a mut dyn CaptureSink);

impl Sink for Any<'_> {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
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
