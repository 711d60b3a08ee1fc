//! Messages that were read, detached from their bytes.

use super::super::record::now;
use crate::codec::json::{derived_json, fields_json};
use crate::dissect::{
    Dissection, Dissector, FlowInfo, Message, Options, Out, Provenance, Registry, Role, Sink, StreamEvent,
};
use crate::flow::{Side, Stream, Transport};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Somebody who wants to see every message that is sent or received.
pub type Watch<'a> = Rc<RefCell<dyn Sink + 'a>>;

/// A message that was read, detached from its bytes.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The protocol of its line: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// Its name.
    pub message: &'static str,
    /// The version that the session gave it.
    pub version: Option<&'static str>,
    /// Who sent it.
    pub from: Role,
    /// The fields, as ndjson has them.
    pub fields: Json,
    /// The derived values.
    pub derived: Json,
    /// What broke.
    pub fault: Option<String>,
    /// The message's bytes.
    pub bytes: Vec<u8>,
    /// When its first byte came.
    pub first: Instant,
}

impl Heard {
    /// A field that is a number.
    pub fn number(&self, field: &str) -> Option<u64> {
        self.fields.get(field)?.as_u64()
    }

    /// A field that is text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }
}

/// Detaches messages, and shows them to whoever watches.
pub struct Collect<'w, 'a> {
    /// The messages.
    pub list: Vec<Heard>,
    /// When their first byte came.
    pub first: Instant,
    /// Who sees them.
    pub watch: Option<&'w Watch<'a>>,
    /// So much memory is left for them.
    room: usize,
    /// There were more.
    pub full: bool,
}

impl<'w, 'a> Collect<'w, 'a> {
    /// None so far; they may take `room` bytes of memory.
    pub fn new(first: Instant, watch: Option<&'w Watch<'a>>, room: usize) -> Collect<'w, 'a> {
        Collect { list: Vec::new(), first, watch, room, full: false }
    }
}

/// About how many bytes of memory a value takes: many times its text, where that is short.
pub fn weight(value: &Json) -> usize {
    /// A map holds its first eleven members in one piece of memory.
    const MEMBERS: usize = 11;
    const MEMBER: usize = size_of::<String>() + size_of::<Json>();
    let (mut weight, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        weight += size_of::<Json>();
        match value {
            Json::String(text) => weight += text.capacity() + 16,
            Json::Array(items) => {
                weight += 16;
                open.extend(items);
            }
            Json::Object(members) => {
                weight += members.len().next_multiple_of(MEMBERS) * MEMBER + 32;
                for (name, value) in members {
                    weight += name.capacity() + 16;
                    open.push(value);
                }
            }
            _ => {}
        }
    }
    weight
}

impl Sink for Collect<'_, '_> {
    fn message(&mut self, message: &Message<'_>) {
        if let Some(watch) = self.watch {
            watch.borrow_mut().message(message);
        }
        if self.full {
            return;
        }
        let (mut fields, mut derived) = (Vec::new(), Vec::new());
        fields_json(&message.dissection.tree, message.sources(), &mut fields);
        derived_json(&message.dissection.tree, &message.dissection.derived, message.sources(), &mut derived);
        let json = |text: &[u8]| crate::encode::json(text).unwrap_or(Json::Null);
        let heard = Heard {
            proto: message.dissection.proto,
            message: message.dissection.message,
            version: message.dissection.version,
            from: message.dissection.from,
            fields: json(&fields),
            derived: json(&derived),
            fault: message.dissection.fault.as_ref().map(ToString::to_string),
            bytes: message.place.bytes.to_vec(),
            first: self.first,
        };
        let taken = size_of::<Heard>() + heard.bytes.len() + weight(&heard.fields) + weight(&heard.derived);
        self.full = taken > self.room;
        self.room = self.room.saturating_sub(taken);
        if !self.full {
            self.list.push(heard);
        }
    }
}

/// The first message in what a server said, read without its conversation.
pub fn read_alone(dissector: &'static dyn Dissector, transport: Transport, bytes: &[u8]) -> Option<Heard> {
    let options = Options {
        from: Some(Role::Server),
        proto: Some(dissector.name().into()),
        ..Options::new(Registry::new([dissector]))
    };
    let flow_info = FlowInfo { flow: 0, transport, ends: None, opener: None, begun: [true; 2], options: &options };
    let mut session = dissector.session(&flow_info);
    let mut collect = Collect::new(Instant::now(), None, options.limits.peer.live_kept_bytes);
    let mut dissection = Dissection::default();
    let mut out = Out::new(&mut dissection, &mut collect, &flow_info, ["", ""]);
    let side = Side::A;
    match transport {
        Transport::Udp => {
            let place = Provenance { side, bytes, length: bytes.len(), frame: 0, frames: &[], time: now() };
            session.datagram(&place, &mut out);
        }
        Transport::Tcp => {
            let event = StreamEvent::Data { new: bytes.len(), segments: &[0], frame: 0 };
            session.stream(side, &mut Stream::of(bytes), event, &mut out);
        }
    }
    collect.list.into_iter().next()
}
