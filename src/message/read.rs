//! The tree of a message that was read, with the bytes of its ranges.

use super::weight;
use crate::codec::json::value::name_of;
use crate::codec::json::{derived_json, fields_json, value_of};
use crate::codec::layout::{Field, Show, flag};
use crate::codec::{Node, Sources, Tree, Value};
use crate::dissect::Message;
use serde_json::Value as Json;
use std::sync::OnceLock;

/// A message's trees and bytes, and the JSON that has been requested.
#[derive(Debug)]
pub struct Read {
    tree: Tree,
    derived_tree: Tree,
    around: Tree,
    pub bytes: Vec<u8>,
    more: Vec<Vec<u8>>,
    pub message: &'static str,
    pub version: Option<&'static str>,
    fields: OnceLock<Json>,
    derived: OnceLock<Json>,
    packet: OnceLock<Json>,
}

impl Read {
    /// Copies a message that a session has read.
    pub fn of(message: &Message<'_>) -> Read {
        let (dissection, sources) = (message.dissection, message.sources());
        Read {
            tree: dissection.tree.detached(),
            derived_tree: dissection.derived.detached(),
            around: dissection.packet.detached(),
            bytes: sources.main.to_vec(),
            more: sources.more.to_vec(),
            message: dissection.message,
            version: dissection.version,
            fields: OnceLock::new(),
            derived: OnceLock::new(),
            packet: OnceLock::new(),
        }
    }

    /// The trees of its fields and of the headers around it.
    pub fn trees(&self) -> [&Tree; 2] {
        [&self.tree, &self.around]
    }

    fn sources(&self) -> Sources<'_> {
        Sources { main: &self.bytes, more: &self.more }
    }

    /// All fields.
    pub fn fields(&self) -> &Json {
        self.fields.get_or_init(|| value_of(|out| fields_json(&self.tree, self.sources(), out)))
    }

    /// All derived values; null if there are none.
    pub fn derived(&self) -> &Json {
        static NONE: Json = Json::Null;
        if self.derived_tree.is_empty() && !self.tree.has_derived() {
            return &NONE;
        }
        self.derived
            .get_or_init(|| value_of(|out| _ = derived_json(&self.tree, &self.derived_tree, self.sources(), out)))
    }

    /// The fields of the headers around the message; null if there are none.
    pub fn packet(&self) -> &Json {
        static NONE: Json = Json::Null;
        if self.around.is_empty() {
            return &NONE;
        }
        self.packet.get_or_init(|| value_of(|out| fields_json(&self.around, self.sources(), out)))
    }

    /// The node of a field that was on the wire and is printed.
    pub fn node(&self, field: &Field) -> Option<&Node> {
        self.tree.find(field).filter(|node| !node.hidden() && !node.derived())
    }

    /// The name of the derived value with the content of the payload.
    pub fn opened(&self) -> Option<&'static str> {
        let opened = |node: &&Node| node.field.is(flag::OPENED);
        let mut shown = self.derived_tree.children(None).filter_map(|k| self.derived_tree.nodes().get(k));
        shown.find(opened).map(|node| node.field.name)
    }

    /// An unsigned number, if the field has one in JSON.
    pub fn number(&self, field: &Field) -> Option<u64> {
        let node = self.node(field)?;
        match (node.value, node.field.show) {
            (Value::UInt(number), Show::Plain) => Some(number),
            (Value::Int(number), Show::Plain) => u64::try_from(number).ok(),
            _ => self.fields().get(field.name)?.as_u64(),
        }
    }

    /// A text, if the field has one in JSON.
    pub fn text(&self, field: &Field) -> Option<&str> {
        let node = self.node(field)?;
        match (node.value, node.field.show) {
            (Value::UInt(number), Show::Enum(names)) => name_of(names, number),
            (Value::UInt(_) | Value::Bool(_), Show::Plain) => None,
            _ => self.fields().get(field.name)?.as_str(),
        }
    }

    /// The approximate memory of the message, in bytes.
    pub fn weight(&self) -> usize {
        let more: usize = self.more.iter().map(|bytes| size_of::<Vec<u8>>() + bytes.capacity()).sum();
        let json: usize =
            [&self.fields, &self.derived, &self.packet].into_iter().filter_map(OnceLock::get).map(weight).sum();
        size_of::<Read>()
            + self.tree.memory()
            + self.derived_tree.memory()
            + self.around.memory()
            + self.bytes.capacity()
            + more
            + json
    }
}
