//! A message's values by their names, in its fields and in the headers around it.

use super::super::traffic::{Path, RangeEnds};
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json, json};

/// The values of a message of ours before it is written.
#[derive(Clone, Debug)]
pub struct Draft {
    message: OwnedMessage,
    fields: Json,
    packet: Json,
}

impl Draft {
    /// Copies the values of a message.
    pub fn of(message: &OwnedMessage) -> Draft {
        let packet = message.packet_json();
        let packet = if packet.is_null() { json!({}) } else { packet.clone() };
        Draft { message: message.clone(), fields: message.to_json().clone(), packet }
    }

    /// Sets a value that the message has. A message without headers has their values among its fields.
    pub fn put(&mut self, path: &Path, value: impl Into<Json>) {
        let [own, around] = path.places(self.message.message);
        let bare = self.packet.as_object().is_none_or(Map::is_empty);
        let place = if own || bare && around { member(&mut self.fields, path) } else { None };
        if let Some(place) = place.or_else(|| member(&mut self.packet, path).filter(|_| around)) {
            *place = value.into();
        }
    }

    /// Replaces the ranges of a list by one that has only this number.
    pub fn put_range(&mut self, path: &Path, ends: RangeEnds, number: i64) {
        let list = member(&mut self.fields, path).and_then(Json::as_array_mut);
        if let Some(list) = list {
            list.truncate(1);
            if let Some(range) = list.first_mut().and_then(Json::as_object_mut) {
                for end in [ends.from, ends.to] {
                    range.entry(end).and_modify(|value| *value = number.into());
                }
            }
        }
    }

    /// Returns the message with these values. `taken`: the names of remembered values that other values replace.
    pub fn done(self, taken: &dyn Fn(&str) -> bool) -> OwnedMessage {
        let Draft { message, fields, packet } = self;
        let mut derived = message.derived_json().clone();
        if let Some(memory) = derived.get_mut("memory").and_then(Json::as_object_mut) {
            memory.retain(|name, _| !taken(name));
        }
        let around = packet.as_object().is_some_and(|packet| !packet.is_empty());
        let message = message.with_fields(fields).with_derived(derived);
        if around { message.with_packet(packet) } else { message }
    }
}

/// The value of a field of a message, or of the headers around it.
pub fn value<'m>(message: &'m OwnedMessage, path: &Path) -> Option<&'m Json> {
    let [own, around] = path.places(message.message);
    let find = |value: &'m Json| {
        let (groups, name) = path.names();
        groups.iter().map(|group| group.text).chain([name]).try_fold(value, first)
    };
    let found = if own { find(message.to_json()) } else { None };
    found.or_else(|| find(message.packet_json()).filter(|_| around))
}

/// The first member of that name, at any depth of objects.
fn first<'j>(value: &'j Json, name: &str) -> Option<&'j Json> {
    let members = value.as_object()?;
    members.get(name).or_else(|| members.values().find_map(|inner| first(inner, name)))
}

fn member<'j>(value: &'j mut Json, path: &Path) -> Option<&'j mut Json> {
    let (groups, name) = path.names();
    groups.iter().map(|group| group.text).chain([name]).try_fold(value, first_mut)
}

fn first_mut<'j>(value: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    let members = value.as_object_mut()?;
    if members.contains_key(name) {
        return members.get_mut(name);
    }
    members.values_mut().find_map(|inner| first_mut(inner, name))
}
