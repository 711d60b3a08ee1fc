//! Encodes DNP messages. A link_update needs the types of its values: from `derived`, else from an earlier link_state
//! of the input, else from the setting.

use super::joined::MESSAGE;
use super::layout::Message::{self, *};
use super::layout::{self, CONTENT, DATA, INDEX, LAYOUTS, LINK_ID, TYPE, UPDATE_LAYOUT, VALUES};
use super::types::Types;
use super::values;
use crate::codec::layout::Field;
use crate::codec::schema::{Key, SchemaMessage, Schemas};
use crate::codec::{Context, EncodeError, Recalled, Scope, Writer};
use crate::dissect::{Encoder, Line, Options, Role, payload};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use std::sync::Arc;

/// The most links that are remembered. When there are more, all are forgotten.
const LINKS: usize = 1 << 16;

/// The state of one sequence of messages.
#[derive(Debug)]
pub struct Writing {
    set: Types,
    specification: bool,
    /// The types of the latest link_state, by conversation and link id.
    links: FxHashMap<(u64, u16), Box<[u8]>>,
    schemas: Arc<Schemas>,
}

impl Writing {
    /// An encoder with the user's settings.
    pub fn new(options: &Options) -> Writing {
        Writing {
            set: options.settings.get("dnp.types").and_then(|text| text.parse().ok()).unwrap_or_default(),
            specification: options.settings.get(UPDATE_LAYOUT) == Some("specification"),
            links: FxHashMap::default(),
            schemas: options.schemas.clone(),
        }
    }

    /// Replaces the fields of a payload by its bytes.
    fn payload(&self, line: &Line<'_>, given: &Json) -> Result<Json, EncodeError> {
        if line.derived(&MESSAGE).is_some() {
            return Err(EncodeError::new("payload", "it is a part of a longer message, and cannot be written alone"));
        }
        let place = if line.message == LinkState { CONTENT.name } else { DATA.name };
        // The first byte is the schema's first field. It is not known in advance, so each schema is tried.
        let all = self.schemas.messages("dnp").iter().filter(|m| m.message.is_empty() || m.message == line.message);
        let from = line.from.name();
        // Without a sender, either may be meant.
        let senders = if line.from == Role::Unknown { vec![from, "client", "server"] } else { vec![from] };
        // It must be the schema by which these bytes are read.
        let is_read = |schema: &SchemaMessage, bytes: &[u8]| {
            let key = bytes.first().map_or(Key::None, |byte| Key::Number(u64::from(*byte)));
            let found = |from: &&str| self.schemas.find("dnp", line.message, key, from);
            senders.iter().filter_map(found).any(|found| std::ptr::eq(found, schema))
        };
        let mut first = None;
        for schema in all {
            let written = schema.fields(0).map(|fields| payload::write(given, fields));
            match written {
                Some(Ok(bytes)) if is_read(schema, &bytes) => {
                    let mut fields = line.fields.clone();
                    if let Some(map) = fields.as_object_mut() {
                        map.remove("payload");
                        map.insert(place.into(), hex::encode(bytes).into());
                    }
                    return Ok(fields);
                }
                Some(Err(error)) => first = first.or(Some(error)),
                _ => {}
            }
        }
        Err(first.unwrap_or_else(|| EncodeError::new("payload", "no schema has such a payload")))
    }

    /// Remembers the types of a link_state.
    fn learn(&mut self, line: &Line<'_>) {
        let values = match Message::named(line.message) {
            Some(LinkState) if !line.broken => line.field(&VALUES),
            Some(LongLinkState) => line.derived(&VALUES),
            _ => None,
        };
        let id = line.field(&LINK_ID).and_then(Json::as_u64).and_then(|id| u16::try_from(id).ok());
        let (Some(id), Some(values)) = (id, values.and_then(Json::as_array)) else { return };
        let kind = |value: &Json| match value.get(TYPE.name)? {
            Json::String(name) => values::by_name(name),
            number => u8::try_from(number.as_u64()?).ok(),
        };
        if let Some(types) = values.iter().map(kind).collect::<Option<Box<[u8]>>>() {
            if self.links.len() >= LINKS {
                self.links.clear();
            }
            self.links.insert((line.flow, id), types);
        }
    }
}

/// Whether a link_update of unknown types lacks one of its values, though it has no fault.
fn lacks_value(fields: &Json) -> bool {
    fn last<'a>(of: &'a Json, name: &str) -> Option<&'a Json> {
        of.get(name)?.as_array()?.last()
    }
    last(fields, layout::LINKS.name)
        .and_then(|link| last(link, VALUES.name))
        .is_some_and(|value| value.get("value").is_none())
}

/// The context of the layouts.
struct Known<'a> {
    writing: &'a Writing,
    flow: u64,
}

impl Context for Known<'_> {
    fn setting(&self, name: &str) -> u64 {
        (name == UPDATE_LAYOUT && self.writing.specification) as u64
    }

    fn recall(&mut self, _field: &'static Field, scope: &Scope) -> Recalled {
        let (Some(id), Some(index)) = (scope.of(&LINK_ID), scope.of(&INDEX)) else { return Recalled::Unknown };
        let id = id as u16;
        let types =
            self.writing.links.get(&(self.flow, id)).map(|types| &types[..]).or_else(|| self.writing.set.get(id));
        match types.and_then(|types| types.get(index as usize)) {
            Some(kind) => Recalled::Value(*kind as u64),
            None => Recalled::Unknown,
        }
    }
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let layout = line.layout("dnp", &LAYOUTS)?;
        // A payload may be given by its schema's fields instead of its bytes.
        let mut with_bytes = None;
        if let Some(given) = line.fields.get("payload") {
            with_bytes = Some(self.payload(line, given)?);
        }
        let line = &Line { fields: with_bytes.as_ref().unwrap_or(line.fields), ..*line };
        let broken = line.broken || line.message == LinkUpdate && lacks_value(line.fields);
        let mut known = Known { writing: self, flow: line.flow };
        let written =
            Writer::new(line.fields).derived(line.derived).broken(broken).context(&mut known).write(layout.fields);
        self.learn(line);
        written
    }

    fn remembers(&self, _proto: &str, message: &str) -> bool {
        message == LinkState || message == LongLinkState
    }
}
