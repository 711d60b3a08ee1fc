//! Passes on the selected messages.

use super::{CaptureSink, Gate, Pick, Producer};
use crate::capture::{Decoded, Frame, Time};
use crate::dissect::{Message, Sink};
use crate::flow::{Closing, End, Side};
use crate::redact::run::shown;

/// A sink that passes on the selected messages.
pub(crate) struct Picked<S> {
    /// The next sink.
    pub(crate) sink: S,
    /// The selection.
    pub(crate) pick: Pick,
}

impl<S: CaptureSink> Sink for Picked<S> {
    fn message(&mut self, message: &Message<'_>) {
        if self.pick.wants(message) {
            shown(self.pick.selection.redact, message, |message| self.sink.message(message));
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.sink.ended(flow, how);
    }

    fn gap(&mut self, flow: u64, side: Side, missing: u64) {
        self.sink.gap(flow, side, missing);
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        self.sink.direction_ended(flow, side, why);
    }
}

impl<S: CaptureSink> CaptureSink for Picked<S> {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn origin(&mut self, time: Time) {
        self.sink.origin(time);
    }

    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.sink.raw(frame, decoded);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.sink.go_on(waits) && !self.pick.done()
    }
}

/// A thread's producer, with the thread's own selection.
pub(crate) struct Selected<M> {
    /// The selection.
    pub(crate) pick: Pick,
    /// The next producer.
    pub(crate) producer: M,
}

impl<T, M: Producer<T>> Producer<T> for Selected<M> {
    fn first(&mut self, time: Time) {
        if self.pick.selection.frame(time) {
            self.producer.first(time);
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.pick.position.sequence = sequence;
    }

    #[inline]
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<T>) -> bool {
        self.pick.wants(message) && self.producer.message(message, out)
    }

    fn ended(&mut self, flow: u64, how: Closing, out: &mut Vec<T>) {
        self.producer.ended(flow, how, out);
    }
}
