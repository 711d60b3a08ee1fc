//! Encodes nano's lines.

use super::layout::{BODY, CODE, COMPRESSED, ERROR, FLAGS, LENGTH, Message, PAYLOAD, ROUTE};
use super::memory::Dictionary;
use super::payload::{INFLATED, JSON, MESSAGE, learned};
use super::protos::Protos;
use super::settings::Payload;
use super::{layout, members, pomelo_write, schemas, settings, zlib};
use crate::codec::layout::Kind;
use crate::codec::schema::Schemas;
use crate::codec::{EncodeError, Layout, Writer, digits};
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Encoder, Line, Options, Rewriter, Role};
use crate::protocols::websocket;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most conversations whose protos are remembered.
const CONVERSATIONS: usize = 1024;

/// Encodes packages and the carrier's own lines.
#[derive(Debug, Default)]
pub struct Packages {
    /// Every conversation is carried by WebSocket.
    carried: bool,
    /// The largest ratio to which a message may inflate.
    ratio: usize,
    schemas: Arc<Schemas>,
    /// `nano.dict`: the routes of codes.
    dictionary: Option<Arc<Dictionary>>,
    /// The form of payloads without a schema.
    form: Form,
}

/// The form of payloads that no schema describes: the form in which they are read.
#[derive(Debug, Default)]
struct Form {
    /// `nano.payload`.
    payload: Payload,
    /// `nano.protos`.
    protos: Option<Arc<Protos>>,
    /// The protos in the conversations' handshakes.
    protos_of: BTreeMap<u64, Arc<Protos>>,
    caps: PeerCaps,
}

impl Form {
    /// Keeps the protos of a server's handshake.
    fn learn(&mut self, line: &Line<'_>) {
        let parsed = || learned(line.fields.get(BODY.name)?.as_str()?.as_bytes());
        let body: Option<Json> = line.derived(&JSON).cloned().or_else(parsed);
        let Some(protos) = body.as_ref().and_then(|body| body.get("sys")?.get("protos")) else { return };
        let protos = Protos::read(protos, &self.caps);
        // A server sends the same protos to all clients.
        let known = self.protos_of.values().find(|known| ***known == protos);
        let protos = known.cloned().unwrap_or_else(|| Arc::new(protos));
        if self.protos_of.len() >= CONVERSATIONS {
            self.protos_of.pop_first();
        }
        self.protos_of.insert(line.flow, protos);
    }

    /// The payload's bytes; `None`: only a schema could give them.
    fn write(
        &self,
        line: &Line<'_>,
        route: Option<&str>,
        from: Role,
        given: &Json,
    ) -> Option<Result<Vec<u8>, EncodeError>> {
        if self.payload == Payload::Raw {
            return None;
        }
        let protos = self.protos_of.get(&line.flow).or(self.protos.as_ref()).filter(|_| self.payload == Payload::Auto);
        let message = protos.and_then(|protos| Some((protos, protos.route(from == Role::Server, route?.as_bytes())?)));
        Some(match message {
            Some((protos, message)) => pomelo_write::write(given, protos, message),
            None => members::write(given, &[]),
        })
    }
}

impl Packages {
    /// An encoder with the user's settings.
    pub fn new(options: &Options) -> Packages {
        let carried = options.settings.get("nano.carrier") == Some("websocket");
        let (schemas, dictionary) = (options.schemas.clone(), settings::dictionary(options));
        let ratio = options.limits.peer.inflate_ratio;
        let form = Form {
            payload: settings::payload(options),
            protos: settings::protos(options),
            caps: options.limits.peer,
            protos_of: BTreeMap::new(),
        };
        Packages { carried, ratio, schemas, dictionary, form }
    }

    /// Replaces the fields of a payload's schema by its bytes.
    fn payload(&self, layout: &'static Layout, line: &Line<'_>, given: &Json) -> Result<Json, EncodeError> {
        let word = |from: Option<&Json>| from?.get(ROUTE.name)?.as_str().map(str::to_owned);
        let by_code = || {
            let code = line.field(&CODE)?;
            let code = code.as_u64().or_else(|| digits::unsigned(code.as_str()?.trim()))?;
            String::from_utf8(self.dictionary.as_ref()?.route(code as u16)?.to_vec()).ok()
        };
        let route = word(Some(line.fields)).or_else(|| word(line.derived)).or_else(by_code);
        // If the line has no sender, its message implies one.
        let from = match (line.from, Message::named(line.message)) {
            (Role::Unknown, Some(Message::Request | Message::Notify)) => Role::Client,
            (Role::Unknown, _) => Role::Server,
            (role, _) => role,
        };
        let flags = u64::from(flags(layout, line).unwrap_or(0));
        let route = route.as_deref();
        let schema = schemas::find(&self.schemas, line.message, route.map(str::as_bytes), from.name());
        // If there are schemas, a route without one may be mistyped, unless the payload was read without one.
        let shown = self.schemas.messages(super::NAME).is_empty()
            || [&JSON, &MESSAGE].into_iter().any(|shown| line.derived(shown).is_some());
        let free = (flags & ERROR != 0 || schema.is_none()) && shown;
        let by_form = if free { self.form.write(line, route, from, given) } else { None };
        let by_schema = || schemas::write(&self.schemas, line.message, route, from.name(), given);
        let mut bytes = by_form.unwrap_or_else(by_schema)?;
        if flags & COMPRESSED != 0 {
            bytes = zlib::deflate(&bytes);
        }
        let mut fields = line.fields.clone();
        if let Some(map) = fields.as_object_mut() {
            map.insert(PAYLOAD.name.into(), hex::encode(bytes).into());
        }
        Ok(fields)
    }
}

/// Returns a message's flags; `None` if there are none, or wrong ones, which are an error when the message is written.
fn flags(layout: &'static Layout, line: &Line<'_>) -> Option<u8> {
    let field = layout.fields.iter().find(|field| field.is_named_as(&FLAGS))?;
    let given = json!({ FLAGS.name: line.field(&FLAGS)? });
    Writer::new(&given).write(std::slice::from_ref(field)).ok()?.first().copied()
}

/// Whether the value is hex or the raw form, which the tables themselves accept.
fn is_bytes(given: &Json) -> bool {
    given.is_string() || given.get("raw").is_some_and(Json::is_string) && given.get("bits").is_some()
}

impl Encoder for Packages {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == websocket::NAME {
            return websocket::encode::encode(line);
        }
        let layout = line.layout(super::NAME, &layout::LAYOUTS)?;
        if Message::of(layout) == Message::Handshake {
            self.form.learn(line);
        }
        let mut with_bytes = None;
        if let Some(given) = line.field(&PAYLOAD).filter(|given| !is_bytes(given)) {
            with_bytes = Some(self.payload(layout, line, given)?);
        }
        let line = &Line { fields: with_bytes.as_ref().unwrap_or(line.fields), ..*line };
        let broken = line.broken || matches!(Message::of(layout), Message::Data | Message::Unknown);
        match line.derived(&LENGTH).filter(|_| line.broken) {
            // The header itself was cut: the type, and the bytes after it.
            Some(Json::Null) => {
                let mut out = Writer::new(line.fields).broken(true).write(&[])?;
                if let Some(Kind::Tag { value, .. }) = layout.fields.first().map(|f| &f.kind) {
                    out.insert(0, *value as u8);
                }
                Ok(out)
            }
            // The header announces more bytes than there are.
            Some(length) => {
                let mut fields = line.fields.clone();
                if let Some(map) = fields.as_object_mut() {
                    map.entry(LENGTH.name).or_insert_with(|| length.clone());
                }
                Writer::new(&fields).broken(true).write(layout.fields)
            }
            None => Writer::new(line.fields).broken(broken).write(layout.fields),
        }
    }

    fn uncompressed(&self, line: &Line<'_>) -> Option<Json> {
        let mut fields = line.fields.clone();
        let flags = fields.get_mut(FLAGS.name)?.as_array_mut()?;
        let before = flags.len();
        flags.retain(|flag| flag != "compressed");
        if flags.len() == before {
            return None;
        }
        fields[PAYLOAD.name] = line.derived(&INFLATED)?.clone();
        Some(fields)
    }

    fn remembers(&self, proto: &str, message: &str) -> bool {
        proto == super::NAME && message == Message::Handshake.name()
    }

    /// A package's length is in its header. A TCP stream contains only packages, or WebSocket messages with packages in
    /// them.
    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        if self.carried {
            return self.websocket(message, line);
        }
        Some(message.to_vec())
    }

    fn websocket(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        Some(websocket::encode::wrap(message, line))
    }

    fn rewriter(&self) -> Option<Box<dyn Rewriter>> {
        Some(Box::new(websocket::rewrite::Frames::new(self.ratio)))
    }
}
