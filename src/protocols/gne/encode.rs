//! Encodes GNE messages from JSON. A line contains all that is needed: its `version` is the byte order, and the fields
//! of a ping determine its form.

use super::PROTO;
use super::layout::{ID, IS_REQUEST, T2, TABLES};
use super::link::{SHORT_BUILD, WireFormat, order_by_name};
use crate::codec::layout::Order;
use crate::codec::schema::Schemas;
use crate::codec::{EncodeError, Writer};
use crate::dissect::payload::Made;
use crate::dissect::{Encoder, Line, Options};
use crate::protocols::hawknl;
use serde_json::Value as Json;
use std::sync::Arc;

/// Writes GNE's messages, and the carrier's frames.
#[derive(Debug)]
pub struct Writing {
    order: Order,
    short_ping: bool,
    schemas: Arc<Schemas>,
}

impl Writing {
    /// A writer with the user's settings.
    pub fn new(options: &Options) -> Writing {
        let build = options.settings.get("gne.build").and_then(|text| text.parse().ok());
        Writing {
            order: options.settings.get("gne.endian").and_then(order_by_name).unwrap_or(Order::Little),
            short_ping: build.is_some_and(|build: u64| build <= SHORT_BUILD),
            schemas: Arc::clone(&options.schemas),
        }
    }

    /// Whether a line's pings have the short form, judged by their fields.
    fn short_ping(&self, fields: &Json) -> bool {
        let mut open = vec![fields];
        while let Some(value) = open.pop() {
            match value {
                Json::Object(map) => {
                    let ping = map.get(ID.name).is_some_and(|id| id == "ping" || id == 4);
                    if ping && map.contains_key(IS_REQUEST.name) {
                        return true;
                    }
                    if ping && map.contains_key(T2.name) {
                        return false;
                    }
                    open.extend(map.values());
                }
                Json::Array(items) => open.extend(items),
                _ => {}
            }
        }
        self.short_ping
    }
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == hawknl::PROTO || line.message == hawknl::FRAME[0].name {
            return hawknl::encode(line.fields);
        }
        let order = line.version(order_by_name, "le or be")?.unwrap_or(self.order);
        let layout = line.layout(PROTO, TABLES.iter().flat_map(|table| table.layouts))?;
        let mut reading = WireFormat {
            order,
            short_ping: self.short_ping(line.fields),
            schemas: &self.schemas,
            from: line.from.name(),
            made: Made::default(),
        };
        Writer::new(line.fields).whole().broken(line.broken).context(&mut reading).write(layout.fields)
    }

    fn remembers(&self, _proto: &str, _message: &str) -> bool {
        false
    }

    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        if line.proto == hawknl::PROTO { hawknl::wrap_line(message, line.fields) } else { hawknl::wrap(message) }
    }
}
