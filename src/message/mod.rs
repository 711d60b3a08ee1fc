//! Messages that exist longer than their packet: read from a peer, recorded, or to be sent.
//!
//! An [`OwnedMessage`] that was read keeps its tree and its bytes. Fields are read by their constants, without any
//! text; JSON is made when an encoder or an output needs it. A message that is edited, or was never read, has its
//! fields in the encoder's form, and is encoded once.

pub(crate) mod captured;
mod read;

pub use captured::{CapturedMessage, Messages};

use crate::codec::Tree;
use crate::codec::layout::Field;
use crate::dissect::{Line, Message, Role};
use read::Read;
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The socket of a conversation that carries a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The conversation's own socket.
    #[default]
    Main,
    /// The socket for datagrams associated with a stream.
    Datagrams,
}

/// A message that is detached from its conversation.
#[derive(Clone, Debug, Default)]
pub struct OwnedMessage {
    /// The protocol of its line: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// The message's name.
    pub message: &'static str,
    /// The version in which it was read, or will be written.
    pub version: Option<&'static str>,
    /// The sender's role.
    pub from: Role,
    /// The fault, if the message was broken when it was read.
    pub fault: Option<String>,
    /// The socket that carries it.
    pub channel: Channel,
    /// Whether the next message goes into the same datagram.
    pub more: bool,
    /// Whether it is a further message of a datagram or frame that the one before it was in.
    pub further: bool,
    /// Whether the user's filter excludes it from comparisons.
    pub left_out: bool,
    /// The arrival time of its first byte, if a live peer sent it.
    pub first: Option<Instant>,
    /// The message as it was read; `None` if `given` has it.
    pub(crate) read: Option<Arc<Read>>,
    /// The message as it will be written.
    pub(crate) given: Given,
}

/// The fields for an encoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    fields: Json,
    derived: Json,
    packet: Json,
    /// The encoded bytes; empty if it is not encoded yet.
    bytes: Vec<u8>,
    version: Option<&'static str>,
}

impl OwnedMessage {
    /// A message that a session has read.
    pub fn of(message: &Message<'_>) -> OwnedMessage {
        let dissection = message.dissection;
        OwnedMessage {
            proto: dissection.proto,
            message: dissection.message,
            version: dissection.version,
            from: dissection.from,
            fault: dissection.fault.as_ref().map(ToString::to_string),
            further: dissection.part.is_some_and(|(part, _)| part > 1),
            read: Some(Arc::new(Read::of(message))),
            ..OwnedMessage::default()
        }
    }

    /// A message that will be written.
    pub fn new(proto: &'static str, message: &'static str, from: Role, fields: Json) -> OwnedMessage {
        let given = Given { fields, ..Given::default() };
        OwnedMessage { proto, message, from, given, ..OwnedMessage::default() }
    }

    /// The fields as JSON, in the form of ndjson; made on first use.
    pub fn to_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.fields, |read| read.fields())
    }

    /// The derived values as JSON; null if there are none.
    pub fn derived_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.derived, |read| read.derived())
    }

    /// The fields of the headers around the message as JSON; null if there are none.
    pub fn packet_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.packet, |read| read.packet())
    }

    /// The trees of its fields and of the headers around it, if it was read and not changed since.
    pub(crate) fn trees(&self) -> Option<[&Tree; 2]> {
        self.read.as_ref().map(|read| read.trees())
    }

    /// The message's bytes, if it was read or has been written.
    pub fn bytes(&self) -> &[u8] {
        self.read.as_ref().map_or(&self.given.bytes, |read| &read.bytes)
    }

    /// The message's bytes, if nothing has changed since it was read or written in this version.
    pub fn bytes_in(&self, version: Option<&str>) -> Option<&[u8]> {
        let known = self.read.as_ref().map_or((self.message, self.given.version), |read| (read.message, read.version));
        let same = self.fault.is_none() && known == (self.message, version);
        Some(self.bytes()).filter(|bytes| same && !bytes.is_empty())
    }

    /// The message in the encoder's form.
    pub fn line(&self, flow: u64) -> Line<'_> {
        Line {
            message: self.message,
            proto: self.proto,
            version: self.version,
            from: self.from,
            flow,
            fields: self.to_json(),
            derived: Some(self.derived_json()).filter(|derived| !derived.is_null()),
            packet: Some(self.packet_json()).filter(|packet| !packet.is_null()),
            part: None,
            broken: self.fault.is_some(),
        }
    }

    /// Whether the message has a field.
    pub fn has(&self, field: &Field) -> bool {
        match &self.read {
            Some(read) => read.node(field).is_some(),
            None => self.given.fields.get(field.name).is_some(),
        }
    }

    /// A field as JSON: for lists, groups, and fields that may have several types.
    pub fn field(&self, field: &Field) -> Option<&Json> {
        self.has(field).then(|| self.to_json().get(field.name))?
    }

    /// A field with an unsigned number.
    pub fn number(&self, field: &Field) -> Option<u64> {
        if let Some(read) = &self.read { read.number(field) } else { self.given.fields.get(field.name)?.as_u64() }
    }

    /// A field printed as text: text, hex digits, or the name of a value.
    pub fn text(&self, field: &Field) -> Option<&str> {
        if let Some(read) = &self.read { read.text(field) } else { self.given.fields.get(field.name)?.as_str() }
    }

    /// A derived value as JSON.
    pub fn derived(&self, field: &Field) -> Option<&Json> {
        self.derived_json().get(field.name)
    }

    /// The derived value with the content of the payload: its name and value.
    pub(crate) fn opened(&self) -> Option<(&'static str, &Json)> {
        let name = self.read.as_ref()?.opened()?;
        Some((name, self.derived_json().get(name)?))
    }

    /// The time from `sent` to the arrival of the message's first byte.
    pub fn since(&self, sent: Instant) -> Duration {
        self.first.map_or(Duration::ZERO, |first| first.saturating_duration_since(sent))
    }

    /// Sets another value of a field.
    #[must_use]
    pub fn with(mut self, field: &Field, value: impl Into<Json>) -> OwnedMessage {
        let value = value.into();
        let same = self.read.is_some() && self.field(field) == Some(&value);
        if !same && let Some(map) = self.given().fields.as_object_mut() {
            map.insert(field.name.into(), value);
        }
        self
    }

    /// Sets other fields.
    #[must_use]
    pub fn with_fields(mut self, fields: Json) -> OwnedMessage {
        self.given().fields = fields;
        self
    }

    /// Sets other fields of the headers around the message.
    #[must_use]
    pub fn with_packet(mut self, packet: Json) -> OwnedMessage {
        self.given().packet = packet;
        self
    }

    /// Sets other derived values.
    #[must_use]
    pub fn with_derived(mut self, derived: Json) -> OwnedMessage {
        self.given().derived = derived;
        self
    }

    /// Changes the fields. If nothing changes, the message stays as it was read.
    pub fn edit(&mut self, change: impl FnOnce(&mut Json)) {
        let mut fields = self.to_json().clone();
        change(&mut fields);
        if fields != *self.to_json() {
            self.given().fields = fields;
        }
    }

    /// Sets the bytes as which it was written.
    pub fn set_bytes(&mut self, bytes: Vec<u8>) {
        let version = self.version;
        let given = self.given();
        (given.bytes, given.version) = (bytes, version);
    }

    /// Returns the fields to be written, and discards the bytes.
    fn given(&mut self) -> &mut Given {
        if let Some(read) = self.read.take() {
            (self.given.fields, self.given.derived) = (read.fields().clone(), read.derived().clone());
            self.given.packet = read.packet().clone();
        }
        self.given.bytes.clear();
        &mut self.given
    }

    /// The approximate memory of the message, in bytes.
    pub fn weight(&self) -> usize {
        let text = self.fault.as_ref().map_or(0, String::capacity);
        let body = match &self.read {
            Some(read) => read.weight(),
            None => {
                self.given.bytes.capacity() + {
                    [&self.given.fields, &self.given.derived, &self.given.packet].into_iter().map(weight).sum::<usize>()
                }
            }
        };
        size_of::<OwnedMessage>() + text + body
    }
}

/// The approximate memory of a value, in bytes: many times the length of short texts.
fn weight(value: &Json) -> usize {
    /// A map allocates its first eleven members together.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Transport;
    use crate::live::exchange::read_alone;
    use crate::protocols::riptide::layout::{CLIENT, REASON, SEQUENCE};
    use serde_json::json;

    fn read(bytes: &[u8]) -> OwnedMessage {
        read_alone(crate::protocols::by_name("riptide").unwrap(), Transport::Udp, bytes).unwrap()
    }

    #[test]
    fn fields_are_read_from_the_tree() {
        let welcome = read(&[0x08, 1, 0, 7, 0]);
        assert_eq!((welcome.message, welcome.number(&CLIENT)), ("welcome", Some(7)));
        assert_eq!(*welcome.to_json(), json!({"sequence_id": 1, "client_id": 7}));
        assert_eq!((welcome.field(&CLIENT), welcome.has(&REASON)), (Some(&json!(7)), false));
        let goodbye = read(&[0x04, 2]);
        let json = goodbye.to_json();
        assert_eq!(goodbye.text(&REASON), json["reason"].as_str());
        assert_eq!(goodbye.field(&REASON), json.get("reason"));
    }

    #[test]
    fn bytes_last_until_something_changes() {
        let bytes = [0x08, 1, 0, 7, 0];
        let welcome = read(&bytes);
        let version = welcome.version;
        let same = welcome.clone().with(&SEQUENCE, 1);
        assert_eq!((same.bytes_in(version), same.bytes_in(Some("none"))), (Some(&bytes[..]), None));
        let mut same = same;
        same.edit(|fields| fields["client_id"] = 7.into());
        assert_eq!(same.bytes_in(version), Some(&bytes[..]));
        let mut other = welcome.with(&SEQUENCE, 2);
        assert_eq!((other.bytes_in(version), other.number(&SEQUENCE), other.number(&CLIENT)), (None, Some(2), Some(7)));
        other.set_bytes(vec![1]);
        assert_eq!(other.bytes_in(version), Some(&[1][..]));
        assert_eq!(other.with(&SEQUENCE, 2).bytes_in(version), None);
    }
}
