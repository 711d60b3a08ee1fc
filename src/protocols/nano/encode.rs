//! nano's lines back to bytes.

use super::layout::{BODY, CODE, FLAGS, LENGTH, Message, PAYLOAD, ROUTE};
use super::memory::Dictionary;
use super::payload::{JSON, MESSAGE};
use super::protos::Protos;
use super::settings::Payload;
use super::{layout, members, pomelo_write, schemas, settings, zlib};
use crate::codec::digits;
use crate::codec::layout::Kind;
use crate::codec::schema::Schemas;
use crate::codec::{EncodeError, Writer};
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Encoder, Line, Options, Rewriter, Role};
use crate::protocols::websocket;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many conversations are remembered to be carried by WebSocket.
const UPGRADED: usize = 65_536;
/// How many conversations' protos are remembered.
const TOLD: usize = 1024;

/// Writes packages, and the carrier's own lines.
#[derive(Debug, Default)]
pub struct Packages {
    /// Every conversation is carried by WebSocket.
    carried: bool,
    /// How many times its own bytes a message may inflate to.
    ratio: usize,
    /// Conversations of which the carrier's own lines were seen.
    upgraded: BTreeSet<u64>,
    schemas: Arc<Schemas>,
    /// `nano.dict`: the routes of codes.
    dictionary: Option<Arc<Dictionary>>,
    /// How payloads without a schema are written.
    form: Form,
}

/// How payloads are written that no schema describes: as they are read.
#[derive(Debug, Default)]
struct Form {
    /// `nano.payload`.
    payload: Payload,
    /// `nano.protos`.
    protos: Option<Arc<Protos>>,
    /// Those that the handshakes of conversations have.
    told: BTreeMap<u64, Arc<Protos>>,
    caps: PeerCaps,
}

impl Form {
    /// Keeps the protos of a server's handshake.
    fn learn(&mut self, line: &Line<'_>) {
        let parsed = || serde_json::from_str(line.fields.get(BODY.name)?.as_str()?).ok();
        let body: Option<Json> = line.derived(&JSON).cloned().or_else(parsed);
        let Some(protos) = body.as_ref().and_then(|body| body.get("sys")?.get("protos")) else { return };
        let protos = Protos::read(protos, &self.caps);
        // A server says the same to all.
        let known = self.told.values().find(|known| ***known == protos);
        let protos = known.cloned().unwrap_or_else(|| Arc::new(protos));
        if self.told.len() >= TOLD {
            self.told.pop_first();
        }
        self.told.insert(line.flow, protos);
    }

    /// The payload's bytes; `None`: only a schema could say.
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
        let protos = self.told.get(&line.flow).or(self.protos.as_ref()).filter(|_| self.payload == Payload::Auto);
        let message = protos.and_then(|protos| Some((protos, protos.route(from == Role::Server, route?.as_bytes())?)));
        Some(match message {
            Some((protos, message)) => pomelo_write::write(given, protos, message),
            None => members::write(given, &[]),
        })
    }
}

impl Packages {
    /// By what the user set.
    pub fn new(options: &Options) -> Packages {
        let carried = options.settings.get("nano.carrier") == Some("websocket");
        let (schemas, dictionary) = (options.schemas.clone(), settings::dictionary(options));
        let ratio = options.limits.peer.inflate_ratio;
        let form = Form {
            payload: settings::payload(options),
            protos: settings::protos(options),
            caps: options.limits.peer,
            told: BTreeMap::new(),
        };
        Packages { carried, ratio, schemas, dictionary, form, ..Packages::default() }
    }

    /// The fields with a payload's bytes in the place of its schema's fields.
    fn payload(&self, line: &Line<'_>, given: &Json) -> Result<Json, EncodeError> {
        let word = |from: Option<&Json>| from?.get(ROUTE.name)?.as_str().map(str::to_owned);
        let by_code = || {
            let code = line.field(&CODE)?;
            let code = code.as_u64().or_else(|| digits::unsigned(code.as_str()?.trim()))?;
            String::from_utf8(self.dictionary.as_ref()?.route(code as u16)?.to_vec()).ok()
        };
        let route = word(Some(line.fields)).or_else(|| word(line.derived)).or_else(by_code);
        // The message says whose it is, where the line does not.
        let from = match (line.from, Message::named(line.message)) {
            (Role::Unknown, Some(Message::Request | Message::Notify)) => Role::Client,
            (Role::Unknown, _) => Role::Server,
            (role, _) => role,
        };
        let flagged = |name: &str| match line.field(&FLAGS) {
            Some(Json::Array(flags)) => flags.iter().any(|flag| flag == name),
            Some(Json::String(flags)) => flags.split(['|', ',', '+']).any(|flag| flag.trim() == name),
            _ => false,
        };
        let route = route.as_deref();
        let schema = schemas::find(&self.schemas, line.message, route.map(str::as_bytes), from.name());
        // Where there are schemas, a route without one may be mistyped, unless it was read so.
        let shown = self.schemas.messages(super::NAME).is_empty()
            || [&JSON, &MESSAGE].into_iter().any(|shown| line.derived(shown).is_some());
        let free = (flagged("error") || schema.is_none()) && shown;
        let by_form = if free { self.form.write(line, route, from, given) } else { None };
        let by_schema = || schemas::write(&self.schemas, line.message, route, from.name(), given);
        let mut bytes = by_form.unwrap_or_else(by_schema)?;
        if flagged("compressed") {
            bytes = zlib::deflate(&bytes);
        }
        let mut fields = line.fields.clone();
        if let Some(map) = fields.as_object_mut() {
            map.insert(PAYLOAD.name.into(), hex::encode(bytes).into());
        }
        Ok(fields)
    }
}

/// Hex, or the raw form: what the tables themselves take.
fn is_bytes(given: &Json) -> bool {
    given.is_string() || given.get("raw").is_some_and(Json::is_string) && given.get("bits").is_some()
}

impl Encoder for Packages {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == websocket::NAME {
            if self.upgraded.len() < UPGRADED {
                self.upgraded.insert(line.flow);
            }
            return websocket::encode::encode(line);
        }
        let layout = line.layout(super::NAME, &layout::LAYOUTS)?;
        if Message::of(layout) == Message::Handshake {
            self.form.learn(line);
        }
        let mut with_bytes = None;
        if let Some(given) = line.field(&PAYLOAD).filter(|given| !is_bytes(given)) {
            with_bytes = Some(self.payload(line, given)?);
        }
        let line = &Line { fields: with_bytes.as_ref().unwrap_or(line.fields), ..*line };
        let broken = line.broken || matches!(Message::of(layout), Message::Data | Message::Unknown);
        match line.derived(&LENGTH).filter(|_| line.broken) {
            // The header itself was cut: the type, and what there was behind it.
            Some(Json::Null) => {
                let mut out = Writer::new(line.fields).broken(true).write(&[])?;
                if let Some(Kind::Tag { value, .. }) = layout.fields.first().map(|f| &f.kind) {
                    out.insert(0, *value as u8);
                }
                Ok(out)
            }
            // The header announces more than there is.
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

    fn remembers(&self, proto: &str, message: &str) -> bool {
        proto == websocket::NAME || message == Message::Handshake.name()
    }

    /// A package has its length in its header: a TCP stream is nothing but packages, or WebSocket
    /// messages with packages in them.
    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        if self.carried || self.upgraded.contains(&line.flow) {
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
