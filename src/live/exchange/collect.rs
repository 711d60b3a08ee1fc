//! Collects the messages that a session reads, detached from it.

use crate::dissect::{Dissector, FlowInfo, Message, Options, Registry, Role, SessionReader, Sink};
use crate::filter::Filter;
use crate::flow::{Origin, Side, Transport};
use crate::message::OwnedMessage;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// An observer of every message that is sent or received.
pub type Observer<'a> = Rc<RefCell<dyn Sink + 'a>>;

/// Detaches messages, and shows them to the observer.
pub struct Collect<'c, 'a> {
    /// The messages.
    pub list: &'c mut VecDeque<OwnedMessage>,
    /// The time at which the first byte of the first one arrived.
    pub first: Instant,
    /// The time at which these bytes arrived: those after the first message begin among them.
    pub now: Instant,
    /// The place of the first message in the stream.
    pub unit: Option<Option<u64>>,
    /// The observer, if there is one.
    pub observer: Option<&'c Observer<'a>>,
    /// Selects the messages that are compared with a recording; `None`: all.
    pub compared: Option<&'c Filter>,
    /// The memory that is left for them, in bytes.
    pub room: usize,
    /// Whether there were more messages than the memory allows.
    pub full: bool,
}

impl Sink for Collect<'_, '_> {
    fn message(&mut self, message: &Message<'_>) {
        if let Some(observer) = self.observer {
            observer.borrow_mut().message(message);
        }
        if self.full {
            return;
        }
        let start = message.dissection.unit.map(|unit| unit.start);
        if *self.unit.get_or_insert(start) != start {
            self.first = self.now;
        }
        let left_out = self.compared.is_some_and(|filter| !filter.matches(message));
        let owned = OwnedMessage { first: Some(self.first), left_out, ..OwnedMessage::of(message) };
        let weight = owned.weight();
        self.full = weight > self.room;
        if !self.full {
            self.room -= weight;
            self.list.push_back(owned);
        }
    }
}

/// Reads the first message in a server's bytes, without its conversation.
pub fn read_alone(dissector: &'static dyn Dissector, transport: Transport, bytes: &[u8]) -> Option<OwnedMessage> {
    let options = Options {
        from: Some(Role::Server),
        proto: Some(dissector.name().into()),
        ..Options::new(Registry::new([dissector]))
    };
    let flow_info = FlowInfo::alone(transport, &options);
    let mut first = First::default();
    SessionReader::new(dissector, &flow_info).bytes(
        Side::A,
        bytes,
        Origin::default(),
        ["", ""],
        &flow_info,
        &mut first,
    );
    first.0
}

/// Keeps the first message.
#[derive(Default)]
struct First(Option<OwnedMessage>);

impl Sink for First {
    fn message(&mut self, message: &Message<'_>) {
        self.0.get_or_insert_with(|| OwnedMessage::of(message));
    }
}
