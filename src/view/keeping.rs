//! Keeps the messages of one thread in the store.

use super::record::Recorder;
use super::store::{Receiving, Store};
use crate::capture::Time;
use crate::dissect::{Message, Sink};
use crate::flow::Closing;
use crate::read::{CaptureSink, Producer, Receiver};
use std::sync::Arc;

/// The bytes that are handed to the store at once, unless the next frame is not there yet.
const CHUNK: usize = 64 << 10;

/// Keeps messages in the store.
pub struct Keeping {
    recorder: Recorder,
    /// The store.
    pub to: Receiving,
    records: Vec<u8>,
    /// A growing file may end inside a record for any length of time: nothing is held back.
    growing: bool,
}

impl Keeping {
    /// Creates it for a store; `growing`: the input may end inside a record for any length of time.
    pub fn new(store: &Arc<Store>, growing: bool) -> Keeping {
        let to = Receiving(Arc::clone(store));
        Keeping { recorder: store.recorder(), to, records: Vec::new(), growing }
    }

    fn hand_over(&mut self) {
        self.to.receive(&self.records);
        self.records.clear();
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.hand_over();
    }
}

impl Sink for Keeping {
    fn message(&mut self, message: &Message<'_>) {
        self.recorder.message(message, &mut self.records);
        if self.records.len() >= CHUNK {
            self.hand_over();
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.recorder.ended(flow, how, &mut self.records);
    }
}

impl CaptureSink for Keeping {
    fn origin(&mut self, time: Time) {
        self.recorder.first(time);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        if !self.records.is_empty() && (self.growing || waits()) {
            self.hand_over();
        }
        // Memory is used up only where records were handed over.
        !self.records.is_empty() || !self.to.done()
    }
}
