//! Messages that were read, detached from their bytes.

use super::super::record::now;
use crate::dissect::{Dissector, Draft, Message, Options, Out, Place, Registry, Role, Sink, StreamEvent, Talk};
use crate::flow::{Side, Stream, Transport};
use crate::live::OwnedMessage;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Somebody who wants to see every message that is sent or received.
pub type Watch<'a> = Rc<RefCell<dyn Sink + 'a>>;

/// Detaches messages, and shows them to whoever watches.
pub struct Collect<'w, 'a> {
    /// The messages.
    pub list: Vec<OwnedMessage>,
    /// When their first byte came.
    pub first: Instant,
    /// Who sees them.
    pub watch: Option<&'w Watch<'a>>,
    /// Memory to be used again.
    pub text: Vec<u8>,
}

impl Sink for Collect<'_, '_> {
    fn message(&mut self, message: &Message<'_>) {
        let owned = OwnedMessage::of(message, &mut self.text);
        self.list.push(OwnedMessage { first: Some(self.first), ..owned });
        if let Some(watch) = self.watch {
            watch.borrow_mut().message(message);
        }
    }
}

/// The first message in what a server said, read without its conversation.
pub fn read_alone(dissector: &'static dyn Dissector, transport: Transport, bytes: &[u8]) -> Option<OwnedMessage> {
    let options = Options {
        from: Some(Role::Server),
        proto: Some(dissector.name().into()),
        ..Options::new(Registry::new([dissector]))
    };
    let talk = Talk { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options: &options };
    let mut session = dissector.session(&talk);
    let mut collect = Collect { list: Vec::new(), first: Instant::now(), watch: None, text: Vec::new() };
    let mut draft = Draft::default();
    let mut out = Out::new(&mut draft, &mut collect, &talk, ["", ""]);
    let side = Side::A;
    match transport {
        Transport::Udp => {
            let place = Place { side, bytes, length: bytes.len(), frame: 0, frames: &[], time: now() };
            session.datagram(&place, &mut out);
        }
        Transport::Tcp => {
            let event = StreamEvent::Data { new: bytes.len(), segments: &[0], frame: 0 };
            session.stream(side, &mut Stream::of(bytes), event, &mut out);
        }
    }
    collect.list.into_iter().next()
}
