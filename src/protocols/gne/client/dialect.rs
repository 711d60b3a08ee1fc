//! Byte order and ping form of a live peer, and recorded messages rewritten in them.
//!
//! Fields that the tables know are rewritten without loss. Application bytes without a table stay as captured. So
//! custom data is sent with a remark, and packets without a schema are not sent at all: a number in the wrong byte
//! order is another number.

use super::super::layout::{BUILD, ID, IS_REQUEST, REQ_ID, T2};
use super::super::link::SHORT_BUILD;
use crate::live::replay::actor::{Outbox, Recorded};
use crate::message::OwnedMessage;
use serde_json::{Map, Value as Json, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The size of the library's read buffer. A longer message ends the connection.
pub const LARGEST: usize = 512;
/// The number of bytes by which a long ping exceeds a short one.
const LONGER: usize = 15;
/// Packets that builds up to 5 lack: they were added in November 2002.
const NEWER: [&str; 4] = ["channel", "object_creation", "object_update", "object_death"];

/// The byte order and ping form of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The byte order; `None`: as captured.
    pub order: Option<&'static str>,
    /// Whether pings have the form of builds up to 5; `None`: as captured.
    pub short_pings: Option<bool>,
}

impl Dialect {
    /// The dialect of the side that sent a request or refusal.
    pub fn of(decoded: &OwnedMessage) -> Dialect {
        Dialect { order: decoded.version, short_pings: decoded.number(&BUILD).map(|build| build <= SHORT_BUILD) }
    }

    /// Rewrites a recorded message as this side would write it.
    ///
    /// # Errors
    /// The reason why it cannot be rewritten.
    pub fn write(self, message: &Recorded, out: &mut Outbox) -> Result<OwnedMessage, String> {
        let mut decoded = message.decoded.clone();
        let turned = self.order.is_some() && decoded.version.is_some() && self.order != decoded.version;
        decoded.version = self.order.or(decoded.version);
        if turned && message.notes.contains(&"gne.unknown_id") {
            return Err("its bytes have no schema (--schema): they cannot be converted to the live byte order".into());
        }
        let mut length = message.length;
        let mut newer = None;
        let mut see = |id: &str, packet: &mut Map<String, Json>| match id {
            "ping" => {
                let short = packet.contains_key(IS_REQUEST.name);
                match self.short_pings {
                    Some(wanted) if wanted != short => {
                        length = if wanted { length.saturating_sub(LONGER) } else { length + LONGER };
                        let id = packet.get(REQ_ID.name).cloned().unwrap_or_default();
                        if let Json::Object(other) = ping(wanted, is_request(packet), &id) {
                            *packet = other;
                        }
                    }
                    _ => {}
                }
            }
            "custom" if turned => out.remark(
                "custom packets go as captured: what the application put into them may have the other byte order",
            ),
            _ => newer = newer.or(NEWER.into_iter().find(|name| *name == id)),
        };
        decoded.edit(|fields| each(fields, &mut see));
        match newer {
            Some(name) if self.short_pings == Some(true) => {
                Err(format!("the live side's protocol build has no {name} packets: they would end the connection"))
            }
            _ if length > LARGEST && length > message.length => Err(format!(
                "{length} bytes, as the live side's pings are longer: the receiver's buffer holds {LARGEST} bytes"
            )),
            _ => Ok(decoded),
        }
    }
}

/// Visits every packet in wire order, embedded ones too.
pub fn each(fields: &mut Json, see: &mut dyn FnMut(&str, &mut Map<String, Json>)) {
    let mut open = vec![fields];
    while let Some(value) = open.pop() {
        match value {
            Json::Object(map) => {
                let id = map.get(ID.name).and_then(Json::as_str).map(String::from);
                if let Some(id) = id {
                    see(&id, map);
                }
                open.extend(map.values_mut().rev());
            }
            Json::Array(list) => open.extend(list.iter_mut().rev()),
            _ => {}
        }
    }
}

/// Whether a ping is a request. The short form has a field for it; in the long form a request's `t2` is 0.
pub fn is_request(ping: &Map<String, Json>) -> bool {
    match ping.get(IS_REQUEST.name) {
        Some(flag) => flag != false,
        None => {
            let part = |part: &str| ping.get(T2.name).and_then(|t| t.get(part)).and_then(Json::as_i64).unwrap_or(0);
            part("sec").saturating_mul(1_000_000).saturating_add(part("usec")) == 0
        }
    }
}

/// A ping in the short or the long form. A long reply has our clock's time.
pub fn ping(short: bool, request: bool, id: &Json) -> Json {
    if short {
        return json!({"id": "ping", "is_request": request, "req_id": id});
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (sec, usec) = if request { (0, 0) } else { (since.as_secs() as i32, since.subsec_micros()) };
    let time = json!({"sec": sec, "usec": usec});
    json!({"id": "ping", "req_id": id, "t2": time, "t3": time})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(packets: Json, length: usize, notes: &[&'static str]) -> Recorded {
        let decoded = OwnedMessage {
            message: "packets",
            version: Some("le"),
            ..OwnedMessage::default().with_fields(json!({ "packets": packets }))
        };
        Recorded { decoded, length, notes: notes.to_vec(), ..Recorded::default() }
    }

    #[test]
    fn pings_take_the_other_form() {
        let (mut out, time) = (Outbox::default(), json!({"sec": 5, "usec": 6}));
        let zero = json!({"sec": 0, "usec": 0});
        let long = json!([{"id": "ping", "req_id": 7, "t2": zero, "t3": zero},
            {"id": "channel", "packet": {"id": "ping", "req_id": 8, "t2": time, "t3": time}, "channel": 1, "source": 2}]);
        let dialect = |short| Dialect { order: Some("be"), short_pings: Some(short) };
        let same = dialect(false).write(&packets(long.clone(), 49, &[]), &mut out).unwrap();
        assert_eq!((same.version, &same.to_json()["packets"]), (Some("be"), &long));
        let short =
            json!([{"id": "ping", "is_request": true, "req_id": 7}, {"id": "ping", "is_request": false, "req_id": 8}]);
        let decoded = dialect(false).write(&packets(short.clone(), 13, &[]), &mut out).unwrap();
        assert_eq!(decoded.to_json()["packets"][0], long[0]);
        let reply = decoded.to_json()["packets"][1].clone();
        assert!(reply["t2"] == reply["t3"] && reply["t2"]["sec"].as_i64() > Some(1_700_000_000), "{reply}");
        let back = dialect(true).write(&packets(decoded.to_json()["packets"].clone(), 43, &[]), &mut out).unwrap();
        assert_eq!(back.to_json()["packets"], short);
        // Embedded pings change too. Build 5 has no channels.
        let why = dialect(true).write(&packets(long, 49, &[]), &mut out).unwrap_err();
        assert!(why.contains("no channel packets"), "{why}");
        // A short ping's message no longer fits with the long form.
        let why = dialect(false).write(&packets(short, 500, &[]), &mut out).unwrap_err();
        assert!(why.starts_with("530 bytes"), "{why}");
    }

    #[test]
    fn what_no_table_explains_is_not_turned() {
        let dialect = |order| Dialect { order: Some(order), short_pings: None };
        let mut out = Outbox::default();
        let unknown = packets(json!([{"id": 200}]), 5, &["gne.unknown_id"]);
        assert!(dialect("le").write(&unknown, &mut out).is_ok());
        assert!(dialect("be").write(&unknown, &mut out).unwrap_err().contains("--schema"));
        let custom = packets(json!([{"id": "custom", "data": "0102"}]), 6, &[]);
        dialect("le").write(&custom, &mut out).unwrap();
        assert!(out.remarks.is_empty());
        dialect("be").write(&custom, &mut out).unwrap();
        assert_eq!(out.remarks.len(), 1);
    }
}
