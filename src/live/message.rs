//! A message that was read, is recorded, or is to be sent: detached from its bytes' conversation.

use crate::codec::json::{derived_json, fields_json};
use crate::dissect::{Line, Message, Role};
use serde_json::Value as Json;
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

/// A message that owns what it says.
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
    /// The fields, as ndjson has them.
    pub fields: Json,
    /// The derived values; null where there are none.
    pub derived: Json,
    /// What broke when it was read.
    pub fault: Option<String>,
    /// Its bytes, where it was read.
    pub bytes: Vec<u8>,
    /// What carries it.
    pub channel: Channel,
    /// The next message goes into the same datagram.
    pub more: bool,
    /// When its first byte came, where a live peer sent it.
    pub first: Option<Instant>,
}

impl OwnedMessage {
    /// A message that a session has read. `text` is memory to be used again.
    pub fn of(message: &Message<'_>, text: &mut Vec<u8>) -> OwnedMessage {
        let dissection = message.dissection;
        let json = |text: &[u8]| crate::encode::json(text).unwrap_or(Json::Null);
        text.clear();
        fields_json(&dissection.tree, message.sources(), text);
        let fields = json(text);
        text.clear();
        let derived = match derived_json(&dissection.tree, &dissection.derived, message.sources(), text) {
            true => json(text),
            false => Json::Null,
        };
        OwnedMessage {
            proto: dissection.proto,
            message: dissection.message,
            version: dissection.version,
            from: dissection.from,
            fields,
            derived,
            fault: dissection.fault.as_ref().map(ToString::to_string),
            bytes: message.place.bytes.to_vec(),
            ..OwnedMessage::default()
        }
    }

    /// As an encoder takes it.
    pub fn line(&self, flow: u64) -> Line<'_> {
        Line {
            message: self.message,
            proto: self.proto,
            version: self.version,
            from: self.from,
            flow,
            fields: &self.fields,
            derived: Some(&self.derived).filter(|derived| !derived.is_null()),
            packet: None,
            part: None,
            broken: self.fault.is_some(),
        }
    }

    /// A field that is a number.
    pub fn number(&self, field: &str) -> Option<u64> {
        self.fields.get(field)?.as_u64()
    }

    /// A field that is text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    /// A derived value.
    pub fn derived(&self, name: &str) -> Option<&Json> {
        self.derived.get(name)
    }

    /// How long after `sent` its first byte came.
    pub fn since(&self, sent: Instant) -> Duration {
        self.first.map_or(Duration::ZERO, |first| first.saturating_duration_since(sent))
    }

    /// The same message with another value of a field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Json>) -> OwnedMessage {
        if let Some(map) = self.fields.as_object_mut() {
            map.insert(field.into(), value.into());
        }
        self
    }

    /// About how many bytes of memory it takes.
    pub fn weight(&self) -> usize {
        let text = self.fault.as_ref().map_or(0, String::capacity);
        size_of::<OwnedMessage>() + self.bytes.capacity() + text + weight(&self.fields) + weight(&self.derived)
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
