//! What is inside bodies and payloads: a zlib stream, JSON, pomelo-protobuf.

use super::memory::Memory;
use super::settings::Payload;
use super::zlib::{self, Zlib};
use super::{json, pomelo};
use crate::codec::layout::{Field, Len, bytes, text};
use crate::codec::{Level, Value};
use crate::protocols::Draft;
use serde_json::Value as Json;

/// Derived: what a zlib stream holds; a text where it is one.
pub static INFLATED: Field = bytes("inflated", Len::Rest).doc("the bytes of the zlib stream");
static INFLATED_TEXT: Field = text("inflated", Len::Rest).doc("the text of the zlib stream");
static JSON: Field = bytes("json", Len::Rest).doc("the value of the JSON text");
static MESSAGE: Field = bytes("message", Len::Rest).doc("the payload, by the protos of the handshake");

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct Payloads {
    zlib: Zlib,
    inflated: Vec<u8>,
    names: Vec<u8>,
    json: json::Scratch,
    pomelo: pomelo::Scratch,
}

/// Larger buffers are given back after use.
const KEPT: usize = 1 << 16;

impl Payloads {
    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.zlib.memory() + self.inflated.capacity() + self.names.capacity()
    }

    /// The body of a handshake or kick, which begins at byte `start` of the package. Returns its
    /// JSON, where it has one.
    pub fn body(&mut self, body: &[u8], start: usize, draft: &mut Draft) -> Option<Json> {
        if body.is_empty() {
            return None;
        }
        let inflated = zlib::begins(body) && self.inflate(body, true, draft);
        let found = self.json(body, start, inflated, true, draft);
        if found == json::Found::No {
            draft.notes.add(Level::Warning, "nano.not_json", format_args!("the body is not JSON"));
        }
        let text = if inflated { &self.inflated[..] } else { body };
        let learned = match found {
            json::Found::Nodes => serde_json::from_slice(text).ok(),
            _ => None,
        };
        self.inflated.shrink_to(KEPT);
        learned
    }

    /// The payload of a message, which begins at byte `start` of the package.
    #[expect(clippy::too_many_arguments)]
    pub fn message(
        &mut self,
        payload: &[u8],
        start: usize,
        compressed: bool,
        from_server: bool,
        route: Option<&[u8]>,
        memory: &Memory,
        draft: &mut Draft,
    ) {
        let inflated = compressed && self.inflate(payload, false, draft);
        if memory.payload == Payload::Raw {
            return;
        }
        let protos = memory.protos.as_deref().filter(|_| memory.payload == Payload::Auto);
        if let (Some(protos), Some(route)) = (protos, route)
            && let Some(message) = protos.route(from_server, route)
        {
            let (source, base) = if inflated { (self.source(draft), 0) } else { (0, start) };
            let bytes = if inflated { &self.inflated[..] } else { payload };
            let (names, _) = draft.source();
            self.names.clear();
            let place = pomelo::Place { source, start: base, names: (names, &mut self.names) };
            let read = pomelo::nodes(bytes, protos, message, &MESSAGE, place, &mut draft.derived, &mut self.pomelo);
            give(names, &self.names, draft);
            if let Err(stopped) = read {
                let pomelo::Stopped { at, what } = stopped;
                let text = format_args!("stopped at byte {at} of the payload: {what}");
                draft.notes.add(Level::Warning, "nano.protobuf", text);
            }
        } else {
            let found = self.json(payload, start, inflated, memory.any_json, draft);
            if found == json::Found::No && !payload.is_empty() && memory.uses_protos && memory.protos.is_none() {
                let text = format_args!("the server uses protos, which are not in this capture");
                draft.notes.add(Level::Note, "nano.protos_unknown", text);
            }
        }
        self.inflated.shrink_to(KEPT);
        self.names.shrink_to(KEPT);
    }

    /// Inflates into a source of the draft, and shows it.
    fn inflate(&mut self, packed: &[u8], as_text: bool, draft: &mut Draft) -> bool {
        if !self.zlib.inflate(packed, &mut self.inflated) {
            self.inflated.clear();
            self.inflated.shrink_to(KEPT);
            draft.notes.add(Level::Warning, "nano.not_zlib", format_args!("not one whole zlib stream"));
            return false;
        }
        let source = self.source(draft);
        let bits = self.inflated.len() as u32 * 8;
        draft.derived.set_source(source);
        match (as_text, std::str::from_utf8(&self.inflated)) {
            (true, Ok(_)) => draft.derived.push(&INFLATED_TEXT, Value::Text { bit: 0, bits }, 0, 0),
            (true, Err(_)) => draft.derived.push(&INFLATED_TEXT, Value::Raw { bit: 0, bits }, 0, 0),
            (false, _) => draft.derived.push(&INFLATED, Value::Bytes { bit: 0, bits }, 0, 0),
        };
        true
    }

    /// A source of the draft with the inflated bytes.
    fn source(&mut self, draft: &mut Draft) -> u8 {
        let (source, buffer) = draft.source();
        buffer.extend_from_slice(&self.inflated);
        source
    }

    fn json(&mut self, plain: &[u8], start: usize, inflated: bool, any: bool, draft: &mut Draft) -> json::Found {
        let text = if inflated { &self.inflated[..] } else { plain };
        if !json::may_be(text, any) {
            return json::Found::No;
        }
        let (source, base) = match inflated {
            true => {
                let (source, buffer) = draft.source();
                buffer.extend_from_slice(text);
                (source, 0)
            }
            false => (0, start),
        };
        let (names, _) = draft.source();
        self.names.clear();
        let place = json::Place { source, start: base, names: (names, &mut self.names) };
        let found = json::nodes(text, &JSON, place, &mut draft.derived, &mut self.json);
        give(names, &self.names, draft);
        found
    }
}

/// Fills a source that was made before.
fn give(source: u8, bytes: &[u8], draft: &mut Draft) {
    if let Some(buffer) = draft.buffer(source).filter(|_| !bytes.is_empty()) {
        buffer.extend_from_slice(bytes);
    }
}
