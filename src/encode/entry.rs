//! One message to be encoded, given as a JSON object: a line of `decode`, or hand-written.

use super::annotated;
use crate::capture::Time;
use crate::codec::EncodeError;
use crate::dissect::{Dissector, Line, Registry, Role};
use crate::flow::Transport;
use crate::nearest::{hint, nearest};
use serde_json::{Map, Value as Json};
use std::net::SocketAddr;

/// Defaults for keys that an object does not have.
#[derive(Clone, Debug)]
pub struct Source {
    /// The known protocols.
    pub registry: Registry,
    /// The protocol.
    pub proto: Option<String>,
    /// The sender's role.
    pub from: Option<Role>,
}

impl Source {
    /// No defaults: objects must be complete.
    pub fn new(registry: Registry) -> Source {
        Source { registry, proto: None, from: None }
    }
}

/// A message: its fields, and the place of its capture.
pub struct Entry {
    /// The dissector of its protocol.
    pub dissector: &'static dyn Dissector,
    /// The line's protocol: the dissector's own name, or its carrier's.
    pub proto: String,
    /// The message's name.
    pub message: String,
    /// The version, if given.
    pub version: Option<String>,
    /// The sender's role.
    pub from: Role,
    /// The conversation's number; 0 if not given.
    pub flow: u64,
    /// The frame in which it was captured; 0 if not given.
    pub frame: u64,
    /// UDP or TCP, if given.
    pub transport: Option<Transport>,
    /// The sender's and the receiver's address, if given.
    pub ends: [Option<SocketAddr>; 2],
    /// The time at which it was sent, if given.
    pub time: Option<Time>,
    /// The fields, an object.
    pub fields: Json,
    /// The derived values.
    pub derived: Option<Json>,
    /// The fields of the headers around it.
    pub packet: Option<Json>,
    /// The message's index among those of a packet, from 1, and their number.
    pub part: Option<(u64, u64)>,
    /// Whether the message was broken when it was read.
    pub broken: bool,
}

/// The keys of all lines with a message, also of those that the proxy and `replay --list` print. `frames`, `length`,
/// `related`, `notes` and `bytes` are ignored: they follow from the fields. So are the origin of the message, and what
/// was done to it.
const KEYS: [&str; 31] = [
    "frame",
    "frames",
    "file",
    "file_frame",
    "time",
    "flow",
    "proto",
    "version",
    "from",
    "transport",
    "src",
    "dst",
    "leg",
    "message",
    "length",
    "part",
    "packet",
    "fields",
    "derived",
    "related",
    "notes",
    "fault",
    "bytes",
    "outcome",
    "delayed_ms",
    "copies",
    "reordered",
    "corrupted",
    "edited",
    "not_edited",
    "after",
];

/// The error for an unexpected value, which is shortened in the text.
fn wrong(path: &str, expected: &str, got: &Json) -> EncodeError {
    let mut shown = got.to_string();
    if shown.chars().count() > 60 {
        shown = shown.chars().take(57).collect::<String>() + "...";
    }
    EncodeError::new(path, format!("expected {expected}, got {shown}"))
}

impl Entry {
    /// Whether it is a line of a carrier, such as WebSocket, and not of the protocol.
    pub(super) fn is_carrier(&self) -> bool {
        self.proto != self.dissector.name()
    }

    /// Whether an object is no message, but the account of the capture that `decode --account` prints last.
    pub fn is_account(object: &Json) -> bool {
        object.as_object().is_some_and(|map| map.len() == 1 && map.get("account").is_some_and(Json::is_object))
    }

    /// The message that an object describes.
    ///
    /// # Errors
    /// The key that is missing, unknown or of the wrong type, and the expected form.
    pub fn new(object: Json, source: &Source) -> Result<Entry, EncodeError> {
        let Json::Object(mut map) = object else { return Err(wrong("line", "an object", &object)) };
        if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let what = "unknown key: a message's fields are in an object under \"fields\"";
            return Err(EncodeError::new(key, format!("{what}{}", hint(nearest(key, KEYS)))));
        }
        let message = text(&map, "message")?.ok_or_else(|| EncodeError::new("message", "required, but not given"))?;
        let proto = text(&map, "proto")?.or_else(|| source.proto.clone());
        let (proto, message) = match proto {
            Some(proto) => {
                // A line without a message of its own has its protocol's name before the message's name.
                let whole = source.registry.for_line(&proto).is_some_and(|dissector| has(dissector, &message));
                let bare = message.strip_prefix(&format!("{proto}.")).filter(|_| !whole).map(String::from);
                (proto, bare.unwrap_or(message))
            }
            None => named(&message, &source.registry)?,
        };
        let dissector = dissector_of(&proto, &source.registry)?;
        let (fields, annotated) = match map.remove("fields") {
            Some(Json::Object(fields)) => (Json::Object(fields), None),
            Some(Json::Array(list)) => annotated::plain(&list).map_err(|what| match what.split_once(": ") {
                Some((path, what)) => EncodeError::new(path, what),
                None => EncodeError::new("fields", what),
            })?,
            Some(other) => return Err(wrong("fields", "an object", &other)),
            None => (Json::Object(Map::new()), None),
        };
        let derived = match map.remove("derived") {
            None | Some(Json::Null) => annotated,
            Some(Json::Array(list)) => {
                let (fields, derived) = annotated::plain(&list).map_err(|what| EncodeError::new("derived", what))?;
                derived.or(Some(fields))
            }
            Some(derived @ Json::Object(_)) => Some(join(derived, annotated)),
            Some(other) => return Err(wrong("derived", "an object", &other)),
        };
        let packet = match map.remove("packet") {
            None | Some(Json::Null) => None,
            Some(Json::Array(list)) => {
                Some(annotated::plain(&list).map_err(|what| EncodeError::new("packet", what))?.0)
            }
            Some(packet @ Json::Object(_)) => Some(packet),
            Some(other) => return Err(wrong("packet", "an object", &other)),
        };
        let part = match map.get("part") {
            None | Some(Json::Null) => None,
            Some(value) => {
                let numbers: Option<Vec<u64>> = value.as_array().map(|l| l.iter().filter_map(Json::as_u64).collect());
                match numbers.as_deref() {
                    Some([part, of]) if (1..=*of).contains(part) => Some((*part, *of)),
                    _ => return Err(wrong("part", "two numbers, such as [1,3]", value)),
                }
            }
        };
        let from = match text(&map, "from")? {
            Some(name) => Role::named(&name)
                .ok_or_else(|| EncodeError::new("from", format!("{name:?}: expected client, server or unknown")))?,
            None => Role::Unknown,
        };
        Ok(Entry {
            dissector,
            proto,
            message,
            version: version(&map)?,
            from: if from == Role::Unknown { source.from.unwrap_or_default() } else { from },
            flow: number(&map, "flow")?,
            frame: number(&map, "frame")?,
            transport: match text(&map, "transport")?.as_deref() {
                None => None,
                Some("udp") => Some(Transport::Udp),
                Some("tcp") => Some(Transport::Tcp),
                Some(other) => return Err(EncodeError::new("transport", format!("{other:?}: expected udp or tcp"))),
            },
            ends: [end(&map, "src")?, end(&map, "dst")?],
            time: match map.get("time") {
                None | Some(Json::Null) => None,
                Some(value) => Some(time(value).ok_or_else(|| wrong("time", "seconds since 1970", value))?),
            },
            fields,
            derived,
            packet,
            part,
            broken: !matches!(map.get("fault"), None | Some(Json::Null) | Some(Json::Bool(false))),
        })
    }

    /// The encoder's view of the message.
    pub fn line(&self) -> Line<'_> {
        Line {
            message: &self.message,
            proto: &self.proto,
            version: self.version.as_deref(),
            from: self.from,
            flow: self.flow,
            fields: &self.fields,
            derived: self.derived.as_ref(),
            packet: self.packet.as_ref(),
            part: self.part,
            broken: self.broken,
        }
    }
}

/// The dissector of a protocol, or of a carrier.
fn dissector_of(proto: &str, registry: &Registry) -> Result<&'static dyn Dissector, EncodeError> {
    registry.for_line(proto).ok_or_else(|| {
        let what = match nearest(proto, registry.names()) {
            Some(near) => hint(Some(near)),
            None => format!(": there are {}", registry.names().collect::<Vec<_>>().join(", ")),
        };
        EncodeError::new(
            "proto",
            format!("no protocol {proto:?}{what}; --protocol-file loads one that a file describes"),
        )
    })
}

fn has(dissector: &dyn Dissector, message: &str) -> bool {
    dissector.tables().iter().any(|table| table.layouts.iter().any(|layout| layout.name == message))
}

/// The protocol and message of `PROTO.MESSAGE`, or of a message name that only one protocol has.
pub(super) fn named(text: &str, registry: &Registry) -> Result<(String, String), EncodeError> {
    if let Some((proto, message)) = text.split_once('.') {
        dissector_of(proto, registry)?;
        return Ok((proto.into(), message.into()));
    }
    let having: Vec<&str> = registry.iter().filter(|d| has(*d, text)).map(|d| d.name()).collect();
    match having[..] {
        [proto] => Ok((proto.into(), text.into())),
        [] => {
            let what = format!("no protocol has a message {text:?}{}", hint(nearest(text, registry.messages())));
            Err(EncodeError::new("message", format!("{what}; `netkit fields` lists them")))
        }
        _ => Err(EncodeError::new("proto", format!("{text:?} is a message of {}: say which", having.join(" and ")))),
    }
}

fn text(map: &Map<String, Json>, key: &str) -> Result<Option<String>, EncodeError> {
    match map.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(key, "text", other)),
    }
}

fn number(map: &Map<String, Json>, key: &str) -> Result<u64, EncodeError> {
    match map.get(key) {
        None | Some(Json::Null) => Ok(0),
        Some(n) => n.as_u64().ok_or_else(|| wrong(key, "a number", n)),
    }
}

/// The version; in hand-written objects, `2.2` may be a JSON number.
fn version(map: &Map<String, Json>) -> Result<Option<String>, EncodeError> {
    if let Some(Json::Number(n)) = map.get("version") { Ok(Some(n.to_string())) } else { text(map, "version") }
}

fn end(map: &Map<String, Json>, key: &str) -> Result<Option<SocketAddr>, EncodeError> {
    let Some(text) = text(map, key)? else { return Ok(None) };
    let example = "expected ADDR:PORT such as 10.0.0.1:7777 or [::1]:7777";
    let what = || EncodeError::new(key, format!("{example}, got {text:?}"));
    text.parse().map(Some).map_err(|_| what())
}

/// The time in seconds, with the digits of a JSON number. A double is exact to microseconds, but not to nanoseconds;
/// for these use [`super::Text::time`].
fn time(value: &Json) -> Option<Time> {
    match value {
        Json::String(text) => Time::decimal(text),
        Json::Number(n) => Time::decimal(&n.to_string()),
        _ => None,
    }
}

/// Merges the derived values among an annotated line's fields with those in its `derived`.
fn join(derived: Json, annotated: Option<Json>) -> Json {
    match (derived, annotated) {
        (Json::Object(mut all), Some(Json::Object(more))) => {
            for (key, value) in more {
                all.entry(key).or_insert(value);
            }
            Json::Object(all)
        }
        (derived, _) => derived,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn by_itself() -> Source {
        Source::new(crate::protocols::registry())
    }

    fn failing(object: Json) -> String {
        Entry::new(object, &by_itself()).map(|e| e.message).unwrap_err().to_string()
    }

    #[test]
    fn a_line_of_decode() {
        let object = json!({"frame": 4, "time": 1795229852.841544, "flow": 2, "proto": "riptide", "version": "2.2",
            "from": "server", "transport": "udp", "src": "10.0.0.1:7777", "dst": "[::1]:5", "message": "heartbeat",
            "length": 3, "fields": {"ping_id": 3}, "fault": {"path": "x"}, "bytes": "00"});
        let entry = Entry::new(object, &by_itself()).unwrap();
        assert_eq!((entry.line().version, entry.line().flow, entry.broken), (Some("2.2"), 2, true));
        assert_eq!(entry.time, Some(Time::micros(1795229852, 841544)));
        assert_eq!(entry.ends[1], Some("[::1]:5".parse().unwrap()));
    }

    #[test]
    fn written_by_hand() {
        let source = Source { proto: Some("riptide".into()), from: Some(Role::Client), ..by_itself() };
        let entry = Entry::new(json!({"message": "connect", "version": 2.2}), &source).unwrap();
        assert_eq!((entry.proto.as_str(), entry.from), ("riptide", Role::Client));
        assert_eq!(entry.version.as_deref(), Some("2.2"));
        let entry = Entry::new(json!({"message": "riptide.connect", "from": "server"}), &by_itself()).unwrap();
        assert_eq!((entry.message.as_str(), entry.from), ("connect", Role::Server));
    }

    #[test]
    fn errors_say_what_was_expected() {
        assert_eq!(failing(json!({})), "message: required, but not given");
        assert!(failing(json!({"message": "connect", "proto": "ripide"})).contains("did you mean \"riptide\"?"));
        assert!(failing(json!({"message": "riptide.connect", "feilds": {}})).contains("did you mean \"fields\"?"));
        assert!(failing(json!({"message": "riptide.connect", "ping_id": 3})).starts_with("ping_id: unknown key"));
        assert!(failing(json!({"message": "riptide.connect", "fields": 3})).contains("expected an object, got 3"));
        assert!(failing(json!({"message": "riptide.connect", "src": "a"})).starts_with("src: expected ADDR:PORT"));
        assert!(failing(json!({"message": "riptide.connect", "from": "me"})).contains("expected client"));
        assert!(failing(json!([1])).starts_with("line: expected an object"));
        let why = failing(json!({"message": "riptide.connect", "fields": {}, "versoin": "2.2"}));
        assert!(why.starts_with("versoin: unknown key") && why.ends_with("did you mean \"version\"?"), "{why}");
    }

    /// The keys that the proxy and `replay --list` add to a line.
    #[test]
    fn keys_of_other_commands() {
        let object = json!({"message": "riptide.connect", "fields": {}, "leg": "client", "outcome": "passed",
            "delayed_ms": 1.5, "copies": 1, "reordered": true, "corrupted": true, "edited": ["rtt"], "not_edited": "why",
            "after": 0});
        assert_eq!(Entry::new(object, &by_itself()).map(|entry| entry.message), Ok("connect".into()));
    }

    #[test]
    fn times_close_to_the_epoch() {
        let of = |time: Json| Entry::new(json!({"message": "riptide.connect", "time": time}), &by_itself());
        assert_eq!(of(json!(0.000009)).unwrap().time, Some(Time::micros(0, 9)));
        assert_eq!(of(json!(-0.000009)).unwrap().time, Some(Time::micros(-1, 999_991)));
        assert_eq!(of(json!("7.000000001")).unwrap().time, Some(Time { secs: 7, frac: 1, digits: 9 }));
        assert!(of(json!("soon")).is_err());
    }
}
