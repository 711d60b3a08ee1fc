//! The content of bodies and payloads: a zlib stream, JSON, pomelo-protobuf.

use super::layout::Message;
use super::members::{Misfit, Shape};
use super::memory::Memory;
use super::schemas::{self, How};
use super::settings::Payload;
use super::zlib::{self, Unfit, Zlib};
use super::{json, pomelo};
use crate::codec::layout::{Field, Len, bytes, group, text};
use crate::codec::schema::{SchemaMessage, Schemas};
use crate::codec::{Fault, Reason, Value};
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Dissection, payload};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Derived: the content of a zlib stream, as text if it is text.
pub static INFLATED: Field = bytes("inflated", Len::Rest).doc("the bytes of the zlib stream");
static INFLATED_TEXT: Field = text("inflated", Len::Rest).doc("the text of the zlib stream");
pub static JSON: Field = group("json", &[]).opened().doc("the value of the JSON text");
/// The JSON of a body that is not a payload.
static BODY: Field = group("json", &[]).doc("the value of the JSON text");
pub static MESSAGE: Field = group("message", &[]).opened().doc("the payload, by the protos of the handshake");

/// The derived fields.
pub static DERIVED: [&Field; 4] = [&INFLATED, &JSON, &MESSAGE, payload::SHOWN];

/// Reused memory.
#[derive(Debug, Default)]
pub struct Payloads {
    zlib: Zlib,
    inflated: Vec<u8>,
    names: Vec<u8>,
    json: json::Scratch,
    pomelo: pomelo::Scratch,
}

/// A message's payload with its context.
#[derive(Clone, Copy, Debug)]
pub struct Payloaded<'a> {
    /// The message that contains it.
    pub message: Message,
    /// The whole package.
    pub package: &'a [u8],
    /// The offset of the payload in it.
    pub start: usize,
    /// The flag for a zlib stream is set.
    pub compressed: bool,
    /// The flag for an error is set.
    pub error: bool,
    /// The route, if it is known.
    pub route: Option<&'a [u8]>,
    /// The user's schemas.
    pub schemas: &'a Schemas,
}

/// The JSON that a payload may be.
struct JsonForm {
    /// Not only an object or array.
    any: bool,
    /// The field of its first node.
    field: &'static Field,
}

/// Parses the JSON of a handshake or kick. Members that serde refuses are left out: half a surrogate pair, a number that
/// is too large.
pub fn learned(text: &[u8]) -> Option<Json> {
    serde_json::from_slice(text).ok().or_else(|| {
        let members: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
        let parsed = members.into_iter().filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?)));
        Some(Json::Object(parsed.collect()))
    })
}

/// The largest buffer that is kept for reuse.
const KEPT: usize = 1 << 16;

impl Payloads {
    /// Shows the body of a handshake or kick, which begins at byte `start` of the package. Returns its JSON, if it has
    /// any.
    pub fn body(&mut self, body: &[u8], start: usize, caps: &PeerCaps, dissection: &mut Dissection) -> Option<Json> {
        if body.is_empty() {
            return None;
        }
        let inflated = zlib::begins(body) && self.inflate(body, true, caps, dissection);
        let found = self.json(body, start, inflated, JsonForm { any: true, field: &BODY }, None, dissection);
        if found == json::JsonScan::No {
            dissection.notes.warn("nano.not_json", format_args!("the body is not JSON"));
        }
        let text = if inflated { &self.inflated[..] } else { body };
        let learned = match found {
            json::JsonScan::Nodes => learned(text),
            _ => None,
        };
        self.inflated.shrink_to(KEPT);
        learned
    }

    /// Shows the payload of a message.
    pub fn message(&mut self, at: &Payloaded<'_>, memory: &Memory, dissection: &mut Dissection) {
        let Payloaded { message, package, start, compressed, route, .. } = *at;
        let payload = package.get(start..).unwrap_or_default();
        let inflated = compressed && self.inflate(payload, false, &memory.caps, dissection);
        // An error has the server's own form, whatever the route's responses are.
        if !at.error
            && let Some((schema, how)) = schemas::find(at.schemas, message.name(), route, dissection.from.name())
        {
            self.by_schema(at, schema, how, inflated, dissection);
            self.inflated.shrink_to(KEPT);
            self.names.shrink_to(KEPT);
            return;
        }
        if memory.payload == Payload::Raw {
            return;
        }
        let from_server = matches!(message, Message::Response | Message::Push);
        let protos = memory.protos.as_deref().filter(|_| memory.payload == Payload::Auto);
        if let (Some(protos), Some(route)) = (protos, route)
            && let Some(message) = protos.route(from_server, route)
        {
            let (source, base) = if inflated { (self.source(dissection), 0) } else { (0, start) };
            let bytes = if inflated { &self.inflated[..] } else { payload };
            let (names, _) = dissection.source();
            self.names.clear();
            let place = pomelo::PayloadPosition { source, start: base, names: (names, &mut self.names) };
            let read =
                pomelo::nodes(bytes, protos, message, &MESSAGE, place, &mut dissection.derived, &mut self.pomelo);
            give(names, &self.names, dissection);
            if let Err(stopped) = read {
                let pomelo::Stopped { at, what } = stopped;
                let text = format_args!("stopped at byte {at} of the payload: {what}");
                dissection.notes.warn("nano.protobuf", text);
            }
        } else {
            let found =
                self.json(payload, start, inflated, JsonForm { any: memory.any_json, field: &JSON }, None, dissection);
            if found == json::JsonScan::No && !payload.is_empty() && memory.uses_protos && memory.protos.is_none() {
                let text = format_args!("the server uses protos, which are not in this capture");
                dissection.notes.note("nano.protos_unknown", text);
            }
        }
        self.inflated.shrink_to(KEPT);
        self.names.shrink_to(KEPT);
    }

    /// Shows a payload by the user's schema.
    fn by_schema(
        &mut self,
        at: &Payloaded<'_>,
        schema: &SchemaMessage,
        how: How,
        inflated: bool,
        dissection: &mut Dissection,
    ) {
        let payload = at.package.get(at.start..).unwrap_or_default();
        let fields = match how {
            How::Members(fields) => fields,
            How::Fields(fields) => {
                let (source, range) = match inflated {
                    true => (self.source(dissection), 0..self.inflated.len()),
                    false => (0, at.start..at.package.len()),
                };
                payload::show(dissection, at.package, source, range, schema, fields);
                return;
            }
        };
        dissection.schema = Some(schema.name);
        let mut shape = Shape::new(fields);
        let found =
            self.json(payload, at.start, inflated, JsonForm { any: true, field: &JSON }, Some(&mut shape), dissection);
        let (length, base) = if inflated { (self.inflated.len(), 0) } else { (payload.len(), at.start) };
        let (misfit, strange) = match found {
            json::JsonScan::Nodes => (shape.misfit, shape.strange),
            // JSON with too many values is not checked.
            json::JsonScan::Leaf => (None, None),
            json::JsonScan::No => (Some(Misfit { path: String::new(), at: 0, what: "expected JSON".into() }), None),
        };
        if let Some(Misfit { path, at, what }) = misfit {
            let left = length.saturating_sub(at) as u64 * 8;
            let fault = Fault::new(Reason::Undefined("not as the schema has it"), (base + at) as u32 * 8, 0, left);
            let path = format!("{}.{}.payload{path}", super::NAME, dissection.message);
            dissection.fault = Some(Fault { path, limit: what, ..fault });
        }
        if let Some(name) = strange {
            let text = format_args!("the schema has no member {name:?}");
            dissection.notes.note("nano.unknown_member", text);
        }
    }

    /// Inflates into a source of the draft, and shows it.
    fn inflate(&mut self, packed: &[u8], as_text: bool, caps: &PeerCaps, dissection: &mut Dissection) -> bool {
        let most = caps.inflated(packed.len(), zlib::FREE);
        if let Err(unfit) = self.zlib.inflate(packed, most, &mut self.inflated) {
            self.inflated.clear();
            self.inflated.shrink_to(KEPT);
            match unfit {
                Unfit::Broken => {
                    dissection.notes.warn("nano.not_zlib", format_args!("not one whole zlib stream"));
                }
                Unfit::TooLarge => {
                    let most = most.min(zlib::LARGEST);
                    let limit = if most < zlib::LARGEST { " (--limit inflate_ratio)" } else { "" };
                    let text = format_args!("would be more than {most} bytes{limit}");
                    dissection.notes.warn("nano.inflates_too_far", text);
                }
            }
            return false;
        }
        let source = self.source(dissection);
        let bits = self.inflated.len() as u32 * 8;
        dissection.derived.set_source(source);
        match (as_text, std::str::from_utf8(&self.inflated)) {
            (true, Ok(_)) => dissection.derived.push(&INFLATED_TEXT, Value::Text { bit: 0, bits }, 0, 0),
            (true, Err(_)) => dissection.derived.push(&INFLATED_TEXT, Value::Raw { bit: 0, bits }, 0, 0),
            (false, _) => dissection.derived.push(&INFLATED, Value::Bytes { bit: 0, bits }, 0, 0),
        };
        true
    }

    /// A source of the draft with the inflated bytes.
    fn source(&mut self, dissection: &mut Dissection) -> u8 {
        let (source, buffer) = dissection.source();
        buffer.extend_from_slice(&self.inflated);
        source
    }

    fn json(
        &mut self,
        plain: &[u8],
        start: usize,
        inflated: bool,
        form: JsonForm,
        shape: Option<&mut Shape>,
        dissection: &mut Dissection,
    ) -> json::JsonScan {
        let text = if inflated { &self.inflated[..] } else { plain };
        if !json::may_be(text, form.any) {
            return json::JsonScan::No;
        }
        let (source, base) = match inflated {
            true => {
                let (source, buffer) = dissection.source();
                buffer.extend_from_slice(text);
                (source, 0)
            }
            false => (0, start),
        };
        let (names, _) = dissection.source();
        self.names.clear();
        let place = json::TextPosition { source, start: base, names: (names, &mut self.names), shape };
        let found = json::nodes(text, form.field, place, &mut dissection.derived, &mut self.json);
        give(names, &self.names, dissection);
        found
    }
}

/// Fills a source that was created before.
fn give(source: u8, bytes: &[u8], dissection: &mut Dissection) {
    if let Some(buffer) = dissection.buffer(source).filter(|_| !bytes.is_empty()) {
        buffer.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_refuses_hides_no_other_member() {
        for odd in [r#""a\ud83d""#, "1e999"] {
            let text = format!(r#"{{"code":200,"sys":{{"dict":{{"onM":7}}}},"user":{odd}}}"#);
            let expected = serde_json::json!({"code": 200, "sys": {"dict": {"onM": 7}}});
            assert_eq!(learned(text.as_bytes()), Some(expected), "{text}");
        }
        assert_eq!(learned(b"[1, 2]"), Some(serde_json::json!([1, 2])));
        assert_eq!(learned(b"{"), None);
    }
}
