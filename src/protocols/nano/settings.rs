//! The `-s nano.*` settings.

use super::memory::Dictionary;
use super::protos::Protos;
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Options, Setting};
use serde_json::Value as Json;
use std::sync::{Arc, Mutex, PoisonError};

/// All settings.
pub static SETTINGS: [Setting; 4] = [
    Setting::text(
        "nano.dict",
        "none",
        |text| object("nano.dict", text).map(drop),
        "the route dictionary before a handshake brings one: a JSON object, or the name of a file with one",
    ),
    Setting::text(
        "nano.protos",
        "none",
        |text| object("nano.protos", text).map(drop),
        "pomelo-protobuf's protos as in a handshake, with client and server: JSON, or a file",
    ),
    Setting::among(
        "nano.payload",
        &["auto", "json", "raw"],
        "auto: protos, else JSON objects and arrays; json: any JSON value; raw: neither",
    ),
    Setting::among(
        "nano.carrier",
        &["auto", "tcp", "websocket"],
        "auto: WebSocket where a conversation begins with HTTP, or, captured from its middle, with frames of packages; \
              websocket: frames from the first byte",
    ),
];

/// The reading of payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// By the protos, else as JSON.
    #[default]
    Auto,
    /// As JSON.
    Json,
    /// Not read.
    Raw,
}

/// `nano.payload`.
pub fn payload(options: &Options) -> Payload {
    match options.settings.get("nano.payload") {
        Some("json") => Payload::Json,
        Some("raw") => Payload::Raw,
        _ => Payload::Auto,
    }
}

/// Reads a setting's JSON object, inline or from a file.
fn object(key: &str, text: &str) -> Result<Json, String> {
    if text == "none" {
        return Ok(Json::Object(Default::default()));
    }
    let inline = text.trim_start().starts_with('{');
    let (content, what) = match inline {
        true => (text.to_owned(), "the JSON object".to_owned()),
        false => (std::fs::read_to_string(text).map_err(|why| format!("{text}: {why}"))?, text.to_owned()),
    };
    let json: Json = serde_json::from_str(&content).map_err(|why| format!("{what}: {why}"))?;
    let members = json.as_object().ok_or_else(|| format!("{what}: expected a JSON object"))?;
    match key {
        "nano.dict" => {
            if let Some((route, code)) = members.iter().find(|(_, code)| code.as_u64().is_none_or(|c| c > 0xffff)) {
                return Err(format!("{what}: {route:?}: expected a code from 0 to 65535, got {code}"));
            }
        }
        _ => {
            if !["client", "server"].iter().any(|side| members.get(*side).is_some_and(Json::is_object)) {
                return Err(format!("{what}: expected an object with \"client\" and \"server\""));
            }
        }
    }
    Ok(json)
}

/// The table made from a setting's last text: every conversation asks for it.
struct Cached<T> {
    text: String,
    made: Arc<T>,
}

static DICTIONARY: Mutex<Option<Cached<Dictionary>>> = Mutex::new(None);
static PROTOS: Mutex<Option<Cached<Protos>>> = Mutex::new(None);

fn cached<T>(
    cache: &Mutex<Option<Cached<T>>>,
    options: &Options,
    key: &str,
    make: impl Fn(&Json) -> T,
) -> Option<Arc<T>> {
    let text = options.settings.get(key).filter(|text| *text != "none")?;
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache.as_ref().filter(|known| known.text == text) {
        return Some(Arc::clone(&known.made));
    }
    // It was read when the setting was checked. If the file is gone since then, there is no table.
    let made = Arc::new(make(&object(key, text).ok()?));
    *cache = Some(Cached { text: text.to_owned(), made: Arc::clone(&made) });
    Some(made)
}

/// `nano.dict`.
pub fn dictionary(options: &Options) -> Option<Arc<Dictionary>> {
    cached(&DICTIONARY, options, "nano.dict", Dictionary::read)
}

/// `nano.protos`.
pub fn protos(options: &Options) -> Option<Arc<Protos>> {
    // The user's own names are not limited.
    let caps = PeerCaps { name_bytes: usize::MAX, ..PeerCaps::default() };
    cached(&PROTOS, options, "nano.protos", |json| Protos::read(json, &caps))
}
