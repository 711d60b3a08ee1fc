//! The protos of a handshake (or of `nano.protos`): the fields of each route's messages.
//!
//! They have the parsed form: `{"server":{ROUTE:{FIELD:{option,type,tag}, __messages:{..},
//! __tags:{"1":FIELD}}, "message NAME":{..}}, "client":{..}}`.

use crate::dissect::limits::PeerCaps;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

/// The most fields that are kept of one handshake.
const MOST_FIELDS: usize = 1 << 17;
/// The deepest nesting of messages that is kept.
const DEEPEST: usize = 32;

/// The wire form of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// uInt32, uInt64.
    Unsigned,
    /// int32, sInt32, sInt64: all of them are zigzag.
    Zigzag,
    /// A varint 0 or 1.
    Bool,
    /// 4 bytes.
    Float,
    /// 8 bytes.
    Double,
    /// A length and UTF-8.
    Text,
    /// A length and the fields of the message with this number.
    Message(u32),
    /// A type that the table lacks.
    Missing,
}

/// The number of values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Once.
    Single,
    /// Any number of times.
    Repeated,
    /// Pairs of key and value.
    Pairs,
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its own number among all fields.
    pub index: u32,
    /// The place of its name, see [`Protos::name`].
    pub name: (u32, u32),
    /// The form of one value.
    pub kind: Kind,
    /// The number of values.
    pub rule: Rule,
}

/// One message: its fields by tag, and the fields `key` and `value` for pairs.
#[derive(Debug, Default, PartialEq)]
pub struct Message {
    /// By tag.
    pub by_tag: FxHashMap<u64, Field>,
    /// The fields of a map's elements.
    pub pair: [Option<Field>; 2],
}

/// The protos of both sides.
#[derive(Debug, Default, PartialEq)]
pub struct Protos {
    messages: Vec<Message>,
    /// All field names, concatenated. Long ones are cut.
    names: String,
    /// The number of names that are cut.
    cut: usize,
    route_bytes: usize,
    fields: usize,
    /// By side (client, server) and route.
    routes: [FxHashMap<Box<str>, u32>; 2],
    /// Fields whose type may be a global message.
    open: Vec<(u32, u64, Box<str>)>,
}

impl Protos {
    /// Reads `{"client":{..},"server":{..}}`. The length of names is limited, since a message may use a name in any
    /// number of fields.
    pub fn read(json: &Json, caps: &PeerCaps) -> Protos {
        let mut protos = Protos::default();
        for (k, side) in ["client", "server"].into_iter().enumerate() {
            let Some(table) = json.get(side).and_then(Json::as_object) else { continue };
            let mut routes = FxHashMap::default();
            for (name, message) in table {
                let index = protos.message(message, 0, caps);
                protos.route_bytes += name.len();
                routes.insert(name.as_str().into(), index);
            }
            protos.link(&routes);
            if let Some(slot) = protos.routes.get_mut(k) {
                *slot = routes;
            }
        }
        protos
    }

    /// The approximate number of bytes that they hold.
    pub fn memory(&self) -> usize {
        /// The memory of a route's place and number.
        const ROUTE: usize = 48;
        let routes: usize = self.routes.iter().map(FxHashMap::capacity).sum();
        // Maps are at least half full.
        let fields = self.fields * 2 * size_of::<(u64, Field)>();
        fields
            + routes * ROUTE
            + self.route_bytes
            + self.messages.capacity() * size_of::<Message>()
            + self.names.capacity()
    }

    /// The number of names that were too long to be kept whole.
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// The message of a route: the server's or the client's.
    pub fn route(&self, from_server: bool, route: &[u8]) -> Option<u32> {
        let name = std::str::from_utf8(route).ok()?;
        self.routes.get(from_server as usize)?.get(name).copied()
    }

    /// A message by its number.
    pub fn get(&self, message: u32) -> Option<&Message> {
        self.messages.get(message as usize)
    }

    /// A field's name.
    pub fn name(&self, start: u32, length: u32) -> &str {
        self.names.get(start as usize..start as usize + length as usize).unwrap_or("")
    }

    fn message(&mut self, json: &Json, depth: usize, caps: &PeerCaps) -> u32 {
        let index = self.messages.len() as u32;
        self.messages.push(Message::default());
        let nothing = Map::new();
        let table = json.as_object().unwrap_or(&nothing);
        if depth > DEEPEST {
            return index;
        }
        let mut local: FxHashMap<&str, u32> = FxHashMap::default();
        for (name, inner) in table.get("__messages").and_then(Json::as_object).unwrap_or(&nothing) {
            let inner = self.message(inner, depth + 1, caps);
            local.insert(name, inner);
        }
        let mut tags: FxHashMap<&str, u64> = FxHashMap::default();
        for (tag, name) in table.get("__tags").and_then(Json::as_object).unwrap_or(&nothing) {
            if let (Ok(tag), Some(name)) = (tag.parse(), name.as_str()) {
                tags.insert(name, tag);
            }
        }
        for (name, field) in table.iter().filter(|(name, _)| !name.starts_with("__")) {
            let word = |key| field.get(key).and_then(Json::as_str);
            let tag = tags.get(name.as_str()).copied().or_else(|| field.get("tag")?.as_u64());
            let (Some(tag), true) = (tag, self.fields < MOST_FIELDS) else { continue };
            let kind = match word("type").unwrap_or("") {
                "uInt32" | "uInt64" => Kind::Unsigned,
                "int32" | "sInt32" | "int64" | "sInt64" => Kind::Zigzag,
                "bool" => Kind::Bool,
                "float" => Kind::Float,
                "double" => Kind::Double,
                "string" => Kind::Text,
                other => match local.get(other) {
                    Some(inner) => Kind::Message(*inner),
                    None => {
                        self.open.push((index, tag, other.into()));
                        Kind::Missing
                    }
                },
            };
            let rule = match word("option") {
                Some("repeated") => Rule::Repeated,
                Some("map" | "obj") => Rule::Pairs,
                _ => Rule::Single,
            };
            let start = self.names.len() as u32;
            self.names.push_str(&caps.name(name, format_args!("tag {tag}")));
            self.cut += (name.len() > caps.name_bytes) as usize;
            let length = self.names.len() as u32 - start;
            let field = Field { index: self.fields as u32, name: (start, length), kind, rule };
            self.fields += 1;
            if let Some(message) = self.messages.get_mut(index as usize) {
                message.by_tag.insert(tag, field);
                match name.as_str() {
                    "key" => message.pair[0] = Some(field),
                    "value" => message.pair[1] = Some(field),
                    _ => {}
                }
            }
        }
        index
    }

    /// Finds the types that are global messages.
    fn link(&mut self, globals: &FxHashMap<Box<str>, u32>) {
        for (message, tag, name) in std::mem::take(&mut self.open) {
            let Some(found) = globals.get(format!("message {name}").as_str()) else { continue };
            let Some(message) = self.messages.get_mut(message as usize) else { continue };
            let Message { by_tag, pair } = message;
            let Some(field) = by_tag.get_mut(&tag) else { continue };
            field.kind = Kind::Message(*found);
            let linked = *field;
            pair.iter_mut().flatten().filter(|f| f.index == linked.index).for_each(|f| *f = linked);
        }
    }
}
