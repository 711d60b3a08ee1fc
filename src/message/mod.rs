//! Messages that outlive their packet: read from a peer, recorded, or to be sent.
//!
//! An [`OwnedMessage`] that was read keeps its tree and its bytes. Fields are read by their constants,
//! without any text; JSON is made where an encoder or an output wants it. One that is edited, or was
//! never read, has its fields as the encoder takes them, and is written once.

mod read;

use crate::codec::layout::Field;
use crate::dissect::{Line, Message, Role};
use read::Read;
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which of a conversation's sockets carries a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The conversation's own.
    #[default]
    Main,
    /// The datagrams beside a stream.
    Beside,
}

/// A message that is detached from its conversation.
#[derive(Clone, Debug, Default)]
pub struct OwnedMessage {
    /// The protocol of its line: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// Its name.
    pub message: &'static str,
    /// The version in which it was read, or is to be written.
    pub version: Option<&'static str>,
    /// Who sends it.
    pub from: Role,
    /// What broke when it was read.
    pub fault: Option<String>,
    /// What carries it.
    pub channel: Channel,
    /// The next message goes into the same datagram.
    pub more: bool,
    /// The user's filter leaves it out of what is compared.
    pub left_out: bool,
    /// When its first byte came, where a live peer sent it.
    pub first: Option<Instant>,
    /// As it was read; `None`: as `given` has it.
    pub(crate) read: Option<Arc<Read>>,
    /// As it is to be written.
    pub(crate) given: Given,
}

/// Fields for an encoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    fields: Json,
    derived: Json,
    packet: Json,
    /// What they were written as, and in which version; empty: not yet.
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
            read: Some(Arc::new(Read::of(message))),
            ..OwnedMessage::default()
        }
    }

    /// A message that is to be written.
    pub fn new(proto: &'static str, message: &'static str, from: Role, fields: Json) -> OwnedMessage {
        let given = Given { fields, ..Given::default() };
        OwnedMessage { proto, message, from, given, ..OwnedMessage::default() }
    }

    /// The fields as JSON, as ndjson has them: made where it is asked for.
    pub fn to_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.fields, |read| read.fields())
    }

    /// The derived values as JSON; null where there are none.
    pub fn derived_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.derived, |read| read.derived())
    }

    /// The fields of the headers around it as JSON; null where there are none.
    pub fn packet_json(&self) -> &Json {
        self.read.as_ref().map_or(&self.given.packet, |read| read.packet())
    }

    /// Its bytes, where it was read or has been written.
    pub fn bytes(&self) -> &[u8] {
        self.read.as_ref().map_or(&self.given.bytes, |read| &read.bytes)
    }

    /// Its bytes, where nothing has changed since it was read or written in this version.
    pub fn bytes_in(&self, version: Option<&str>) -> Option<&[u8]> {
        let known = match &self.read {
            Some(read) => (read.message, read.version),
            None => (self.message, self.given.version),
        };
        let same = self.fault.is_none() && known == (self.message, version);
        Some(self.bytes()).filter(|bytes| same && !bytes.is_empty())
    }

    /// As an encoder takes it.
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

    /// Whether it has a field.
    pub fn has(&self, field: &Field) -> bool {
        match &self.read {
            Some(read) => read.node(field).is_some(),
            None => self.given.fields.get(field.name).is_some(),
        }
    }

    /// A field as JSON: a list, a group, or what may be of several types.
    pub fn field(&self, field: &Field) -> Option<&Json> {
        self.has(field).then(|| self.to_json().get(field.name))?
    }

    /// A field that is a number from 0 up.
    pub fn number(&self, field: &Field) -> Option<u64> {
        match &self.read {
            Some(read) => read.number(field),
            None => self.given.fields.get(field.name)?.as_u64(),
        }
    }

    /// A field that is shown as text: text, hex digits, the name of a value.
    pub fn text(&self, field: &Field) -> Option<&str> {
        match &self.read {
            Some(read) => read.text(field),
            None => self.given.fields.get(field.name)?.as_str(),
        }
    }

    /// A derived value as JSON.
    pub fn derived(&self, field: &Field) -> Option<&Json> {
        self.derived_json().get(field.name)
    }

    /// The derived value that shows what is in the payload: its name, and itself.
    pub(crate) fn opened(&self) -> Option<(&'static str, &Json)> {
        let name = self.read.as_ref()?.opened()?;
        Some((name, self.derived_json().get(name)?))
    }

    /// How long after `sent` its first byte came.
    pub fn since(&self, sent: Instant) -> Duration {
        self.first.map_or(Duration::ZERO, |first| first.saturating_duration_since(sent))
    }

    /// The same message with another value of a field.
    #[must_use]
    pub fn with(mut self, field: &Field, value: impl Into<Json>) -> OwnedMessage {
        let value = value.into();
        let same = self.read.is_some() && self.field(field) == Some(&value);
        if !same && let Some(map) = self.given().fields.as_object_mut() {
            map.insert(field.name.into(), value);
        }
        self
    }

    /// The same message with other fields.
    #[must_use]
    pub fn with_fields(mut self, fields: Json) -> OwnedMessage {
        self.given().fields = fields;
        self
    }

    /// The same message with other fields of the headers around it.
    #[must_use]
    pub fn with_packet(mut self, packet: Json) -> OwnedMessage {
        self.given().packet = packet;
        self
    }

    /// The same message with other derived values.
    #[must_use]
    pub fn with_derived(mut self, derived: Json) -> OwnedMessage {
        self.given().derived = derived;
        self
    }

    /// Changes the fields; one in which nothing changes stays as it was read.
    pub fn edit(&mut self, change: impl FnOnce(&mut Json)) {
        let mut fields = self.to_json().clone();
        change(&mut fields);
        if fields != *self.to_json() {
            self.given().fields = fields;
        }
    }

    /// It was written as these bytes.
    pub fn set_bytes(&mut self, bytes: Vec<u8>) {
        let version = self.version;
        let given = self.given();
        (given.bytes, given.version) = (bytes, version);
    }

    /// The fields to be written, which have no bytes yet.
    fn given(&mut self) -> &mut Given {
        if let Some(read) = self.read.take() {
            (self.given.fields, self.given.derived) = (read.fields().clone(), read.derived().clone());
            self.given.packet = read.packet().clone();
        }
        self.given.bytes.clear();
        &mut self.given
    }

    /// About how many bytes of memory it takes.
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

/// About how many bytes of memory a value takes: many times its text, where that is short.
fn weight(value: &Json) -> usize {
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
