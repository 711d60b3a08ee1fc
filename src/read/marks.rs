//! Marks the frames of selected messages.

use super::CaptureSink;
use crate::dissect::{Message, Sink};
use crate::flow::Pair;
use std::collections::HashSet;

/// Frames of selected messages.
#[derive(Default)]
pub(crate) struct Marks {
    /// A bit for each frame.
    frames: Vec<u64>,
    /// The selected conversations, if frames of theirs are to be marked.
    pub(crate) conversations: Option<HashSet<Pair>>,
    /// The number of messages.
    pub(crate) messages: u64,
}

impl Marks {
    /// Marks nothing yet; `conversations`: those of selected messages are collected.
    pub(crate) fn new(conversations: bool) -> Marks {
        Marks { conversations: conversations.then(HashSet::new), ..Marks::default() }
    }

    /// Marks a frame.
    pub(crate) fn mark(&mut self, frame: u64) {
        let place = (frame / 64) as usize;
        if self.frames.len() <= place {
            self.frames.resize(place + 1, 0);
        }
        self.frames[place] |= 1 << (frame % 64);
    }

    /// Whether a frame is marked.
    pub(crate) fn marked(&self, frame: u64) -> bool {
        self.frames.get((frame / 64) as usize).is_some_and(|bits| bits >> (frame % 64) & 1 == 1)
    }
}

impl Sink for Marks {
    fn message(&mut self, message: &Message<'_>) {
        self.messages += 1;
        let place = message.place;
        self.mark(place.frame);
        place.frames.iter().for_each(|frame| self.mark(*frame));
        if let (Some(list), Some(ends)) = (&mut self.conversations, message.flow_info.ends) {
            list.insert(Pair::new(message.flow_info.transport, ends));
        }
    }
}

impl CaptureSink for Marks {}
