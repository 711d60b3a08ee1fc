//! Encodes Riptide messages from JSON.

use super::layout::{DATA, ID, Message};
use super::values;
use super::version::Version;
use crate::codec::schema::Schemas;
use crate::codec::{EncodeError, Writer};
use crate::dissect::payload::Made;
use crate::dissect::{Encoder, Line, Options};
use serde_json::Value as Json;
use std::sync::Arc;

/// The encoder. It keeps no state between lines.
#[derive(Debug)]
pub struct Writing {
    /// The version of lines without one.
    default: Version,
    schemas: Arc<Schemas>,
}

impl Writing {
    /// An encoder with the user's settings.
    pub fn new(options: &Options) -> Writing {
        let set = options.settings.get("riptide.version").and_then(Version::named);
        Writing { default: set.unwrap_or(Version::V20), schemas: options.schemas.clone() }
    }
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let version = line.version(Version::named, "1.0, 1.2, 2.0, 2.1 or 2.2")?.unwrap_or(self.default);
        let layout = line.layout(format_args!("riptide {}", version.name()), version.layouts())?;
        if line.is_empty() {
            return Ok(Vec::new());
        }
        let as_bits = line.field(&ID).is_some_and(|id| id.is_object());
        let id = line.derived(&ID).filter(|_| as_bits).and_then(Json::as_u64);
        let data = line.field(&DATA).is_some_and(|data| data.is_object() && data.get("raw").is_none());
        let (schemas, message, from) = (&self.schemas, Message::of(layout), line.from);
        let mut payloads = values::Payloads { schemas, version, message, from, id, data, made: Made::default() };
        Writer::new(line.fields).derived(line.derived).broken(line.broken).context(&mut payloads).write(layout.fields)
    }

    fn remembers(&self, _proto: &str, _message: &str) -> bool {
        false
    }

    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        let version = line.version.and_then(Version::named).unwrap_or(self.default);
        let mut framed = match version.packed() {
            true => i32::try_from(message.len()).ok()?.to_le_bytes().to_vec(),
            false => u16::try_from(message.len()).ok()?.to_le_bytes().to_vec(),
        };
        framed.extend_from_slice(message);
        Some(framed)
    }
}
